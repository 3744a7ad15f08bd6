"""Lines that several pages share are no content of any of them."""

from __future__ import annotations

from time import process_time

import pytest

from scythe.page import Page
from scythe.page.source import read_source
from scythe.site.boilerplate import find_boilerplate, improve, improve_samples
from scythe.site.cut.cutter import Boilerplate, fold
from scythe.site.learn.value_sources import LearnedPage

DAYS = ("Monday, May 4, 2026", "Friday, June 12, 2026", "Sunday, July 5, 2026", "Tuesday, May 19, 2026")
CRAFTS = ("weavers", "potters", "millers", "coopers")
PLACES = ("the northern valley", "a village on the lake", "some town behind the hills", "her house near a mill")


def html_of(number: int, *extra: str) -> str:
    who, where = CRAFTS[number], PLACES[number]
    own = [f"Long before sunrise {who} from {where} had carried {n + 2} baskets over that bridge." for n in range(5)]
    lines = [f"Posted: {DAYS[number]}", *own[:2], "All rights to this text are reserved.", *own[2:], *extra]
    return f"<title>On {who}</title><div id=story>{''.join(f'<p>{line}</p>' for line in lines)}</div>"


def sample_of(html: str) -> LearnedPage:
    page = Page.from_text(html)
    return LearnedPage(read_source(html.encode()), page, tuple(range(len(page.blocks))), page.metadata.title)


def test_dates_and_numbers_do_not_make_a_line_another_one() -> None:
    assert fold("Posted: Monday, May 4, 2026, 2:51 pm") == fold("Posted: Friday, June 12, 2025, 11:03 am")
    assert fold("Write to anna@example.org") == fold("Write to b.c@example.net")


def test_lines_on_several_pages_are_found() -> None:
    found = find_boilerplate([sample_of(html_of(number)) for number in range(4)])
    assert "all rights to this text are reserved." in found
    assert fold(f"Posted: {DAYS[0]}") in found
    assert not any("baskets" in line for line in found)


def test_improving_drops_these_lines_from_a_page_not_seen() -> None:
    samples = [sample_of(html_of(number)) for number in range(3)]
    fresh = sample_of(html_of(3))
    kept = improve(fresh.page, fresh.kept, find_boilerplate(samples))
    assert len(kept) == len(fresh.kept) - 2
    assert next(fresh.page.blocks.text[i] for i in kept).startswith("Long before")


def test_what_is_chosen_of_the_learned_pages_is_improved() -> None:
    better, known = improve_samples([sample_of(html_of(number)) for number in range(4)])
    assert {len(sample.kept) for sample in better} == {5}
    assert known.patterns


def test_copies_of_one_page_do_not_make_its_text_boilerplate() -> None:
    first = html_of(0)
    samples = [sample_of(html) for html in (first, first.replace("story", "print"), html_of(1), html_of(2))]
    assert not any("baskets" in line for line in find_boilerplate(samples))


def test_an_excerpt_on_another_page_does_not_make_a_paragraph_boilerplate() -> None:
    excerpt = "Long before sunrise weavers from the northern valley had carried 2 baskets over that bridge."
    samples = [
        sample_of(html_of(0)),
        *(sample_of(html_of(n, excerpt)) for n in (1,)),
        *map(sample_of, map(html_of, (2, 3))),
    ]
    assert fold(excerpt) not in find_boilerplate(samples)


def test_headings_of_the_same_name_stay() -> None:
    pages = [html_of(n).replace("<p>", "<h2>Method</h2><p>", 1) for n in range(4)]
    assert "method" not in find_boilerplate([sample_of(page) for page in pages])


def test_two_pages_are_too_few() -> None:
    assert find_boilerplate([sample_of(html_of(0)), sample_of(html_of(1))]) == ()


def test_nothing_is_left_of_no_page() -> None:
    page = Page.from_text("<p>Same line</p>")
    assert improve(page, (0,), ("same line",)) == (0,)


def test_cleaning_takes_a_line_and_one_gap() -> None:
    known = Boilerplate(("share this", "^by ...", "... of this paper", "read more about ..."))
    text = (
        "A title\n\nBy Anna Reed\n\nShare this\n\n" + "Words of the first paragraph, which has more than enough. " * 3
    )
    tail = "\n\nRead more about barley\n\nAnna is a reader of this paper\n\nBy and by it rained."
    assert known.clean(text + tail).split("\n\n") == ["A title", text.split("\n\n")[3], "By and by it rained."]


def test_a_text_without_such_lines_is_returned_as_it_is() -> None:
    text = "One line.\n\nAnother line."
    assert Boilerplate(("share this",)).clean(text) is text


def test_cleaning_takes_time_in_proportion_to_the_text() -> None:
    known = Boilerplate(tuple(f"share word{n} with friends" for n in range(300)))
    spent = []
    for size in (2_000, 16_000):
        text = "\n\n".join(f"Share word{n} with {n} of the friends" for n in range(size))
        start = process_time()
        known.clean(text)
        spent.append(process_time() - start)
    assert spent[1] < 8 * 2.3 * spent[0] + 0.05


def test_lines_are_judged_alike_however_few_words_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{word} rights to this text are reserved." for word in ("All", "No", "Some", "Few", "My", "All")]
    kept = [Boilerplate((fold(lines[0]),)).holds(line) for line in lines]
    monkeypatch.setattr("scythe.site.cut.cutter._REMEMBERED", 2)
    known = Boilerplate((fold(lines[0]),))
    assert [known.holds(line) for line in lines] == kept == [True, False, False, False, False, True]
    assert len(known._known_words) <= 2
