/* The tree of a page as the HTML standard builds it, with the place of every element and text in the bytes. */
#ifndef SCYTHE_TREE_H
#define SCYTHE_TREE_H

#include "text.h"

enum { SPACE_HTML, SPACE_SVG, SPACE_MATH };

/* Flags of elements and of runs of text, as scythe.page.map names them. */
enum {
    IS_IMPLIED = 1,     /* element: no tag in the source */
    IS_MUTED = 2,       /* element: is or stands in template, noscript, svg, math */
    IN_TEMPLATE = 4,    /* ... in the content of a template */
    IS_MOVED = 8,       /* does not stand where its bytes do */
    IS_FOREIGN = 16,    /* element: svg, math */
    RUN_CONTINUES = 1,  /* the same text node as the run before */
    RUN_RAW = 2,        /* no character references in it */
    RUN_BLANK = 4,      /* nothing but white space */
    RUN_APART = 16,     /* no word of it goes on from the run before: tags between them are left out */
};

typedef struct {
    uint32_t size;      /* bytes of the page */
    uint32_t count;     /* elements */
    uint32_t run_count;
    uint16_t *tag;
    int32_t *parent, *last, *depth, *run_from, *run_to;
    uint32_t *start, *inner, *close, *end;
    uint32_t *id, *class; /* behind the names of these attributes, 0 for none */
    uint8_t *flags;
    uint32_t *run_start, *run_end;
    int32_t *run_row;
    uint8_t *run_flags;
    uint32_t *name_at;  /* names of the page: where the first of each stands */
    uint32_t *name_size;
    uint32_t name_count;
    uint32_t html_more[8], body_more[8]; /* further tags of html and body, whose attributes count too */
    uint32_t html_more_count, body_more_count;
    uint32_t body;      /* row of the body or frameset, 0 for none */
    uint32_t too_deep, too_many, too_formatted, too_named; /* tags left out because of a limit */
    uint32_t too_attributed; /* attributes beyond the limit; nobody reads them */
    uint32_t unended;        /* bytes of a tag that the page ends in */
    void *memory;
} Tree;

typedef struct {
    uint32_t depth, formatting, rebuilt, elements, names, attributes;
} TreeLimits;

/* Build the tree; return 0 where memory runs out or the page is too large. */
int tree_build(Tree *tree, const byte *base, const byte *end, const TreeLimits *limits);
void tree_free(Tree *tree);

/* Say whether an element has a tag in the source, and so may have attributes; they begin at `*from`. */
int tree_attributes(const Tree *tree, const byte *base, uint32_t row, const byte **from);

#endif
