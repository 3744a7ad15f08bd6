"""Pages that show kinds of images the model doubts about are chosen for annotation, each kind once if possible."""

from __future__ import annotations

import time

from tests.site.learn.image_pages import picture, story

from scythe.model import PageImages
from scythe.site.labels.suggest_pages import choose_pages


def _page(*kinds: str) -> PageImages:
    return PageImages(images=tuple(picture(f"/{at}.jpg", kind) for at, kind in enumerate(kinds)))


def _score(pages: list[PageImages], score: float = 0.5) -> list[list[float]]:
    return [[score] * len(page.images) for page in pages]


def test_the_page_with_most_kinds_comes_first_and_one_with_other_kinds_second() -> None:
    pages = [_page("a"), _page("a", "b"), _page("a", "b", "c"), _page("d")]
    assert choose_pages(pages, _score(pages), 2) == [2, 3]


def test_doubt_counts_more_than_the_number_of_kinds() -> None:
    pages = [_page("a", "b", "c"), _page("d", "e")]
    assert choose_pages(pages, [[0.99] * 3, [0.5] * 2], 1) == [1]


def test_kinds_that_annotated_pages_show_are_worth_little() -> None:
    pages = [_page("a", "b", "c"), _page("d")]
    assert choose_pages(pages, _score(pages), 1, known=[_page("a", "b", "c")]) == [1]


def test_no_page_is_chosen_twice_and_no_more_than_there_are() -> None:
    pages = [story(number) for number in range(5)]
    assert sorted(choose_pages(pages, _score(pages), 9)) == [0, 1, 2, 3, 4]


def test_the_seed_decides_between_equal_pages_and_nothing_else_does() -> None:
    pages = [story(number) for number in range(30)]
    scores = _score(pages)
    assert choose_pages(pages, scores, 3, seed=1) == choose_pages(pages, scores, 3, seed=1)
    assert len({tuple(choose_pages(pages, scores, 3, seed=seed)) for seed in range(8)}) > 1


def test_the_order_of_kinds_on_a_page_does_not_matter() -> None:
    kinds = [f"k{letter}" for letter in "abcdefghijk"]
    pages = [_page(*kinds[at:], *kinds[:at]) for at in range(len(kinds))]
    scores = [[0.1 + 0.07 * kinds.index(image.path[0][4:]) for image in page.images] for page in pages]
    assert len({choose_pages(pages, scores, 1, seed=seed)[0] for seed in range(40)}) == len(pages)


def test_pages_without_images_come_last() -> None:
    pages = [PageImages(), _page("a"), PageImages()]
    assert choose_pages(pages, _score(pages), 1) == [1]


def test_nothing_is_chosen_of_nothing() -> None:
    assert choose_pages([], [], 6) == []
    assert choose_pages([_page("a")], [[0.5]], 0) == []


def test_many_pages_are_chosen_from_in_seconds() -> None:
    pages = [_page(*(f"k{'abcdefghij'[number % 10]}{'klmnopqrst'[at]}" for at in range(10))) for number in range(3_000)]
    began = time.process_time()
    chosen = choose_pages(pages, _score(pages), 300)
    assert time.process_time() - began < 5
    assert len({number % 10 for number in chosen[:10]}) == 10
