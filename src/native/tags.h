/* The tag names that matter to the tree builder or to the text, and what they do there.
 *
 * One row: name, kind in the text (as KIND of scythe.page.blocks), what the tree builder does with it. A name that is
 * not here is an ordinary inline element. A test compares the kinds with the Python table.
 */
#ifndef SCYTHE_CUT_TAGS_H
#define SCYTHE_CUT_TAGS_H

/* kinds in the text, numbered as in scythe.page.blocks */
enum { K_TEXT, K_INLINE, K_BOX, K_SKIP, K_BREAK, K_IMAGE, K_RULE };

/* what the tree builder does */
enum {
    T_VOID = 1,            /* no content */
    T_RAW = 2,             /* content is text up to the closing tag */
    T_RCDATA = 4,          /* ... with character references (T_RAW is set too) */
    T_SPECIAL = 8,         /* stops the search of other end tags */
    T_CLOSES_P = 16,       /* its opening tag ends an open p */
    T_SCOPE = 32,          /* barrier of the scope of other elements */
    T_LIST = 64,           /* barrier of the scope of li */
    T_FORMATTING = 128,    /* may be built again further on */
    T_HEADING = 256,
    T_IMPLIED = 512,       /* its end may be left out */
    T_TABLE_PART = 1024,   /* caption col colgroup tbody td tfoot th thead tr */
    T_SECTION = 2048,      /* tbody thead tfoot */
    T_CELL = 4096,         /* td th */
    T_FRAME = 8192,        /* html head body frameset frame: never inside an element that is cut */
    T_OPAQUE = 16384,      /* elements inside are not followed: noscript template svg math select */
    T_BREAKS_OUT = 32768,  /* ends foreign content */
    T_HEADLIKE = 65536,    /* allowed anywhere, tables too: script style template */
};

