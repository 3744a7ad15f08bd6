"""Annotated pages change what the shared model says of the images of a site."""

from __future__ import annotations

import pytest
from tests.site.labels.image_pages import mark_stories, picture, story

from scythe.model import ImageContext, ImageMarks, LabelledPage, PageImages
from scythe.site.labels.site_relevance import Update, fit_update, merged_labels


def _unsure(page: PageImages) -> list[float]:
    return [0.0] * len(page.images)


def _fit(*pages: LabelledPage) -> Update:
    return fit_update(pages, [_unsure(page.page) for page in pages])


def _relevant(update: Update, page: PageImages) -> list[int]:
    return [row for row, score in enumerate(update.apply(page, _unsure(page))) if score > 0.5]


def test_without_labels_the_shared_model_has_the_word() -> None:
    page = story(1)
    scores = fit_update([], []).apply(page, [2.0, -2.0, 0.0, 0.0, 0.0, 0.0])
    assert scores == pytest.approx([0.8808, 0.1192, 0.5, 0.5, 0.5, 0.5], abs=1e-4)


def test_pages_that_nobody_marked_change_nothing() -> None:
    assert _fit(LabelledPage(story(1), ())) == fit_update([], [])


def test_one_page_tells_the_images_of_the_next() -> None:
    assert _relevant(_fit(mark_stories(story(1))), story(2, pictures=3)) == [1, 2, 3]


def test_labels_outvote_a_shared_model_that_is_wrong() -> None:
    marked = [mark_stories(story(number)) for number in range(3)]
    update = fit_update(marked, [[2.0, -2.0, -2.0, 2.0, 2.0, 2.0]] * 3)
    scores = update.apply(story(9), [2.0, -2.0, -2.0, 2.0, 2.0, 2.0])
    assert [score > 0.5 for score in scores] == [False, True, True, False, False, False]


def test_a_page_without_relevant_images_does_not_condemn_other_kinds() -> None:
    update = _fit(mark_stories(story(1, pictures=0)))
    scores = update.apply(story(2), [1.0] * 6)
    assert scores[1] == pytest.approx(0.731, abs=1e-3)
    assert max(scores[0], *scores[3:]) < 0.5


def test_a_page_of_relevant_images_alone_does_not_praise_other_kinds() -> None:
    update = _fit(mark_stories(PageImages(images=(picture("/a.jpg", "story"),))))
    scores = update.apply(story(2), [-1.0] * 6)
    assert scores[1] > 0.5
    assert scores[3] == pytest.approx(0.269, abs=1e-3)


def test_kinds_never_labelled_are_judged_by_traits_they_share() -> None:
    update = _fit(*(mark_stories(story(number)) for number in range(3)))
    new = PageImages(images=(picture("/a.jpg", "card", outer="ul.more"), picture("/b.jpg", "story", outer="article")))
    low, high = update.apply(new, [0.0, 0.0])
    assert low < 0.5 < high


def test_images_of_the_same_kind_differ_by_what_the_shared_model_says() -> None:
    page = PageImages(images=tuple(picture(f"/{name}.jpg", "story") for name in "abcdef"))
    marks = ImageMarks("Ann", relevant=(0, 1, 2), irrelevant=(3, 4, 5))
    update = fit_update([LabelledPage(page, (marks,))] * 3, [[2.0, 2.0, 2.0, -2.0, -2.0, -2.0]] * 3)
    high, *_, low = update.apply(page, [2.0, 0.0, 0.0, 0.0, 0.0, -2.0])
    assert low < 0.4
    assert high > 0.6


def test_a_crowd_of_images_of_a_new_kind_is_doubted() -> None:
    update = _fit(*(mark_stories(story(number)) for number in range(3)))
    wall = PageImages(images=tuple(picture(f"/{at}.jpg", "post", outer="article.wall") for at in range(120)))
    few = PageImages(images=wall.images[:3])
    assert max(update.apply(wall, [1.5] * 120)) < 0.5 < min(update.apply(few, [1.5] * 3))


def test_a_crowd_of_images_known_to_be_relevant_is_not_doubted() -> None:
    update = _fit(*(mark_stories(story(number)) for number in range(3)))
    assert len(_relevant(update, story(9, pictures=120))) == 120


def test_an_address_labelled_on_several_pages_is_known_in_other_places() -> None:
    marked = [mark_stories(PageImages(images=(picture("/badge.png", "teaser"),))) for _ in range(3)]
    new = PageImages(
        images=(picture("/badge.png", "hero", outer="article"), picture("/b.png", "hero", outer="article"))
    )
    badge, other = _fit(*marked).apply(new, [1.0, 1.0])
    assert badge < 0.5 < other


def test_placeholders_that_stand_for_any_image_are_no_address() -> None:
    marked = mark_stories(PageImages(images=(picture("data:image/gif;base64,R0", "teaser"),) * 9))
    new = PageImages(images=(picture("data:image/gif;base64,R0", "hero", outer="article"),))
    assert _fit(marked).apply(new, [1.0]) == pytest.approx([0.731], abs=1e-3)


def test_the_same_labels_give_the_same_update() -> None:
    marked = [mark_stories(story(number)) for number in range(4)]
    assert _fit(*marked) == _fit(*marked)


def test_people_are_merged_and_a_tie_says_nothing() -> None:
    marks = (ImageMarks("Ann", relevant=(0, 1), irrelevant=(2,)), ImageMarks("Bo", relevant=(0,), irrelevant=(1, 2)))
    page = PageImages(images=tuple(picture(f"/{name}.jpg", "story") for name in "abcd"))
    assert merged_labels(LabelledPage(page, marks)) == (True, None, False, None)


def test_marks_of_images_that_are_gone_are_passed_over() -> None:
    page = PageImages(images=(picture("/a.jpg", "story"),))
    assert merged_labels(LabelledPage(page, (ImageMarks("Ann", relevant=(0, 7)),))) == (True,)


def test_a_page_without_images_has_no_scores() -> None:
    assert _fit(mark_stories(story(1))).apply(PageImages(), []) == []


def test_extreme_log_odds_still_give_probabilities() -> None:
    page = story(1)
    wild = [1e6, -1e6, float("inf"), float("-inf"), 0.0, 0.0]
    for update in (fit_update([], []), fit_update([mark_stories(page)], [wild])):
        assert all(0 <= score <= 1 for score in update.apply(page, wild))


def test_odd_contexts_are_judged() -> None:
    odd = [
        ImageContext("", ("", "", "")),
        ImageContext("data:image/png;base64," + "A" * 100_000, ("", "", "<img width='9e9' height=\"&#;\" class>")),
        ImageContext("//[", ("<", ">", "<img " + 'a="1" ' * 5_000), ("", ".", "#", "." * 10_000), link=""),
        ImageContext("http://a/\ud800", ("", "", '<img alt="' + "a b " * 50_000 + '">'), text_before=1.0),
    ]
    page = PageImages(images=(*odd, picture("/a.jpg", "story")))
    update = _fit(LabelledPage(page, (ImageMarks("Ann", relevant=(4,), irrelevant=(0, 1, 2, 3)),)))
    scores = update.apply(page, _unsure(page))
    assert len(scores) == 5
    assert scores[4] == max(scores)
