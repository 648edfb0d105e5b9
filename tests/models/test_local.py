"""Models on this machine: finding, verifying and removing them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest

from localmem.errors import ModelError, ModelMissingError, UsageError
from localmem.models import (
    Backend,
    FileStatus,
    Kind,
    catalogue,
    locate,
    pull,
    pulled_from_hub,
    remove,
    verify,
)
from localmem.models.local import Record, locked, model_folder, write_record
from localmem.settings import settings
from tests.models.conftest import content, language_model

BODY = content(1000)
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def tiny(use_catalogue) -> Path:
    """The file of the model `tiny`, put there by hand."""
    use_catalogue(language_model(BODY))
    path = model_folder(catalogue().by_id["tiny"]) / "tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(BODY)
    return path


def test_a_missing_model_says_how_to_get_it() -> None:
    with pytest.raises(ModelMissingError) as caught:
        locate("smollm2-135m")
    assert "`localmem models pull smollm2-135m`" in caught.value.hint


@pytest.mark.parametrize(
    ("spec", "kind", "does"),
    [
        ("all-minilm-l6-v2", Kind.LANGUAGE, "makes vectors, not answers"),
        ("smollm2-135m", Kind.EMBEDDER, "makes answers, not vectors"),
    ],
)
def test_a_model_of_another_kind_is_refused_before_it_is_looked_for(spec: str, kind: Kind, does: str) -> None:
    with pytest.raises(ModelError) as caught:
        locate(spec, kind=kind)
    assert str(caught.value) == f"{spec} {does}"
    assert "localmem models list" in caught.value.hint


def test_an_empty_file_is_no_model(tmp_path: Path) -> None:
    file = tmp_path / "own.gguf"
    file.touch()
    with pytest.raises(ModelError) as caught:
        locate(str(file), kind=Kind.LANGUAGE)
    assert (str(caught.value), caught.value.hint) == (f"{file} is empty", "Copy or download it again.")


def test_nothing_is_removed_of_a_model_whose_neighbour_is_here(tmp_path: Path) -> None:
    """A hub repository has many models in one folder."""
    folder = settings().models_dir / "hf--o--r"
    folder.mkdir(parents=True)
    (folder / "a.gguf").write_bytes(BODY)
    with pytest.raises(ModelMissingError):
        remove("hf:o/r/b.gguf")
    assert (folder / "a.gguf").exists()


def test_a_file_put_there_by_hand_is_found_without_a_digest(tiny: Path) -> None:
    model = locate("tiny")
    assert (model.path, model.digest, model.kind) == (tiny, "", Kind.LANGUAGE)
    assert model.key.startswith("stat-")


def test_a_verified_file_is_known_by_its_digest(tiny: Path) -> None:
    assert [check.status for check in verify("tiny")] == [FileStatus.OK]
    assert locate("tiny").digest == SHA256
    assert locate("tiny").key == SHA256


def test_locating_does_not_read_the_file(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verify("tiny")

    def refuse(path: Path) -> str:
        raise AssertionError("hashed")

    monkeypatch.setattr("localmem.models.local.sha256_of", refuse)
    assert locate("tiny").digest == SHA256


def test_a_file_changed_after_it_was_verified_loses_its_digest(tiny: Path) -> None:
    verify("tiny")
    os.utime(tiny, ns=(1, 1))
    assert locate("tiny").digest == ""


def test_a_file_of_the_wrong_size_is_missing(tiny: Path) -> None:
    tiny.write_bytes(BODY[:-1])
    with pytest.raises(ModelMissingError, match="999 bytes instead of 1000"):
        locate("tiny")


def test_damage_is_found_even_when_size_and_time_are_the_same(tiny: Path) -> None:
    verify("tiny")
    stat = tiny.stat()
    tiny.write_bytes(bytes(1000))
    os.utime(tiny, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (check,) = verify("tiny")
    assert (check.status, check.expected) == (FileStatus.DAMAGED, SHA256)
    assert locate("tiny").digest == ""


def test_a_digest_given_by_the_hub_is_what_verify_compares_with(use_catalogue) -> None:
    use_catalogue(language_model(BODY, sources=("hub",), sha256=None))
    folder = model_folder(catalogue().by_id["tiny"])
    folder.mkdir(parents=True)
    (folder / "tiny.gguf").write_bytes(BODY)
    assert verify("tiny")[0].status is FileStatus.UNKNOWN
    write_record(folder, "tiny.gguf", Record(1000, 0, SHA256, "hub"))
    (check,) = verify("tiny")
    assert (check.status, check.given_by) == (FileStatus.OK, "hub")
    (folder / "tiny.gguf").write_bytes(bytes(1000))
    assert verify("tiny")[0].status is FileStatus.DAMAGED


def test_a_damaged_record_only_costs_the_digest(tiny: Path) -> None:
    verify("tiny")
    (tiny.parent / ".files.json").write_text('{"tiny.gguf": {"bytes": 1')
    assert locate("tiny").digest == ""


def test_verifying_in_a_read_only_folder_works(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path, name: str, record: Record) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("localmem.models.local.write_record", refuse)
    assert verify("tiny")[0].status is FileStatus.OK


def test_pulling_what_is_verified_writes_nothing(tiny: Path) -> None:
    verify("tiny")
    before = sorted(tiny.parent.parent.rglob("*"))
    assert pull("tiny").path == tiny
    assert sorted(tiny.parent.parent.rglob("*")) == before


def test_nothing_to_verify_is_a_missing_model() -> None:
    with pytest.raises(ModelMissingError):
        verify("smollm2-135m")


def test_an_own_file_is_located_and_verified_without_a_claim(tmp_path: Path) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(BODY)
    (check,) = verify(str(file))
    assert (check.status, check.sha256) == (FileStatus.UNKNOWN, SHA256)
    assert locate(str(file)).path == file
    assert list(tmp_path.iterdir()) == [file]


def test_the_onnx_backend_does_without_the_other_files() -> None:
    entry = catalogue().by_id["all-minilm-l6-v2"]
    folder = model_folder(entry)
    folder.mkdir(parents=True)
    for file in entry.files_for(Backend.ONNX):
        with (folder / file.name).open("wb") as out:
            out.truncate(file.bytes)
    model = locate("all-minilm-l6-v2", backend=Backend.ONNX)
    assert model.path.name == "model.onnx"
    assert set(model.files) == {"model.onnx", "tokenizer.json"}
    with pytest.raises(ModelMissingError, match=r"model\.safetensors of all-minilm-l6-v2"):
        locate("all-minilm-l6-v2")


def test_removing_takes_the_folder_away_and_tells_the_bytes(tiny: Path) -> None:
    assert remove("tiny") == 1000
    assert not tiny.parent.exists()


def test_removing_takes_an_unfinished_pull_away(tiny: Path) -> None:
    tiny.unlink()
    (tiny.parent / ".pull").mkdir()
    (tiny.parent / ".pull" / "x.part").write_bytes(bytes(10))
    assert remove("tiny") == 10
    assert not tiny.parent.exists()


def test_removing_one_file_of_a_hub_repository_leaves_the_others(tmp_path: Path) -> None:
    folder = Path(os.environ["LOCALMEM_MODELS_DIR"]) / "hf--o--r"
    folder.mkdir(parents=True)
    for name in ("a.gguf", "b.gguf"):
        (folder / name).write_bytes(BODY)
        write_record(folder, name, Record(1000, 0, SHA256, "hub"))
    remove("hf:o/r/a.gguf")
    assert pulled_from_hub() == ["hf:o/r/b.gguf"]
    assert not (folder / "a.gguf").exists()
    remove("hf:o/r/b.gguf")
    assert not folder.exists()


def test_removing_what_is_not_here_says_so() -> None:
    with pytest.raises(ModelMissingError, match="not on this machine"):
        remove("smollm2-135m")


def test_an_own_file_is_never_removed(tmp_path: Path) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(BODY)
    with pytest.raises(UsageError):
        remove(str(file))
    assert file.exists()


def test_a_model_that_is_being_pulled_is_not_removed(tiny: Path) -> None:
    with locked(catalogue().by_id["tiny"]), pytest.raises(ModelError, match="another process is busy"):
        remove("tiny")
    assert tiny.exists()


AS_SOMEONE_ELSE = """
import os, sys
import filelock, localmem.models.local, localmem.cli.output  # the libraries may be closed to others too
from localmem.cli.app import main
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
main(sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o000, 0o600], ids=["closed", "not to be entered"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("path", "smollm2-135m"),
        ("verify",),
        ("verify", "smollm2-135m"),
        ("remove", "smollm2-135m", "--yes"),
    ],
    ids=" ".join,
)
def test_a_models_folder_without_permission_is_a_line_and_a_hint(
    arguments: tuple[str, ...], mode: int
) -> None:
    home = Path(mkdtemp())  # the folders of pytest are closed to others
    folder = home / "models"
    (folder / "smollm2-135m").mkdir(parents=True)
    home.chmod(0o755)
    folder.chmod(mode)
    try:
        run = subprocess.run(
            [sys.executable, "-c", AS_SOMEONE_ELSE, "models", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "HOME": str(home), "LOCALMEM_MODELS_DIR": str(folder)},
            cwd=Path(__file__).parents[2],
            check=False,
        )
    finally:
        folder.chmod(0o700)
        shutil.rmtree(home)
    message, hint = run.stderr.splitlines()
    assert (run.returncode, run.stdout) == (1, "")
    assert message.startswith(f"localmem: {folder}")
    assert message.endswith(": Permission denied")
    assert "LOCALMEM_MODELS_DIR" in hint
