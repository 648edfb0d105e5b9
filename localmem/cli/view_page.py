"""A view of a memory as one page of HTML that needs nothing else: no script, style or picture from anywhere.

All text comes from people and is escaped. The policy in the page lets the browser load nothing and run only the one
script that is in it, named by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING

from localmem.cli.output import one_line, printable, shortened, time_text

if TYPE_CHECKING:
    from localmem.recall.view import View
    from localmem.values import Thread, Unit

MARK = "<!-- localmem view -->"
"""In the first line of every page, by which a file is known as one that may be written over."""
WIDTH = 1100
LANE = 26
HEAD_CHARACTERS = 200

STYLE = """
:root { color-scheme: light dark; --line: #8886; --anchor: #1a7f5a; --bridge: #b0681c; --context: #5a6acf; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1140px; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
svg { width: 100%; height: auto; background: #8881; border-radius: 6px; }
svg text { font-size: 11px; fill: currentColor; }
.thread { fill: #8889; cursor: pointer; } .found { fill: var(--anchor); }
.lit { stroke: #e33; stroke-width: 2.5; }
.link { fill: none; stroke: var(--line); } .similar { stroke: var(--context); }
#told { min-height: 3em; padding: .5rem .8rem; border-left: 3px solid var(--line); }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: .25rem .5rem; }
tr.head td { padding-top: 1rem; font-style: italic; opacity: .8; }
.role { border-radius: 4px; color: #fff; padding: 0 .4em; font-size: .85em; }
.anchor { background: var(--anchor); } .bridge { background: var(--bridge); } .context { background: var(--context); }
.figures, .dim { opacity: .7; font-size: .85em; } td.said { white-space: pre-wrap; overflow-wrap: anywhere; }
"""
SCRIPT = """
"use strict";
const told = document.getElementById("told");
for (const mark of document.querySelectorAll("[data-thread]")) {
  const light = () => {
    for (const other of document.querySelectorAll(".lit")) other.classList.remove("lit");
    for (const other of document.querySelectorAll("[data-thread='" + mark.dataset.thread + "']")) other.classList.add("lit");
    const title = mark.querySelector("title");
    if (title) told.textContent = title.textContent;
  };
  mark.addEventListener("click", light);
  mark.addEventListener("focus", light);
}
"""


def page(view: View, name: str) -> str:
    """The whole page.

    Args:
        view: what it shows.
        name: of the memory.
    """
    turns = sum(transcript.turns for transcript in view.transcripts.values())
    counts = ((len(view.transcripts), "transcript"), (view.total_threads, "thread"), (turns, "turn"))
    facts = ", ".join(f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts)
    policy = f"default-src 'none'; style-src '{_hash(STYLE)}'; script-src '{_hash(SCRIPT)}'; base-uri 'none'; form-action 'none'"
    body = [
        f"<h1>{_text(name)}</h1>",
        f'<p class="dim">{facts}, drawn {datetime.now(UTC).date().isoformat()}</p>',
        *_workspace(view),
        "<h2>Threads in time</h2>",
        *_timeline(view),
        '<p id="told" class="dim" aria-live="polite">Choose a thread to see what it is about.</p>',
        "<h2>Links between threads</h2>",
        *_graph(view),
    ]
    return "\n".join(
        [
            f"<!doctype html>{MARK}",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{_text(name)} · localmem</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            *body,
            f"<script>{SCRIPT}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _text(text: str) -> str:
    """One line of what people typed, as text of the page."""
    return escape(one_line(text))


def _found(view: View) -> set[int]:
    return {thread.id for thread in view.workspace.threads} if view.workspace else set()


def _workspace(view: View) -> Iterable[str]:
    workspace = view.workspace
    if workspace is None:
        return
    wanted = ", ".join(f"{name} {share:.2f}" for name, share in workspace.demands.items())
    yield f"<h2>What was found for: {_text(workspace.query)}</h2>"
    yield f'<p class="figures">{len(workspace.units)} of {workspace.candidates} candidate turns, coverage'
    yield f"{workspace.coverage:.2f}; the question asks for {escape(wanted)}</p>"
    yield '<table id="workspace"><tbody>'
    for thread in workspace.threads:
        yield f'<tr class="head" data-thread="{thread.id}"><td colspan="4">{_text(thread.head)}</td></tr>'
        for unit in workspace.units:
            if unit.stored.thread == thread.id:
                yield _unit(unit)
    yield "</tbody></table>"
    if workspace.left_out:
        yield "<h3>Just left out</h3><ul>"
        for left in workspace.left_out:
            said = shortened(
                f"{one_line(left.unit.turn.speaker)}: {one_line(left.unit.turn.text)}", HEAD_CHARACTERS
            )
            yield f'<li>{escape(said)} <span class="figures">{_text(left.reason)}</span></li>'
        yield "</ul>"


def _unit(unit: Unit) -> str:
    turn = unit.turn
    said = escape(printable(shortened(turn.text, 2000)))
    figures = f"priority {unit.priority:.4f}, gain {unit.gain:.4f}"
    return (
        f'<tr><td><span class="role {unit.role}">{unit.role}</span></td>'
        f'<td class="dim">{escape(time_text(turn.at))}<br>{_text(turn.source)}</td>'
        f'<td class="said"><b>{_text(turn.speaker)}</b> {said}</td><td class="figures">{figures}</td></tr>'
    )


def _title(thread: Thread, view: View) -> str:
    transcript = view.transcripts.get(thread.transcript)
    name = one_line(transcript.name) if transcript else ""
    head = shortened(one_line(thread.head), HEAD_CHARACTERS)
    parts = (name, time_text(thread.started), f"{thread.turns} turn{'s' * (thread.turns != 1)}", head)
    return f"<title>{escape(' · '.join(part for part in parts if part))}</title>"


def _timeline(view: View) -> Iterable[str]:
    """A lane for each transcript, a mark for each thread."""
    if not view.threads:
        yield "<p>Nothing in this memory yet.</p>"
        return
    if len(view.threads) < view.total_threads:
        yield f'<p class="dim">The latest {len(view.threads):,} of {view.total_threads:,} threads.</p>'
    places = _places(view.threads)
    lanes = list(dict.fromkeys(thread.transcript for thread in view.threads))
    height = LANE * len(lanes) + 24
    found = _found(view)
    yield f'<svg id="timeline" role="img" aria-label="Threads in time" viewBox="0 0 {WIDTH} {height}">'
    for row, lane in enumerate(lanes):
        transcript = view.transcripts.get(lane)
        name = shortened(one_line(transcript.name), 40) if transcript else ""
        yield f'<text x="4" y="{LANE * row + 11}">{escape(name)}</text>'
    for thread in view.threads:
        x, y = places[thread.id], LANE * lanes.index(thread.transcript) + 13
        kind = "thread found" if thread.id in found else "thread"
        yield (
            f'<rect class="{kind}" tabindex="0" data-thread="{thread.id}" x="{x:.1f}" y="{y}" width="5" height="10">'
            f"{_title(thread, view)}</rect>"
        )
    timed = [thread.started for thread in view.threads if thread.started]
    if timed:
        yield f'<text x="4" y="{height - 4}">{escape(time_text(timed[0])[:10])}</text>'
        yield f'<text x="{WIDTH - 4}" y="{height - 4}" text-anchor="end">{escape(time_text(timed[-1])[:10])}</text>'
    yield "</svg>"


def _places(threads: Sequence[Thread]) -> dict[int, float]:
    """Where each thread stands from left to right: by time if all have one, else in order."""
    if all(thread.started for thread in threads):
        seconds = [_seconds(thread.started) for thread in threads if thread.started]
        first, last = min(seconds), max(seconds)
        if last > first:
            scale = (WIDTH - 15) / (last - first)
            return {t.id: 4 + (s - first) * scale for t, s in zip(threads, seconds, strict=True)}
    step = (WIDTH - 15) / max(1, len(threads) - 1)
    return {thread.id: 4 + place * step for place, thread in enumerate(threads)}


def _seconds(at: datetime) -> float:
    """On one clock; a naive time is taken as it stands."""
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _graph(view: View) -> Iterable[str]:
    """Threads along a line in order of time, links as arcs over it."""
    if not view.linked:
        yield "<p>No threads to link.</p>"
        return
    whose = "what was found and its neighbours" if view.workspace else "the latest threads"
    yield f'<p class="dim">{len(view.linked)} threads in order of time, {whose}; grey: one follows the other, blue: alike.</p>'
    step = (WIDTH - 30) / max(1, len(view.linked) - 1)
    place = {thread.id: 15 + row * step for row, thread in enumerate(view.linked)}
    reach = max((abs(place[link.a] - place[link.b]) for link in view.links), default=0.0)
    tall = min(260.0, reach / 2) + 14
    yield f'<svg id="graph" role="img" aria-label="Links between threads" viewBox="0 0 {WIDTH} {tall + 14:.0f}">'
    transcript = {thread.id: thread for thread in view.linked}
    for link in view.links:
        a, b = sorted((place[link.a], place[link.b]))
        up = min(260.0, (b - a) / 2)
        kind = "link" if _follow(transcript[link.a], transcript[link.b]) else "link similar"
        yield (
            f'<path class="{kind}" stroke-width="{0.5 + 1.5 * link.weight:.2f}"'
            f' d="M {a:.1f} {tall:.1f} A {(b - a) / 2:.1f} {up:.1f} 0 0 1 {b:.1f} {tall:.1f}"/>'
        )
    found = _found(view)
    for thread in view.linked:
        kind = "thread found" if thread.id in found else "thread"
        yield (
            f'<circle class="{kind}" tabindex="0" data-thread="{thread.id}" cx="{place[thread.id]:.1f}" cy="{tall:.1f}"'
            f' r="5">{_title(thread, view)}</circle>'
        )
    yield "</svg>"


def _follow(one: Thread, other: Thread) -> bool:
    first, second = sorted((one, other), key=lambda thread: thread.first)
    return one.transcript == other.transcript and first.last + 1 == second.first
