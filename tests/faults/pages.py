"""Hostile pages by name: each function takes a size and returns a page whose cost a careless reader pays twice over.

`PAGES[name](n)` has about n repetitions of what makes the page hostile. The words `BEFORE`, `INSIDE` and `AFTER` stand
before, inside and after the hostile part of every page and must survive (or be counted as lost).
"""

from collections.abc import Callable

BEFORE, INSIDE, AFTER = "firstword", "innerword", "lastword"
HEAD = f"<!DOCTYPE html><html lang=en><head><title>Hostile</title></head><body><p>{BEFORE} stands before.</p>\n"
TAIL = f"\n<p>{AFTER} stands after.</p></body></html>"

Make = Callable[[int], str]
PAGES: dict[str, Make] = {}
_TAGS = (
    "div span b i a p font em blockquote ul ol dl table td tr center form button object applet marquee svg math "
    "template select option optgroup h1 section article label nobr ruby rt noscript details dd li fieldset x-y "
    "pre iframe textarea title style script xmp frameset noframes body html head caption colgroup tbody address "
    "map canvas video audio foreignObject desc mi mtext annotation-xml selectedcontent image input br img menu "
    "search plaintext"
).split()
# what is opened inside of itself again and again, and what closes it
_NESTED = {tag: (f"<{tag}>", f"</{tag}>") for tag in _TAGS} | {
    "table row cell": ("<table><tr><td>", "</td></tr></table>"),
    "list item": ("<ul><li>", "</li></ul>"),
    "definition": ("<dl><dd>", "</dd></dl>"),
    "svg foreignObject": ("<svg><foreignObject>", "</foreignObject></svg>"),
    "svg desc div": ("<svg><desc><div>", "</div></desc></svg>"),
    "math annotation": ("<math><annotation-xml encoding='text/html'>", "</annotation-xml></math>"),
    "math mi div": ("<math><mi><div>", "</div></mi></math>"),
    "template row": ("<template><tr>", "</tr></template>"),
    "template div": ("<template><div>", "</div></template>"),
    "button p": ("<button><p>", "</p></button>"),
    "object p": ("<object><p>", "</p></object>"),
    "bold div": ("<b><div>", "</div></b>"),
    "link div": ("<a href=x><div>", "</div></a>"),
    "link table": ("<a href=x><table><td>", "</td></table></a>"),
    "form table": ("<form><table>", "</table></form>"),
    "select option": ("<select><option>", "</option></select>"),
    "svg in td": ("<table><td><svg>", "</svg></td></table>"),
}
for _name, (_open, _close) in _NESTED.items():
    PAGES[f"nested {_name}"] = lambda n, a=_open, b=_close: f"{HEAD}{a * n}{INSIDE}{b * n}{TAIL}"  # type: ignore[misc]
    PAGES[f"unclosed {_name}"] = lambda n, a=_open: f"{HEAD}{a * n}{INSIDE}{TAIL}"  # type: ignore[misc]


