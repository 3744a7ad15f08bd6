"""Other extractors to compare with, where installed: a name comes in, `extract(html, url) -> text` goes out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from scythe.errors import BadInput, MissingExtra

Extract = Callable[[str, str | None], str]


def _silence(package: str) -> None:
    """Keep what a package says of pages out of the terminal: what it fails on is counted."""
    logging.getLogger(package).addHandler(logging.NullHandler())


def _trafilatura() -> Extract:
    import trafilatura

    _silence("trafilatura")
    return lambda html, url: trafilatura.extract(html, url=url, include_comments=False) or ""


def _readability() -> Extract:
    import lxml.html
    from readability import Document

    _silence("readability")
    return lambda html, url: str(lxml.html.fromstring(Document(html).summary()).text_content())


def _resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, url: str(extract_plain_text(html, main_content=True, alt_texts=False, links=False))


_MAKERS = {"trafilatura": _trafilatura, "readability-lxml": _readability, "resiliparse": _resiliparse}
PEERS = tuple(_MAKERS)


def installed() -> tuple[str, ...]:
    """Return the names of the peers that are installed."""
    return tuple(name for name in PEERS if release(name))


def release(package: str) -> str:
    """Return the installed version of a package, or an empty string."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def peer(name: str) -> Extract:
    """Return a peer ready to run. Raises BadInput for an unknown name, MissingExtra when it is not installed."""
    if name not in _MAKERS:
        raise BadInput(f"no peer is called {name!r}; known are {', '.join(PEERS)}")
    try:
        return _MAKERS[name]()
    except ImportError as error:
        raise MissingExtra(f"{name} is not installed: pip install 'webscythe[bench]'") from error
