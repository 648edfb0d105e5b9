"""WhatsApp, "Export chat": the text of Android and of iOS, in the zip or out of it.

    20/01/19, 11:25 - Anna: I adopted a dog.
    1/20/19, 11:26 AM - Anna changed the group description
    [20/01/2019, 11:27:03] ~ Ben: What is its name?
    and how old is it?

The phone's language decides how the time is written: date with `/`, `.` or `-`, the year first or last, 24 hours
or halves of the day in any of a dozen languages, with invisible marks and narrow spaces between. A line without a time belongs to the message
before it; a line with a time and without a name is WhatsApp's own and is skipped, as are deleted messages and what
iOS writes in a sender's name. A picture or file stands in the text: "[attached: IMG-1.jpg]", "[image omitted]".

The order of day and month is decided over all messages, up to the first whose date can be read in one way only;
where none can, by the order that lets them rise (`times.order_of_dates`). The times have no zone: they are the phone's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

from localmem.formats import DateOrder
from localmem.transcripts.events import Event
from localmem.transcripts.source import Sample, Source
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean, clean_line
from localmem.transcripts.times import order_of_dates
from localmem.values import Skipped, Turn

MAX_HELD = 20_000
"""Messages that wait for a date that decides the order of day and month, ..."""
MAX_HELD_CHARACTERS = 4_000_000
"""... and characters."""

_HEAD = 90
"""Characters of a line that its time may take."""
_SNIFFED = 200
_LONGEST_NAME = 100
_LONGEST_OWN = 200
"""Characters of a line of WhatsApp's own in a sender's name."""

_AM = ("am", "上午", "凌晨", "清晨", "早上", "오전", "午前", "ص", "π.μ.", "sa", "öö", "de.", "pd")
_PM = ("pm", "下午", "中午", "晚上", "오후", "午後", "م", "μ.μ.", "ch", "ös", "du.", "md")
_HALF = "|".join(re.escape(half) for half in sorted((*_AM[1:], *_PM[1:]), key=len, reverse=True))
_DATE = (
    r"(?P<a>\d{1,4})(?:(?P<sep>[./-])\s?(?P<b>\d{1,2})(?P=sep)\s?(?P<c>\d{1,4})\.?"
    r"|[년年]\s?(?P<month>\d{1,2})[월月]\s?(?P<day>\d{1,2})[일日])"
)
_CLOCK = (
    rf"(?:(?P<before>{_HALF})\s?)?(?P<hour>\d{{1,2}})[:.](?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}}))?"
    rf"(?:\s?(?P<half>[ap]\.?\s?m\.?|{_HALF}))?"
)
_GAP = rf"(?:[,،]\s?|\s)(?:(?!{_HALF})[^\W\d_]{{1,4}}\.?\s)?"
"""Also " um ", " klo ", " à "."""
_ANDROID = re.compile(rf"{_DATE}{_GAP}{_CLOCK}(?:\s[-–]\s|(?<=\d),\s(?=[^:]{{1,60}}\s:\s))", re.IGNORECASE)
_IOS = re.compile(rf"\[{_DATE}{_GAP}{_CLOCK}\]\s?", re.IGNORECASE)
_SPACES = {ord(space): " " for space in "\u00a0\u2007\u2009\u202f\t"}
_UNMARKED = {ord(mark): None for mark in MARKS} | _SPACES
_NO_NAME = re.compile(r"[\"“”„«»]|\d:\d\d")
"""In a line of WhatsApp's own that has a colon: what it quotes, or a clock time."""

_MARK = "\u200e"
_OWN = re.compile(
    r"end-to-end encrypted|Ende-zu-Ende-verschl|cifrado de extremo|chiffrés de bout|criptografia de ponta"
)
_DELETED = re.compile(
    r"(?:This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht"
    r"|Se eliminó este mensaje|Eliminaste este mensaje|Ce message a été supprimé|Vous avez supprimé ce message"
    r"|Questo messaggio è stato eliminato|Hai eliminato questo messaggio|Mensagem apagada|Você apagou esta mensagem"
    r"|Esta mensagem foi apagada|Dit bericht is verwijderd|U hebt dit bericht verwijderd)(?: by admin .{1,80})?\.?"
)
_EDITED = re.compile(
    r"(?<!\s)\s*+(?:\u200e<[^<>:\n]{5,60}>|<(?:This message was edited|Diese Nachricht wurde bearbeitet"
    r"|Se editó este mensaje|Mensagem editada|Ce message a été modifié|Questo messaggio è stato modificato)\.?>)$"
)
_ATTACHED_IOS = re.compile(r"<[^<>:\n]{2,20}:\s?(?P<file>[^<>\n]{1,200})>")
_ATTACHED_ANDROID = re.compile(
    r"^(?P<file>[^\n/\\]{1,150}\.\w{2,5}) \((?:file attached|Datei angehängt|archivo adjunto|fichier joint"
    r"|arquivo anexado|file allegato|bestand bijgevoegd)\)$"
    r"|^(?P<camera>(?:IMG|VID|PTT|AUD|STK|DOC)-\d{8}-WA\d{4,6}\.\w{2,5}) \([^()\n]{3,40}\)$",
    re.MULTILINE,
)
_OMITTED = re.compile(r"<(?P<what>[^<>:\n]{3,40})>")
_OMITTED_IOS = re.compile(
    r"(?P<what>(?:[\w-]+ ){1,3}(?:omitted|weggelassen|omitid[oa]s?|omise?|omess[oa]|weggelaten|utelämnad\w*)"
    r"|.{1,200} (?:document|Dokument) (?:omitted|weggelassen))",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"(?:WhatsApp Chat (?:with|-)|WhatsApp-Chat (?:mit|met)|Chat de WhatsApp con|Conversa do WhatsApp com"
    r"|Discussion WhatsApp avec|Chat WhatsApp con)\s+(?P<title>.+)"
)
_GENERIC = "_chat"
"""What iOS calls every chat."""


