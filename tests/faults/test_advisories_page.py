"""Advisories and threads about parsers, extractors and model files: one test each, named after it, by its own trigger.

What each is about: docs/why/reliability.md.
"""

import hashlib
import io
import pickle
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.faults.growth import is_linear
from tests.faults.pages import AFTER, BEFORE, HEAD, INSIDE, PAGES, TAIL
from tests.faults.profiles import PROFILES, RunsCode

import scythe
from scythe.errors import BadInput
from scythe.page import Page
from scythe.page.image_size import probe_size
from scythe.site.profile import load_profile

pytestmark = pytest.mark.fault
URL = "https://example.org/a/b"
PROSE = "Rain fell on the river all night, and by dawn the mill stood in water up to its wheel. "
ARTICLE = f"<title>A flood</title><article><h1>A flood</h1>{'<p>' + PROSE * 3 + '</p>'}{{}}<p>{PROSE * 3}</p></article>"


def read(html: str) -> scythe.Document:
    return scythe.read(html, url=URL)


def renders_linearly(make: Callable[[int], str], size: int) -> bool:
    """Say whether reading a page with text, markdown and HTML takes time in proportion to its size."""

    def work(n: int) -> None:
        document = read(make(n))
        assert document.text or document.why
        assert isinstance(document.markdown, str)
        assert isinstance(document.html, str)

    work(10)  # what is loaded once does not count
    return is_linear(work, size)


SMUGGLED = {
    "CVE-2021-43818 svg": '<svg><style><img src=x onerror=alert(1)></style><a href="data:text/html,x">y</a></svg>',
    "CVE-2021-43818 css": '<style>@import "javascript:alert(1)"; a{b:url(java\\script:alert(1))}</style>',
    "CVE-2021-28957": '<form><button formaction="javascript:alert(1)">x</button></form>',
    "CVE-2024-52595 svg": "<svg><style><!--</style><a id='--><img src=x onerror=alert(1)>'></svg>",
    "CVE-2024-52595 math": "<math><noscript><style></noscript><img src=x onerror=alert(1)></style></math>",
    "CVE-2024-52595 noscript": "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "mutation": "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=alert(1)&gt;'>",
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_CVE_2021_43818_CVE_2021_28957_CVE_2024_52595_html_holds_no_script_of_the_page(name: str) -> None:
    document = read(ARTICLE.format(SMUGGLED[name]))
    assert "mill stood" in document.html
    tree = LexborHTMLParser(document.html)
    assert not tree.css("script, style, svg, math, form, button, input, noscript, iframe, object")
    for node in tree.css("*"):
        assert not any(key.startswith("on") or key in ("formaction", "style") for key in node.attributes)
        assert not any("script:" in (value or "") or "data:" in (value or "") for value in node.attributes.values())


def test_CVE_2022_2309_pages_are_read_without_the_library_that_crashes() -> None:
    code = (
        "import sys, scythe\n"
        "from scythe.page.feeds import read_feed\n"
        "read_feed(b'<rss version=\"2.0\"><channel><item><link>/x</link></item></channel></rss>', 'https://e.org/')\n"
        "scythe.read('<x:y xmlns:x=\"\\x00\"></x:y></x>' + '<p>words ' * 50).markdown\n"
        "assert not [name for name in sys.modules if name.startswith('lxml')]\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-500:]


LOOPS = "select table template frameset noscript caption svg button option td".split()


def test_CVE_2021_37714_no_mix_of_tags_makes_the_parser_loop() -> None:
    """Insertion modes that hand a token to each other: all triples of the tags where parsers looped."""
    for first, second, third in permutations(LOOPS, 3):
        page = Page.from_text(f"<p>{BEFORE}<{first}><{second}></{first}><{third}>x</{second}><p>{AFTER}</{third}>")
        assert BEFORE in page.blocks.text[0]
    assert renders_linearly(lambda n: "".join(f"<{tag}>" for tag in LOOPS) * n + "x", 30)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def test_CVE_2026_40192_CVE_2014_9601_the_size_of_an_image_is_read_from_its_head_alone() -> None:
    before = set(sys.modules)
    head = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 640, 480, 8, 2, 0, 0, 0))
    bomb = chunk(b"zTXt", b"x\0\0" + zlib.compress(bytes(20_000_000), 9))
    size = probe_size(head + bomb + chunk(b"IEND", b""))
    assert size is not None
    assert (size.width, size.height) == (640, 480)
    fits = b"SIMPLE  =                    T" + b" " * 50 + b"ZCMPTYPE= 'GZIP_1'" + b" " * 2_000
    assert probe_size(fits) is None  # no format of the web
    assert not [name for name in sys.modules if name.partition(".")[0] == "PIL" and name not in before]


@pytest.fixture
def nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in, where a file appears as soon as code of a file is run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / RunsCode.SENTINEL


def test_CVE_2020_13092_a_pickle_in_place_of_a_profile_runs_nothing(nothing_runs: Path) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        Path("site.json").write_bytes(pickle.dumps(RunsCode(), protocol))
        with pytest.raises(BadInput, match=r"site\.json"):
            scythe.Site.load("site.json")
    assert not nothing_runs.exists()
    pickle.load(io.BytesIO(Path("site.json").read_bytes())).close()  # the control: it would have
    assert nothing_runs.exists()


@pytest.mark.parametrize("name", ["names code", "a pickle", "packed"])
def test_CVE_2025_54412_CVE_2025_54886_GHSA_q49c_6v6g_wgq3_no_key_of_a_profile_names_code(
    name: str, nothing_runs: Path
) -> None:
    with pytest.raises(BadInput):
        load_profile(PROFILES[name]())
    assert not nothing_runs.exists()


