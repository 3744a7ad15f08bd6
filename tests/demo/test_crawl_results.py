import json

from scythe.crawl_model import Extracted
from scythe.demo.crawl_results import count_fields, race, score_kinds, score_texts
from scythe.demo.crawl_steps import Crawled, Visited, order_steps
from scythe.demo.protocol import Request
from scythe.demo.world import World
from scythe.model import Record, RecordList
from scythe.site.site import Site
from scythe.url import Url

WORLD = World(pages=20)


def extracted(path: str, *, text: str | None = None, how: str = "cut", cut: int = 6, tree: int = 0) -> Extracted:
    """What a perfect crawl would have of a page, unless told otherwise."""
    page = WORLD.page(path)
    assert page is not None
    images = [{"src": image, "relevant": True} for image in page.gold_images]
    ways = dict.fromkeys(("title", "text", "images"), "cut: tag") | {"records": "tree: read cold"}
    records = tuple(Record((each.title,), (Url(page.base + each.path),)) for each in page.gold_records)
    return Extracted(
        page.gold_title,
        page.gold_text if text is None else text,
        rest=json.dumps({"images": images, "how": ways}),
        how=how,
        cut_fields=cut,
        tree_fields=tree,
        lists=(RecordList(records, ("title",)),) if records else (),
    )


def test_a_perfect_crawl_scores_one_everywhere() -> None:
    rows = score_kinds(WORLD, [Visited(path, extracted(path)) for path in WORLD.paths])
    assert sum(row.pages for row in rows) == len(WORLD.paths)
    for row in rows:
        assert row.found == row.titles == row.pages
        assert row.f1 == (None if row.kind == "list" else 1.0)
        assert row.images[0] == row.images[1]
        assert row.records[0] == row.records[1]
    assert next(row for row in rows if row.kind == "gallery").images[1] >= 8
    assert next(row for row in rows if row.kind == "list").records[1] > 20


def test_what_was_not_found_or_is_wrong_lowers_the_score() -> None:
    story = next(plan.path for plan in WORLD.ledger.content if plan.kind == "news")
    (row,) = (row for row in score_kinds(WORLD, [Visited(story, extracted(story, text="x"))]) if row.found)
    assert (row.kind, row.found, row.f1) == ("news", 1, 0.0)
    assert row.pages > 1


def test_fields_are_counted_on_learned_pages_only() -> None:
    cold = Visited("/", extracted("/", how="cold"))
    rows = {row.name: row for row in count_fields([cold, Visited("/", extracted("/")), Visited("/x", None)])}
    assert (rows["title"].cut, rows["title"].tree) == (1, 0)
    assert (rows["records"].cut, rows["records"].tree) == (0, 1)
    assert (rows["author"].cut, rows["author"].missing) == (0, 0)


def test_pages_that_are_not_there_yet_do_not_count_where_only_those_that_came_are_asked_for() -> None:
    stories = [plan.path for plan in WORLD.ledger.content if plan.kind == "blog"]
    came = [Visited(stories[0], extracted(stories[0]))]
    (row,) = score_kinds(WORLD, came, {stories[0]})
    assert (row.kind, row.pages, row.images) == ("blog", 1, (2, 2))
    assert score_texts(WORLD, [*came, Visited("/lab/", None)]) == {stories[0]: 1.0}


def test_steps_know_the_design_by_the_request_that_brought_the_page() -> None:
    paths = WORLD.paths[:6]
    crawled = Crawled(WORLD.base)
    crawled.visited += [Visited(path, extracted(path)) for path in paths]
    crawled.visited.append(Visited("/elsewhere", None))
    log = [Request(0.0, path, 200, "", 1) for path in (*paths, paths[0])]  # the first one was asked for again later
    steps = order_steps(WORLD, crawled, log, 4)
    assert [step.design for step in steps] == [1, 0, 0, 0, 1, 1]
    assert [step.design for step in order_steps(WORLD, crawled, log, None)] == [0] * 6
    assert {(step.how, step.share) for step in steps} == {("cut", 1.0)}
    uncut = extracted(paths[0], how="tree", cut=0)
    crawled.visited[0] = crawled.visited[2] = Visited(paths[0], uncut)
    assert [step.how for step in order_steps(WORLD, crawled, log, 4)] == ["cold", "cut", "tree", "cut", "cut", "cut"]


def test_the_race_times_both_ways_on_every_page() -> None:
    pages = [page for plan in WORLD.ledger.content if plan.kind == "news" and (page := WORLD.page(plan.path))]
    site = Site.learn((page.url, page.html) for page in pages)
    (lap,) = race(site.to_json(), pages)
    assert (lap.kind, lap.pages) == ("news", len(pages))
    assert lap.cut_s > 0
    assert lap.tree_s > 0
