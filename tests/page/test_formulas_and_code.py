"""Formulas come out as TeX, code as it is shown: in Markdown and HTML, whatever shows them on the page."""

from __future__ import annotations

import pytest

import scythe
from scythe.page import Page
from scythe.page.whole_choice import complete_choice


def test_code_is_kept_whole_once_a_part_of_it_is() -> None:
    words = "The reapers walked down to the field before the sun was up, and they cut the barley low all morning long. "
    lines = "<br>".join(
        f"cut(row={number}, low=True, then='bind the sheaf and set it up to dry')" for number in range(9)
    )
    page = f"<article><h1>Rows</h1><p>{words * 5}</p><pre>{lines}<br>}}</pre><p>{words * 5}</p></article>"
    assert scythe.read(page).markdown.count("cut(row=") == 9
    assert scythe.read(page).markdown.count("\n}\n") == 1


_TABLE = "<table><tr><th>Field<th>Yield<tr><td>Upper<td>2 t<tr><td>Lower<td>3 t</table>"


@pytest.mark.parametrize(
    ("chosen", "score"),
    [
        ((0, 1, 8, 9), 0.1),  # the text goes on after it
        ((0, 1), 0.3),  # its words are likely
        ((0, 2, 3, 4, 5, 6), 0.1),  # most of it was chosen
    ],
)
def test_a_table_inside_the_text_is_kept_as_a_whole(chosen: tuple[int, ...], score: float) -> None:
    page = Page.from_text(f"<div><p>One.<p>Two.{_TABLE}<p>Three.<p>Four.</div>")
    assert complete_choice(page, chosen, [score] * 10) == tuple(sorted({*chosen, *range(2, 8)}))
    assert complete_choice(page, (0, 9), [score] * 10) == (0, 9)


def test_code_without_a_pre_is_kept_as_a_whole_inside_the_text() -> None:
    page = Page.from_text("<div><p>One.<p>Two.<figure><div><code>a = 1<br>b = 2</code></div></figure><p>Three.<p>Four.")
    assert complete_choice(page, (0, 1, 4, 5)) == (0, 1, 2, 3, 4, 5)
