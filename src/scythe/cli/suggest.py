"""`scythe suggest`: choose the pages of a site to annotate."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from scythe.cli.console import FAILED, OK, USAGE, complain, counted, write_text
from scythe.cli.options import BaseUrl, Delay, argument, fetch_flags, option, verb
from scythe.cli.page_inputs import SETS, keep_good, load_pages, profile_at
from scythe.cli.sinks import format_of, open_row_sink, require_format
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import (
    PAGE_SUFFIXES,
    Input,
    LoadedPage,
    check_base,
    is_address,
    list_sources,
    load,
    spread,
)
from scythe.output.formats import ADDRESSES, formats_of
from scythe.url import host

if TYPE_CHECKING:
    from scythe.model import SiteImages
    from scythe.page import Page
    from scythe.site.labels.suggest_pages import Suggestion

SITE, PAGES = "site", "pages"  # kinds of inputs, beside addresses
_LOOKED_AT = 1_000  # pages of an input
_ADDRESSES = 100_000  # of a list
_LINKING = 6  # pages of a site whose links are gathered: "several", says the TC paper
_SNIFFED = 4_096  # bytes of a file that tell a list of addresses from a page
_SAID = 5  # complaints of one kind; a file that is no list would make one of each line


@dataclass(frozen=True, slots=True)
class Candidates:
    """The pages among which some are suggested."""

    by: str  # how they are to be chosen: cover, clusters or random
    names: tuple[str, ...]  # addresses, or files where the address is not known
    pages: tuple[LoadedPage, ...] = ()  # for cover, one for each name


def find_candidates(
    inputs: Sequence[str], base: str | None, by: str, fetch: FetchOptions, *, pages: int, delay_s: float
) -> Candidates:
    """Load what the inputs stand for, as far as choosing `by` needs it. Raises BadInput where nothing is left."""
    from scythe.site.labels.suggest_pages import WAYS

    if by not in ("auto", *WAYS):
        raise BadInput(f"--by {by}: pages are chosen by {', '.join(WAYS)}, or auto")
    kinds = {_kind_of(given, alone=len(inputs) == 1) for given in inputs}
    if len(kinds) > 1:
        raise BadInput("these inputs are of several kinds: give pages, or addresses, not both")
    kind = kinds.pop()
    by = by if by != "auto" else "clusters" if kind == ADDRESSES else "cover"
    if kind == SITE:
        return _of_site(inputs[0], by, fetch, pages, delay_s)
    if kind == PAGES:
        return _with_pages(load_pages(inputs, base, fetch, most=_LOOKED_AT), by)
    urls = _read_addresses(inputs)
    if by != "cover":
        return Candidates(by, tuple(urls))
    return _with_pages(load((Input(url, url=url) for url in spread(urls, pages)), None, fetch), by)


def _kind_of(given: str, *, alone: bool) -> str:
    """Tell what an input is by its name and, of other files, by how they begin. Raises BadInput."""
    if given == "-":
        return ADDRESSES
    if is_address(given):
        return SITE if alone else ADDRESSES
    path = Path(given)
    if not path.is_file() or path.suffix.lower() in PAGE_SUFFIXES or given.lower().endswith(SETS):
        return PAGES
    try:
        with path.open("rb") as file:
            head = file.read(_SNIFFED)
    except OSError as error:
        raise BadInput(f"{given}: cannot be read: {error.strerror or error}") from None
    lines = head.decode("utf-8-sig", "replace").splitlines()
    first = next((line for line in map(str.strip, lines) if line and not line.startswith("#")), "")
    if is_address(first):
        return ADDRESSES
    if first.startswith("<"):
        return PAGES
    hint = "; a profile goes with --profile" if path.suffix.lower() == ".json" else ""
    raise BadInput(f"{given}: neither a page nor a list of addresses (http://... or https://..., one on a line){hint}")


def _read_addresses(inputs: Sequence[str]) -> list[str]:
    """Return the addresses given and listed, each once; lines that are none are said and left out."""
    urls: dict[str, None] = {}
    wrong = 0
    for given in inputs:
        for source in [Input(given, url=given)] if is_address(given) else list_sources(given):
            if source.url is None:
                wrong += 1
                if wrong <= _SAID:
                    complain(f"{source.name}: {source.complaint}")
            elif len(urls) < _ADDRESSES:
                urls.setdefault(source.url)
            elif source.url not in urls:
                complain(f"{given}: only the first {_ADDRESSES} URLs are used")
                break
    if wrong > _SAID:
        complain(f"{wrong - _SAID} more lines are not URLs")
    if not urls:
        raise BadInput("none of these lines is a URL")
    return list(urls)


def _with_pages(loaded: Iterable[LoadedPage], by: str) -> Candidates:
    """Load pages; what fails is said and left out."""
    good = _good_ones(loaded)
    names = tuple(page.url or page.name for page in good)
    return Candidates(by, names, tuple(good) if by == "cover" else ())


def _good_ones(loaded: Iterable[LoadedPage]) -> list[LoadedPage]:
    good = keep_good(loaded)
    if not good:
        raise BadInput("there is no page to choose from")
    return good


def _of_site(start: str, by: str, fetch: FetchOptions, pages: int, delay_s: float) -> Candidates:
    """Sample a site; for choosing by address a few pages do, since what they link to can be suggested too."""
    from scythe.crawling.sample_site import own_links, sample_site

    if by == "cover":
        return _with_pages(sample_site(start, pages, fetch, delay_s=delay_s), by)
    good = _good_ones(sample_site(start, min(pages, _LINKING), fetch, delay_s=delay_s))
    own, known = host(good[0].url or ""), dict[str, None]()
    for page in good:
        known |= dict.fromkeys([*([page.url] if page.url else []), *own_links(page, own)])
    return Candidates(by, tuple(known)[:_ADDRESSES])


_HOW = {
    "cover": "chosen by what images they show",
    "clusters": "chosen by address",
    "random": "chosen at random",
}
_COLUMNS = ("url", "why", "by", "cluster", "alike", "images", "kinds", "new_kinds", "unsure")


@verb(os_error=USAGE, fetch=fetch_flags)
def suggest(
    inputs: Annotated[list[str], argument("INPUTS")],
    count: int = option(6, "Number of pages to suggest.", "--count -n", min=1, max=1_000),
    by: str = option(
        "auto", "How to choose; auto: cover if pages are available, else clusters.", "auto|cover|clusters|random"
    ),
    profile: str | None = option(None, "Profile of the site, with the pages annotated so far.", "PROFILE"),
    pages: int = option(24, "Number of pages to fetch and inspect.", min=1, max=1_000),
    seed: int = option(0, "Seed of the random choice."),
    kind: str | None = option(
        None,
        "Output format; default: by the suffix of -o, a table on a terminal, URLs in a pipe.",
        f"--format -f {'|'.join(formats_of(ADDRESSES))}",
    ),
    output: str | None = option(None, "Output file; default: standard output.", "--output -o FILE"),
    url: BaseUrl = None,
    delay: Delay = 1.0,
    *,
    fetch: FetchOptions,
) -> int:
    form = _form(kind, output)
    known = profile_at(profile).profile.images if profile is not None else None
    candidates = find_candidates(inputs, check_base(url), by, fetch, pages=pages, delay_s=delay)
    found = _suggest(candidates, count, seed, known)
    if not found:
        complain("no page is left to suggest")
        return FAILED
    complain(f"{len(found)} of {counted(len(candidates.names), 'page')}, {_HOW[candidates.by]}")
    _write([asdict(one) | {"url": candidates.names[one.at]} for one in found], form, output)
    return OK


def _form(kind: str | None, output: str | None) -> str:
    """Return the format that was asked for; raise BadInput where there is no such."""
    require_format(kind, ADDRESSES)
    if kind is None and output in (None, "-"):
        return "table" if sys.stdout.isatty() else "txt"
    return kind or format_of(output or "", None, ADDRESSES)


def _suggest(candidates: Candidates, count: int, seed: int, known: SiteImages | None) -> tuple[Suggestion, ...]:
    from scythe.site.labels.suggest_pages import suggest_pages

    if candidates.by != "cover":
        return suggest_pages(candidates.names, count, by=candidates.by, seed=seed, site=known)
    bare: list[str] = []
    found = suggest_pages(_open(candidates.pages, bare), count, by="cover", seed=seed, site=known)
    if bare:
        pages = counted(len(bare), "page")
        complain(
            f"{pages} without an address and images; if they have relative addresses, give that of the pages: --url"
        )
    return found


def _open(pages: Sequence[LoadedPage], bare: list[str]) -> Iterator[Page]:
    """Yield pages for reading; those without an address and without images are noted."""
    from scythe.page import Page

    for loaded in pages:
        page = Page.from_bytes(loaded.body, url=loaded.url, content_type=loaded.content_type)
        if page.url is None and not page.images:
            bare.append(loaded.name)
        yield page


def _write(rows: Sequence[dict[str, str | int | None]], form: str, output: str | None) -> None:
    if form == "txt":
        write_text("".join(f"{row['url']}\n" for row in rows), output)
        return
    from scythe.output.rows import RowBatch, Shape

    shown = _COLUMNS[:2] if form == "table" else _COLUMNS
    columns = tuple(name for name in shown if any(row[name] is not None for row in rows))
    sink = open_row_sink(output, form, Shape())
    sink.put(RowBatch("", columns, tuple(tuple(row[name] for name in columns) for row in rows), kind="pages"))
    sink.close()
