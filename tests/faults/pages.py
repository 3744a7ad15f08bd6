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
SAYS: dict[str, str] = {}  # what is hostile about each, in one sentence


def page(name: str, says: str, *, tail: str = TAIL) -> Callable[[Make], Make]:
    """Register a generator of the hostile middle of a page."""

    def register(make: Make) -> Make:
        SAYS[name] = says
        PAGES[name] = lambda n: HEAD + make(n) + tail
        return make

    return register


def _nest(name: str, open_tag: str, close_tag: str) -> None:
    PAGES[f"nested {name}"] = lambda n: f"{HEAD}{open_tag * n}{INSIDE}{close_tag * n}{TAIL}"
    PAGES[f"unclosed {name}"] = lambda n: f"{HEAD}{open_tag * n}{INSIDE}{TAIL}"
    SAYS[f"nested {name}"] = f"{open_tag} is opened inside of itself again and again, and closed as often."
    SAYS[f"unclosed {name}"] = f"{open_tag} is opened again and again and never closed."


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


@page(
    "formatting with attributes before paragraphs",
    "Bold elements of distinct ids are left open, one in each paragraph.",
)
def _(n: int) -> str:
    return "".join(f"<p><b id=b{i}>{i}</p>" for i in range(n)) + INSIDE


@page(
    "fonts of distinct size in paragraphs",
    "Fonts of distinct size are left open, and each paragraph opens all of them again.",
)
def _(n: int) -> str:
    return "".join(f"<p><font size={i}>x" for i in range(n)) + INSIDE


@page(
    "distinct fonts then paragraphs",
    "Fonts of distinct size are left open before as many paragraphs, which square in a tree.",
)
def _(n: int) -> str:
    return "<p>" + "".join(f"<font size={i}>" for i in range(n)) + "</p>" + "<p>x</p>" * n + INSIDE


@page("distinct fonts then text in cells", "Fonts of distinct size are left open before as many cells of a table.")
def _(n: int) -> str:
    return "<p>" + "".join(f"<font size={i}>" for i in range(n)) + "</p><table>" + "<tr><td>x" * n + "</table>" + INSIDE


@page("links without end in paragraphs", "Links of distinct addresses are left open, one in each paragraph.")
def _(n: int) -> str:
    return "".join(f"<p><a href=/{i}>x" for i in range(n)) + INSIDE


@page("misnested span and div", "Spans are closed inside the boxes that they hold.")
def _(n: int) -> str:
    return "<span><div></span></div>" * n + INSIDE


@page(
    "misnested bold and div",
    "Bold elements are closed inside the boxes that they hold, which parsers repair by copying.",
)
def _(n: int) -> str:
    return "<b><div></b></div>" * n + INSIDE


