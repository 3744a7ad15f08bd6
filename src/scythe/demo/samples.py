"""Something to look at: the pages that were crawled come in, a story and a list of them go out."""

from __future__ import annotations

from collections.abc import Sequence

from scythe.demo.crawled import Visited
from scythe.demo.results import Sample
from scythe.demo.world import World

_RECORDS = 4
_LINES = 6


def choose_article(visited: Sequence[Visited], world: World) -> Sample:
    """Choose a story that was cut, to show some lines of it."""
    for visit in visited:
        plan = world.ledger.by_path.get(visit.path)
        if plan and visit.extracted and plan.kind == "news" and plan.language == "en" and visit.extracted.how == "cut":
            lines = visit.extracted.text.splitlines()[:_LINES]
            return Sample(visit.extracted.title, "\n".join(lines), world.base + visit.path)
    return Sample()


def choose_listing(visited: Sequence[Visited], world: World) -> Sample:
    """Choose a list page with records, to show some of them."""
    for visit in visited:
        if visit.path in world.ledger.lists and visit.extracted and visit.extracted.regions:
            region = visit.extracted.regions[0]
            shown = tuple(record.fields for record in region.records[:_RECORDS])
            return Sample(visit.extracted.title, "", world.base + visit.path, region.columns, shown)
    return Sample()
