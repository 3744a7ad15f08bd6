"""Pages of the web made safe: what is written, what is numbered, what it costs; and style sheets made clean_css."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.web.safe_html import ELEMENT, IMAGE, clean_css, make_safe, number_elements

TAGS = """
a abbr address article b blockquote body br button caption center code col dd details dialog div dl dt em fieldset font
form frameset h1 h2 head header hr html i iframe img input label li link main map marquee math meta nav nobr noscript
object ol option p picture plaintext pre script section select small source span strike strong style sub summary svg
table tbody td template textarea th thead title tr tt u ul video x-card amp-img xmp
""".split()
ALLOWED = re.compile(r"(?:data-sc(?:-image|-kind|-bare)?|[a-z]+)\Z")
TOO_LONG = "The rest of this page is not shown: it is too long to look at."
ACTIVE = "script iframe object embed form input button select textarea svg math template base frame link meta".split()


def safe(html: str, *, is_open: bool = False) -> str:
    """Make a page safe."""
    page = Page.from_text(html, url="https://site.example/a/")
    return make_safe(page, picture=lambda row: f"/picture/1/{row}" if is_open else None)


def elements(html: str) -> list[LexborNode]:
    """Return the elements of a document as a browser reads it."""
    return [node for node in LexborHTMLParser(html).css("*") if node.tag]


def check_harmless(html: str) -> None:
    """Assert that nothing in a document can act: neither an element nor an attribute."""
    for node in elements(html):
        tag = str(node.tag)
        if tag not in ("html", "head", "body", "meta", "title", "style"):
            assert tag not in ACTIVE
        for name, value in node.attributes.items():
            assert ALLOWED.match(name), name
            assert not name.startswith("on")
            assert name not in "href srcset action background srcdoc formaction poster ping name".split()
            if name == "src":
                assert re.fullmatch(r"/picture/1/\d+", value or "")
            if name == "style":
                assert "url(" not in (value or "").lower()


@st.composite
def soups(draw: st.DrawFn) -> str:
    """Markup as bad as it comes: any tags in any order, closed or not, with attributes that act."""
    attribute = st.sampled_from(
        [
            "",
            " onclick=x()",
            " href=javascript:x()",
            " src=a.png",
            ' data-sc="7"',
            " data-sc-image=3",
            " id=a class='b c'",
        ]
    )
    opening = st.builds(lambda tag, more: f"<{tag}{more}>", st.sampled_from(TAGS), attribute)
    closing = st.builds(lambda tag: f"</{tag}>", st.sampled_from(TAGS))
    text = st.sampled_from(["text", "&lt;script>", "<!-- c -->", "]]>", "<![CDATA[x]]>", "&quot;", "\n", "<?x?>", "<"])
    return "".join(draw(st.lists(st.one_of(opening, closing, text), max_size=40)))


@settings(max_examples=150, deadline=None)
@given(soups())
def test_numbers_are_those_of_the_elements_and_nothing_acts(html: str) -> None:
    page = Page.from_text(html, url="https://site.example/")
    numbered = number_elements(page)
    made = make_safe(page, picture=lambda row: f"/picture/1/{row}")
    check_harmless(made)
    seen = [node for node in elements(made) if ELEMENT in node.attributes]
    for node in seen:
        original = numbered[int(node.attributes[ELEMENT] or "")]
        assert node.tag in (original.tag, "span", "div", "img")
        assert (node.attributes.get("id"), node.attributes.get("class")) == (
            original.attributes.get("id"),
            original.attributes.get("class"),
        )
    for node in seen:
        row = node.attributes.get(IMAGE)
        assert row is None or page.images[int(row)].node_id == numbered[int(node.attributes[ELEMENT] or "")].mem_id


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_becomes_a_document_that_can_do_nothing(text: str) -> None:
    made = safe(f"<p title='{text}'>{text}<style>{text}</style>{text}")
    check_harmless(made)
    assert TOO_LONG not in made


def test_numbers_are_exact_on_a_page_of_many_kinds() -> None:
    html = "<body><p>a<svg><g/></svg><template><b>x</b></template><noscript><img src=b.png></noscript><p data-sc=99>c"
    page = Page.from_text(html, url="https://site.example/")
    tags = [node.tag for node in number_elements(page)]
    made = make_safe(page, picture=lambda row: None)
    numbers = {int(node.attributes[ELEMENT] or ""): node.tag for node in elements(made) if ELEMENT in node.attributes}
    assert tags[0] == "body"
    assert {number: tags[number] for number in numbers} == {
        0: "body",
        1: "p",
        2: "svg",
        tags.index("noscript"): "noscript",
        tags.index("img"): "img",
        len(tags) - 1: "p",
    }


def test_what_cannot_be_shown_leaves_a_box_with_its_name() -> None:
    made = safe(
        "<video width=320 height=180></video><iframe src=//x height=99999></iframe><svg width=24 height=24></svg>"
        "<input type=hidden value=s><input type=submit value=Go><input placeholder='Your name'><input type=checkbox>"
        "<select><option>one<option selected>two</select><textarea>said</textarea><object data=x>instead</object>"
    )
    kinds = [
        (node.attributes["data-sc-kind"], node.text(), node.attributes.get("style"))
        for node in elements(made)
        if "data-sc-kind" in node.attributes
    ]
    assert kinds == [
        ("video", "", "width:320px;height:180px;"),
        ("another page", "", None),
        ("icon", "", "width:24px;height:24px;"),
        ("button", "Go", None),
        ("field", "Your name", None),
        ("tick", "", None),
        ("field", "two", None),
        ("field", "said", None),
        ("object", "instead", None),
    ]


def test_images_have_an_address_only_where_pictures_may_be_loaded() -> None:
    html = "<img src=a.png alt='A \"hill\"' width=300 height=200><img src=//x.example/b.png srcset='c.png 2x'>"
    closed, opened = safe(html), safe(html, is_open=True)
    assert "src=" not in closed.partition("<body")[2]
    assert re.findall(r'src="([^"]*)"', opened) == ["/picture/1/0", "/picture/1/1"]
    assert "site.example" not in opened
    assert "A &quot;hill&quot;" in closed


def test_sizes_that_would_stop_a_browser_are_left_out() -> None:
    made = safe("<table><td rowspan=65534 colspan=99999>x<td colspan=2>y</table><img src=a height=99999999 width=640>")
    assert re.findall(r' ((?:row|col)span|height|width)="', made) == ["colspan", "width"]


def test_pages_without_their_sheets_get_a_readable_one() -> None:
    assert "<html data-sc-bare>" in safe("<link rel=stylesheet href=a.css><p>x")
    assert "<html data-sc-bare>" not in safe(f"<style>{'p{margin:0}' * 1000}</style><p>x")
    assert "<html data-sc-bare>" in safe(f"<link rel=stylesheet href=a><style>{'p{margin:0}' * 1000}</style><p>x")
    both = safe("<style>p{color:red}</style><p>x")
    assert both.index("@layer scythe") < both.index("p{color:red}") < both.index("animation: none !important")


def test_styles_for_paper_and_those_too_long_to_tame_are_left_out() -> None:
    long = "p{margin:0}" * (LIMITS.shown_style_chars // 11 + 1)
    made = safe(f"<style media=' PRINT '>p{{color:red}}</style><style>p{{color:blue}}</style><style>{long}</style>")
    assert "color:blue" in made
    assert "color:red" not in made
    assert "margin:0" not in made


def test_a_page_too_long_to_show_says_so_and_is_whole_again_at_its_end() -> None:
    made = safe(f"<section><ul>{('<li>' + 'y' * 10_000) * 600}</ul></section>")
    assert len(made) < LIMITS.shown_chars + 50_000
    note = f"<p data-sc-kind='note'>{TOO_LONG}</p>"
    assert made.endswith(f"</li></ul></section>{note}</body></html>")
    assert TOO_LONG not in safe("<p>short")


SHEETS = [
    ("a{background:#fff url(x.png) no-repeat}", "a{background:#fff none no-repeat}"),
    ("a{background:u\\72 l('x;)}')}b{c:d}", "a{background:none}b{c:d}"),
    ("a{b:\\u\\r\\l(x)}", "a{b:none}"),
    ("a{b:image-set('x' 1x, url(z) 2x)}", "a{b:none}"),
    ("a{b:-webkit-image-set(url(z) 2x)}", "a{b:none}"),
    ("a{width:expression(alert(1))}", "a{width:none}"),
    ("a{-moz-binding:url(x)}", "a{-moz-binding:none}"),
    ("a{b:url(x;}c{d:e}", "a{b:none"),
    ("@import 'x';a{b:c}", "a{b:c}"),
    ("@\\69mport url(//x) screen;a{b:c}", "a{b:c}"),
    ("@IMPORT url(x", ""),
    ("@font-face{src:url(x);a:{}}b{c:d}", "b{c:d}"),
    ("@keyframes k{from{a:b}to{c:d}}e{f:g}", "e{f:g}"),
    ("@media print{@import 'q'}a{b:c}", "@media print{}a{b:c}"),
    ("a{position : fixed;table-layout:fixed}", "a{position:static;table-layout:fixed}"),
    ("a{position:-webkit-sticky}.fixed{}", "a{position:static}.fixed{}"),
    ("a{min-height:100vh;width:calc(100% - 10VH)}", "a{min-height:800px;width:calc(100% - 80px)}"),
    ("a{height:1e9px;top:-99999999em;z-index:2147483647}", "a{height:20000px;top:-20000px;z-index:2147483647}"),
    ("a{filter:blur(9px);-webkit-backdrop-filter : x}", "a{--filter:blur(9px);--filter: x}"),
    (".h-100vh{a:b}.md\\:flex{c:d}", ".h-100vh{a:b}.md\\:flex{c:d}"),
    ("a{content:'url(x) @import'}/* url(y) */b{}", "a{content:'url(x) @import'} b{}"),
    ("a{b:url(data:image/png;base64,AA)}", "a{b:url(data:image/png;base64,AA)}"),
    ("a{b:url('data:image/svg+xml,</style><script>')}", "a{b:url('data:image/svg+xml,<\\/style><script>')}"),
    ("a{b:url(data:text/html,x)}", "a{b:none}"),
]


@pytest.mark.parametrize(("given", "kept"), SHEETS)
def test_a_sheet_keeps_looks_and_loses_what_fetches_or_covers(given: str, kept: str) -> None:
    assert clean_css(given) == kept


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from("url( ) ' \" { } ; @import @media \\ \\75 /* */ x 9vh a: : </style> ( \n".split(" ")),
        max_size=30,
    )
)
def test_no_sheet_ends_its_element_or_names_an_address(parts: list[str]) -> None:
    made = clean_css("".join(parts))
    assert "</" not in made
    outside = re.sub(r""""(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?""", "", made, flags=re.S)
    assert re.search(r"(?<![\w-])url\(", outside) is None
    assert "@import" not in outside
