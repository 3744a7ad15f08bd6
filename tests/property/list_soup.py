"""Make pages that list records, with every mistake of HTML around and inside them, and rules for these records."""

from __future__ import annotations

from random import Random

from tests.property.soup import make_page

from scythe.site.rules import FLOW, ColumnRules, Layout, ListRules, Rule, Way

HOLDERS = ("ul", "ol", "div", "section", "main", "td")
KINDS = ("li", "div", "article", "p", "a", "span", "tr", "dl", "blockquote")
COLUMNS = (
    ColumnRules("title", (">h2", ">h2>a", ">td")),
    ColumnRules("text", (">p", ">td:2")),
    ColumnRules("rest", ("", ">span.price")),
)


def make_list(random: Random, faults: float) -> tuple[bytes, Layout]:
    """Return a page with a list of records and a layout that selects them."""
    kind, holder = random.choice(KINDS), random.choice(HOLDERS)
    entries = [_make_entry(random, kind, faults) for _ in range(random.randint(1, 6))]
    if random.random() < faults:
        entries.insert(random.randrange(len(entries)), make_soup(random, faults))
    inner = "\n".join(entries)
    if kind == "tr":
        inner = f"<table>{inner}</table>"
    before, after = make_soup(random, faults), make_soup(random, faults)
    lead = random.choice(["<!DOCTYPE html>", "<!DOCTYPE html><head><base href='http://b.example/x/'></head>", ""])
    page = f'{lead}{before}<{holder} id="list">{inner}</{holder}>{after}'
    heads = random.choice([(f'<{kind} class="e',), (f'<{kind} class="e">', f'<{kind} class="e o">'), (f"<{kind}",)])
    members = (f'<{kind} class="m',) if random.random() < 0.3 else ()
    way = Way(FLOW, (Rule("tag", f'<{holder} id="list"'.encode()),), needed=1)
    rules = ListRules(
        tuple(head.encode() for head in heads),
        COLUMNS,
        tuple(member.encode() for member in members),
        (way,) if random.random() < 0.6 else (),
    )
    return page.encode(), Layout("list", (), lists=(rules,))


def _make_entry(random: Random, kind: str, faults: float) -> str:
    name = random.choice(['class="e"', 'class="e o"', 'class="m"'])
    inside = [
        f"<h2><a href='/{random.randrange(99)}'>Title {random.randrange(99)}</a></h2>",
        f"<p>Text &amp; more {random.randrange(99)}</p>",
        '<span class="price">12$</span><img src="i.png">',
    ]
    if kind in ("p", "a", "span"):
        inside = [part.replace("h2", "b").replace("<p>", "<i>").replace("</p>", "</i>") for part in inside]
    if kind == "a":
        inside[0] = "<b>Title</b>"
    if random.random() < faults:
        inside.insert(random.randrange(3), make_soup(random, faults))
    body = "".join(random.sample(inside, random.randint(1, len(inside))))
    if kind == "tr":
        body = "".join(f"<td>{part}</td>" for part in (body, "x"))
    closing = "" if random.random() < faults / 4 else f"</{kind}>"
    return f"<{kind} {name}>{body}{closing}"


def make_soup(random: Random, faults: float) -> str:
    """Return what may stand between the parts of a page, out of order now and then."""
    if random.random() > faults:
        return random.choice(["", "<div class='x'><p>one</p></div>", "<nav><ul><li>menu</li></ul></nav>"])
    return make_page(random, random.choice([1, 3, 8]), faults=faults).decode("utf-8", "ignore")
