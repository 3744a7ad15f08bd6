"""The name of a site is told from the titles of its pages."""

from __future__ import annotations

from scythe.page import Page
from scythe.page.source import read_source
from scythe.site.learn.learn_fields import improve_titles
from scythe.site.learn.value_sources import LearnedPage


def sample_of(declared: str, reported: str) -> LearnedPage:
    html = f"<title>{declared}</title>"
    return LearnedPage(read_source(html.encode()), Page.from_text(html), (), reported)


def test_a_title_that_all_pages_report_is_the_name_of_the_site() -> None:
    names = ("Rain at last", "Wheat and rye", "The old mill")
    titles = improve_titles([sample_of(f"{name} - Field Post", "Field Post") for name in names])
    assert titles == tuple((name,) for name in names)


def test_the_name_of_the_site_may_come_first() -> None:
    names = ("Rain at last", "Wheat and rye", "The old mill")
    titles = improve_titles([sample_of(f"Field Post | {name}", "Field Post") for name in names])
    assert titles == tuple((name,) for name in names)


def test_reported_titles_come_first() -> None:
    titles = improve_titles([sample_of(f"{name} Archive - Field Post", name) for name in ("Rain", "Wheat", "Mill")])
    assert titles == tuple((name, f"{name} Archive") for name in ("Rain", "Wheat", "Mill"))


def test_pages_with_one_and_the_same_title_keep_it() -> None:
    assert improve_titles([sample_of("Field Post", "Field Post")] * 3) == (("Field Post",),) * 3


def test_pages_without_a_title_have_none() -> None:
    assert improve_titles([sample_of("", "")] * 3) == ((), (), ())
