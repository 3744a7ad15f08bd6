"""Propose literals that begin records: the opening tags of records on several pages come in, rules to try go out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from scythe.learn.literals import DELIMITERS, common_prefix, name_of, shorter_prefixes, stable_prefix, steady_prefix
from scythe.page.source import is_bare

LITERALS = 8  # that may begin a record
_TAG_BYTES = 400  # of a literal
_INNER = re.compile(rb"(?<=>)\s*<[A-Za-z][A-Za-z0-9]*")
_NO_FRAGMENT = frozenset("html head body frameset frame col colgroup caption option plaintext".split())

Tags = Mapping[str, Sequence[bytes]]  # opening tags by their labels


def propose_heads(tags: Tags, *, one_page: bool) -> Iterator[tuple[bytes, ...]]:
    """Yield literals that the first tags of records may begin with: one for all, the most telling first, then several.

    One is better: of several, the next page may have one more. What only one page shows may be its own.
    """
    every = [tag for own in tags.values() for tag in own]
    names = {name_of(tag) for tag in every}
    if not every or any(name[1:].decode("latin-1").lower() in _NO_FRAGMENT for name in names):
        return
    proposed: dict[tuple[bytes, ...], None] = {}
    if len(names) == 1:
        whole = _shared(every, one_page)
        for literal in (whole, _up_to_words(every), *shorter_prefixes(whole)):
            if literal:
                proposed[(literal,)] = None
    for several in ({_shared(own, one_page) for own in tags.values()}, {steady_prefix(tag) for tag in every}):
        if len(several) <= LITERALS:
            proposed[without_longer(several)] = None
    proposed[tuple(sorted(names))] = None
    yield from proposed


def extend_heads(sources: Sequence[bytes]) -> bytes:
    """Return what all records begin with up to the name of an element inside, such as `<tr><td`, or nothing.

    It tells rows of a table from those of its head, where their own tags are the same.
    """
    prefix = common_prefix([source[:_TAG_BYTES] for source in sources]) if sources else b""
    found = [name for name in _INNER.finditer(prefix) if name.end() < len(prefix)]
    return prefix[: found[-1].end()] if found else b""


def propose_members(tags: Tags) -> tuple[bytes, ...]:
    """Return what the tags of the further elements of records begin with."""
    literals = {stable_prefix(own) for own in tags.values()}
    return without_longer(literals if len(literals) <= LITERALS else {name_of(literal) for literal in literals})


def is_general(literals: Sequence[bytes]) -> bool:
    """Say whether one literal begins all records and says more than the name of their tag."""
    return len(literals) == 1 and b"=" in literals[0]


def without_longer(literals: set[bytes]) -> tuple[bytes, ...]:
    """Leave out what begins with another of the literals."""
    ordered = sorted(literals)
    return tuple(one for one in ordered if not any(one != other and one.startswith(other) for other in ordered))


def group_tags(pairs: Sequence[tuple[str, bytes]]) -> dict[str, list[bytes]]:
    """Gather tags by their labels."""
    grouped: dict[str, list[bytes]] = defaultdict(list)
    for label, tag in pairs:
        grouped[label].append(tag)
    return dict(grouped)


def _shared(tags: Sequence[bytes], one_page: bool) -> bytes:
    literal = stable_prefix(tags)
    return steady_prefix(literal) if one_page else literal


def _up_to_words(tags: Sequence[bytes]) -> bytes:
    """Return what all tags begin with, if a word ends there in each: `<li class="item` of `item"` and `item last"`."""
    prefix = common_prefix(tags)[:_TAG_BYTES]
    if is_bare(prefix) or prefix[-1:] in (b"=", b'"', b"'", b" "):
        return b""
    return prefix if all(tag[len(prefix) : len(prefix) + 1] in _ENDS for tag in tags) else b""


_ENDS = frozenset(DELIMITERS[i : i + 1] for i in range(len(DELIMITERS))) | {b"", b"\t", b"\n", b"\r"}
