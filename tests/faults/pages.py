"""Hostile pages by name: each function takes a size and returns a page whose cost a careless reader pays twice over.

`PAGES[name](n)` has about n repetitions of what makes the page hostile. `NEEDLES` are words that every page carries
before, inside or after the hostile part and that must survive (or be counted as lost).
"""

from __future__ import annotations

from collections.abc import Callable

BEFORE, INSIDE, AFTER = "firstword", "innerword", "lastword"
HEAD = f"<!DOCTYPE html><html lang=en><head><title>Hostile</title></head><body><p>{BEFORE} stands before.</p>\n"
TAIL = f"\n<p>{AFTER} stands after.</p></body></html>"

Make = Callable[[int], str]
PAGES: dict[str, Make] = {}


def page(name: str, *, tail: str = TAIL) -> Callable[[Make], Make]:
    """Register a generator of the hostile middle of a page."""

    def register(make: Make) -> Make:
        PAGES[name] = lambda n: HEAD + make(n) + tail
        return make

    return register


def _nest(name: str, open_tag: str, close_tag: str) -> None:
    PAGES[f"nested {name}"] = lambda n: f"{HEAD}{open_tag * n}{INSIDE}{close_tag * n}{TAIL}"
    PAGES[f"unclosed {name}"] = lambda n: f"{HEAD}{open_tag * n}{INSIDE}{TAIL}"


for _tag in (
    "div span b i a p font em blockquote ul ol dl table td tr center form button object applet marquee svg math "
    "template select option optgroup h1 section article label nobr ruby rt noscript details dd li fieldset x-y "
    "pre iframe textarea title style script xmp frameset noframes body html head caption colgroup tbody address "
    "map canvas video audio foreignObject desc mi mtext annotation-xml selectedcontent image input br img menu "
    "search plaintext"
).split():
    _nest(_tag, f"<{_tag}>", f"</{_tag}>")
_nest("table row cell", "<table><tr><td>", "</td></tr></table>")
_nest("list item", "<ul><li>", "</li></ul>")
_nest("definition", "<dl><dd>", "</dd></dl>")
_nest("svg foreignObject", "<svg><foreignObject>", "</foreignObject></svg>")
_nest("svg desc div", "<svg><desc><div>", "</div></desc></svg>")
_nest("math annotation", "<math><annotation-xml encoding='text/html'>", "</annotation-xml></math>")
_nest("math mi div", "<math><mi><div>", "</div></mi></math>")
_nest("template row", "<template><tr>", "</tr></template>")
_nest("template div", "<template><div>", "</div></template>")
_nest("button p", "<button><p>", "</p></button>")
_nest("object p", "<object><p>", "</p></object>")
_nest("bold div", "<b><div>", "</div></b>")
_nest("link div", "<a href=x><div>", "</div></a>")
_nest("link table", "<a href=x><table><td>", "</td></table></a>")
_nest("form table", "<form><table>", "</table></form>")
_nest("select option", "<select><option>", "</option></select>")
_nest("svg in td", "<table><td><svg>", "</svg></td></table>")


@page("formatting with attributes before paragraphs")
def _(n: int) -> str:
    return "".join(f"<p><b id=b{i}>{i}</p>" for i in range(n)) + INSIDE


@page("fonts of distinct size in paragraphs")
def _(n: int) -> str:
    return "".join(f"<p><font size={i}>x" for i in range(n)) + INSIDE


@page("distinct fonts then paragraphs")
def _(n: int) -> str:
    return "<p>" + "".join(f"<font size={i}>" for i in range(n)) + "</p>" + "<p>x</p>" * n + INSIDE


@page("distinct fonts then text in cells")
def _(n: int) -> str:
    return "<p>" + "".join(f"<font size={i}>" for i in range(n)) + "</p><table>" + "<tr><td>x" * n + "</table>" + INSIDE


@page("links without end in paragraphs")
def _(n: int) -> str:
    return "".join(f"<p><a href=/{i}>x" for i in range(n)) + INSIDE


@page("misnested span and div")
def _(n: int) -> str:
    return "<span><div></span></div>" * n + INSIDE


@page("misnested bold and div")
def _(n: int) -> str:
    return "<b><div></b></div>" * n + INSIDE


