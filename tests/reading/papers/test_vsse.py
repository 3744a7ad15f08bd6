from __future__ import annotations

from collections.abc import Sequence

from scythe.model import TextOptions
from scythe.page import Page
from scythe.reading.papers import vsse
from scythe.reading.papers.simhash import BITS, distance, fingerprint
from scythe.reading.papers.text_elements import TextElements, number_elements
from scythe.reading.papers.vsse import VisualText, Vsse, combine
from scythe.testing import check_text_characteristic

LONG = "Long text, with marks; and more. "


def elements_of(html: str) -> TextElements:
    page = Page.from_text(html)
    return number_elements(page.root, page.blocks)


def kept(html: str, method: Vsse = vsse.read) -> list[str]:
    page = Page.from_text(html)
    return [page.blocks.text[i] for i in method(page, TextOptions()).kept]


class Bold:
    """A third party's characteristic: leaves inside <b>."""

    def weigh(self, elements: TextElements) -> Sequence[float]:
        return [float(elements.tag[parent] == "b") for parent in elements.leaf_parent]


def test_vvtc_is_length_and_marks_over_the_number_of_leaves() -> None:
    # two leaves: 6 characters with 2 marks -> 6/2 * 2/2; no mark -> 0
    assert VisualText().weigh(elements_of("<p>a, bc.<p>plain")) == [6 / 2 * 2 / 2, 0.0]


def test_leaves_like_the_best_one_are_found_by_their_path() -> None:
    html = f"<nav><a href=/>Menu</a></nav><div><p>{LONG * 4}</p><p>{LONG}</p></div><footer><p>{LONG}</p></footer>"
    assert kept(html) == [(LONG * 4).strip(), LONG.strip()]


def test_a_leaf_without_marks_stays_only_when_title_and_description_say_the_same() -> None:
    head = "<title>Barley harvest in the hills</title>"
    body = f"<div><p>{LONG * 3}</p><p>Barley harvest in the hills</p><p>Share this on your network</p></div>"
    assert kept(head + body) == [(LONG * 3).strip(), "Barley harvest in the hills"]


def test_without_title_and_description_nothing_is_dropped() -> None:
    assert kept(f"<div><p>{LONG}</p><p>Share this</p></div>") == [LONG.strip(), "Share this"]


def test_the_printed_rule_judges_every_leaf() -> None:
    html = f"<title>Barley</title><p>{LONG}</p><p>Barley</p>"
    assert kept(html, Vsse(judge_all=True)) == ["Barley"]
    reading = Vsse(judge_all=True)(Page.from_text(f"<title>Barley</title><p>{LONG}</p>"), TextOptions())
    assert (reading.kept, reading.why) == ((), "no text like title and description")


def test_chinese_text_is_read() -> None:
    article = "\u6536\u5272\u8005\u5728\u9ece\u660e\u524d\u8d70\u8fc7\u7530\u91ce\uff0c\u5272\u4e0b\u5927\u9ea6\u3002"
    html = f"<ul><li>\u9996\u9875</li><li>\u65b0\u95fb</li></ul><div><p>{article * 2}</p><p>{article}</p></div>"
    assert kept(html) == [article * 2, article]


def test_a_page_without_marks_or_text_says_why() -> None:
    assert vsse.read(Page.from_text("<p>no marks here"), TextOptions()).why.startswith("no text leaf")
    assert vsse.read(Page.from_text(""), TextOptions()).why == "no text"


def test_another_characteristic_joins_the_container() -> None:
    check_text_characteristic(Bold())
    elements = elements_of("<p>a, b.</p><p><b>bold</b></p>")
    assert combine((VisualText(), Bold()), elements) == [1.0, 1.0]
    html = f"<p>{LONG}</p><section><b>bold</b></section>"
    assert kept(html) == [LONG.strip()]
    assert kept(html, Vsse(characteristics=(VisualText(), Bold()))) == [LONG.strip(), "bold"]


def test_equal_texts_have_equal_fingerprints_and_others_differ_in_half_the_bits() -> None:
    texts = [["barley", "harvest"], ["harvest", "barley"], ["engine", "oil"], []]
    bits = fingerprint(texts, lambda word: 1.0)
    assert bits.shape == (4, BITS)
    gaps = distance(bits, bits[0]).tolist()
    assert gaps[0] == gaps[1] == 0
    assert 16 < gaps[2] < 48
    assert not bits[3].any()
