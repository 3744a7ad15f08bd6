"""Read how a list goes on: a page comes in, the addresses of its next, previous and numbered pages go out.

Every link that speaks of paging collects points for what it says, how it is named, where it stands and how its
address differs from the page's own; the best one above a bar wins. Points are set by hand: docs/why/paging.md.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from scythe.model import Paging
from scythe.page.page import Page
from scythe.read.records.number_runs import Run, find_runs
from scythe.read.records.page_links import PageLink, gather_links, is_other_page
from scythe.read.records.page_numbers import Step
from scythe.url import Url

_BAR = 5.0
_MOST_PAGES = 1_000
_SAYS_NEXT = {"next": 4.0, "forward": 2.0}
_SAYS_PREVIOUS = {"previous": 4.0, "backward": 2.0}


@dataclass(frozen=True, slots=True)
class _Vote:
    """What a link amounts to: points for being the next page, the previous one, or what loads more."""

    link: PageLink
    next: float
    previous: float
    more: float


def read_paging(page: Page) -> Paging:
    """Return the other pages of the list that a page is part of; all empty where there are none."""
    own = str(page.url or page.metadata.canonical or "")
    links = gather_links(page, own)
    runs = find_runs(page, own)
    run = max(runs, key=_run_points, default=None)
    strewn = _strewn_texts(links)
    votes = [_vote(link, run, link.text in strewn) for link in links]
    following = _best(votes, "next") or _by_number(run, 1, own)
    before = _best(votes, "previous") or _by_number(run, -1, own)
    more = _best(votes, "more")
    if before == following:
        before = None
    return Paging(following, before, _numbered(runs, run, page.url), more)


def _run_points(run: Run) -> tuple[bool, bool, bool, int]:
    return run.own, run.current is not None, run.pager, len(run.entries)


def _strewn_texts(links: list[PageLink]) -> frozenset[str]:
    """Return texts that lead to many places: 'more' under every teaser, arrows beside every headline."""
    places: dict[str, set[Url]] = defaultdict(set)
    for link in links:
        if link.row >= 0 and link.text:
            places[link.text].add(link.url)
    return frozenset(text for text, urls in places.items() if len(urls) > 2)


def _vote(link: PageLink, run: Run | None, strewn: bool) -> _Vote:
    ahead, behind = _directions(link)
    support = 2.0 * link.pager + _address_points(link) - 5.0 * link.turning
    if link.step is None:
        support -= 4.0 * link.single
    if strewn and not (link.step and link.step.exact):
        support -= 4.0
    if "thing" in (link.label.says, link.said.says) and not (link.step and link.step.exact):
        support -= 4.0
    if "end" in (link.label.says, link.said.says) and not link.rel:
        support -= 6.0
    support += _run_support(link, run)
    more = 1.5 * (link.label.says == "more") + 1.5 * (link.said.says == "more") + 1.5 * link.more + 1.0 * link.pressed
    if more >= 1.5 and _goes(link.step) > 0 and not link.pressed:
        ahead += more
    if _goes(link.step) <= 0 and not (link.pressed and link.ahead):
        more = 0.0
    return _Vote(
        link,
        ahead + support if ahead > behind else 0.0,
        behind + support if behind > ahead else 0.0,
        more + support if more >= 1.5 else 0.0,
    )


def _directions(link: PageLink) -> tuple[float, float]:
    """Return what words, names, relation and page number say for the next page and for the previous one."""
    whole = 0.5 if not link.label.whole else 1.25 if link.label.phrase else 1.0
    ahead = max(_SAYS_NEXT.get(link.label.says, 0.0) * whole, 0.75 * _SAYS_NEXT.get(link.said.says, 0.0)) + link.ahead
    behind = max(_SAYS_PREVIOUS.get(link.label.says, 0.0) * whole, 0.75 * _SAYS_PREVIOUS.get(link.said.says, 0.0))
    behind += link.behind
    ahead += 3.0 * (link.rel == "next")
    behind += 3.0 * (link.rel == "prev")
    goes = _goes(link.step)
    if goes and link.step is not None and link.step.exact and (ahead or behind):
        # blogs call the second page previous or older, the number knows
        either = max(ahead, behind)
        return (either, 0.0) if goes > 0 else (0.0, either)
    return ahead, behind


def _goes(step: Step | None) -> int:
    """Return 1 for a later page, -1 for an earlier one, 0 where the address does not tell."""
    if step is None or (step.before is None and step.after is None):
        return 0
    after, before = step.after or 0, step.before or 0
    return (after > before) - (after < before)


def _address_points(link: PageLink) -> float:
    step = link.step
    if step is None:
        return -3.0
    if step.before is None and step.after == 0:
        return -6.0  # the page itself, counted from 0
    points = 1.0 * step.named + 1.0 * step.exact + 1.0
    if step.after is not None and abs(step.after - (step.before or 1)) == 1:
        points += 2.0
    return points


def _run_support(link: PageLink, run: Run | None) -> float:
    """Agree with the numbers of the pager: its neighbours gain, its ends lose."""
    if run is None or run.current is None:
        return 0.0
    if link.url in (run.address_of(run.current + 1), run.address_of(run.current - 1)):
        return 2.0
    return -3.0 if any(entry.url == link.url for entry in run.entries) else 0.0


def _best(votes: list[_Vote], what: str) -> Url | None:
    best, most = None, _BAR
    for vote in votes:
        points = getattr(vote, what)
        if points >= most and (points > most or best is None):
            best, most = vote.link.url, points
    return best


def _by_number(run: Run | None, offset: int, own: str) -> Url | None:
    if run is None or run.current is None or not (run.own or run.pager):
        return None
    url = run.address_of(run.current + offset)
    return None if url is None or not is_other_page(own, url) else url


def _numbered(runs: list[Run], best: Run | None, own: Url | None) -> tuple[tuple[int, Url], ...]:
    if best is None:
        return ()
    pages = {entry.number: entry.url for entry in best.entries if entry.url}
    if own and best.current is not None:
        pages[best.current] = own
    return tuple(sorted(pages.items()))[:_MOST_PAGES]
