import json
import re
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.fetch.server import always, by_path, serve
from tests.fetch.server import page as answer
from typer.testing import CliRunner

from scythe.cli import read as read_verb
from scythe.cli.read import read as app
from scythe.fetch.inputs import list_sources
from scythe.limits import LIMITS
from scythe.model import Document

from .conftest import EMPTY_PAGE, PAGE, Run

SENTENCE = "By noon the carts were full"
FURNITURE = "All rights reserved"


def test_the_text_of_a_file_goes_to_standard_output(scythe: Run, page: Path) -> None:
    done = scythe("read", "page.html")
    assert SENTENCE in done.stdout
    assert FURNITURE not in done.stdout
    assert done.stderr == ""


def test_a_page_can_come_from_standard_input(scythe: Run) -> None:
    done = scythe("read", "-", "--url", "https://example.org/a/b.html", "-f", "json", stdin=PAGE)
    document = json.loads(done.stdout)
    assert document["source"] == "standard input"
    assert document["url"] == "https://example.org/a/b.html"
    assert document["images"][0]["src"] == "https://example.org/a/cart.jpg"


@pytest.mark.parametrize(
    ("kind", "piece"),
    [("txt", SENTENCE), ("md", "## A good year"), ("html", "<h2>A good year</h2>"), ("json", '"title": "The harvest"')],
)
def test_each_format_is_written_as_asked(scythe: Run, page: Path, kind: str, piece: str) -> None:
    assert piece in scythe("read", "page.html", "-f", kind).stdout


@pytest.mark.parametrize(("kind", "written"), [("txt", "text"), ("md", "markdown"), ("html", "html")])
def test_only_what_is_written_is_rendered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, written: str
) -> None:
    read, documents = read_verb.read_page, []

    def keep(*args: Any, **kwargs: Any) -> Document:
        documents.append(read(*args, **kwargs))
        return documents[-1]

    monkeypatch.setattr(read_verb, "read_page", keep)
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    assert CliRunner().invoke(app, [str(tmp_path / "page.html"), "-f", kind]).exit_code == 0
    worked_out = {"markdown", "html", "images", "lists", "attributes"} & vars(documents[0]).keys()
    assert worked_out <= {written}


@pytest.mark.parametrize("suffix", ["txt", "md", "html", "json", "jsonl"])
def test_the_suffix_of_the_output_file_names_the_format(scythe: Run, page: Path, tmp_path: Path, suffix: str) -> None:
    done = scythe("read", "page.html", "-o", f"out.{suffix}")
    assert done.stdout == ""
    assert SENTENCE in (tmp_path / f"out.{suffix}").read_text(encoding="utf-8")


def test_many_pages_give_one_json_object_per_line_in_order(scythe: Run, tmp_path: Path) -> None:
    for name in "cab":
        (tmp_path / f"{name}.html").write_text(PAGE, encoding="utf-8")
    done = scythe("read", "c.html", "*.html", "-f", "jsonl")
    assert [json.loads(line)["source"] for line in done.stdout.splitlines()] == ["c.html", "a.html", "b.html", "c.html"]


def test_many_pages_as_json_are_one_array(scythe: Run, page: Path) -> None:
    assert len(json.loads(scythe("read", "page.html", "page.html", "-f", "json").stdout)) == 2


def test_a_folder_gives_its_pages_recursively(scythe: Run, tmp_path: Path) -> None:
    (tmp_path / "site" / "deep").mkdir(parents=True)
    (tmp_path / "site" / "b.htm").write_text(PAGE, encoding="utf-8")
    (tmp_path / "site" / "deep" / "a.HTML").write_text(PAGE, encoding="utf-8")
    (tmp_path / "site" / "notes.doc").write_text("no page", encoding="utf-8")
    sources = [json.loads(line)["source"] for line in scythe("read", "site", "-f", "jsonl").stdout.splitlines()]
    assert [Path(source).name for source in sources] == ["b.htm", "a.HTML"]


