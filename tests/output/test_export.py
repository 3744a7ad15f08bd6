"""Export: three outputs per page, names that every system takes, nothing outside the folder."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scythe
from scythe.atomic_files import write_atomically
from scythe.errors import BadInput, FetchFailed
from scythe.model import Document
from scythe.output.document_writers import Exporter, dump, export, safe_name
from scythe.url import Url

SENTENCES = "Reapers walked the field. They cut the barley. They bound it. It stood to dry. Then rain came."
PAGE = f"""<title>The harvest</title><html lang=en><div><p>{SENTENCES}</p>
<p><img src=/img/barley.jpg alt=B>{SENTENCES}</p>
<p><img src="/img/barley.jpg?2" alt=B> <img src=/img/x.svg> {SENTENCES}</p></div>"""
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 60


@pytest.fixture
def doc() -> Document:
    return scythe.read(PAGE, "https://example.org/harvest", method="sentences")


def names_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_text_and_html_are_written_under_the_title(doc: Document, tmp_path: Path) -> None:
    written = export(doc, tmp_path)
    assert names_in(tmp_path) == ["The harvest.html", "The harvest.txt"]
    assert written.text.read_text(encoding="utf-8") == doc.text + "\n"
    html = written.html.read_text(encoding="utf-8")
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "<title>The harvest</title>" in html
    assert doc.html in html


def test_images_are_written_only_when_a_download_is_given(doc: Document, tmp_path: Path) -> None:
    asked: list[str] = []

    def download(url: Url) -> bytes | None:
        asked.append(url)
        return JPEG if "barley" in url else b"<svg onload=alert(1)>"

    written = export(doc, tmp_path, download=download)
    assert names_in(tmp_path) == [
        "The harvest.html",
        "The harvest.txt",
        "The harvest_files/barley (2).jpg",
        "The harvest_files/barley.jpg",
    ]
    html = written.html.read_text(encoding="utf-8")
    assert 'src="The%20harvest_files/barley.jpg"' in html
    assert 'src="The%20harvest_files/barley%20%282%29.jpg"' in html
    assert 'src="https://example.org/img/x.svg"' in html  # what was not saved keeps its address
    assert [path.read_bytes() for path in written.images] == [JPEG, JPEG]
    assert written.failed == ((Url("https://example.org/img/x.svg"), "no image format we write: unknown"),)
    assert len(asked) == len(set(asked)) == 3


def test_an_image_that_cannot_be_had_is_told_and_the_rest_is_written(doc: Document, tmp_path: Path) -> None:
    def download(url: Url) -> bytes | None:
        if "?2" in url:
            raise FetchFailed(url, "too slow")
        if "svg" in url:
            raise OSError("reset")
        return None

    written = export(doc, tmp_path, download=download)
    assert [why for _, why in written.failed] == [
        "nothing came",
        "https://example.org/img/barley.jpg?2: too slow",
        "reset",
    ]
    assert names_in(tmp_path) == ["The harvest.html", "The harvest.txt"]


def test_a_page_of_very_many_images_is_cut_off_and_says_so(tmp_path: Path) -> None:
    html = f"<div><p>{SENTENCES}</p><p>" + "".join(f"<img src=/{n}.jpg>" for n in range(250)) + f"{SENTENCES}</p></div>"
    written = export(scythe.read(html, "https://example.org/", method="sentences"), tmp_path, download=lambda url: JPEG)
    assert len(written.images) == 200
    assert {why for _, why in written.failed} == {"more than 200 images"}
    assert len(written.failed) == 50


def test_a_second_document_of_the_same_title_gets_a_number(doc: Document, tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    assert [exporter.put(doc).text.name for _ in range(3)] == [
        "The harvest.txt",
        "The harvest (2).txt",
        "The harvest (3).txt",
    ]


def test_names_that_differ_in_case_or_composition_only_do_not_meet(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    titles = ["Caf\u00e9", "CAFE\u0301", "cafe\u0301", "\uff23\uff41\uff46\u00e9"]
    names = [exporter.put(Document(title=title, text="x")).text.name.casefold() for title in titles]
    assert len(set(names)) == 4


def test_files_of_an_earlier_run_stay_unless_overwrite_is_asked_for(doc: Document, tmp_path: Path) -> None:
    first = export(doc, tmp_path).text
    assert export(doc, tmp_path).text.name == "The harvest (2).txt"
    assert export(doc, tmp_path, overwrite=True).text == first


def test_a_folder_of_images_alone_keeps_its_name_taken(doc: Document, tmp_path: Path) -> None:
    (tmp_path / "The harvest_files").mkdir()
    assert export(doc, tmp_path).text.name == "The harvest (2).txt"


def test_a_link_that_leads_out_of_the_folder_is_refused(doc: Document, tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "The harvest_files").symlink_to(outside, target_is_directory=True)
    with pytest.raises(BadInput, match="leads out of"):
        export(doc, inside, download=lambda url: JPEG, overwrite=True)
    assert names_in(outside) == []


def test_a_document_without_title_is_named_after_its_host_or_page(tmp_path: Path) -> None:
    assert export(Document(text="x", url=Url("https://example.org/x")), tmp_path).text.name == "example.org.txt"
    assert export(Document(text="x"), tmp_path).text.name == "page.txt"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("a: b? c/d*e<f>", "a b c d e f"),
        ("../../etc/passwd", "etc passwd"),
        ("..\\..\\windows", "windows"),
        (".hidden", "hidden"),
        ("-rf", "rf"),
        ("name.", "name"),
        ("name ", "name"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("com1", "_com1"),
        ("COM\u00b9", "_COM\u00b9"),
        ("console", "console"),
        ("a\x00b\nc\td", "a b c d"),
        ("\u202egpj.exe", "gpj.exe"),
        ("zero\u200bwidth", "zero width"),
        ("\ud800", "page"),
        ("", "page"),
        ("...", "page"),
        ("\u6536\u5272", "\u6536\u5272"),
        ("x" * 500, "x" * 150),
        ("\u6536" * 500, "\u6536" * 50),
    ],
)
def test_any_title_becomes_a_safe_name(title: str, name: str) -> None:
    assert safe_name(title) == name


@given(st.text(max_size=300))
@settings(deadline=None)
def test_a_safe_name_is_one_path_part_and_stays_itself(title: str) -> None:
    name = safe_name(title)
    assert name == safe_name(name)
    assert 0 < len(name.encode()) <= 151
    assert Path(name).name == name
    assert not set(name) & set('<>:"/\\|?*\0')


@given(st.lists(st.text(max_size=20), max_size=6))
@settings(deadline=None, max_examples=50)
def test_any_titles_are_written_side_by_side_inside_the_folder(
    tmp_path_factory: pytest.TempPathFactory, titles: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("export")
    exporter = Exporter(folder)
    for number, title in enumerate(titles):
        exporter.put(Document(title=title, text=str(number)))
    texts = [path.read_text() for path in folder.iterdir() if path.suffix == ".txt"]
    assert sorted(texts) == sorted(f"{number}\n" for number in range(len(titles)))


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(target, b"new")
    assert list(tmp_path.iterdir()) == [target]


def test_dump_gives_each_format(doc: Document) -> None:
    assert dump(doc, "txt") == doc.text
    assert dump(doc, "md") == doc.markdown
    assert json.loads(dump(doc, "json"))["title"] == "The harvest"
    assert doc.html in dump(doc, "html")
    with pytest.raises(BadInput, match="format must be one of txt, md, html, json, not 'doc'"):
        dump(doc, "doc")


def test_a_title_cannot_break_out_of_the_page_head() -> None:
    html = dump(Document(title="</title><script>alert(1)</script>", text="x"), "html")
    assert "<script>" not in html