#define P_BLOCK (T_SPECIAL | T_CLOSES_P)
/* clang-format off */
#define SCYTHE_TAGS(X) \
    X(A, "a", K_INLINE, T_FORMATTING) X(ADDRESS, "address", K_BOX, P_BLOCK) X(AMP_IMG, "amp-img", K_IMAGE, 0) \
    X(ANNOTATION, "annotation", K_SKIP, 0) X(ANNOTATION_XML, "annotation-xml", K_SKIP, 0) \
    X(APPLET, "applet", K_INLINE, T_SPECIAL | T_SCOPE) X(AREA, "area", K_INLINE, T_VOID | T_SPECIAL) \
    X(ARTICLE, "article", K_BOX, P_BLOCK) X(ASIDE, "aside", K_BOX, P_BLOCK) X(AUDIO, "audio", K_SKIP, 0) \
    X(B, "b", K_INLINE, T_FORMATTING | T_BREAKS_OUT) X(BASE, "base", K_SKIP, T_VOID | T_SPECIAL) \
    X(BASEFONT, "basefont", K_INLINE, T_VOID | T_SPECIAL) X(BGSOUND, "bgsound", K_INLINE, T_VOID | T_SPECIAL) \
    X(BIG, "big", K_INLINE, T_FORMATTING | T_BREAKS_OUT) X(BLOCKQUOTE, "blockquote", K_BOX, P_BLOCK | T_BREAKS_OUT) \
    X(BODY, "body", K_BOX, T_SPECIAL | T_FRAME | T_BREAKS_OUT) \
    X(BR, "br", K_BREAK, T_VOID | T_SPECIAL | T_BREAKS_OUT) X(BUTTON, "button", K_BOX, T_SPECIAL) \
    X(CANVAS, "canvas", K_SKIP, 0) X(CAPTION, "caption", K_BOX, T_SPECIAL | T_SCOPE | T_TABLE_PART) \
    X(CENTER, "center", K_BOX, P_BLOCK | T_BREAKS_OUT) X(CODE, "code", K_INLINE, T_FORMATTING | T_BREAKS_OUT) \
    X(COL, "col", K_INLINE, T_VOID | T_SPECIAL | T_TABLE_PART) \
    X(COLGROUP, "colgroup", K_BOX, T_SPECIAL | T_TABLE_PART) X(DATALIST, "datalist", K_SKIP, 0) \
    X(DD, "dd", K_BOX, P_BLOCK | T_IMPLIED | T_BREAKS_OUT) X(DESC, "desc", K_INLINE, 0) \
    X(DETAILS, "details", K_BOX, P_BLOCK) X(DIALOG, "dialog", K_BOX, T_CLOSES_P) \
    X(DIR, "dir", K_BOX, P_BLOCK) X(DIV, "div", K_BOX, P_BLOCK | T_BREAKS_OUT) \
    X(DL, "dl", K_BOX, P_BLOCK | T_BREAKS_OUT) X(DT, "dt", K_BOX, P_BLOCK | T_IMPLIED | T_BREAKS_OUT) \
    X(EM, "em", K_INLINE, T_FORMATTING | T_BREAKS_OUT) X(EMBED, "embed", K_SKIP, T_VOID | T_SPECIAL | T_BREAKS_OUT) \
    X(FIELDSET, "fieldset", K_BOX, P_BLOCK) X(FIGCAPTION, "figcaption", K_BOX, P_BLOCK) \
    X(FIGURE, "figure", K_BOX, P_BLOCK) X(FONT, "font", K_INLINE, T_FORMATTING) X(FOOTER, "footer", K_BOX, P_BLOCK) \
    X(FOREIGNOBJECT, "foreignobject", K_INLINE, 0) X(FORM, "form", K_BOX, P_BLOCK) \
    X(FRAME, "frame", K_INLINE, T_VOID | T_SPECIAL | T_FRAME) \
    X(FRAMESET, "frameset", K_SKIP, T_SPECIAL | T_FRAME) \
    X(H1, "h1", K_BOX, P_BLOCK | T_HEADING | T_BREAKS_OUT) X(H2, "h2", K_BOX, P_BLOCK | T_HEADING | T_BREAKS_OUT) \
    X(H3, "h3", K_BOX, P_BLOCK | T_HEADING | T_BREAKS_OUT) X(H4, "h4", K_BOX, P_BLOCK | T_HEADING | T_BREAKS_OUT) \
    X(H5, "h5", K_BOX, P_BLOCK | T_HEADING | T_BREAKS_OUT) X(H6, "h6", K_BOX, P_BLOCK | T_HEADING | T_BREAKS_OUT) \
    X(HEAD, "head", K_SKIP, T_SPECIAL | T_FRAME | T_BREAKS_OUT) X(HEADER, "header", K_BOX, P_BLOCK) \
    X(HGROUP, "hgroup", K_BOX, P_BLOCK) X(HR, "hr", K_RULE, T_VOID | P_BLOCK | T_BREAKS_OUT) \
    X(HTML, "html", K_BOX, T_SPECIAL | T_SCOPE | T_FRAME) X(I, "i", K_INLINE, T_FORMATTING | T_BREAKS_OUT) \
    X(IFRAME, "iframe", K_SKIP, T_RAW | T_SPECIAL) X(IMAGE, "image", K_IMAGE, T_VOID | T_SPECIAL) \
    X(IMG, "img", K_IMAGE, T_VOID | T_SPECIAL | T_BREAKS_OUT) X(INPUT, "input", K_SKIP, T_VOID | T_SPECIAL) \
    X(ISINDEX, "isindex", K_INLINE, 0) X(KEYGEN, "keygen", K_INLINE, T_VOID | T_SPECIAL) \
    X(LEGEND, "legend", K_BOX, 0) X(LI, "li", K_BOX, P_BLOCK | T_IMPLIED | T_BREAKS_OUT) \
    X(LINK, "link", K_SKIP, T_VOID | T_SPECIAL) X(LISTING, "listing", K_BOX, P_BLOCK | T_BREAKS_OUT) \
    X(MAIN, "main", K_BOX, P_BLOCK) X(MAP, "map", K_SKIP, 0) \
    X(MARQUEE, "marquee", K_INLINE, T_SPECIAL | T_SCOPE) X(MATH, "math", K_INLINE, T_OPAQUE) \
    X(MENU, "menu", K_BOX, P_BLOCK | T_BREAKS_OUT) X(META, "meta", K_SKIP, T_VOID | T_SPECIAL | T_BREAKS_OUT) \
    X(METER, "meter", K_SKIP, 0) X(MI, "mi", K_INLINE, 0) X(MN, "mn", K_INLINE, 0) \
    X(MO, "mo", K_INLINE, 0) X(MS, "ms", K_INLINE, 0) X(MTEXT, "mtext", K_INLINE, 0) \
    X(NAV, "nav", K_BOX, P_BLOCK) X(NOBR, "nobr", K_INLINE, T_FORMATTING | T_BREAKS_OUT) \
    X(NOEMBED, "noembed", K_INLINE, T_RAW | T_SPECIAL) \
    X(NOFRAMES, "noframes", K_BOX, T_RAW | T_SPECIAL) \
    X(NOSCRIPT, "noscript", K_SKIP, T_SPECIAL | T_OPAQUE) \
    X(OBJECT, "object", K_SKIP, T_SPECIAL | T_SCOPE) X(OL, "ol", K_BOX, P_BLOCK | T_LIST | T_BREAKS_OUT) \
    X(OPTGROUP, "optgroup", K_BOX, T_IMPLIED) X(OPTION, "option", K_BOX, T_IMPLIED) \
    X(P, "p", K_BOX, P_BLOCK | T_IMPLIED | T_BREAKS_OUT) X(PARAM, "param", K_SKIP, T_VOID | T_SPECIAL) \
    X(PLAINTEXT, "plaintext", K_BOX, P_BLOCK) X(PRE, "pre", K_BOX, P_BLOCK | T_BREAKS_OUT) \
    X(PROGRESS, "progress", K_SKIP, 0) X(RB, "rb", K_INLINE, T_IMPLIED) X(RP, "rp", K_SKIP, T_IMPLIED) \
    X(RT, "rt", K_SKIP, T_IMPLIED) X(RTC, "rtc", K_INLINE, T_IMPLIED) \
    X(RUBY, "ruby", K_INLINE, T_BREAKS_OUT) X(S, "s", K_INLINE, T_FORMATTING | T_BREAKS_OUT) \
    X(SCRIPT, "script", K_SKIP, T_RAW | T_SPECIAL | T_HEADLIKE) X(SEARCH, "search", K_BOX, P_BLOCK) \
    X(SECTION, "section", K_BOX, P_BLOCK) X(SELECT, "select", K_SKIP, T_SPECIAL | T_OPAQUE) \
    X(SELECTEDCONTENT, "selectedcontent", K_INLINE, 0) X(SLOT, "slot", K_BOX, 0) \
    X(SMALL, "small", K_INLINE, T_FORMATTING | T_BREAKS_OUT) X(SOURCE, "source", K_SKIP, T_VOID | T_SPECIAL) \
    X(SPAN, "span", K_INLINE, T_BREAKS_OUT) X(STRIKE, "strike", K_INLINE, T_FORMATTING | T_BREAKS_OUT) \
    X(STRONG, "strong", K_INLINE, T_FORMATTING | T_BREAKS_OUT) \
    X(STYLE, "style", K_SKIP, T_RAW | T_SPECIAL | T_HEADLIKE) X(SUB, "sub", K_INLINE, T_BREAKS_OUT) \
    X(SUMMARY, "summary", K_BOX, P_BLOCK) X(SUP, "sup", K_INLINE, T_BREAKS_OUT) X(SVG, "svg", K_SKIP, T_OPAQUE) \
    X(TABLE, "table", K_BOX, P_BLOCK | T_SCOPE | T_BREAKS_OUT) \
    X(TBODY, "tbody", K_BOX, T_SPECIAL | T_TABLE_PART | T_SECTION) \
    X(TD, "td", K_BOX, T_SPECIAL | T_SCOPE | T_TABLE_PART | T_CELL) \
    X(TEMPLATE, "template", K_SKIP, T_SPECIAL | T_SCOPE | T_OPAQUE | T_HEADLIKE) \
    X(TEXTAREA, "textarea", K_SKIP, T_RAW | T_RCDATA | T_SPECIAL) \
    X(TFOOT, "tfoot", K_BOX, T_SPECIAL | T_TABLE_PART | T_SECTION) \
    X(TH, "th", K_BOX, T_SPECIAL | T_SCOPE | T_TABLE_PART | T_CELL) \
    X(THEAD, "thead", K_BOX, T_SPECIAL | T_TABLE_PART | T_SECTION) \
    X(TITLE, "title", K_SKIP, T_RAW | T_RCDATA | T_SPECIAL) X(TR, "tr", K_BOX, T_SPECIAL | T_TABLE_PART) \
    X(TRACK, "track", K_SKIP, T_VOID | T_SPECIAL) X(TT, "tt", K_INLINE, T_FORMATTING | T_BREAKS_OUT) \
    X(U, "u", K_INLINE, T_FORMATTING | T_BREAKS_OUT) X(UL, "ul", K_BOX, P_BLOCK | T_LIST | T_BREAKS_OUT) \
    X(VAR, "var", K_INLINE, T_BREAKS_OUT) X(VIDEO, "video", K_SKIP, 0) X(WBR, "wbr", K_INLINE, T_VOID | T_SPECIAL) \
    X(XMP, "xmp", K_BOX, T_RAW | P_BLOCK)
/* clang-format on */

#define SCYTHE_ENUM(id, name, kind, traits) TAG_##id,
enum { TAG_OTHER, SCYTHE_TAGS(SCYTHE_ENUM) TAG_COUNT };

#endif