def test_several_texts_are_told_apart_by_a_line_with_their_name(scythe: Run, page: Path) -> None:
    assert scythe("read", "page.html", "page.html").stdout.count("==> page.html <==") == 2


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("missing.html", "no such file"),
        ("example.org/story", "https://example.org/story"),
        ("nothing-*.html", "no file matches"),
        ("ftp://example.org/x", "only http:// and https://"),
        ("http://127.0.0.1:8009/", "--allow-private"),
    ],
)
def test_a_bad_input_is_one_line_saying_what_to_do_and_the_rest_is_read(
    scythe: Run, page: Path, given: str, advice: str
) -> None:
    done = scythe("read", given, "page.html", check=1)
    assert advice in done.stderr
    assert done.stderr.startswith(f"scythe: {given}: ")
    assert len(done.stderr.splitlines()) == 1
    assert SENTENCE in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["page.html", "-f", "docx"],
        ["page.html", "-o", "out.docx"],
        ["page.html", "--method", "magic"],
        ["page.html", "--download-images"],
        ["page.html", "--url", "not an address"],
        ["page.html", "--timeout", "0"],
        ["page.html", "--nonsense"],
        ["--input-file", "missing.txt"],
        ["-", "--input-file", "-"],
        ["-f", "md"],
    ],
)
def test_a_command_that_makes_no_sense_ends_with_two_and_a_reason(
    scythe: Run, page: Path, arguments: list[str]
) -> None:
    done = scythe("read", *arguments, check=2)
    assert done.stdout == ""
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_a_page_without_text_says_why_and_is_no_failure(scythe: Run) -> None:
    done = scythe("read", "-", stdin=EMPTY_PAGE)
    assert done.stdout == ""
    assert done.stderr.startswith("scythe: standard input: no text: ")


def test_a_page_without_text_is_an_exit_code_when_asked_for(scythe: Run) -> None:
    scythe("read", "-", "--fail-on-empty", stdin=EMPTY_PAGE, check=3)


def test_verbose_says_how_each_field_was_found(scythe: Run, page: Path) -> None:
    err = scythe("read", "page.html", "-v").stderr
    assert "  text: auto" in err
    assert "  title: " in err
    assert re.search(r"read in [\d.]+ ms", err)


def test_a_published_method_can_be_chosen(scythe: Run, page: Path) -> None:
    assert "text: vsse" in scythe("read", "page.html", "-v", "--method", "vsse").stderr


def test_options_change_what_is_kept(scythe: Run, page: Path) -> None:
    assert scythe("read", "page.html", "--title-line").stdout.startswith("The harvest\n")
    assert "The last cart." in scythe("read", "page.html", "--captions").stdout
    assert "The last cart." not in scythe("read", "page.html", "--no-captions").stdout
    assert "(/dance)" not in scythe("read", "page.html", "-f", "md", "--no-links").stdout
    assert "![" not in scythe("read", "page.html", "-f", "md", "--no-images").stdout


def test_a_folder_gets_text_and_html_under_the_title(scythe: Run, page: Path, tmp_path: Path) -> None:
    scythe("read", "page.html", "-o", "out/")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["The harvest.html", "The harvest.txt"]


