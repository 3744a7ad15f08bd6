"""Tell the title of a page from the name of its site, as only many pages show: pages come in, their titles go out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from scythe.learn.sample import Sample

_SHARE = 0.6  # of the pages must have a part of the title for it to be the site's
_LEAST = 2  # pages with different titles
_EDGE = re.compile(r"\s+(?:[^\w\s]{1,3})\s+|\s*[|»«]\s*")  # what sets the site's name apart
_EDGES = " \t|-–—:·•»«/~⋆"


def improve_titles(samples: Sequence[Sample]) -> tuple[tuple[str, ...], ...]:
    """Return for each page what its title may be, best first: as reported and as declared, without the site's name.

    What most pages report is the site's name and no title, as long as they declare different ones.
    """
    reported = [sample.title for sample in samples]
    declared = [sample.page.head.title or sample.title for sample in samples]
    if len(set(declared)) < _LEAST:
        return tuple((title,) if title else () for title in reported)
    site = _shared_part(declared)
    common, pages = Counter(reported).most_common(1)[0]
    constant = common if pages >= max(2, _SHARE * len(samples)) else None
    titles = []
    for own, head in zip(reported, declared, strict=True):
        found = dict.fromkeys(_without(title, site) for title in (own, head) if title and title != constant)
        titles.append(tuple(found) or ((own,) if own else ()))
    return tuple(titles)


def _shared_part(titles: Sequence[str]) -> str:
    """Return the part at the end or at the start that most different titles share, or an empty string."""
    parts: Counter[str] = Counter()
    for title in set(titles):
        edges = list(_EDGE.finditer(title))
        parts.update({title[edge.end() :] for edge in edges[-3:]} | {title[: edge.start()] for edge in edges[:3]})
    found = [(len(part), part) for part, pages in parts.items() if part and pages >= _SHARE * len(set(titles))]
    return max(found)[1] if found else ""


def _without(title: str, site: str) -> str:
    if not site or title == site:
        return title
    if title.endswith(site) and title[-len(site) - 1 : -len(site)] in _EDGES:
        return title[: -len(site)].rstrip(_EDGES)
    if title.startswith(site) and title[len(site) : len(site) + 1] in _EDGES:
        return title[len(site) :].lstrip(_EDGES)
    return title
