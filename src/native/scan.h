/* The end of an element and its text, from the bytes behind its opening tag, or a reason why they are not certain. */
#ifndef SCYTHE_CUT_SCAN_H
#define SCYTHE_CUT_SCAN_H

#include "text.h"

/* Return the end of an svg in good order, from its opening tag, or NULL where HTML in it may have ended it. scan_skip.c */
const byte *svg_end(const Token *opening, const byte *end);

/* Reasons of doubt; 0 is none. The names for people are in scan.c. */
enum {
    SURE,
    D_PAGE_END,    /* the page ends inside the element */
    D_DEPTH,       /* too many elements are open */
    D_END_TAG,     /* an end tag without its start in the element */
    D_FORMATTING,  /* formatting elements that overlap others */
    D_FOSTER,      /* text or inline elements between the rows of a table */
    D_TABLE,       /* parts of a table without the table, or a table in a table's row */
    D_QUIRKS,      /* a table in a paragraph: it depends on the page's mode */
    D_FORM,        /* a form in a form, or crossing others */
    D_BUTTON,      /* a button in a button */
    D_LINK,        /* a link in a link */
    D_BLOCK,       /* a block in an inline element that may stand in a paragraph */
    D_LIST,        /* a list item without its list */
    D_HEADING,     /* a heading in a heading */
    D_FRAME,       /* html, head, body or frameset inside */
    D_RAW,         /* plaintext, xmp and the like */
    D_FOREIGN,     /* svg or math with HTML inside */
    D_SELECT,      /* select with more than options */
    D_TEMPLATE,
    D_RUBY,
    D_ZERO,        /* NUL bytes */
    D_KIND,        /* an element whose content is not looked at */
    D_BYTES,       /* not valid UTF-8 */
    D_PLACE,       /* the tag may stand in an attribute, a comment or a script */
    D_HIDDEN,      /* the tag may stand in svg, noscript, select, template or math */
    D_AROUND,      /* what stands around the element is not known */
    D_MANY,        /* too many occurrences */
    D_SIZE,        /* the page is too large */
    D_MEMORY,
    D_VOTE,        /* too few rules agree */
    D_FLOW,        /* the text in paragraphs is not certain */
    D_COUNT
};

extern const char *const doubt_names[D_COUNT];

/* What may be open around an element, asked of the one who knows; each answer is 1 where it cannot be excluded. */
enum { AROUND_LINK, AROUND_P, AROUND_FORM, AROUND_BUTTON };
typedef int (*Ask)(void *who, int what);

typedef struct {
    const byte *base, *end; /* the page */
    Ask ask;
    void *who;
} Surroundings;

typedef struct {
    const byte *content;     /* behind the opening tag */
    const byte *content_end; /* the closing tag, or what ends the element without one */
    const byte *end;         /* behind the closing tag */
    int doubt;               /* SURE or a reason; then nothing else holds */
    int open_formatting;     /* formatting elements were left open inside */
} Element;

/* Fill the tables; once, after tags_init. */
void scan_init(void);

/* Scan the element whose opening tag is `opening`, and put its text into `text` unless that is NULL. */
void scan_element(const Surroundings *around, const Token *opening, Text *text, Element *out);

/* Say whether the page has the plain doctype, so that tables end paragraphs. */
int has_plain_doctype(const byte *at, const byte *end);

#endif