def _many_tags_with_many_attributes(n: int) -> str:
    attributes = " ".join(f"a{i}=1" for i in range(1000))
    return f"<p {attributes}>{INSIDE}</p>" * (n // 1000 + 1)


def _selects_mirrored(n: int) -> str:
    one = "<select><button><selectedcontent></selectedcontent></button><option>x</option></select>"
    return one * n + INSIDE


_MIDDLES: dict[str, Make] = {
    "formatting with attributes before paragraphs": lambda n: (
        "".join(f"<p><b id=b{i}>{i}</p>" for i in range(n)) + INSIDE
    ),
    "fonts of distinct size in paragraphs": lambda n: "".join(f"<p><font size={i}>x" for i in range(n)) + INSIDE,
    # fonts of distinct size are left open before as many paragraphs, which square in a tree
    "distinct fonts then paragraphs": lambda n: (
        "<p>" + "".join(f"<font size={i}>" for i in range(n)) + "</p>" + "<p>x</p>" * n + INSIDE
    ),
    "distinct fonts then text in cells": lambda n: (
        "<p>" + "".join(f"<font size={i}>" for i in range(n)) + "</p><table>" + "<tr><td>x" * n + "</table>" + INSIDE
    ),
    "links without end in paragraphs": lambda n: "".join(f"<p><a href=/{i}>x" for i in range(n)) + INSIDE,
    "misnested span and div": lambda n: "<span><div></span></div>" * n + INSIDE,
    # bold elements are closed inside the boxes that they hold, which parsers repair by copying
    "misnested bold and div": lambda n: "<b><div></b></div>" * n + INSIDE,
    # bold elements are closed over nine boxes, one more than the repair of the standard takes
    "bold closed over nine divs": lambda n: (
        "".join(f"<b id=b{i}>" + "<div>" * 9 + "</b>" + "</div>" * 9 for i in range(n // 9 + 1)) + INSIDE
    ),
    "bold divs then bold ends": lambda n: "<b><div>" * n + INSIDE + "</b>" * n,
    "bold then div ends": lambda n: "<b>" * n + INSIDE + "</div>" * n,
    # there are only ends of elements, none of which was opened
    "ends without start": lambda n: "</x></b></div>" * n + INSIDE,
    "ends of ever new names": lambda n: "".join(f"</x{i}>y" for i in range(n)) + INSIDE,
    # ends of paragraphs stand alone, each of which makes an empty paragraph
    "paragraph ends without start": lambda n: "</p>" * n + INSIDE,
    # open spans are followed by ends of another element, for each of which all spans are searched
    "spans then foreign ends": lambda n: "<span>" * n + INSIDE + "</q>" * n,
    "divs ended across cells": lambda n: "<div><table><td></div>" * n + INSIDE,
    # text stands between rows of a table, from where parsers move it in front of the table
    "text between rows": lambda n: "<table>" + "x<tr>" * n + INSIDE + "</table>",
    "bold between rows": lambda n: "<table>" + "<b>x<tr>" * n + INSIDE + "</table>",
    "tables between text": lambda n: "<table>x" * n + INSIDE,
    "divs between rows": lambda n: "<table>" + "<div>x</div><tr>" * n + INSIDE + "</table>",
    # one tag has attributes without number, which tree builders compare each with each
    "attributes on one tag": lambda n: "<div " + " ".join(f"a{i}=1" for i in range(n)) + f">{INSIDE}</div>",
    "attributes without value": lambda n: "<div " + " ".join(f"a{i}" for i in range(n)) + f">{INSIDE}</div>",
    "equal attributes": lambda n: "<div " + "a=1 " * n + f">{INSIDE}</div>",
    "attributes hiding tags": lambda n: (
        '<div a="' + "".join(f'> <x a=" b{i}="' for i in range(n)) + f'">{INSIDE}</div>'
    ),
    "attributes with angle brackets in names": lambda n: (
        "<div " + " ".join(f"<b{i}" for i in range(n)) + f">{INSIDE}</div>"
    ),
    "attributes glued by quotes": lambda n: "<div " + "".join(f"a{i}='1'" for i in range(n)) + f">{INSIDE}</div>",
    "attributes divided by slashes": lambda n: "<div/" + "/".join(f"a{i}" for i in range(n)) + f">{INSIDE}</div>",
    "attributes on an end tag": lambda n: f"<div>{INSIDE}</div " + " ".join(f"a{i}=1" for i in range(n)) + ">",
    "attributes on many html tags": lambda n: "".join(f"<html a{i}=1>" for i in range(n)) + INSIDE,
    "attributes on many body tags": lambda n: "".join(f"<body a{i}=1>" for i in range(n)) + INSIDE,
    "many tags with many attributes": _many_tags_with_many_attributes,
    # each tag has attributes of names that no other has, which tree builders keep in lists
    "names of attributes": lambda n: "".join(f"<p a{i} data-{i}=x>y" for i in range(n)) + INSIDE,
    "names of attributes on end tags": lambda n: "".join(f"</i a{i}=x>y" for i in range(n)) + INSIDE,
    "long attribute": lambda n: f"<div title='{'x' * (10 * n)}'>{INSIDE}</div>",
    "class tokens": lambda n: "<div class='" + " ".join(f"c{i}" for i in range(n)) + f"'>{INSIDE}</div>",
    "one-letter paragraphs": lambda n: "<p>x</p>" * n + INSIDE,
    "paragraphs": lambda n: "<p>A plain sentence, and one more of the kind that people write.</p>\n" * n + INSIDE,
    "links": lambda n: "".join(f"<a href='/{i}'>link {i}</a> " for i in range(n)) + INSIDE,
    "line breaks": lambda n: "<p>" + "x<br>" * n + INSIDE,
    "options": lambda n: "<select>" + "<option>x</option>" * n + f"</select>{INSIDE}",
    "options mirrored": lambda n: (
        "<select><selectedcontent></selectedcontent>" + "<option selected>x</option>" * n + f"</select>{INSIDE}"
    ),
    # choices come without number, each of which mirrors its option
    "selects mirrored": _selects_mirrored,
    "images": lambda n: "".join(f"<img src='/{i}.jpg' width=10 srcset='/{i}-2.jpg 2x'>" for i in range(n)) + INSIDE,
    "lists": lambda n: "<ul><li>x</ul>" * n + INSIDE,
    "cells": lambda n: "<table>" + "<tr><td>x" * n + f"</table>{INSIDE}",
    "text node": lambda n: f"<p>{'word ' * n}{INSIDE}</p>",
    "long word": lambda n: f"<p>{'x' * n} {INSIDE}</p>",
    "spaces": lambda n: f"<p>{' ' * n}{INSIDE}{chr(160) * n}</p>",
    "less-than signs": lambda n: "<" * n + f" {INSIDE}",
    "ampersands": lambda n: "&" * n + f" {INSIDE}",
    "unknown entity": lambda n: "&" + "a" * n + f"; {INSIDE}",
    "entities": lambda n: "&amp;&#x110000;&notit;&CounterClockwiseContourIntegral" * n + f"; {INSIDE}",
    "comments": lambda n: "<!--x-->" * n + INSIDE,
    # what parsers take for comments comes without number
    "bogus comments": lambda n: "<!x><?y></ z>" * n + INSIDE,
    "cdata openings": lambda n: "<![CDATA[" * n + f"> {INSIDE}",
    "doctypes": lambda n: "<!DOCTYPE html>" * n + INSIDE,
    "names of document types": lambda n: "".join(f"<!DOCTYPE x{i}>y" for i in range(n)) + INSIDE,
    "end tag openings": lambda n: "</" * n + f"> {INSIDE}",
    "empty scripts": lambda n: "<script></script>" * n + INSIDE,
    "svg breakouts": lambda n: "<svg><g><path d='M0'/><p>x</p>" * n + INSIDE,
    "svg self-closed": lambda n: "<svg>" + "<path d='M0'/>" * n + f"</svg>{INSIDE}",
    "svg cells": lambda n: "<svg>" + "<td>" * n + f"{INSIDE}",
    "paragraphs in deep divs": lambda n: "<div>" * (n // 2) + "<p>x" * (n // 2) + INSIDE,
    "items in deep spans": lambda n: "<li>" + "<span>" * (n // 2) + "<li>x" * (n // 2) + INSIDE,
    "headings in headings": lambda n: "<h1><h2>x" * n + INSIDE,
    "forms in tables": lambda n: "<table><form><tr>" * n + INSIDE,
    "templates in a row": lambda n: "<template><p>x</template>" * n + INSIDE,
    "meta tags": lambda n: "".join(f"<meta name='og:x{i}' content='{i}'>" for i in range(n)) + INSIDE,
    "microdata": lambda n: "<span itemprop=name itemscope itemtype=x>x</span>" * n + INSIDE,
    "figures without end": lambda n: "<figure><img src=/x.jpg><figcaption>x" * n + INSIDE,
    "combining marks": lambda n: f"<p>a{chr(0x301) * n} {INSIDE}</p>",
    "noscript images": lambda n: (
        "".join(f"<img data-src=/{i}.jpg><noscript><img src=/{i}.jpg></noscript>" for i in range(n)) + INSIDE
    ),
}
# these end in the middle of what is hostile
_ENDS: dict[str, Make] = {
    "comment openings": lambda n: f"<p>{INSIDE}</p>" + "<!--" * n,
    "cdata openings in svg": lambda n: f"<p>{INSIDE}</p><svg>" + "<![CDATA[" * n,
    "start tag openings": lambda n: f"<p>{INSIDE}</p>" + "<a " * n,
    "quote openings": lambda n: f"<p>{INSIDE}</p>" + "<a b='\" " * n,
    "unclosed script": lambda n: f"<p>{INSIDE}</p><script>" + "x = '</div>'; " * n,
    "script openings in a script comment": lambda n: f"<p>{INSIDE}</p><script><!--" + "<script>" * n,
    "unclosed title": lambda n: f"<p>{INSIDE}</p><title>" + "word " * n,
}
PAGES |= {name: lambda n, make=make: HEAD + make(n) + TAIL for name, make in _MIDDLES.items()}  # type: ignore[misc]
PAGES |= {name: lambda n, make=make: HEAD + make(n) for name, make in _ENDS.items()}  # type: ignore[misc]
