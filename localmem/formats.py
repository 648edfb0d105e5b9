"""The kinds of transcript files, for whoever names them; `transcripts/formats.py` says how each is read."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """A kind of transcript file, with what help and documentation say of it."""

    description: str

    def __new__(cls, value: str, description: str) -> Format:
        """A member; its description is one line."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    PLAIN = "plain", "'Name: text', with or without a time before it, or dated headings"
    WHATSAPP = "whatsapp", "WhatsApp, Export chat of Android or iOS: the zip, or the text in it"
    CHATGPT = "chatgpt", "ChatGPT, Export data: the zip, or its conversations.json"
    CLAUDE = "claude", "Claude, Export data: the zip, or its conversations.json"
    SLACK = "slack", "Slack, workspace export: the zip, its folder, or one day of a channel"
    DISCORD = "discord", "Discord, by DiscordChatExporter as JSON"
    TELEGRAM = "telegram", "Telegram Desktop, Export chat history as JSON: result.json of one chat or of all"
    WEBVTT = "webvtt", "WebVTT captions of Zoom, Teams and Meet"
    SRT = "srt", "SubRip captions"
    WHISPER = "whisper", "JSON of Whisper, WhisperX and whisper.cpp"
    OTTER = "otter", "text of Otter: 'Name  0:21' above what was said"
    JSONL = (
        "jsonl",
        "JSON messages (role or speaker, content or text): one a line, a list, or under 'messages'",
    )
    CSV = "csv", "a table with a heading: speaker, text and, if known, timestamp"
    LOCOMO = "locomo", "LoCoMo benchmark: conversations of numbered, dated sessions"


class DateOrder(StrEnum):
    """How people say that dates of numbers are written."""

    DMY = "dmy"
    """4/3/2025 is 4 March"""
    MDY = "mdy"
    """4/3/2025 is April 3"""
    YMD = "ymd"
    """25/4/3 is 3 April 2025; 4/3/2025 is left out"""