def sniff(sample: Sample) -> str:
    """Whether the first line with text, or one of the next two, begins as messages do, and with a name."""
    lines = [line for line in sample.lines() if line.strip()][:_SNIFFED]
    heads = [_head(line) for line in lines]
    begun = [head for head in heads if head is not None]
    if not begun or not any(heads[:3]):
        return ""
    if not any(head.name for head in begun):
        return ""
    ios = [head for head in begun if head.ios]
    if len(ios) * 2 > len(begun) and not all(head.timed for head in ios) and _MARK not in sample.text:
        return ""  # [2025-03-04 18:32] is how many others write
    style = "iOS" if len(ios) * 2 > len(begun) else "Android"
    return f"{len(begun)} of {len(lines)} lines begin with the date and time of WhatsApp on {style}"


def parse(source: Source) -> Iterator[Event]:
    """Events of the messages. Raises TranscriptError when no line begins one."""
    parser = _Parser(source)
    yield source.conversation(source.names.name(_title(source)))
    for number, line in source.lines():
        yield from parser.line(number, line)
    yield from parser.finish()
    if not parser.begun:
        raise source.error(
            "no line begins like a message of WhatsApp",
            hint="They begin like: 20/01/19, 11:25 - Anna: Hello, or: [20/01/2019, 11:25:03] Anna: Hello",
        )


def _title(source: Source) -> str:
    """The name of the chat, as the file or its zip tells it."""
    name = source.name
    if name.startswith(_GENERIC):
        parent = PurePath(source.label).parent
        name = clean_line(parent.stem if parent.suffix.lower() == ".zip" else parent.name) or name
    found = _TITLE.match(name)
    return clean_line(found["title"]) if found else source.conversation(name).name


@dataclass(frozen=True, slots=True)
class _Head:
    """The beginning of a message."""

    date: tuple[int, int, int]
    """The numbers, in the order in which they stand."""
    sep: str
    clock: str
    """HH:MM:SS, or what stands there if it is no time."""
    ios: bool
    timed: bool
    """Whether it has a comma or seconds, as WhatsApp writes."""
    name: str
    """Empty: a line of WhatsApp's own."""
    text: str


def _head(line: str) -> _Head | None:
    """The beginning of a message that a line has."""
    start = line[:_HEAD]
    if not start.isascii():
        start = start.translate(_UNMARKED)
    first = start[:1]
    if first != "[" and not first.isdigit():
        return None
    ios = first == "["
    found = (_IOS if ios else _ANDROID).match(start)
    if found is None:
        return None
    # Invisible marks in the text tell what WhatsApp wrote itself, so the rest is cut from the line as it is.
    rest = _behind(line, found.end()) if len(start) != len(line[:_HEAD]) else line[found.end() :]
    date = found["month"] is not None
    numbers = (found["a"], found["month"], found["day"]) if date else found.group("a", "b", "c")
    name, colon, text = rest.partition(": ")
    if not colon and rest.endswith(":"):
        name, colon, text = rest[:-1], ":", ""
    name = clean_line(name.translate(_UNMARKED)).lstrip("~ ") if colon else ""
    if len(name) > _LONGEST_NAME or _NO_NAME.search(name):
        name = ""
    a, b, c = numbers
    timed = found["second"] is not None or "," in found.group() or "،" in found.group()
    return _Head(
        (int(a), int(b), int(c)), "-" if date else found["sep"], _clock(found), ios, timed, name, text
    )


def _behind(line: str, count: int) -> str:
    """What stands behind the first `count` characters of a line that are no marks."""
    for place, letter in enumerate(line):
        if letter in MARKS:
            continue
        if not count:
            # The marks before it belong to the text.
            while place and line[place - 1] in MARKS:
                place -= 1
            return line[place:]
        count -= 1
    return ""


def _clock(found: re.Match[str]) -> str:
    hour = int(found["hour"])
    half = (found["before"] or found["half"] or "").lower()
    if half:
        letters = half.replace(".", "").replace(" ", "")
        afternoon = letters == "pm" or half in _PM
        if 1 <= hour <= 12:
            hour = hour % 12 + (12 if afternoon else 0)
    return f"{hour:02}:{int(found['minute']):02}:{int(found['second'] or 0):02}"


