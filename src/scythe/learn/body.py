"""Learn the way to the main text: pages with their chosen blocks come in, ways with what they leave out go out.

A way is only given when its text agrees with what reading the pages gave; otherwise a reason is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from scythe.learn.agreement import agree
from scythe.learn.boilerplate import Boilerplate, fold
from scythe.learn.containers import Container, Part, offset_of, part_of, propose_containers
from scythe.learn.drops import Choice, Chooser, trim
from scythe.learn.markers import learn_way
from scythe.learn.sample import Sample
from scythe.page.blocks import Blocks
from scythe.page.clean_text import render_text
from scythe.page.follow import follow
from scythe.page.grid import find_grid
from scythe.rules import FLOW, Way

LEAST_PAGES = 2  # with text; of one page nothing can be told apart from its site
# A way must agree with the reading about as well as the reading itself expects to be right: of an article it is sure,
# of lists and products it is not, and there a rule of many pages is the better reader.
_SLACK, _SLACK_WORST = 2.0, 6.0  # disagreement allowed, in units of what the reading is not sure of
_MEAN = (0.75, 0.98)  # bounds of the agreement asked for
_LOWEST = (0.3, 0.9)  # of the worst page
_UNSEEN = 0.01  # what agreement may fall by on pages held back: what is learned of five pages is not all there is
_FEW_WORDS = 20  # a page with fewer is no witness
_FINALISTS = 3  # candidates that are tried to the end
_DROP_COST = 0.0005  # of F1: fewer rules hold longer
_WAYS = 3
_LINES = 40
_LINE_CHARS = 300

Cleaner = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Body:
    """Ways to the main text, and how well they agree with the reading; without ways, why."""

    ways: tuple[Way, ...] = ()
    lines: tuple[str, ...] = ()  # folded, that stand inside but are no content
    agreement: float = 0.0
    why: str = ""


def learn_body(samples: Sequence[Sample], clean: Cleaner = str) -> Body:
    """Find the element that holds the text on all pages. `clean` is applied to its text before it is compared."""
    parts = [part_of(sample, sample.chosen) for sample in samples]
    left = [part for part in parts if part.wanted >= _FEW_WORDS]
    if len(left) < LEAST_PAGES:
        return Body(why=f"text on {len(left)} of {len(samples)} pages: learning needs {LEAST_PAGES}")
    ways: list[Way] = []
    lines: dict[str, None] = {}
    scores: list[float] = []
    why = "no element holds the text on most pages"
    while len(left) >= LEAST_PAGES and len(ways) < _WAYS:
        found = _learn_one(left, clean)
        if found.way is None:
            why = found.why
            break
        ways.append(found.way)
        lines.update(dict.fromkeys(found.lines))
        scores.extend(found.agreement[number] for number in found.served)
        left = [part for number, part in enumerate(left) if number not in found.served]
    if not ways:
        return Body(why=why)
    return Body(tuple(ways), tuple(lines), fmean(scores))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One way and the pages that it serves, by number, with their agreement."""

    way: Way | None
    lines: tuple[str, ...] = ()
    served: frozenset[int] = frozenset()
    agreement: tuple[float, ...] = ()
    why: str = ""


def _learn_one(parts: Sequence[Part], clean: Cleaner) -> _Attempt:
    drafts = []
    for container in propose_containers(parts):
        own = [(part, box) for part, box in zip(parts, container.boxes, strict=True) if box is not None]
        choice = Chooser([part for part, _ in own], [box for _, box in own]).choose()
        share = len(own) / len(parts)
        drafts.append((choice.expected * share - _DROP_COST * len(choice.drops), container, choice))
    drafts.sort(key=lambda draft: -draft[0])
    best, best_rank = _Attempt(None, why="no element holds the text on most pages"), 0.0
    for worth, container, choice in drafts[:_FINALISTS]:
        attempt = _attempt(parts, container, choice, clean)
        rank = worth + fmean(trim(attempt.agreement)) if attempt.way is not None else -1.0
        if best.way is None or rank > best_rank:
            best, best_rank = attempt, rank
    return best


def _attempt(parts: Sequence[Part], container: Container, choice: Choice, clean: Cleaner) -> _Attempt:
    asked = _asked(parts)
    if choice.expected < asked.mean - _UNSEEN:
        why = f"the element's text would agree with the reading by {choice.expected:.2f}, asked for is {asked.mean:.2f}"
        return _Attempt(None, why=why)
    targets = [None if box is None else offset_of(p.blocks, box) for p, box in zip(parts, container.boxes, strict=True)]
    sources = [part.sample.source for part in parts]
    way = learn_way(sources, targets, FLOW, drops=choice.drops, skip_lines=_exact_lines(parts, choice.lines))
    if way is None:
        return _Attempt(None, why="no rules lead to the element that holds the text")
    known = Boilerplate(choice.lines)
    agreement = []
    served = set()
    for number, part in enumerate(parts):
        values = follow(part.sample.source, way).values
        agreement.append(agree(clean(known.clean(values[0])), clean(kept_text(part))) if values else 0.0)
        if values:
            served.add(number)
    return _judge(_Attempt(way, choice.lines, frozenset(served), tuple(agreement)), asked)


def _judge(attempt: _Attempt, asked: _Asked) -> _Attempt:
    scores = trim([attempt.agreement[number] for number in attempt.served])
    if len(scores) < LEAST_PAGES:
        return _Attempt(None, why="rules lead to the text on too few pages")
    if fmean(scores) < asked.mean or scores[0] < asked.lowest:
        why = f"the element's text agrees with the reading by {fmean(scores):.2f}, at worst {scores[0]:.2f}"
        return _Attempt(None, why=f"{why}; asked for is {asked.mean:.2f} and {asked.lowest:.2f}")
    return attempt


class _Asked(NamedTuple):
    """How well a way must agree with the reading: in the mean, and on the worst page."""

    mean: float
    lowest: float


def _asked(parts: Sequence[Part]) -> _Asked:
    unsure = 1.0 - fmean(part.sample.sure for part in parts)
    return _Asked(_within(1.0 - _SLACK * unsure, _MEAN), _within(1.0 - _SLACK_WORST * unsure, _LOWEST))


def _within(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])


def kept_text(part: Part) -> str:
    """Return the chosen blocks of a page as text."""
    blocks: Blocks = part.blocks
    return render_text(blocks, sorted(part.chosen), find_grid(blocks))


def _exact_lines(parts: Sequence[Part], lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines as they are written, those that are the same on every page."""
    wanted = {line for line in lines if not line.startswith(("^", "...")) and "#" not in line and "@" not in line}
    counts: Counter[str] = Counter()
    for part in parts:
        found = (text for text in part.blocks.text if len(text) <= _LINE_CHARS and fold(text) in wanted)
        counts.update(dict.fromkeys(found, 1))  # in page order, which decides between lines on as many pages
    return tuple(text for text, pages in counts.most_common(_LINES) if pages > 1)
