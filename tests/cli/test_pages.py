"""Pages of a site are found in files, folders, patterns and page sets, with the addresses they had."""

import gzip
import json
import lzma
from pathlib import Path

import pytest

from scythe.cli.page_inputs import load_pages
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage, spread


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two pages, one of them deeper."""
    for name in ("a.html", "2026/b c.html"):
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"<p>" + name.encode())
    return tmp_path / "site"


def loaded(*inputs: str | Path, base: str | None = None, most: int | None = None) -> list[LoadedPage]:
    return list(load_pages([str(given) for given in inputs], base, FetchOptions(), most=most))


def test_files_of_a_folder_lie_below_the_address(folder: Path) -> None:
    assert [page.url for page in loaded(folder, base="https://example.org/x")] == [
        "https://example.org/x/2026/b%20c.html",
        "https://example.org/x/a.html",
    ]


def test_files_of_a_pattern_lie_below_the_address(folder: Path) -> None:
    pattern = folder / "*" / "*.html"
    assert [page.url for page in loaded(pattern, base="https://example.org/")] == [
        "https://example.org/2026/b%20c.html"
    ]


def test_a_single_file_has_the_address_itself(folder: Path) -> None:
    assert [page.url for page in loaded(folder / "a.html", base="https://example.org/?p=7")] == [
        "https://example.org/?p=7"
    ]


def test_one_of_several_files_lies_below_the_address(folder: Path) -> None:
    pages = loaded(folder / "a.html", folder / "2026" / "b c.html", base="https://example.org/")
    assert [page.url for page in pages] == ["https://example.org/a.html", "https://example.org/b%20c.html"]


def test_without_an_address_pages_have_none(folder: Path) -> None:
    assert [page.url for page in loaded(folder)] == [None, None]


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.xz", "jsonl.gz"])
def test_a_page_set_holds_many_pages(tmp_path: Path, suffix: str) -> None:
    rows = [{"html": "<p>\u00e9", "url": "/a", "id": "one", "fields": {"price": ["1"]}}, {"html": "<p>2"}]
    path = tmp_path / f"set.{suffix}"
    text = "\n".join(json.dumps(row) for row in rows) + "\n\n"
    packed = {
        "jsonl": text.encode(),
        "jsonl.xz": lzma.compress(text.encode()),
        "jsonl.gz": gzip.compress(text.encode()),
    }
    path.write_bytes(packed[suffix])
    one, two = loaded(path, base="https://example.org/")
    assert (one.name, one.url, one.body) == ("one", "https://example.org/a", "<p>\u00e9".encode())
    assert one.example == {"price": ["1"]}
    assert (two.name, two.url, two.body) == (f"{path}:2", None, b"<p>2")


def test_bad_lines_of_a_page_set_are_complaints_between_good_pages(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"html": "<p>1"}\n{"html": \n[]\n{"html": 7}\n{"html": "<p>5"}\n')
    pages = loaded(path)
    assert [bool(page.complaint) for page in pages] == [False, True, True, True, False]


def test_a_page_set_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl.gz"
    whole = gzip.compress(b"\n".join(b'{"html": "%d"}' % number for number in range(20_000)))
    path.write_bytes(whole[: len(whole) // 2])
    pages = loaded(path)
    assert "cannot be read" in pages[-1].complaint
    assert all(not page.complaint for page in pages[:-1])


def test_of_many_pages_some_are_taken_spread_over_them(folder: Path) -> None:
    assert spread(list(range(100)), 4) == [0, 33, 66, 99]
    assert spread([1, 2], 5) == [1, 2]
    assert len(loaded(folder, most=1)) == 1


def test_what_does_not_exist_is_a_complaint(tmp_path: Path) -> None:
    assert [page.complaint for page in loaded(tmp_path / "no.jsonl")] == ["no such file"]
