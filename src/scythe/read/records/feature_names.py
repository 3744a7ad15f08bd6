"""Name the numbers that describe a possible region, in the order in which they stand in a row."""

from __future__ import annotations

from functools import lru_cache

from scythe.read.records.traits import ABOVE_TAGS, TAG_TRAITS
from scythe.read.records.words import roles

RECORD_TAGS, HOLDER_TAGS = (
    {tag: number for number, tag in enumerate(tags.split())}
    for tags in (
        "li tr div article a p dt td section span h1 h2 h3 h4 dl table ul",
        "ul ol tbody table dl div section main article body p form",
    )
)
SAID = frozenset("related comment tags category share ingredient step nutrition note recipe article product".split())
SHARES = ("link", "heading", "hidden", "bold", "score")
MARKS = ("digit", "date", "price", "sentence", "short", "long", "quantity", "measure", "repeated", "colon")

_SIZES = ("chars", "leaves", "words")
_SPREADS = ("spread", "least", "most")
_TEXTS = "records|chars|chars share|chars total|leaves|leaves share|leaf chars|comma".split("|")
_LINKED = "linked records|unlinked records|headed records|score of page|score against page".split("|")
_PLACE = (
    "first leaf|last leaf|chars before|chars after|gaps|held|holder share|holder depth|record depth|parents|contiguous"
    "|heading distance"
).split("|")
_LIKE = ("tags", "classes", "texts", "first texts", "heads")
_SIZE = "rivals|size rank|of largest|of most records".split("|")
_RIVALRY = (
    "column of|column of share|full column of|full column of share|finer than|finer than share|cells of|cells of times"
    "|nested in|nested in share|spans around|spans inside|columns|full columns|full columns share|lists inside"
    "|lists inside share|finer ones|cells|cells times|a rival"
).split("|")
_PARTS = "part of|part of times|part of uniform|parts|parts share|part of share|part of next".split("|")


@lru_cache(maxsize=1)
def feature_names() -> tuple[str, ...]:
    """Return the names of all columns."""
    named = roles()
    names = [*_TEXTS, *(f"{size} {spread}" for spread in _SPREADS for size in _SIZES)]
    names += [f"{name} share" for name in SHARES]
    names += [f"{name} leaves" for name in MARKS] + [f"{name} records" for name in MARKS]
    names += [*_LINKED, *_PLACE, *(f"heading says {role}" for role in named if role in SAID)]
    names += [f"{name} each" for name in TAG_TRAITS] + [f"{name} records" for name in TAG_TRAITS]
    names += ["tags apart", "rows", *(f"rows {spread}" for spread in _SPREADS), "targets"]
    names += [f"{place} {role}" for place in ("records are", "records have", "holder is", "above is") for role in named]
    names += ["furniture above", "furniture near", *(f"inside {tag}" for tag in ABOVE_TAGS)]
    names += [f"record tag {tag}" for tag in RECORD_TAGS] + [f"holder tag {tag}" for tag in HOLDER_TAGS]
    names += [f"{name} {what}" for name in _LIKE for what in ("kinds", "usual")]
    return (*names, *_SIZE, *_RIVALRY, *_PARTS)


@lru_cache(maxsize=1)
def feature_columns() -> dict[str, int]:
    """Return at which column each name stands."""
    return {name: column for column, name in enumerate(feature_names())}
