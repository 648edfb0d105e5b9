"""Nothing is asked of the hub while a model is loaded, and the hub can be asked afterwards."""

from __future__ import annotations

from contextlib import suppress

import pytest
from huggingface_hub import constants, get_session, is_offline_mode
from huggingface_hub.errors import OfflineModeIsEnabled

from localmem.embed.offline import offline


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("error", [None, RuntimeError, KeyboardInterrupt])
def test_the_hub_is_out_of_reach_inside_and_as_it_was_before_afterwards(
    monkeypatch: pytest.MonkeyPatch, before: bool, error: type[BaseException] | None
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", before)
    with suppress(RuntimeError, KeyboardInterrupt), offline():
        assert is_offline_mode()
        with pytest.raises(OfflineModeIsEnabled):
            get_session().get("https://hub.invalid")
        if error is not None:
            raise error
    assert is_offline_mode() is before
