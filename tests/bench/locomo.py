"""A small file in LoCoMo's form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from localmem.bench.questions import Talk, load


def sample(name: str = "conv-1") -> dict[str, Any]:
    said = [
        ("Ann", "The ferry to Ullapool leaves at nine on Friday."),
        ("Bob", "Good. Dilip bought the green Saab from his uncle."),
        ("Ann", "Bring a coat, it is cold on the water."),
        ("Bob", "My sister paints birds, mostly herons."),
        ("Ann", "She showed me one in the kitchen."),
        ("Bob", "We had soup and bread for supper."),
    ]
    turns = [
        {"speaker": speaker, "dia_id": f"D1:{n}", "text": text} for n, (speaker, text) in enumerate(said, 1)
    ]
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "6:32 pm on 4 March, 2025",
            "session_1": turns,
        },
        "qa": [
            {"question": "Who bought the green Saab?", "answer": "Dilip", "evidence": ["D1:2"], "category": 4},
            {"question": "What does the sister paint?", "answer": "herons, birds", "evidence": ["D1:4; D1:5"], "category": 1},
            {"question": "When does the ferry leave?", "answer": "Friday", "evidence": ["D1:1"], "category": 2},
            {"question": "What is the whale called?", "adversarial_answer": "Moby", "evidence": ["D1:3"], "category": 5},
        ],
    }  # fmt: skip


def write(folder: Path, *names: str) -> Path:
    file = folder / "locomo.json"
    file.write_text(json.dumps([sample(name) for name in names or ("conv-1",)]), encoding="utf-8")
    return file


def talks(folder: Path, *names: str) -> list[Talk]:
    return load(write(folder, *names))
