#!/usr/bin/env python3
"""Download a model, verify it, run it, print what it says. Copy this into your own script.

.venv/bin/python scripts/download_and_run.py smollm2-135m "Name three fruits."
.venv/bin/python scripts/download_and_run.py hf:owner/repo/file.gguf "Name three fruits."
.venv/bin/python scripts/download_and_run.py ./model.gguf "Name three fruits."
"""

from __future__ import annotations

import sys

try:
    from localmem.cli.models import progress
    from localmem.errors import LocalmemError
    from localmem.llm import load
    from localmem.llm.protocol import Message, Prompt, Speaker
    from localmem.models import FileStatus, Kind, locate, pull, resolve, verify
except ModuleNotFoundError as missing:
    raise SystemExit(
        f"There is no {missing.name} for this Python: use the one that it was installed for, .venv/bin/python."
    ) from None

USAGE = f'usage: {sys.argv[0]} MODEL "prompt"'


def main(name: str, text: str) -> None:
    if resolve(name).entry:
        pull(name, progress=progress())
    model = locate(name, kind=Kind.LANGUAGE)
    for check in verify(name):
        print(f"{check.name}: {check.status}", file=sys.stderr)
        if check.status is FileStatus.DAMAGED:
            raise SystemExit(1)
    prompt = Prompt(kind="script", messages=(Message(Speaker.USER, text),), fixed=0)
    with load(model.path, id=model.id, digest=model.digest or None) as engine:
        engine.generate(prompt, max_tokens=512, on_text=lambda piece: print(piece, end="", flush=True))
    print()


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(f"{USAGE}\n\n{__doc__}")
        raise SystemExit
    if len(sys.argv) != 3:
        raise SystemExit(USAGE)
    try:
        main(*sys.argv[1:])
    except LocalmemError as error:
        raise SystemExit(f"{error}\n{error.hint}") from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
