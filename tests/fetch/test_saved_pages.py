"""Pages in files: the address they had, and the pictures beside them."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import scythe
from scythe.cli.read import read as command
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import find_sources, load
from scythe.fetch.saved_pages import SavedPictures, saved_address
from scythe.page import Page
from scythe.url import FOLDER, Url, absolute

BODY = "<html><head><title>Rakes</title></head><body><p>A rake.</p></body></html>"
WORDS = "Reapers walked the field before dawn. They cut the barley low. They bound it. It stood to dry. Then rain came."
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def write(path: Path, *images: str, head: str = "", mark: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = "".join(f"<figure><img {image} width=600 height=400></figure><p>{WORDS}</p>" for image in images)
    path.write_text(
        f"{mark}<html><head><title>Harvest</title>{head}</head><article><h1>Harvest</h1><p>{WORDS * 2}</p>{shown}"
    )
    return path


@pytest.mark.parametrize(
    ("mark", "address"),
    [
        ("<!-- saved from url=(0027)https://shop.example/rakes/ -->", "https://shop.example/rakes/"),
        ("<!-- saved from url=(0099)https://shop.example/?a=1&amp;b=2 -->", "https://shop.example/?a=1&b=2"),
        ("<!-- Mirrored from shop.example/a.html by HTTrack Website Copier/3.x -->", "http://shop.example/a.html"),
        (
            "<!--\n Page saved with SingleFile \n url: https://shop.example/b \n saved date: x -->",
            "https://shop.example/b",
        ),
        ("<!-- saved from url=(0014)about:internet -->", None),
        ("<!-- saved from url=(0020)file:///etc/passwd -->", None),
        ("<!-- Mirrored from  by HTTrack -->", None),
        ("", None),
    ],
)
def test_the_mark_of_whatever_saved_a_page_gives_its_address(mark: str, address: str | None, tmp_path: Path) -> None:
    assert saved_address(f"<!DOCTYPE html>\n{mark}\n{BODY}".encode()) == address
    path = tmp_path / "page.html"
    path.write_text(f"<!DOCTYPE html>\n{mark}\n{BODY}", encoding="utf-8")
    (page,) = load(find_sources([str(path)]), None, FetchOptions())
    assert page.url == address
    (named,) = load(find_sources([str(path)]), "https://other.example/", FetchOptions())
    assert named.url == "https://other.example/"


def test_a_mark_far_down_is_not_that_of_the_page() -> None:
    late = "<p>x</p>" * 4_000 + "<!-- saved from url=(0027)https://shop.example/rakes/ -->"
    assert saved_address(late.encode()) is None


@pytest.mark.parametrize(
    ("head", "address"),
    [
        ('<link rel=canonical href="https://a.example/b"><base href="https://c.example/">', "https://a.example/b"),
        ("<base href='https://c.example/x/'><meta content='https://o.example/?a=1&amp;b' property='og:url'>",
         "https://o.example/?a=1&b"),
        ("<base href=https://c.example/x/>", "https://c.example/x/"),
        ('<link rel="canonical" href="/b"><base href="x/">', None),
        ('<link rel="next" href="https://a.example/2">', None),
    ],
)  # fmt: skip
def test_a_page_in_a_file_has_the_address_that_it_states(head: str, address: str | None) -> None:
    assert saved_address(f"<html><head>{head}</head><p>x".encode()) == address
    mark = b"<!-- saved from url=(0022)https://first.example/ -->"
    assert saved_address(mark + f"<html><head>{head}".encode()) == "https://first.example/"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("./a b.png", "a%20b.png"),
        ("x_files/a.png?v=1#f", "x_files/a.png"),
        ("../up.png", "../up.png"),
        ("https://a.example/i.png", "https://a.example/i.png"),
        ("/etc/passwd", None),
        ("file:///etc/passwd", None),
        ("C:\\a.png", None),
        ("\\\\host\\a.png", None),
        ("//host/a.png", None),
        ("http://[", None),
        ("?a", None),
    ],
)
def test_in_a_folder_relative_paths_stay_what_they_are(path: str, found: str | None) -> None:
    assert absolute(path, FOLDER) == found


def test_only_images_are_named_by_paths_of_the_folder() -> None:
    page = Page.from_bytes(b"<a href=b.html><img src=c.png alt=c width=600 height=400></a>", url=FOLDER)
    assert (page.url, page.base, page.links) == (None, None, ())
    assert [use.image.src for use in page.images] == ["c.png"]
    assert [use.image.src for use in Page.from_bytes("<p>ä<img src=c.png>".encode("latin-1"), url=FOLDER).images]


@pytest.mark.parametrize("form", ["browser", "mirror", "no address"])
def test_pictures_beside_a_page_are_copied(tmp_path: Path, form: str) -> None:
    mark = {
        "browser": "<!-- saved from url=(0024)https://a.example/news/1 -->",
        "mirror": "<!-- Mirrored from a.example/news/1.html by HTTrack -->",
        "no address": "",
    }[form]
    page, src = tmp_path / "saved" / "page.html", "page_files/rye.png"
    if form == "mirror":
        page, src = tmp_path / "saved" / "a.example" / "news" / "1.html", "../../img.example/rye.png"
    write(page, f'src="{src}" srcset="https://a.example/large.png 2000w"', mark=mark)
    (page.parent / src).parent.mkdir(parents=True, exist_ok=True)
    (page.parent / src).write_bytes(PNG)
    done = CliRunner().invoke(command, [str(page), "-o", f"{tmp_path}/out/"])
    assert (done.exit_code, done.stderr) == (0, "")
    copied = tmp_path / "out" / "Harvest_files"
    assert [each.read_bytes() for each in copied.iterdir()] == [PNG]
    assert 'src="Harvest_files/' in (tmp_path / "out" / "Harvest.html").read_text()


def test_nothing_outside_of_the_folder_is_copied(tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    (folder / "f").mkdir(parents=True)
    (folder / "f" / "link.png").symlink_to(secret)
    (folder / "f" / "round.png").symlink_to(folder / "f" / "round.png")
    (folder / "f" / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "f" / "pipe.png")
    wanted = ["../secret.png", "f/link.png", "f/round.png", "f/up/secret.png", "f/pipe.png", "%2e%2e/secret.png", "f"]
    page = write(folder / "page.html", *(f'src="{each}"' for each in (*wanted, str(secret), f"file://{secret}")))
    done = CliRunner().invoke(command, [str(page), "-o", f"{tmp_path}/out/"])
    assert not list((tmp_path / "out").rglob("*_files/*"))
    assert "../secret.png: not found beside the page" in done.stderr
    pictures = SavedPictures.beside(page, page.read_bytes(), None)
    assert set(pictures.written) >= {"../secret.png", "f/link.png", "f/round.png", "f/pipe.png"}
    assert [src for src in (*pictures.written, Url(str(secret))) if pictures.find(src) is not None] == []


def test_images_of_a_page_from_a_pipe_are_said_to_be_left_out(tmp_path: Path) -> None:
    page = write(tmp_path / "page.html", "src=a.png", "src=b.png", "src=https://a.example/c.png")
    done = CliRunner().invoke(command, ["-"], input=page.read_bytes())
    assert "standard input: 2 images with relative addresses left out; --url says" in done.stderr
    assert (
        "left out"
        not in CliRunner().invoke(command, ["-", "--url", "https://a.example/"], input=page.read_bytes()).stderr
    )


def test_python_names_pictures_by_their_path(tmp_path: Path) -> None:
    page = write(tmp_path / "page.html", "src=f/a.png")
    doc = scythe.read(page)
    assert (doc.url, [image.src for image in doc.images if image.relevant]) == (None, ["f/a.png"])
    assert "![](f/a.png)" in doc.markdown
