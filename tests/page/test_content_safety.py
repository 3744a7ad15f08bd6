"""No payload leaves the renderers as anything but words."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from scythe.page import Page
from scythe.page.content import PageContent

PAYLOADS = (Path(__file__).parent / "payloads.txt").read_text(encoding="utf-8").splitlines()
CONTEXTS = {
    "text": "<p>{}</p>",
    "bare": "{}",
    "href": '<p><a href="{}">x</a></p>',
    "href in single quotes": "<p><a href='{}'>x</a></p>",
    "src": '<p>x <img src="{}" alt="x"></p>',
    "alt": '<p>x <img src="x.png" alt="{}"></p>',
    "title": '<p title="{}">x</p>',
    "class of code": '<pre><code class="language-{}">x</code></pre>',
    "span of a cell": '<table><tr><td colspan="{}">x</td><td>y</td></tr></table>',
    "cell": "<table><tr><td>{}</td><td>y</td></tr><tr><td>x</td><td>y</td></tr></table>",
    "list": "<ul><li>{}</li><li>y</li></ul>",
    "pre": "<pre>{}</pre>",
    "inline code": "<p><code>{}</code></p>",
    "heading": "<h2>{}</h2>",
    "svg": "<svg>{}</svg><p>x</p>",
    "math": "<math>{}</math><p>x</p>",
    "noscript": "<noscript>{}</noscript><p>x</p>",
    "template": "<template>{}</template><p>x</p>",
    "style": "<style>{}</style><p>x</p>",
    "comment": "<!-- {} --><p>x</p>",
    "textarea": "<textarea>{}</textarea><p>x</p>",
    "link around": "<a href=/y>{}</a>",
}
TAGS = set(
    "html head body p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption tbody thead tr td th figure "
    "figcaption a strong em del sub sup mark code br img".split()
)
ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt", "width", "height"}, "ol": {"start"}}
SPANS = {"td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def content_of(html: str) -> PageContent:
    page = Page.from_text(html, url="https://example.org/d/page")
    return PageContent(page, tuple(range(len(page.blocks))))


def faults_of(html: str, extra_tags: frozenset[str] = frozenset(), extra: frozenset[str] = frozenset()) -> list[str]:
    """Return every element, attribute and address in `html` that is not on the list."""
    faults = []
    root = LexborHTMLParser(html).root
    assert root is not None
    for node in root.traverse(include_text=False):
        tag = node.tag or ""
        if tag not in TAGS | extra_tags:
            faults.append(f"<{tag}>")
        allowed = ATTRIBUTES.get(tag, set()) | SPANS.get(tag, set()) | extra
        for name, value in node.attributes.items():
            if name not in allowed:
                faults.append(f"{tag}[{name}]")
            elif not is_fit(name, value or ""):
                faults.append(f"{name}={value}")
    return faults


def is_fit(name: str, value: str) -> bool:
    if name in ("href", "src"):
        return value.startswith(("https://", "http://"))
    return name in ("alt", "class", "style") or value.isdecimal()


@pytest.mark.parametrize("context", CONTEXTS)
def test_html_holds_only_listed_elements_attributes_and_addresses(context: str) -> None:
    for payload in PAYLOADS:
        html = content_of(CONTEXTS[context].replace("{}", payload)).html()
        assert faults_of(html) == [], (payload, html)


@pytest.mark.parametrize("context", CONTEXTS)
def test_markdown_renders_to_nothing_that_the_page_smuggled_in(context: str) -> None:
    for payload in PAYLOADS:
        markdown = content_of(CONTEXTS[context].replace("{}", payload)).markdown()
        html = MARKDOWN.render(markdown)
        # the markdown reader adds elements and classes of its own: s for ~~, hr never, language classes on code
        assert faults_of(html, frozenset({"s"}), frozenset({"class", "style"})) == [], (payload, markdown, html)


@pytest.mark.parametrize("context", CONTEXTS)
def test_payloads_next_to_each_other_are_still_words(context: str) -> None:
    html = content_of("".join(CONTEXTS[context].replace("{}", payload) for payload in PAYLOADS)).html()
    assert faults_of(html) == []


def test_rendering_our_own_html_again_adds_nothing() -> None:
    for payload in PAYLOADS:
        once = content_of(f"<p>{payload}</p>").html()
        assert faults_of(content_of(once).html()) == []


def test_an_image_inside_a_data_address_is_not_kept() -> None:
    assert "data:" not in content_of('<p>x <img src="data:image/png;base64,iVBORw0KGgo="> y</p>').html()


def test_a_link_that_runs_code_becomes_its_words() -> None:
    content = content_of('<p>See <a href="javascript:alert(1)">this <b>page</b></a>.</p>')
    assert content.html() == "<p>See this <strong>page</strong>.</p>"
    assert content.markdown() == "See this **page**."
