"""A document that is worked out when something of it is first asked for: a response comes in, its parts go out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from scythe.crawling.extraction import complete, is_cold
from scythe.model import Document, Metadata
from scythe.page.said import read_said

Extract = Callable[[bytes, str, str], Document]  # body, address, content type


class PageDocument:
    """What `response.meta["scythe"]` is: all that a Document has, read or cut at the first look.

    It holds the body and not the response, which would hold itself.
    """

    def __init__(self, extract: Extract, body: bytes, url: str, content_type: str = "") -> None:
        self._extract = extract
        self.body = body
        self.page_url = url
        self.content_type = content_type
        self.is_filed = False  # stored in an archive
        self.new_records: list[dict[str, Any]] = []  # of its main list, which the archive did not have

    @cached_property
    def document(self) -> Document:
        """The document itself."""
        return self._extract(self.body, self.page_url, self.content_type)

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says about itself; rules give only some of it, its head is asked for the rest."""
        known = self.document.metadata
        return known if is_cold(self.document) else complete(known, read_said(self.body, self.page_url))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # whoever copies objects asks for such before there is anything
            raise AttributeError(name)
        return getattr(self.document, name)

    def __repr__(self) -> str:
        """Tell whether it was looked at; to show more would be a look."""
        return repr(self.document) if "document" in self.__dict__ else f"<PageDocument {self.page_url}, not read yet>"
