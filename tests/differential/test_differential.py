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
from tests.doubling.site import address, learned, write_page
from tests.fetch.server import always, page, serve

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, fetch

PAGES = 2  # of each kind, whose digest is taken


def test_cuts_of_learned_sites_are_the_tree_s_or_in_doubt() -> None:
    seen: Counter[str] = Counter()
    assert list(cuts.compare_sites(16, 3, seen)) == []
    assert seen[f"{cuts.AS_IS}: cut"] > 25


@pytest.mark.soak
def test_ten_thousand_cut_pages_are_the_tree_s_or_in_doubt() -> None:
    assert list(cuts.compare_sites(10_000, 100, Counter())) == []


def test_a_field_that_is_cut_otherwise_than_the_tree_has_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "_is_same", lambda name, by_cut, by_tree: name != "title")
    found = cuts.compare_page(learned(), address(20), write_page(20), cuts.AS_IS, Counter())
    assert [difference.name for difference in found] == ["title"]


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
        for spelling in (
            "127.0.0.1",
            "localhost",
            "0x7f.1",
            "[::ffff:127.0.0.1]",
            "user@127.0.0.1",
            "127.0.0.1\\@a.example",
        ):
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
