#!/usr/bin/env python
"""Throw damaged files at every parser of transcripts: events or a TranscriptError must come, soon, and nothing else.

python scripts/fuzz_transcripts.py [--seconds 600] [--format NAME ...] [--found DIR]

With atheris (coverage-guided, libFuzzer: pip install atheris) each format gets a process of its own, with what its tests read as
seeds and their words as a dictionary; without it, hypothesis does the same without looking at coverage. An input is, by its
first byte, the bytes of a file, or a program that puts other values into the JSON of a seed. The last tenth of the time goes to
files in which a piece is repeated up to 32 KB, which finds what takes quadratic time: one of them takes as long as a hundred
others. What fails is kept in DIR. The last line is JSON, with the seconds of computing that each format got.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import json
import os
import pickle
import re
import resource
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
SLOW = 300
"""Seconds that no input may take, on a machine that has much else to do, ..."""
SLOW_COMPUTED = 2
"""... and seconds of computing."""
LENGTH = 4096
LONG = 1 << 15
"""Bytes up to which a piece is repeated."""
SEEDS = 80
"""Of a format, at most."""
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


def stretched(data: bytes) -> bytes:
    """The third and later bytes, with a piece of them repeated: the first two say which."""
    text = data[2:]
    start = data[0] * len(text) // 256 if data else 0
    piece = text[start : start + 1 + (data[1] if len(data) > 1 else 0) % 64]
    return text[:start] + piece * (LONG // max(1, len(piece))) + text[start:]


def target(name: str, examples: list[bytes], long: bool) -> Callable[[bytes], None]:
    """What one input does.

    Args:
        name: of the format, or "zip".
        examples: files of the format.
        long: whether a piece of the file is repeated.
    """
    from localmem.formats import Format
    from tests.transcripts.test_any_bytes import check

    format = None if name == ZIP else Format(name)
    values = []
    for example in examples if format is not Format.JSONL else ():
        with contextlib.suppress(ValueError, RecursionError):
            values.append(json.loads(example))
    values = [value for value in values if isinstance(value, dict | list) and value]

    def run(data: bytes) -> None:
        begun = time.process_time()
        if long:
            data = stretched(data)
        elif values and len(data) > 1 and data[0] % 2:
            made = mutated(copy.deepcopy(values[data[1] % len(values)]), data[2:])
            data = json.dumps(made, ensure_ascii=False).encode("utf-8", "surrogatepass")
        else:
            data = data[1:]
        check(data, format)
        if format is not None:
            check(data, None)
        assert time.process_time() - begun < SLOW_COMPUTED, f"slow: {len(data)} bytes"

    return run


def collected() -> dict[str, list[bytes]]:
    """What the tests of the transcripts read, by the format that it is found to be."""
    import pytest

    import localmem.transcripts as transcripts
    from localmem.errors import TranscriptError
    from localmem.formats import Format

    real = transcripts.read_stream
    seen: dict[bytes, None] = {}

    def recorded(stream: Any, *arguments: Any, **more: Any) -> Any:
        made_up = sys.modules["hypothesis"].currently_in_test_context()
        if isinstance(stream, io.BytesIO) and not made_up:
            seen[stream.getvalue()] = None
        return real(stream, *arguments, **more)

    transcripts.read_stream = recorded
    with contextlib.redirect_stdout(io.StringIO()):
        given = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "--ignore-glob", "*/test_any_bytes.py"]
        pytest.main([*given, str(ROOT / "tests/transcripts")])
    transcripts.read_stream = real
    found: dict[str, list[bytes]] = {format.value: [] for format in Format} | {ZIP: []}
    for data in sorted(seen, key=len):
        with contextlib.suppress(TranscriptError):
            name = ZIP if data.startswith(b"PK") else transcripts.detect(data, "any.bin")[0].value
            if len(data) < LENGTH and (name != ZIP or unpacked(data) < LONG):
                found[name].append(data)
    return found


def unpacked(data: bytes) -> int:
    """Bytes of the files of a zip, as far as it says."""
    with contextlib.suppress(Exception), zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(info.file_size for info in archive.infolist())
    return 0


def seeds(name: str, corpus: Path | None) -> list[bytes]:
    """Files of a format: the example that all its tests know, and what else they read."""
    from localmem.formats import Format
    from tests.transcripts.helpers import VALID

    made = []
    if name != ZIP:
        made.append(VALID[Format(name)].encode())
    else:
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", method) as archive:
                archive.writestr("chat.txt", VALID[Format.PLAIN])
                archive.writestr("general/2025-03-04.json", VALID[Format.SLACK])
                archive.writestr("users.json", "[]")
                archive.writestr("channels.json", "[]")
            made.append(out.getvalue())
    more = pickle.loads(corpus.read_bytes())[name] if corpus else []
    step = max(1, len(more) // SEEDS)
    return list(dict.fromkeys([*made, *more[::step]]))[:SEEDS]


def one(name: str, seconds: int, found: Path, examples: Path | None, long: bool) -> None:
    """Fuzz in this process until the time is over or something fails."""
    if find_spec("atheris") is None:
        _hypothesis(name, seconds, seeds(name, examples), long)
        return
    import atheris

    with atheris.instrument_imports(include=["localmem.transcripts", "zipfile"]):
        import localmem.transcripts  # noqa: F401
    files = seeds(name, examples)
    run = target(name, files, long)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for number, seed in enumerate(files):
            if long:
                (corpus / f"long-{number}").write_bytes(b"\x80\1" + seed)
                continue
            (corpus / f"file-{number}").write_bytes(b"\0" + seed)
            (corpus / f"values-{number}").write_bytes(bytes([1, number, *range(60)]))
        words = sorted({word for seed in files for word in re.findall(rb'[\w:/"{}\[\].-]{2,24}', seed)})
        escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in words)
        Path(folder, "words").write_text("\n".join(f'"{word}"' for word in escaped), encoding="ascii")
        options = {
            "max_len": LENGTH,
            "timeout": SLOW,
            "rss_limit_mb": 2048,
            "dict": f"{folder}/words",
            "artifact_prefix": f"{found}/{name}-",
        }
        flags = (f"-{key}={value}" for key, value in options.items())
        atheris.Setup([sys.argv[0], *flags, str(corpus)], limited(run, seconds))
        atheris.Fuzz()


def limited(run: Callable[[bytes], None], seconds: int) -> Callable[[bytes], None]:
    """The same, which ends the process after so many seconds of computing: libFuzzer itself can only look at the clock.

    It ends at once, so that its temporary files stay: whoever starts it gives it a folder for them.
    """
    begun = time.process_time()
    count = 0

    def once(data: bytes) -> None:
        nonlocal count
        if time.process_time() - begun > seconds:
            print(f"Done {count} runs", file=sys.stderr, flush=True)
            os._exit(0)
        count += 1
        run(data)

    return once


def _hypothesis(name: str, seconds: int, starts: list[bytes], long: bool) -> None:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    run = target(name, starts, long)
    begun = time.process_time()
    count = 0

    @settings(
        max_examples=10**9, deadline=SLOW * 1000, suppress_health_check=list(HealthCheck), database=None
    )
    @given(data=st.data())
    def attempt(data: Any) -> None:
        nonlocal count
        if time.process_time() - begun > seconds:
            raise KeyboardInterrupt
        count += 1
        text = bytearray(data.draw(st.sampled_from([b"\0", b"\1\0"])))
        text += data.draw(st.sampled_from(starts))
        for _ in range(data.draw(st.integers(1, 6))):
            at = data.draw(st.integers(0, len(text)))
            text[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        run(bytes(text))

    try:
        attempt()
    except KeyboardInterrupt:
        print(f"Done {count} runs", file=sys.stderr)


def computed() -> float:
    """Seconds of computing of all processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    from localmem.formats import Format

    names = [*(format.value for format in Format), ZIP]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=600, help="of computing, for each format")
    parser.add_argument("--format", choices=names, action="append", help="default: all")
    parser.add_argument("--found", type=Path, default=Path(tempfile.gettempdir()) / "fuzz_transcripts")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--long", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--examples", type=Path, help="file of the seeds, made if it is not there and kept")
    options = parser.parse_args()
    options.found.mkdir(parents=True, exist_ok=True)
    if options.inside and options.format is None:
        options.examples.write_bytes(pickle.dumps(collected()))
        return
    if options.inside:
        one(options.format[0], options.seconds, options.found, options.examples, options.long)
        return
    examples = options.examples or options.found / f"examples-{os.getpid()}.pickle"
    if not examples.exists():
        subprocess.run([sys.executable, __file__, "--inside", "--examples", str(examples)], check=True)
    results: dict[str, Any] = {}
    for name in options.format or names:
        result = {"runs": 0, "long": 0, "computed": 0.0, "failed": False}
        for long in (False, True):
            command = [sys.executable, __file__, "--inside", "--format", name, "--examples", str(examples)]
            seconds = max(1, options.seconds // 10)
            command += ["--seconds", str(seconds if long else options.seconds - seconds)]
            command += ["--found", str(options.found), *(["--long"] if long else [])]
            before = computed()
            with tempfile.TemporaryDirectory() as scratch:
                done = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    check=False,
                    env=os.environ | {"TMPDIR": scratch},
                )
            result["computed"] += round(computed() - before, 1)
            runs = re.findall(r"Done (\d+) ", done.stderr) or re.findall(
                r"^#(\d+)", done.stderr, re.MULTILINE
            )
            result["long" if long else "runs"] = int(runs[-1]) if runs else 0
            if done.returncode:
                result["failed"] = True
                log = options.found / f"{name}{'-long' if long else ''}.log"
                log.write_text(done.stderr, encoding="utf-8")
                print(f"          see {log}")
        results[name] = result
        print(
            f"{name:9} {result['runs']:>9,} inputs and {result['long']:>6,} long ones in {result['computed']:.0f} s"
            f" of computing  {'FAILED' if result['failed'] else 'fine'}",
            flush=True,
        )
    if options.examples is None:
        examples.unlink()
    engine = "atheris" if find_spec("atheris") else "hypothesis"
    print(json.dumps({"engine": engine, "seconds": options.seconds, "formats": results}))
    sys.exit(any(result["failed"] for result in results.values()))


if __name__ == "__main__":
    main()
