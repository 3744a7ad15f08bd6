"""Read the labelled pages: compressed JSON lines come in, pages with their gold records go out."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SCRIPT = re.compile(r"(?is)<script\b.*?</script>")  # structured data would give the ingredients away
LEAST_INGREDIENTS = 3


@dataclass(frozen=True, slots=True)
class Labelled:
    """One page and the records on it."""

    kind: str  # mixedlists, newslists or recipes
    site: str
    url: str
    html: str
    gold: tuple[tuple[str, ...], ...]  # per record its texts
    plain: bool = True  # False where the records are not plain siblings


def sources(folder: Path) -> list[Path]:
    """Return the files that are learned from."""
    return [folder / f"{kind}.jsonl.xz" for kind in ("mixedlists", "newslists", "recipes")]


def read_pages(folder: Path) -> list[Labelled]:
    """Return the pages of all sets; recipes come without scripts and count as pages about their ingredients."""
    pages = []
    for kind in ("mixedlists", "newslists"):
        for saved in _read(folder / f"{kind}.jsonl.xz"):
            gold = tuple(tuple(record["leaves"]) for record in saved["gold"])
            pages.append(_page(kind, saved, saved["html"], gold))
    for saved in _read(folder / "recipes.jsonl.xz"):
        ingredients = saved["gold"].get("ingredients") or []
        if len(ingredients) >= LEAST_INGREDIENTS:
            html = _SCRIPT.sub("", saved["html"])
            pages.append(_page("recipes", saved, html, tuple((text,) for text in ingredients)))
    return pages


def _page(kind: str, saved: dict, html: str, gold: tuple[tuple[str, ...], ...]) -> Labelled:
    return Labelled(kind, saved["site"], saved.get("url") or "", html, gold, saved.get("plain_siblings", True))


def _read(file: Path) -> Iterator[dict]:
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