def test_a_folder_with_a_format_gets_one_file_per_source(scythe: Run, page: Path, tmp_path: Path) -> None:
    scythe("read", "page.html", "page.html", "-f", "md", "-o", "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["page (2).md", "page.md"]


def test_an_output_that_cannot_be_written_is_named(scythe: Run, page: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for output in ("missing-folder/out.json", "file/out.json"):
        done = scythe("read", "page.html", "-o", output, check=2)
        assert "Traceback" not in done.stderr


@pytest.mark.fault
def test_an_address_is_fetched_and_read(scythe: Run) -> None:
    with serve(always(answer(PAGE.encode(), "Content-Type: text/html; charset=utf-8"))) as server:
        done = scythe("read", server.url("/x/"), "-f", "json", "--allow-private")
    document = json.loads(done.stdout)
    assert document["url"] == server.url("/x/")
    assert SENTENCE in document["text"]


@pytest.mark.fault
def test_the_charset_of_the_header_decides(scythe: Run) -> None:
    body = PAGE.replace("miller", "değirmenci").encode("iso-8859-9")
    with serve(always(answer(body, "Content-Type: text/html; charset=iso-8859-9"))) as server:
        assert "değirmenci" in scythe("read", server.url(), "--allow-private").stdout


@pytest.mark.fault
def test_a_list_of_addresses_is_read_and_a_bad_line_named_with_its_number(scythe: Run, tmp_path: Path) -> None:
    pages = {f"/{n}": answer(PAGE.encode(), "Content-Type: text/html") for n in range(3)}
    with serve(by_path(pages)) as server:
        urls = [server.url(path) for path in ("/0", "/1", "/gone", "/2")]
        lines = ["# my pages", urls[0], "", "page.html", *urls[1:]]
        (tmp_path / "list.txt").write_text("\n".join(lines))
        done = scythe("read", "-i", "list.txt", "-f", "jsonl", "--allow-private", check=1)
    assert [json.loads(line)["url"] for line in done.stdout.splitlines()] == [server.url(f"/{n}") for n in range(3)]
    assert "scythe: list.txt:4: not an http or https address: 'page.html'" in done.stderr
    assert "404 Not Found" in done.stderr
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.fault
def test_of_a_long_line_in_a_list_the_beginning_is_read_and_the_lines_after_it_keep_their_numbers(
    tmp_path: Path,
) -> None:
    most = LIMITS.url_chars + 2
    lines = [b"x" * 50_000_000, b"", *(b"y" * (most + more) for more in (-2, -1, 0, 1)), b"last"]
    (tmp_path / "list.txt").write_bytes(b"\n".join(lines))
    tracemalloc.start()
    found = [source.name for source in list_sources(str(tmp_path / "list.txt"))]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [name.rpartition(":")[2] for name in found] == ["1", "3", "4", "5", "6", "7"]
    assert peak < 2_000_000


@pytest.mark.fault
def test_a_download_that_ends_early_is_read_and_said(scythe: Run) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(PAGE) + 1000}\r\n\r\n".encode()
    with serve(always(head, PAGE.encode())) as server:
        done = scythe("read", server.url(), "-f", "json", "--allow-private")
    loss = {"what": "download ended early, bytes received", "count": len(PAGE)}
    assert loss in json.loads(done.stdout)["losses"]
    assert f"incomplete: download ended early, bytes received ({len(PAGE)})" in done.stderr


@pytest.mark.fault
def test_pictures_are_saved_only_when_asked_for(scythe: Run, tmp_path: Path) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(100)
    pages = {"/": answer(PAGE.encode(), "Content-Type: text/html"), "/cart.jpg": answer(png, "Content-Type: image/png")}
    with serve(by_path(pages)) as server:
        scythe("read", server.url(), "-o", "plain/", "--allow-private")
        assert len(server.heads) == 1
        scythe("read", server.url(), "-o", "full/", "--allow-private", "--download-images")
    assert [path.suffix for path in sorted((tmp_path / "plain").iterdir())] == [".html", ".txt"]
    saved = list((tmp_path / "full").glob("*_files/*"))
    assert [path.read_bytes() for path in saved] == [png]


def test_images_can_be_had_without_text(scythe: Run, tmp_path: Path) -> None:
    lead = "<figure><img src=/field.jpg srcset='/field.jpg 300w, /field-large.jpg 1200w' alt='The field'></figure>"
    html = PAGE.replace("<p>", f"{lead}<p>", 1).replace("</body>", "<footer><img src=/logo.png></footer></body>")
    (tmp_path / "story.html").write_text(html, encoding="utf-8")
    addresses = scythe(
        "read", "story.html", "--url", "https://farm.example/", "--images-only", "--image-method", "nearby"
    )
    assert "https://farm.example/field-large.jpg\n" in addresses.stdout
    assert "logo.png" not in addresses.stdout
    rows = scythe("read", "story.html", "--url", "https://farm.example/", "--images-only", "-f", "jsonl").stdout
    images = [json.loads(line) for line in rows.splitlines()]
    assert {"src", "relevant", "score", "alt", "caption", "width", "height"} == set(images[0])
    assert "https://farm.example/logo.png" in [image["src"] for image in images]
    assert scythe("read", "story.html", "--images-only", "--records", check=2).stderr.startswith(
        "scythe: --images-only"
    )
    assert "expected one of" in scythe("read", "story.html", "--image-method", "guess", check=2).stderr


def test_real_sizes_of_images_are_asked_for_only_on_request(scythe: Run) -> None:
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (900).to_bytes(4, "big") + (600).to_bytes(4, "big") + bytes(100)
    html = PAGE.replace("<p>", "<img src=/large.png><img src=/gone.png><p>", 1)
    pages = {
        "/": answer(html.encode(), "Content-Type: text/html"),
        "/large.png": answer(header, "Content-Type: image/png"),
    }
    with serve(by_path(pages)) as server:
        command = ("read", server.url(), "--allow-private", "--images-only", "-f", "jsonl", "--image-method", "300x400")
        scythe(*command)
        assert len(server.heads) == 1
        done = scythe(*command, "--probe-sizes")
        images = {row["src"]: row for row in map(json.loads, done.stdout.splitlines())}
        large, gone = images[server.url("/large.png")], images[server.url("/gone.png")]
    assert (large["width"], large["height"], large["relevant"]) == (900, 600, True)
    assert (gone["width"], gone["relevant"]) == (None, False)
    assert "image sizes unknown" in done.stderr


@pytest.mark.fault
def test_a_closed_output_pipe_ends_quietly(page: Path, tmp_path: Path) -> None:
    reader = subprocess.Popen(
        [sys.executable, "-m", "scythe", "read", *["page.html"] * 400, "-f", "json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert reader.stdout is not None
    reader.stdout.read(10)
    reader.stdout.close()
    _, err = reader.communicate(timeout=60)
    assert err == b""
    assert reader.returncode == 141


@pytest.mark.fault
def test_ctrl_c_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    waiting = subprocess.Popen(
        [sys.executable, "-m", "scythe", "read", "-i", "-"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert waiting.stdin is not None
    assert waiting.stderr is not None
    waiting.stdin.write(b"no address\n")
    waiting.stdin.flush()
    assert b"standard input:1: " in waiting.stderr.readline()  # it waits for the next line now
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=30)
    assert waiting.returncode == 130
    assert err == b"scythe: interrupted\n"


# -- in this process, where a run takes no start -----------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the verb in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, check: int = 0) -> Result:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == check, f"exit {done.exit_code}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.mark.parametrize(
    ("kind", "begin", "end"),
    [
        ("html", '<article data-source="a&amp;b--c&gt;.html">\n', "\n</article>\n"),
        ("md", "<!-- a&b- -c&gt;.html -->\n\n", "\n"),
        ("txt", "==> a&b--c>.html <==\n", "\n"),
    ],
)
def test_of_several_pages_each_begins_with_its_name_in_the_words_of_the_format(
    here: Callable[..., Result], tmp_path: Path, kind: str, begin: str, end: str
) -> None:
    for name in ("a&b--c>.html", "other.html"):
        (tmp_path / name).write_text(PAGE, encoding="utf-8")
    shown = here("a&b--c>.html", "other.html", "-f", kind).stdout
    assert shown.startswith(begin)
    assert shown.endswith(end)
    assert shown.count(SENTENCE) == 2


def test_where_no_page_can_be_read_json_is_nothing_or_an_empty_list(here: Callable[..., Result]) -> None:
    assert here("none.html", "-f", "json", check=1).stdout == ""
    assert here("none.html", "nowhere.html", "-f", "json", check=1).stdout == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("page.html", "--records", "-o", "out/"), "--records needs -f with -o DIR"),
        (("page.html", "--images-only", "-f", "docx"), "-f docx: images go as table, txt, csv"),
    ],
)
def test_what_does_not_go_together_is_told(
    here: Callable[..., Result], page: Path, arguments: tuple[str, ...], advice: str
) -> None:
    done = here(*arguments, check=2)
    assert advice in done.stderr
    assert done.stdout == ""


