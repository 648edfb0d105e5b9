"""One small model for all engine tests of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from localmem.settings import Settings

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel

CONTEXT = 2048

# A shared machine is slow at times; what takes long is seen in pytest's durations.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


@pytest.fixture(scope="session")
def engine_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(prefixes_dir=tmp_path_factory.mktemp("prefixes"), context=CONTEXT)


@pytest.fixture(scope="session")
def model(small_model_path: Path, engine_settings: Settings) -> Iterator[LlamaModel]:
    from localmem.llm import load

    with load(small_model_path, id="small", settings=engine_settings) as loaded:
        yield loaded