@page("bold closed over nine divs")
def _(n: int) -> str:
    return "".join(f"<b id=b{i}>" + "<div>" * 9 + "</b>" + "</div>" * 9 for i in range(n // 9 + 1)) + INSIDE


@page("bold divs then bold ends")
def _(n: int) -> str:
    return "<b><div>" * n + INSIDE + "</b>" * n


@page("bold then div ends")
def _(n: int) -> str:
    return "<b>" * n + INSIDE + "</div>" * n


@page("ends without start")
def _(n: int) -> str:
    return "</x></b></div>" * n + INSIDE


@page("paragraph ends without start")
def _(n: int) -> str:
    return "</p>" * n + INSIDE


@page("spans then foreign ends")
def _(n: int) -> str:
    return "<span>" * n + INSIDE + "</q>" * n


@page("divs ended across cells")
def _(n: int) -> str:
    return "<div><table><td></div>" * n + INSIDE


@page("text between rows")
def _(n: int) -> str:
    return "<table>" + "x<tr>" * n + INSIDE + "</table>"


@page("bold between rows")
def _(n: int) -> str:
    return "<table>" + "<b>x<tr>" * n + INSIDE + "</table>"


@page("tables between text")
def _(n: int) -> str:
    return "<table>x" * n + INSIDE


@page("divs between rows")
def _(n: int) -> str:
    return "<table>" + "<div>x</div><tr>" * n + INSIDE + "</table>"


@page("attributes on one tag")
def _(n: int) -> str:
    return "<div " + " ".join(f"a{i}=1" for i in range(n)) + f">{INSIDE}</div>"


@page("attributes without value")
def _(n: int) -> str:
    return "<div " + " ".join(f"a{i}" for i in range(n)) + f">{INSIDE}</div>"


@page("equal attributes")
def _(n: int) -> str:
    return "<div " + "a=1 " * n + f">{INSIDE}</div>"


@page("attributes hiding tags")
def _(n: int) -> str:
    return '<div a="' + "".join(f'> <x a=" b{i}="' for i in range(n)) + f'">{INSIDE}</div>'


@page("attributes with angle brackets in names")
def _(n: int) -> str:
    return "<div " + " ".join(f"<b{i}" for i in range(n)) + f">{INSIDE}</div>"


@page("attributes glued by quotes")
def _(n: int) -> str:
    return "<div " + "".join(f"a{i}='1'" for i in range(n)) + f">{INSIDE}</div>"


@page("attributes divided by slashes")
def _(n: int) -> str:
    return "<div/" + "/".join(f"a{i}" for i in range(n)) + f">{INSIDE}</div>"


@page("attributes on an end tag")
def _(n: int) -> str:
    return f"<div>{INSIDE}</div " + " ".join(f"a{i}=1" for i in range(n)) + ">"


@page("attributes on many html tags")
def _(n: int) -> str:
    return "".join(f"<html a{i}=1>" for i in range(n)) + INSIDE


@page("attributes on many body tags")
def _(n: int) -> str:
    return "".join(f"<body a{i}=1>" for i in range(n)) + INSIDE


@page("many tags with many attributes")
def _(n: int) -> str:
    attributes = " ".join(f"a{i}=1" for i in range(1000))
    return f"<p {attributes}>{INSIDE}</p>" * (n // 1000 + 1)


@page("long attribute")
def _(n: int) -> str:
    return f"<div title='{'x' * (10 * n)}'>{INSIDE}</div>"


@page("class tokens")
def _(n: int) -> str:
    return "<div class='" + " ".join(f"c{i}" for i in range(n)) + f"'>{INSIDE}</div>"


@page("one-letter paragraphs")
def _(n: int) -> str:
    return "<p>x</p>" * n + INSIDE


@page("paragraphs")
def _(n: int) -> str:
    return "<p>A plain sentence, and one more of the kind that people write.</p>\n" * n + INSIDE


@page("links")
def _(n: int) -> str:
    return "".join(f"<a href='/{i}'>link {i}</a> " for i in range(n)) + INSIDE


@page("line breaks")
def _(n: int) -> str:
    return "<p>" + "x<br>" * n + INSIDE


@page("options")
def _(n: int) -> str:
    return "<select>" + "<option>x</option>" * n + f"</select>{INSIDE}"


@page("options mirrored")
def _(n: int) -> str:
    return "<select><selectedcontent></selectedcontent>" + "<option selected>x</option>" * n + f"</select>{INSIDE}"


@page("selects mirrored")
def _(n: int) -> str:
    one = "<select><button><selectedcontent></selectedcontent></button><option>x</option></select>"
    return one * n + INSIDE


@page("images")
def _(n: int) -> str:
    return "".join(f"<img src='/{i}.jpg' width=10 srcset='/{i}-2.jpg 2x'>" for i in range(n)) + INSIDE


@page("lists")
def _(n: int) -> str:
    return "<ul><li>x</ul>" * n + INSIDE


@page("cells")
def _(n: int) -> str:
    return "<table>" + "<tr><td>x" * n + f"</table>{INSIDE}"


@page("text node")
def _(n: int) -> str:
    return f"<p>{'word ' * n}{INSIDE}</p>"


@page("long word")
def _(n: int) -> str:
    return f"<p>{'x' * n} {INSIDE}</p>"


@page("spaces")
def _(n: int) -> str:
    return f"<p>{' ' * n}{INSIDE}{chr(160) * n}</p>"


@page("less-than signs")
def _(n: int) -> str:
    return "<" * n + f" {INSIDE}"


@page("ampersands")
def _(n: int) -> str:
    return "&" * n + f" {INSIDE}"


@page("unknown entity")
def _(n: int) -> str:
    return "&" + "a" * n + f"; {INSIDE}"


@page("entities")
def _(n: int) -> str:
    return "&amp;&#x110000;&notit;&CounterClockwiseContourIntegral" * n + f"; {INSIDE}"


@page("comment openings", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p>" + "<!--" * n


@page("comments")
def _(n: int) -> str:
    return "<!--x-->" * n + INSIDE


@page("bogus comments")
def _(n: int) -> str:
    return "<!x><?y></ z>" * n + INSIDE


@page("cdata openings")
def _(n: int) -> str:
    return "<![CDATA[" * n + f"> {INSIDE}"


@page("cdata openings in svg", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p><svg>" + "<![CDATA[" * n


@page("doctypes")
def _(n: int) -> str:
    return "<!DOCTYPE html>" * n + INSIDE


@page("end tag openings")
def _(n: int) -> str:
    return "</" * n + f"> {INSIDE}"


@page("start tag openings", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p>" + "<a " * n


@page("quote openings", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p>" + "<a b='\" " * n


@page("unclosed script", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p><script>" + "x = '</div>'; " * n


@page("script openings in a script comment", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p><script><!--" + "<script>" * n


@page("unclosed title", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p><title>" + "word " * n


@page("empty scripts")
def _(n: int) -> str:
    return "<script></script>" * n + INSIDE


@page("svg breakouts")
def _(n: int) -> str:
    return "<svg><g><path d='M0'/><p>x</p>" * n + INSIDE


@page("svg self-closed")
def _(n: int) -> str:
    return "<svg>" + "<path d='M0'/>" * n + f"</svg>{INSIDE}"


@page("svg cells")
def _(n: int) -> str:
    return "<svg>" + "<td>" * n + f"{INSIDE}"


@page("paragraphs in deep divs")
def _(n: int) -> str:
    return "<div>" * (n // 2) + "<p>x" * (n // 2) + INSIDE


@page("items in deep spans")
def _(n: int) -> str:
    return "<li>" + "<span>" * (n // 2) + "<li>x" * (n // 2) + INSIDE


@page("headings in headings")
def _(n: int) -> str:
    return "<h1><h2>x" * n + INSIDE


@page("forms in tables")
def _(n: int) -> str:
    return "<table><form><tr>" * n + INSIDE


@page("templates in a row")
def _(n: int) -> str:
    return "<template><p>x</template>" * n + INSIDE


@page("meta tags")
def _(n: int) -> str:
    return "".join(f"<meta name='og:x{i}' content='{i}'>" for i in range(n)) + INSIDE


@page("microdata")
def _(n: int) -> str:
    return "<span itemprop=name itemscope itemtype=x>x</span>" * n + INSIDE


@page("figures without end")
def _(n: int) -> str:
    return "<figure><img src=/x.jpg><figcaption>x" * n + INSIDE


@page("combining marks")
def _(n: int) -> str:
    return f"<p>a{chr(0x301) * n} {INSIDE}</p>"


@page("noscript images")
def _(n: int) -> str:
    return "".join(f"<img data-src=/{i}.jpg><noscript><img src=/{i}.jpg></noscript>" for i in range(n)) + INSIDE
