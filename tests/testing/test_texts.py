"""Checks of text methods and characteristics: those that keep the promises pass, each that breaks one is found out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.page.elements import Elements as RecordElements
from scythe.reading.papers.hmm import mark_quantities
from scythe.reading.papers.text_elements import TextElements
from scythe.reading.papers.vsse import VisualText
from scythe.testing import check_record_characteristic, check_text_characteristic, check_text_method


def keep_all(page: Page, options: TextOptions) -> Reading:
    return Reading("all", kept=tuple(range(len(page.blocks))), why="" if len(page.blocks) else "no text")


@pytest.mark.parametrize(
    ("reading", "complaint"),
    [
        (Reading("bad", kept=(1, 0)), "do not ascend"),
        (Reading("bad", kept=(0, 0)), "do not ascend"),
        (Reading("bad", kept=(10_000,)), "outside"),
        (Reading("bad", kept=(-1,)), "outside"),
        (Reading("", kept=(0,)), "does not name"),
        (Reading("bad"), "no reason"),
        (Reading("bad", text="  "), "no reason"),
        (Reading("bad", why="x", scores=(1.0,) * 9_999), "scores"),
        ("text", "expected a Reading"),
        (None, "expected a Reading"),
    ],
)
def test_a_reading_that_breaks_a_promise_is_found(reading: Reading, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_text_method(lambda page, options: reading)


def test_a_method_that_changes_its_mind_is_found() -> None:
    readings = iter(Reading("moody", why=str(i)) for i in range(1_000))
    with pytest.raises(AssertionError, match="second reading of the same page"):
        check_text_method(lambda page, options: next(readings))


def test_a_method_that_remembers_pages_is_found() -> None:
    seen: dict[str, str] = {}

    def read(page: Page, options: TextOptions) -> Reading:
        previous = seen.setdefault("last", page.html)
        if page.html != previous:
            seen["before"], seen["last"] = previous, page.html
        return Reading("gossip", why=f"after {seen.get('before', '')!r}")

    with pytest.raises(AssertionError, match="depends on the pages before"):
        check_text_method(read)


def test_a_method_that_changes_the_page_is_found() -> None:
    def read(page: Page, options: TextOptions) -> Reading:
        if len(page.blocks):
            page.blocks.text[0] = "mine"
        return keep_all(page, options)

    with pytest.raises(AssertionError, match="changes the page"):
        check_text_method(read)


def test_a_method_that_fails_on_some_options_is_found() -> None:
    def read(page: Page, options: TextOptions) -> Reading:
        return Reading("" if options.tables is False else "picky", why="no tables, no reading")

    with pytest.raises(AssertionError, match="does not name"):
        check_text_method(read)


def test_what_keeps_the_promises_passes() -> None:
    assert check_text_method(keep_all) is None
    assert check_text_characteristic(VisualText()) is None
    assert check_record_characteristic(mark_quantities()) is None


@dataclass
class Weighing:
    by: Callable[[TextElements], Sequence[float]]

    def weigh(self, elements: TextElements) -> Sequence[float]:
        return self.by(elements)


COUNTS = iter(range(10_000))
BEFORE = [0]


def _change(elements: TextElements) -> list[float]:
    elements.leaf_text[:] = [""] * len(elements.leaf_text)
    return [0.0] * len(elements.leaf_text)


def _remember(elements: TextElements) -> list[float]:
    BEFORE[0] = max(BEFORE[0], len(elements.leaf_text))
    return [float(BEFORE[0])] * len(elements.leaf_text)


@pytest.mark.parametrize(
    ("by", "complaint"),
    [
        (lambda elements: [1.0], "values for"),
        (lambda elements: [], "values for"),
        (lambda elements: [0.0] * (len(elements.leaf_text) + 1), "values for"),
        (lambda elements: [-1.0] * len(elements.leaf_text), "negative"),
        (lambda elements: [float("nan")] * len(elements.leaf_text), "not finite"),
        (lambda elements: [float("inf")] * len(elements.leaf_text), "not finite"),
        (lambda elements: ["much"] * len(elements.leaf_text), "no number"),
        (lambda elements: [float(next(COUNTS)) for _ in elements.leaf_text], "second look"),
        (_change, "changes the page"),
        (_remember, "depends on the pages before"),
    ],
)
def test_a_text_characteristic_that_breaks_a_promise_is_found(
    by: Callable[[TextElements], Sequence[float]], complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_text_characteristic(Weighing(by))


@dataclass
class Marking:
    by: Callable[[RecordElements], Sequence[bool]]

    def mark(self, elements: RecordElements) -> Sequence[bool]:
        return self.by(elements)


TURNS = iter(range(10_000))


def _change_record(elements: RecordElements) -> list[bool]:
    elements.text[:] = [""] * len(elements.text)
    return [False] * len(elements.text)


def _remember_record(elements: RecordElements) -> list[bool]:
    BEFORE.append(len(elements.text))
    return [max(BEFORE) > len(elements.text)] * len(elements.text)


@pytest.mark.parametrize(
    ("by", "complaint"),
    [
        (lambda elements: [], "0 answers"),
        (lambda elements: [True] * (len(elements.text) + 1), "answers for"),
        (lambda elements: [0.5] * len(elements.text), "neither yes nor no"),
        (lambda elements: ["yes"] * len(elements.text), "neither yes nor no"),
        (lambda elements: [next(TURNS) % 2 == 0] * len(elements.text), "second look"),
        (_change_record, "changes the page"),
        (_remember_record, "depends on the pages before"),
    ],
)
def test_a_record_characteristic_that_breaks_a_promise_is_found(
    by: Callable[[RecordElements], Sequence[bool]], complaint: str
) -> None:
    BEFORE[:] = [0]
    with pytest.raises(AssertionError, match=complaint):
        check_record_characteristic(Marking(by))
