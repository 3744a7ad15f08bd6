"""Feeds of the demo site: a world comes in, its newest articles as RSS, Atom and JSON go out."""

from __future__ import annotations

import json
from datetime import UTC, datetime, time
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

from scythe.demo.furniture import SITE_NAME
from scythe.demo.ledger import ARTICLES
from scythe.demo.plan import Plan

if TYPE_CHECKING:
    from scythe.demo.world import World

_LENGTH = 20  # entries of a feed
PATHS = ("/feed.xml", "/atom.xml", "/feed.json")


def write_feed(world: World, path: str) -> tuple[str, bytes] | None:
    """Write the feed at a path, with its content type; None where there is none."""
    writers = {"/feed.xml": _write_rss, "/atom.xml": _write_atom, "/feed.json": _write_json}
    if path not in writers:
        return None
    kinds = {"/feed.xml": "application/rss+xml", "/atom.xml": "application/atom+xml", "/feed.json": "application/json"}
    newest = world.ledger.newest(*ARTICLES)[:_LENGTH]
    return kinds[path], writers[path](world.base, newest).encode()


def _at(plan: Plan) -> datetime:
    return datetime.combine(plan.published, time(6), UTC)


def _write_rss(base: str, plans: list[Plan]) -> str:
    items = [
        f"<item><title>{escape(plan.title)}</title><link>{escape(base + plan.path)}</link>"
        f'<guid isPermaLink="true">{escape(base + plan.path)}</guid>'
        f"<pubDate>{format_datetime(_at(plan))}</pubDate><description>{escape(plan.teaser)}</description></item>"
        for plan in plans
    ]
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>{SITE_NAME}</title><link>{base}/</link><description>News from the fields</description><ttl>60</ttl>\n"
        + "\n".join(items)
        + "\n</channel></rss>\n"
    )


def _write_atom(base: str, plans: list[Plan]) -> str:
    entries = [
        f'<entry><title>{escape(plan.title)}</title><link href="{escape(base + plan.path)}"/>'
        f"<id>{escape(base + plan.path)}</id><updated>{_at(plan).isoformat()}</updated>"
        f"<author><name>{escape(plan.author)}</name></author><summary>{escape(plan.teaser)}</summary></entry>"
        for plan in plans
    ]
    updated = _at(plans[0]).isoformat() if plans else "2026-03-02T06:00:00+00:00"
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{SITE_NAME}</title><id>{base}/</id><updated>{updated}</updated>"
        f'<link rel="self" href="{base}/atom.xml"/>\n' + "\n".join(entries) + "\n</feed>\n"
    )


def _write_json(base: str, plans: list[Plan]) -> str:
    items = [
        {
            "id": base + plan.path,
            "url": base + plan.path,
            "title": plan.title,
            "summary": plan.teaser,
            "date_published": _at(plan).isoformat(),
        }
        for plan in plans
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": SITE_NAME, "home_page_url": f"{base}/"}
    return json.dumps(feed | {"items": items}, ensure_ascii=False)
