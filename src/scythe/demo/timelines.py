"""Charts over time: steps of a crawl or the visits of a watch come in, inline SVG with its axis as text goes out.

Lines keep their width and words their size on every screen: drawings are stretched, what is written stands below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from statistics import fmean

from scythe.demo.growing import Watched
from scythe.demo.healing import WINDOW
from scythe.demo.steps import Step
from scythe.demo.wording import stamp
from scythe.watched import DAY_S

_WIDE, _HIGH = 1_000, 200
_TOP, _BOTTOM = 30, 170  # lanes of what was published and what was seen
_LABELS = 8  # below a drawing
_FREE = 0.2  # of its width: for the first label, on a telephone


def draw_shares(steps: Sequence[Step]) -> str:
    """Draw how much of the last ten pages was cut, page by page; a line where the design changed."""
    shares = [step.share for step in steps]
    means = [fmean(shares[max(0, at - WINDOW + 1) : at + 1]) for at in range(len(shares))]
    last = max(len(steps) - 1, 1)
    points = " ".join(f"{_WIDE * at / last:.1f},{_HIGH * (1 - mean):.1f}" for at, mean in enumerate(means))
    changed = next((at for at, step in enumerate(steps) if step.design == 1), None)
    marks = "" if changed is None else _upright("mark", _WIDE * changed / last)
    grid = "".join(f'<path class="grid" d="M0 {_HIGH * part}H{_WIDE}"/>' for part in (0, 0.5, 1))
    said = f"between {min(means):.0%} and {max(means):.0%}" if means else "nothing"
    if changed is not None:
        said += f", {min(means[changed:]):.0%} at the least after the redesign and {means[-1]:.0%} at the end"
    labels = [(0.0, "page 1"), (1.0, f"{len(steps)}")]
    labels += [] if changed is None else [(changed / last, f"{changed}: redesign")]
    line = f'<polyline class="line" points="{points}"/>'
    return _figure("Share of the fields that were cut, of the last ten pages", said, grid + line + marks, labels)


def draw_watch(watched: Watched) -> str:
    """Draw when each record was published and when it was seen, with the visits."""
    long_s = max(watched.end - watched.begin, 1.0)

    def across(at: float) -> float:
        return _WIDE * min(max((at - watched.begin) / long_s, 0.0), 1.0)

    visits = "".join(_upright("visit", across(look.at)) for look in watched.looks)
    ways = "".join(
        f'<path class="way" d="M{across(each.published):.1f} {_TOP}L{across(each.seen):.1f} {_BOTTOM}"/>'
        for each in watched.sightings
    )
    dots = "".join(_dot("tree", across(at), _TOP) for at in watched.published)
    dots += "".join(_dot("cut", across(each.seen), _BOTTOM) for each in watched.sightings)
    redesign = "" if watched.redesigned_at is None else _upright("mark", across(watched.redesigned_at))
    said = (
        f"{len(watched.published)} records published from {stamp(watched.begin)} to {stamp(watched.end)}, "
        f"{len(watched.looks)} visits, {len(watched.sightings)} records seen"
    )
    days = range(int(watched.begin // DAY_S) + 1, int(watched.end // DAY_S) + 1)
    every = max(1, -(-len(days) // _LABELS))
    places = [(across(day * DAY_S) / _WIDE, stamp(day * DAY_S).partition(" ")[0]) for day in days[::every]]
    labels = [(0.0, stamp(watched.begin)), *(label for label in places if label[0] > _FREE)]
    return _figure(
        "Records from when they were published to when they were seen", said, visits + ways + redesign + dots, labels
    )


def _upright(kind: str, x: float) -> str:
    return f'<path class="{kind}" d="M{x:.1f} 0V{_HIGH}"/>'


def _dot(kind: str, x: float, y: float) -> str:
    # A line without length and with round ends is a dot that stays round in a drawing that is stretched.
    return f'<path class="dot {kind}" d="M{x:.1f} {y}h0"/>'


def _figure(title: str, said: str, inside: str, labels: Iterable[tuple[float, str]]) -> str:
    """Put a drawing and the words of its axis together; labels have their place, 0 is left and 1 is right."""
    axis = "".join(_label(place, text) for place, text in labels)
    return (
        f'<div class=chart><svg viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(title)}: {escape(said)}">{inside}</svg>'
        f"<p class=axis aria-hidden=true>{axis}</p></div>"
    )


def _label(place: float, text: str) -> str:
    side = "start" if place < 0.1 else "end" if place > 0.9 else "middle"
    return f'<span class="{side}" style="left:{100 * place:.1f}%">{escape(text)}</span>'
