"""Each rule by which a page is rewritten: what is dropped is counted, and what a reader sees stays as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser

from scythe.limits import LIMITS
from scythe.page.attribute_limits import has_many_in_python, has_many_names
from scythe.page.rewrite import count_attributes, rewrite
from scythe.page.tree_guard import is_orderly, is_plain, parse

LONG = "x" * 3 * LIMITS.tag_attributes


def seen(source: bytes) -> str:
    """What the tree says to a reader, without its scripts."""
    tree = LexborHTMLParser(source)
    tree.strip_tags(["script", "style", "title"])
    assert tree.body is not None
    return " ".join(tree.body.text(separator=" ").split())


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<svg><image href=a.png><text>one</text></svg>two", "one two"),
        ("<svg><image href=a.png /><text>one</text></svg>two", "one two"),
        ("<svg><script>var a = 1</script><text>one</text></svg>two", "one two"),
        ("<svg><style>a { b: c }</style", ""),
        ("<button><b>one<button>two</button>three", "one two three"),
        ("<a href=1><b>one<a href=2>two</a>three", "one two three"),
        ("<table><colgroup><col><col><tr><td>one</table>two", "one two"),
        ("<table><tr><td>one<col><td>two</table>three", "one two three"),
        ("<ul><li>one</li><li><b>two</li></ul>three", "one two three"),
        ("<ul><li>one<ul></li>two</ul></ul>three", "one two three"),
        ("<form><div>one</form>two</div>three", "one two three"),
        ("<div><b><div>one</b>two</div></div>three", "one two three"),
        ("one<script>two", "one"),
        ("one<script>two</script", "one"),
        ("one<script>a<script>b</script>two", "one two"),
        ("one<script><!-- <script> </script> two", "one"),
        ("one<script><!-- a --> <script> </script>two", "one two"),
        ("one<p title='two", "one"),
        ("one</p title='two", "one"),
        (f"<p title='{LONG}'>one", "one"),
        (f"<p>one</p {LONG}>two", "one two"),
        ("one&</span>lt;two", "one& lt;two"),
        ("one<</span>b>two", "one< b>two"),
        ("one&am</i>p;two", "one&am p;two"),
    ],
)
def test_a_reader_sees_the_same_of_a_page_that_was_rewritten(html: str, text: str) -> None:
    rewritten, _ = rewrite(html.encode())
    squeezed = text.replace(" ", "")
    assert seen(rewritten).replace(" ", "") == squeezed
    assert seen(html.encode()).replace(" ", "") == squeezed


def test_only_the_first_body_tag_counts_and_later_ones_are_counted() -> None:
    rewritten, losses = rewrite(b"<body class=a>one<body class=b id=c>two<html lang=d><html lang=e>")
    assert rewritten == b"<body class=a>onetwo<html lang=d>"
    assert [(loss.what, loss.count) for loss in losses] == [("repeated html, head and body tags", 2)]


def test_a_script_of_a_drawing_that_holds_markup_is_counted() -> None:
    script = b'document.write("<b>two</b>")'
    rewritten, losses = rewrite(b"<svg><script>" + script + b"</script><text>one</text></svg>")
    assert rewritten == b"<svg><text>one</text></svg>"
    assert [(loss.what, loss.count) for loss in losses] == [("bytes of scripts in svg that hold markup", len(script))]


def test_formatting_ended_inside_of_many_blocks_stays_open_no_longer() -> None:
    opened = b"<b>one" + b"<div>" * 8 + b"two"
    assert rewrite(opened + b"</b>three")[0] == opened + b"three"  # eight blocks: the end tag would come too late
    assert rewrite(b"<b>one<div>two</b>three")[0] == b"<b>one<div>two</b>three"


def test_a_tag_without_end_behind_the_last_that_is_kept_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.page.rewrite.LIMITS", replace(LIMITS, page_tags=1))
    rewritten, losses = rewrite(b"<p>one<b>two</b><p title='three")
    assert seen(rewritten) == "one two"
    assert [(loss.what, loss.count) for loss in losses] == [
        ("bytes in a tag without end", len(b"<p title='three")),
        ("tags beyond the limit", 1),
    ]


@pytest.mark.parametrize("element", ["script", "style", "textarea"])
@pytest.mark.parametrize("end", ["</{0}>", "</{0}", ""])
def test_behind_the_last_tag_that_is_kept_scripts_stay_hidden(
    element: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scythe.page.rewrite.LIMITS", replace(LIMITS, page_tags=1))
    rewritten, losses = rewrite(f"<p>one<{element}>hidden{end.format(element)}".encode())
    assert seen(rewritten) == "one"
    assert [(loss.what, loss.count) for loss in losses] == [("tags beyond the limit", 1)]


@pytest.mark.parametrize(
    ("tag", "count"),
    [
        (b"<p", 0),
        (b"<p a b=1 c='2 d=3' e=\"4>\" f = 5", 5),
        (b"<p a='1' b='never ends c=2 d=3", 2),
        (b"<p " + b"a=1 " * (LIMITS.tag_attributes + 50), LIMITS.tag_attributes + 1),
        (b"<p " + b"a='1'" * (LIMITS.tag_attributes + 50), LIMITS.tag_attributes + 1),
    ],
)
def test_attributes_are_counted_up_to_the_limit(tag: bytes, count: int) -> None:
    assert count_attributes(tag) == count


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_long_value_is_no_crowd_of_attributes(quote: str) -> None:
    words = "word " * LIMITS.tag_attributes
    assert is_plain(f"<p title={quote}{words}{quote}>text</p>".encode())
    assert not is_plain(f"<p {words}word>text</p>".encode())


def test_values_that_begin_like_tags_are_looked_at_closely() -> None:
    value = '<p title="<b">text</p>'
    assert is_plain((value * LIMITS.tag_attributes).encode())
    assert not is_plain((value * (LIMITS.tag_attributes + 1)).encode())


def test_comments_and_names_that_begin_like_formatting_make_no_page_suspicious() -> None:
    names = "<column a=1>text</column>" * (LIMITS.plain_formatting // LIMITS.plain_tags) * 20
    assert is_plain(f"{names}<!-- {'a=1 ' * 2 * LIMITS.tag_attributes} -->".encode())
    assert not is_plain(names.replace("column", "code").encode())


@pytest.mark.parametrize("names", [10, 2 * LIMITS.attribute_names])
def test_without_the_compiled_module_as_many_names_are_too_many(names: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "".join(f"<p data-{number}=x>word</p>" for number in range(names)).encode()
    assert has_many_names(source) is (names > LIMITS.attribute_names)
    monkeypatch.setattr("scythe.page.attribute_limits.COMPILED", None)
    assert has_many_names(source) is (names > LIMITS.attribute_names)


def test_without_the_compiled_module_no_page_is_taken_for_orderly(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"<p>word</p>" * (LIMITS.plain_tags + 1)
    compiled, _ = parse(source)
    monkeypatch.setattr("scythe.page.tree_guard.COMPILED", None)
    assert not is_orderly(source)
    tree, losses = parse(source)
    assert (tree.html, losses) == (compiled.html, ())


@pytest.mark.parametrize("source", [b"<!-- a=1 --><![CDATA[a=1]]></ a=1></>", b"<!", b"</"])
def test_what_is_neither_tag_nor_document_type_has_no_names(source: bytes) -> None:
    assert not has_many_in_python(source, 1)
    assert has_many_in_python(source + b"<p a b>", 1)
