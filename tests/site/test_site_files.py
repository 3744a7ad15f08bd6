"""A learned site survives its file: what it cuts, what it noticed, and nothing that was damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.demo_sites import demo_site

from scythe.errors import BadInput
from scythe.site.site import Site

NEWS = [page for page in demo_site() if page.kind == "news" and page.language == "en"]
NEW = [page for page in demo_site(design=1) if page.kind == "news" and page.language == "en"]


@pytest.fixture(scope="module")
def learned() -> Site:
    return Site.learn([(page.url, page.html) for page in NEWS[:6]])


def test_a_loaded_site_cuts_the_same(learned: Site, tmp_path: Path) -> None:
    learned.save(tmp_path / "news.json")
    loaded = Site.load(tmp_path / "news.json")
    assert loaded.profile == learned.profile
    for page in NEWS[6:]:
        assert loaded.extract(page.html, url=page.url) == learned.extract(page.html, url=page.url)


def test_what_was_noticed_is_in_the_file(tmp_path: Path) -> None:
    changed = Site.learn([(page.url, page.html) for page in NEWS[:6]])
    for page in NEW[:3]:
        changed.extract(page.html, url=page.url)
    changed.save(tmp_path / "news.json")
    loaded = Site.load(tmp_path / "news.json")
    assert not loaded.drift.healthy
    assert loaded.drift == changed.drift


def test_a_file_is_replaced_whole(learned: Site, tmp_path: Path) -> None:
    path = tmp_path / "news.json"
    path.write_text("old", encoding="utf-8")
    learned.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["news.json"]
    assert Site.load(path).profile == learned.profile


def test_damage_is_named_with_the_path_and_the_place(learned: Site, tmp_path: Path) -> None:
    path = tmp_path / "news.json"
    learned.save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["health"] = {"layouts": []}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(BadInput, match=r"news\.json: health: "):
        Site.load(path)
