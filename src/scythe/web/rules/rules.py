"""Show what was learned of a site: its layouts and rules, and what they extract from loaded pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Any

from msgspec import Meta

from scythe.site.describe_rules import LayoutTold
from scythe.site.site import Site
from scythe.web.learned_sites import choose_site
from scythe.web.operations import Operation, RequestInput, View
from scythe.web.rules.rules_page import (
    COLD,
    CUT,
    MISSING,
    TREE,
    FieldMeasured,
    Followed,
    MeasuredSites,
    PageExplained,
    PageMeasured,
    SourcePart,
    explain_page,
    is_followed,
    show_more,
)
from scythe.web.state import PROFILE, BackgroundJob, JobView, NotNow, NotThere, PageAtHand, State, see

_BUDGET_S = 0.6  # for following pages in one request; who asks again gets further
_LEAST = 2  # pages to learn from

SiteKey = Annotated[str, Meta(max_length=300, description="A key of GET /api/sites; empty: the first.")]
PageNumber = Annotated[int, Meta(ge=0, le=10**9, description="A number of GET /api/pages.")]
Offset = Annotated[int, Meta(ge=0, le=10**9, description="In bytes.")]


class RulesWanted(RequestInput, frozen=True):
    """A site."""

    site: SiteKey = ""


class RulesViewWanted(RequestInput, frozen=True):
    """A site, one of its layouts, and a page at hand."""

    site: SiteKey = ""
    layout: Annotated[str, Meta(max_length=300)] = ""
    page: PageNumber = 0  # 0: one of the layout's


class PageWanted(RequestInput, frozen=True):
    """A page at hand."""

    page: PageNumber


class SourceWanted(RequestInput, frozen=True):
    """A stretch of the source of a page at hand."""

    page: PageNumber
    start: Offset
    end: Offset


class LearnWanted(RequestInput, frozen=True):
    """A site to learn from its pages at hand."""

    site: Annotated[str, Meta(max_length=300)] = PROFILE


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How one field was got on the pages at hand."""

    name: str
    cut: int  # pages
    tree: int
    cold: int
    missing: int
    differs: int  # pages on which the tree gives something else
    cut_us: float | None  # microseconds for one cut, the median
    chars: tuple[int, int] | None  # the shortest and the longest


@dataclass(frozen=True, slots=True)
class LayoutView:
    """One layout, and how it fares on the pages at hand."""

    rules: LayoutTold
    at_hand: int  # pages that it fits
    fields: tuple[Outcomes, ...]
    differs: int  # pages with a field of which the tree gives something else


@dataclass(frozen=True, slots=True)
class RulesView:
    """What was learned of a site, and how it fares on the pages at hand."""

    site: str
    is_learned: bool
    learned: str  # when, ISO 8601
    layouts: tuple[LayoutView, ...]
    pages: int  # at hand
    left: int  # of them that are still to be followed: ask again
    large: int  # of them that are too large to be followed
    unknown: int  # of them that no layout fits
    measured: tuple[PageMeasured, ...]  # those with differences first


def list_rules(state: State, wanted: RulesWanted) -> RulesView:
    """Return what was learned of a site, each rule in words, and how it fares on the pages at hand."""
    key = choose_site(state, wanted.site)
    followed = state.part(MeasuredSites).find(key)
    pages = state.pages(key)
    if followed is None:
        return RulesView(key, False, "", (), len(pages), 0, 0, 0, ())
    measured, left = followed.measure(pages, _BUDGET_S)
    return RulesView(
        site=key,
        is_learned=True,
        learned=followed.profile.learned,
        layouts=tuple(_see_layout(layout, measured) for layout in followed.layouts),
        pages=len(pages),
        left=left,
        large=len(pages) - len(measured) - left,
        unknown=sum(not page.layout for page in measured),
        measured=tuple(sorted(measured, key=lambda page: (not page.differing, page.page))),
    )


def explain_at_hand(state: State, wanted: PageWanted) -> PageExplained:
    """Return what the rules make of a page at hand: where each field was cut and what every rule says."""
    at_hand, followed = _find(state, wanted.page)
    return explain_page(at_hand, followed.trace(at_hand))


def read_source_part(state: State, wanted: SourceWanted) -> list[SourcePart]:
    """Return a stretch of the source of a page at hand, line by line, with what was cut marked."""
    at_hand, followed = _find(state, wanted.page)
    if not wanted.start < wanted.end <= len(at_hand.body):
        raise NotThere(f"the page has {len(at_hand.body)} bytes")
    found = followed.trace(at_hand)
    return show_more(at_hand.body, found.trace.encoding, found.places, wanted.start, wanted.end)


def learn_site(state: State, wanted: LearnWanted) -> JobView:
    """Learn a site from its pages at hand and save what was learned; labels of images are kept."""
    key = choose_site(state, wanted.site)
    pages = state.pages(key)
    if len(pages) < _LEAST:
        raise NotNow(f"there are {len(pages)} pages of {key} at hand: take some first")
    if key == PROFILE and state.options.profile is None:
        raise NotNow("there is no file to save to: start again with --profile FILE")
    before = state.load_site(key)
    if before is not None and before.profile.named:
        named = ", ".join(before.profile.named)
        raise NotNow(f"someone showed by example what {named} is: teach it again where fields are picked")
    title = f"Learn from {len(pages)} pages"
    return see(state.jobs.start("learn", title, lambda job: _learn(state, key, pages, before, job), most=1))


