"""Learn, cut, explain and check the bundled site from the command line."""

import csv
import json
from contextlib import chdir
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.demo_sites import demo_site
from tests.fetch.server import always, by_path, page, serve
from typer.testing import CliRunner

from scythe.archive.open import open_archive
from scythe.cli.explain import _describe
from scythe.cli.main import app
from scythe.demo import BASE, DemoPage
from scythe.page.encoding import is_utf8
from scythe.site.trace import CutTrace, FieldTrace, LayoutTrace

DEMO = demo_site()
NEWS = [demo for demo in DEMO if demo.kind == "news"]
SHOP = [demo for demo in DEMO if demo.kind == "product"]
REDESIGNED = [demo for demo in demo_site(design=1) if demo.kind == "news" and demo.language == "en"]


def save(folder: Path, pages: list[DemoPage]) -> Path:
    for demo in pages:
        path = folder / demo.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(demo.html)
    return folder


class Done(NamedTuple):
    """What a command said."""

    stdout: str
    stderr: str


class Desk:
    """A folder with saved pages and profiles in which commands are run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, check: int | None = 0, stdin: bytes = b"") -> Done:
        """Run a command in this process: thirty imports of everything would take longer than the work."""
        with chdir(self.folder):
            done = CliRunner().invoke(app, arguments, input=stdin)
        crashed = done.exception is not None and not isinstance(done.exception, SystemExit)
        assert not crashed, f"{done.exception!r}\n{done.stderr}"
        assert check is None or done.exit_code == check, f"exit {done.exit_code}\n{done.stdout}\n{done.stderr}"
        return Done(done.stdout, done.stderr)

    def lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Ten news pages learned, fifteen more to cut; five product pages with one learned by example."""
    folder = tmp_path_factory.mktemp("desk")
    save(folder / "first", NEWS[:10])
    save(folder / "rest", NEWS[10:])
    save(folder / "shop", SHOP)
    save(folder / "redesigned", REDESIGNED[:6])
    made = Desk(folder)
    made.run("learn", "first", "--url", BASE, "-o", "news.json")
    return made


def test_learn_says_what_it_learned_and_how_it_fares(desk: Desk) -> None:
    out = desk.run("learn", "first", "--url", BASE, "-o", "again.json").stdout
    assert "10 pages" in out.splitlines()[0]
    assert "keeps the first of" in out
    assert "title" in out
    assert " cut " in out
    assert "next: scythe cut again.json" in out


def test_learning_the_same_pages_gives_the_same_rules(desk: Desk) -> None:
    desk.run("learn", "first", "--url", BASE, "-o", "same.json")
    one, two = (json.loads((desk.folder / name).read_text(encoding="utf-8")) for name in ("news.json", "same.json"))
    assert one["layouts"] == two["layouts"]


def test_cut_gives_the_titles_of_pages_it_has_not_seen(desk: Desk) -> None:
    done = desk.run("cut", "news.json", "rest", "--url", BASE, "-o", "news.jsonl")
    rows = {row["url"]: row["fields"] for row in desk.lines("news.jsonl")}
    wanted = {demo.url: demo.gold_title for demo in NEWS[10:]}
    assert {url: fields["title"]["values"][0] for url, fields in rows.items()} == wanted
    assert f"{len(wanted)} pages; fields: " in done.stderr
    assert "us a page" in done.stderr


def test_every_field_says_how_it_was_got_and_where_it_was(desk: Desk) -> None:
    desk.run("cut", "news.json", "rest", "-o", "how.jsonl")
    for row in desk.lines("how.jsonl"):
        title = row["fields"]["title"]
        body = (desk.folder / str(row["source"])).read_bytes()
        assert title["how"].startswith("cut")
        if is_utf8(body):  # else the places would be those of a recoded page
            start, end = title["span"]
            assert unescape(body[start:end].decode()) in title["values"][0]
        else:
            assert title["span"] is None


def test_cutting_by_the_tree_gives_the_same_values(desk: Desk) -> None:
    for via in ("auto", "tree"):
        desk.run("cut", "news.json", "rest", "--via", via, "-o", f"{via}.jsonl")
    values = [
        [{name: field["values"] for name, field in row["fields"].items()} for row in desk.lines(f"{via}.jsonl")]
        for via in ("auto", "tree")
    ]
    assert values[0] == values[1]