@page(
    "bold closed over nine divs",
    "Bold elements are closed over nine boxes, one more than the repair of the standard takes.",
)
def _(n: int) -> str:
    return "".join(f"<b id=b{i}>" + "<div>" * 9 + "</b>" + "</div>" * 9 for i in range(n // 9 + 1)) + INSIDE


@page("bold divs then bold ends", "Bold boxes inside each other are followed by as many ends of bold.")
def _(n: int) -> str:
    return "<b><div>" * n + INSIDE + "</b>" * n


@page("bold then div ends", "Bold elements are followed by ends of boxes that were never opened.")
def _(n: int) -> str:
    return "<b>" * n + INSIDE + "</div>" * n


@page("ends without start", "There are only ends of elements, none of which was opened.")
def _(n: int) -> str:
    return "</x></b></div>" * n + INSIDE


@page("ends of ever new names", "There are only ends of elements, each of a name that no other has.")
def _(n: int) -> str:
    return "".join(f"</x{i}>y" for i in range(n)) + INSIDE


@page("paragraph ends without start", "Ends of paragraphs stand alone, each of which makes an empty paragraph.")
def _(n: int) -> str:
    return "</p>" * n + INSIDE


@page(
    "spans then foreign ends",
    "Open spans are followed by ends of another element, for each of which all spans are searched.",
)
def _(n: int) -> str:
    return "<span>" * n + INSIDE + "</q>" * n


@page("divs ended across cells", "Boxes are closed from inside the cells that they hold.")
def _(n: int) -> str:
    return "<div><table><td></div>" * n + INSIDE


@page("text between rows", "Text stands between rows of a table, from where parsers move it in front of the table.")
def _(n: int) -> str:
    return "<table>" + "x<tr>" * n + INSIDE + "</table>"


@page("bold between rows", "Open bold elements stand between rows of a table.")
def _(n: int) -> str:
    return "<table>" + "<b>x<tr>" * n + INSIDE + "</table>"


@page("tables between text", "Each table is opened inside the one before, with text between them.")
def _(n: int) -> str:
    return "<table>x" * n + INSIDE


@page("divs between rows", "Boxes stand between rows of a table.")
def _(n: int) -> str:
    return "<table>" + "<div>x</div><tr>" * n + INSIDE + "</table>"


@page("attributes on one tag", "One tag has attributes without number, which tree builders compare each with each.")
def _(n: int) -> str:
    return "<div " + " ".join(f"a{i}=1" for i in range(n)) + f">{INSIDE}</div>"


@page("attributes without value", "One tag has attributes without number and without values.")
def _(n: int) -> str:
    return "<div " + " ".join(f"a{i}" for i in range(n)) + f">{INSIDE}</div>"


@page("equal attributes", "One tag has the same attribute again and again.")
def _(n: int) -> str:
    return "<div " + "a=1 " * n + f">{INSIDE}</div>"


@page("attributes hiding tags", "One tag holds what looks like tags in its quoted values.")
def _(n: int) -> str:
    return '<div a="' + "".join(f'> <x a=" b{i}="' for i in range(n)) + f'">{INSIDE}</div>'


@page("attributes with angle brackets in names", "One tag has attributes whose names begin with an angle bracket.")
def _(n: int) -> str:
    return "<div " + " ".join(f"<b{i}" for i in range(n)) + f">{INSIDE}</div>"


@page("attributes glued by quotes", "One tag has quoted attributes without a space between them.")
def _(n: int) -> str:
    return "<div " + "".join(f"a{i}='1'" for i in range(n)) + f">{INSIDE}</div>"


@page("attributes divided by slashes", "One tag has attributes that slashes divide.")
def _(n: int) -> str:
    return "<div/" + "/".join(f"a{i}" for i in range(n)) + f">{INSIDE}</div>"


@page("attributes on an end tag", "An end tag has attributes without number.")
def _(n: int) -> str:
    return f"<div>{INSIDE}</div " + " ".join(f"a{i}=1" for i in range(n)) + ">"


@page("attributes on many html tags", "Ever new html tags add attributes to the first one.")
def _(n: int) -> str:
    return "".join(f"<html a{i}=1>" for i in range(n)) + INSIDE


@page("attributes on many body tags", "Ever new body tags add attributes to the first one.")
def _(n: int) -> str:
    return "".join(f"<body a{i}=1>" for i in range(n)) + INSIDE


@page("many tags with many attributes", "Many tags have a thousand attributes each.")
def _(n: int) -> str:
    attributes = " ".join(f"a{i}=1" for i in range(1000))
    return f"<p {attributes}>{INSIDE}</p>" * (n // 1000 + 1)


@page("names of attributes", "Each tag has attributes of names that no other has, which tree builders keep in lists.")
def _(n: int) -> str:
    return "".join(f"<p a{i} data-{i}=x>y" for i in range(n)) + INSIDE


@page("names of attributes on end tags", "End tags have attributes of ever new names.")
def _(n: int) -> str:
    return "".join(f"</i a{i}=x>y" for i in range(n)) + INSIDE


@page("long attribute", "One attribute is as long as the page.")
def _(n: int) -> str:
    return f"<div title='{'x' * (10 * n)}'>{INSIDE}</div>"


@page("class tokens", "One element has classes without number.")
def _(n: int) -> str:
    return "<div class='" + " ".join(f"c{i}" for i in range(n)) + f"'>{INSIDE}</div>"


@page("one-letter paragraphs", "Paragraphs of one letter each come without number.")
def _(n: int) -> str:
    return "<p>x</p>" * n + INSIDE


@page("paragraphs", "Plain paragraphs come without number.")
def _(n: int) -> str:
    return "<p>A plain sentence, and one more of the kind that people write.</p>\n" * n + INSIDE


@page("links", "Links come without number.")
def _(n: int) -> str:
    return "".join(f"<a href='/{i}'>link {i}</a> " for i in range(n)) + INSIDE


@page("line breaks", "One paragraph has line breaks without number.")
def _(n: int) -> str:
    return "<p>" + "x<br>" * n + INSIDE


@page("options", "One choice has options without number.")
def _(n: int) -> str:
    return "<select>" + "<option>x</option>" * n + f"</select>{INSIDE}"


@page("options mirrored", "One choice mirrors each of its selected options.")
def _(n: int) -> str:
    return "<select><selectedcontent></selectedcontent>" + "<option selected>x</option>" * n + f"</select>{INSIDE}"


@page("selects mirrored", "Choices come without number, each of which mirrors its option.")
def _(n: int) -> str:
    one = "<select><button><selectedcontent></selectedcontent></button><option>x</option></select>"
    return one * n + INSIDE


@page("images", "Images with sizes and variants come without number.")
def _(n: int) -> str:
    return "".join(f"<img src='/{i}.jpg' width=10 srcset='/{i}-2.jpg 2x'>" for i in range(n)) + INSIDE


@page("lists", "Lists of one item come without number.")
def _(n: int) -> str:
    return "<ul><li>x</ul>" * n + INSIDE


@page("cells", "A table has rows without number.")
def _(n: int) -> str:
    return "<table>" + "<tr><td>x" * n + f"</table>{INSIDE}"


@page("text node", "One text is as long as the page.")
def _(n: int) -> str:
    return f"<p>{'word ' * n}{INSIDE}</p>"


@page("long word", "One word is as long as the page.")
def _(n: int) -> str:
    return f"<p>{'x' * n} {INSIDE}</p>"


@page("spaces", "Spaces come without number, plain ones and such that do not break.")
def _(n: int) -> str:
    return f"<p>{' ' * n}{INSIDE}{chr(160) * n}</p>"


@page("less-than signs", "Only angle brackets that open come, without number.")
def _(n: int) -> str:
    return "<" * n + f" {INSIDE}"


@page("ampersands", "Only ampersands come, without number.")
def _(n: int) -> str:
    return "&" * n + f" {INSIDE}"


@page("unknown entity", "One character reference is as long as the page, and unknown.")
def _(n: int) -> str:
    return "&" + "a" * n + f"; {INSIDE}"


@page("entities", "Character references come without number: good ones, such out of range and such without their end.")
def _(n: int) -> str:
    return "&amp;&#x110000;&notit;&CounterClockwiseContourIntegral" * n + f"; {INSIDE}"


@page("comment openings", "Comments are opened again and again and never closed.", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p>" + "<!--" * n


@page("comments", "Comments come without number.")
def _(n: int) -> str:
    return "<!--x-->" * n + INSIDE


@page("bogus comments", "What parsers take for comments comes without number.")
def _(n: int) -> str:
    return "<!x><?y></ z>" * n + INSIDE


@page("cdata openings", "CDATA sections are opened again and again outside of foreign content.")
def _(n: int) -> str:
    return "<![CDATA[" * n + f"> {INSIDE}"


@page("cdata openings in svg", "CDATA sections are opened again and again in a drawing.", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p><svg>" + "<![CDATA[" * n


@page("doctypes", "Document types come without number.")
def _(n: int) -> str:
    return "<!DOCTYPE html>" * n + INSIDE


@page("names of document types", "Document types of ever new names come without number.")
def _(n: int) -> str:
    return "".join(f"<!DOCTYPE x{i}>y" for i in range(n)) + INSIDE


@page("end tag openings", "End tags are begun again and again.")
def _(n: int) -> str:
    return "</" * n + f"> {INSIDE}"


@page("start tag openings", "Start tags are begun again and again and never ended.", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p>" + "<a " * n


@page("quote openings", "Quotes are opened again and again inside of a tag that never ends.", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p>" + "<a b='\" " * n


@page("unclosed script", "A script is never closed.", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p><script>" + "x = '</div>'; " * n


@page("script openings in a script comment", "Scripts are opened again and again in the comment of a script.", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p><script><!--" + "<script>" * n


@page("unclosed title", "A second title is never closed.", tail="")
def _(n: int) -> str:
    return f"<p>{INSIDE}</p><title>" + "word " * n


@page("empty scripts", "Empty scripts come without number.")
def _(n: int) -> str:
    return "<script></script>" * n + INSIDE


@page("svg breakouts", "Drawings are left by a paragraph again and again.")
def _(n: int) -> str:
    return "<svg><g><path d='M0'/><p>x</p>" * n + INSIDE


@page("svg self-closed", "One drawing has paths without number.")
def _(n: int) -> str:
    return "<svg>" + "<path d='M0'/>" * n + f"</svg>{INSIDE}"


@page("svg cells", "Cells of tables stand inside each other in a drawing.")
def _(n: int) -> str:
    return "<svg>" + "<td>" * n + f"{INSIDE}"


@page("paragraphs in deep divs", "Open paragraphs follow each other below deep boxes.")
def _(n: int) -> str:
    return "<div>" * (n // 2) + "<p>x" * (n // 2) + INSIDE


@page("items in deep spans", "Open items follow each other below deep spans.")
def _(n: int) -> str:
    return "<li>" + "<span>" * (n // 2) + "<li>x" * (n // 2) + INSIDE


@page("headings in headings", "Headings are opened inside each other.")
def _(n: int) -> str:
    return "<h1><h2>x" * n + INSIDE


@page("forms in tables", "Forms and tables are opened inside each other.")
def _(n: int) -> str:
    return "<table><form><tr>" * n + INSIDE


@page("templates in a row", "Templates come without number.")
def _(n: int) -> str:
    return "<template><p>x</template>" * n + INSIDE


@page("meta tags", "Meta tags of distinct names come without number.")
def _(n: int) -> str:
    return "".join(f"<meta name='og:x{i}' content='{i}'>" for i in range(n)) + INSIDE


@page("microdata", "Microdata items without content come without number.")
def _(n: int) -> str:
    return "<span itemprop=name itemscope itemtype=x>x</span>" * n + INSIDE


@page("figures without end", "Figures are opened inside each other and never closed.")
def _(n: int) -> str:
    return "<figure><img src=/x.jpg><figcaption>x" * n + INSIDE


@page("combining marks", "One letter bears marks without number.")
def _(n: int) -> str:
    return f"<p>a{chr(0x301) * n} {INSIDE}</p>"


@page(
    "noscript images",
    "Images that scripts load come without number, each with its double for those without scripts.",
)
def _(n: int) -> str:
    return "".join(f"<img data-src=/{i}.jpg><noscript><img src=/{i}.jpg></noscript>" for i in range(n)) + INSIDE
