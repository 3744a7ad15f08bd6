"""Name what a region is: its features and score come in, one of a few words goes out."""

from __future__ import annotations

from collections.abc import Callable

from scythe.read.records.feature_names import feature_columns
from scythe.read.records.ranges import Floats

Get = Callable[[str], float]
Rules = tuple[tuple[str, Callable[[Get], bool]], ...]
MENUS = frozenset(("menu", "breadcrumb", "pager", "tags", "share", "footer", "related"))  # not what a page is about
SURE = 0.35  # score from which a region is content whatever its names say


def name_kinds(rows: Floats, scores: Floats) -> list[str]:
    """Return the kind of each row of features."""
    return [_kind(_getter(row), _CONTENT if score >= SURE else _ALL) for row, score in zip(rows, scores, strict=True)]


def _getter(row: Floats) -> Get:
    at, item = feature_columns(), row.item  # a kind needs few of the numbers of a row
    return lambda name: item(at[name])


def _kind(get: Get, rules: Rules) -> str:
    """Return the first kind whose signs are there."""
    for kind, holds in rules:
        if holds(get):
            return kind
    return "menu" if _is_linked(get) and get("chars") <= 25 else "list"


def _named(get: Get, role: str, *, above: bool = True) -> bool:
    """Say whether the names of records, holder or what is above them speak of a role."""
    near = get(f"records are {role}") >= 0.5 or get(f"holder is {role}") > 0
    return near or (above and get(f"above is {role}") > 0)


def _is_linked(get: Get) -> bool:
    return get("link share") >= 0.7 and get("chars") <= 60


def _is_related(get: Get) -> bool:
    return _named(get, "related") or get("heading says related") > 0


def _is_signed(get: Get) -> bool:
    """Say whether records are what people wrote in a thread."""
    return _named(get, "thread") and get("records have author") >= 0.5 and get("long records") >= 0.3


_FURNITURE: Rules = (
    ("breadcrumb", lambda get: _named(get, "breadcrumb") and get("chars") <= 80),
    ("pager", lambda get: _named(get, "pager") and get("chars") <= 40),
    ("share", lambda get: _named(get, "share") and get("chars") <= 60 and get("records") <= 20),
    ("tags", lambda get: _named(get, "tags") and _is_linked(get) and get("chars") <= 40),
    ("footer", lambda get: (get("inside footer") > 0 or _named(get, "footer")) and get("chars") <= 250),
    ("menu", lambda get: (get("inside nav") > 0 or _named(get, "menu")) and get("link share") >= 0.5),
    ("menu", lambda get: get("inside header") > 0 and _is_linked(get)),
    ("related", lambda get: get("linked records") >= 0.5 and _is_related(get)),
)
_CONTENT: Rules = (
    ("table", lambda get: get("record tag tr") > 0),
    ("definitions", lambda get: get("record tag dt") > 0 or get("holder tag dl") > 0),
    ("posts", lambda get: _named(get, "comment") or _is_signed(get)),
    ("products", lambda get: get("price records") >= 0.5 or _named(get, "product", above=False)),
    ("results", lambda get: _named(get, "result") and get("a records") >= 0.5),
    ("gallery", lambda get: get("img records") >= 0.8 and get("chars") <= 30),
    ("articles", lambda get: _named(get, "article", above=False) and get("a records") >= 0.5 and get("chars") >= 40),
    ("articles", lambda get: get("headed records") >= 0.5 and get("a records") >= 0.5 and get("chars") >= 40),
)
_ALL: Rules = (*_FURNITURE, *_CONTENT)
