"""Labelled values as pages show them."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.reading.attributes.visible_pairs import cut_lines, find_pairs


def pairs(body: str) -> list[tuple[str, str]]:
    elements = Page.from_text(f"<body>{body}</body>").elements
    return [(pair.label, pair.value) for pair in find_pairs(elements, cut_lines(elements))]


SPECIFIED = {"Shade": "deep red", "Size": "9", "Fit": "slim"}
ROWS = "".join(f"<li><i class=a>{label}</i><i class=b>{value}</i></li>" for label, value in SPECIFIED.items())


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr><th>Shade</th><td>deep red</td></tr></table>",
        "<table><tr><td>Shade</td><td>deep red</td></tr></table>",
        "<dl><dt>Shade</dt><dd>deep red</dd></dl>",
        "<p>Shade: deep red</p>",
        "<p><b>Shade:</b> deep red</p>",
        "<p><b>Shade</b>: deep red</p>",
        "<p><span>Shade:</span><span>deep <i>red</i></span></p>",
        "<div><div>Shade:</div><div>deep red</div></div>",
        "<p>Shade:<br>deep red</p>",
        "<p>Shade： deep red</p>",
        "<div><span class=attr-label>Shade</span><span class=attr-value>deep red</span></div>",
        f"<ul>{ROWS}</ul>",
    ],
)
def test_a_label_and_its_value_are_found_however_they_are_set(body: str) -> None:
    assert pairs(body)[0] == ("Shade", "deep red")


def test_several_labels_on_one_line_share_it_out() -> None:
    body = "<p><b>Height:</b> 6-5 <b>Weight:</b> 205 <b>Born</b>: 1975</p>"
    assert pairs(body) == [("Height", "6-5"), ("Weight", "205"), ("Born", "1975")]


def test_rows_of_head_and_data_cells_in_turn_are_two_pairs() -> None:
    body = "<table><tr><th>Shade</th><td>red</td><th>Fit</th><td>slim</td></tr></table>"
    assert pairs(body) == [("Shade", "red"), ("Fit", "slim")]


def test_a_known_name_in_a_heading_labels_the_next_line() -> None:
    assert pairs("<div><h4>Director</h4><p>Ida Lupino</p></div>") == [("Director", "Ida Lupino")]


def test_a_link_behind_a_bar_is_not_part_of_a_value() -> None:
    assert pairs("<p>Address: 12 Main St. | <a href=/map>Map it</a></p>") == [("Address", "12 Main St.")]


@pytest.mark.parametrize(
    "body",
    (
        "<p>Open at 10:30 today</p>|<p>see https://example.org/a</p>"
        "|<p>This is a long sentence about many things. It ends: here</p>|<p>:</p><p>***: 4</p>"
        "|<table><tr><td>a</td><td>b</td><td>c</td></tr></table>|<nav><p>Shade: red</p></nav>"
        '|<div style="display:none">Shade: red</div>|<div class=related-products><p>Shade: red</p></div>'
    ).split("|"),
)
def test_what_is_no_label_of_the_subject_gives_no_pair(body: str) -> None:
    assert pairs(body) == []


def test_a_box_with_the_main_heading_is_the_subject_whatever_its_name() -> None:
    assert pairs("<div class=review><h1>The kettle</h1><p>Shade: red</p></div>") == [("Shade", "red")]
