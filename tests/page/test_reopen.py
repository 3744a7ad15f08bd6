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


@pytest.mark.parametrize("source", [b"", b"<title>Only a title", b"<script>if (a </p) {}", b"plain"])
def test_nothing_to_reopen_without_markup_gives_none_or_no_loss(source):
    opened = reopen(source)
    assert opened is None or b"</p" in opened
