"""Images are judged by the shared model, by what people said of the site, or by a published method fitted to that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scythe.model import PUBLISHED, RELEVANT, ImageContext, ImageMarks, LabelledPage, PageImages, SiteImages
from scythe.site.judge_images import ImageJudge, Quality, expect_quality, fit_method


def image(kind: str, number: int) -> ImageContext:
    """An image of one of the kinds that the site's pages have."""
    src = f"https://x.example/{kind}/{number}.jpg"
    tag = f'<img class="{kind}" src="{src}" width="640" height="480">'
    return ImageContext(src, (f'<div class="box-{kind}">', "<p>", tag), path=("p", f"div.box-{kind}", "main", "body"))


def page(number: int) -> PageImages:
    """A page with two images of each of two kinds."""
    images = (
        image("plain", number),
        image("plate", number),
        image("plain", 100 + number),
        image("plate", 100 + number),
    )
    return PageImages(f"https://x.example/{number}", f"Page {number}", 3_000, images=images)


def known(*pages: int, method: str = "relevance") -> SiteImages:
    """A site on whose pages somebody calls the plates relevant."""
    labelled = tuple(LabelledPage(page(number), (ImageMarks("Ann", (1, 3), (0, 2)),)) for number in pages)
    return fit_method(SiteImages(labelled=labelled, method=method))


def verdicts(site: SiteImages, number: int = 50) -> list[bool]:
    return [score >= RELEVANT for score in ImageJudge(site).score(page(number))]


def test_every_image_has_a_score_with_or_without_a_site() -> None:
    for site in (None, SiteImages(), known(1, 2)):
        scores = ImageJudge(site).score(page(1))
        assert len(scores) == 4
        assert all(0 <= score <= 1 for score in scores)
        assert ImageJudge(site).score(PageImages()) == []


def test_labels_change_the_answers_of_the_shared_model() -> None:
    assert verdicts(known(1, 2, 3)) == [False, True, False, True]


def test_a_published_method_is_asked_instead_of_the_labels_themselves() -> None:
    site = known(1, 2, 3, method="tree")
    assert ImageJudge(site).score(page(50)) == [0.0, 1.0, 0.0, 1.0] != ImageJudge(known(1, 2, 3)).score(page(50))


@pytest.mark.parametrize("method", PUBLISHED)
def test_a_published_method_answers_by_its_model(method: str) -> None:
    assert verdicts(known(1, 2, 3, method=method)) == [False, True, False, True]


def test_a_published_method_without_a_model_leaves_the_answer_to_ours() -> None:
    site = known(method="adaboost")
    assert "no image is marked as relevant" in site.model
    assert ImageJudge(site).score(page(1)) == ImageJudge().score(page(1))


def test_quality_is_tried_on_pages_that_were_left_out() -> None:
    quality = expect_quality(known(1, 2, 3, method="tree"))
    assert quality == Quality(3, 1.0, 1.0)
    assert quality.f == 1


def test_quality_needs_two_pages_and_something_relevant() -> None:
    assert expect_quality(SiteImages()) is None
    assert expect_quality(known(1, method="tree")) is None
    nothing = [replace(each, marks=(ImageMarks("Ann", (), (0, 1, 2, 3)),)) for each in known(1, 2).labelled]
    assert expect_quality(SiteImages(labelled=tuple(nothing))) is None


def test_versions_of_one_page_are_left_out_together() -> None:
    first, second = known(1, 2).labelled
    other = replace(second, page=replace(second.page, url=first.page.url))
    assert expect_quality(SiteImages(labelled=(first, other))) is None


def test_quality_of_very_many_pages_is_tried_in_few_goes() -> None:
    quality = expect_quality(known(*range(45), method="tree"))
    assert quality is not None
    assert quality.pages == 45


def test_quality_of_nothing_right_is_zero() -> None:
    assert Quality(2, 0.0, 0.0).f == 0
