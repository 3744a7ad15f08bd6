"""The elements that hold the relevant images of a layout are found, and what images in them are worth."""

from __future__ import annotations

from dataclasses import replace

from tests.image_pages import area_tags, figure, hero, judged, story, text_rules, url_of

from scythe.site.learn.learn_images import JudgedPage, LearnedAreas, learn_areas
from scythe.site.learn.learn_site import make_lesson_page
from scythe.site.rules import ImageRules

PAGES = range(8)
BODIES = [story(number) for number in PAGES]
TEXT = text_rules(BODIES)


def learn(bodies: list[bytes], old: ImageRules | None = None) -> LearnedAreas:
    return learn_areas([judged(body, number) for number, body in enumerate(bodies)], TEXT, old or ImageRules())


def test_a_lead_picture_outside_of_the_text_gets_an_area_of_its_own() -> None:
    rules = learn(BODIES).rules
    assert area_tags(rules, story(20)) in ([b"text", b'<div class="hero">'], [b"text", b'<figure class="big">'])
    assert (rules.pages, rules.present) == (8, 8)
    assert all(area.is_expected for area in rules.areas)


def test_areas_without_rules_for_the_text_are_learned_all_the_same() -> None:
    rules = learn_areas([judged(body, number) for number, body in enumerate(BODIES)], None).rules
    assert rules.areas
    assert all(area.ways for area in rules.areas)


def test_a_picture_that_only_some_pages_have_is_not_expected() -> None:
    bodies = [story(number, lead=hero(number) if number % 2 else "") for number in PAGES]
    lead = next(area for area in learn(bodies).rules.areas if area.ways)
    assert (lead.pages, lead.present, lead.is_expected) == (8, 4, False)


def test_kinds_of_images_are_scored_apart() -> None:
    advert = '<div class="ad"><a href="https://ads.example/"><img src="/ad.png" alt=""></a></div>'
    scores = dict(learn([story(number, inside=advert) for number in PAGES]).rules.scores)
    assert max(score for kind, score in scores.items() if "div.ad" in kind) < 300
    assert min(score for kind, score in scores.items() if "figure.inline" in kind) > 700


def test_an_image_that_all_pages_show_and_is_judged_unlike_its_kind_is_known_by_its_address() -> None:
    own = figure("stamp", 0)
    bodies = [story(number, inside=own + figure(f"gallery-{number}", 0)) for number in PAGES]
    assert [src for src, _ in learn(bodies).rules.sources] == ["https://post.example/img/stamp.jpg"]


def test_a_layout_without_relevant_images_is_known_to_have_none() -> None:
    pages = [replace(judged(body, n), scores=[0.1] * 20) for n, body in enumerate(BODIES)]
    assert learn_areas(pages, TEXT) == LearnedAreas(ImageRules(pages=8, named=8))


def test_relevant_images_that_stand_anywhere_give_no_rules_but_a_reason() -> None:
    pages = []
    for number in PAGES:
        lesson = make_lesson_page(_scattered(number), url_of(number))
        pages.append(JudgedPage(lesson.source, lesson.page, [0.9] * len(lesson.page.images)))
    learned = learn_areas(pages, None)
    assert learned.rules == ImageRules()
    assert "relevant images stand in an element that rules lead to" in learned.why


def test_one_page_is_not_enough() -> None:
    assert learn([BODIES[0]]).why == "1 page: learning needs 2 of one layout"


def test_pages_marked_later_add_areas_and_keep_those_known() -> None:
    first = learn_areas([judged(body, number) for number, body in enumerate(BODIES)], TEXT).rules
    gallery = '<section class="gallery">' + "".join(figure(f"gallery-{i}", 0, "slide") for i in range(4)) + "</section>"
    more = learn([story(number, lead="", end=gallery) for number in range(3)], first).rules
    assert [area.ways for area in more.areas[: len(first.areas)]] == [area.ways for area in first.areas]
    assert area_tags(more, story(20, end=gallery))[-1] == b'<section class="gallery">'
    assert (more.pages, more.present) == (11, 11)
    assert dict(first.scores).keys() <= dict(more.scores).keys()


def _scattered(number: int) -> bytes:
    """Write a page whose image stands in an element that no other page has."""
    box = f"<{'section div nav form table article main p'.split()[number]} data-x{number}>"
    image = f'{box}<img src="/img/a-{number}.jpg" alt="">' + "</div>" * 3
    filler = "".join(f"<b>{number * 7919 % (i + 3)}</b><i></i>" for i in range(number * 3 % 7))
    return f"<html><head><title>{number}</title></head><body>{filler}{image}{filler}</body></html>".encode()
