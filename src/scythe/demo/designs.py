"""Two designs of the same site: what each part of a page is called in its markup.

The second one is what a redesign does to a reader: other class names, other elements, another order around the content.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Design:
    """Class names (and the few elements) of one design."""

    name: str
    nav: str
    main: str
    article: str
    article_tag: str
    title: str
    byline: str
    body: str
    figure: str
    teaser_box: str
    advert: str
    share: str
    newsletter: str
    comments: str
    comment: str
    footer: str
    sidebar_first: bool


DESIGNS = (
    Design(
        name="field",
        nav="site-nav",
        main="content",
        article="story",
        article_tag="article",
        title="story__title",
        byline="story__meta",
        body="story__body",
        figure="story__figure",
        teaser_box="related-stories",
        advert="ad-slot",
        share="share-bar",
        newsletter="newsletter-signup",
        comments="comments",
        comment="comment",
        footer="site-footer",
        sidebar_first=False,
    ),
    Design(
        name="barn",
        nav="c-menu",
        main="l-wrap",
        article="td-post",
        article_tag="div",
        title="entry-title",
        byline="entry-info",
        body="entry-content clearfix",
        figure="wp-caption",
        teaser_box="td_block_wrap more",
        advert="banner-300",
        share="social-row",
        newsletter="mc-form",
        comments="disc",
        comment="disc-item",
        footer="c-bottom",
        sidebar_first=True,
    ),
)
