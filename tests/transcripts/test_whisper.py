"""What recognisers of speech write."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from localmem.transcripts import Format, detect
from localmem.transcripts.source import SAMPLE

from .helpers import said, skipped, turns


def export(*segments: Any, **more: Any) -> str:
    return json.dumps({"text": "all of it", "segments": list(segments), "language": "en"} | more)


def segment(start: float, text: str, **more: Any) -> dict[str, Any]:
    return {"start": start, "end": start + 1.0, "text": text} | more


def test_segments_of_one_speaker_become_a_turn_with_its_place() -> None:
    content = export(segment(1.25, " I adopted"), segment(2.5, " a dog."), segment(60.0, " Rex."))
    assert said(content) == [("Unknown", "I adopted a dog."), ("Unknown", "Rex.")]
    assert [turn.source for turn in turns(content)] == [
        "00:00:01.250 (segment 1)",
        "00:01:00.000 (segment 3)",
    ]
    assert [turn.at for turn in turns(content)] == [None, None]


def test_speakers_of_whisperx_are_read_from_the_segment_or_its_words() -> None:
    words = [{"word": "Rex", "start": 2.5}, {"word": ".", "speaker": "SPEAKER_01"}]
    content = export(segment(1.0, "Name?", speaker="SPEAKER_00"), segment(2.5, "Rex.", words=words))
    assert said(content) == [("SPEAKER_00", "Name?"), ("SPEAKER_01", "Rex.")]


def test_what_the_recogniser_invented_is_skipped_with_the_reason() -> None:
    content = export(
        segment(0.0, "Thanks for watching!", no_speech_prob=0.8, avg_logprob=-1.4),
        segment(1.0, "Quiet but said.", no_speech_prob=0.8, avg_logprob=-0.2),
        segment(5.0, "you you you you", compression_ratio=9.5),
        segment(9.0, "Subtitles by", no_speech_prob=0.97),
    )
    assert said(content) == [("Unknown", "Quiet but said.")]
    assert [reason for _, reason in skipped(content)] == [
        "likely no speech (no_speech_prob 0.80)",
        "likely invented: the same over and over (compression_ratio 9.5)",
        "likely no speech (no_speech_prob 0.97)",
    ]


def test_a_date_in_the_name_of_the_file_makes_times() -> None:
    content = export(segment(90.0, "Hi"))
    assert turns(content, name="2025-03-04 18.30 sync.json")[0].at == datetime(2025, 3, 4)
    assert turns(content, name="GMT20250304-183000.json")[0].at.minute == 31  # type: ignore[union-attr]


def test_whisper_cpp_and_pipelines_are_read() -> None:
    cpp = {
        "transcription": [
            {"timestamps": {"from": "00:00:01,000"}, "offsets": {"from": 1000, "to": 2000}, "text": " Hi"}
        ]
    }
    chunks = {"text": "x", "chunks": [{"timestamp": [1.0, None], "text": " Hi"}]}
    for content in (json.dumps(cpp), json.dumps(chunks)):
        assert detect(content.encode(), "x")[0] is Format.WHISPER
        assert turns(content)[0].source == "00:00:01.000 (segment 1)"


def test_times_that_are_none_do_not_matter() -> None:
    odd = [
        {"start": None, "end": "x", "text": "a"},
        {"start": 1e999, "text": "b"},
        {"start": -5, "text": "c"},
        7,
    ]
    content = '{"segments": [{"start": 0, "end": 1, "text": "z"},' + json.dumps(odd)[1:] + "}"
    assert said(content)[0] == ("Unknown", "z a b c")
    assert skipped(content) == [("segment 5", "not a JSON object")]


def test_a_talk_whose_text_is_longer_than_the_sample_is_found() -> None:
    content = json.dumps({"text": "word " * SAMPLE, "segments": [segment(0.0, "word")]})
    assert detect(content[:SAMPLE].encode(), "x")[0] is Format.WHISPER
    assert said(content) == [("Unknown", "word")]
