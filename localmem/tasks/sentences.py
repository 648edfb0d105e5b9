"""A text to sentences, each with the tag in front of it, and as somebody meant it who corrected himself."""

from __future__ import annotations

import re

from localmem.tasks.cues import folded

_TAG = re.compile(r"^\s*([^\W\d_][\w /&'-]{0,28}?)(?:\s*(?::|\s[-–—])\s+|\s?=\s?)(?=\S)")


_ABBREVIATION = re.compile(
    r"(?:\b(?:[ap]\.?\s?m|e\.g|i\.e|dr|mr|mrs|ms|prof|st|no|vs|approx|z\.b|bzw|ca|evtl|inkl|tel|str|nr|sr|sra|srta|dto|ej|av)|\b\w|\d)\.$",
    re.IGNORECASE,
)


_ORDINAL = re.compile(r"\b\d{1,2}\. (?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)\w*", re.IGNORECASE)


_TITLE = re.compile(r"\b(?:dr|mr|mrs|ms|prof|st|sr|sra|srta|hr|fr)\.$", re.IGNORECASE)


_GOES_ON = re.compile(r"(?:and|but|so|then|also|oh|und|aber|dann|y|pero|luego)\b", re.IGNORECASE)
"""What follows no abbreviation and no ordinal number."""


_BORDER = re.compile(r"(?<=[.!?…;])[\"”’')]*\s+|\s*(?:—|–|\s--?)\s+|(?<=[^\W\d_])—(?=[^\W\d_])|\n+")


_LONGEST_TAG = 3
"""Words of a tag, without those that lead to it."""
_LEADING = re.compile(
    r"^(?:on|in|at|for|für|auf|im|am|para|en)\s+(?:(?:the|my|our|den|die|das|dem|der|el|la|los|las)\s+)?",
    re.IGNORECASE,
)


_NOT_TAG = re.compile(
    r"\b(groups|parts|shifts|halves|teams|gruppen|teile|grupos|partes|split|add|buy|get|need|remove|delete|drop|change|move|keep|swap|replace|please|put|cancel|skip|i|we|you|it|that|them|needed|wanted|required|nötig|plan|plane|teil\w*|füg\w*|streich\w*|kauf\w*|brauch\w*|nimm|divid\w*|partimos|añade|quita|compra|necesit\w*)\b"
)


_BULLET = re.compile(r"(?:[-*•–—]|\d{1,2}[.)])\s+(?=\S)")


_CORRECTS = re.compile(
    r"\s*[,–—-]\s*(?:(?:no|nope|wait|sorry|that is|äh|ähm|nein|ach|perdón|digo|bueno)[, ]+)*(?:(?:i mean|i meant|or rather|make that|ich meine|vielmehr|quiero decir|digo)[, ]+|(?:sorry|no|nope|quatsch|nein|perdón),\s+)\s*(?=\S)",
    re.IGNORECASE,
)


_SAYS = re.compile(
    r"(?:\s(?:is|are|to|at|on|ist|sind|auf|um|es|son|a)(?=\s)|[:=])(?!.*(?:\s(?:is|are|to|at|on|ist|sind|auf|um|es|son|a)\s|[:=]))\s*",
    re.IGNORECASE,
)


TOPIC = re.compile(
    r"^(?:(?:and|but|also|now|then|so|oh|ok(?:ay)?|und|aber|dann|nun|jetzt|y|pero|ahora|luego)[, ]+)*"
    r"(?:(?:as for|as regards|regarding|concerning|with regard to|when it comes to|turning to|zum thema|bezüglich|hinsichtlich|"
    r"(?:en cuanto|(?:con )?respecto|por lo que respecta) a(?:l(?= ))?)\s+"
    r"(?:(?:the|my|our|your|den|die|das|dem|der|el|la|los|las|mi|nuestr[oa])\s+)?(?P<topic>[^,:;.?!]{2,40}?)"
    r"|was\s+(?:(?:den|die|das|unser\w*|mein\w*)\s+)?(?P<thema>[^,:;.?!]{2,40}?)\s+(?:betrifft|angeht|anbelangt))"
    r"\s*(?P<mark>[:,])\s+(?=\S)",
    re.IGNORECASE,
)
"""What announces a subject: "as for the fair, ...", "was das Fest betrifft: ..."; its name is `topic`, or `thema`."""


