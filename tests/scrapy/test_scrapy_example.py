"""The example project: from a survey of a site over a person's clicks to its relevant images, all inside Scrapy."""

import json
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("scrapy")
from tests.scrapy.scrapy_projects import Project

from scythe.demo.serve import DemoOptions, DemoThread, serve_demo
from scythe.demo.world import World

pytestmark = [
    pytest.mark.fault,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed"),
]
EXAMPLE = Path("examples") / "scrapy_tc"
BASE = "http://127.0.0.1:8000"  # where the readme serves the site
QUICK = ("-s", "DOWNLOAD_DELAY=0", "-L", "WARNING")


@pytest.fixture(scope="module")
def served() -> Iterator[DemoThread]:
    with serve_demo(DemoOptions(pages=30)) as served:
        yield served


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, served: DemoThread) -> Project:
    """The project, with the clicks of a person on the site that is served here."""
    root = Path(__file__).resolve().parent.parent.parent
    path = tmp_path_factory.mktemp("tc") / "project"
    shutil.copytree(root / EXAMPLE, path, ignore=shutil.ignore_patterns("__pycache__"))
    clicks = (path / "clicks.json").read_text(encoding="utf-8")
    (path / "clicks.json").write_text(clicks.replace(BASE, served.world.base), encoding="utf-8")
    return Project(path)


def test_the_clicks_are_on_the_images_that_belong_to_the_pages(root: Path) -> None:
    world = World(seed=1, pages=30, design=0, base=BASE)
    clicks = json.loads((root / EXAMPLE / "clicks.json").read_text(encoding="utf-8"))
    for address, images in clicks.items():
        page = world.page(address.removeprefix(BASE))
        assert page is not None
        assert images == list(page.gold_images)


def test_the_workflow_finds_the_relevant_images_without_asking_for_one(project: Project, served: DemoThread) -> None:
    project.scrapy("crawl", "survey", "-a", f"start={served.url}", *QUICK)
    seen = {page["url"] for page in project.rows("pages.jsonl")}
    said = project.scrapy("suggest", "-n", "12")
    labels = json.loads((project.path / "labels.json").read_text(encoding="utf-8"))
    assert len(labels) == 12
    assert set(labels) < seen
    assert len({line.split("\t")[1].split(":")[0] for line in said.splitlines()}) >= 6  # clusters of addresses
    said = project.scrapy("teach", "clicks.json")
    assert said.splitlines()[-1] == "12 pages, 5 relevant images; labels not found: 0"
    asked = len(served.log)
    project.scrapy("crawl", "harvest", "-a", f"start={served.url}", "-O", "images.jsonl", *QUICK)
    assert not [request.target for request in served.log[asked:] if "/img/" in request.target]
    hits = wrong = missed = 0
    for row in project.rows("images.jsonl"):
        page = served.world.page(row["page"].removeprefix(served.world.base))
        assert page is not None
        found, expected = set(row["images"]), set(page.gold_images)
        hits, wrong = hits + len(found & expected), wrong + len(found - expected)
        missed += len(expected - found)
    assert hits > 40
    # .95 while rules led to the areas of images; .79 since, until those are learned on the page map
    assert 2 * hits / (2 * hits + wrong + missed) >= 0.75
