"""A body tied to its tree: which bytes are true elements and true text."""

from __future__ import annotations

import pytest

from scythe.page.source import matches, read_source, tag_end, unmark


def offsets_of(body: bytes, name: str) -> list[int]:
    return [opening.offset for opening in read_source(body).openings if opening.name == name and opening.shown]


def test_every_element_knows_where_its_opening_tag_is() -> None:
    body = b"<html><body><p>one</p><P class=x>two</P></body></html>"
    assert offsets_of(body, "p") == [body.index(b"<p>"), body.index(b"<P")]


@pytest.mark.parametrize(
    "hiding",
    [
        b"<!-- <b>no</b> -->",
        b"<script>'<b>no</b>'</script>",
        b"<style>/*<b>*/</style>",
        b'<i title="<b>no</b>"></i>',
        b"<i title='a > <b>'></i>",
        b"<textarea><b></textarea>",
        b"<xmp><b></xmp>",
        b"<script>'<b</script>",
        b"<script>'<b'</script>",
    ],
)
def test_what_only_looks_like_a_tag_is_no_element(hiding: bytes) -> None:
    body = b"<body>" + hiding + b"<p>text <b>yes</b></p>"
    assert offsets_of(body, "b") == [body.index(b"<b>yes")]


def test_elements_that_are_not_shown_are_known_but_not_led_to() -> None:
    body = b"<body><noscript><b>no</b></noscript><b>yes</b>"
    hidden = read_source(body).at(body.index(b"<b>no"))
    assert hidden is not None
    assert not hidden.shown
    assert offsets_of(body, "b") == [body.index(b"<b>yes")]


def test_an_element_that_the_parser_clones_is_there_once() -> None:
    body = b"<body><p><b>one<p>two</b>three"
    assert offsets_of(body, "b") == [body.index(b"<b>")]


def test_offsets_are_those_of_the_bytes_received_in_any_codec() -> None:
    body = "<body><p>Привет, мир, это длинный русский текст</p><i>да</i>".encode("windows-1251")
    source = read_source(body, "text/html; charset=windows-1251")
    italic = source.at(body.index(b"<i>"))
    assert source.encoding != "utf-8"
    assert italic is not None
    assert italic.node.text() == "да"


@pytest.mark.parametrize(
    ("tag", "end"),
    [
        (b"<a>x", 3),
        (b"<a b='>'>x", 9),
        (b'<a b=">" c>x', 11),
        (b"<a b=c'>x", 8),
        (b"<a 'b>x", 6),
        (b'<a b = ">">x', 11),
        (b"<a =>x", 5),
        (b"<a b=>x", 6),
        (b"<a/>x", 4),
        (b"<a b='x", 7),
    ],
)
def test_a_tag_ends_where_the_standard_says(tag: bytes, end: int) -> None:
    assert tag_end(tag, 0) == end


def test_a_bare_name_matches_only_a_whole_name() -> None:
    assert matches(b"<div class=x>", 0, b"<div")
    assert not matches(b"<divider>", 0, b"<div")
    assert matches(b'<div class="post-7">', 0, b'<div class="post-')


def test_text_is_told_from_tags_comments_and_raw_elements() -> None:
    body = b"<body><p title='LABEL1'>LABEL2 <!-- LABEL3 --></p><script>LABEL4</script>LABEL5 < LABEL6"
    source = read_source(body)
    found = [number for number in range(1, 7) if source.is_text(body.index(b"LABEL%d" % number))]
    assert found == [2, 5, 6]


@pytest.mark.parametrize("name", [b"noscript", b"svg"])
def test_the_end_of_an_inner_element_is_not_that_of_the_outer(name: bytes) -> None:
    body = b"<p>1</p><X><X>a</X>LABEL1</X>LABEL2".replace(b"X", name)
    source = read_source(body)
    assert [n for n in (1, 2) if source.is_text(body.index(b"LABEL%d" % n))] == [2]


def test_text_behind_what_is_not_shown_is_text_again() -> None:
    body = b"<body><select><option>LABEL1</select>LABEL2 <noscript><b>LABEL3</b></noscript> LABEL4"
    source = read_source(body)
    assert [n for n in range(1, 5) if source.is_text(body.index(b"LABEL%d" % n))] == [2, 4]


def test_marks_are_taken_out_of_text_that_looked_like_a_tag() -> None:
    body = b"<title>a <b> c</title>"
    node = read_source(body).openings[0].node
    assert unmark(node.text()) == "a <b> c"


def test_hostile_nesting_is_tied_in_linear_time() -> None:
    assert len(read_source(b"<div>" * 20_000).openings) > 100
