"""`localmem view`: what the page holds, and that it needs nothing else."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from localmem.store import Store
from tests.cli.conftest import CommandLine

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> \u202e&amp; \"'` http://example.org/a.png"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Elements(HTMLParser):
    """Tags with their attributes, and the text between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile(localmem: CommandLine, folder: Path) -> None:
    file = folder / "hostile.jsonl"
    rows = [
        {"speaker": f"<b>{n}</b>", "text": f"{HOSTILE} {n}", "timestamp": f"2025-03-0{n}T10:00:00"}
        for n in range(1, 7)
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert localmem("ingest", file).code == 0


def test_the_page_is_written_and_named(filled: CommandLine, tmp_path: Path) -> None:
    done = filled("view", "--out", tmp_path / "a.html")
    assert (done.code, done.out) == (0, f"{tmp_path / 'a.html'}\n")
    assert stat.S_IMODE((tmp_path / "a.html").stat().st_mode) == 0o600


def test_a_dash_prints_the_page(filled: CommandLine) -> None:
    assert filled("view", "--out", "-").out.startswith("<!doctype html><!-- localmem view -->")


def test_without_a_name_the_page_is_called_like_the_memory(
    filled: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert filled("view").out == "default.html\n"
    assert (tmp_path / "default.html").exists()


def test_every_thread_has_a_mark_in_the_timeline_and_in_the_graph(filled: CommandLine) -> None:
    found = Elements(filled("view", "--out", "-").out)
    marks = [(tag, attrs["data-thread"]) for tag, attrs in found.tags if "data-thread" in attrs]
    assert {tag for tag, _ in marks} == {"rect", "circle"}
    assert "3 turns" in found.text


def test_a_question_shows_its_turns_with_roles_and_what_was_left_out(filled: CommandLine) -> None:
    page = filled("view", "--query", "Who bought the Saab?", "--budget", "1", "--out", "-").out
    text = " ".join(Elements(page).text.split())
    assert "What was found for: Who bought the Saab?" in text
    assert re.search(r"anchor|bridge|context", text)
    assert "Dilip bought the Saab yesterday." in text
    assert "the budget of 1 turn was full" in text


def test_what_people_said_is_text_and_nothing_else(localmem: CommandLine, tmp_path: Path) -> None:
    hostile(localmem, tmp_path)
    page = localmem("view", "--query", "<script>alert(3)</script> example", "--out", "-").out
    found = Elements(page)
    assert [tag for tag, _ in found.tags if tag in ("script", "img", "style", "link", "iframe", "a", "object")] == ["style", "script"]  # fmt: skip
    assert "<img src=x onerror=alert(2)>" in found.text
    assert "\u202e" not in page


def test_nothing_in_the_page_points_outside(localmem: CommandLine, tmp_path: Path) -> None:
    hostile(localmem, tmp_path)
    page = localmem("view", "--query", "example", "--out", "-").out
    names = {name for _, attrs in Elements(page).tags for name in attrs}
    assert not names & {"src", "href", "xlink:href", "srcset", "action", "style", "data", "poster"}
    assert not any(name.startswith("on") for name in names)
    own = re.sub(r"http://example\.org/a\.png", "", page)
    assert not re.search(r"https?:|url\(|@import|fetch|XMLHttpRequest|import\(", own)


def test_the_policy_lets_nothing_be_loaded_and_only_the_own_script_run(filled: CommandLine) -> None:
    page = filled("view", "--out", "-").out
    policy = next(
        attrs["content"] for tag, attrs in Elements(page).tags if attrs.get("http-equiv") == "Content-Security-Policy"
    )  # fmt: skip
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_a_file_that_is_no_page_is_not_written_over(filled: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "letter.html"
    file.write_text("Dear Ann", encoding="utf-8")
    done = filled("view", "--out", file)
    assert (done.code, file.read_text("utf-8")) == (2, "Dear Ann")
    assert "Name another file with --out." in done.err


def test_a_page_is_written_over(filled: CommandLine, tmp_path: Path) -> None:
    assert [filled("view", "--out", tmp_path / "a.html").code for _ in range(2)] == [0, 0]


def test_a_folder_that_is_not_there_is_one_line(filled: CommandLine, tmp_path: Path) -> None:
    done = filled("view", "--out", tmp_path / "no" / "a.html")
    assert (done.code, done.out) == (1, "")
    assert "cannot be written" in done.err


def test_an_empty_memory_has_a_page(localmem: CommandLine, tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db").close()
    page = localmem("view", "-m", tmp_path / "new.db", "--out", "-", "--query", "ferry").out
    assert "Nothing in this memory yet." in page


def test_an_empty_question_is_wrong_usage(filled: CommandLine) -> None:
    assert filled("view", "--query", " ", "--out", "-").code == 2


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page with")
def test_chromium_shows_the_page_and_runs_nothing_of_what_people_said(
    localmem: CommandLine, tmp_path: Path
) -> None:
    hostile(localmem, tmp_path)
    file = tmp_path / "view.html"
    assert localmem("view", "--query", "example", "--out", file).code == 0
    log = tmp_path / "net.json"
    done = subprocess.run(
        [
            str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
            f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={log}", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert 'id="timeline"' in done.stdout
    assert "Refused to" not in done.stderr  # the policy knows the page's own script and style
    assert "example.org" not in log.read_text("utf-8")
