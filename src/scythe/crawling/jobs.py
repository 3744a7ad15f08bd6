"""The records between the crawl and its extraction workers, and how each is put into a frame and taken out of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from scythe.crawling.frames import Frame
from scythe.model import Record, Region
from scythe.url import Url
from scythe.visits import Extracted

_TEXTS = ("title", "text", "markdown", "html", "rest")  # of an Extracted: each travels as a part of its own
_PLAIN = tuple(f.name for f in fields(Extracted) if f.name not in (*_TEXTS, "regions"))


@dataclass(frozen=True, slots=True)
class Caps:
    """What one page may cost. A worker that needs more is ended, and its page is answered with the reason."""

    cpu_s: float = 30.0
    memory_bytes: int = 2_000_000_000  # of address space, of a worker as a whole
    wall_s: float = 90.0


@dataclass(frozen=True, slots=True)
class SiteSetup:
    """What a worker must know of a site before its first page."""

    key: str
    parts: tuple[str, ...] = ("text", "images", "records")  # what to extract, of options.PARTS
    profile: str | None = None  # what was learned of it before, as Site.to_json writes it
    start: str = ""  # address
    learns: bool = True  # False: nothing is to be learned from its pages
    is_learner: bool = True  # False: another process learns it; pages are kept for the time when that has ended
    tells_again: bool = False  # name addresses on every page that has them, not only on the first


@dataclass(frozen=True, slots=True)
class Job:
    """One response to extract from."""

    site: SiteSetup
    url: str
    body: bytes
    kind: str = "page"  # or "sitemap", "feed"
    content_type: str = ""
    status: int = 200
    is_whole: bool = True  # False: a limit or a broken connection cut the body; nothing is learned from it
    robots_tag: str = ""  # the X-Robots-Tag header


@dataclass(frozen=True, slots=True)
class Named:
    """An address that a page, a sitemap or a feed names, and that was not answered before by the same worker."""

    url: Url
    how: str = "link"  # link, paging, canonical, feed, sitemap, frame, refresh ...
    kind: str = "page"  # what is expected there, one of visits.KINDS
    is_nofollow: bool = False
    rank: int = 0  # lower is to be asked for sooner


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one job. Of a page that could not be extracted only `why` is set."""

    extracted: Extracted | None = None
    found: tuple[Named, ...] = ()
    profile: str | None = None  # of the site, where it changed
    why: str = ""  # nothing was extracted: the reason
    died: bool = False  # the worker died of it, so it must not be tried again
    directives: tuple[str, ...] = ()  # of the page to robots: noindex, nofollow
    canonical: Url | None = None
    drift: int = 0  # things that stopped matching at the site
    cpu_s: float = 0.0


def pack_setup(site: SiteSetup) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    head: dict[str, Any] = {"do": "enter", "site": site.key, "wanted": site.parts, "start": site.start}
    head |= {"learns": site.learns, "learner": site.is_learner, "again": site.tells_again}
    return head, (site.profile.encode(),) if site.profile else ()


def unpack_setup(frame: Frame) -> SiteSetup:
    head = frame.head
    profile = frame.parts[0].decode() if frame.parts else None
    flags = (head["learns"], head["learner"], head["again"])
    return SiteSetup(head["site"], tuple(head["wanted"]), profile, head["start"], *flags)


def pack_job(job: Job) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    head: dict[str, Any] = {"do": "extract", "site": job.site.key, "url": job.url, "kind": job.kind}
    head |= {"type": job.content_type, "status": job.status, "whole": job.is_whole, "robots": job.robots_tag}
    return head, (job.body,)


def unpack_job(frame: Frame, site: SiteSetup) -> Job:
    head = frame.head
    said = (head["kind"], head["type"], head["status"], head["whole"], head["robots"])
    return Job(site, head["url"], frame.parts[0], *said)


def pack_answer(answer: Answer) -> tuple[dict[str, Any], list[bytes]]:
    """Return head and parts; texts and profile are parts, so that nothing long is quoted."""
    head: dict[str, Any] = {"why": answer.why, "died": answer.died, "drift": answer.drift, "cpu": answer.cpu_s}
    if answer.found:
        head["found"] = [_pack_named(each) for each in answer.found]
    if answer.directives:
        head["directives"] = answer.directives
    if answer.canonical:
        head["canonical"] = answer.canonical
    parts: list[bytes] = []
    if answer.profile is not None:
        head["profile"] = True
        parts.append(answer.profile.encode())
    if answer.extracted is not None:
        _pack_extracted(answer.extracted, head, parts)
    return head, parts


def unpack_answer(frame: Frame) -> Answer:
    head, parts = frame.head, list(frame.parts)
    profile = parts.pop(0).decode() if head.get("profile") else None
    return Answer(
        _unpack_extracted(head["extracted"], parts) if "extracted" in head else None,
        tuple(_unpack_named(each) for each in head.get("found", ())),
        profile,
        head["why"],
        head["died"],
        tuple(head.get("directives", ())),
        head.get("canonical"),
        head["drift"],
        head["cpu"],
    )


def _pack_named(named: Named) -> str | list[Any]:
    """Return the address alone where all else is as usual, which it mostly is."""
    if named.how == "link" and named.kind == "page" and not named.is_nofollow and not named.rank:
        return named.url
    return [named.url, named.how, named.kind, named.is_nofollow, named.rank]


def _unpack_named(packed: str | list[Any]) -> Named:
    return Named(Url(packed)) if isinstance(packed, str) else Named(*packed)


def _pack_extracted(extracted: Extracted, head: dict[str, Any], parts: list[bytes]) -> None:
    plain: dict[str, Any] = {name: getattr(extracted, name) for name in _PLAIN}
    texts: dict[str, Any] = {name: text for name in _TEXTS if (text := getattr(extracted, name)) is not None}
    plain["texts"] = list(texts)
    parts += [text.encode("utf-8", "replace") for text in texts.values()]
    if extracted.regions:
        plain["regions"] = True
        regions = [asdict(region) for region in extracted.regions]
        parts.append(json.dumps(regions, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
    head["extracted"] = plain


def _unpack_extracted(plain: dict[str, Any], parts: list[bytes]) -> Extracted:
    texts: dict[str, Any] = {name: parts.pop(0).decode() for name in plain.pop("texts")}
    regions = tuple(map(_region, json.loads(parts.pop(0)))) if plain.pop("regions", False) else ()
    return Extracted(**texts, **plain, regions=regions)


def _region(plain: dict[str, Any]) -> Region:
    records = tuple(
        Record(tuple(one["fields"]), tuple(one["links"]), tuple(one["images"]), one["html"]) for one in plain["records"]
    )
    return Region(records, tuple(plain["columns"]), plain["kind"], plain["score"], plain["pattern"])
