"""How a replay dresses the same stories: a story and a dress come in, the markup of its record goes out.

What a redesign changes: elements, class names, order, wording, the format of dates, and how many links a record has.
What it leaves alone: the address of the article.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from urllib.parse import quote

from scythe.demo.designs import DESIGNS, Design
from scythe.demo.markup import el
from scythe.demo.plan import slugify
from scythe.demo.prose import Voice, load_words
from scythe.demo.replay import Shelf, Story

_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
}
_AGO = {
    "en": (("minute", "minutes"), ("hour", "hours"), ("day", "days"), "{} {} ago"),
    "de": (("Minute", "Minuten"), ("Stunde", "Stunden"), ("Tag", "Tagen"), "vor {} {}"),
}
ADVERT_AT = 3  # records before the advert in a list
Card = Callable[[Story, Voice, float], str]


@dataclass(frozen=True, slots=True)
class Dress:
    """One look of the site."""

    design: Design  # of everything around the lists
    card: Card  # a record of the first list of a page
    brief: Card  # a record of the lists beside it
    box: tuple[str, str]  # element and class around the records
    brief_box: tuple[str, str]
    older: dict[str, str]  # what the link to older stories says, by language
    is_brief_first: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """How one list is written."""

    dress: Dress
    voice: Voice
    now: float  # what "an hour ago" is told from
    advert: str = ""  # stands among the records; where there is one, the list is the first of its page


def write_shelf(shelf: Shelf, stories: Sequence[Story], setting: Setting) -> str:
    """Write one list with its heading."""
    dress, is_first = setting.dress, bool(setting.advert)
    element, name = dress.box if is_first else dress.brief_box
    card = dress.card if is_first else dress.brief
    rows = [card(story, setting.voice, setting.now) + "\n" for story in stories]
    if is_first and len(rows) > ADVERT_AT:
        rows.insert(ADVERT_AT, el("li", setting.advert) if element == "ul" else setting.advert)
    return el("section", el("h2", escape(shelf.title)), el(element, "\n", *rows, class_=name), class_=f"{name}-wrap")


def topic_of(story: Story) -> tuple[str, str]:
    """Return the name of a story's topic and the page about it."""
    names: dict[str, str] = load_words("world")["tags"]
    return names.get(story.plan.topic, story.plan.topic), f"/tag/{story.plan.topic}/"


def author_path(story: Story) -> str:
    """Return the page of a story's author."""
    return f"/authors/{slugify(story.plan.author)}/"


def spell_date(moment: float, language: str) -> str:
    """Write a date with the name of its month."""
    at = datetime.fromtimestamp(moment, UTC)
    return f"{at.day} {_MONTHS[language][at.month - 1]} {at.year}, {at:%H:%M}"


def spell_age(moment: float, now: float, language: str) -> str:
    """Write how long ago something was."""
    *units, pattern = _AGO[language]
    minutes = max(1, int((now - moment) // 60))
    count, unit = (minutes, 0) if minutes < 60 else (minutes // 60, 1) if minutes < 1440 else (minutes // 1440, 2)
    return str(pattern).format(count, units[unit][count != 1])


def _thumb(story: Story, width: int, height: int) -> str:
    return el("img", src=f"/img/thumb-{story.number}.jpg", width=str(width), height=str(height), alt="", loading="lazy")


def _link(story: Story, **attributes: str) -> str:
    return el("a", escape(story.plan.title), href=story.plan.path, **attributes)


def _iso(story: Story) -> str:
    return f"{datetime.fromtimestamp(story.at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _field_card(story: Story, voice: Voice, now: float) -> str:
    kicker = el("span", escape(topic_of(story)[0]), class_="teaser__kicker")
    when = el("time", spell_date(story.at, story.plan.language), datetime=_iso(story), class_="teaser__date")
    by = el("span", escape(f"{voice.ui['by']} {story.plan.author}"), class_="teaser__author")
    body = [kicker, el("h3", _link(story), class_="teaser__title"), el("p", escape(story.plan.teaser)), when, by]
    picture = el("a", _thumb(story, 240, 160), href=story.plan.path, class_="teaser__image")
    return el("article", picture, el("div", *body, class_="teaser__body"), class_="teaser")


def _field_brief(story: Story, voice: Voice, now: float) -> str:
    when = el("time", spell_date(story.at, story.plan.language), datetime=_iso(story))
    head = el("h4", _link(story, class_="ticker__link"))
    return el("li", when, head, el("p", escape(story.plan.teaser), class_="ticker__text"), class_="ticker__item")


def _barn_card(story: Story, voice: Voice, now: float) -> str:
    topic, about = topic_of(story)
    when = el("span", f"{datetime.fromtimestamp(story.at, UTC):%d.%m.%Y %H:%M}", class_="td-date")
    by = el("a", escape(story.plan.author), href=author_path(story), class_="td-author")
    tag = el("a", escape(topic), href=about, class_="td-cat")
    share = [
        el("a", name, href=f"https://{name.lower()}.example/share?u={quote(story.plan.path, safe='')}", rel="nofollow")
        for name in ("Chirp", "Board")
    ]
    said = el("a", f"{story.number % 40} {escape(voice.ui['comments'])}", href=f"{story.plan.path}#comments")
    meta = el("div", by, " · ", when, " · ", tag, class_="td-info")
    text = el("div", escape(story.plan.teaser), " ", el("a", escape(voice.ui["more"]), href=story.plan.path))
    foot = el("div", said, *share, class_="td-tools")
    return el("div", el("h4", _link(story)), meta, _thumb(story, 120, 90), text, foot, class_="td-item")


def _barn_brief(story: Story, voice: Voice, now: float) -> str:
    when = el("small", f"{datetime.fromtimestamp(story.at, UTC):%d.%m.%Y %H:%M}")
    topic, about = topic_of(story)
    text = el("div", escape(story.plan.teaser))
    return el("li", el("b", _link(story)), el("a", escape(topic), href=about), text, when, class_="wire-row")


def _mill_card(story: Story, voice: Voice, now: float) -> str:
    when = el("em", escape(spell_age(story.at, now, story.plan.language)))
    inside = el("a", _thumb(story, 400, 225), el("h3", escape(story.plan.title)), href=story.plan.path, class_="lnk")
    by = el("a", escape(story.plan.author), href=author_path(story), rel="author")
    text = el("p", escape(story.plan.teaser), class_="tx")
    return el("div", inside, text, el("div", when, " ", by, class_="sub"), class_="bx")


def _mill_brief(story: Story, voice: Voice, now: float) -> str:
    when = el("em", escape(spell_age(story.at, now, story.plan.language)))
    text = el("p", escape(story.plan.teaser))
    return el(
        "article", el("strong", _link(story)), text, el("footer", when, " ", escape(story.plan.author)), class_="rw"
    )


DRESSES = (
    Dress(
        design=DESIGNS[0],
        card=_field_card,
        brief=_field_brief,
        box=("div", "teasers"),
        brief_box=("ul", "ticker"),
        older={"en": "Next page", "de": "Nächste Seite"},
        is_brief_first=False,
    ),
    Dress(
        design=DESIGNS[1],
        card=_barn_card,
        brief=_barn_brief,
        box=("div", "td-list"),
        brief_box=("ol", "wire"),
        older={"en": "Older", "de": "Ältere Artikel"},
        is_brief_first=True,
    ),
    Dress(
        design=DESIGNS[0],
        card=_mill_card,
        brief=_mill_brief,
        box=("div", "grid3"),
        brief_box=("div", "rows"),
        older={"en": "Older stories", "de": "Weiter"},
        is_brief_first=False,
    ),
)
