"""The shared model judges images of pages it has never seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import ImageContext, PageImages, SiteImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts, signature
from scythe.reading.images import relevance
from scythe.reading.images.relevance import image_logits, score_images

WORDS = (
    "<p>The reapers left before dawn and cut the long meadow by the river until the dew had gone from the grass.</p>"
)
CARD = (
    '<li class="card"><a href="/{n}/story-{n}"><img class="card__thumb" width="120" height="80" src="/t/{n}.jpg"></a>'
    '<h3><a href="/{n}/story-{n}">Another story, number {n}</a></h3></li>'
)
PAGE = f"""<html><head><title>How hay is made</title>
<meta property="og:image" content="https://field.example/i/lead.jpg"></head>
<body><header class="site-header"><a href="/"><img class="logo" src="/logo.svg" width="90" height="30"></a></header>
<main><article class="post"><h1>How hay is made</h1>
<figure class="lead-image"><img src="/i/lead.jpg" width="1200" height="675" alt="Hay on a meadow"></figure>
<div class="entry-content">{WORDS * 4}
<figure class="wp-block-image"><img src="/i/rake.jpg" width="800" height="533" alt="A wooden rake"></figure>
{WORDS * 4}</div>
<div class="author-box"><img class="avatar" src="/authors/ann.jpg" width="48" height="48" alt="Ann"></div>
</article></main>
<aside class="related"><h2>More</h2><ul>{"".join(CARD.format(n=n) for n in range(6))}</ul></aside>
<footer><img src="https://stat.example/pixel" width="1" height="1"></footer></body></html>"""


def contexts() -> PageImages:
    return read_image_contexts(Page.from_text(PAGE, url="https://field.example/how-hay-is-made"))


def test_images_of_the_article_are_relevant_and_those_around_it_are_not():
    page = contexts()
    chosen = [image.src for image, score in zip(page.images, score_images(page), strict=True) if score >= 0.5]
    assert chosen == ["https://field.example/i/lead.jpg", "https://field.example/i/rake.jpg"]


def test_scores_are_probabilities_and_logits_their_log_odds():
    page = contexts()
    scores, logits = np.array(score_images(page)), image_logits(page)
    assert ((scores > 0) & (scores < 1)).all()
    assert np.log(scores / (1 - scores)) == pytest.approx(logits)


def test_a_page_without_images_has_no_scores():
    assert score_images(PageImages()) == []
    assert len(image_logits(PageImages())) == 0


def test_an_image_that_most_pages_of_the_site_show_is_less_likely_relevant():
    page = contexts()
    rake = next(image for image in page.images if image.src.endswith("rake.jpg"))
    row = page.images.index(rake)
    kinds = ((signature(rake), 20, 30),)
    rare = SiteImages(pages=20, signatures=kinds)
    common = replace(rare, sources=((rake.src, 20),))
    assert score_images(page, common)[row] < score_images(page, rare)[row]


def test_an_image_that_shows_nothing_is_never_relevant():
    page = contexts()
    lead = page.images[1]
    hidden = replace(lead, tags=(*lead.tags[:2], '<img src="/i/lead.jpg" width="1" height="1">'))
    assert score_images(replace(page, images=(hidden,)))[0] < 0.001


def test_images_beyond_the_limit_are_not_judged():
    lead = contexts().images[1]
    page = PageImages(images=(lead,) * (LIMITS.page_images + 5))
    scores = score_images(page)
    assert len(scores) == LIMITS.page_images + 5
    assert max(scores[LIMITS.page_images :]) < 0.001


def test_nothing_on_a_page_makes_scoring_fail():
    odd = ImageContext("http://[", ("<", "\x00", "<img alt='"), ("", "."), "http://[", order=2.0, text_before=-1.0)
    assert len(score_images(PageImages("http://[", images=(odd, odd)), SiteImages(pages=3))) == 2


def test_a_model_of_other_features_is_refused(monkeypatch):
    load = relevance.load.__wrapped__
    monkeypatch.setattr(relevance, "feature_names", lambda: ("width",))
    with pytest.raises(BadInput, match="other features"):
        load()


def test_the_model_is_small():
    assert len(relevance.load().first) < 50_000