def test_addresses_of_images_go_to_a_file_and_a_page_without_any_adds_none(
    here: Callable[..., Result], page: Path, tmp_path: Path
) -> None:
    (tmp_path / "bare.html").write_text(EMPTY_PAGE, encoding="utf-8")
    given = ("page.html", "bare.html", "--images-only", "--url", "https://farm.example/")
    here(*given, "-o", "images.txt")
    assert (tmp_path / "images.txt").read_text() == "https://farm.example/cart.jpg\n"
    here(*given, "-o", "images.csv")
    assert len((tmp_path / "images.csv").read_text().splitlines()) == 2


def test_a_page_that_cannot_be_written_is_told_and_the_others_are(
    here: Callable[..., Result], page: Path, tmp_path: Path
) -> None:
    (tmp_path / "out" / "page.txt").mkdir(parents=True)
    (tmp_path / "other.html").write_text(PAGE, encoding="utf-8")
    done = here("page.html", "other.html", "-f", "txt", "-o", "out/", check=1)
    assert done.stderr.startswith("scythe: page.html: cannot be written: ")
    assert SENTENCE in (tmp_path / "out" / "other.txt").read_text(encoding="utf-8")


@pytest.mark.fault
def test_pictures_that_are_missing_or_break_off_are_told_one_by_one(
    here: Callable[..., Result], tmp_path: Path
) -> None:
    barn = (
        '<figure><img src="barn.jpg" alt="A barn" width="800" height="600"><figcaption>The barn.</figcaption></figure>'
    )
    html = PAGE.replace("<h2>", f"{barn}<h2>")
    png = b"\x89PNG\r\n\x1a\n" + bytes(100)
    broken = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 9000\r\n\r\n" + png
    with serve(by_path({"/": answer(html.encode(), "Content-Type: text/html"), "/cart.jpg": broken})) as server:
        done = here(
            server.url(), "-o", "out/", "--allow-private", "--download-images", "--image-method", "300x400", check=1
        )
        told = sorted(line.partition("picture not saved: ")[2] for line in done.stderr.splitlines())
        assert [line.rpartition("/")[2].partition(":")[0] for line in told] == ["barn.jpg", "cart.jpg"]
    assert "404" in told[0]
    assert "the download ended early" in told[1]
    assert not list((tmp_path / "out").glob("*_files/*"))


def test_where_all_sizes_are_known_nothing_is_said_of_them(here: Callable[..., Result]) -> None:
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (900).to_bytes(4, "big") + (600).to_bytes(4, "big") + bytes(100)
    pages = {
        "/": answer(PAGE.encode(), "Content-Type: text/html"),
        "/cart.jpg": answer(header, "Content-Type: image/png"),
    }
    with serve(by_path(pages)) as server:
        done = here(server.url(), "--allow-private", "--images-only", "-f", "jsonl", "--probe-sizes")
    assert (json.loads(done.stdout)["width"], done.stderr) == (900, "")
