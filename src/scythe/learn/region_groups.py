"""Recognise a region again: regions that reading found on several pages come in, groups that are the same one go out.

They are told by what their records are called and, where a page has several of that name, by what is around them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scythe.learn.columns import Shown
from scythe.learn.lifted import lift, lift_out
from scythe.page.entry_labels import label_of
from scythe.page.source import Source, tag_end


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A region as reading found it on one page, tied to the page's source."""

    page: int
    holder: int  # offset of the opening tag of the element around all records; -1 where the source has none
    tops: tuple[tuple[int, ...], ...]  # per record the offsets of the opening tags of its elements, siblings
    score: float  # 0..1, how sure reading is that it is what the page is about
    kind: str
    shown: Shown

    @property
    def is_tied(self) -> bool:
        """Whether every record has elements of its own, and these stand in the source."""
        return bool(self.tops) and all(tops and min(tops) >= 0 for tops in self.tops)


@dataclass(frozen=True, slots=True)
class Group:
    """What seems to be the same region on several pages."""

    seen: tuple[Seen, ...]

    @property
    def pages(self) -> list[int]:
        """Pages that have it."""
        return sorted({one.page for one in self.seen})

    def runs(self, page: int) -> set[tuple[int, int]]:
        """Return where the records of a page begin and where their last elements do."""
        return {(tops[0], tops[-1]) for one in self.seen if one.page == page for tops in one.tops}


def group_seen(sources: Sequence[Source], seen: Sequence[Seen]) -> Iterator[Group]:
    """Yield the regions that are the same on several pages: first by records, then by what is around them."""
    for alike in _bucket(seen, lambda one: _short(records_label(sources[one.page], one))):
        if _once_a_page(alike):
            yield Group(tuple(alike))
            continue
        for closer in _bucket(alike, lambda one: records_label(sources[one.page], one)):
            parts = _bucket(closer, lambda one: _holder_label(sources[one.page], one.holder))
            apart = len(parts) > 1 and all(map(_once_a_page, parts))
            yield from (Group(tuple(own)) for own in (parts if apart else [closer]))


def _bucket(seen: Iterable[Seen], key: Callable[[Seen], str]) -> list[list[Seen]]:
    buckets: dict[str, list[Seen]] = defaultdict(list)
    for one in seen:
        buckets[key(one)].append(one)
    return list(buckets.values())


def _once_a_page(seen: Sequence[Seen]) -> bool:
    return len({one.page for one in seen}) == len(seen)


def _short(label: str) -> str:
    return ".".join(label.split(".")[:2])


def records_label(source: Source, one: Seen) -> str:
    return Counter(label_at(source, tops[0]) for tops in one.tops).most_common(1)[0][0]


def label_at(source: Source, offset: int) -> str:
    opening = source.at(offset)
    return label_of(opening.name, opening.node.attributes.get("class") or "") if opening is not None else ""


def _holder_label(source: Source, offset: int) -> str:
    """Return what the element around records is called; unlike records, it may have a name of its own."""
    opening = source.at(offset)
    return f"{label_at(source, offset)}#{opening.node.attributes.get('id') or ''}" if opening is not None else ""


def settle_level(one: Seen) -> Seen:
    """Return a region by its outermost elements: on which of several that hold the same reading settles is chance."""
    found = lift_out(one.shown) if one.is_tied else None
    return replace(one, tops=found[0], shown=found[1]) if found is not None else one


def lift_group(group: Group) -> Iterator[Group]:
    """Yield the same records one or more elements further out or in, where all of them have such."""
    levels: dict[int, list[Seen]] = defaultdict(list)
    for one in group.seen:
        for level, tops, shown in lift(one.shown):
            levels[level].append(replace(one, tops=tops, shown=shown))
    yield from (Group(tuple(seen)) for seen in levels.values() if len(seen) == len(group.seen))


def tag_at(source: Source, offset: int) -> bytes:
    return source.body[offset : tag_end(source.body, offset)] if offset >= 0 else b""
