#!/usr/bin/env python
"""Memory and time of reading a large ChatGPT export, which is made for it, and of ijson on the same file.

python scripts/bench_transcripts.py [--gigabytes 1] [--folder DIR] [--keep]

The export has conversations of 2 to 400 messages, each with the metadata that exports have, and one of 40 MB; it is one
line. Each way of reading runs in a process of its own, and its peak of resident memory is what the system counted. ijson is
measured only where it is installed; localmem does not need it. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_common import RESULTS, machine, write_result

WAYS = {
    "parse": """
from pathlib import Path
from localmem.transcripts import Conversation, Turn, read
turns = conversations = 0
for event in read(Path(path)):
    turns += isinstance(event, Turn)
    conversations += isinstance(event, Conversation)
found = {"turns": turns, "conversations": conversations}
""",
    "first reading of an ingest": """
from pathlib import Path
from localmem.recall.readings import first
from localmem.transcripts import read
survey = first(lambda: read(Path(path)))
found = {"turns": survey.turns, "conversations": len(survey.surveys)}
""",
    "elements only": """
from pathlib import Path
from localmem.transcripts.json_walk import elements
from localmem.transcripts.source import Source
with open(path, "rb") as stream:
    found = {"conversations": sum(1 for _ in elements(Source(stream, path), 64_000_000))}
""",
    "ijson, C backend": """
import ijson.backends.yajl2_c as ijson
with open(path, "rb") as stream:
    found = {"conversations": sum(1 for _ in ijson.items(stream, "item", use_float=True))}
""",
    "json.load": """
import json
with open(path, "rb") as stream:
    found = {"conversations": len(json.load(stream))}
""",
}
RUN = """
import json, resource, sys, time
path = sys.argv[1]
begun = time.perf_counter()
{code}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps(found | {{"seconds": round(time.perf_counter() - begun, 1), "peak_mb": peak}}))
"""

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]


def words(rng: random.Random, count: int) -> str:
    return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(count))


def conversation(rng: random.Random, number: int, messages: int, texts: list[str]) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    before = "root"
    for place in range(messages):
        id = f"{number:08x}-{place:04x}-4000-8000-{rng.getrandbits(48):012x}"
        message = {
            "id": id,
            "author": {"role": ("user", "assistant")[place % 2], "name": None, "metadata": {}},
            "create_time": 1.7e9 + 1000 * number + 20 * place + rng.random(),
            "update_time": None,
            "content": {"content_type": "text", "parts": [rng.choice(texts)]},
            "status": "finished_successfully",
            "end_turn": True,
            "weight": 1.0,
            "metadata": {"model_slug": "m", "finish_details": {"type": "stop", "stop_tokens": [1]}, "request_id": f"{rng.getrandbits(64):x}"},
            "recipient": "all",
            "channel": None,
        }  # fmt: skip
        mapping[before]["children"].append(id)
        mapping[id] = {"id": id, "message": message, "parent": before, "children": []}
        before = id
    id = f"{number:08x}-0000-4000-8000-{rng.getrandbits(48):012x}"
    return {
        "title": words(rng, 4),
        "create_time": 1.7e9,
        "mapping": mapping,
        "current_node": before,
        "id": id,
    }


def make(write: Callable[[bytes], object], size: int) -> int:
    """Write an export of about `size` bytes; gives its conversations."""
    rng = random.Random(7)
    texts = [words(rng, rng.randint(10, 400)) for _ in range(3000)]
    written = number = 0
    write(b"[")
    while written < size:
        messages = 15_000 if number == 50 else int(2 + 398 * rng.random() ** 4)
        data = json.dumps(conversation(rng, number, messages, texts), ensure_ascii=number % 2 == 0).encode()
        write((b", " if number else b"") + data)
        written += len(data)
        number += 1
    write(b"]")
    return number


def measure(path: Path, code: str) -> dict[str, Any] | None:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(code=code), str(path)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"not measured: {done.stderr.strip().splitlines()[-1][:100]}", file=sys.stderr)
        return None
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--keep", action="store_true", help="keep what was made")
    parser.add_argument("--whole", action="store_true", help="also read all at once, which needs much memory")
    options = parser.parse_args()
    file, packed = options.folder / "conversations.json", options.folder / "export.zip"
    if not file.exists():
        with file.open("wb") as out:
            make(out.write, int(options.gigabytes * 1e9))
    if not packed.exists():
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.write(file, "conversations.json")
    size = file.stat().st_size
    results: dict[str, Any] = {}
    for name, code in WAYS.items():
        if name == "json.load" and not options.whole:
            continue
        if found := measure(file, code):
            results[name] = found
    if found := measure(packed, WAYS["parse"]):
        results["parse, from the zip"] = found
    if not options.keep:
        file.unlink()
        packed.unlink()
    lines = [
        f"ChatGPT export of {size / 1e9:.2f} GB in one line.",
        "",
        "| what | peak MB | seconds | MB/s |",
        "|---|---|---|---|",
    ]
    for name, found in results.items():
        rate = size / 1e6 / max(found["seconds"], 0.1)
        lines.append(f"| {name} | {found['peak_mb']:,} | {found['seconds']:.1f} | {rate:.0f} |")
    write_result(RESULTS / "bench_transcripts.md", machine(), lines, {"bytes": size, "ways": results})


if __name__ == "__main__":
    main()
