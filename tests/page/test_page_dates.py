"""The day of publication, from everything a page says of it."""

from __future__ import annotations

import pytest

import scythe
from scythe.page.dates import to_iso

_WORDS = "<p>The reapers walked down to the field before the sun was up, and cut the barley low all morning.</p>" * 4


def published(html: str, url: str = "https://example.org/story", lang: str = "en") -> str:
    return scythe.read(f"<html lang={lang}><body>{html}</body></html>", url=url).metadata.published


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("May 3rd, 2024", "2024-05-03"),
        ("3. Mai 2024, 10:15 Uhr", "2024-05-03"),
        ("Veröffentlicht am 03.05.2024", "2024-05-03"),
        ("3 de mayo de 2024", "2024-05-03"),
        ("le 3 août 2024", "2024-08-03"),
        ("3 сентября 2024 г.", "2024-09-03"),
        ("2024年5月3日 10:15", "2024-05-03"),
        ("2024년 5월 3일", "2024-05-03"),
        ("2024. május 3.", "2024-05-03"),
        ("3 Μαΐου 2024", "2024-05-03"),
        ("13/05/2024", "2024-05-13"),
    ],
)
def test_visible_dates_are_read_in_many_languages(text: str, day: str) -> None:
    assert published(f"<h1>The barley is in</h1><p class=date>{text}</p>{_WORDS}") == day


def test_of_two_numbers_the_first_is_the_month_on_american_pages_only() -> None:
    html = f"<h1>The barley is in</h1><p class=date>05/03/2024</p>{_WORDS}"
    assert (published(html, lang="en-US"), published(html, lang="en-GB")) == ("2024-05-03", "2024-03-05")
    assert to_iso("05/03/2024") == ""


def test_the_address_and_the_byline_agree_against_a_date_in_the_text() -> None:
    head = "<h1>The barley is in</h1><div class=byline>By Ann Reap, May 3, 2024</div>"
    html = f"{head}<p>On June 1, 2019 they sowed.</p>{_WORDS}"
    assert published(html, "https://example.org/2024/05/03/barley") == "2024-05-03"


def test_published_and_modified_are_told_apart() -> None:
    html = (
        f"<h1>The barley is in</h1><p>Updated: June 9, 2024</p><p>Published: May 3, 2024</p>{_WORDS}"
        '<script type="application/ld+json">{"@type": "Article", "headline": "The barley is in", '
        '"datePublished": "2024-05-03T10:15:00+02:00", "dateModified": "2024-06-09T08:00:00Z"}</script>'
    )
    metadata = scythe.read(html, url="https://example.org/story").metadata
    assert (metadata.published, metadata.modified) == ("2024-05-03T10:15:00+02:00", "2024-06-09T08:00:00Z")


def test_days_to_come_are_no_days_of_publication() -> None:
    assert published(f"<h1>The fair</h1><p>It opens on May 3, 2099.</p>{_WORDS}") == ""


def test_a_page_without_a_date_has_none() -> None:
    assert published(f"<h1>The barley is in</h1><p>Version 2024.05, room 1999</p>{_WORDS}") == ""
