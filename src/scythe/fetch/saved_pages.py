"""Pages that a browser, SingleFile or HTTrack saved: the address they had, and the pictures that lie beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scythe.limits import LIMITS
from scythe.url import FOLDER, Url, absolute

_SAVED_FROM = re.compile(
    rb"<!-- saved from url=\(\d{1,6}\)(https?://[^\s\"'<>]{1,8000}) -->"  # browsers
    rb"|Page saved with SingleFile\s{1,9}url: (https?://[^\s\"'<>]{1,8000})"
    rb"|<!-- Mirrored from ([^\s\"'<>]{1,8000}) by HTTrack",
    re.IGNORECASE,
)
_MARK_BYTES, _HEAD_BYTES = 16_384, 131_072  # of a page in which its mark stands, and what its head says
_TAG = re.compile(rb"<(base|link|meta)\s([^<>]{1,8500})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""([\w-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_IMAGE_TAG = re.compile(rb"<(?:img|source|amp-img)\s([^<>]{1,60000})>", re.IGNORECASE)
_WHOLE = re.compile(r"[/\\]|[A-Za-z][A-Za-z0-9+.-]*:")  # begins what is no relative path
_ORDER = ("canonical", "og:url", "base")


def saved_address(body: bytes) -> str | None:
    """Return the address that a page in a file had: what the tool that saved it says, else what the page itself says.

    That is its canonical link, `og:url` or `base`.
    """
    found = _SAVED_FROM.search(body, 0, _MARK_BYTES)
    if found is not None:
        said = (found[1] or found[2] or b"http://" + (found[3] or b"")).decode("utf-8", "replace")
        if address := absolute(unescape(said)):
            return address
    own = stated_addresses(body)
    return next((own[name] for name in _ORDER if name in own), None)


def stated_addresses(body: bytes) -> dict[str, Url]:
    """Return the absolute addresses that the head of a page states, by `canonical`, `og:url` and `base`."""
    own: dict[str, Url] = {}
    for tag in _TAG.finditer(body, 0, _HEAD_BYTES):
        given = {each[1].lower(): each[2] or each[3] or each[4] or b"" for each in _ATTRIBUTE.finditer(tag[2])}
        name = tag[1].lower()
        if name == b"link":
            name, address = given.get(b"rel", b"").lower(), given.get(b"href", b"")
        elif name == b"meta":
            name, address = given.get(b"property", b"").lower(), given.get(b"content", b"")
        else:
            address = given.get(b"href", b"")
        key = name.decode("latin-1")
        if key in _ORDER and key not in own and (url := absolute(unescape(address.decode("utf-8", "replace")))):
            own[key] = url
    return own


@dataclass(frozen=True, slots=True)
class SavedPictures:
    """The pictures beside one saved page: in its own folder, or elsewhere in the tree that it was saved with."""

    page: Path
    root: Path  # nothing outside of it is read
    written: Mapping[Url, str]  # paths as the page writes them, by what they are taken for

    @classmethod
    def beside(cls, page: Path, body: bytes, url: str | None, root: Path | None = None) -> SavedPictures:
        """Look beside a page; without `root`, in its folder, or in the mirror of HTTrack that it stands in."""
        bases = [base for base in (stated_addresses(body).get("base"), url) if base] or [FOLDER]
        if root is None:
            hosts = {urlsplit(base).netloc for base in bases} - {""}
            root = next((each.parent for each in page.absolute().parents if each.name in hosts), page.parent)
        written = {
            address: path for path in _relative_paths(body) for base in bases if (address := absolute(path, base))
        }
        return cls(page, root, written)

    def find(self, src: Url) -> Path | None:
        """Return the file of an image's address: one inside the root, and no device, whatever links lead there."""
        path = self.written.get(src)
        if path is None:
            return None
        try:
            real = (self.page.parent / unquote(path.partition("?")[0].partition("#")[0])).resolve(strict=True)
            return real if real.is_relative_to(self.root.resolve()) and real.is_file() else None
        except (OSError, ValueError, RuntimeError):  # is not there, or no name of a file, or links in a circle
            return None

    def read(self, src: Url) -> bytes | None:
        """Return an image's bytes, None where it is not here."""
        found = self.find(src)
        if found is None:
            return None
        with found.open("rb") as file:
            return file.read(LIMITS.body_bytes)


def _relative_paths(body: bytes) -> Iterator[str]:
    """Yield what the attributes of images say that may be a path."""
    for tag in _IMAGE_TAG.finditer(body):
        for each in _ATTRIBUTE.finditer(tag[1]):
            said = unescape((each[2] or each[3] or each[4] or b"").decode("utf-8", "replace")).strip()
            for path in (said, *(part.split()[0] for part in said.split(",") if part.strip())):
                if _WHOLE.match(path) is None:
                    yield path
