"""Fields with several values on a page."""

from __future__ import annotations

from collections.abc import Sequence

from scythe.learn.examples import learn_examples
from scythe.learn.repeats import learn_repeats
from scythe.learn.texts import lay_out
from scythe.page.follow import follow
from scythe.page.source import read_source
from scythe.rules import ATTRIBUTE


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
