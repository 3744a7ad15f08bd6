/* The end of an element and its text, from the bytes behind its opening tag, or a reason why they are not certain. */
#ifndef SCYTHE_CUT_SCAN_H
#define SCYTHE_CUT_SCAN_H

#include "text.h"

/* Return the end of an svg in good order, from its opening tag, or NULL where HTML in it may have ended it. */
const byte *svg_end(const Token *opening, const byte *end);

/* Return the end of a select with nothing but options, from behind its opening tag, or NULL and why. */
const byte *select_end(const byte *at, const byte *end, int *why);

/* Reasons of doubt, as people are told them; the first is none. */
#define SCYTHE_DOUBTS(X) \
    X(SURE, "") \
    X(D_PAGE_END, "the page ends inside the element") \
    X(D_DEPTH, "too many open elements") \
    X(D_END_TAG, "an end tag without its start") \
    X(D_FORMATTING, "overlapping formatting") \
    X(D_FOSTER, "text between the rows of a table") \
    X(D_TABLE, "table parts out of place") \
    X(D_QUIRKS, "a table in a paragraph") \
    X(D_FORM, "a form in a form") \
    X(D_BUTTON, "a button in a button") \
    X(D_LINK, "a link in a link") \
    X(D_BLOCK, "a block in an inline element") \
    X(D_LIST, "a list item without its list") \
    X(D_HEADING, "a heading in a heading") \
    X(D_FRAME, "a second html, head or body") \
    X(D_RAW, "raw text inside") \
    X(D_FOREIGN, "HTML inside svg or math") \
    X(D_SELECT, "more than options in a select") \
    X(D_TEMPLATE, "an unusual template") \
    X(D_RUBY, "unusual ruby") \
    X(D_ZERO, "NUL bytes") \
    X(D_KIND, "an element without ordinary content") \
    X(D_BYTES, "not valid in its encoding") \
    X(D_PLACE, "the tag may stand in an attribute, a comment or a script") \
    X(D_HIDDEN, "the tag may stand in an element that is not followed") \
    X(D_AROUND, "what stands around it is not known") \
    X(D_MANY, "too many occurrences") \
    X(D_SIZE, "the page is too large") \
    X(D_MEMORY, "out of memory") \
    X(D_VOTE, "too few rules agree") \
    X(D_FLOW, "the paragraphs are not certain")

#define SCYTHE_DOUBT(id, text) id,
enum { SCYTHE_DOUBTS(SCYTHE_DOUBT) D_COUNT };

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
