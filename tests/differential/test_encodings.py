"""The encoding that a page declares is the one the HTML standard finds, but where we mean to differ and say why."""

from random import Random

import pytest
from tests.differential.encodings import DECIDED, DECLARED, Decided, Declared
from tests.differential.prescan import prescan
from tests.differential.reencoded import count_right, misread

from scythe.page.encoding import PRESCAN_BYTES, declared_codec, decode

WORDS = """
<meta <META /meta <a </a <! <? <!-- --> -- > / = ' " charset content http-equiv content-type CHARSET charset= content=
http-equiv=content-type content='text/html;charset= koi8-r big5 utf-16 utf-8 nonsense x-user-defined ; x
"""
PIECES = [*WORDS.split(), " ", "\t", "\n", "\x0c", "<", " charset=koi8-r>", '<meta charset="koi8-r">', "\0", "é"]


def test_the_table_has_as_many_cases_as_promised() -> None:
    assert len(DECLARED) + len(DECIDED) >= 300
    assert len({case.head for case in DECLARED}) == len(DECLARED) >= 200
    assert all(case.why for case in DECLARED if case.ours != "")


@pytest.mark.parametrize("case", DECLARED, ids=lambda case: repr(case.head[:60]))
def test_a_declaration_is_found_where_the_standard_finds_it(case: Declared) -> None:
    assert declared_codec(case.head) == case.expected


@pytest.mark.parametrize(
    "case", [each for each in DECLARED if b"<?xml" not in each.head], ids=lambda c: repr(c.head[:60])
)
def test_the_table_says_what_the_standard_says(case: Declared) -> None:
    """The table against the standard's steps, written out a second time: neither is right alone."""
    assert prescan(case.head) == case.codec


@pytest.mark.parametrize("case", DECIDED, ids=lambda case: case.name)
def test_a_page_is_read_as_it_was_written_whoever_lies(case: Decided) -> None:
    decoded = decode(case.body, case.header)
    assert decoded.text == case.text
    assert decoded.losses == ()


def test_many_pages_are_read_right_that_a_browser_reads_wrong() -> None:
    """We decide by decoding: to be worth it, it must be right where obeying the standard is not."""
    assert sum(case.is_misled for case in DECIDED) > 50


def test_no_soup_of_markup_declares_to_us_what_it_does_not_declare_to_the_standard() -> None:
    dice = Random(31)
    found = 0
    for _ in range(2_500):
        soup = "".join(dice.choices(PIECES, k=dice.randrange(2, 25))).encode()
        told = declared_codec(soup)
        # quotes around a label, inside other quotes: meant, see the table
        assert told == prescan(soup, PRESCAN_BYTES) or b"'" in soup or b'"' in soup, soup
        found += told is not None
    assert found > 100


def test_demo_pages_with_false_labels_are_read_right() -> None:
    assert misread(2) == set()


@pytest.mark.soak
def test_a_thousand_demo_pages_with_false_labels_are_read_right() -> None:
    all_of, right = count_right(1_000)
    assert right["all"] >= 0.995 * all_of["all"]
