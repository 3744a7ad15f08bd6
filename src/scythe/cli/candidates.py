"""Pages that may be suggested: inputs of a command come in, names of pages and, where needed, their source go out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scythe.cli.ending import complain
from scythe.cli.pages import SETS, keep_good, load_pages
from scythe.errors import BadInput
from scythe.sources import PAGE_SUFFIXES, Loaded, Reach, Source, is_address, list_sources, load
from scythe.teaching.spread import spread
from scythe.url import host

SITE, PAGES, ADDRESSES = "site", "pages", "addresses"  # kinds of inputs
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
    pages: tuple[Loaded, ...] = ()  # for cover, one for each name


def find_candidates(
    inputs: Sequence[str], base: str | None, by: str, reach: Reach, *, pages: int, delay_s: float
) -> Candidates:
    """Load what the inputs stand for, as far as choosing `by` needs it. Raises BadInput where nothing is left."""
    from scythe.teaching.suggest import WAYS

    if by not in ("auto", *WAYS):
        raise BadInput(f"--by {by}: pages are chosen by {', '.join(WAYS)}, or auto")
    kinds = {_kind_of(given, alone=len(inputs) == 1) for given in inputs}
    if len(kinds) > 1:
        raise BadInput("these inputs are of several kinds: give pages, or addresses, not both")
    kind = kinds.pop()
    by = by if by != "auto" else "clusters" if kind == ADDRESSES else "cover"
    if kind == SITE:
        return _of_site(inputs[0], by, reach, pages, delay_s)
    if kind == PAGES:
        return _with_pages(load_pages(inputs, base, reach, most=_LOOKED_AT), by)
    urls = _read_addresses(inputs)
    if by != "cover":
        return Candidates(by, tuple(urls))
    return _with_pages(load((Source(url, url=url) for url in spread(urls, pages)), None, reach), by)


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
        for source in [Source(given, url=given)] if is_address(given) else list_sources(given):
            if source.url is None:
                wrong += 1
                if wrong <= _SAID:
                    complain(f"{source.name}: {source.complaint}")
            elif len(urls) < _ADDRESSES:
                urls.setdefault(source.url)
            elif source.url not in urls:
                complain(f"{given}: only the first {_ADDRESSES} addresses are looked at")
                break
    if wrong > _SAID:
        complain(f"{wrong - _SAID} more lines are no addresses")
    if not urls:
        raise BadInput("there is no address among these lines")
    return list(urls)


def _with_pages(loaded: Iterable[Loaded], by: str) -> Candidates:
    """Load pages; what fails is said and left out."""
    good = _good_ones(loaded)
    names = tuple(page.url or page.name for page in good)
    return Candidates(by, names, tuple(good) if by == "cover" else ())


def _good_ones(loaded: Iterable[Loaded]) -> list[Loaded]:
    good = keep_good(loaded)
    if not good:
        raise BadInput("there is no page to choose from")
    return good


def _of_site(start: str, by: str, reach: Reach, pages: int, delay_s: float) -> Candidates:
    """Sample a site; for choosing by address a few pages do, since what they link to can be suggested too."""
    from scythe.teaching.sampling import sample_site

    if by == "cover":
        return _with_pages(sample_site(start, pages, reach, delay_s=delay_s), by)
    good = _good_ones(sample_site(start, min(pages, _LINKING), reach, delay_s=delay_s))
    return Candidates(by, tuple(dict.fromkeys(_known_addresses(good)))[:_ADDRESSES])


def _known_addresses(pages: Sequence[Loaded]) -> Iterator[str]:
    from scythe.teaching.sampling import own_links

    own = host(pages[0].url or "")
    for page in pages:
        if page.url:
            yield page.url
        yield from own_links(page, own)
