"""Pages that one unclosed element swallowed."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.page.page import reopen

BODY = "<body><p>The barley stood high in July.</p><div>The reapers came at dawn.</div></body>"


@pytest.mark.parametrize(
    "swallower",
    (
        "<title>Harvest|<title>Harvest</titlevalue>|<script>var a = 1;|<style>p { color: red }"
        '|<!-- begin of page|<script>document.write("<!--<script>");</script>|<TITLE>Harvest'
    ).split("|"),
)
def test_text_after_an_unclosed_element_is_read(swallower):
    page = Page.from_text(f"<html><head>{swallower}</head>{BODY}</html>")
    text = " ".join(page.blocks.text)
    assert "The barley stood high in July." in text
    assert "The reapers came at dawn." in text
    assert any("unclosed" in loss.what for loss in page.losses)


def test_a_noscript_that_opens_a_box_does_not_take_in_the_page():
    page = Page.from_text(f"<body><noscript><div id=a></noscript>{BODY}<script>x()</script>")
    assert page.blocks.text == ["The barley stood high in July.", "The reapers came at dawn."]


def test_a_page_for_scripts_only_stays_empty_without_a_loss():
    page = Page.from_text("<body><noscript><p>Please turn scripts on.</p></noscript><div></div><script>go()</script>")
    assert page.blocks.text == []
    assert page.losses == ()
    page = Page.from_text("<body><noscript><p>Please turn scripts on.</p></noscript><script>go()</script>")
    assert page.blocks.text == []
    assert page.losses == ()


def test_a_page_that_shows_something_is_left_alone():
    page = Page.from_text(f"<title>Harvest</title>{BODY}<!-- the rest <p>never shown</p>")
    assert page.blocks.text == ["The barley stood high in July.", "The reapers came at dawn."]
    assert page.losses == ()


@pytest.mark.parametrize("source", [b"", b"<title>Only a title", b"<script>if (a </p) {}", b"plain"])
def test_nothing_to_reopen_without_markup_gives_none_or_no_loss(source):
    opened = reopen(source)
    assert opened is None or b"</p" in opened
