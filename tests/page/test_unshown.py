"""What a page holds but does not show: noscript copies, templates, shadow trees."""

from __future__ import annotations

import scythe
from scythe.page import Page

POSTS = "".join(
    f"<div><p>Reply {i}: we cut the barley of field {i} before the rain of week {i}, it kept dry in barn {i}.</p></div>"
    for i in range(12)
)
MENU = "<nav><a href=/>Forum</a> <a href=/rules>Rules</a></nav>"


def test_a_copy_for_readers_without_scripts_is_read_where_the_page_shows_less() -> None:
    page = Page.from_text(f"<title>Barley</title><body>{MENU}<div id=app></div><noscript>{POSTS}</noscript>")
    document = scythe.read(page)
    assert "field 7 before the rain" in document.text
    at = page.html.encode().index(b"Reply 7")
    assert any(span is not None and span[0] <= at < span[1] for span in document.where["text"])


def test_a_copy_of_what_is_shown_stays_closed() -> None:
    shown = Page.from_text(f"<body>{MENU}<main>{POSTS}</main>")
    both = Page.from_text(f"<body>{MENU}<main>{POSTS}</main><noscript>{POSTS}</noscript>")
    assert both.blocks.text == shown.blocks.text


def test_a_short_notice_stays_closed() -> None:
    notice = "<p>This page needs scripts to show you the newest replies of all the forums you follow.</p>" * 5
    page = Page.from_text(f"<body>{MENU}<main>{POSTS * 3}</main><noscript>{notice}</noscript>")
    assert not any("needs scripts" in text for text in page.blocks.text)


def test_a_shadow_tree_is_shown_and_a_template_is_not() -> None:
    inner = "<template><p>A row to be filled in.</p></template><p>Shown in the shadow.</p>"
    page = Page.from_text(
        f"<main><x-post><template shadowrootmode=open>{inner}</template></x-post><p>Below.</p></main>"
    )
    assert page.blocks.text == ["Shown in the shadow.", "Below."]


def test_a_template_that_holds_all_there_is_is_opened() -> None:
    page = Page.from_text(f"<body><p>Loading</p><template>{POSTS}</template>")
    assert any("field 7" in text for text in page.blocks.text)


def test_copies_without_an_end_and_too_many_of_them_do_no_harm() -> None:
    html = f"<body><p>One.</p>{'<noscript>' * 3000}{POSTS}{'<template shadowrootmode=open>' * 3000}"
    assert "One." in Page.from_text(html).blocks.text[0]
