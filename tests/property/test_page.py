"""Laws of pages: any bytes and any text become a page, and nothing a page yields is beyond UTF-8."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scythe.page import Page
from scythe.page.encoding import decode
from scythe.page.image_context import read_image_contexts
from scythe.url import absolute

URL = "https://example.org/a/"
QUICK = settings(
    deadline=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

TAGS = st.sampled_from(
    """
    div p b i a span table tr td ul li svg math template select option h1 h2 button form script style title textarea
    font nobr foreignObject desc mi dd dt dl caption noscript object body html br img meta link base figure picture
    source
    """.split()
)
TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)
PIECES = st.one_of(
    TAGS.map("<{}>".format),
    TAGS.map("</{}>".format),
    TAGS.map("<{}/>".format),
    st.tuples(TAGS, st.sampled_from(["href", "src", "class", "content", "srcset", "style", "itemprop"]), TEXTS).map(
        lambda t: f'<{t[0]} {t[1]}="{t[2]}">'
    ),
    st.sampled_from([*"<!-- --> <![CDATA[ ]]> < </ <! <? > ' \" = &amp; &#0;".split(), "\x00", "<!DOCTYPE html>"]),
    TEXTS,
)
SOUP = st.lists(PIECES, max_size=60).map("".join)


def everything(page: Page) -> str:
    """Ask a page for all it has and return every text it gave."""
    texts = [*page.blocks.text, *page.elements.text, str(page.metadata), str(page.losses)]
    texts += [f"{link.url}{link.text}{link.rel}" for link in page.links]
    texts += [f"{use.image}{use.addresses}" for use in page.images]
    around = read_image_contexts(page)
    assert len(around.images) == len(page.images)
    texts.append(str(around))
    return page.html + "".join(texts)


@QUICK
@given(st.binary(max_size=5_000), st.one_of(st.none(), st.text(max_size=40)))
def test_any_bytes_become_a_page(body: bytes, content_type: str | None) -> None:
    page = Page.from_bytes(body, url=URL, content_type=content_type)
    text = everything(page)
    text.encode()
    assert "\x00" not in text
    assert page.blocks.text == Page.from_text(page.html, url=URL).blocks.text


@QUICK
@given(st.one_of(st.text(max_size=2_000), SOUP))
def test_any_text_and_any_markup_become_a_page(html: str) -> None:
    text = everything(Page.from_text(html, url=URL))
    text.encode()
    assert "\x00" not in text


@QUICK
@given(st.text(max_size=3_000), st.sampled_from(["utf-8", "utf-16-le", "cp1252", "gb18030", "cp932", "koi8-r"]))
def test_decoding_never_raises_and_never_leaves_nul(text: str, codec: str) -> None:
    decoded = decode(text.encode(codec, "ignore"))
    decoded.text.encode()
    assert "\x00" not in decoded.text


@QUICK
@given(st.text(max_size=200), st.one_of(st.none(), st.just(URL), st.text(max_size=50)))
def test_an_address_is_absolute_or_none(text: str, base: str | None) -> None:
    url = absolute(text, base)
    assert url is None or url[:8].lower().startswith(("http://", "https://"))
