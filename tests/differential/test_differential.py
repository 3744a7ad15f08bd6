"""Two ways to the same answer agree: cut and tree, judged and dialled, tokenizer and tree, thread and process."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.differential import addresses, cuts
from tests.differential.determinism import LEARNED, bodies, digest, learn
from tests.fetch.server import always, page, serve

from scythe import demo
from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, fetch

PAGES = 2  # of each kind, whose digest is taken


@pytest.mark.parametrize("count", [240, pytest.param(10_000, marks=pytest.mark.soak)])
def test_cuts_of_damaged_pages_are_what_lexbor_s_tree_holds_or_in_doubt(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: Counter[str] = Counter()
    pages = [(page.url, page.html) for page in demo.site(seed=3, pages=60) if page.kind == "news"]
    with cuts.judge() as pool:
        assert list(cuts.compare_site(pool, pages, count, 3, seen)) == []
        assert len(cuts.MUTATIONS) == 24
        assert min(seen[name] for name in cuts.MUTATIONS) >= count // 24
        assert seen["fields cut"] > 2 * count
        right = cuts.cut_page  # and the tool itself: a title that is cut otherwise is found
        monkeypatch.setattr(cuts, "cut_page", lambda *page: {**right(*page), "title": ("another",)})
        found = list(cuts.compare_site(pool, pages, 24, 4, Counter()))
        assert {difference.name for difference in found} == {"title"}


def test_the_host_judged_is_the_host_dialled_and_nobody_else_is_asked_about() -> None:
    seen = asyncio.run(addresses.compare(1_500, 6))
    assert seen.asked == 1_500
    assert seen.refused > 500
    assert seen.closed > 50
    assert seen.let_out > 10


@pytest.mark.soak
def test_of_a_million_addresses_each_is_dialled_where_it_was_judged() -> None:
    assert asyncio.run(addresses.compare(1_000_000, 7)).let_out > 5_000


def test_what_is_dialled_on_this_machine_is_what_was_judged() -> None:
    """The same with real sockets: where the guard is open, the server named is the one that is asked."""
    with serve(always(page(b"here"))) as server:
        for spelling in (
            "127.0.0.1",
            "LOCALHOST",
            "0x7f.0.0.1",
            "１２７.0.0.1",
            "127。0.0.1",
        ):
            answer = fetch(f"http://{spelling}:{server.port}/x", options=FetchOptions(timeout_s=30, allow_private=True))
            assert answer.body == b"here"
        asked = len(server.heads)
        for spelling in "127.0.0.1 localhost 0x7f.1 [::ffff:127.0.0.1] user@127.0.0.1 127.0.0.1\\@a.example".split():
            with pytest.raises(FetchFailed):
                fetch(f"http://{spelling}:{server.port}/x", options=FetchOptions(timeout_s=30))
        assert len(server.heads) == asked


@pytest.fixture(scope="module")
def here() -> str:
    return digest(PAGES)


@pytest.mark.parametrize("seed", ["2026"])
def test_another_hash_seed_gives_the_same_bytes(seed: str, here: str) -> None:
    command = [sys.executable, "-m", "tests.differential.determinism", str(PAGES)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == here


def test_eight_threads_in_either_order_give_the_same_bytes(here: str) -> None:
    site = learn(PAGES)
    assert len(bodies(PAGES)) > LEARNED + 3
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda number: digest(PAGES, site=site, backwards=number % 2 > 0), range(8))) == {here}


@pytest.mark.soak
def test_a_thousand_pages_give_the_same_bytes_in_threads_and_under_other_seeds() -> None:
    wanted = digest(700)
    command = [sys.executable, "-m", "tests.differential.determinism", "700"]
    for seed in ("1", "2026"):
        done = subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == wanted
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(digest, [700] * 8)) == {wanted}
