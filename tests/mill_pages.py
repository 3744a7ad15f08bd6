"""Pages of one invented site whose relevant images can only be told by someone who knows the site."""

BASE = "https://mill.example"
_WORDS = "The miller went down to the river at dawn and looked at the wheel, which had stood still since the flood. "


def address(number: int) -> str:
    return f"{BASE}/tales/{number}.html"


def tale(number: int) -> str:
    """A page with a logo, a drawing and an ornament inside its text, and two small pictures of other pages."""
    paragraphs = "".join(f"<p>In the year {number} {_WORDS * 3}{number * part}.</p>" for part in range(1, 5))
    return f"""<!doctype html><html><head><title>Tale {number} of the mill</title></head><body>
<header><img class="logo" src="/logo.png" width="120" height="40"></header>
<article><h1>Tale {number} of the mill</h1>{paragraphs}
<div class="drawing"><img class="plate" src="/plates/{number}.jpg" width="640" height="480" alt="Plate {number}"></div>
<div class="ornament"><img class="rule" src="/rules/{number}.jpg" width="640" height="480" alt=""></div>
<p>And so ends tale {number}. {_WORDS}</p></article>
<aside><a href="/tales/{number + 1}.html"><img class="next" src="/next/{number + 1}.jpg" width="90" height="60"></a>
<a href="/tales/{number + 2}.html"><img class="next" src="/next/{number + 2}.jpg" width="90" height="60"></a></aside>
<footer>All rights reserved by the miller.</footer></body></html>"""


def pages(first: int = 1, last: int = 6) -> list[tuple[str, bytes]]:
    return [(address(number), tale(number).encode()) for number in range(first, last + 1)]
