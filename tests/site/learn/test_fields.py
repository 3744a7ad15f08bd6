"""Fields that reading finds by itself are learned from several pages and found on others."""

from __future__ import annotations

from functools import cache

import pytest

from scythe.demo import site
from scythe.demo.build import DemoPage
from scythe.page.dates import to_iso
from scythe.site.cut.cutter import Boilerplate
from scythe.site.follow.follow_fields import follow
from scythe.site.learn.learn_fields import LearnedFields, learn_fields
from scythe.site.learn.learn_site import make_lesson_page, make_sample
from scythe.site.learn.main_text import agree
from scythe.site.learn.value_sources import LearnedPage

LEARNED = 5


@cache
def demo_pages(kind: str, language: str, design: int = 0) -> tuple[DemoPage, ...]:
    pages = site(seed=3, pages=84, design=design)
    return tuple(page for page in pages if page.kind == kind and page.language == language)[: LEARNED + 3]


def sample_of(html: bytes, url: str | None = None) -> LearnedPage:
    return make_sample(make_lesson_page(html, url))


@cache
def lessons(
    kind: str, language: str, design: int = 0
) -> tuple[LearnedFields, tuple[tuple[DemoPage, LearnedPage], ...]]:
    """Learn on some pages of a kind and return the others."""
    pages = demo_pages(kind, language, design)
    samples = [sample_of(page.html, page.url) for page in pages]
    return learn_fields(samples[:LEARNED]), tuple(zip(pages, samples, strict=True))[LEARNED:]


def values_of(learned: LearnedFields, name: str, sample: LearnedPage) -> str:
    ways = [way for rules in learned.fields if rules.name == name for way in rules.ways]
    return next((found.values[0] for way in ways if (found := follow(sample.source, way)).values), "")


KINDS = [("news", "en", 0), ("news", "en", 1), ("blog", "en", 0), ("product", "en", 1), ("news", "zh", 0)]


@pytest.mark.parametrize(("kind", "language", "design"), KINDS)
def test_titles_of_further_pages_are_right(kind: str, language: str, design: int) -> None:
    learned, others = lessons(kind, language, design)
    assert [values_of(learned, "title", sample) for _, sample in others] == [page.gold_title for page, _ in others]


@pytest.mark.parametrize(("kind", "language", "design"), KINDS)
def test_texts_of_further_pages_agree_with_the_gold(kind: str, language: str, design: int) -> None:
    learned, others = lessons(kind, language, design)
    clean = Boilerplate(learned.boilerplate).clean
    scores = [agree(clean(values_of(learned, "text", sample)), page.gold_text) for page, sample in others]
    assert min(scores) > 0.93
    assert sum(scores) / len(scores) > 0.95


@pytest.mark.parametrize("design", [0, 1])
def test_dates_and_authors_of_further_pages_are_right(design: int) -> None:
    learned, others = lessons("news", "en", design)
    for page, sample in others:
        assert to_iso(values_of(learned, "date", sample))[:10] == str(page.gold_published)
        assert values_of(learned, "author", sample) == page.gold_author


def test_a_field_that_no_page_has_is_named_with_the_reason() -> None:
    learned, _ = lessons("product", "en", 1)
    assert "author" not in {rules.name for rules in learned.fields}
    assert [reason for reason in learned.reasons if reason.startswith("author: on 0 of 5 pages")]


def test_the_usual_of_a_field_counts_the_pages_learned() -> None:
    learned, _ = lessons("news", "en")
    assert {rules.usual.present for rules in learned.fields} == {LEARNED}
    text = next(rules for rules in learned.fields if rules.name == "text")
    assert 0 < text.usual.shortest <= text.usual.longest


def test_one_page_teaches_nothing() -> None:
    page = demo_pages("news", "en")[0]
    learned = learn_fields([sample_of(page.html, page.url)])
    assert learned.fields == ()
    assert learned.reasons == ("1 page: learning needs 2 of one layout",)


def test_no_pages_teach_nothing() -> None:
    assert learn_fields([]).fields == ()


def test_pages_that_have_nothing_in_common_give_no_text() -> None:
    words = "The reapers walked the field before dawn, cut the barley low and bound it to dry. " * 8
    frames = ("<div class=a>{}</div>", "<table><tr><td>{}</table>", "<section id=z><p>{}</p></section>", "<ul><li>{}")
    pages = [f"<title>{n}</title><body>{frame.format(words + str(n))}".encode() for n, frame in enumerate(frames)]
    learned = learn_fields([sample_of(page) for page in pages])
    assert "text" not in {rules.name for rules in learned.fields}
    assert any(reason.startswith("text: ") for reason in learned.reasons)


ODD = [
    b"",
    b"   ",
    b"plain words",
    b"<title>a",
    b"<" * 300,
    b"<div>" * 400 + b"<p>deep words in here</p>",
    b"<!-- never closed <p>text",
    b"<script>var a = '<p>text</p>'</script>",
    "<p>\u6536\u5272\u8005\u5728\u9ece\u660e\u524d\u8d70\u8fc7\u7530\u91ce\u3002</p>".encode() * 20,
    b"<table><tr><td>loose <p>words<td>side</table>" * 9,
    b"<p class='x' class='y' id=\"a<b>c\">attributes with tags in them</p>" * 9,
    b"\xff\xfe\x00<\x00p\x00>\x00a\x00",
]


@pytest.mark.parametrize("page", ODD)
def test_odd_pages_never_raise(page: bytes) -> None:
    learned = learn_fields([sample_of(page), sample_of(page), sample_of(page + b"<p>more</p>")])
    assert {rules.name for rules in learned.fields} <= {"title", "text", "date", "author"}


def test_odd_pages_among_good_ones_are_outvoted() -> None:
    pages = demo_pages("news", "en")
    samples = [sample_of(page.html, page.url) for page in pages[:LEARNED]]
    learned = learn_fields([*samples, sample_of(b"<p>gone</p>")])
    further = sample_of(pages[LEARNED].html, pages[LEARNED].url)
    assert values_of(learned, "title", further) == pages[LEARNED].gold_title
