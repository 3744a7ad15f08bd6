"""A reading knows how sure it may be of itself."""

from __future__ import annotations

import pytest

from scythe.model import Reading
from scythe.page import Page
from scythe.reading.text.choose_text import expect_f1

PAGE = Page.from_text("<p>one two three four</p><p>five six</p><p>seven eight</p>")


def test_a_reading_without_doubt_expects_to_be_right() -> None:
    assert expect_f1(PAGE, Reading("auto", kept=(0, 1), scores=(1.0, 1.0, 0.0))) == 1.0


def test_doubtful_blocks_lower_what_is_expected() -> None:
    # four words kept for sure, two kept by half, two left out by half: 2 * 5 / (6 + 6)
    assert expect_f1(PAGE, Reading("auto", kept=(0, 1), scores=(1.0, 0.5, 0.5))) == pytest.approx(10 / 12)


def test_a_reading_that_scores_nothing_is_taken_at_its_word() -> None:
    assert expect_f1(PAGE, Reading("vsse", kept=(0,))) == 1.0
    assert expect_f1(Page.from_text(""), Reading("auto")) == 1.0
