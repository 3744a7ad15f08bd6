"""The flow: what it leaves out, what it doubts, and what is rendered of an element that is not whole."""

from __future__ import annotations

import pytest

from scythe.extension import native
from scythe.site.cut.cutter import Flow, FragmentContent
from scythe.site.rules import FLOW, Way

pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")
PART = b'<div><p>one</p><p>Share</p><b class="ad">two</b><p>three</p></div>'


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_only_the_element_is_read_and_what_is_to_be_left_out_is(encoding: str) -> None:
    body = b"<p>before</p>" + PART + b"<p>behind</p>"
    start, end = 13, 13 + len(PART)
    assert Flow(encoding=encoding).text(body, start, end) == "one\n\nShare\n\ntwo\n\nthree"
    assert Flow((b'<b class="ad"',), ("Share",), encoding).text(body, start, end) == "one\n\nthree"


def test_an_empty_line_is_never_one_to_leave_out() -> None:
    assert Flow(skip_lines=("", "Share")).text(PART, 0, len(PART)) == "one\n\ntwo\n\nthree"


def test_doubt_stays_doubt_where_lines_are_left_out() -> None:
    assert Flow(skip_lines=("Share",)).text(b"<div>one", 0, 8) is None


def test_an_empty_element_has_an_empty_text() -> None:
    assert Flow(skip_lines=("Share",)).text(b"<div></div>", 0, 11) == ""


@pytest.mark.parametrize("inside", ["xmp", "noframes", "noembed", "listing", "XMP"])
def test_text_or_markup_by_where_it_stands_is_in_doubt(inside: str) -> None:
    element = f"<div>one<{inside}>two</{inside}></div>".encode()
    assert Flow().text(element, 0, len(element)) in (None, "one\n\ntwo" if inside == "listing" else None)


def test_bytes_that_are_no_text_are_in_doubt() -> None:
    for element in (b"<div>one\0two</div>", b"<div>\xe4</div>"):
        assert Flow().text(element, 0, len(element)) is None


def test_an_element_that_is_not_whole_is_rendered_as_far_as_it_goes() -> None:
    content = FragmentContent(b"<div><p>one</p><p>two", "one\n\ntwo", Way(FLOW, ()))
    assert content.markdown() == "one\n\ntwo"


def test_bytes_that_do_not_decode_are_replaced_where_an_element_is_rendered() -> None:
    content = FragmentContent(b"<div><p>one \xe4 two</p></div>", "", Way(FLOW, (), drops=(b"\xe4",)))
    assert content.markdown() == "one � two"
