"""No word of a hostile page is lost without a word, read or cut."""

import pytest
from tests.doubling.losses import uncut, unread
from tests.doubling.site import address, learned, title_of, write_page
from tests.faults.pages import PAGES

SIZE = 40_000
SAMPLE = (
    "nested div", "unclosed span", "nested table row cell", "distinct fonts then paragraphs",
    "bold closed over nine divs",
    "attributes on one tag", "attributes hiding tags", "text between rows", "less-than signs", "bogus comments",
    "links without end in paragraphs", "svg breakouts", "paragraphs in deep divs",
)  # fmt: skip


def test_the_site_knows_title_and_text_by_cutting() -> None:
    document = learned().extract(write_page(20), address(20), via="cut")
    assert document.fields["title"].values == (title_of(20),)
    assert document.fields["text"].how.startswith("cut")


@pytest.mark.parametrize("name", SAMPLE)
def test_what_is_read_shows_every_word_or_tells_of_a_loss(name: str) -> None:
    assert unread(name, SIZE) == []


@pytest.mark.parametrize("name", SAMPLE)
def test_what_is_cut_shows_every_word_or_is_in_doubt(name: str) -> None:
    site = learned()
    assert {via: uncut(site, name, via, SIZE) for via in ("cut", "auto")} == {"cut": [], "auto": []}


@pytest.mark.soak
@pytest.mark.parametrize("name", PAGES)
def test_no_page_loses_a_word_in_silence(name: str) -> None:
    site = learned()
    assert unread(name, SIZE) == []
    assert [found for via in ("cut", "auto", "tree") if (found := uncut(site, name, via, SIZE))] == []
