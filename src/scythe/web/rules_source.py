"""Show where parts of a page lie in its source: bytes and byte ranges come in, numbered lines with marks go out.

Of a long source only what is near the edges of the parts is shown; the rest is asked for piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scythe.extracting.trace import Place, line_of

_AROUND = 240  # bytes shown before and behind a part
_INSIDE = 600  # bytes of a part shown from its start, and up to its end
_SNAP = 200  # bytes that an edge is moved at most to be at a line or a tag
_JOIN = 400  # bytes between two windows that are shown rather than left out
MOST_BYTES = 24_000  # shown at once when more is asked for

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SourcePiece:
    """Some text of one line, and the places that it is part of, the outermost first."""

    text: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line, or what is shown of it."""

    number: int
    pieces: tuple[SourcePiece, ...]


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A stretch of the source: shown, or left out."""

    start: int  # bytes
    end: int
    first_line: int
    last_line: int
    lines: tuple[SourceLine, ...]  # () where it is left out


def show_windows(body: bytes, encoding: str, places: Sequence[Place]) -> list[SourcePart]:
    """Return the whole source as parts, of which those around the edges of places are shown."""
    parts: list[SourcePart] = []
    here, line = 0, 1
    for start, end in _windows(body, encoding, places):
        if start > here:
            parts.append(_left_out(body, here, start, line))
            line += body.count(b"\n", here, start)
        parts.append(show_part(body, encoding, places, start, end, line))
        line += body.count(b"\n", start, end)
        here = end
    if here < len(body):
        parts.append(_left_out(body, here, len(body), line))
    return parts


def show_more(body: bytes, encoding: str, places: Sequence[Place], start: int, end: int) -> list[SourcePart]:
    """Return a stretch that was left out: what may be shown at once, then what is still left."""
    end = min(end, len(body))
    stop = end if end - start <= MOST_BYTES else _snap_end(body, encoding, start + MOST_BYTES, end)
    line = line_of(body, start)
    parts = [show_part(body, encoding, places, start, stop, line)]
    if stop < end:
        parts.append(_left_out(body, stop, end, line + body.count(b"\n", start, stop)))
    return parts


def show_part(body: bytes, encoding: str, places: Sequence[Place], start: int, end: int, line: int) -> SourcePart:
    """Return a stretch line by line."""
    lines: list[SourceLine] = []
    pieces: list[SourcePiece] = []
    number = line
    spans = [(number, span) for number, place in enumerate(places) for span in place.parts or (place.span,)]
    spans = [(number, span) for number, span in spans if span[0] < end and span[1] > start]
    # the longest first: it is the outermost; of two that are the same, a field is looked for rather than its images
    spans.sort(key=lambda one: (one[1][0] - one[1][1], -one[0]))
    for first, last in _segments(body, start, end, spans):
        inside = tuple(place for place, span in spans if span[0] <= first and last <= span[1])
        pieces.append(SourcePiece(body[first:last].decode(encoding, "replace"), inside))
        if body[last - 1] == 0x0A or last == end:
            lines.append(SourceLine(number, tuple(pieces)))
            pieces = []
            number += 1
    return SourcePart(start, end, line, line + body.count(b"\n", start, end), tuple(lines))


def _segments(body: bytes, start: int, end: int, spans: Sequence[tuple[int, Span]]) -> Iterator[Span]:
    """Yield the stretches between ends of lines and edges of places."""
    edges = {edge for _, span in spans for edge in span if start < edge < end}
    here = body.find(b"\n", start, end)
    while here >= 0:
        edges.add(here + 1)
        here = body.find(b"\n", here + 1, end)
    last = start
    for edge in sorted(edges | {end}):
        yield last, edge
        last = edge


def _windows(body: bytes, encoding: str, places: Sequence[Place]) -> list[Span]:
    wanted: list[Span] = []
    for place in places:
        start, end = place.span
        if end - start <= 2 * _INSIDE:
            wanted.append((start - _AROUND, end + _AROUND))
        else:
            wanted += [(start - _AROUND, start + _INSIDE), (end - _INSIDE, end + _AROUND)]
    joined: list[Span] = []
    for start, end in sorted(wanted):
        first, last = _snap_start(body, encoding, max(start, 0)), _snap_end(body, encoding, end, len(body))
        if joined and first <= joined[-1][1] + _JOIN:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined


def _snap_start(body: bytes, encoding: str, at: int) -> int:
    """Move an edge back to where a line, a tag or at least a character begins."""
    if at <= _SNAP:
        return 0
    line = body.rfind(b"\n", at - _SNAP, at)
    if line >= 0:
        return line + 1
    tag = body.rfind(b"<", at - _SNAP, at + 1)
    return tag if tag >= 0 else _to_character(body, encoding, at)


def _snap_end(body: bytes, encoding: str, at: int, most: int) -> int:
    """Move an edge forth to where a line or a tag begins, or back to where a character does."""
    if at + _SNAP >= most:
        return most
    line = body.find(b"\n", at, at + _SNAP)
    if line >= 0:
        return line + 1
    tag = body.find(b"<", at, at + _SNAP)
    return tag if tag >= 0 else _to_character(body, encoding, at)


def _to_character(body: bytes, encoding: str, at: int) -> int:
    for _ in range(3 if encoding == "utf-8" else 0):
        if 0 < at < len(body) and body[at] & 0xC0 == 0x80:
            at -= 1
    return at


def _left_out(body: bytes, start: int, end: int, line: int) -> SourcePart:
    return SourcePart(start, end, line, line + body.count(b"\n", start, end), ())
