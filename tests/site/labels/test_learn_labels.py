"""A site heeds what people said of its images: on the pages labelled, on others, and after it was learned again."""

from __future__ import annotations

import pytest
from tests.mill_pages import BASE, address, pages, tale

import scythe
from scythe.errors import BadInput
from scythe.model import ImageMarks, LabelledPage, PageImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.site.labels.learn_labels import annotate, list_labels, place_labels

RULES = {address(number): [f"/rules/{number}.jpg"] for number in (1, 2, 3)}  # against what anyone would guess


def learned() -> scythe.Site:
    return scythe.Site.learn(pages())


def relevant(site: scythe.Site, number: int = 9) -> list[str]:
    doc = site.extract(tale(number), url=address(number))
    return [image.src.removeprefix(BASE) for image in doc.images if image.relevant]


def seen(number: int) -> PageImages:
    return read_image_contexts(Page.from_bytes(tale(number).encode(), url=address(number)))


def test_labels_change_what_a_site_finds_on_other_pages() -> None:
    site = learned()
    outcome = site.annotate(RULES, pages(), by="Ann")
    assert relevant(site) == ["/rules/9.jpg"]
    assert [len(each.marks[0].irrelevant) for each in outcome.new] == [4, 4, 4]
    assert site.profile.images.labelled == outcome.new
    assert outcome.quality is not None
    assert outcome.quality.f > 0.9


@pytest.mark.parametrize("method", ["tree", "adaboost"])
def test_a_published_method_can_learn_from_labels(method: str) -> None:
    site = learned()
    outcome = site.annotate(RULES, pages(), method=method)
    assert outcome.note == ""
    assert site.profile.images.method == method
    assert relevant(site) == ["/rules/9.jpg"]


def test_a_published_method_that_has_nothing_to_learn_says_so() -> None:
    outcome = learned().annotate({address(1): []}, pages(), method="tree")
    assert outcome.note == "no image is marked as relevant"


def test_labels_count_without_the_bodies_of_their_pages() -> None:
    site = learned()
    labels = [LabelledPage(seen(number), (ImageMarks("Ann", (2,), (0, 1, 3, 4)),)) for number in (1, 2, 3)]
    site.annotate(labels)
    assert relevant(site) == ["/rules/9.jpg"]


def test_labels_survive_saving_and_loading(tmp_path: object) -> None:
    site = learned()
    site.annotate(RULES, pages(), by="Ann")
    site.save(f"{tmp_path}/mill.json")
    again = scythe.Site.load(f"{tmp_path}/mill.json")
    assert again.profile.images == site.profile.images
    assert relevant(again) == ["/rules/9.jpg"]


def redesigned(number: int) -> str:
    """The same tale in a template that no rule knows."""
    text = tale(number)
    for old, new in (("article", "section"), ("h1>", "h2>"), ("header", "nav"), ("aside", "ul"), ("footer", "div")):
        text = text.replace(f"<{old}", f'<i class="new"></i><{new}').replace(f"</{old}", f"</{new}")
    return (
        text.replace("<p>", '<div class="line">').replace("</p>", "</div>").replace('class="', 'data-new="1" class="n-')
    )


def test_labels_survive_extraction_and_what_is_learned_on_the_way() -> None:
    site = learned()
    site.annotate(RULES, pages(), by="Ann")
    for number in range(10, 30):
        site.extract(redesigned(number), url=address(number))
    assert "learned" in {event.what for event in site.drift.log}
    assert [each.page.url for each in site.profile.images.labelled] == list(RULES)


def test_two_people_who_differ_are_shown() -> None:
    site = learned()
    site.annotate(RULES, pages(), by="Ann")
    outcome = site.annotate({address(1): ["/plates/1.jpg"]}, pages(), by="Bo")
    assert [(one.image.removeprefix(BASE), one.relevant_by, one.irrelevant_by) for one in outcome.conflicts] == [
        ("/plates/1.jpg", ("Bo",), ("Ann",)),
        ("/rules/1.jpg", ("Ann",), ("Bo",)),
    ]
    assert [(pair.images, pair.agreed) for pair in outcome.agreement] == [(5, 0.6)]


def test_the_same_labels_again_leave_the_profile_as_it_is() -> None:
    site = learned()
    site.annotate(RULES, pages())
    before = site.profile
    site.annotate(list(before.images.labelled))
    assert site.profile == before


def test_labels_that_belong_nowhere_are_returned() -> None:
    outcome = learned().annotate({address(1): ["#3", "/gone.jpg"], address(50): ["/a.jpg"]}, pages())
    assert [(lost.label.page, lost.why) for lost in outcome.lost] == [
        (address(50), "this page was not given"),
        (address(1), "not on the page, which has 5 images"),
    ]
    assert [lost.at for lost in outcome.lost] == ["labels: entry 2", "labels: entry 1"]


def test_what_repeats_is_counted_on_all_pages_at_hand() -> None:
    labelled = [LabelledPage(seen(1), (ImageMarks("Ann", (2,)),))]
    site = scythe.Site.learn(pages(), fields=["title"])
    outcome = annotate(site.profile, labelled, seen=[seen(number) for number in range(1, 9)])
    assert outcome.profile.images.pages == 8
    assert (f"{BASE}/logo.png", 8) in outcome.profile.images.sources


def test_two_names_may_stand_for_one_page() -> None:
    page = seen(1)
    placed, lost = place_labels(list_labels({address(1): ["#2"], "1.html": ["#3"]}), {address(1): page, "1.html": page})
    assert [each.marks[0].relevant for each in placed] == [(1, 2)]
    assert not lost


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ("labels.csv", "labels are a dict of image addresses by page, not str"),
        (["a.jpg"], "labels are a dict of image addresses by page, not list"),
        ({address(1): "a.jpg"}, "must be a list of addresses, not 'a.jpg'"),
        ({address(1): [3]}, "image must be text, not 3"),
        ({3: ["a.jpg"]}, "page must be text, not 3"),
    ],
)
def test_labels_of_the_wrong_kind_are_refused(labels: object, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        scythe.Site(learned().profile).annotate(labels, pages())  # type: ignore[arg-type]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(BadInput, match="unknown image method 'guess'; expected one of relevance, adaboost"):
        learned().annotate(RULES, pages(), method="guess")