def test_cut_writes_a_table(desk: Desk) -> None:
    desk.run("cut", "news.json", "rest", "-o", "news.csv")
    with (desk.folder / "news.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["title"] for row in rows} == {demo.gold_title for demo in NEWS[10:]}
    assert list(rows[0])[:2] == ["source", "url"]


def test_cut_writes_the_text_of_one_page(desk: Desk) -> None:
    first = sorted((desk.folder / "rest").rglob("*.html"))[0]
    out = desk.run("cut", "news.json", str(first), "-f", "txt").stdout
    gold = next(demo for demo in NEWS if first.as_posix().endswith(demo.path)).gold_text
    assert gold.splitlines()[0] in out


def test_one_bad_page_does_not_stop_the_run(desk: Desk) -> None:
    (desk.folder / "odd").mkdir(exist_ok=True)
    (desk.folder / "odd" / "empty.html").write_bytes(b"")
    (desk.folder / "odd" / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    done = desk.run("cut", "news.json", "odd", "missing.html", "rest", "-o", "all.jsonl", check=1)
    assert "missing.html: no such file" in done.stderr
    assert len(desk.lines("all.jsonl")) == 2 + len(NEWS[10:])


def test_a_page_that_cannot_be_written_is_told_and_the_others_are(desk: Desk) -> None:
    done = desk.run("cut", "news.json", "rest", "-o", "taken/", "-f", "txt")
    one = sorted((desk.folder / "taken").iterdir())[0]
    one.unlink()
    one.mkdir()
    again = desk.run("cut", "news.json", "rest", "-o", "taken/", "-f", "txt", check=1)
    assert f"{len(NEWS[10:])} pages;" in done.stderr
    assert f"{len(NEWS[10:]) - 1} pages, 1 failed;" in again.stderr
    assert again.stderr.count("cannot be written: ") == 1


def test_a_page_whose_download_broke_off_is_cut_and_that_is_told(desk: Desk) -> None:
    body = NEWS[11].html
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (len(body) + 100)
    with serve(always(head + body)) as server:
        done = desk.run("cut", "news.json", server.url("/"), "--allow-private")
    assert f"incomplete: the download ended after {len(body)} bytes" in done.stderr
    assert json.loads(done.stdout)["fields"]["title"]["values"] == [NEWS[11].gold_title]


def test_pages_come_from_standard_input_and_page_sets(desk: Desk) -> None:
    rows = [{"html": demo.html.decode(errors="replace"), "url": demo.url} for demo in NEWS[:3]]
    (desk.folder / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    desk.run("cut", "news.json", "set.jsonl", "-o", "set-out.jsonl")
    assert [row["url"] for row in desk.lines("set-out.jsonl")] == [demo.url for demo in NEWS[:3]]
    out = desk.run("cut", "news.json", "-", stdin=NEWS[0].html).stdout
    assert json.loads(out)["fields"]["title"]["values"] == [NEWS[0].gold_title]


def between(demo: DemoPage, before: str) -> str:
    return demo.html.decode().partition(before)[2].partition("<")[0]


def test_a_field_is_learned_from_a_value_of_one_page(desk: Desk) -> None:
    prices = {demo.path.rpartition("/")[2]: [between(demo, '"price">')] for demo in SHOP}
    desk.run("learn", "shop", "-o", "shop.json", "--field", "price=" + between(SHOP[0], '"price">'))
    desk.run("cut", "shop.json", "shop", "-o", "shop.jsonl")
    found = {Path(row["source"]).name: row["fields"]["price"]["values"] for row in desk.lines("shop.jsonl")}
    assert found == prices


def test_a_field_is_cut_by_a_rule_that_somebody_wrote(desk: Desk) -> None:
    rules = ("--rule", 'price=<span class="price">', "--rule", "no=#nowhere")
    said = desk.run("learn", "shop", "-o", "ruled.json", *rules, "--field", "title").stdout
    assert 'rule of price: <span class="price">' in said
    assert f"not learned:\n  rule of no: matches none of {len(SHOP)} pages" in said
    desk.run("cut", "ruled.json", "shop", "-o", "ruled.jsonl")
    found = {Path(row["source"]).name: row["fields"]["price"] for row in desk.lines("ruled.jsonl")}
    assert {name: (price["values"], price["how"]) for name, price in found.items()} == {
        demo.path.rpartition("/")[2]: ([between(demo, '"price">')], "cut: rule") for demo in SHOP
    }
    assert "write it as name=rule" in desk.run("learn", "shop", "-o", "x.json", "--rule", "price", check=2).stderr
    assert "expected an opening" in desk.run("learn", "shop", "-o", "x.json", "--rule", "price=b", check=2).stderr


def test_rules_are_printed_and_written_for_other_tools(desk: Desk) -> None:
    rules = ("--rule", 'price=<span class="price">', "--field", "title")
    desk.run("learn", "shop", "-o", "table.json", *rules)
    table = desk.run("rules", "table.json").stdout.splitlines()
    assert table[0].split() == ["field", "layout", "rule", "start", "inner", "repeats", "held"]
    assert table[1].startswith('price  all       <span class="price"> (told)')
    assert table[1].endswith(f"{len(SHOP)} of {len(SHOP)}")
    assert "title" in table[2]
    assert [row["field"] for row in json.loads(desk.run("rules", "table.json", "--json").stdout)] == ["price", "title"]
    css = desk.run("rules", "table.json", "shop", "--as", "css").stdout
    assert f"price  all       {len(SHOP)} of {len(SHOP)}  span.price" in css
    assert "not tried" in desk.run("rules", "table.json", "--as", "xpath").stdout
    assert json.loads(desk.run("rules", "table.json", "shop", "--as", "regex", "--json").stdout)[0]["same"] == len(SHOP)
    desk.run("rules", "table.json", "shop", "--as", "scrapy", "-o", "spider.py")
    assert "class SiteSpider(scrapy.Spider)" in (desk.folder / "spider.py").read_text(encoding="utf-8")
    assert "expected one of css" in desk.run("rules", "table.json", "--as", "jq", check=2).stderr


def test_the_table_of_a_site_in_an_archive_is_printed(desk: Desk) -> None:
    pages = {f"/{demo.path.lstrip('/')}": page(demo.html) for demo in SHOP}
    links = "".join(f'<a href="{path}">x</a>' for path in pages)
    with serve(by_path({**pages, "/": page(links.encode())})) as server:
        run = ("--allow-private", "--delay", "0", "--no-sitemaps", "--quiet", "--archive", "rules.db")
        desk.run("crawl", server.url(), *run)
    table = desk.run("rules", "rules.db").stdout
    assert table.splitlines()[0].split() == ["field", "layout", "rule", "start", "inner", "repeats", "held"]
    assert "title" in table


def test_rules_of_a_site_are_learned_from_a_sample_of_it(desk: Desk) -> None:
    with serve(by_path({f"/{demo.path.lstrip('/')}": page(demo.html) for demo in SHOP})) as server:
        said = desk.run("rules", server.url(SHOP[0].path), "--as", "css", "--allow-private", "--delay", "0", check=None)
    assert "title" in said.stdout


def test_learn_tells_that_some_values_of_a_list_stand_for_it_and_which_are_not_there(desk: Desk) -> None:
    names = [demo.path.rpartition("/")[2] for demo in SHOP]
    given = {names[0]: {"features": ["Peened and honed ready for use", "Comes with a leather sheath", "No such thing"]}}
    (desk.folder / "some.json").write_text(json.dumps(given), encoding="utf-8")
    said = desk.run("learn", "shop", "-o", "list.json", "--examples", "some.json").stdout
    assert "not learned:" not in said
    assert "learned, but:\n  layout-1: features: " in said
    assert "not on the page where shown: 'No such thing'\n" in said


def test_fields_are_learned_from_a_table_of_examples_and_missing_where_there_are_none(desk: Desk) -> None:
    wanted = {
        demo.path.rpartition("/")[2]: (between(demo, '"price">'), between(demo, "<td>Weight</td><td>")) for demo in SHOP
    }
    rows = [("page", "price", "weight"), *((name, *values) for name, values in list(wanted.items())[:3])]
    with (desk.folder / "examples.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    desk.run("learn", "shop", "-o", "table.json", "--examples", "examples.csv")
    desk.run("cut", "table.json", "shop", "-o", "table.csv")
    with (desk.folder / "table.csv").open(encoding="utf-8", newline="") as file:
        found = {Path(row["source"]).name: (row["price"], row["weight"]) for row in csv.DictReader(file)}
    assert found == wanted


def test_update_keeps_what_was_learned_again_and_the_old_rules(desk: Desk) -> None:
    (desk.folder / "kept.json").write_bytes((desk.folder / "news.json").read_bytes())
    first = desk.run("cut", "kept.json", "redesigned", "-o", "again.jsonl", "--update").stderr
    second = desk.run("cut", "kept.json", "redesigned", "rest", "-o", "again.jsonl", "-v").stderr
    assert "learned again: " in first
    assert "learned again" not in second
    assert "  title: cut: " in second
    assert all(row["fields"]["title"]["how"].startswith("cut") for row in desk.lines("again.jsonl"))


def test_pages_that_fit_no_layout_any_more_are_told(desk: Desk) -> None:
    pages = sorted(str(path) for path in (desk.folder / "redesigned").rglob("*.html"))[:4]
    done = desk.run("cut", "news.json", *pages, "-o", "few.jsonl")
    assert "scythe: the site has changed: " in done.stderr


def test_without_update_the_profile_is_not_touched(desk: Desk) -> None:
    before = (desk.folder / "news.json").read_bytes()
    desk.run("cut", "news.json", "redesigned", "-o", "again.jsonl")
    desk.run("check", "news.json", "redesigned", check=1)
    assert (desk.folder / "news.json").read_bytes() == before


def test_words_of_a_page_never_become_a_formula(desk: Desk) -> None:
    title = NEWS[11].gold_title
    html = NEWS[11].html.decode().replace(f">{title}</h1>", ">=HYPERLINK(1)</h1>")
    (desk.folder / "formula.html").write_text(html, encoding="utf-8")
    desk.run("cut", "news.json", "formula.html", "-o", "formula.csv")
    with (desk.folder / "formula.csv").open(encoding="utf-8", newline="") as file:
        assert [row["title"] for row in csv.DictReader(file)] == ["'=HYPERLINK(1)"]


def test_learn_says_when_there_is_nothing_to_learn(desk: Desk) -> None:
    (desk.folder / "bare").mkdir(exist_ok=True)
    for number in range(3):
        (desk.folder / "bare" / f"{number}.html").write_bytes(b"<p>")
    done = desk.run("learn", "bare", "-o", "bare.json", check=1)
    assert "nothing could be learned" in done.stderr
    assert not (desk.folder / "bare.json").exists()


def test_explain_names_layout_rules_places_and_time(desk: Desk) -> None:
    first = str(sorted((desk.folder / "rest").rglob("*.html"))[0])
    out = desk.run("explain", "news.json", first).stdout
    assert "marks, this one" in out
    assert "title: cut: " in out
    assert " us\n" in out
    assert "keeps" in out


def test_explain_as_json_has_every_rule(desk: Desk) -> None:
    first = str(sorted((desk.folder / "rest").rglob("*.html"))[0])
    found = json.loads(desk.run("explain", "news.json", first, "--json").stdout)
    title = next(field for field in found["fields"] if field["name"] == "title")
    assert 0 <= title["span"][0] - title["rules"][0]["offset"] < 100  # the text begins behind the element's tag
    assert title["cut_us"] > 0


def test_explain_says_when_a_page_fits_no_layout(desk: Desk) -> None:
    (desk.folder / "other.html").write_text("<h1>Other</h1><p>Words of another site.", encoding="utf-8")
    assert "no layout fits" in desk.run("explain", "news.json", "other.html").stdout
    assert "no such file" in desk.run("explain", "news.json", "nowhere.html", check=1).stderr


def test_explain_names_how_many_layouts_and_values_are_not_shown() -> None:
    layouts = tuple(LayoutTrace(f"layout-{number}", 10, number, fits=number == 7) for number in range(8))
    field = FieldTrace("tag", "cut: tag", ("a", "b", "c", "d", "e"), (3, 9), 1, 2.0, "", ())
    lines = list(_describe(CutTrace(100, "utf-8", layouts, (field,))))
    assert lines[0] == "  layout-7: 7 of 10 marks, this one"
    shown = sum("marks" in line for line in lines)
    assert lines[shown] == f"  and {8 - shown} layouts that fit less"
    assert [line.split()[-1] for line in lines if "value" in line] == ["a", "b", "c"]
    assert "         and 2 more" in lines


def test_every_command_takes_what_an_archive_knows_of_a_site(desk: Desk) -> None:
    open_archive(desk.folder / "site.db").close()
    where = "site.db#demo.example"
    desk.run("learn", "first", "--url", BASE, "-o", where)
    out = desk.run("cut", "site.db", "rest", "--url", BASE).stdout
    assert out == desk.run("cut", "news.json", "rest", "--url", BASE).stdout
    page = f"rest/{NEWS[-1].path.lstrip('/')}"
    assert "this one" in desk.run("explain", where, page).stdout
    desk.run("check", "site.db", "rest", "--url", BASE)
    desk.run("cut", "site.db", "rest", "--url", BASE, "--update", "-o", "all.jsonl")
    desk.run("export", "site.db", "--what", "profile", "-o", "out.json")
    exported = desk.run("export", "site.db", "--what", "profile", "--site", "demo.example").stdout
    assert (desk.folder / "out.json").read_text(encoding="utf-8") == exported
    assert desk.run("cut", "out.json", "rest", "--url", BASE).stdout == out
    desk.run("export", "news.json", "--what", "profile", check=2)
    assert "is an archive" in desk.run("annotate", "site.db", page, check=2).stderr


def test_check_is_content_with_pages_of_the_same_design(desk: Desk) -> None:
    out = desk.run("check", "news.json", "rest", "--url", BASE).stdout
    assert f"{len(NEWS[10:])} pages checked" in out
    assert "everything that was learned still works" in out


def test_check_fails_after_a_redesign_and_says_what_stopped(desk: Desk) -> None:
    out = desk.run("check", "news.json", "redesigned", "--url", BASE, check=1).stdout
    assert "stopped matching:" in out


def test_check_names_the_field_that_is_gone(desk: Desk) -> None:
    (desk.folder / "untitled").mkdir(exist_ok=True)
    for number, demo in enumerate(NEWS[10:13]):
        html = demo.html.replace(b"<h1", b"<h6").replace(b"</h1>", b"</h6>").replace(b"og:title", b"x")
        html = html.replace(b"<title>", b"<notitle>").replace(b"</title>", b"</notitle>")
        (desk.folder / "untitled" / f"{number}.html").write_bytes(html)
    out = desk.run("check", "news.json", "untitled", check=1).stdout
    assert "layout-1: title: missing" in out
    assert "layout-1: text" not in out


def test_check_speaks_json(desk: Desk) -> None:
    good = json.loads(desk.run("check", "news.json", "rest", "--json").stdout)
    bad = json.loads(desk.run("check", "news.json", "redesigned", "--json", check=1).stdout)
    assert (good["ok"], good["pages"], good["trouble"]) == (True, len(NEWS[10:]), [])
    assert (bad["ok"], bad["pages"]) == (False, 6)
    assert bad["trouble"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("cut", "no.json", "rest"), "no.json: cannot be read"),
        (("cut", "cut.json", "rest"), "cut.json: not a profile of scythe"),
        (("cut", "news.json", "rest", "--via", "magic"), "--via magic: expected one of auto, cut, tree"),
        (("cut", "news.json", "rest", "-f", "docx"), "known formats are txt"),
        (("cut", "news.json", "rest", "-o", "out.xyz"), "the suffix names no format"),
        (("check", "cut.json", "rest"), "cut.json: not a profile of scythe"),
        (("check", "no.json", "rest"), "no.json: cannot be read: No such file"),
        (("check", "rest", "rest"), "rest: cannot be read: Is a directory"),
        (("check", "news.json", "nowhere"), "there is no page to check"),
        (("explain", "cut.json", "rest"), "cut.json: not a profile of scythe"),
        (("learn", "nowhere", "-o", "x.json"), "there is no page to learn from"),
        (("learn", "shop", "-o", "x.json", "--field", "price=nowhere"), "no page shows 'nowhere'"),
        (("learn", "shop", "-o", "x.json", "--field", "colour"), "colour"),
        (("learn", "shop", "-o", "x.json", "--examples", "no.csv"), "no.csv"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_the_exit_code(desk: Desk, arguments: tuple[str, ...], why: str) -> None:
    whole = (desk.folder / "news.json").read_bytes()
    (desk.folder / "cut.json").write_bytes(whole[: len(whole) // 2])
    done = desk.run(*arguments, check=2)
    assert why in done.stderr


def test_a_site_on_the_web_is_sampled_and_learned(desk: Desk) -> None:
    pages = {demo.path: page(demo.html, f"Content-Type: {demo.content_type}") for demo in DEMO}
    pages["/"] = pages["/index.html"]
    with serve(by_path(pages)) as server:
        out = desk.run(
            "learn", server.url("/"), "-o", "web.json", "--pages", "8", "--delay", "0", "--allow-private"
        ).stdout
    assert "8 pages" in out
    assert server.open_most == 1
