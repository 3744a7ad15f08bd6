"""Fields with several values on a page."""

from __future__ import annotations

from collections.abc import Sequence

from scythe.page.source import read_source
from scythe.site.follow.follow_fields import follow
from scythe.site.learn.examples import learn_examples, learn_repeats
from scythe.site.learn.page_text import lay_out
from scythe.site.rules import ATTRIBUTE


def page(*tags: str, others: Sequence[str] = ("x",)) -> bytes:
    listed = "".join(f'<a class="tag" href="/t/{tag}">{tag}</a>, ' for tag in tags)
    rest = "".join(f'<a class="more" href="/m/{other}">{other}</a>' for other in others)
    return f"<html><body><h1>T</h1><p>{listed}</p><div>{rest}</div>".encode()


PAGES = [page("red", "blue"), page("green"), page("red", "white", "grey")]
VALUES = [["red", "blue"], ["green"], ["red", "white", "grey"]]


def test_one_literal_gives_all_values() -> None:
    way = learn_repeats([lay_out(read_source(body)) for body in PAGES], VALUES)
    assert way is not None
    assert way.repeats
    assert follow(read_source(page("a", "b", "c", "d")), way).values == ("a", "b", "c", "d")


def test_all_values_come_with_an_end_marker() -> None:
    way = learn_repeats([lay_out(read_source(body)) for body in PAGES], VALUES)
    assert way is not None
    assert (way.end, way.inner_tags) == (b"</a>", 1)


def test_a_literal_that_gives_more_than_the_values_is_refused() -> None:
    bodies = [body.replace(b'class="more" href="/m/', b'class="tag" href="/t/') for body in PAGES]
    assert learn_repeats([lay_out(read_source(body)) for body in bodies], VALUES) is None


def test_two_values_are_too_few_to_believe_in_repetition() -> None:
    assert learn_repeats([lay_out(read_source(page("red", "blue")))], [["red", "blue"]]) is None


def test_spellings_of_one_value_are_no_repetition() -> None:
    bodies = [b"<html><body><h1>Canon</h1><p>x</p><p class=m>Canon, Inc</p>"] * 2
    learned = learn_examples([read_source(body) for body in bodies], [{"maker": ["Canon", "Canon, Inc"]}] * 2)
    assert not any(way.repeats for rules in learned.fields for way in rules.ways)


def test_values_in_attributes_repeat_too() -> None:
    bodies = [b"<html><body>" + b"".join(b"<img class=s alt='s %d'>" % i for i in range(n)) for n in (2, 3)]
    values = [[f"s {i}" for i in range(n)] for n in (2, 3)]
    way = learn_repeats([lay_out(read_source(body)) for body in bodies], values)
    assert way is not None
    assert (way.take, way.attribute) == (ATTRIBUTE, "alt")


def test_examples_with_all_values_are_learned_as_repetition() -> None:
    learned = learn_examples([read_source(body) for body in PAGES], [{"tags": values} for values in VALUES])
    assert follow(read_source(page("x", "y")), learned.fields[0].ways[0]).values == ("x", "y")


def listed(*tags: str, others: Sequence[str] = ("x",)) -> bytes:
    """A page with a list of tags, and the same markup elsewhere."""
    rows = "".join(f'<li class="row"><a class="tag" href="/t/{tag}">{tag}</a></li>' for tag in tags)
    rest = "".join(f'<li class="row"><a class="tag" href="/t/{other}">{other}</a></li>' for other in others)
    return f'<html><body><h1>Hay {tags[0]}</h1><ul>{rows}</ul><ul class="side">{rest}</ul>'.encode()


def taught(pages: Sequence[bytes], shown: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], str]:
    """Learn from what is shown; return what the way gives on another page, and what is said."""
    learned = learn_examples([read_source(body) for body in pages], [{"tags": values} for values in shown])
    got = follow(read_source(page("a", "b", "c")), learned.fields[0].ways[0]).values
    return got, learned.reasons.get("tags", "")


def test_a_part_of_a_list_stands_for_the_whole_list_and_is_told() -> None:
    body = page("red", "blue", "green", "white")
    for shown in (["red", "blue"], ["blue", "red", "white"], ["green", "red"]):
        got, said = taught([body], [shown])
        assert got == ("a", "b", "c")
        assert said == f"{len(shown)} of the 4 values of a list were shown; all of them are taken"


def test_a_part_of_the_list_on_each_of_some_pages_stands_for_it_too() -> None:
    bodies = [page("red", "blue", "green"), page("white"), page("grey", "black", "pink")]
    got, said = taught(bodies, [["red", "green"], ["white"], ["grey"]])
    assert got == ("a", "b", "c")
    assert said == "4 of the 7 values of a list were shown; all of them are taken"


def test_a_few_values_of_a_long_list_do_not_stand_for_it() -> None:
    got, said = taught([page("red", "blue", "green", "white", "grey")], [["red", "blue"]])
    assert len(got) < 2
    assert said == "several values were shown and one is taken: no list of just them could be learned"


def test_a_page_that_is_said_to_have_none_must_give_none() -> None:
    bodies = [page("red", "blue", "green"), page("white", "black")]
    learned = learn_examples([read_source(body) for body in bodies], [{"tags": ["red", "blue"]}, {"tags": []}])
    assert not any(way.repeats for rules in learned.fields for way in rules.ways)


def test_what_stands_elsewhere_in_the_same_markup_is_no_part_of_the_list() -> None:
    alone = learn_examples([read_source(listed("red", "blue", "green", others=()))], [{"tags": ["red", "blue"]}])
    assert follow(read_source(listed("a", "b", others=())), alone.fields[0].ways[0]).values == ("a", "b")
    learned = learn_examples([read_source(listed("red", "blue", "green"))], [{"tags": ["red", "blue"]}])
    assert not any(way.repeats for rules in learned.fields for way in rules.ways)
    assert learned.reasons["tags"].startswith("several values were shown and one is taken")


def test_a_value_that_is_not_on_the_page_beside_others_is_named() -> None:
    got, said = taught([page("red", "blue", "green", "white")], [["red", "violet", "blue"]])
    assert got == ("a", "b", "c")
    assert said == (
        "2 of the 4 values of a list were shown; all of them are taken; not on the page where shown: 'violet'"
    )
    body = b'<html><body><h1>Hay rake</h1><p class="price">12 EUR</p><p>x</p></body></html>'
    learned = learn_examples([read_source(body)], [{"price": ["12 EUR", "13 EUR"]}])
    assert learned.reasons["price"] == "not on the page where shown: '13 EUR'"


def test_spellings_of_one_value_are_not_told_of() -> None:
    bodies = [b"<html><body><h1>Canon</h1><p>x</p><p class=m>Canon, Inc</p>"] * 2
    learned = learn_examples([read_source(body) for body in bodies], [{"maker": ["Canon", "Canon, Inc"]}] * 2)
    assert learned.reasons == {}
