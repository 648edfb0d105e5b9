#!/usr/bin/env python
"""Throw damaged files at every parser of transcripts: events or a TranscriptError must come, soon, and nothing else.

python scripts/fuzz_transcripts.py [--seconds 600] [--format NAME ...] [--found DIR]

With atheris (coverage-guided, libFuzzer: pip install atheris) each format gets a process of its own, the example of the tests as a
seed and its words as a dictionary; without it, hypothesis does the same without looking at coverage. An input has
two shapes, by its first byte: the bytes of a file, or a program that puts other values into the JSON of the example. "zip" is a
zip of the example. What fails is kept in DIR. The last line is JSON.
"""

from __future__ import annotations

import argparse
import copy
import io
import json
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

ZIP = "zip"
SLOW = 10
"""Seconds that no input of a few kilobytes may take."""
LENGTH = 4096
ODD: list[Any] = [
    *(None, True, 0, -1, 5, 1e308, float("inf"), float("nan"), 10**400, "", "x", "\ud800", "\0", "4/3/2025"),
    *(
        [],
        {},
        [[]],
        [None],
        {"": None},
        [{}],
        {"text": {"text": 5}},
        "9999-12-31T23:59:59-23:59",
        253402300800,
    ),
]


def mutated(value: Any, program: bytes) -> Any:
    """The value with others in it: a byte says how deep to go, one for each step where, and one what is put there."""
    holder = [value]
    twice = 0
    rest = iter(program)
    for depth in rest:
        place: Any = holder
        key: Any = 0
        for _ in range(depth % 12):
            inner = place[key]
            keys = (
                list(inner)
                if isinstance(inner, dict)
                else list(range(len(inner)))
                if isinstance(inner, list)
                else []
            )
            if not keys:
                break
            place, key = inner, keys[next(rest, 0) % len(keys)]
        what = next(rest, 0)
        if what >= 220 and (twice := twice + 1) <= 4:
            place[key] = [place[key], copy.deepcopy(place[key])]
        else:
            place[key] = copy.deepcopy(ODD[what % len(ODD)])
    return holder[0]


def target(name: str) -> Callable[[bytes], None]:
    """What one input does."""
    from localmem.formats import Format
    from tests.transcripts.helpers import VALID
    from tests.transcripts.test_any_bytes import check

    if name == ZIP:
        return lambda data: check(data, None)
    format = Format(name)
    example = VALID[format]
    is_json = example.startswith(("[", "{")) and format is not Format.JSONL

    def run(data: bytes) -> None:
        if is_json and data[:1] and data[0] % 2:
            made = mutated(json.loads(example), data[1:])
            data = json.dumps(made, ensure_ascii=False).encode("utf-8", "surrogatepass")
        else:
            data = data[1:]
        check(data, format)
        check(data, None)

    return run


def seeds(name: str) -> list[bytes]:
    from localmem.formats import Format
    from tests.transcripts.helpers import VALID

    if name == ZIP:
        made = []
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", method) as archive:
                archive.writestr("chat.txt", VALID[Format.PLAIN])
                archive.writestr("general/2025-03-04.json", VALID[Format.SLACK])
                archive.writestr("users.json", "[]")
                archive.writestr("channels.json", "[]")
            made.append(out.getvalue())
        return made
    return [b"\0" + VALID[Format(name)].encode(), b"\1" + bytes(range(60))]


def one(name: str, seconds: int, found: Path) -> None:
    """Fuzz in this process until the time is over or something fails."""
    if find_spec("atheris") is None:
        _hypothesis(name, seconds)
        return
    import atheris

    with atheris.instrument_imports(include=["localmem.transcripts", "zipfile"]):
        import localmem.transcripts  # noqa: F401
    run = target(name)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for number, seed in enumerate(seeds(name)):
            (corpus / str(number)).write_bytes(seed)
        words = sorted({word for seed in seeds(name) for word in re.findall(rb'[\w:/"{}\[\].-]{2,24}', seed)})
        escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in words)
        Path(folder, "words").write_text("\n".join(f'"{word}"' for word in escaped), encoding="ascii")
        options = {
            "max_total_time": seconds,
            "max_len": LENGTH,
            "timeout": SLOW,
            "rss_limit_mb": 2048,
            "dict": f"{folder}/words",
            "artifact_prefix": f"{found}/{name}-",
        }
        atheris.Setup([sys.argv[0], *(f"-{key}={value}" for key, value in options.items()), str(corpus)], run)
        atheris.Fuzz()


def _hypothesis(name: str, seconds: int) -> None:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    run = target(name)
    starts = seeds(name)
    ended = time.monotonic() + seconds
    count = 0

    @settings(
        max_examples=10**9, deadline=SLOW * 1000, suppress_health_check=list(HealthCheck), database=None
    )
    @given(data=st.data())
    def attempt(data: Any) -> None:
        nonlocal count
        if time.monotonic() > ended:
            raise KeyboardInterrupt
        count += 1
        text = bytearray(data.draw(st.sampled_from(starts)))
        for _ in range(data.draw(st.integers(1, 6))):
            at = data.draw(st.integers(0, len(text)))
            text[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        run(bytes(text))

    try:
        attempt()
    except KeyboardInterrupt:
        print(f"Done {count} runs", file=sys.stderr)


def main() -> None:
    from localmem.formats import Format

    names = [*(format.value for format in Format), ZIP]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=600, help="for each format")
    parser.add_argument("--format", choices=names, action="append", help="default: all")
    parser.add_argument("--found", type=Path, default=Path(tempfile.gettempdir()) / "fuzz_transcripts")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.found.mkdir(parents=True, exist_ok=True)
    if options.inside:
        one(options.format[0], options.seconds, options.found)
        return
    results = {}
    for name in options.format or names:
        command = [sys.executable, __file__, "--inside", "--format", name]
        command += ["--seconds", str(options.seconds), "--found", str(options.found)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        runs = re.findall(r"Done (\d+) ", done.stderr) or re.findall(r"^#(\d+)", done.stderr, re.MULTILINE)
        results[name] = {"runs": int(runs[-1]) if runs else 0, "failed": bool(done.returncode)}
        print(
            f"{name:9} {results[name]['runs']:>9,} inputs  {'FAILED' if done.returncode else 'fine'}",
            flush=True,
        )
        if done.returncode:
            (options.found / f"{name}.log").write_text(done.stderr, encoding="utf-8")
            print(f"          see {options.found / f'{name}.log'}")
    engine = "atheris" if find_spec("atheris") else "hypothesis"
    print(json.dumps({"engine": engine, "seconds": options.seconds, "formats": results}))
    sys.exit(any(result["failed"] for result in results.values()))


if __name__ == "__main__":
    main()
