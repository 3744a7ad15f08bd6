"""Combine head, JSON-LD and body of a page into `Metadata`, each value from the most reliable source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape

from scythe.limits import LIMITS
from scythe.model import Metadata
from scythe.page.authors import AuthorClaims, choose_authors, key_of, note_signed, read_names
from scythe.page.dates import to_iso
from scythe.page.head import BodyQueries, Head, Json, LinkedData, squeeze, types_of
from scythe.page.page_dates import DayClaims, choose_day, is_settled, note_declared, note_shown, note_times
from scythe.page.title import TitleClaims, without_site
from scythe.url import Url, absolute, host

_TYPES = frozenset(
    """
    article newsarticle blogposting reportagenewsarticle analysisnewsarticle opinionnewsarticle
    backgroundnewsarticle advertisercontentarticle satiricalarticle techarticle scholarlyarticle
    medicalscholarlyarticle report liveblogposting socialmediaposting discussionforumposting question qapage faqpage
    review criticreview recipe product productgroup book movie musicalbum howto event jobposting podcastepisode
    videoobject course dataset softwareapplication place localbusiness restaurant webpage itempage collectionpage
    profilepage aboutpage medicalwebpage
    """.split()
)
_PAGES = frozenset(
    "webpage itempage collectionpage profilepage aboutpage medicalwebpage".split()
)  # say little themselves
_KEPT_PREFIXES = (
    *("og:", "twitter:", "article:", "dc.", "dc:", "dcterms."),
    *("parsely-", "sailthru.", "citation_", "news_keywords"),
)
_TITLES = tuple("og:title twitter:title citation_title dc.title dcterms.title parsely-title sailthru.title".split())
_DESCRIPTIONS = ("og:description", "description", "twitter:description", "dc.description", "dcterms.description")
_AUTHORS = tuple(
    "author citation_author dc.creator dcterms.creator parsely-author sailthru.author byl article:author".split()
)
_WRITTEN_BY = frozenset(
    "writtenby escritopor verfasstvon geschriebenvon écritpar scrittoda author autor 作者 написаноавтором".split()
)
_MODIFIED = tuple(
    """
    article:modified_time og:updated_time article:updated datemodified dcterms.modified dc.date.modified lastmod
    article.updated last-modified
    """.split()
)
_IMAGES = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src", "parsely-image-url")
_SITES = ("og:site_name", "application-name", "apple-mobile-web-app-title")


@dataclass(frozen=True, slots=True)
class Sources:
    """All that says something about a page, and what the rest is chosen by."""

    head: Head
    linked: LinkedData
    body: BodyQueries
    url: Url | None
    base: str | None
    named: dict[str, str] = field(init=False)  # the first content of each meta tag
    canonical: Url | None = field(init=False)
    item: dict[str, Json] = field(init=False)  # the object of JSON-LD that describes the page
    site_name: str = field(init=False)
    kind: str = field(init=False)

    def __post_init__(self) -> None:
        found = _first_by_name(self.head.properties)
        canonical = _canonical(self.head, found, self.base)
        item = _main_object(self.linked, (canonical, self.url))
        kind, site_name = _kind(self.head, found, item), _site_name(found, self.linked, item)
        for name, value in zip(_WORKED_OUT, (found, canonical, item, site_name, kind), strict=True):
            object.__setattr__(self, name, value)


_WORKED_OUT = ("named", "canonical", "item", "site_name", "kind")


def read_metadata(said: Sources, title: str = "") -> Metadata:
    """Choose each value from the most reliable place that has it, or by agreement of all; `title` is chosen already."""
    head, named, item, body = said.head, said.named, said.item, said.body
    authors = choose_authors(*judged_authors(said))
    description = _first(named, _DESCRIPTIONS) or _text(item.get("description"))
    return Metadata(
        title=title,
        description=description or body.values.get("description", ""),
        author=", ".join(authors),
        authors=authors,
        published=choose_day(published_days(said)),
        modified=_modified(named, item, body),
        language=_language(head, named, item),
        canonical=said.canonical,
        site_name=said.site_name,
        kind=said.kind,
        image=_image(named, item, said.base),
        keywords=_keywords(head, named, item),
        properties=tuple((name, squeeze(value)) for name, value in head.properties if name.startswith(_KEPT_PREFIXES)),
        schema=_schema(said.linked, head),
    )


def declared_title(said: Sources) -> str:
    """Return the title that the head of the page states, without the name of its site where something proves it."""
    headline = _text(said.item.get("headline"))
    title = _first(said.named, _TITLES[:1]) or headline or _first(said.named, _TITLES) or said.head.title
    if not title:
        return said.body.heading
    return without_site(title, (said.site_name, said.canonical or said.url or ""), headline, said.body)


def judged_titles(said: Sources) -> tuple[TitleClaims, dict[str, set[str]]]:
    """Return what may be the title of the page, and what speaks for each."""
    claims = TitleClaims()
    for heading in said.body.headings:
        claims.add_heading(heading)
    for source, text in (
        ("headline", _text(said.item.get("headline"))),
        ("name", _text(said.item.get("name"))),
        ("declared", declared_title(said)),
    ):
        claims.add_title(source, text)
    for source, text in (
        ("og", said.named.get("og:title", "")),
        ("tw", said.named.get("twitter:title", "")),
        ("head", said.head.title),
    ):
        claims.add_declared(source, squeeze(text))
    return claims, claims.judged(_site_keys(said), _kind_of_authored(said.kind))


def _first_by_name(properties: list[tuple[str, str]]) -> dict[str, str]:
    named: dict[str, str] = {}
    for name, content in properties:
        if name not in named and not content.isspace():
            named[name] = content
    return named


def _first(named: dict[str, str], names: Sequence[str]) -> str:
    for name in names:
        if name in named:
            return squeeze(named[name])
    return ""


def _main_object(linked: LinkedData, addresses: tuple[Url | None, ...]) -> dict[str, Json]:
    """Return the object that describes the page: an article or the like, with a headline or date, of this address."""
    best: dict[str, Json] = {}
    best_rank = 0
    for item in linked.objects:
        types = [name for name in types_of(item) if name in _TYPES]
        if not types:
            continue
        rank = 1 if all(name in _PAGES for name in types) else 4
        rank += 2 * ("headline" in item or "datePublished" in item)
        own = (item.get("url"), item.get("@id"), item.get("mainEntityOfPage"))
        rank += any(address in own for address in addresses if address)
        if rank > best_rank:
            best, best_rank = item, rank
    return best


def _text(value: Json) -> str:
    return next(_texts(value), "")


def _texts(value: Json) -> Iterator[str]:
    """Yield the texts in a value that schema.org allows to be text, an object with a name, or a list of either."""
    for one in (value if isinstance(value, list) else [value])[:50]:
        if isinstance(one, dict):
            one = one.get("name") or one.get("@value") or one.get("url")
        if isinstance(one, str) and (text := squeeze(one)):
            yield unescape(text) if "&" in text else text


def _site_name(named: dict[str, str], linked: LinkedData, item: dict[str, Json]) -> str:
    name = _first(named, _SITES[:1]) or _text(item.get("publisher"))
    if name:
        return unescape(name)
    for other in linked.objects:
        if "website" in types_of(other) and (name := _text(other.get("name"))):
            return name
    return _first(named, _SITES)


def judged_authors(said: Sources) -> tuple[AuthorClaims, dict[str, set[str]]]:
    """Return who is said to have written the page, and what speaks for each claim."""
    claims = _claimed_authors(said)
    kind = _kind_of_authored(said.kind)
    is_dated = "datePublished" in said.item or any(
        name in said.named for name in ("article:published_time", "datepublished")
    )
    return claims, claims.judged(_site_keys(said), f"{kind} dated" if is_dated else kind)


def _claimed_authors(said: Sources) -> AuthorClaims:
    claims, named, linked, item, body = AuthorClaims(), said.named, said.linked, said.item, said.body
    by_id = {one["@id"]: one for one in linked.objects if isinstance(one.get("@id"), str) and "name" in one}
    value = item.get("author") or item.get("creator")
    for one in (value if isinstance(value, list) else [value])[:20]:
        if isinstance(one, dict) and "name" not in one:
            one = by_id.get(one.get("@id"), one)
        is_group = isinstance(one, dict) and "organization" in types_of(one)
        names = tuple(name for text in _texts(one) for name in read_names(text, is_declared=True))
        claims.add_names("item.group" if is_group else "item.author", names)
    persons = claims.seen.get("item.author", -1) + 1
    if persons > 1:
        claims.join("item.author")
    for key in _AUTHORS:
        if key in named:
            claims.add_names(f"meta.{key}", read_names(squeeze(named[key]), is_declared=True))
    if key_of(named.get("twitter:label1", "")) in _WRITTEN_BY:
        claims.add_names("meta.twitter:data1", read_names(squeeze(named.get("twitter:data1", "")), is_declared=True))
    for text in body.bylines:
        claims.add_names("marked", read_names(text, is_declared=True))
    is_product = any("product" in name for name in types_of(item))  # whose visible names are those of reviewers
    if (not persons or "item.group" in claims.seen) and not is_product:  # else the page says it plainly
        note_signed(claims, body.signed)
    return claims


def _site_keys(said: Sources) -> frozenset[str]:
    labels = host(said.canonical or said.url or "").removeprefix("www.").split(".")
    names = [said.site_name, *_texts(said.item.get("publisher")), *labels[-3:-1]]
    return frozenset(key for name in names if len(key := key_of(name)) > 2)


def _kind_of_authored(kind: str) -> str:
    if kind in ("discussionforumposting", "qapage", "question"):
        return "thread"
    if "article" in kind or kind in ("blogposting", "report", "socialmediaposting"):
        return "article"
    return "none" if kind in ("", "website") else "other"


def published_days(said: Sources) -> DayClaims:
    """Return what the page says of the day on which it was published."""
    claims = DayClaims()
    others = (_dates_of(other) for other in said.linked.objects if other is not said.item)
    note_declared(claims, _dates_of(said.item), others, said.head.properties, said.body.dated, said.url or "")
    if not is_settled(claims):
        note_times(claims, said.body.times)
        is_american = said.head.language.strip().lower() in ("", "en", "en-us", "en_us")
        note_shown(claims, said.body.shown, is_month_first=is_american)
    return claims


def _dates_of(item: dict[str, Json]) -> dict[str, str]:
    keys = ("datePublished", "dateCreated", "uploadDate", "dateModified")
    return {key: _text(item[key]) for key in keys if key in item}


def _modified(named: dict[str, str], item: dict[str, Json], body: BodyQueries) -> str:
    found = _date(named, _MODIFIED, item, ("dateModified",))
    return found if found or item else to_iso(body.values.get("datemodified", ""))


def _date(named: dict[str, str], names: Sequence[str], item: dict[str, Json], keys: tuple[str, ...]) -> str:
    for key in keys:
        if found := to_iso(_text(item.get(key))):
            return found
    for name in names:
        if name in named and (found := to_iso(named[name])):
            return found
    return ""


def _language(head: Head, named: dict[str, str], item: dict[str, Json]) -> str:
    declared = _first(named, ("og:locale", "content-language", "language", "dc.language"))
    for text in (head.language, declared, _text(item.get("inLanguage"))):
        tag = text.strip().replace("_", "-").partition(",")[0].lower()[:35]
        if 2 <= len(tag.partition("-")[0]) <= 3 and tag.replace("-", "").isalnum() and tag.isascii():
            return tag
    return ""


def _canonical(head: Head, named: dict[str, str], base: str | None) -> Url | None:
    for rel, href in head.links:
        if "canonical" in rel.split() and (url := absolute(href, base)):
            return url
    return absolute(named.get("og:url", ""), base)


def _kind(head: Head, named: dict[str, str], item: dict[str, Json]) -> str:
    for name in types_of(item):
        if name not in _PAGES:
            return name
    for name in head.types:
        if name in _TYPES and name not in _PAGES:
            return name
    return squeeze(named.get("og:type", "")).lower()[:100]


def _image(named: dict[str, str], item: dict[str, Json], base: str | None) -> Url | None:
    for name in _IMAGES:
        if name in named and (url := absolute(named[name], base)):
            return url
    value = item.get("image")
    for one in (value if isinstance(value, list) else [value])[:5]:
        address = one.get("url") or one.get("contentUrl") if isinstance(one, dict) else one
        if isinstance(address, str) and (url := absolute(address, base)):
            return url
    return None


def _keywords(head: Head, named: dict[str, str], item: dict[str, Json]) -> tuple[str, ...]:
    texts = [content for name, content in head.properties if name == "article:tag"]
    for name in ("news_keywords", "keywords", "parsely-tags", "sailthru.tags"):
        if not texts and name in named:
            texts = [named[name]]
    words = [
        word for text in texts or _texts(item.get("keywords")) for word in text[:10_000].replace(";", ",").split(",")
    ]
    return tuple(dict.fromkeys(squeeze(word, 200) for word in words if word.strip()))[:100]


def _schema(linked: LinkedData, head: Head) -> tuple[str, ...]:
    found = [name for item in linked.objects for name in types_of(item)]
    return tuple(dict.fromkeys((*found, *head.types)))[: LIMITS.metas]
