"""`scythe suggest` names the pages to annotate, whatever form they come in."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from tests.cli.conftest import Run
from tests.fetch.server import by_path, page, serve
from typer.testing import CliRunner

from scythe.cli.main import app
from scythe.model import ImageContext, ImageMarks, LabelledPage, PageImages, SiteImages
from scythe.site.profile import dump_profile
from scythe.site.rules import Profile

Suggest = Callable[..., Result]
HTML = "Content-Type: text/html"
SHOWN = "https://a.example/images"
STORIES = [f"/story-{number}.html" for number in range(8)]
LISTED = [f"https://a.example/story/{number}" for number in range(8)] + ["https://a.example/about-all-of-us"]


def story(number: int) -> str:
    shown = f"<img src='{SHOWN}/cart-{number}.jpg' width=800 height=600 alt='A cart'>"
    gallery = (
        f"<div class=gallery><img src='{SHOWN}/mill-{number}.jpg' width=400><img src='{SHOWN}/barn-{number}.jpg'></div>"
    )
    return (
        f"<title>Story {number}</title><header><img class=logo src={SHOWN}/logo.png></header>"
        f"<article><h1>Story {number}</h1>"
        f"<p>Reapers walked the field before dawn, while the dew was on the barley.</p><figure>{shown}</figure>"
        f"{gallery if number == 5 else ''}</article><aside class=ads><img src={SHOWN}/ad.gif></aside>"
    )


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder of eight pages, one of them with a gallery."""
    folder = tmp_path / "saved"
    folder.mkdir()
    for number in range(8):
        (folder / f"story-{number}.html").write_text(story(number), encoding="utf-8")
    return folder


