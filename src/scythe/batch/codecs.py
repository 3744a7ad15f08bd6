"""Put the pages of a unit into UTF-8: bytes as they came in, UTF-8 out, so that one set of rules serves all of a site.

To work out what a page is in takes longer than to cut it. Where a page of a site declared a codec and turned out to be
in it, the next one that declares it, and can be read by it, is believed.
"""

from __future__ import annotations

from scythe.batch.profiles import site_of
from scythe.cut.cutter import is_utf8
from scythe.page.encoding import decode
from scythe.page.labels import declared_codec, header_codec

_MOST = 10_000  # sites and what their pages declare

Declared = tuple[str, str]  # site and codec


class Codecs:
    """What was found of the pages of sites so far."""

    def __init__(self) -> None:
        self._borne_out: dict[Declared, bool] = {}  # False: a page was in something else

    def to_utf8(self, body: bytes, content_type: str, url: str) -> bytes:
        """Return a page in UTF-8; places in it are then not those in the page as it came."""
        return body if is_utf8(body) else self._convert(body, content_type, url)

    def _convert(self, body: bytes, content_type: str, url: str) -> bytes:
        codec = header_codec(content_type) or declared_codec(body) or ""
        declared = site_of(url), codec
        if self._borne_out.get(declared, False) and b"\x00" not in body:
            try:
                return body.decode(codec).encode()
            except UnicodeDecodeError:
                pass  # a page of another kind, or a broken one
        found = decode(body, content_type)
        self._note(declared, found.encoding)
        return found.text.encode()

    def _note(self, declared: Declared, found: str) -> None:
        if declared in self._borne_out or len(self._borne_out) < _MOST:
            self._borne_out[declared] = found == declared[1] and self._borne_out.get(declared, True)
