"""The day of publication, from everything a page says of it."""

from __future__ import annotations

import scythe
from scythe.page.dates import to_iso

_WORDS = "<p>The reapers walked down to the field before the sun was up, and cut the barley low all morning.</p>" * 4


def published(html: str, url: str = "https://example.org/story", lang: str = "en") -> str:
    return scythe.read(f"<html lang={lang}><body>{html}</body></html>", url=url).metadata.published


def test_of_two_numbers_the_first_is_the_month_on_american_pages_only() -> None:
    html = f"<h1>The barley is in</h1><p class=date>05/03/2024</p>{_WORDS}"
    assert (published(html, lang="en-US"), published(html, lang="en-GB")) == ("2024-05-03", "2024-03-05")
    assert to_iso("05/03/2024") == ""
