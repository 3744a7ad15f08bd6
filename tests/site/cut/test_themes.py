"""A cut is what the tree has on small pages of one theme each, in which what matters to it comes up again and again."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest
from tests.property.soup import layout_of

from scythe.page.source import read_source
from scythe.site.cut.cutter import Cutter
from scythe.site.follow.follow_fields import follow
from scythe.site.rules import ATTRIBUTE, ELEMENT, FLOW, LEAD, TAIL, Rule, Way

FAR = b"<!DOCTYPE html><body><p>far</p>" + b"some words of a page in good order, " * 45
NEAR = (b"", b"", b"<!DOCTYPE html>", b"<body>", b"<html><head><title>T</title></head><body>")


class Theme(NamedTuple):
    """What pages are made of, what is cut from them, and how."""

    tokens: str
    targets: tuple[str, ...]
    takes: tuple[str, ...]
    after: str = ""  # tokens behind the target; those before it where there are none


BLOCK = "<div> </div> <p> </p> "
CELLS = "<table> </table> <tr> </tr> <td> </td> <th> <caption> </caption> <tbody> </tbody> "
THEMES = {
    "parents": Theme(
        """<li> </li> <dd> </dd> <dt> <ul> </ul> <h1> </h1> <h2> <table> <td> </td> </table> <span> </span> <my-el>
        </my-el> <x-y> </x-y> <address> </address> <a> </a> <svg/> <br> <svg><g/></svg> <noscript> </noscript> """
        + BLOCK,
        ("<b id=t>k</b>tail", "<b id=t>k</b>tail", "<div id=t>k</div>tail", "<br id=t>tail", "<td id=t>k</td>tail"),
        (TAIL,),
        "</li> </dd> </dt> </ul> </h1> </h2> </td> </table> </span> </my-el> </x-y> </address> </a> </div> </p> <i>",
    ),
    "asked": Theme(
        """<button> </button> <object> </object> <a> </a> <form> </form> <body> <span> </span> <noscript> </noscript> x
        <marquee> </marquee> <!--c--> """
        + BLOCK
        + CELLS,
        (
            "<span id=t>x<div>y</div></span>",
            "<i id=t>x<a>y</a></i>",
            "<div id=t>x<form>y</form></div>",
            "<div id=t>x<button>y</button></div>",
            "<form id=t>x</form>",
            "<a id=t>k</a>tail</div>",
            "<li id=t>x</li>",
        ),
        (ELEMENT, ELEMENT, TAIL),
    ),
    "head": Theme(
        """<html> <head> </head> <noscript> </noscript> <link> <meta> <style>p</style> <title>t</title> x <template>
        </template> <b> <!--c--> < <br> <!x> <?x> </x> <script>s</script> <base> <frameset> """
        + BLOCK,
        ("<p id=t>y</p>", "<head id=t>", "<body id=t>y</body>", "Price<p id=t>y</p>"),
        (ELEMENT, LEAD, ATTRIBUTE),
    ),
    "hidden": Theme(
        """<template> </template> <svg> </svg> <svg/> <math> </math> <math/> <![CDATA[x<p>]]> <![CDATA[ <![CDATA[>x]]>
        <g> <title> </title> <desc> <font> <foreignobject> <annotation-xml> <select> </select> <option> <optgroup>
        <noscript> </noscript> <col> <mi> </mi> <b> </b> <img> <script>s</script> <ul> </ul> """
        + BLOCK,
        ("<p id=t>y</p>", "Price<p id=t>y</p>", "<svg id=t><g/></svg>z"),
        (ELEMENT, TAIL),
    ),
    "tables": Theme(
        """<col> <colgroup> </colgroup> <thead> </thead> <tfoot> x <b> </b> <form> </form> <script>s</script> <p> """
        + CELLS,
        (
            "<td id=t>y</td>",
            "<tr id=t><td>y</td></tr>",
            "<b id=t>y</b>",
            "Price<td id=t>y</td>",
            "<tbody id=t></tbody>",
        ),
        (ELEMENT, ELEMENT, LEAD, TAIL),
    ),
    "formatting": Theme(
        """<b> </b> <i> </i> <a> </a> <nobr> <strong> </strong> <br> x <template> </template> <noscript> </noscript> """
        + BLOCK,
        (
            "<section id=t>k<i>l</i></section>z",
            "<section id=t><b>k</section>z",
            "<img id=t>z",
            "<dialog id=t>k</dialog>z",
        ),
        (LEAD, TAIL, FLOW, ELEMENT),
    ),
    "runs": Theme(
        "<i> </i> x <!--c-->",
        ("<b id=t>", "<b id=t>k</b>", "<p id=t>k", "<td id=t>k", "<b id=t\0>k", "<b id=t alt='\0'>k", "<BR id=t>"),
        (LEAD, TAIL, LEAD, ATTRIBUTE),
        """<!DOCTYPE> <!doctype <!D <!dx> <!--c--> </> <3 < </b> </p> <form> <table> <tr> <body> y \0 \x1b é <b </b
        <!-- <?d>""",
    ),
    "inside": Theme(
        """<li> </li> <ul> </ul> <dd> <dt> </dt> <h1> </h1> <h2> </h2> <form> </form> <button> </button> <object>
        </object> <option> <optgroup> <ruby> <rt> <rp> </ruby> <a> </a> <nobr> </nobr> <b> </b> <hr> <br> <img> <dialog>
        </dialog> <pre> <select> </select> <svg/> <math><mi>m</mi></math> <html> <body> </body> </br> <iframe></iframe>
        <xmp> x <textarea>a</textarea> <noembed> <plaintext> <col> <frame> <span> </span> </x> </svg> <input> <form>
        </form> y <colgroup> </colgroup> """
        + BLOCK
        + CELLS,
        (
            "<div id=t>",
            "<div id=t>",
            "<span id=t>",
            "<td id=t>",
            "<p id=t>",
            "<li id=t>",
            "<form id=t>",
            "<table id=t>",
        ),
        (ELEMENT, ELEMENT, FLOW),
        "as before",
    ),
    "inside tables": Theme(
        """<col> <colgroup> </colgroup> <thead> </thead> <tfoot> </tfoot> x <b> </b> <br> <meta> <input>
        <script>s</script> <form> </form> <svg/> </body> <html> <template></template> </caption> <h1> </h1>
        <textarea>a</textarea> """
        + CELLS,
        (
            "<table id=t>",
            "<table id=t><tr>",
            "<table><tr><td id=t>",
            "<table><tr id=t>",
            "<table><caption id=t>",
            "<div id=t><table>",
            "<table><tbody id=t>",
            "<div id=t><table><colgroup>",
        ),
        (ELEMENT,),
        "as before",
    ),
    "inside forms": Theme(
        "<form> </form> x <table> <tr> <td> </table> <button> </button> <b> </b> <script>s</script> <li> <ul> " + BLOCK,
        ("<div id=t>", "<section id=t><form>", "<form><div id=t>", "<form id=t>", "<div id=t>x<form>", "<p id=t>"),
        (ELEMENT, FLOW),
        "as before",
    ),
    "inside drawings": Theme(
        """<svg> </svg> <math> </math> <mi> </mi> <mtext> <annotation> </annotation> <title> </title> <desc> <g> </g>
        <g/> <svg/> <p> </p> <br> </br> <b> <font> <![CDATA[x]]> x < <!--c--> <annotation-xml> <img> """,
        ("<div id=t>", "<div id=t><svg>", "<div id=t><math>", "<span id=t><math>", "<div id=t><svg><title>"),
        (ELEMENT,),
        "as before",
    ),
    "inside templates": Theme(
        """<template> </template> <svg> </svg> <svg/> <g> <title> </title> <desc> </desc> <td> <select> </select>
        <option> <optgroup> <math> <col> <script>s</script> <script> x <p> </p> <body> <b> </b> <![CDATA[x]]>
        <!--c--> """,
        ("<div id=t>", "<div id=t><template>", "<div id=t><select>", "<div id=t><template><svg>"),
        (ELEMENT,),
        "as before",
    ),
    "inside text": Theme(
        """<h1> </h1> <h2> </h2> <li> </li> <ul> </ul> <dd> <dt> </dd> <address> <a> </a> <nobr> <b> </b> <i> </i>
        <span> </span> <object> </object> <br> </br> x <select><option>o</select> <ruby> <rt> </ruby> """
        + BLOCK,
        ("<div id=t>", "<span id=t>", "<p id=t>", "<li id=t>", "<h1 id=t>", "<table><td id=t>", "<b id=t>", "<a id=t>"),
        (ELEMENT,),
        "as before",
    ),
}


def make_case(theme: Theme, random: Random) -> tuple[bytes, Way, bool]:
    tokens = theme.tokens.split()
    before = "".join(random.choices(tokens, k=random.choice([0, 1, 2, 3, 5])))
    behind = theme.after.split() if theme.after not in ("", "as before") else tokens
    after = "".join(random.choices(behind, k=random.choice([1, 2, 3, 5])))
    target = random.choice(theme.targets)
    place = target.index("id=t")
    own = target[target.rindex("<", 0, place) : place].strip()  # the tag that is cut, as far as its name goes
    closing = f"</{own[1:]}>" if theme.after == "as before" else ""
    page = random.choice(NEAR) + f"{before}{target}{after}{closing}".encode()
    is_far = random.random() < 0.3
    if is_far:
        page = FAR + page
    name = f"{own} id=t".encode()
    rule = Rule("tag", name)
    if "Price" in target or random.random() < 0.1:
        anchor = b"Price" if "Price" in target else random.choice([b"<p", b"x", b"<div"])
        rule = Rule("label", anchor, step=name, nth=random.choice([1, 1, -1]), reach=random.choice([9, 90, 5_000]))
    rules = (rule, Rule("before", b">" + name, skip=1)) if random.random() < 0.1 else (rule,)
    repeats = random.random() < 0.1
    return page, Way(random.choice(theme.takes), rules, 1, "alt", repeats=repeats), not is_far or random.random() < 0.3


@pytest.mark.parametrize("name", THEMES)
def test_what_is_cut_is_what_the_tree_has_about(name: str) -> None:
    random = Random(len(name) + 1)
    for _ in range(300):
        page, way, _ = make_case(THEMES[name], random)
        cut = Cutter(layout_of(way)).cut_field(page, 0, thorough=True)
        if cut.state in ("cut", "absent") and not (cut.state == "cut" and way.take == FLOW):
            assert cut.values == follow(read_source(page), way, loosely=False).values, (page, way)
