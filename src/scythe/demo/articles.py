"""Generate the content of news, blog posts, threads, manuals, products, recipes and encyclopaedia entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from scythe.demo.page_parts import (
    PIXEL,
    Design,
    PagePart,
    bullets,
    el,
    furniture,
    grid,
    heading,
    join,
    markup,
    paragraph,
    wrap,
)
from scythe.demo.plan import BASE, PagePlan, Voice, load_words, pick_thing

Writer = Callable[[PagePlan, Voice, Design], list[PagePart]]


def _thing(plan: PagePlan) -> dict[str, Any]:
    return pick_thing(plan.kind, int(plan.topic))


def write_thread(plan: PagePlan, voice: Voice, design: Design) -> list[PagePart]:
    """Write a question and its answers, each with the card of who wrote it."""
    thread = _thing(plan)
    posts = [_post(plan, voice, thread["ask"], 0)]
    posts += [_post(plan, voice, answer, number) for number, answer in enumerate(thread["answers"], start=1)]
    return posts


def _post(plan: PagePlan, voice: Voice, sentences: list[str], number: int) -> PagePart:
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
    inside = PagePart(f"{card}\n{when}\n{content.html}\n{signature}{tools}", content.text)
    return wrap("div", inside, class_="post", id=f"p{number}")


def write_manual(plan: PagePlan, voice: Voice, design: Design) -> list[PagePart]:
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
        parts.append(PagePart(el("pre", el("code", escape(code), class_="language-sh")), code))
    parts += [heading("Options"), grid(tool["options"], ["Option", "Default", "Meaning"])]
    return parts


def write_product(plan: PagePlan, voice: Voice, design: Design) -> list[PagePart]:
    """Write one of the products that have words of their own."""
    item = _thing(plan)
    texts = [paragraph(text) for text in item["description"]]
    return write_goods(f"/img/shop/{plan.number}", item["title"], item["price"], texts, item["features"], item["specs"])


def write_goods(
    name: str, title: str, price: str, texts: list[PagePart], features: list[str], specs: list[list[str]]
) -> list[PagePart]:
    """Write pictures, price, description, features and a table of specifications; pictures are called `name`."""
    photo = f"{name}-large.jpg"
    thumbs = [el("img", src=f"{name}-{n}-thumb.jpg", width="60", height="60", alt="") for n in "abc"]
    buy = el("div", el("span", f"€ {price}", class_="price"), el("button", "Add to basket"), class_="buy-box")
    return [
        PagePart(el("div", el("img", src=photo, alt=title, width="900"), class_="gallery"), "", (BASE + photo,)),
        furniture(el("div", *thumbs, class_="thumbs")),
        furniture(buy + el("p", "In stock. Delivered within three working days.", class_="delivery")),
        join(texts),
        heading("Features", 3),
        bullets(features),
        heading("Specifications", 3),
        grid(specs, class_="specs"),
    ]


def write_recipe(plan: PagePlan, voice: Voice, design: Design) -> list[PagePart]:
    """Write introduction, ingredients, steps and a note."""
    dish = _thing(plan)
    photo = f"/img/recipes/{plan.number}.jpg"
    rating = el("div", "★★★★☆ (", str(voice.random.randrange(12, 300)), ")", class_="rating")
    jump = el("div", el("a", "Jump to recipe", href="#recipe"), el("button", "Print"), class_="recipe-tools")
    return [
        furniture(jump + rating),
        *(paragraph(text) for text in dish["intro"]),
        PagePart(el("img", src=photo, alt=dish["title"], width="1200", height="800"), "", (BASE + photo,)),
        heading("Ingredients", 3, id="recipe"),
        bullets(dish["ingredients"], class_="ingredients"),
        heading("Method", 3),
        bullets(dish["steps"], "ol", class_="steps"),
        heading("Note", 3),
        paragraph(dish["note"]),
    ]


def write_entry(plan: PagePlan, voice: Voice, design: Design) -> list[PagePart]:
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
        parts.append(PagePart(el("h2", el("span", escape(title), class_="mw-headline"), edit), title))
        text = " ".join(sentences)
        parts.append(paragraph(text, escape(text) + el("sup", el("a", f"[{number}]", href=f"#n{number}"))))
        if number == 1:
            thumb = el("img", src=photo, width="440", height="300", alt=title)
            parts.append(PagePart(el("div", thumb, class_="thumb tright"), "", (BASE + photo,)))
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


def write_story(plan: PagePlan, voice: Voice, design: Design, others: Sequence[PagePlan]) -> list[PagePart]:
    """Write lead, pictures, paragraphs and headings, with the odd advert and link box that real stories carry."""
    random = voice.random
    asides = random.sample(voice.words["generic"], 3) if plan.kind == "blog" else []
    texts = voice.paragraphs([plan.teaser, *voice.story(plan.topic, random.randrange(11, 22), without=asides)])
    middle = max(2, len(texts) // 2)
    parts = [_figure(plan, voice, design, 0), paragraph(texts[0], class_="lead")]
    for number, text in enumerate(texts[1:], start=1):
        if number == middle:
            parts.append(heading(random.choice(voice.words["headings"])))
        parts.append(paragraph(text, _decorate(text, voice, others)))
        if number == 1 and others:
            link = el("a", escape(others[0].title), href=others[0].path)
            parts.append(
                furniture(el("div", el("strong", escape(voice.ui["more"])), " ", link, class_="inline-related"))
            )
        if number == middle and plan.kind == "news":
            parts.append(furniture(markup().advert(voice.ui, design)))
        if number == middle + 1 and plan.kind == "blog":
            parts.append(_figure(plan, voice, design, 1))
    if asides:
        parts.insert(-1, bullets(voice.say(sentence) for sentence in asides))
    return parts


def _decorate(text: str, voice: Voice, others: Sequence[PagePlan]) -> str:
    """Return the paragraph as markup, some words of it set as a link or in bold."""
    words = text.split(" ")
    if len(words) < 12 or voice.random.random() < 0.5:
        return escape(text)
    at = voice.random.randrange(3, len(words) - 4)
    while at and not words[at - 1].endswith("."):
        at -= 1  # a link covers the first words of a sentence
    before, marked, after = (escape(" ".join(part)) for part in (words[:at], words[at : at + 3], words[at + 3 :]))
    wrapped = el("a", marked, href=voice.random.choice(others).path) if others else el("strong", marked)
    return f"{before} {wrapped} {after}".strip()


def _figure(plan: PagePlan, voice: Voice, design: Design, number: int) -> PagePart:
    alt = voice.say("{place}")
    name = f"/img/{plan.topic}-{plan.number}-{number}"
    return write_figure(name, alt, f"{alt}. Photo: {plan.author}", design, style=plan.number + number)


def write_figure(name: str, alt: str, caption: str, design: Design, *, style: int) -> PagePart:
    """Write a picture in one of the ways in which pages hide its address from simple readers."""
    large = f"{name}-1280.jpg"
    if style % 4 == 0:
        image = el("img", src=large, alt=alt, width="1280", height="720")
    elif style % 4 == 1:
        image = el("img", src=PIXEL, data_src=large, alt=alt, class_="lazyload", width="1280", height="720")
        image += el("noscript", el("img", src=large, alt=alt))
    elif style % 4 == 2:
        srcset = f"{name}-640.jpg 640w, {name}-960.jpg 960w, {large} 1280w"
        image = el("img", src=f"{name}-640.jpg", srcset=srcset, sizes="100vw", alt=alt)
    else:
        source = el("source", type="image/webp", srcset=f"{name}-640.webp 640w, {name}-1280.webp 1280w")
        large = f"{name}-1280.webp"
        image = el("picture", source, el("img", src=f"{name}-640.jpg", alt=alt, loading="lazy"))
    inside = el("figcaption", escape(caption))
    return PagePart(el("figure", image, inside, class_=design.figure), "", (BASE + large,))