@dataclass(slots=True)
class _Message:
    """A message whose lines are being read, or whose date waits for the order."""

    head: _Head
    where: str
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, line: str) -> None:
        self.size += len(line) + 1
        if self.size <= MAX_TEXT:
            self.lines.append(line)


class _Parser:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: _Message | None = None
        self._held: list[_Message | Skipped] = []
        self._held_size = 0
        self._dates: list[tuple[int, int, int]] = []
        """Of the messages held, where day and month are not clear from the writing."""
        self._decided = source.date_order is not None
        self._stray = False
        self.begun = 0

    def line(self, number: int, line: str | None) -> Iterator[Event]:
        """Events that a line completes."""
        if line is None:
            yield from self._put(Skipped(f"line {number}", TOO_LONG))
            return
        head = _head(line)
        if head is None:
            if self._open is not None:
                self._open.add(line)
            elif line.strip(MARKS + " ") and not self._stray:
                self._stray = True
                yield from self._put(Skipped(f"line {number}", "text before the first message"))
            return
        yield from self._close()
        self.begun += 1
        where = f"line {number}"
        message = _Message(head, where)
        message.add(head.text)
        self._open = message

    def finish(self) -> Iterator[Event]:
        """Events of what is open or waits."""
        yield from self._close()
        yield from self._release()

    def _close(self) -> Iterator[Event]:
        message, self._open = self._open, None
        if message is None:
            return
        if not message.head.name:
            yield from self._put(Skipped(message.where, "a line of WhatsApp's own, not a message"))
        else:
            yield from self._put(message)

    def _put(self, piece: _Message | Skipped) -> Iterator[Event]:
        if self._decided:
            yield from self._event(piece)
            return
        self._held.append(piece)
        if isinstance(piece, _Message):
            self._held_size += piece.size
            a, b, c = piece.head.date
            if _unclear(piece.head):
                self._dates.append((a, b, c))
        certain = isinstance(piece, _Message) and _unclear(piece.head) and (a > 12) != (b > 12)
        if certain or len(self._held) >= MAX_HELD or self._held_size > MAX_HELD_CHARACTERS:
            yield from self._release()

    def _release(self) -> Iterator[Event]:
        if not self._decided:
            self._decided = True
            self._source.set_order(order_of_dates(self._dates))
        held, self._held = self._held, []
        for piece in held:
            yield from self._event(piece)

    def _event(self, piece: _Message | Skipped) -> Iterator[Event]:
        if isinstance(piece, Skipped):
            yield piece
            return
        if piece.size > MAX_TEXT:
            yield Skipped(piece.where, TOO_LONG)
            return
        raw = "\n".join(piece.lines)
        said = _said(raw)
        if not said:
            yield Skipped(piece.where, _why(raw))
            return
        written = _written(piece.head, self._source.date_order)
        yield Turn(piece.head.name, said, self._source.time(written, piece.where), piece.where)


def _unclear(head: _Head) -> bool:
    """Whether the order of day and month does not follow from how the date is written."""
    return head.sep != "." and head.date[0] <= 31


def _written(head: _Head, order: DateOrder | None) -> str:
    """The time in a form that `times.parse_time` knows."""
    a, b, c = head.date
    if a > 31 or (order is DateOrder.YMD and c <= 31):
        return f"{_year(a):04}-{b:02}-{c:02} {head.clock}"
    if head.sep == ".":
        return f"{_year(c):04}-{b:02}-{a:02} {head.clock}"
    return f"{a}/{b}/{_year(c):04} {head.clock}"


def _year(number: int) -> int:
    return number + 2000 if number < 100 else number


def _said(raw: str) -> str:
    """The text of a message; empty when it has none, or WhatsApp's own."""
    raw = _EDITED.sub("", raw.strip())
    own = raw.startswith(_MARK)
    text = clean(raw.replace(_MARK, ""))
    if _DELETED.fullmatch(text) or _OWN.search(text[:300]):
        return ""
    if omitted := _OMITTED.fullmatch(text):
        return f"[{omitted['what']}]"
    if not own and _MARK not in raw:
        return _ATTACHED_ANDROID.sub(lambda match: f"[attached: {match['file'] or match['camera']}]", text)
    text = _ATTACHED_IOS.sub(lambda match: f"[attached: {match['file']}]", text)
    text = _ATTACHED_ANDROID.sub(lambda match: f"[attached: {match['file'] or match['camera']}]", text)
    if omitted := _OMITTED_IOS.fullmatch(text.rsplit("\n", 1)[-1]):
        return f"{text[: omitted.start() + len(text) - len(omitted.string)]}[{omitted['what']}]"
    # A poll has its options in lines of its own, and a place its address behind a colon; who pastes a mark writes more.
    told = not own or text.startswith("[") or "\n" in text or ": " in text[:40] or len(text) > _LONGEST_OWN
    return text if told else ""


def _why(raw: str) -> str:
    text = clean(raw.replace(_MARK, ""))
    if not text:
        return "empty text"
    if _DELETED.fullmatch(_EDITED.sub("", text)):
        return "a deleted message"
    return "a line of WhatsApp's own, not a message"
