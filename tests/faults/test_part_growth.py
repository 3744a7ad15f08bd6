"""Every part that reads what others wrote takes time in proportion to its length, however that is written.

`tests/doubling` measures the ways in as a whole; a part that squares can hide there behind one that is merely slower.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from bench.image_rows import split_tags
from tests.faults.growth import is_linear
from tests.fetch.image_files import box, png, segment, tiff
from tests.reading.lists.filling import fill
from tests.site.labels.image_pages import mark_stories, story
from tests.site.labels.labelled import PAGE, page

from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.scope import NOT_ALLOWED, Scope
from scythe.fetch.robots import parse_robots
from scythe.limits import LIMITS
from scythe.model import ImageContext, LabelledPage, PageImages, TextOptions
from scythe.output.warc import verify_warc
from scythe.page import Page
from scythe.page.encoding import declared_codec
from scythe.page.feeds import read_feed
from scythe.page.image_context import identity, read_image_contexts
from scythe.page.image_size import probe_size
from scythe.page.links_from_bytes import read_hrefs
from scythe.page.page import reopen
from scythe.page.sitemaps import read_sitemap
from scythe.page.tag_attributes import read_attributes as read_tag
from scythe.reading import text
from scythe.reading.attributes.subject_attributes import read_attributes
from scythe.reading.images.image_features import image_features
from scythe.reading.lists.candidates import MOST, MOST_RECORDS, find_candidates
from scythe.reading.lists.find_lists import rank
from scythe.reading.lists.paging import read_paging
from scythe.reading.lists.tree_alignment import Tree, similarity, tree_of
from scythe.reading.lists.value_kinds import kind_of
from scythe.reading.papers.cnbe import read_by_cnbe
from scythe.reading.papers.hmm import read_by_hmm
from scythe.reading.papers.image_sizes import SIZE_RULES, declared_sizes
from scythe.reading.papers.main_block import find_entities, mark_by_entities
from scythe.reading.papers.mdr import read_by_mdr
from scythe.reading.papers.stm import read_by_stm
from scythe.reading.papers.tc import tokenise
from scythe.site.labels.label_files import Label, Labels, read_labels
from scythe.site.labels.match_labels import mark_page
from scythe.site.labels.site_relevance import fit_update
from scythe.site.papers.string_search import TagRule, cut_hinted, cut_simple
from scythe.web.safe_html import clean_css, make_safe

pytestmark = pytest.mark.fault
URL = "https://example.org/news/?page=3"
PROSE = "The mayor of Port Ellery met Helen Marsh in the library, and later they all went to Lake Orrin together. "
Make = Callable[[int], Any]


@dataclass(frozen=True)
class Part:
    """What is measured: something made ready for a number of repetitions, and what reads it."""

    count: int
    inputs: Mapping[str, Make]
    read: Callable[[Any], object]


def repeat(pieces: str, before: str = "", after: str = "") -> dict[str, Make]:
    """Return an input for each piece (they are parted by bars), which is that piece again and again."""
    return {piece[:40]: lambda n, piece=piece: before + piece * n + after for piece in pieces.split("|")}


def number(forms: str) -> dict[str, Make]:
    """Return an input for each form (they are parted by bars), in which every repetition has its number or word."""

    def write(form: str, count: int) -> str:
        return "".join(form.format(at, "".join(chr(97 + int(digit)) for digit in str(at))) for at in range(count))

    return {form[:40]: partial(write, form) for form in forms.split("|")}


def encoded(inputs: Mapping[str, Make]) -> dict[str, Make]:
    """Return the same inputs as bytes."""
    return {name: lambda n, make=make: make(n).encode() for name, make in inputs.items()}


def parsed(inputs: Mapping[str, Make]) -> dict[str, Make]:
    """Return the same inputs as pages that are parsed already."""

    def parse(html: str) -> Page:
        made = Page.from_text(html, url=URL)
        assert None not in (made.blocks, made.elements, made.images)
        return made

    return {name: lambda n, make=make: parse(make(n)) for name, make in inputs.items()}


MARKUP = (
    "<div>|<b>|<ul><li>x|<blockquote>x. |<div>a, b. c. d. e. f. |<span>a, b.|<p>x|<i></i>|<p>a, b. c|word. <br>"
    "|<a href=/>x, y.</a> |word, word. |<div>A. B. C. D. E.</div>"
)
LISTED = (
    "<li>x</li>|<div>|<tr><td>a<td>b</tr>|<b>y</b> |<p class=a><p class=b>|x<br>|<dt>k<dd>v|<ul><li>x|<p>x<hr>"
    "|<div>x<br>y<br><br>z<br>|<ul><li>a<ul><li>b<li>c</ul><li>d</ul>"
)
FACTS = (
    "<p>Label: value $12</p>|<h1>a b</h1>|<tr><th>a b</th><td>b</td></tr>|<div class=price>|a:|1."
    "|<b itemprop=price>5</b>"
)
PAIRS = "<p>Price: 12|<b>Price:</b> x <i>y</i> |<div>|<span>Price</span><i>1</i>|<tr><td>Price<td>1|a:"
PAGERS = (
    "<a href='?page={0}'>Next</a>|<a href='?page={0}'>{0}</a> |<a class='c{0} next' href='/x{0}'>b{0}</a>"
    "|<a class='next' href='/x{0}'><img alt=next></a>|<div data-next-url='/x?page={0}'>load more</div>"
)
TAGS = '<a |<a href="|<<<|<!--|<!-- ->|<script>|<script><!--<script>|<template>|<svg>|<a href="x" |x=1 |<a href="&amp;"'
FED = '<item>|<a |<a href="|<!--|<![CDATA[|<!|&|\n|</item>|<?|<b xml:base="/x/">'
MAPPED = "<url>|<loc>|<url><loc>|<!--|<url |<loc><![CDATA[|&amp;|<|</url>|\n"
RULES = (
    "User-agent:scythe\nAllow:/\n|Allow:*b\n|Allow:/a*a*a*a*a*a*b\n|*a|*| |:|%61|Crawl-delay:1\n"
    "|Sitemap:http://a.example/\n"
)
FREE = box(b"free", b"")
HEADERS = [
    *((b"\xff\xd8", piece) for piece in (b"\xff", b"\xff\xe0\0\0", segment(0xE1, b"Exif\0\0II*\0\x08\0\0\0\xff\xff"))),
    *((b"\0\0\0\x0cJXL \r\n\x87\n", piece) for piece in (FREE, b"\xff")),
    (box(b"ftyp", b"avif") + b"\0\0\0\1meta" + b"\xff" * 8, FREE),
    (tiff(1, 1)[:8] + b"\xff\xff", b"\0\0\0\3"),
    *((b"", piece) for piece in (b"<!-->", b"<?x>", b"<svg ", b"<svg width=9")),
    *((head, b"\0") for head in (png(1, 1)[:8], b"\0\0\1\0\xff\xff")),
]


def offer(made: Page) -> None:
    found = find_candidates(made.elements)
    assert len(found) <= MOST
    assert sum(len(one.rows) for one in found) <= MOST_RECORDS
    rank(made, found)


def verify(body: bytes) -> None:
    with NamedTemporaryFile(suffix=".warc.gz") as file:
        file.write(body)
        file.flush()
        assert verify_warc(file.name).complaints


def match(made: Page) -> None:
    whole = tree_of(made.elements, 0, len(made.elements))
    similarity(whole, Tree(whole.labels, tuple(min(depth, 5) for depth in whole.depths)))


def measure_images(images: PageImages) -> None:
    image_features(images)
    sizes = declared_sizes(images)
    for rule in SIZE_RULES.values():
        rule(images, sizes)


def pictures(count: int) -> PageImages:
    tag = "<img width=300 alt='{} b' srcset='{}'>"
    tags = (tag.format("a " * 20, "a.jpg 9w, " * 50) for _ in range(count))
    return PageImages(
        images=tuple(ImageContext(f"/{n}.jpg", ("", "", one), link=f"/{n}") for n, one in enumerate(tags))
    )


def obey(body: bytes) -> None:
    parse_robots(200, body[: LIMITS.robots_bytes]).allows(f"https://example.org/{'a' * 8_000}")


def read_text(method: str, made: Page) -> None:
    reading = text.method(method)(made, TextOptions())
    assert list(reading.kept) == sorted(set(reading.kept))
    assert reading.kept or reading.why


def read_pairs(made: Page) -> None:
    assert len(read_attributes(made)) <= 400
    assert max(len(read_by_hmm(made)), len(read_by_cnbe(made))) <= 2_000


def place_pairs(made: Page) -> None:
    pairs = [(f"Label {n}", f"value {n} a b") for n in range(300)] + [("Weight", "14 kg"), ("Word1", "Price")]
    assert len(made.places.of_pairs(pairs)) == len(pairs)


def make_harmless(made: Page) -> None:
    written = make_safe(made, picture=lambda row: f"/picture/1/{row}")
    assert len(written) < LIMITS.shown_chars + LIMITS.shown_style_chars + 100_000


def refuse(options: CrawlOptions) -> None:
    assert Scope.of("https://example.org/", options).why_not(f"https://example.org/{'a' * 8_000}", 1) == NOT_ALLOWED


def name_all(made: Page) -> None:
    assert len(mark_by_entities(made, tuple(range(len(made.blocks))))) == len(made.images)


def read_rows(rows: str) -> None:
    assert len(read_labels(f"page,image,relevant\n{rows}".encode(), "labels.csv").rows) == rows.count("\n")


def blame(names: str) -> None:
    rows = [Label(PAGE, name, True) for name in names.split()]
    many = page(*(f"images/{at}.jpg" for at in range(len(rows))))
    assert len(mark_page(rows, many, Labels("labels.csv", ())).lost) == len(rows)


def learnable(count: int) -> list[LabelledPage]:
    return [mark_stories(story(at, pictures=20, teasers=40)) for at in range(count)]


def learn_labels(marked: list[LabelledPage]) -> None:
    assert fit_update(marked, [[0.0] * len(one.page.images) for one in marked]) is not None


def search(body: bytes) -> None:
    for cut in (cut_simple, cut_hinted):
        cut(body, TagRule(b"<div"))


PARTS = {
    "links in bytes": Part(20_000, encoded(repeat(TAGS, "<a ")), partial(read_hrefs, url=URL)),
    "sitemap": Part(10_000, encoded(repeat(MAPPED, "<urlset><url><loc>")), partial(read_sitemap, url=URL)),
    "feed": Part(4_000, encoded(repeat(FED, "<rss version='2.0'><channel>")), partial(read_feed, url=URL)),
    "robots": Part(5_000, encoded(repeat(RULES, "User-agent:*\nDisallow:/")), obey),
    "patterns of a scope": Part(50, {"stars": lambda n: CrawlOptions(allow=("*a" * n + "b",))}, refuse),
    "declared encoding": Part(
        5_000, encoded(repeat("<script>|charset|<meta |a|<a b='|<!--", "<meta content='")), declared_codec
    ),
    "reopening": Part(50_000, encoded(repeat("<titlex>", after="</p>")), reopen),
    "one tag": Part(200_000, repeat("a | |==|'\"|&", "<img x=") | repeat("a=", '<img x="'), read_tag),
    "three tags": Part(25_000, repeat("a='b' |a=\"|='|<b |</b>|<b>|<!--|< >|=", "<p ", "><img src=c.jpg>"), split_tags),
    "identity of an image": Part(5_000, repeat("/|-300x200|%25|url=|://", "https://a.example/?"), identity),
    "words of a tag": Part(200_000, repeat("iVBOR/w0K", "<img src='data:image/png;base64,"), tokenise),
    "size of an image": Part(
        50_000,
        {f"{head[:12]!r} {piece[:4]!r}": lambda n, h=head, p=piece: h + p * n for head, piece in HEADERS},  # type: ignore[misc]
        probe_size,
    ),
    "images": Part(
        4_000,
        parsed(
            repeat("<picture><source srcset=/a><img src=http://[x>|<figure><noscript><img src=/a.jpg>")
            | repeat("<a href=/x><img src=/a.jpg>|<p><img src=/a.jpg></p>", "<div>" * 200)
            | repeat("a , |,|x", "<img srcset='", "'>")
        ),
        read_image_contexts,
    ),
    "features and sizes of images": Part(500, {"images": pictures}, measure_images),
    "images judged by names": Part(
        1_000, parsed(number(f"<p>{PROSE}<img src=/{{0}}.jpg alt='Helen {{0}}'>")), name_all
    ),
    "names": Part(50_000, repeat("Aa |A|a'b-|。|新|ア・|ال|A.|von der A |ก"), find_entities),
    "lists": Part(5_000, parsed(repeat(LISTED, "<body><table>")), offer),
    "lists of many classes": Part(
        2_500, parsed(number("<div class={1}>x</div>|<p class='{1} a{1} b{1}'>x|<hr class={1}>x")), offer
    ),
    "regions by mdr": Part(2_000, parsed(repeat("<li><a>x</a>|<div><p>a</p><i>b</i>|<tr><td>x<td>y")), read_by_mdr),
    "regions by stm": Part(1_000, parsed(repeat("<li><h3>t</h3><p>x</p>", "<ul>")), read_by_stm),
    "trees": Part(10_000, parsed(repeat("<li><a>x</a>|<div>")), match),
    "filled records": Part(
        500, number("<article><a href=/{0}>Title {0}</a><p>€ {0}</p><p>12 May</p></article>|<article><{1}>x<b>y"), fill
    ),
    "filled tables": Part(
        500,
        repeat(
            "<tr><td rowspan=1000000000 colspan=1000000000>x<td>y|<tr><td rowspan=1000000000>x<td>y|<tr><td>x<td>y",
            "<table><tr><td>w",
        ),
        partial(fill, tag="tr"),
    ),
    "kinds of values": Part(50_000, repeat("1|1.|1 |12:|$1|a|a-|★|4/|Mar 1 "), kind_of),
    "attributes": Part(
        5_000, parsed(repeat(FACTS) | repeat(PAIRS) | number("<tr><td class=c{0}>Word{0}<td>Price")), read_pairs
    ),
    "places of attributes": Part(
        2_000,
        parsed(
            number("<tr><th>Label {0}</th><td>value {0} <b>a</b> b|<tr><th>Label 7</th><td>value {0} <b>a</b> b")
            | repeat("<dt>Weight:<dd>14 <b>kg</b>|<dt>Weight:<dd>14 kg|<dd>Word1: Price")
        ),
        place_pairs,
    ),
    "paging": Part(20_000, parsed(number(PAGERS)), read_paging),
    "label file": Part(10_000, number("https://a.example/{0}.html,#1,1\n"), read_rows),
    "labels of one page": Part(2_500, number("x/{0}.jpg "), blame),
    "learning of labels": Part(50, {"pages": learnable}, learn_labels),
    "search for a tag": Part(
        20_000, encoded(repeat("<div class=a>|<div class=a></div>|</div><div class=a>|<divx>")), search
    ),
    "WARC file": Part(5_000, {"beginnings": lambda n: b"\x1f\x8b\x08" * n}, verify),
    "page made safe": Part(
        4_000,
        parsed(
            repeat("<p class=a>x|<div class='row x'><a href=/x>some text</a> and<img src=a.png></div>|&amp;|<div>")
            | repeat("<p style='background:url(x)'>|<style>a{b:url(c)}</style>|<style>@x{")
        ),
        make_harmless,
    ),
    "style sheet": Part(10_000, repeat("""url(|url('x;|image(x;|@x}|@x{|{|(|'|/*|\\|"\\|1e|position: """), clean_css),
} | {
    f"text by {name}": Part(
        5_000,
        parsed(repeat(MARKUP) | number("<p>word{0}|<t{0}>a, b.")),
        partial(read_text, name),
    )
    for name in text.BUILT_IN
    if name != "auto"
}


@pytest.mark.parametrize(("name", "given"), [(name, given) for name, part in PARTS.items() for given in part.inputs])
def test_a_part_takes_time_in_proportion_to_what_it_reads(name: str, given: str) -> None:
    part = PARTS[name]
    made = {count: part.inputs[given](count) for count in (part.count, 4 * part.count)}
    part.read(made[part.count])  # what is loaded once does not count
    assert is_linear(lambda count: part.read(made[count]), part.count, slack_s=0.02)
