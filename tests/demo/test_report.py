import re
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files

from selectolax.lexbor import LexborHTMLParser

from scythe import Page
from scythe.demo.crawl_results import FieldRow, KindRow, Lap, LearnedBefore, Results, SamplePages, total
from scythe.demo.crawl_steps import RedesignEffect, Step
from scythe.demo.report import write_report
from scythe.demo.watched_list import BEGIN, Watched
from scythe.watching.events import VisitEvent

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"' onload=x &amp; \x1b[31m"


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(BEGIN + seconds, UTC)


RESULTS = Results(
    url="http://127.0.0.1:9/",
    pages=160,
    seconds=12.3,
    requests=379,
    received=10_300_000,
    records=376,
    kinds=(
        KindRow("news", 50, 50, 50, 0.999, (50, 50), (0, 0)),
        KindRow("product", 30, 29, 29, 0.94, (20, 30), (0, 0)),
        KindRow("list", 33, 33, 33, None, (0, 0), (360, 364)),
    ),
    fields=(FieldRow("title", 118, 30, 0), FieldRow("author", 62, 12, 74), FieldRow("records", 0, 0, 0)),
    steps=tuple(Step(f"/{n}", ("cold", "tree", "mixed", "cut")[n % 4], int(n > 60), 0.5) for n in range(100)),
    redesign=RedesignEffect(61, 39, 0.8, 0.2, 0.9, 1, 7, 0.98, ("noticed that pages fit nothing learned so far",)),
    laps=(Lap("news", 50, 0.01, 0.08), Lap("list", 33, 0.07, 0.2)),
    laps_after=(Lap("news", 10, 0.01, 0.05),),
    learned=LearnedBefore(12, 4, ("title", "text")),
    watched=Watched(
        end=BEGIN + 90_000,
        visits=(
            VisitEvent(at(9_000), "s", "p", 22, 12, 0, 2, next_at=at(90_000), expected=5.2, why="cold start"),
            VisitEvent(at(90_000), "s", "p", 3, 12, 0, 1),
        ),
        published=tuple(BEGIN + 6_000 * number for number in range(1, 16)),
        seen=((BEGIN + 6_000, BEGIN + 9_000), (BEGIN + 12_000, BEGIN + 90_000)),
        lost=13,
        doubled=0,
        redesigned_at=BEGIN + 50_000,
    ),
    article=SamplePages("A title", "First line.\n\nSecond line.", "http://127.0.0.1:9/a"),
    listing=SamplePages("A list", "", "http://127.0.0.1:9/l", ("title", "date"), (("One", "1.1."), ("Two", "2.2."))),
)


def test_the_report_says_what_was_found() -> None:
    page = Page.from_bytes(write_report(RESULTS).encode())
    shown = " ".join(" ".join(page.blocks.text).split())
    for text in ("112 of 160 pages", "50 of 50", "20 of 30", "After 61 pages", "One"):
        assert text in shown
    assert "3.5 times as fast" in shown
    assert "healed after 7 pages" in shown
    assert "After 12 pages the site was learned: 4 layouts" in shown


def test_the_report_shows_when_records_came_when_it_was_visited_and_when_they_were_seen() -> None:
    tree = LexborHTMLParser(write_report(RESULTS)).root
    (chart,) = (node for node in tree.css("svg") if "published to" in (node.attributes.get("aria-label") or ""))
    assert [len(chart.css(kind)) for kind in (".dot.tree", ".dot.cut", ".way", ".visit", ".mark")] == [15, 2, 2, 2, 1]
    said = chart.attributes["aria-label"]
    assert said is not None
    assert "15 records published from Mon 06:00 to Tue 07:00, 2 visits, 2 records seen" in said
    shown = " ".join(tree.text().split())
    for text in ("13 lost", "2 visits took 3 requests", "Once an hour would have been 26", "learning its pace"):
        assert text in shown
    assert "no record is lost" in shown


def test_a_lost_record_is_a_promise_that_did_not_hold() -> None:
    assert write_report(RESULTS).count("✗ not as it should:</span> 2 of 15") == 1


def test_what_pages_say_is_text_in_the_report() -> None:
    sample = SamplePages(HOSTILE, HOSTILE, HOSTILE, (HOSTILE, "b"), ((HOSTILE, HOSTILE),))
    redesign = RedesignEffect(1, 1, 0, 0, 0, None, None, None, (HOSTILE,))
    html = write_report(
        replace(
            RESULTS,
            url=HOSTILE,
            article=sample,
            listing=sample,
            redesign=redesign,
            learned=LearnedBefore(1, 1, (HOSTILE,)),
        )
    )
    tree = LexborHTMLParser(html).root
    assert tree.css("script, img, iframe, object, form, input") == []
    assert not [name for node in tree.css("*") for name in node.attributes if name.startswith("on")]
    assert html.count("&lt;script&gt;") >= 8


def test_the_report_needs_nothing_else() -> None:
    html = write_report(RESULTS)
    assert "default-src 'none'" in html
    tree = LexborHTMLParser(html).root
    named = [node.attributes[name] for node in tree.css("*") for name in ("src", "href") if name in node.attributes]
    assert named == []
    assert "@import" not in html
    assert "url(" not in html


def test_the_report_can_be_read_without_eyes_and_on_small_screens() -> None:
    html = write_report(RESULTS)
    tree = LexborHTMLParser(html).root
    assert next(node.tag for node in tree.css("h1, h2, h3")) == "h1"
    assert all(node.css_first("caption") is not None for node in tree.css("table"))
    assert all(node.attributes.get("scope") in ("col", "row") for node in tree.css("th"))
    assert all("aria-label" in node.attributes or "aria-hidden" in node.attributes for node in tree.css("svg"))
    assert 'name="viewport"' in html
    assert "prefers-color-scheme: dark" in html


def test_colours_of_the_report_can_be_told_from_its_paper_by_day_and_by_night() -> None:
    css = (files("scythe.demo") / "report.css").read_text(encoding="utf-8")
    day, night = css.split("prefers-color-scheme: dark")[0], css.split("prefers-color-scheme: dark")[1].split("* {")[0]
    for text in (day, night):
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{3,6});", text))
        for paper in (colours["paper"], colours["card"]):
            for name, least in (
                ("ink", 7.0),
                ("soft", 4.5),
                ("cut", 4.5),
                ("tree", 4.5),
                ("mixed", 3.0),
                ("cold", 3.0),
            ):
                assert contrast(colours[name], paper) >= least, (name, paper)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 has it."""
    lights = sorted((lightness(one), lightness(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def lightness(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_report_of_nothing_is_a_page() -> None:
    empty = replace(
        RESULTS,
        kinds=(),
        fields=(),
        steps=(),
        redesign=None,
        laps=(),
        laps_after=(),
        learned=None,
        watched=None,
        article=SamplePages(),
        listing=SamplePages(),
    )
    html = write_report(empty)
    assert html.endswith("</html>\n")
    assert html.count("<main>") == html.count("</main>") == 1


def test_laps_add_up() -> None:
    both = total(RESULTS.laps)
    assert (both.pages, round(both.cut_s, 3), round(both.tree_s, 3)) == (83, 0.08, 0.28)
    assert round(both.times, 2) == 3.5
    assert total(()).times == 0
