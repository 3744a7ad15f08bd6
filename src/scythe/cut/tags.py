"""What tag names do to the tree, as in src/cut/tags.h: a test holds that both say the same."""

from __future__ import annotations


def _names(words: str) -> frozenset[bytes]:
    return frozenset(words.encode().split())


VOID = _names(  # no content
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr"
)
RAW = _names("iframe noembed noframes script style textarea title xmp")  # content is text up to the closing tag
RCDATA = _names("textarea title")  # ... with character references
SPECIAL = _names(  # stops the search of other end tags
    "address applet area article aside base basefont bgsound blockquote body br button caption center col "
    "colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 "
    "h3 h4 h5 h6 head header hgroup hr html iframe image img input keygen li link listing main marquee "
    "menu meta nav noembed noframes noscript object ol p param plaintext pre script search section select "
    "source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp"
)
CLOSES_P = _names(  # its opening tag ends an open p
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search "
    "section summary table ul xmp"
)
SCOPE = _names("applet caption html marquee object table td template th")  # barrier of the scope of other elements
LIST = _names("ol ul")  # barrier of the scope of li
FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")  # may be built again further on
HEADING = _names("h1 h2 h3 h4 h5 h6")
TABLE_PART = _names("caption col colgroup tbody td tfoot th thead tr")
SECTION = _names("tbody tfoot thead")
CELL = _names("td th")
FRAME = _names("body frame frameset head html")  # never inside an element that is cut
OPAQUE = _names("math noscript select svg template")  # elements inside are not followed
BREAKS_OUT = _names(  # ends foreign content
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var"
)
HEADLIKE = _names("script style template")  # allowed between the cells of a table
KNOWN = _names(  # all others are ordinary inline elements
    "a address amp-img annotation annotation-xml applet area article aside audio b base basefont bgsound "
    "big blockquote body br button canvas caption center code col colgroup datalist dd desc details "
    "dialog dir div dl dt em embed fieldset figcaption figure font footer foreignobject form frame "
    "frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input keygen legend li link "
    "listing main map marquee math menu meta meter mi mn mo ms mtext nav nobr noembed noframes noscript "
    "object ol optgroup option p param plaintext pre progress rb rp rt rtc ruby s script search section "
    "select slot small source span strike strong style sub summary sup svg table tbody td template "
    "textarea tfoot th thead title tr track tt u ul var video wbr xmp"
)
