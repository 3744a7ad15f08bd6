"""Say what a page says about itself: its head and JSON-LD in, one `Metadata` out."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from scythe.limits import LIMITS
from scythe.model import Metadata
from scythe.page.dates import to_iso
from scythe.page.head import Head, squeeze
from scythe.page.jsonld import Json, LinkedData, types_of
from scythe.url import Url, absolute

_ARTICLES = frozenset(
    "article newsarticle blogposting reportagenewsarticle analysisnewsarticle opinionnewsarticle backgroundnewsarticle "
    "advertisercontentarticle satiricalarticle techarticle scholarlyarticle report liveblogposting socialmediaposting review recipe "
    "discussionforumposting question product book movie howto event podcastepisode videoobject webpage qapage faqpage itempage".split()
)
_KEPT_PREFIXES = ("og:", "twitter:", "article:", "dc.", "dcterms.", "dc:", "parsely-", "sailthru.", "citation_", "news_keywords")
_SEPARATORS = (" | ", " - ", " – ", " — ", " :: ", " » ", " · ", " • ", " / ", ": ", " ~ ", " « ", "｜", "_")
_TITLES = ("og:title", "twitter:title", "dc.title", "dcterms.title", "citation_title", "parsely-title", "sailthru.title")
_DESCRIPTIONS = ("og:description", "description", "twitter:description", "dc.description", "dcterms.description", "sailthru.description")
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author", "sailthru.author", "byl")
_PUBLISHED = (
    "article:published_time og:published_time article:published datepublished publishdate publish-date pubdate date dc.date "
    "dc.date.issued dcterms.date dcterms.created dcterms.issued citation_publication_date citation_date parsely-pub-date "
    "sailthru.date cxenseparse:recs:publishtime originalpublicationdate article.published last-modified"
).split()
_MODIFIED = "article:modified_time og:updated_time article:updated datemodified dcterms.modified dc.date.modified lastmod article.updated".split()
_IMAGES = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src", "parsely-image-url")


def read_metadata(head: Head, linked: LinkedData, base: str | None) -> Metadata:
    """Choose each value from the most reliable place that has it."""
    named = _first_by_name(head.properties)
    item = _main_object(linked)
    site = _site_name(named, linked, item)
    return Metadata(
        title=_title(head, named, item, site),
        description=_first(named, _DESCRIPTIONS) or _text(item.get("description")),
        author=_author(head, named, item),
        published=_date(named, _PUBLISHED, item, ("datePublished", "dateCreated", "uploadDate")) or _time(head),
        modified=_date(named, _MODIFIED, item, ("dateModified",)),
        language=_language(head, named, item),
        canonical=_canonical(head, named, base),
        site_name=site,
        kind=_kind(named, linked, item, head),
        image=_image(named, item, base),
        keywords=_keywords(named, item, head),
        properties=tuple((name, squeeze(value)) for name, value in head.properties if name.startswith(_KEPT_PREFIXES)),
        schema=_schema(linked, head),
    )


def _first_by_name(properties: list[tuple[str, str]]) -> dict[str, str]:
    named: dict[str, str] = {}
    for name, content in properties:
        if name not in named and not content.isspace():
            named[name] = content
    return named


def _first(named: dict[str, str], names: tuple[str, ...] | list[str]) -> str:
    for name in names:
        if name in named:
            return squeeze(named[name])
    return ""


def _main_object(linked: LinkedData) -> dict[str, Json]:
    best: dict[str, Json] = {}
    best_rank = 0
    for item in linked.objects:
        types = types_of(item)
        rank = 2 if any(name in _ARTICLES and name != "webpage" for name in types) else int("webpage" in types)
        rank += rank > 1 and ("headline" in item or "datePublished" in item)
        if rank > best_rank:
            best, best_rank = item, rank
    return best


def _text(value: Json) -> str:
    """Return the first text in a value that schema.org allows to be text, an object with a name, or a list of either."""
    for text in _texts(value):
        return text
    return ""


def _texts(value: Json) -> Iterator[str]:
    for one in (value if isinstance(value, list) else [value])[:50]:
        if isinstance(one, dict):
            one = one.get("name") or one.get("@value") or one.get("url")
        if isinstance(one, str) and (text := squeeze(one)):
            yield text


def _title(head: Head, named: dict[str, str], item: dict[str, Json], site: str) -> str:
    for title in (_first(named, _TITLES[:1]), _text(item.get("headline")), _first(named, _TITLES), head.title, *head.headings):
        cleaned = without_site(title, site, head)
        if cleaned:
            return cleaned
    return ""


def without_site(title: str, site: str, head: Head) -> str:
    """Cut the site's name off a title when the page's own site name or heading proves what it is."""
    title = squeeze(title)
    for separator in _SEPARATORS:
        left, found, right = title.rpartition(separator)
        if found and left and _same(right, site):
            return left.strip()
        left, found, right = title.partition(separator)
        if found and right and _same(left, site):
            return right.strip()
    return title


def _same(part: str, name: str) -> bool:
    return bool(name) and part.strip().casefold() == name.strip().casefold()


def _site_name(named: dict[str, str], linked: LinkedData, item: dict[str, Json]) -> str:
    found = _first(named, ("og:site_name", "application-name", "apple-mobile-web-app-title"))
    if found:
        return found
    publisher = _text(item.get("publisher"))
    if publisher:
        return publisher
    for other in linked.objects:
        if "website" in types_of(other):
            return _text(other.get("name"))
    return ""


def _author(head: Head, named: dict[str, str], item: dict[str, Json]) -> str:
    names = [name for name in _texts(item.get("author") or item.get("creator")) if _is_name(name)]
    if names:
        return ", ".join(dict.fromkeys(names))
    for name in _AUTHORS:
        if name in named and _is_name(squeeze(named[name])):
            return squeeze(named[name])
    for node in head.authors:
        text = squeeze(node.text(deep=True))
        if _is_name(text):
            return text
    return ""


def _is_name(text: str) -> bool:
    return 1 < len(text) <= 200 and "://" not in text and not text.startswith(("www.", "@", "{", "["))


def _date(named: dict[str, str], names: list[str], item: dict[str, Json], keys: tuple[str, ...]) -> str:
    for key in keys:
        if found := to_iso(_text(item.get(key))):
            return found
    for name in names:
        if name in named and (found := to_iso(named[name])):
            return found
    return ""


def _time(head: Head) -> str:
    for node in head.times:
        if found := to_iso(node.attributes.get("datetime") or ""):
            return found
    return ""


def _language(head: Head, named: dict[str, str], item: dict[str, Json]) -> str:
    for text in (head.language, _first(named, ("og:locale", "content-language", "language", "dc.language")), _text(item.get("inLanguage"))):
        tag = text.strip().replace("_", "-").partition(",")[0].lower()[:35]
        if 2 <= len(tag.partition("-")[0]) <= 3 and tag.replace("-", "").isalnum() and tag.isascii():
            return tag
    return ""


def _canonical(head: Head, named: dict[str, str], base: str | None) -> Url | None:
    for rel, href in head.links:
        if "canonical" in rel.split() and (url := absolute(href, base)):
            return url
    return absolute(named.get("og:url", ""), base)


def _kind(named: dict[str, str], linked: LinkedData, item: dict[str, Json], head: Head) -> str:
    for name in types_of(item):
        if name != "webpage":
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


def _keywords(named: dict[str, str], item: dict[str, Json], head: Head) -> tuple[str, ...]:
    words: list[str] = [squeeze(content) for name, content in head.properties if name == "article:tag"]
    for name in ("news_keywords", "keywords", "parsely-tags", "sailthru.tags"):
        if not words and name in named:
            words = named[name][:10_000].split(",")
    if not words:
        for text in _texts(item.get("keywords")):
            words.extend(text.split(","))
    return tuple(dict.fromkeys(squeeze(word, 200) for word in words if word.strip()))[:100]


def _schema(linked: LinkedData, head: Head) -> tuple[str, ...]:
    found = [name for item in linked.objects for name in types_of(item)]
    found.extend(kind.rstrip("/").rpartition("/")[2].lower()[:100] for kind in head.types)
    return tuple(dict.fromkeys(found))[: LIMITS.metas]


def _node_text(node: LexborNode) -> str:
    attributes = node.attributes
    return squeeze(attributes.get("content") or attributes.get("datetime") or node.text(deep=True))