_ABOUT = {
    "de": re.compile(r"\b(?:thema|bezüglich|hinsichtlich)\b", re.IGNORECASE),
    "es": re.compile(r"\b(?:cuanto|respecto|respecta)\b", re.IGNORECASE),
}
"""Words that announce a subject, by language; what has none of them is English."""


def lines_of(text: str) -> list[str]:
    """Lines of a text with single spaces; the items of a list stand behind the line that leads to them."""
    rows: list[str] = []
    listing = False
    for line in (" ".join(line.split()) for line in text.splitlines()):
        if not line:
            continue
        bare = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
        short = listing and len(bare.split()) <= 4 and not bare.endswith((".", "!", "?", ":"))
        if rows and (bare != line or short):
            rows[-1] += f" {bare}" if rows[-1].endswith((":", ",", ";")) else f", {bare}"
            continue
        rows.append(bare)
        listing = bare.endswith(":")
    return rows


def colon(row: str) -> str:
    """A line whose tag has a dash behind it, with a colon there; "as for the fair: ..." is "for fair: ..."."""
    topic = TOPIC.match(row)
    if topic is not None and (topic["thema"] or topic["mark"] == ":"):
        row = f"{_leading(topic)} {topic['topic'] or topic['thema']}: {row[topic.end() :]}"
    tag, rest = _tag(row)
    return f"{tag}: {rest}" if tag and row[len(tag) :].lstrip()[:1] in "-–—" else row


def _leading(topic: re.Match[str]) -> str:
    """What leads to a tag, in the language in which a subject is announced."""
    if topic["thema"] or _ABOUT["de"].search(topic.group()):
        return "für"
    return "para" if _ABOUT["es"].search(topic.group()) else "for"


def stretches(text: str) -> list[tuple[str, str]]:
    """Stretches with the tag in front of each: "salary: 900, start: 1 May" has two."""
    tag, rest = _tag(text)
    if not tag:
        return [("", text)]
    found: list[tuple[str, str]] = []
    begun = 0
    for place in _NEXT_TAG.finditer(rest):
        following, behind = _tag(rest[place.end() :])
        if following:
            found.append((tag, rest[begun : place.start()]))
            tag, begun = following, len(rest) - len(behind)
    return [*found, (tag, rest[begun:])]


_NEXT_TAG = re.compile(r"[,;.]\s+(?=[^\W\d_][^,;.:]{0,28}:\s)")


def _tag(text: str) -> tuple[str, str]:
    match = _TAG.match(text)
    if (
        match is None
        or len(_LEADING.sub("", match[1]).split()) > _LONGEST_TAG
        or text[match.end(1) :].startswith("://")
    ):
        return "", text
    tag = match[1].strip()
    if _NOT_TAG.search(folded(tag)):
        return "", text
    return tag, text[match.end() :]


def sentences(text: str) -> list[str]:
    """Sentences, and what stands between dashes."""
    pieces = [""]
    end = 0
    for border in _BORDER.finditer(text):
        piece = text[end : border.start()]
        pieces[-1] += piece
        end = border.end()
        begun = pieces[-1]
        ends_sentence = begun.endswith(".") and text[border.start() :][:1] != "—"
        if ends_sentence and (_TITLE.search(begun) or _ORDINAL.search(begun + " " + text[end : end + 12])):
            pieces[-1] += border.group()
            continue
        if (
            ends_sentence
            and _ABBREVIATION.search(begun)
            and not text[end : end + 1].isupper()
            and not _GOES_ON.match(text[end:])
        ):
            pieces[-1] += border.group()
            continue
        pieces.append("")
    pieces[-1] += text[end:]
    return [piece.strip() for piece in pieces if re.search(r"\w", piece)]


def corrected(text: str) -> str:
    """A sentence in which somebody corrects himself, as he meant it: "at two, sorry, I mean three" is "at three"."""
    match = _CORRECTS.search(text)
    if match is None or len(text[: match.start()].split()) < 2:
        return text
    before, after = text[: match.start()], text[match.end() :]
    says = _SAYS.search(before)
    return f"{before[: says.end()]}{after}" if says and len(after.split()) <= 6 else text
