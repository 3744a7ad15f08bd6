"""Tokens are cut as paper 003 cuts them, oddities included, or as its example shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scythe.model import ImageContext
from scythe.reading.papers.tc import text_of, tokenise


def test_text_is_the_opening_tags_from_the_outside_in() -> None:
    context = ImageContext("/a.jpg", ('<div class="a">', "<p>", '<img src="/a.jpg">'))
    assert text_of(context) == '<div class="a"><p><img src="/a.jpg">'


@given(st.text(max_size=300))
def test_no_token_has_what_separates_tokens(text: str) -> None:
    assert not set("".join(tokenise(text))) & set(" <>/.?;")
    assert not set("".join(tokenise(text, as_printed=True))) & set(' <>/.?;"')