@pytest.fixture
def suggest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suggest:
    """Run `scythe suggest` in an empty folder, in this process: most of the time of a command is its start."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "", check: int = 0) -> Result:
        done = CliRunner().invoke(app, ["suggest", *arguments], input=stdin)
        assert done.exit_code == check, f"exit {done.exit_code}\n{done.stdout}\n{done.stderr}"
        return done

    return run


def rows_of(done: Result) -> list[dict[str, object]]:
    rows = json.loads(done.stdout)
    assert isinstance(rows, list)
    return rows


def test_a_list_of_addresses_is_chosen_from_by_address(scythe: Run, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("# ours\n" + "\n".join(LISTED) + "\n\n" + LISTED[0], encoding="utf-8")
    done = scythe("suggest", "urls.txt", "-n", "3")
    lines = done.stdout.splitlines()
    assert len(set(lines)) == 3
    assert set(lines) <= set(LISTED)
    assert LISTED[-1] in lines
    assert done.stderr == "scythe: 3 of 9 pages, chosen by address\n"


def test_standard_input_and_several_addresses_are_lists_too(suggest: Suggest) -> None:
    from_pipe = suggest("-", "-n", "2", stdin="\n".join(LISTED)).stdout
    assert from_pipe == suggest(*LISTED, "-n", "2").stdout
    assert len(from_pipe.splitlines()) == 2


def test_reasons_are_in_the_table(suggest: Suggest) -> None:
    rows = rows_of(suggest(*LISTED, "-n", "2", "-f", "json"))
    assert [row["why"] for row in rows] == [
        "cluster 1 of 2: 8 addresses alike",
        "cluster 2 of 2: 1 address like no other",
    ]
    assert suggest(*LISTED, "-f", "csv").stdout.startswith("url,why,by,cluster,alike\n")


def test_of_pages_those_come_first_that_show_most(suggest: Suggest, saved: Path) -> None:
    rows = rows_of(suggest("saved", "-n", "2", "-f", "json"))
    assert rows[0]["url"] == "saved/story-5.html"
    assert (rows[0]["by"], rows[0]["images"], rows[0]["kinds"]) == ("cover", 5, 4)
    assert rows[0]["new_kinds"] == 4
    assert rows[1]["new_kinds"] == 0
    assert "5 images, 4 kinds" in str(rows[0]["why"])


def test_files_can_be_chosen_from_by_name_and_at_random(suggest: Suggest, saved: Path) -> None:
    for way in ("clusters", "random"):
        lines = suggest("saved", "--by", way, "-n", "20").stdout.splitlines()
        assert sorted(lines) == [f"saved/story-{number}.html" for number in range(8)]
    one = suggest("saved", "--by", "random", "-n", "4", "--seed", "1").stdout
    assert one == suggest("saved", "--by", "random", "-n", "4", "--seed", "1").stdout


def test_what_was_annotated_is_not_suggested_again(suggest: Suggest, saved: Path, tmp_path: Path) -> None:
    image = ImageContext("https://a.example/cart.jpg", ("<article>", "<figure>", "<img>"), ("figure", "article"))
    seen = PageImages("https://a.example/story-5.html", "Story 5", 80, images=(image,))
    labelled = LabelledPage(seen, (ImageMarks("me", relevant=(0,)),))
    several = tuple(replace(labelled, page=replace(seen, url=url)) for url in LISTED[:8])
    profile = Profile((), images=SiteImages(labelled=(labelled, *several)))
    (tmp_path / "site.json").write_text(dump_profile(profile), encoding="utf-8")
    done = suggest("saved", "--url", "https://a.example/", "--profile", "site.json", "-n", "9")
    assert sorted(done.stdout.splitlines()) == [f"https://a.example/story-{n}.html" for n in range(8) if n != 5]
    assert suggest(*LISTED, "--profile", "site.json").stdout.splitlines() == LISTED[8:]
    left = suggest(*LISTED[:8], "--profile", "site.json", check=1)
    assert "no page is left" in left.stderr


def test_a_site_is_sampled_politely(suggest: Suggest) -> None:
    front = "".join(f"<a href='{path}'>x</a>" for path in STORIES) + "<a href=/private/a>x</a>"
    site = {path: page(story(number).encode(), HTML) for number, path in enumerate(STORIES)}
    site |= {"/": page(front.encode(), HTML), "/private/a": page(b"<p>Private", HTML)}
    site["/robots.txt"] = page(b"User-agent: *\nDisallow: /private\n", "Content-Type: text/plain")
    with serve(by_path(site)) as server:
        sampled = (server.url("/"), "--allow-private", "--delay", "0", "-n", "3")
        covered = suggest(*sampled).stdout.splitlines()
        asked = [head.split(" ")[1] for head in server.heads]
        by_address = suggest(*sampled, "--by", "clusters").stdout.splitlines()
    assert len(set(covered)) == len(set(by_address)) == 3
    assert covered[0] == server.url("/story-5.html")
    assert sorted(asked) == sorted(["/", "/robots.txt", *STORIES])


def test_addresses_are_fetched_where_cover_is_asked_for(suggest: Suggest) -> None:
    site = {path: page(story(number).encode(), HTML) for number, path in enumerate(STORIES)}
    with serve(by_path(site)) as server:
        urls = [server.url(path) for path in ("/gone.html", *STORIES[4:7])]
        done = suggest(*urls, "--by", "cover", "--allow-private", "-n", "1")
    assert done.stdout == f"{urls[2]}\n"
    assert "gone.html: " in done.stderr


def test_the_format_follows_the_name_of_the_file(suggest: Suggest, tmp_path: Path) -> None:
    suggest(*LISTED, "-n", "2", "-o", "pages.txt")
    assert len((tmp_path / "pages.txt").read_text().splitlines()) == 2
    suggest(*LISTED, "-n", "2", "-o", "pages.csv")
    assert (tmp_path / "pages.csv").read_text().startswith("url,why")
    assert "names no format" in suggest(*LISTED, "-o", "pages.doc", check=2).stderr


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("pages.txt", b"hello\n", "neither a page nor a list"),
        ("pages.bin", bytes(range(256)) * 40, "neither a page nor a list"),
        ("site.json", b'{"version": 1}', "--profile"),
        ("none.txt", b"", "neither a page nor a list"),
        ("folder", None, "no page"),
        ("-", b"", "none of these lines is a URL"),
    ],
)
def test_inputs_that_are_nothing_are_named(
    suggest: Suggest, tmp_path: Path, name: str, body: bytes | None, said: str
) -> None:
    (tmp_path / name).mkdir() if body is None else (tmp_path / name).write_bytes(body)  # - is standard input
    assert said in suggest(name, check=2).stderr


def test_wrong_options_are_explained_before_anything_is_loaded(suggest: Suggest, saved: Path) -> None:
    assert "cover, clusters, random" in suggest("saved", "--by", "colour", check=2).stderr
    assert "several kinds" in suggest("saved", LISTED[0], check=2).stderr
    assert "gone.json: cannot be read" in suggest("saved", "--profile", "gone.json", check=2).stderr
    assert "known formats" in suggest("saved", "-f", "pdf", check=2).stderr


def test_lines_that_are_no_addresses_are_said_a_few_times_and_counted(suggest: Suggest, tmp_path: Path) -> None:
    lines = [LISTED[0], *("x" * 100_000 for _ in range(20)), f"https://a.example/{'y' * 100_000}", LISTED[1]]
    (tmp_path / "urls.txt").write_text("\n".join(lines), encoding="utf-8")
    done = suggest("urls.txt")
    assert sorted(done.stdout.splitlines()) == LISTED[:2]
    assert len(done.stderr.splitlines()) == 7
    assert "16 more lines are not URLs" in done.stderr


def test_pages_without_images_can_be_suggested_and_are_last(suggest: Suggest, saved: Path) -> None:
    (saved / "plain.html").write_text("<p>Nothing to see", encoding="utf-8")
    (saved / "empty.html").write_bytes(b"")
    done = suggest("saved", "-n", "10")
    lines = done.stdout.splitlines()
    assert len(lines) == 10
    assert set(lines[-2:]) == {"saved/plain.html", "saved/empty.html"}
    assert "2 pages without an address and images" in done.stderr
    assert "without an address" not in suggest("saved", "--url", "https://a.example/").stderr


def test_a_page_is_known_by_how_it_begins_whatever_its_name(suggest: Suggest, tmp_path: Path) -> None:
    (tmp_path / "saved page").write_text(f"\n\n{story(3)}", encoding="utf-8")
    assert suggest("saved page").stdout == "saved page\n"


def test_of_a_very_long_list_the_first_addresses_are_looked_at_and_that_is_told(
    suggest: Suggest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scythe.cli.suggest._ADDRESSES", 3)
    (tmp_path / "urls.txt").write_text("\n".join([*LISTED[:3], LISTED[0], *LISTED[3:]]), encoding="utf-8")
    done = suggest("urls.txt", "-n", "9")
    assert sorted(done.stdout.splitlines()) == LISTED[:3]
    assert done.stderr.splitlines()[0] == "scythe: urls.txt: only the first 3 URLs are used"
    assert "3 of 3 pages" in done.stderr
