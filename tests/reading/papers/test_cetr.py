from __future__ import annotations

from math import exp

import numpy as np
import pytest

from scythe.model import TextOptions
from scythe.page import Page
from scythe.reading.papers import cetr
from scythe.reading.papers.text_elements import number_elements


def ratios(html: str) -> list[float]:
    page = Page.from_text(html)
    return cetr.measure_ratios(page.blocks, number_elements(page.root, page.blocks)).tolist()


def test_a_ratio_is_characters_per_tag_since_the_block_before() -> None:
    # first block: html, body, div, p -> 4 tags (the head is not entered)
    # second: </p> <p> <b> -> 3; third: </b> </p> </div> <p> -> 4
    html = f"<div><p>{'x' * 8}</p><p><b>{'y' * 9}</b></p></div><p>{'z' * 2}</p>"
    assert ratios(html) == [8 / 4, 9 / 3, 2 / 4]


def test_smoothing_spreads_a_peak_by_a_gaussian_of_radius_sigma() -> None:
    side = exp(-0.5)
    total = 1 + 2 * side
    got = cetr.smooth(np.array([0.0, 0.0, 6.0, 0.0, 0.0]), 1.0)
    assert got.tolist() == pytest.approx([0, 6 * side / total, 6 / total, 6 * side / total, 0])


def test_change_is_the_mean_of_the_next_lines_minus_the_line() -> None:
    # without smoothing to speak of: (4 + 1 + 1) / 3 - 4 = -2, then (1 + 1 + 0) / 3 - 1, then (1 + 0 + 0) / 3 - 1
    points = cetr.Cetr(sigma=0.01).place(np.array([4.0, 1.0, 1.0]))
    assert points.tolist() == [[4.0, 2.0], [1.0, pytest.approx(1 / 3)], [1.0, pytest.approx(2 / 3)]]


def test_clusters_other_than_the_one_at_the_origin_are_content() -> None:
    points = np.array([[0.0, 0.1], [0.2, 0.0], [9.0, 0.0], [10.0, 0.0], [5.0, 5.0]])
    assert cetr.cluster(points, 3).tolist() == [False, False, True, True, True]


def test_paragraphs_are_kept_and_menus_are_not() -> None:
    paragraph = "Reapers walked the field before dawn, cut the barley low and set it up to dry. " * 3
    menu = "<ul>" + "<li><a href=/>Entry</a></li>" * 12 + "</ul>"
    page = Page.from_text(menu + f"<p>{paragraph}</p>" * 5 + menu)
    reading = cetr.read(page, TextOptions())
    assert set(range(12, 17)) <= set(reading.kept) <= set(range(11, 18))  # smoothing may take a neighbour along
    assert len(reading.scores) == len(page.blocks)


def test_a_page_without_text_gives_nothing_and_says_why() -> None:
    assert cetr.read(Page.from_text(""), TextOptions()).why == "no text"
