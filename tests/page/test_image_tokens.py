"""Tokens are cut as paper 003 cuts them, oddities included, or as its example shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scythe.model import ImageContext
from scythe.reading.papers.tc import text_of, tokenise

# the first example of the paper's Table 1, the image's tag as its bag of tokens has it
PRINTED = '<div class="row img-wrapper"> <div class="nd-article"> <img src="/0x410/6032d.jpg">'


def test_text_is_the_opening_tags_from_the_outside_in() -> None:
    context = ImageContext("/a.jpg", ('<div class="a">', "<p>", '<img src="/a.jpg">'))
    assert text_of(context) == '<div class="a"><p><img src="/a.jpg">'


def test_the_printed_example_gives_the_printed_bag() -> None:
    bag = "div class= row img-wrapper div class= nd-article img src= 0x410 6032d jpg".split()
    assert tokenise(PRINTED, as_printed=True) == bag


def test_the_code_keeps_quotes_where_the_printed_bag_has_none() -> None:
    assert tokenise(PRINTED) == 'div class="row img-wrapper" div class="nd-article" img src=" 0x410 6032d jpg"'.split()


def test_tags_without_space_between_them_are_glued() -> None:
    assert tokenise('<p class="a"><img>') == ["p", 'class="a"img']


def test_everything_is_lower_case() -> None:
    assert tokenise("<IMG SRC=Über>") == ["img", "src=über"]


def test_two_slashes_leave_one_space_and_three_leave_two() -> None:
    assert tokenise("http://a/b?c;d") == ["http:", "a", "b", "c", "d"]
    assert tokenise("a///b") == ["a", "b"]


def test_three_or_four_spaces_leave_an_empty_token_and_five_do_not() -> None:
    assert [tokenise(f"a{' ' * count}b") for count in (1, 2, 3, 4)] == [
        ["a", "b"],
        ["a", "b"],
        ["a", "", "b"],
        ["a", "", "b"],
    ]
    assert tokenise("a     b") == ["a", "b"]


def test_other_white_space_stays_inside_tokens() -> None:
    assert tokenise("<img\nsrc=a\talt=b>") == ["img\nsrc=a\talt=b"]


def test_no_text_is_one_empty_token() -> None:
    assert tokenise("") == tokenise("<>") == [""]
    assert tokenise("", as_printed=True) == []


@given(st.text(max_size=300))
def test_no_token_has_what_separates_tokens(text: str) -> None:
    assert not set("".join(tokenise(text))) & set(" <>/.?;")
    assert not set("".join(tokenise(text, as_printed=True))) & set(' <>/.?;"')
