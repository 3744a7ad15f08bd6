"""Merge the labels of several people: majority, conflicts and agreement.

If a page changed between two people, each version keeps its labels, and images are matched by URL.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import LabelledPage, PageImages

_COMPARED = 20  # people compared with each other
_OFFERED = 16  # addresses by which an image is known again

_Version = tuple[str, tuple[str, ...]]  # a page and its images
_Use = tuple[str, int]  # an address, and how many images above have it too


@dataclass(frozen=True, slots=True)
class Conflict:
    """One image that people do not agree on."""

    page: str
    image: str  # its address
    relevant_by: tuple[str, ...]
    irrelevant_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people agree on the images that both marked."""

    first: str
    second: str
    images: int
    agreed: float  # share
    kappa: float | None  # Cohen's, which allows for chance; None where both saw only one kind, so that it says nothing


class Merged(NamedTuple):
    """What came of adding labels to those known."""

    labelled: tuple[LabelledPage, ...]
    conflicts: tuple[Conflict, ...]
    replaced: tuple[tuple[str, str], ...]  # (page, person) whose earlier marks were replaced


def merge_labelled(old: Sequence[LabelledPage], new: Sequence[LabelledPage]) -> Merged:
    """Add new marks to old ones; what a person said of a page before is replaced by what the same person says now.

    Raises BadInput beyond the limits of a profile.
    """
    kept: dict[_Version, LabelledPage] = {}
    replaced: list[tuple[str, str]] = []
    now = {(page_key(each.page), marks.by): marks for each in new for marks in each.marks}
    for each in old:
        key = page_key(each.page)
        gone = [marks for marks in each.marks if (key, marks.by) in now]
        replaced += [(key, marks.by) for marks in gone if marks != now[key, marks.by]]
        _add(kept, replace(each, marks=tuple(marks for marks in each.marks if marks not in gone)))
    for each in new:
        replaced += [(page_key(each.page), by) for by in _add(kept, each)]
    labelled = tuple(each for each in kept.values() if each.marks)
    if len(labelled) > LIMITS.labelled_pages:
        raise BadInput(f"{len(labelled)} labelled pages are more than a profile holds ({LIMITS.labelled_pages})")
    return Merged(labelled, find_conflicts(labelled), tuple(dict.fromkeys(replaced)))


def _add(kept: dict[_Version, LabelledPage], each: LabelledPage) -> list[str]:
    """Add the marks of one version of a page and return who said something else of it before.

    A version with the same images is the same one, and its newest copy stays.
    """
    version = (page_key(each.page), tuple(image.src for image in each.page.images))
    before = kept.pop(version, None)
    old = {one.by: one for one in before.marks} if before is not None else {}
    marks = old | {one.by: one for one in each.marks}
    if len(marks) > LIMITS.annotators:
        raise BadInput(f"{page_key(each.page)}: more than {LIMITS.annotators} people marked this page")
    kept[version] = replace(each, marks=tuple(marks.values()))
    return [by for by, one in old.items() if marks[by] != one]


def page_key(page: PageImages) -> str:
    """Return what tells one page from another: its address or, where it has none, its title and its images."""
    if page.url:
        return page.url
    images = "\n".join(image.src for image in page.images)
    return f"{page.title[:80]} ({hashlib.sha256(images.encode('utf-8', 'replace')).hexdigest()[:12]})"


def agreed_marks(labelled: LabelledPage) -> dict[int, bool]:
    """Return what most people say of each image marked, by number; of a tie nothing."""
    votes: Counter[int] = Counter()
    for marks in labelled.marks:
        votes.update(marks.relevant)
        votes.subtract(marks.irrelevant)
    return {row: count > 0 for row, count in sorted(votes.items()) if count}


def find_conflicts(labelled: Sequence[LabelledPage]) -> tuple[Conflict, ...]:
    """Return the images that somebody calls relevant and somebody else does not, in the order of the pages."""
    found = []
    for page, image, said in _verdicts(labelled):
        relevant = tuple(by for by, verdict in said.items() if verdict)
        irrelevant = tuple(by for by, verdict in said.items() if not verdict)
        if relevant and irrelevant:
            found.append(Conflict(page, image, relevant, irrelevant))
    return tuple(found)


def agree(labelled: Sequence[LabelledPage]) -> tuple[Agreement, ...]:
    """Return how far each two people agree; of very many people, those who marked most."""
    marked: Counter[str] = Counter()
    for each in labelled:
        for marks in each.marks:
            marked[marks.by] += len(marks.relevant) + len(marks.irrelevant)
    people = {by for by, _ in marked.most_common(_COMPARED)}
    tables: dict[tuple[str, str], Counter[tuple[bool, bool]]] = {}
    for _, _, said in _verdicts(labelled):
        for one, other in combinations(sorted(said.keys() & people), 2):
            tables.setdefault((one, other), Counter())[said[one], said[other]] += 1
    return tuple(_agreement(*pair, table) for pair, table in sorted(tables.items()))


def _agreement(first: str, second: str, table: Counter[tuple[bool, bool]]) -> Agreement:
    count = table.total()
    agreed = (table[True, True] + table[False, False]) / count
    one = (table[True, True] + table[True, False]) / count
    other = (table[True, True] + table[False, True]) / count
    chance = one * other + (1 - one) * (1 - other)
    return Agreement(first, second, count, agreed, (agreed - chance) / (1 - chance) if chance < 1 else None)


def _verdicts(labelled: Sequence[LabelledPage]) -> Iterator[tuple[str, str, dict[str, bool]]]:
    """Yield page, address and what each person says, of every image marked; versions of a page are taken together."""
    pages: dict[str, list[LabelledPage]] = {}
    for each in labelled:
        pages.setdefault(page_key(each.page), []).append(each)
    for key, versions in pages.items():
        known: dict[_Use, _Use] = {}
        said: dict[_Use, dict[str, bool]] = {}
        for each in reversed(versions):
            uses = _recognise(each.page, known)
            said |= {use: {} for use in uses if use not in said}  # in page order
            for marks in each.marks:
                for verdict, rows in ((True, marks.relevant), (False, marks.irrelevant)):
                    for row in rows:
                        said[uses[row]][marks.by] = verdict
        yield from ((key, use[0], verdicts) for use, verdicts in said.items() if verdicts)


def _recognise(page: PageImages, known: dict[_Use, _Use]) -> list[_Use]:
    """Return what each image of a version is called, the same as in a version seen before where it is the same."""
    shown: Counter[str] = Counter()
    uses: dict[_Use, list[_Use]] = {}  # what an image is called -> all its names
    for image in page.images:
        names = [(address, shown[image.src]) for address in dict.fromkeys((image.src, *image.addresses[:_OFFERED]))]
        use = next((known[name] for name in names if name in known and known[name] not in uses), names[0])
        uses[use] = names
        shown[image.src] += 1
    known.update((name, use) for use, names in uses.items() for name in names if name not in known)
    return list(uses)