def test_crawl4ai_0_8_7_nothing_that_a_page_or_a_profile_says_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "().__class__.__bases__[0].__subclasses__() {{7*7}} ${7*7} __import__('os').system('x')"
    pages = [
        (f"{URL}/{n}", ARTICLE.format(f"<p>{evil} {n}</p>").replace("A flood", f"{evil} {n}").encode())
        for n in range(4)
    ]
    read(pages[0][1].decode())  # what is imported is compiled: once, before the count
    site = scythe.Site.learn(pages)
    compiled: list[str] = []
    watch = {"on": True}

    def hear(event: str, given: tuple[object, ...]) -> None:
        if watch["on"] and event in ("compile", "exec", "subprocess.Popen", "os.system"):
            compiled.append(event)

    sys.addaudithook(hear)
    document = site.extract(pages[0][1], url=pages[0][0])
    watch["on"] = False
    assert evil.split()[0] in document.title
    assert "49" not in document.title
    assert compiled == []


def test_trafilatura_925_reading_in_eight_threads_gives_what_one_gives() -> None:
    made = [PAGES[name](60) for name in sorted(PAGES)[::12]] + [ARTICLE.format(f"<p>{PROSE * n}</p>") for n in range(9)]

    def digest(html: str) -> str:
        document = read(html)
        said = f"{document.title}{document.text}{document.markdown}{document.html}"
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()

    alone = [digest(html) for html in made]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(digest, made * 3)) == alone * 3


def test_trafilatura_704_rows_without_number_take_linear_time() -> None:
    rows = "<tr><td>{0}</td><td><a href=/{0}>name {0}</a></td></tr>"
    assert renders_linearly(lambda n: f"<table>{''.join(rows.format(i) for i in range(n))}</table>", 400)


def test_trafilatura_657_no_number_of_a_page_is_allocated_by() -> None:
    html = ARTICLE.format(
        "<table><tr><th colspan=9007199254740991>name<th>price</tr>"
        "<tr><td rowspan=9007199254740991>salt<td colspan=99999999999999999999>12</tr></table>"
        "<ol start=9007199254740991><li>x</ol><img width=9007199254740991 height=1e300 src=/x.jpg>"
    )
    document = read(html)
    assert len(document.markdown) + len(document.html) + len(document.text) < 20 * len(html)
    assert "salt" in document.text
    assert document.lists is not None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux")
def test_trafilatura_216_a_page_read_again_and_again_leaves_no_memory_behind() -> None:
    html = ARTICLE.format("".join(f"<p>{PROSE}{n}</p><img src=/{n}.jpg>" for n in range(100)))

    def resident_mb() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4_096 / 1e6

    for _ in range(10):
        read(html)
    before = resident_mb()
    for _ in range(100):
        read(html)
    assert resident_mb() - before < 40  # the peer left 1 MB of each page


def test_justext_43_trafilatura_189_short_paragraphs_take_linear_time() -> None:
    assert renders_linearly(lambda n: "<p>x</p>" * n, 1_500)


def test_selectolax_153_a_page_cut_off_in_deep_markup_is_written_in_linear_time() -> None:
    piece = "<div class='item'><span><a href='/x'><b>words that stand deep</b>"
    assert renders_linearly(lambda n: f"<p>{PROSE}</p>" + (piece * n)[:-7], 200)


def test_parsel_110_what_stands_behind_a_text_of_twenty_megabytes_is_kept() -> None:
    page = Page.from_text(f"{HEAD}<p>{'word ' * 4_000_000}</p><p>{INSIDE}</p>{TAIL}", url=URL)
    text = page.blocks.text
    assert BEFORE in text[0]
    assert (INSIDE in text[-2], AFTER in text[-1]) == (True, True)


@pytest.mark.parametrize("piece", ["<base ", "<meta ", "<a", "<script ", "<base href=", "<meta http-equiv=refresh "])
def test_w3lib_263_265_268_271_tags_begun_again_and_again_take_linear_time(piece: str) -> None:
    def work(n: int) -> None:
        page = Page.from_text(f"<p>{PROSE}</p>" + piece * n, url=URL)
        assert page.links is not None
        assert page.metadata is not None

    work(10)
    assert is_linear(work, 2_000)


def test_markdownify_276_a_thousand_elements_inside_each_other_become_markdown() -> None:
    for tag in ("div", "b", "em", "blockquote", "span", "a"):
        document = read(ARTICLE.format(f"<{tag}>" * 1_000 + f"<p>{INSIDE} {PROSE}</p>" + f"</{tag}>" * 1_000))
        assert INSIDE in document.markdown


def test_tidy_633_lists_inside_of_lists_overflow_no_stack() -> None:
    html = ARTICLE.format("<ul><li>" * 30_000 + f"{INSIDE} {PROSE}")
    assert INSIDE in "\n".join(Page.from_text(html, url=URL).blocks.text)
    assert PROSE.strip() in read(html).markdown


def test_html2text_420_a_front_page_on_one_line_takes_linear_time() -> None:
    """The page of the thread is not ours to keep: this one has what such pages are made of, all on one line."""
    style = "<style>.a{color:#fff}</style><script>var a={b:[1,2,3]}</script><svg><path d='M0 0L9 9'/></svg>"
    card = "<div><a href=/x><span><img src=/x.webp><h3>{0}</h3></span><p>{0}, more</p></a></div><ul><li>{0}</ul>"
    assert renders_linearly(lambda n: style * n + "".join(card.format(f"item {i}") for i in range(n)), 80)
