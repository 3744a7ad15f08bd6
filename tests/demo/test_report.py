from __future__ import annotations

from dataclasses import replace

from scythe import Page
from scythe.demo.race import Lap, total
from scythe.demo.report import write_report
from scythe.demo.results import CornerRow, FieldRow, KindRow, Redesign, Results, Sample, Step

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"' onload=x &amp; \x1b[31m"
RESULTS = Results(
    url="http://127.0.0.1:9/",
    pages=160,
    seconds=12.3,
    requests=379,
    received=10_300_000,
    records=376,
    profiles=4,
    kinds=(
        KindRow("news", 50, 50, 50, 0.999, (50, 50), (0, 0)),
        KindRow("product", 30, 29, 29, 0.94, (20, 30), (0, 0)),
        KindRow("list", 33, 33, 33, None, (0, 0), (360, 364)),
    ),
    fields=(FieldRow("title", 118, 30, 0), FieldRow("author", 62, 12, 74), FieldRow("records", 0, 0, 0)),
    corners=(
        CornerRow("private", "robots.txt says no", 0, (("refused", 2),), "robots.txt does not allow it", True),
        CornerRow("chain", "four redirects", 5, (("redirect", 4), ("done", 1)), "leads to x", True),
        CornerRow("files", "a PDF", 0, (), "", True),
        CornerRow("busy", "503", 1, (("retry", 1),), "the server answered 503", False),
    ),
    steps=tuple(Step(f"/{n}", ("cold", "tree", "mixed", "cut")[n % 4], int(n > 60), 0.5) for n in range(100)),
    redesign=Redesign(61, 0.2, 0.8, 0.9, ("noticed that pages fit nothing learned so far",)),
    laps=(Lap("news", 50, 0.01, 0.08), Lap("list", 33, 0.07, 0.2)),
    article=Sample("A title", "First line.\n\nSecond line.", "http://127.0.0.1:9/a"),
    listing=Sample("A list", "", "http://127.0.0.1:9/l", ("title", "date"), (("One", "1.1."), ("Two", "2.2."))),
)


def test_the_report_says_what_was_found() -> None:
    page = Page.from_bytes(write_report(RESULTS).encode())
    shown = " ".join(" ".join(page.blocks.text).split())
    for text in ("112 of 160 pages", "50 of 50", "20 of 30", "robots.txt does not allow it", "After 61 pages", "One"):
        assert text in shown.replace("112 of", "112 of")
    assert "3.5 times as fast" in shown
    assert "not as it should: 1 to be tried again" in shown


def test_what_pages_say_is_text_in_the_report() -> None:
    sample = Sample(HOSTILE, HOSTILE, HOSTILE, (HOSTILE, "b"), ((HOSTILE, HOSTILE),))
    corner = CornerRow("x", HOSTILE, 1, ((HOSTILE, 1),), HOSTILE, False)
    redesign = Redesign(1, 0, 0, 0, (HOSTILE,))
    html = write_report(
        replace(RESULTS, url=HOSTILE, article=sample, listing=sample, corners=(corner,), redesign=redesign)
    )
    tree = Page.from_bytes(html.encode()).root
    assert tree.css("script, img, iframe, object, form, input") == []
    assert not [name for node in tree.css("*") for name in node.attributes if name.startswith("on")]
    assert html.count("&lt;script&gt;") >= 8


def test_the_report_needs_nothing_else() -> None:
    html = write_report(RESULTS)
    assert "default-src 'none'" in html
    tree = Page.from_bytes(html.encode()).root
    named = [node.attributes[name] for node in tree.css("*") for name in ("src", "href") if name in node.attributes]
    assert named == []
    assert "@import" not in html
    assert "url(" not in html


def test_the_report_can_be_read_without_eyes_and_on_small_screens() -> None:
    html = write_report(RESULTS)
    tree = Page.from_bytes(html.encode()).root
    assert next(node.tag for node in tree.css("h1, h2, h3")) == "h1"
    assert all(node.css_first("caption") is not None for node in tree.css("table"))
    assert all(node.attributes.get("scope") in ("col", "row") for node in tree.css("th"))
    assert all("aria-label" in node.attributes or "aria-hidden" in node.attributes for node in tree.css("svg"))
    assert 'name="viewport"' in html
    assert "prefers-color-scheme: dark" in html


def test_a_report_of_nothing_is_a_page() -> None:
    empty = replace(
        RESULTS, kinds=(), fields=(), corners=(), steps=(), redesign=None, laps=(), article=Sample(), listing=Sample()
    )
    html = write_report(empty)
    assert html.endswith("</html>\n")
    assert html.count("<main>") == html.count("</main>") == 1


def test_laps_add_up() -> None:
    both = total(RESULTS.laps)
    assert (both.pages, round(both.cut_s, 3), round(both.tree_s, 3)) == (83, 0.08, 0.28)
    assert round(both.times, 2) == 3.5
    assert total(()).times == 0
