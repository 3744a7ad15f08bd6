"""Make pages in which every mistake of HTML occurs."""

from random import Random

BLOCKS = "div div div section article ul ol li li p p p h1 h2 h3 blockquote dl dt dd pre form fieldset main nav".split()
INLINES = "span span a a b i em strong font small code label time my-el abbr u nobr s".split()
RARE = (
    "table table tr td th tbody thead caption col colgroup select option optgroup svg math title button object ruby rt "
    "rp canvas video map dialog legend details summary template noscript address center marquee applet figure divider "
    "bdi p2 html body head frameset search iframe textarea xmp noembed noframes mi mtext annotation foreignObject desc "
    "datalist listing slot menu hgroup image"
).split()
VOIDS = "br br img hr input meta link wbr area embed source param".split()
WORDS = (
    *"alpha beta gamma Price: By x1 &amp; &lt;b&gt; &nbsp; &copy &copy; &notit; &#65; &#x41 &#128; < <3 a&b >".split(),
    "12$",
    "\u00e9\u4e2d",
    "\u00a0",
)
ATTRIBUTES = (
    ' class="a"', ' class="ab c"', " class=a", " id='m'", ' title="x > y"', ' title="<b>t</b>"', " data-x=1", " hidden",
    ' CLASS="a"', ' class="a" class="b"', " a=b/", ' href="?a=1&copy=2&amp;b"', ' alt="&eacute;&lt"', " =x", ' x"y',
    "/", ' t="<!-- "', " t='<script>'", ' content="v&quot;w"', "\n\tid=q\n", ' e=""', " e=", ' u="\u00e9"',
)  # fmt: skip
ODD = (
    "<!-- c -->", "<!-- <p>no</p> -->", "<!-->", "<!--->", "<!-- a --!>", "<![CDATA[ x <b> ]]>", "<?php x ?>", "<!x>",
    "</>", "</ x>", "</br>", "</p>", "</div>", "</b>", "</span>", "</a>", "</li>", "</td>", "</table>", "</h2>",
    "</ul>", "</form>", "</svg>", "</select>", "</template>", "</noscript>", "</body>", "</html>", "</my-el>",
    "<script>if (a<b) '<p>'</script>", "<style>p > a {}</style>", "<script><!-- <script> </script> --></script>",
    "<script><!--\n//--></script>", "<textarea><p>&amp;</textarea>", "<title>t&amp;<b></title>",
    "<svg><title>q</title><path d='1'/></svg>", "<svg><g><p>x</svg>", "<select><option>1<option>2</select>",
    "<select><div>1</div></select>", "<template><tr><td>x</template>", "<noscript><img src=a></noscript>",
    "<noscript><p>n</p></noscript>", "<noscript><p>n</noscript>", "<iframe><p></iframe>", "<xmp><b></xmp>",
    "<table><tr><td>1<td>2<tr><td>3</table>", "<table>x<tr><td>y</td></tr></table>",
    "<table><form><tr><td>f</form></table>",
    "<math><mi>x</mi><annotation>z</annotation></math>", "<ul><li>1<li>2</ul>", "<p>1<p>2", "<dl><dt>k<dd>v</dl>",
    "<b><p>1</b>2</p>", "<a>1<a>2</a>", "<button>1</button>", "<p><b>1</p>2</b>", "<div><b>1</div>2",
    "<template><p>a<svg><g><path/></g></svg></p></template>", "<template><svg><title>t</title></svg><li>x</template>",
    "<template><svg><p>x</svg></template>", "<template><svg><g></template>", "<template><svg/><td>x</template>",
    "<template><table><svg><a>1</a></svg></table></template>", "<template><svg></g></title></svg></template>",
    "<ruby>a<rt>b</rt></ruby>", "<object><p>o</p></object>", "<h1>1<h2>2</h1>", "<br/>", "<div/>", "<p/>", "<svg/>",
)  # fmt: skip


def make_filler(random: Random, pieces: int) -> str:
    """Return the start of a page in good order, longer than the window that a place is judged by."""
    words = (" ".join(random.choices(WORDS[:3], k=8)) for _ in range(pieces))
    rows = (f"<div class=f><p>{text} <a href=/{i}>more</a></p><br></div>\n" for i, text in enumerate(words))
    return "<!DOCTYPE html><html><head><title>F</title></head><body>" + "".join(rows)


def make_page(random: Random, size: int, *, faults: float) -> bytes:
    """Return a page of about `size` pieces; `faults` is the share of them that are out of order."""
    parts: list[str] = []
    open_names: list[str] = []
    if random.random() < 0.5:
        parts.append("<!DOCTYPE html>")
    if random.random() < 0.5:
        parts.append("<html><head><title>T</title><meta name=a content='b'></head><body>")
    for _ in range(size):
        _add_piece(random, parts, open_names, faults)
    if random.random() > faults:
        while open_names:
            parts.append(f"</{open_names.pop()}>")
    page = "".join(parts).encode()
    roll = random.random()
    if roll < 0.03 * faults:
        page = page[: random.randrange(len(page) + 1)]
    elif roll < 0.05 * faults:
        at = random.randrange(len(page) + 1)
        page = page[:at] + random.choice([b"\x00", b"\xff", b"\xe2\x82", b"\x1b", b'"', b"'", b"<", b">"]) + page[at:]
    return page


def _add_piece(random: Random, parts: list[str], open_names: list[str], faults: float) -> None:
    roll = random.random()
    if roll < 0.3:
        parts.append(" ".join(random.choices(WORDS, k=random.randint(1, 3))) + random.choice(["", " ", "\n"]))
    elif roll < 0.55:
        rare = random.random() < 0.15 + faults / 3
        name = random.choice(RARE if rare else BLOCKS if random.random() < 0.6 else INLINES)
        parts.append(opening(random, name))
        open_names.append(name)
    elif roll < 0.62:
        parts.append(opening(random, random.choice(VOIDS)))
    elif roll < 0.92:
        if open_names and random.random() > faults * 0.3:
            name = open_names.pop()
            parts.append(f"</{name}>" if random.random() < 0.95 else f"</{name.upper()} >")
        elif open_names and random.random() < 0.5:
            open_names.pop(random.randrange(len(open_names)))
    elif random.random() < faults:
        parts.append(random.choice(ODD))


def opening(random: Random, name: str) -> str:
    """Return an opening tag, seldom in upper case or with odd attributes."""
    count = random.choice([0, 0, 0, 1, 1, 2])
    if random.random() < 0.05:
        name = name.upper()
    attributes = "".join(random.choices(ATTRIBUTES, k=count))
    return f"<{name}{attributes}{random.choice(['>'] * 5 + [' >', '/>'])}"
