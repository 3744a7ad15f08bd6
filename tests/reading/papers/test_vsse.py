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
    return number_elements(page)


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


def test_the_printed_rule_judges_every_leaf() -> None:
    html = f"<title>Barley</title><p>{LONG}</p><p>Barley</p>"
    assert kept(html, Vsse(judge_all=True)) == ["Barley"]
    reading = Vsse(judge_all=True)(Page.from_text(f"<title>Barley</title><p>{LONG}</p>"), TextOptions())
    assert (reading.kept, reading.why) == ((), "no text like title and description")


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
