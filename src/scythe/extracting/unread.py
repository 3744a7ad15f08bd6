"""Documents of a site that was learned for other fields: title and text are read when somebody first asks for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from scythe.model import Document
from scythe.page import Page
from scythe.page.said import read_declared_title
from scythe.page.sniff import sniff_text
from scythe.reader import read_title

_NOT_LEARNED = "the field was not learned"


class UntitledDocument(Document):
    """A document whose title no rule was learned for."""

    def __init__(self, *values: Any, unread: UnreadTitle | None = None, **named: Any) -> None:
        super().__init__(*values, **named)
        if not self.__dict__["title"]:
            del self.__dict__["title"]  # which would hide the property
            self.__dict__["unread"] = unread

    @cached_property
    def title(self) -> str:
        unread: UnreadTitle | None = self.__dict__.pop("unread", None)
        if unread is None:
            return ""
        title, self.how["title"] = unread.read()
        return title

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy has, which has no page behind it."""
        _ = self.title
        return dict(self.__dict__)


class UnreadDocument(UntitledDocument):
    """A document whose text no rule was learned for."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        del self.__dict__["text"]  # which would hide the property

    @cached_property
    def text(self) -> str:
        return self.content.text()


class UnreadTitle:
    """What a page calls itself: as `read` finds it, or where there is to be no tree, as its head says."""

    def __init__(self, body: bytes, url: str | None, page: Callable[[], Page] | None) -> None:
        self._body = body
        self._url = url
        self._page = page  # None: there is to be no tree

    def read(self) -> tuple[str, str]:
        """Return the title and how it was got."""
        if self._page is None:
            title = read_declared_title(self._body, self._url)
            return title, f"head: declared by the page ({_NOT_LEARNED})" if title else f"missing: {_NOT_LEARNED}"
        page = self._page()
        title, how = read_title(page) if not sniff_text(page.html) else ("", "")
        return title, f"tree: {how} ({_NOT_LEARNED})" if title else f"missing: {_NOT_LEARNED}"
