"""Literals by which pages of a layout are known."""

from __future__ import annotations

from time import perf_counter

from scythe.demo import site
from scythe.site.learn.layout_marks import MARKS, choose_marks, read_literals

HEAD = b'<html><head><link rel="stylesheet" href="/themes/meadow/style.css"></head>'
SIDE = b'<aside id="meadow-side" class="side"><ul class="meadow-links"><li>a</li></ul></aside>'


def write_story(number: int) -> bytes:
    text = b"<p>words</p>" * (number % 5 + 1)
    return (
        HEAD
        + b'<body class="single postid-%d"><article id="post-%d" class="story">' % (number, number)
        + text
        + b'</article><section id="replies">x</section>'
        + SIDE
    )


def write_list(number: int) -> bytes:
    items = b'<li class="teaser">a</li>' * (number % 9 + 1)
    return (
        HEAD + b'<body class="archive page-%d"><ol class="teasers">' % number + items + b'</ol><nav id="older">' + SIDE
    )


STORIES = [write_story(n) for n in range(1000, 1010)]
LISTS = [write_list(n) for n in range(10)]


def share(marks: tuple[bytes, ...], body: bytes) -> float:
    return sum(mark in body for mark in marks) / len(marks)


def test_literals_are_cut_at_delimiters_inside_values() -> None:
    found = read_literals(b'<p><article id="post-12" class="a b">')
    assert b'<article id="post-' in found
    assert b'<article id="post-12"' in found
    assert b'<article id="post-12" class="a' in found
    assert not any(b'<article id="'.startswith(literal) for literal in found)
    assert not any(literal.endswith(b"pos") for literal in found)


def test_marks_stand_on_all_pages_of_a_layout_and_tell_it_from_the_others() -> None:
    of_stories, of_lists = choose_marks([STORIES, LISTS])
    assert 3 <= len(of_stories) <= MARKS
    assert all(share(of_stories, body) == 1 for body in STORIES)
    assert all(share(of_lists, body) == 1 for body in LISTS)
    assert max(share(of_stories, body) for body in LISTS) <= 0.5
    assert max(share(of_lists, body) for body in STORIES) <= 0.5


def test_marks_hold_no_numbers_of_single_pages() -> None:
    marks = [mark for layout in choose_marks([STORIES[:1], LISTS[:1]]) for mark in layout]
    assert marks
    assert not any(b"100" in mark for mark in marks)
    assert share(choose_marks([STORIES[:1], LISTS[:1]])[0], write_story(7_777)) == 1


def test_a_lone_layout_has_marks_of_its_text_and_of_its_shell() -> None:
    (marks,) = choose_marks([STORIES])
    assert len(marks) == MARKS
    assert all(share(marks, body) == 1 for body in STORIES)
    assert share(marks, LISTS[3]) <= 0.5
    assert share(marks, site(pages=1)[1].html) <= 0.2


def test_a_layout_that_has_nothing_to_itself_gets_fewer_marks() -> None:
    more = [body.replace(b"</article>", b'</article><div id="gallery"><img class="big"></div>') for body in STORIES]
    of_plain, of_more = choose_marks([STORIES, more])
    assert len(of_plain) < len(of_more) or share(of_plain, more[0]) < 1
    assert share(of_more, STORIES[0]) < 1


def test_literals_that_scripts_of_other_layouts_hold_are_no_use() -> None:
    script = b"<script>t='<section id=\"replies\"';u='<body class=\"single postid-'</script>"
    of_stories, _ = choose_marks([STORIES, [body + script for body in LISTS]])
    assert b'<section id="replies"' not in of_stories[:2]
    assert max(share(of_stories, body + script) for body in LISTS) <= 0.6


def test_pages_without_tags_have_no_marks() -> None:
    assert choose_marks([]) == []
    assert choose_marks([[]]) == [()]
    assert choose_marks([[b""], [b"plain text", b"more of it"]]) == [(), ()]
    assert choose_marks([["<p class='a'>".encode("utf-16")]]) == [()]


def test_equal_layouts_break_nothing() -> None:
    first, second = choose_marks([STORIES, STORIES])
    assert first == second
    assert share(first, STORIES[0]) == 1


def test_hostile_pages_cost_little() -> None:
    many = b"".join(b'<div class="a-%x-b-%x-c">' % (n, n * 7) for n in range(100_000))
    long = b"<div " + b'a-b="c-d" ' * 100_000 + b">"
    started = perf_counter()
    marks = choose_marks([[many, many + b"x"], [long, b"<" * 1_000_000], STORIES])
    assert perf_counter() - started < 5
    assert len(marks) == 3
    assert share(marks[2], STORIES[0]) == 1
