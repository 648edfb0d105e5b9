#!/usr/bin/env python3
"""Download a model, verify it, run it, print what it says. Copy this into your own script.

python scripts/download_and_run.py smollm2-135m "Name three fruits."
python scripts/download_and_run.py hf:owner/repo/file.gguf "Name three fruits."
python scripts/download_and_run.py ./model.gguf "Name three fruits."
"""

from __future__ import annotations

import sys

from localmem.cli.models import progress
from localmem.errors import LocalmemError
from localmem.llm import load
from localmem.llm.protocol import Message, Prompt, Speaker
from localmem.models import FileStatus, locate, pull, resolve, verify


def main(name: str, text: str) -> None:
    model = pull(name, progress=progress()) if resolve(name).entry else locate(name)
    for check in verify(name):
        print(f"{check.name}: {check.status}", file=sys.stderr)
        if check.status is FileStatus.DAMAGED:
            raise SystemExit(1)
    prompt = Prompt(kind="script", messages=(Message(Speaker.USER, text),), fixed=0)
    with load(model.path, id=model.id, digest=model.digest or None) as engine:
        engine.generate(prompt, max_tokens=512, on_text=lambda piece: print(piece, end="", flush=True))
    print()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(f'usage: {sys.argv[0]} MODEL "prompt"')
    try:
        main(*sys.argv[1:])
    except LocalmemError as error:
        raise SystemExit(f"{error}\n{error.hint}") from None