def _learn(state: State, key: str, pages: Sequence[PageAtHand], before: Site | None, job: BackgroundJob) -> str:
    job.step(0, None, f"{len(pages)} pages")
    given = [(page.url, page.body) for page in pages]
    site = Site.learn(given)
    if before is not None and before.profile.images.labelled:
        images = before.profile.images
        site.annotate(images.labelled, given, method=images.method)
    return state.save_site(key, site)


def show_rules(state: State, wanted: RulesViewWanted) -> dict[str, Any]:
    """Return what the page of rules shows."""
    key = choose_site(state, wanted.site)
    seen = list_rules(state, RulesWanted(site=key))
    chosen = _choose_page(seen, wanted)
    name = wanted.layout or (chosen.layout if chosen is not None else "")
    layout = next((one for one in seen.layouts if one.rules.name == name), seen.layouts[0] if seen.layouts else None)
    explained = explain_at_hand(state, PageWanted(page=chosen.page)) if chosen is not None else None
    return {
        "sites": state.site_keys(),
        "key": key,
        "seen": seen,
        "layout": layout,
        "pages": sorted(
            seen.measured, key=lambda one: (not one.differing, one.layout != name, -one.count(TREE), one.page)
        ),
        "colours": _colours(layout, explained),
        "votes": {field.name: field.ways for field in explained.fields} if explained is not None else {},
        "page": explained,
        "take": {"site": key, "next": f"/rules?site={key}"},
    }


def _choose_page(seen: RulesView, wanted: RulesViewWanted) -> PageMeasured | None:
    """Return the page that was asked for, or the first of the layout, those with differences before others."""
    if wanted.page:
        chosen = next((page for page in seen.measured if page.page == wanted.page), None)
        if chosen is None and not seen.left:
            raise NotThere(f"there is no page {wanted.page} of this site at hand")
        return chosen
    if wanted.layout and all(one.rules.name != wanted.layout for one in seen.layouts):
        raise NotThere(f"there is no layout {wanted.layout!r:.80}")
    if not wanted.layout and seen.measured and seen.measured[0].differing:
        return seen.measured[0]
    name = wanted.layout or next((one.rules.name for one in seen.layouts if one.at_hand), "")
    return next((page for page in seen.measured if page.layout == name), None)


def _colours(layout: LayoutView | None, page: PageExplained | None) -> dict[str, int]:
    """Return the colour of each field: that of its place on the page shown, where it has one."""
    places = {place.name: place.colour for place in page.places} if page is not None else {}
    return {field.name: places[field.name] for field in (layout.fields if layout else ()) if field.name in places}


def _find(state: State, number: int) -> tuple[PageAtHand, Followed]:
    at_hand = state.page(number)
    if at_hand is None:
        raise NotThere(f"there is no page {number}")
    if not is_followed(at_hand):
        raise NotNow(f"page {number} is too large to be followed: {len(at_hand.body)} bytes")
    followed = state.part(MeasuredSites).find(at_hand.site)
    if followed is None:
        raise NotNow(f"nothing was learned of {at_hand.site!r:.80} yet")
    return at_hand, followed


def _see_layout(told: LayoutTold, measured: Sequence[PageMeasured]) -> LayoutView:
    own = [page for page in measured if page.layout == told.name]
    by_name: dict[str, list[FieldMeasured]] = {field.name: [] for field in told.fields}
    for page in own:
        for field in page.fields:
            if field.name in by_name:
                by_name[field.name].append(field)
    fields = tuple(_see_outcomes(name, found) for name, found in by_name.items())
    return LayoutView(told, len(own), fields, sum(bool(page.differing) for page in own))


def _see_outcomes(name: str, found: Sequence[FieldMeasured]) -> Outcomes:
    counts = Counter(field.outcome for field in found)
    times = [field.cut_us for field in found if field.cut_us is not None]
    chars = [field.chars for field in found if field.chars]
    return Outcomes(
        name=name,
        cut=counts[CUT],
        tree=counts[TREE],
        cold=counts[COLD],
        missing=counts[MISSING],
        differs=sum(field.differs for field in found),
        cut_us=median(times) if times else None,
        chars=(min(chars), max(chars)) if chars else None,
    )


OPERATIONS = (
    Operation("GET", "/api/rules", list_rules, RulesWanted, RulesView, "What was learned of a site.", "rules"),
    Operation("GET", "/api/rules/page", explain_at_hand, PageWanted, PageExplained, "What rules make of a page."),
    Operation("GET", "/api/rules/source", read_source_part, SourceWanted, list[SourcePart], "Some of a page's source."),
    Operation("POST", "/api/learn", learn_site, LearnWanted, JobView, "Learn a site from its pages at hand.", "learn"),
)
VIEWS = (View("/rules", "rules.html", show_rules, RulesViewWanted, area="rules"),)
