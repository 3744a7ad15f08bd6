"""Fields learned from a few example values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scythe.page.source import read_source
from scythe.site.follow.follow_fields import follow
from scythe.site.learn.examples import Examples, LearnedExamples, learn_examples

BOOK = """<html><head><title>{title} | Books</title><meta name="price" content="{price}"></head><body>
<div id="top"><a href="/">Books</a> &gt; <a href="/all">{title}</a></div>
<div class="book"><h1>{title}</h1><p class="by">by {author}, {year} edition</p>
<ul>{facts}</ul></div><h2>Others</h2><p>{other} <em>{price}</em></p></body></html>"""
NAMES = ["Ann Lee", "Bo Chan", "Cy Dow", "Di East", "Ed Fox"]
TITLES = ["The Sea", "A Hill", "My Garden", "Old Roads", "White Nights"]


def book(i: int, *, pages: bool = True, extra: str = "") -> bytes:
    facts = extra + f"<li><b>Publisher:</b> House {i}</li>" + (f"<li><b>Pages:</b> {i * 7 + 90}</li>" if pages else "")
    price = f"${i * 3 + 5}.50"
    other = TITLES[(i + 1) % 5]
    return BOOK.format(
        title=TITLES[i % 5], author=NAMES[i % 5], year=1990 + i, facts=facts, other=other, price=price
    ).encode()


def gold(i: int) -> dict[str, list[str]]:
    return {"title": [TITLES[i % 5]], "author": [NAMES[i % 5]], "pages": [str(i * 7 + 90)], "publisher": [f"House {i}"]}


def learn(pages: Sequence[bytes], examples: Sequence[Examples | None]) -> LearnedExamples:
    return learn_examples([read_source(page) for page in pages], examples)


def get(learned: LearnedExamples, page: bytes) -> Mapping[str, str]:
    source = read_source(page)
    got: dict[str, str] = {}
    for rules in learned.fields:
        values = next((found for way in rules.ways if any(found := follow(source, way).values)), ())
        if values:
            got[rules.name] = values[0]
    return got


def first(examples: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {name: values[0] for name, values in examples.items()}


def test_three_pages_teach_title_author_and_facts() -> None:
    learned = learn([book(i) for i in (0, 1, 2)], [gold(i) for i in (0, 1, 2)])
    assert [get(learned, book(i)) for i in (3, 4, 8)] == [first(gold(i)) for i in (3, 4, 8)]
    assert learned.reasons == {}


def test_one_page_teaches_too() -> None:
    learned = learn([book(0)], [gold(0)])
    assert get(learned, book(4)) == first(gold(4))


def test_a_page_without_the_field_gives_none_of_its_neighbours() -> None:
    learned = learn([book(i) for i in (0, 1, 2)], [gold(i) for i in (0, 1, 2)])
    assert "pages" not in get(learned, book(3, pages=False))


def test_rows_in_front_do_not_matter() -> None:
    learned = learn([book(i) for i in (0, 1, 2)], [gold(i) for i in (0, 1, 2)])
    page = book(3, extra="<li><b>Format:</b> Paper</li><li><b>Series:</b> One</li>")
    assert get(learned, page) == first(gold(3))


def test_an_empty_list_says_that_the_page_lacks_the_field() -> None:
    pages = [book(0), book(1), book(2, pages=False)]
    learned = learn(pages, [{"pages": ["90"]}, {"pages": ["97"]}, {"pages": []}])
    assert [get(learned, page) for page in (book(3), book(4, pages=False))] == [{"pages": "111"}, {}]


def test_a_value_in_an_attribute_is_learned_from_there() -> None:
    pages = [f"<html><head></head><body><p>x</p><img class=cover src=a alt='Cover {c}'>".encode() for c in "abc"]
    learned = learn(pages, [{"cover": [f"Cover {c}"]} for c in "abc"])
    page = b"<html><head></head><body><p>x</p><img class=cover src=a alt='Cover d'>"
    assert get(learned, page) == {"cover": "Cover d"}


def test_a_part_of_a_text_is_cut_out_of_it() -> None:
    learned = learn([book(i) for i in (0, 1, 2)], [{"author": [NAMES[i]]} for i in (0, 1, 2)])
    way = learned.fields[0].ways[0]
    assert (way.before, way.after) == ("by ", ", ")


def test_a_text_is_taken_for_one_value() -> None:
    learned = learn([book(0), book(1)], [{"title": TITLES[0]}, {"title": TITLES[1]}])
    assert get(learned, book(2)) == {"title": TITLES[2]}


def test_a_value_that_is_nowhere_is_not_learned_and_said_so() -> None:
    learned = learn([book(0), book(1)], [{"isbn": ["123"]}, {"isbn": ["456"]}])
    assert learned.fields == ()
    assert learned.reasons == {"isbn": "the value is on none of the example pages"}


def test_a_value_missing_on_one_page_does_not_count_and_is_said() -> None:
    learned = learn(
        [book(0), book(1), book(2)], [{"title": ["No such"]}, {"title": [TITLES[1]]}, {"title": [TITLES[2]]}]
    )
    assert get(learned, book(3)) == {"title": TITLES[3]}
    assert learned.reasons == {"title": "the value is not on 1 of 3 example pages"}


def test_a_field_that_no_page_has_is_said_so() -> None:
    assert learn([book(0)], [{"title": []}]).reasons == {"title": "no example page has a value"}


def test_pages_of_another_layout_get_a_way_of_their_own() -> None:
    other = "<html><body><table class=t><tr><td class=k>Name</td><td class=v>{}</td></tr></table><p>x</p>"
    pages = [book(0), book(1), other.format("My Garden").encode(), other.format("Old Roads").encode()]
    learned = learn(pages, [{"title": [TITLES[i]]} for i in range(4)])
    assert [get(learned, book(4)), get(learned, other.format("Rain").encode())] == [
        {"title": "White Nights"},
        {"title": "Rain"},
    ]


def test_pages_without_labels_help_to_choose() -> None:
    pages = [book(i) for i in range(5)]
    learned = learn(pages, [gold(0), None, None, None, None])
    assert get(learned, book(8)) == first(gold(8))


def test_what_was_usual_is_noted() -> None:
    usual = learn([book(i) for i in (0, 1, 2)], [gold(i) for i in (0, 1, 2)]).fields[0].usual
    assert (usual.pages, usual.present, usual.longest) == (3, 3, len("My Garden"))


def test_any_page_can_be_learned_from() -> None:
    pages = [b"", b"\xff\xfe<", b"<p" * 3_000, b"<b>x" * 2_000, "<p>é</p>".encode("latin-1")]
    learned = learn(pages, [{"a": ["x"], "b": ["é"], "c": [""]}] * len(pages))
    assert {rules.name for rules in learned.fields} <= {"a", "b"}
