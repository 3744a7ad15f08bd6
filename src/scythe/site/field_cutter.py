"""Cut one field out of bare bytes, in microseconds, and out of the page's map where bytes alone are not certain."""

from __future__ import annotations

from collections.abc import Callable

from scythe.model import Field
from scythe.site.byte_rules import CUT, ByteCutter, ByteRule
from scythe.site.extract import with_type

HOW = "cut: bytes"


class FieldCutter:
    """Cuts one field of the pages of a site: call it with the bytes of a page."""

    __slots__ = ("_cut", "_on_map", "_type", "rule")

    def __init__(self, rule: ByteRule, kind: str, on_map: Callable[[bytes], Field]) -> None:
        self.rule = rule
        self._type = kind  # of its values; "": plain text
        self._cut = ByteCutter(rule).cut
        self._on_map = on_map

    def __call__(self, body: bytes) -> Field:
        """Return the field of a page. Its `how` says whether bytes were enough."""
        state, value, span, inner = self._cut(body)
        if state != CUT or span is None:
            return self._on_map(body)
        field = Field((value,), _place(body, value, inner, span[1]), HOW)
        return with_type(field, self._type) if self._type else field


def _place(body: bytes, value: str, inner: int, end: int) -> tuple[int, int] | None:
    """Return where a value stands in an element, None where tags stand in it as well."""
    written = value.encode()
    at = body.find(written, inner, end)
    if at >= 0:
        return at, at + len(written)
    close = body.rfind(b"</", inner, end)
    return None if body.find(b"<", inner, close) >= 0 else (inner, close)
