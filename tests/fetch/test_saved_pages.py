"""Pages saved by browsers and mirroring tools say where they come from."""

from pathlib import Path

import pytest

from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import find_sources, load, saved_address

BODY = "<html><head><title>Rakes</title></head><body><p>A rake.</p></body></html>"


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
