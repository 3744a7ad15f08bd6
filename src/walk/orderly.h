/* What `orderly.c` knows of elements, by their names. */
#ifndef SCYTHE_ORDERLY_H
#define SCYTHE_ORDERLY_H

#include <stdint.h>

typedef unsigned char byte;

enum {
    VOID = 1,             /* has no content */
    RAW = 1 << 1,         /* its content is text up to its end tag */
    PAGE = 1 << 2,        /* html, head, body */
    UNKNOWN_RULES = 1 << 3, /* answered with no */
    FORMATTING = 1 << 4,  /* opened again where it is left open */
    HEADING = 1 << 5,
    ENDS_P = 1 << 6,      /* its start tag ends a paragraph */
    IMPLIED = 1 << 7,     /* ends where the element around it does */
    ENDS_IMPLIED = 1 << 8, /* its end tag ends such */
    WALL = 1 << 9,        /* an item does not see past it (HTML standard, 13.2.4.2: special) */
    ITEM = 1 << 10,
    TERM = 1 << 11,
    RUBY = 1 << 12,
    ALONE = 1 << 13,      /* ends, or is ignored, inside another of its name */
    TABLE_PART = 1 << 14,
    IN_TABLE = 1 << 15,   /* text and most elements right inside are moved in front of the table */
    ENDS_TABLE = 1 << 16,
    CELL = 1 << 17,
    BODY = 1 << 18,
    IN_SVG = 1 << 19,     /* may stand inside svg, though HTML has one of this name */
    LEAVES_SVG = 1 << 20, /* and has no other rule (13.2.6.5) */
};

typedef struct {
    const char *name;
    uint32_t traits;
} Known;

/* Numbers of names are their places in the table, from 1 on; those that the rules ask for come first. */
enum {
    NAME_P = 1, NAME_BR, NAME_TABLE, NAME_TBODY, NAME_TR, NAME_CAPTION, NAME_COLGROUP, NAME_COL, NAME_SELECT, NAME_OPTION,
    NAME_OPTGROUP, NAME_SVG, NAME_SCRIPT, NAME_STYLE, NAME_RUBY,
};

#define BLOCK (ENDS_P | ENDS_IMPLIED | WALL)
#define ODD UNKNOWN_RULES

static const Known known_names[] = {
    {"p", ENDS_P | IMPLIED}, {"br", VOID | WALL}, {"table", WALL | IN_TABLE | ENDS_TABLE | ENDS_IMPLIED},
    {"tbody", TABLE_PART | BODY | IN_TABLE | WALL | ENDS_IMPLIED}, {"tr", TABLE_PART | IN_TABLE | WALL | ENDS_IMPLIED},
    {"caption", TABLE_PART | CELL | WALL | ENDS_IMPLIED}, {"colgroup", TABLE_PART | IN_TABLE | WALL},
    {"col", TABLE_PART | WALL}, {"select", WALL | ALONE}, {"option", IMPLIED | ODD}, {"optgroup", IMPLIED | ODD}, {"svg", 0},
    {"script", RAW | WALL}, {"style", RAW | WALL}, {"ruby", LEAVES_SVG}, {"thead", TABLE_PART | BODY | IN_TABLE | WALL | ENDS_IMPLIED},
    {"tfoot", TABLE_PART | BODY | IN_TABLE | WALL | ENDS_IMPLIED}, {"td", TABLE_PART | CELL | WALL | ENDS_IMPLIED},
    {"th", TABLE_PART | CELL | WALL | ENDS_IMPLIED},
    {"html", PAGE}, {"head", PAGE}, {"body", PAGE},
    {"area", VOID | WALL}, {"base", VOID | WALL}, {"basefont", VOID | WALL}, {"bgsound", VOID | WALL},
    {"embed", VOID | WALL}, {"hr", VOID | WALL | ENDS_P}, {"img", VOID | WALL}, {"input", VOID | WALL}, {"keygen", VOID | WALL},
    {"link", VOID | WALL}, {"meta", VOID | WALL}, {"param", VOID | WALL}, {"source", VOID | WALL}, {"track", VOID | WALL},
    {"wbr", VOID | WALL},
    {"textarea", RAW | WALL}, {"title", RAW | WALL}, {"iframe", RAW | WALL},
    {"a", FORMATTING | ALONE | IN_SVG}, {"b", FORMATTING}, {"big", FORMATTING}, {"code", FORMATTING}, {"em", FORMATTING},
    {"font", FORMATTING}, {"i", FORMATTING}, {"nobr", FORMATTING | ALONE}, {"s", FORMATTING}, {"small", FORMATTING},
    {"strike", FORMATTING}, {"strong", FORMATTING}, {"tt", FORMATTING}, {"u", FORMATTING},
    {"h1", BLOCK | HEADING}, {"h2", BLOCK | HEADING}, {"h3", BLOCK | HEADING}, {"h4", BLOCK | HEADING},
    {"h5", BLOCK | HEADING}, {"h6", BLOCK | HEADING},
    {"li", BLOCK | IMPLIED | ITEM}, {"dd", BLOCK | IMPLIED | TERM}, {"dt", BLOCK | IMPLIED | TERM},
    {"address", ENDS_P | ENDS_IMPLIED}, {"div", ENDS_P | ENDS_IMPLIED}, {"article", BLOCK}, {"aside", BLOCK},
    {"blockquote", BLOCK}, {"center", BLOCK}, {"details", BLOCK}, {"dir", BLOCK}, {"dl", BLOCK}, {"fieldset", BLOCK},
    {"figcaption", BLOCK}, {"figure", BLOCK}, {"footer", BLOCK}, {"header", BLOCK}, {"hgroup", BLOCK}, {"main", BLOCK},
    {"menu", BLOCK}, {"nav", BLOCK}, {"ol", BLOCK}, {"pre", BLOCK}, {"listing", BLOCK}, {"section", BLOCK},
    {"summary", BLOCK}, {"ul", BLOCK}, {"form", BLOCK | ALONE}, {"button", WALL | ALONE | ENDS_IMPLIED}, {"noscript", WALL},
    {"rt", IMPLIED | RUBY}, {"rp", IMPLIED | RUBY},
    {"applet", ODD}, {"marquee", ODD}, {"object", ODD}, {"template", ODD}, {"frame", ODD}, {"frameset", ODD}, {"image", ODD | IN_SVG},
    {"noembed", ODD}, {"noframes", ODD}, {"plaintext", ODD}, {"xmp", ODD}, {"math", ODD}, {"rb", ODD}, {"rtc", ODD},
    {"dialog", ODD}, {"search", ODD}, {"selectedcontent", ODD}, {"isindex", ODD},
    {"foreignobject", ODD}, {"desc", ODD}, {"mi", ODD}, {"mo", ODD}, {"mn", ODD}, {"ms", ODD}, {"mtext", ODD},
    {"annotation-xml", ODD},
    {"span", LEAVES_SVG}, {"sub", LEAVES_SVG}, {"sup", LEAVES_SVG}, {"var", LEAVES_SVG},
    {NULL, 0},
};

#endif
