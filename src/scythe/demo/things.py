"""The content of forum threads, manuals, products, recipes and encyclopaedia entries."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from scythe.demo.designs import Design
from scythe.demo.markup import Part, bullets, el, furniture, grid, heading, join, paragraph, wrap
from scythe.demo.plan import BASE, Plan, pick_thing
from scythe.demo.prose import Voice, load_words

Writer = Callable[[Plan, Voice, Design], list[Part]]


def _thing(plan: Plan) -> dict[str, Any]:
    return pick_thing(plan.kind, int(plan.topic))


def write_thread(plan: Plan, voice: Voice, design: Design) -> list[Part]:
    """Write a question and its answers, each with the card of who wrote it."""
    thread = _thing(plan)
    posts = [_post(plan, voice, thread["ask"], 0)]
    posts += [_post(plan, voice, answer, number) for number, answer in enumerate(thread["answers"], start=1)]
    return posts


def _post(plan: Plan, voice: Voice, sentences: list[str], number: int) -> Part:
    who = voice["first"].lower() + str(voice.random.randrange(10, 99))
    card = el(
        "div",
        el("img", src=f"/assets/avatars/{who}.png", width="64", height="64", alt=""),
        el("a", who, href=f"/u/{who}", class_="username"),
        el("span", f"Posts: {voice.random.randrange(3, 4000)}", class_="post-count"),
        class_="user-card",
    )
    body = join([paragraph(sentence) for sentence in sentences])
    when = el("time", f"{plan.published:%d %b %Y}", datetime=f"{plan.published:%Y-%m-%d}", class_="post-date")
    signature = el("div", escape(voice.random.choice(load_words("things")["forum"]["signatures"])), class_="signature")
    tools = el("ul", el("li", el("a", "Quote", href="#")), el("li", el("a", "Report", href="#")), class_="post-tools")
    content = wrap("div", body, class_="post-content")
    inside = Part(f"{card}\n{when}\n{content.html}\n{signature}{tools}", content.text)
    return wrap("div", inside, class_="post", id=f"p{number}")


def write_manual(plan: Plan, voice: Voice, design: Design) -> list[Part]:
    """Write a page of documentation with commands and a table of options."""
    tool = _thing(plan)
    links = [el("li", el("a", escape(title), href=f"#s{n}")) for n, (title, _, _) in enumerate(tool["sections"])]
    parts = [
        furniture(el("div", el("strong", "On this page"), el("ul", *links), class_="toc")),
        paragraph(tool["lead"]),
    ]
    for number, (title, text, code) in enumerate(tool["sections"]):
        parts.append(heading(title, id=f"s{number}"))
        parts.append(paragraph(text, escape(text).replace(tool["name"], el("code", tool["name"]))))
        parts.append(Part(el("pre", el("code", escape(code), class_="language-sh")), code))
    parts += [heading("Options"), grid(tool["options"], ["Option", "Default", "Meaning"])]
    return parts


def write_product(plan: Plan, voice: Voice, design: Design) -> list[Part]:
    """Write picture, price, description, features and a table of specifications."""
    item = _thing(plan)
    photo = f"/img/shop/{plan.number}-large.jpg"
    thumbs = [el("img", src=f"/img/shop/{plan.number}-{n}-thumb.jpg", width="60", height="60", alt="") for n in "abc"]
    buy = el("div", el("span", f"€ {item['price']}", class_="price"), el("button", "Add to basket"), class_="buy-box")
    return [
        Part(el("div", el("img", src=photo, alt=item["title"], width="900"), class_="gallery"), "", (BASE + photo,)),
        furniture(el("div", *thumbs, class_="thumbs")),
        furniture(buy + el("p", "In stock. Delivered within three working days.", class_="delivery")),
        join([paragraph(text) for text in item["description"]]),
        heading("Features", 3),
        bullets(item["features"]),
        heading("Specifications", 3),
        grid(item["specs"], class_="specs"),
    ]


def write_recipe(plan: Plan, voice: Voice, design: Design) -> list[Part]:
    """Write introduction, ingredients, steps and a note."""
    dish = _thing(plan)
    photo = f"/img/recipes/{plan.number}.jpg"
    rating = el("div", "★★★★☆ (", str(voice.random.randrange(12, 300)), ")", class_="rating")
    jump = el("div", el("a", "Jump to recipe", href="#recipe"), el("button", "Print"), class_="recipe-tools")
    return [
        furniture(jump + rating),
        *(paragraph(text) for text in dish["intro"]),
        Part(el("img", src=photo, alt=dish["title"], width="1200", height="800"), "", (BASE + photo,)),
        heading("Ingredients", 3, id="recipe"),
        bullets(dish["ingredients"], class_="ingredients"),
        heading("Method", 3),
        bullets(dish["steps"], "ol", class_="steps"),
        heading("Note", 3),
        paragraph(dish["note"]),
    ]


def write_entry(plan: Plan, voice: Voice, design: Design) -> list[Part]:
    """Write an encyclopaedia entry with an info box, a table of contents, edit links and references."""
    entry = _thing(plan)
    photo = f"/img/wiki/{plan.number}-440px.jpg"
    box = el("table", *(el("tr", el("th", k), el("td", escape(v))) for k, v in entry["facts"]), class_="infobox")
    toc = el(
        "div", el("h2", "Contents"), bullets([title for title, _ in entry["sections"]]).html, id="toc", class_="toc"
    )
    lead = entry["lead"]
    name, _, rest = lead.partition(" is ")
    parts = [furniture(box), paragraph(lead, f"<b>{escape(name)}</b> is {escape(rest)}"), furniture(toc)]
    for number, (title, sentences) in enumerate(entry["sections"], start=1):
        edit = el("span", "[", el("a", "edit", href=f"?edit={number}"), "]", class_="mw-editsection")
        parts.append(Part(el("h2", el("span", escape(title), class_="mw-headline"), edit), title))
        text = " ".join(sentences)
        parts.append(paragraph(text, escape(text) + el("sup", el("a", f"[{number}]", href=f"#n{number}"))))
        if number == 1:
            thumb = el("img", src=photo, width="440", height="300", alt=title)
            parts.append(Part(el("div", thumb, class_="thumb tright"), "", (BASE + photo,)))
    notes = [el("li", f"Almanac of the field, vol. {n}, p. {n * 17}.", id=f"n{n}") for n in range(1, 4)]
    parts.append(furniture(el("h2", "References") + el("ol", *notes, class_="references")))
    return parts


WRITERS: dict[str, Writer] = {
    "forum": write_thread,
    "docs": write_manual,
    "product": write_product,
    "recipe": write_recipe,
    "wiki": write_entry,
}
