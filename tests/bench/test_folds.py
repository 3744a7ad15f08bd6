"""Models by fold: files of made-up models, and what the benchmark makes of them."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench.folds import FOLDS, FORMAT, TASKS, VERSION, Folds, load_folds, save_folds
from bench.site_names import fold_of, site_of

import scythe
from bench import image_trials, images, records, text
from scythe.errors import BadInput
from scythe.model import ImageContext, PageImages
from scythe.page import Page
from scythe.reading.forest import RECORDS, Forest, to_json
from scythe.reading.images import relevance
from scythe.reading.images.image_features import feature_names as image_feature_names
from scythe.reading.images.relevance import score_images
from scythe.reading.lists.find_lists import read_records
from scythe.reading.lists.list_features import feature_names

ROOT = Path(__file__).parents[2]
LISTING = (ROOT / "examples" / "tools.html").read_text("utf-8")
PAGES = sorted((ROOT / "tests").glob("pages/*/*/page.html"))
SHIPPED_NETWORK = resources.files("scythe.reading.text").joinpath("auto.json").read_text("utf-8")
SHIPPED = {
    "text": SHIPPED_NETWORK,
    "images": resources.files("scythe.reading.images").joinpath("tables/relevance.json").read_text("utf-8"),
    "records": resources.files("scythe.reading.lists").joinpath("tables/regions.json").read_text("utf-8"),
}


def network_that_keeps(everything: bool) -> str:
    """Return a saved network that knows no word and answers the same for every block."""
    saved = json.loads(SHIPPED_NETWORK)
    for kind in ("names", "words", "page"):
        saved[kind] = {"vocabulary": ["hay"], "scale": 1.0, "rows": [[0] * saved[kind]["rows"]["shape"][1]]}
    saved["last"]["weights"] = [0.0] * 48
    saved["last"]["bias"] = 9.0 if everything else -9.0
    return json.dumps(saved)


def forest_that_says(value: float, form: str) -> str:
    names = image_feature_names() if form == relevance.FORM else feature_names()
    leaf = Forest(names, *(np.array([n]) for n in (0, 0, 0)), np.array([np.inf]), np.array([value]))
    return to_json(leaf, form)


def write_folds(folder: Path, count: int, marked: int) -> Folds:
    """Write models of so many folds, of which one is unlike the others, and load them."""
    odd = [number == marked for number in range(count)]
    save_folds(folder / "text.json.xz", [network_that_keeps(one) for one in odd], [])
    save_folds(folder / "images.json.xz", [forest_that_says(5.0 if one else -5.0, relevance.FORM) for one in odd], [])
    save_folds(folder / "records.json.xz", [forest_that_says(1.0 if one else 0.0, RECORDS) for one in odd], [])
    return load_folds(folder)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Folds:
    folder = tmp_path_factory.mktemp("shipped")
    for task in TASKS:
        save_folds(folder / f"{task}.json.xz", [SHIPPED[task]], [])
    return load_folds(folder)


@pytest.mark.parametrize(
    ("names", "site"),
    [
        (("https://www.example.org/a",), "example"),
        (("http://user:secret@News.Example.co.uk:8080/a?b",), "example"),
        (("https://example.com.au",), "example"),
        (("https://go.com/",), "go"),
        (("//cdn.example.org/x",), "example"),
        (("http:///www.example.org/x",), "example"),
        (("http://10.0.0.1/x",), "10.0.0.1"),
        ((None, "", "foxes"), "foxes"),
        (("https:///", "field.example"), "field"),
        ((None,), ""),
    ],
)
def test_a_site_is_its_registered_name_without_the_suffix(names: tuple[str | None, ...], site: str) -> None:
    assert site_of(*names) == site


def test_the_fold_of_a_site_never_changes() -> None:
    assert [fold_of(name, 5) for name in ("example", "field", "farm", "")] == [0, 3, 2, 0]


def test_each_site_is_judged_by_the_model_of_its_fold(tmp_path: Path) -> None:
    folds = write_folds(tmp_path, 3, marked=fold_of("field", 3))
    other = next(name for name in ("farm", "barn", "mill") if fold_of(name, 3) != fold_of("field", 3))
    html = "<body><h1>Hay</h1>" + "<p>The meadow was mown on Monday, and it rained on Tuesday.</p>" * 9
    assert folds.extractor("field")(html, None).count("meadow") == 9
    assert folds.extractor(other)(html, None) == ""
    assert folds.image_forest("field") is folds.images[fold_of("field", 3)] is not folds.image_forest(other)
    listing = Page.from_text(LISTING)
    assert {region.score for region in folds.read_records(listing, "field")} == {1.0}
    assert not any(region.score == 1.0 for region in folds.read_records(listing, other))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.parent.name + "/" + path.parent.name)
def test_with_the_shipped_models_every_fold_reads_as_scythe_does(path: Path, shipped: Folds) -> None:
    html, url = path.read_text("utf-8", "replace"), f"https://{path.parent.parent.name}.example/{path.parent.name}"
    told = scythe.read(html, url)
    assert shipped.extractor(site_of(url))(html, url) == told.text
    held_out = shipped.read_document(html, url, site_of(url))
    assert (held_out.text, held_out.images, held_out.how) == (told.text, told.images, told.how)
    assert shipped.read_records(Page.from_text(html, url=url), site_of(url)) == read_records(
        Page.from_text(html, url=url)
    )


def write_sets(folder: Path, names: list[str]) -> None:
    story = "<p>The meadow was mown on Monday, and it rained on Tuesday.</p>" * 9
    gold = " ".join(["The meadow was mown on Monday, and it rained on Tuesday."] * 9)
    found = read_records(Page.from_text(LISTING))[0].records
    known = [{"title": one.fields[0], "leaves": [f for f in one.fields if f], "region": 0} for one in found]
    rows: dict[str, list[dict[str, Any]]] = {"text": [], "records": [], "images": []}
    for name in names:
        url = f"https://{name}.example/a"
        rows["text"].append({"id": f"{name}-t", "url": url, "html": story, "metric": "tokens", "gold": gold})
        rows["records"].append({"id": f"{name}-r", "url": url, "site": name, "html": LISTING, "gold": known})
        image = {"site": name, "page_url": url, "img_text": '<img src="/a.jpg" width="800">', "src": "/a.jpg"}
        rows["images"].append(image | {"relevant": 1, "anc": ["p", "article", "body"]})
    for task, own in rows.items():
        (folder / task).mkdir(parents=True)
        (folder / task / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in own), "utf-8")


def test_the_benchmarks_score_pages_by_their_folds(tmp_path: Path) -> None:
    write_sets(tmp_path / "data", ["field", "farm", "barn", "mill"])
    right = sum(fold_of(name, 2) == fold_of("field", 2) for name in ("field", "farm", "barn", "mill")) / 4
    assert 0 < right < 1
    (tmp_path / "folds").mkdir()
    folds = write_folds(tmp_path / "folds", 2, marked=fold_of("field", 2))
    (by_text,) = text.run(tmp_path / "data", folds=folds)
    assert by_text.rates.f1 == pytest.approx(right)
    (lists,) = records.run(tmp_path / "data", folds=folds)
    assert dict(zip(lists.columns, lists.rows[0], strict=True))["page R"] == pytest.approx(right)
    (cold,) = images.run(tmp_path / "data", method=["relevance"], folds=folds)
    assert dict(zip(cold.columns, cold.rows[0], strict=True))["f"] == pytest.approx(right)


def test_choosing_pages_and_learning_from_them_use_the_held_out_model_too(tmp_path: Path) -> None:
    folds = write_folds(tmp_path, 1, marked=0)
    image = ImageContext("/a.jpg", ("", "", '<img src="/a.jpg" width="800">'), ("p", "article", "body"))
    page = PageImages("https://field.example/", "Hay", 4_000, images=(image,))
    forest = folds.image_forest("field")
    assert image_trials.fit_relevance((), (), forest)(page) == score_images(page, forest=forest)
    assert image_trials.fit_relevance((), (), forest)(page) != image_trials.fit_relevance((), ())(page)


def test_the_models_of_the_repository_fit_this_version() -> None:
    folds = load_folds(ROOT / "train" / "folds")
    assert [len(folds.text), len(folds.images), len(folds.records)] == [FOLDS] * 3
    assert {name.partition("/")[0] for name in folds.data} == set(TASKS)


def test_a_folder_without_models_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no models of folds: expected text\.json\.xz"):
        load_folds(tmp_path)
    with pytest.raises(BadInput, match="holds no models of folds"):
        load_folds(tmp_path / "nowhere")


GOOD: dict[str, Any] = {"format": FORMAT, "version": VERSION, "data": {}, "models": [json.loads(SHIPPED["records"])]}
