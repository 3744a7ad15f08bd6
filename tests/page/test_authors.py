"""Authors are names and nothing else, and none is made up."""

from __future__ import annotations

import pytest

import scythe
from scythe.page.authors import read_names

_WORDS = "<p>The reapers walked down to the field before the sun was up, and cut the barley low all morning.</p>" * 4


def authors(html: str, head: str = "") -> tuple[str, ...]:
    page = f"<html><head>{head}</head><body><h1>The barley is in</h1>{html}{_WORDS}</body></html>"
    return scythe.read(page, url="https://example.org/story").metadata.authors


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Ann Reap", ("Ann Reap",)),
        ("Written by Ann Reap and Joe Sickle", ("Ann Reap", "Joe Sickle")),
        ("By Ann Reap | Updated on 19-Dec-2025", ("Ann Reap",)),
        ("by Amanda · Dec 20, 2025 at 3:00 am", ("Amanda",)),
        ("By Ann Reap, Senior Editor", ("Ann Reap",)),
        ("By Ann Reap, MD", ("Ann Reap",)),
        ("ByAnn Reap", ("Ann Reap",)),
        ("Published August 7, 2023 by Ann Reap", ("Ann Reap",)),
        ("Von Anna Sense", ("Anna Sense",)),
        ("作者：王小明", ("王小明",)),
        ("Ann Reap (Ann | The Field)", ("Ann Reap",)),
        ("Ann Reap -", ("Ann Reap",)),
        ("Ann Reap Mar 14, 2024 34 min read", ("Ann Reap",)),
        ("billed annually, or $50 / mo", ()),
        ("By A. J. Reap", ("A. J. Reap",)),
        ("By admin", ()),
        ("https://example.org/ann", ()),
    ],
)
def test_names_are_told_from_what_stands_around_them(text: str, names: tuple[str, ...]) -> None:
    assert read_names(text) == names
