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
    WHATSAPP = "whatsapp", "WhatsApp, exported on Android or iOS: the zip, or its text"
    CHATGPT = "chatgpt", "ChatGPT, exported data: the zip, its folder, or conversations.json"
    CLAUDE = "claude", "Claude, exported data: the zip, its folder, or conversations.json"
    SLACK = "slack", "Slack, exported workspace: the zip, its folder, or a day's file"
    DISCORD = "discord", "Discord, as JSON of DiscordChatExporter, in one file or in parts"
    TELEGRAM = "telegram", "Telegram Desktop, exported as JSON: one chat, or all"
    WEBVTT = "webvtt", "captions of Zoom, Teams and Meet (.vtt)"
    SRT = "srt", "SubRip captions"
    WHISPER = "whisper", "JSON of Whisper, WhisperX and whisper.cpp"
    OTTER = "otter", "text of Otter: 'Name  0:21' above what was said"
    JSONL = "jsonl", "JSON messages with speaker and text, or role and content"
    CSV = "csv", "a table with columns for speaker, text and time"
    LOCOMO = "locomo", "LoCoMo benchmark: conversations of dated sessions"


class DateOrder(StrEnum):
    """How people say that dates of numbers are written."""

    DMY = "dmy"
    """4/3/2025 is 4 March"""
    MDY = "mdy"
    """4/3/2025 is April 3"""
    YMD = "ymd"
    """25/4/3 is 3 April 2025; 4/3/2025 is left out"""
