"""Products of the demo site: a number comes in, a product that no other page has goes out."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

from scythe.demo.designs import Design
from scythe.demo.markup import Part, bullets, el, furniture, grid, heading, join, paragraph
from scythe.demo.plan import BASE, FIRST_DAY, Plan, slugify
from scythe.demo.prose import Voice, load_words


def categories() -> dict[str, str]:
    """Return the names of the shop's categories by their folder."""
    return {folder: category["name"] for folder, category in _shop()["categories"].items()}


def plan_product(seed: int, number: int) -> Plan:
    """Plan one product; its topic is its category."""
    key = f"{seed}/{number}"
    voice = Voice("en", Random(key))
    random = voice.random
    folder = random.choice(sorted(_shop()["categories"]))
    category = _shop()["categories"][folder]
    size = random.randrange(*category["sizes"])
    title = f"{random.choice(_shop()['styles'])} {random.choice(category['nouns'])}, {size} {category['unit']}"
    teaser = voice.say(category["sentences"][number % len(category["sentences"])])
    published = FIRST_DAY + timedelta(days=random.randrange(240))
    path = f"/shop/{folder}/{slugify(title)}-{number}.html"
    return Plan(number, "product", "en", path, title, voice.author, published, folder, teaser, key)


def price_of(plan: Plan) -> str:
    """Return what a product costs, in euros."""
    return f"{Random(f'{plan.seed}/price').randrange(390, 19900) / 100:.2f}"


def write_product(plan: Plan, voice: Voice, design: Design) -> list[Part]:
    """Write pictures, price, description, features and a table of specifications."""
    category = _shop()["categories"][plan.topic]
    random = voice.random
    name = f"/img/shop/{slugify(plan.title)}-{plan.number}"
    photo = f"{name}-large.jpg"
    thumbs = [el("img", src=f"{name}-{n}-thumb.jpg", width="60", height="60", alt="") for n in "abc"]
    buy = el("div", el("span", f"€ {price_of(plan)}", class_="price"), el("button", "Add to basket"), class_="buy-box")
    own = [text for at, text in enumerate(category["sentences"]) if at != plan.number % len(category["sentences"])]
    told = [*random.sample(own, 3), *random.sample(_shop()["sentences"], 2)]
    return [
        Part(el("div", el("img", src=photo, alt=plan.title, width="900"), class_="gallery"), "", (BASE + photo,)),
        furniture(el("div", *thumbs, class_="thumbs")),
        furniture(buy + el("p", "In stock. Delivered within three working days.", class_="delivery")),
        join([paragraph(text) for text in voice.paragraphs([plan.teaser, *map(voice.say, told)])]),
        heading("Features", 3),
        bullets(random.sample(category["features"], 4)),
        heading("Specifications", 3),
        grid(_specifications(plan, voice), class_="specs"),
    ]


def _specifications(plan: Plan, voice: Voice) -> list[list[str]]:
    random = voice.random
    return [
        ["Maker", random.choice(_shop()["makers"])],
        ["Size", plan.title.rpartition(", ")[2]],
        ["Weight", f"{random.randrange(80, 4200)} g"],
        ["Made in", voice["place"]],
        ["Warranty", f"{random.randrange(2, 11)} years"],
        ["Article number", f"FP-{plan.number:05d}"],
    ]


def write_reviews(plan: Plan) -> list[str]:
    """Return what customers wrote below."""
    return Random(f"{plan.seed}/reviews").sample(_shop()["reviews"], 3)


def _shop() -> dict[str, Any]:
    shop: dict[str, Any] = load_words("world")["shop"]
    return shop
