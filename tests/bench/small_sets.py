"""Sets for the whole benchmark, small enough for a test: pages of the demo site, and what they should give."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from scythe.demo import DemoPage, site
from scythe.schedule.simulate import Rhythm, make_arrivals, write_trace

FOLDERS = ("arrivals", "images", "records", "sites", "text")
_SITE_PAGES = 12  # two more than are learned
_STORY = "The reapers of field {n} rose before dawn and walked out in a line. By noon of day {n} the carts were full. "


def write_sets(folder: Path) -> Path:
    """Write a set of every kind and return the folder."""
    pages = [page for page in site(seed=3, pages=12) if "utf-8" in page.content_type.lower()]
    stories = [page for page in pages if page.gold_text]
    _write(folder / "text" / "news.jsonl", [_text_row(page) for page in stories[:3]])
    _write(folder / "text" / "fundus.jsonl", [_text_row(page) for page in stories if page.gold_images][:2])
    _write(folder / "records" / "lists.jsonl", [_list_row(page) for page in pages if page.gold_records])
    _write(folder / "records" / "products.jsonl", [_product_row()])
    told = [{"site": "told", "gold": {"price": [f"{n} crowns"]}, "html": _field_page(n)} for n in range(_SITE_PAGES)]
    untold = [{"site": "untold", "html": _field_page(n)} for n in range(_SITE_PAGES)]
    _write(folder / "sites" / "fields.jsonl", told)
    _write(folder / "sites" / "wordpress.jsonl", untold)
    sites = ("farm.example", "field.example")
    rows = [image_row(name, n // 3, n, relevant=n % 3 == 0) for name in sites for n in range(6)]
    _write(folder / "images" / "demo.jsonl", rows)
    (folder / "arrivals").mkdir()
    for name, per_day in (("quick", 60), ("slow", 6)):
        arrivals = make_arrivals(1, Rhythm(per_day=per_day, days=40))
        write_trace(folder / "arrivals" / f"{name}.csv", name, arrivals)
    (folder / "arrivals" / "meta.json").write_text(json.dumps({"quick": {"P": 20}, "slow": {"P": 12}}))
    return folder


def _write(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row) + "\n" for row in rows]
    assert lines, path
    path.write_text("".join(lines), encoding="utf-8")


def _text_row(page: DemoPage) -> dict[str, object]:
    return {
        "id": page.path,
        "url": page.url,
        "metric": "shingles",
        "html": page.html.decode(),
        "gold": page.gold_text,
        "relevant_images": list(page.gold_images),
    }


def _list_row(page: DemoPage) -> dict[str, object]:
    gold = [{"title": one.title, "leaves": [one.title, one.teaser], "region": 0} for one in page.gold_records]
    return {"url": page.url, "html": page.html.decode(), "gold": gold}


def _product_row() -> dict[str, object]:
    table = "<tr><th>Brand</th><td>Falx</td></tr><tr><th>Price</th><td>$ 12.50</td></tr>"
    return {
        "url": "https://example.org/p",
        "html": f"<h1>Sickle</h1><table>{table}</table>",
        "gold": {"brand": ["Falx"], "price": ["12.50"]},
    }


def _field_page(number: int) -> str:
    story = "".join(f"<p>{part}{_STORY.format(n=number)}{_STORY.format(n=part)}</p>" for part in range(6))
    return (
        "<!doctype html><html><title>Field</title><body><ul class='menu'><li><a href='/'>Home</a></li></ul>"
        f"<main><h1 class='title'>Field number {number}</h1><span class='price'>{number} crowns</span>"
        f"<div class='story'>{story}</div></main><footer>All rights reserved.</footer></body></html>"
    )


def image_row(site: str, page: int, number: int, *, relevant: bool) -> dict[str, object]:
    """Return a row of an image set: relevant images stand in figures, others in teasers of other stories."""
    src = f"/media/{page}.jpg" if relevant else f"/thumbs/{number}.jpg"
    tags = (
        f'<figure class="lead"><picture><img src="{src}" width="900" height="600" alt="Field {page}">'
        if relevant
        else f'<li class="teaser"><a href="/s{number}"><img src="{src}" width="120" height="80">'
    )
    return {
        "site": site,
        "page_url": f"https://{site}/story-{page}",
        "img_text": tags,
        "src": src,
        "relevant": int(relevant),
        "anc": ["figure", "article", "main", "body"] if relevant else ["a", "li.teaser", "aside", "body"],
        "link": None if relevant else f"/s{number}",
        "fig": int(relevant),
        "title": f"Field {page} is mown",
        "ntext": 3000,
    }
