"""Remove the site's name from a page title."""

from __future__ import annotations

from scythe.page.head import BodyQueries, squeeze
from scythe.url import host

_SEPARATORS = (
    "|",
    " - ",
    " – ",
    " — ",
    " :: ",
    " : ",
    "»",
    "«",
    " · ",
    " • ",
    " / ",
    " ~ ",
    "｜",
    "ㅣ",
    "_",
    " -",
    "- ",
    ": ",
)
_EDGE = " \t|-–—:·•»«/~｜ㅣ_"


def without_site(title: str, site: tuple[str, str], headline: str, body: BodyQueries) -> str:
    """Return the title without the site's name, if the site's name, its address or a heading proves which part that is.

    `site` holds the name and an address of the page.
    """
    title = squeeze(title)
    if not any(separator in title for separator in _SEPARATORS):
        return title
    names = _site_keys(*site)
    for separator in _SEPARATORS:
        left, found, right = title.rpartition(separator)
        if found and left.strip() and _key(right) in names:
            return left.rstrip(_EDGE)
        left, found, right = title.partition(separator)
        if found and right.strip() and _key(left) in names:
            return right.lstrip(_EDGE)
    return _proved_by(title, headline) or _proved_by(title, body.heading) or title


def _proved_by(title: str, heading: str) -> str:
    """Return the heading if the title is the heading with something set apart before or after it."""
    if len(heading) < 10 or len(heading) >= len(title):
        return ""
    rest = (
        title[len(heading) :]
        if title.startswith(heading)
        else title[: -len(heading)]
        if title.endswith(heading)
        else ""
    )
    edge = rest.strip()[:1] if title.startswith(heading) else rest.strip()[-1:]
    return heading if edge and edge in _EDGE else ""


def _site_keys(name: str, url: str) -> set[str]:
    domain = host(url).removeprefix("www.")
    labels = domain.split(".")
    keys = {_key(name), _key(domain)}
    if len(labels) > 1:
        keys.update(_key(label) for label in labels[-3:-1] if len(label) > 3)
    return keys - {""}


def _key(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
