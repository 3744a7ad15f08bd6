"""What stays the same of a tag from page to page."""

from __future__ import annotations

import pytest

from scythe.site.learn.literals import (
    common_prefix,
    common_suffix,
    end_of_label,
    occurs_once,
    shorter_prefixes,
    stable_prefix,
    steady_prefix,
    whole_attributes,
)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ((b'<article id="post-12">', b'<article id="post-345">'), b'<article id="post-'),
        ((b'<a href="/2010/x">', b'<a href="/2011/x">'), b'<a href="/'),
        ((b'<a href="/x">', b'<a title="/x">'), b"<a"),
        ((b"<td>", b'<td class="x">'), b"<td"),
        ((b'<h1 class="t">', b'<h1 class="t">'), b'<h1 class="t">'),
        ((b'<p class="a" id="b">', b'<p class="a" id="c">'), b'<p class="a"'),
        ((b'<p class="lead big">', b'<p class="lead small">'), b'<p class="lead '),
    ],
)
def test_the_stable_part_of_a_tag_ends_at_a_delimiter(tags: tuple[bytes, ...], expected: bytes) -> None:
    assert stable_prefix(tags) == expected


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        (b'<div class="post post-1234 hentry">', b'<div class="post post-'),
        (b'<div id="a1b2c3d4e5f6">', b"<div"),
        (b'<meta property="og:title" content="On this page">', b'<meta property="og:title"'),
        (b'<td width="50">', b'<td width="50">'),
        (b'<a onclick="go()" class="x">', b"<a"),
    ],
)
def test_of_one_tag_what_looks_volatile_is_cut_off(tag: bytes, expected: bytes) -> None:
    assert steady_prefix(tag) == expected


def test_shorter_prefixes_end_with_whole_attributes() -> None:
    assert shorter_prefixes(b'<p class="a b" id="c" x=y>') == [
        b'<p class="a b" id="c" x=y',
        b'<p class="a b" id="c"',
        b'<p class="a b"',
        b"<p",
    ]


def test_a_value_that_is_cut_short_is_no_whole_attribute() -> None:
    assert whole_attributes(b'<a class="x" href="/people/') == b'<a class="x"'


def test_prefix_and_suffix_of_unlike_literals_are_empty() -> None:
    assert (common_prefix([b"ab", b"cd"]), common_suffix([b"ab", b"cd"])) == (b"", b"")


def test_prefix_of_a_literal_and_its_beginning_is_the_beginning() -> None:
    assert common_prefix([b"abc", b"ab"]) == b"ab"


def test_a_label_ends_with_its_closing_tag() -> None:
    assert end_of_label(b"<b>Price:</b> 12", 3, guess=False) == b"<b>Price:</b>"


def test_on_one_page_a_label_needs_a_colon() -> None:
    assert end_of_label(b"<b>The Sea</b>", 3, guess=True) == b""


def test_overlapping_occurrences_are_two() -> None:
    assert not occurs_once(b"aaa", b"aa")
