"""Pictures and the style sheet of the demo site, so that people can look at it too."""

from __future__ import annotations

from random import Random

_CSS = """
:root{color-scheme:light dark}
body{font:16px/1.55 Georgia,serif;margin:0;color:CanvasText;background:Canvas}
.top{display:flex;flex-wrap:wrap;gap:1rem;align-items:center;padding:.8rem 4vw;border-bottom:3px double}
.top nav{flex-basis:100%}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:1rem;margin:0;padding:0;font-family:sans-serif;font-size:.9rem}
nav .submenu{display:none}
.page{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,1fr);gap:2rem;padding:1rem 4vw;max-width:76rem}
.page.barn{grid-template-columns:minmax(0,1fr) minmax(0,3fr)}
img{max-width:100%;height:auto}
figure{margin:1rem 0}figcaption{font-size:.85rem;opacity:.75}
.teaser,.card,.td-item{border-bottom:1px solid;padding:.8rem 0;list-style:none;overflow:hidden}
.teaser img,.card img,.td-item img{float:left;margin:0 1rem .5rem 0}
.price{font-weight:bold}.pagination{font-family:sans-serif;padding:1rem 0}
#cookie-consent{font-size:.8rem;padding:.5rem 4vw;background:#8883}
footer{padding:1rem 4vw;border-top:3px double;font-size:.85rem}
footer ul{display:flex;flex-wrap:wrap;gap:1rem;list-style:none;padding:0}
table{border-collapse:collapse}td,th{border:1px solid;padding:.2rem .6rem}
@media(max-width:50rem){.page,.page.barn{display:block}}
"""
_LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 180 40"><text x="0" y="30" font-family="Georgia" '
    'font-size="26" fill="#8a5a2b">The Field Post</text></svg>'
)


def stylesheet() -> bytes:
    """Return the style sheet."""
    return _CSS.encode()


def draw(path: str) -> bytes:
    """Draw the picture at a path: hills under a sky, always the same ones."""
    if not path.startswith("/img/"):
        return _LOGO.encode()
    random = Random(path.rpartition("-")[0] or path)
    sky, sun = random.randrange(180, 230), random.randrange(80, 560)
    hills = []
    for layer in range(3):
        heights = [200 + layer * 50 + random.randrange(-40, 40) for _ in range(6)]
        line = " ".join(f"L{x * 128} {y}" for x, y in enumerate(heights))
        colour = f"hsl({random.randrange(60, 120)} {45 - layer * 5}% {62 - layer * 14}%)"
        hills.append(f'<path d="M0 360 {line} L640 360 Z" fill="{colour}"/>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" width="640" height="360">'
        f'<rect width="640" height="360" fill="hsl({sky} 60% 85%)"/><circle cx="{sun}" cy="80" r="36" fill="#f6d36b"/>'
        + "".join(hills)
        + "</svg>"
    ).encode()


def write_pdf() -> bytes:
    """Write a PDF of one empty page."""
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
    )
    body, places = b"%PDF-1.4\n", []
    for number, inside in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, inside)
    lines = b"".join(b"%010d 00000 n \n" % place for place in places)
    table = b"xref\n0 4\n0000000000 65535 f \n" + lines
    return body + table + b"trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(body)
