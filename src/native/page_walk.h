/* The walk over a page map that tells boxes and blocks of text, as scythe.page.blocks describes them; see page_walk.c. */
#ifndef SCYTHE_PAGE_WALK_H
#define SCYTHE_PAGE_WALK_H

#include "page_map.h"

enum { INLINE = K_INLINE, LINK = 7, BOLD = 8 };

typedef struct {
    int32_t parent, start, end, row; /* blocks start : end lie inside */
    uint8_t hidden;
} Box;

typedef struct {
    uint32_t text, size; /* in `words` of the walk */
    int32_t box, link_chars, links, bold_chars, breaks, lead, leaf_start, leaf_end; /* lead: row of its first inline element */
    uint8_t styled;
} Block;

typedef struct {
    int32_t row, block, box;
} Picture;

typedef struct {
    PageMap *map;
    const uint8_t *hollow; /* by row: 1 for elements that are taken to have no content; or NULL */
    int plain;             /* nobody asks how much of a block is linked or bold */
    Box *boxes;
    Block *blocks;
    int32_t *leaves; /* rows of images, ~run of texts */
    Picture *pictures;
    uint32_t box_count, block_count, leaf_count, picture_count;
    Buffer words;    /* the texts of all blocks, one behind the other */
    /* the work under way */
    uint32_t box_room, block_room, leaf_room, picture_room, depth, depth_room;
    uint8_t *kinds;
    int32_t *opened;
    Text text, linked, bold;
    int32_t lead, link_count, break_count, leaf_mark, in_link, in_bold, in_inline, here;
    int has_parts, blank, styled;
} Walk;

/* What attributes say of an element. */
typedef struct {
    Attribute class, id, role, itemprop, href;
    int hidden;
} Said;

void read_said(const PageMap *map, uint32_t row, Said *said);
static inline int has_value(const Attribute *a) { return a->value && a->value_end > a->value; }

/* Return the kind of an element in the text: K_..., LINK or BOLD. */
int kind_of(const Tree *t, uint32_t row);

/* Walk an element; 0 with an error set where memory runs out. `walk_free` in either case. */
int walk_blocks(Walk *w, PageMap *map, uint32_t root, const uint8_t *hollow, int plain);
void walk_free(Walk *w);

/* Return a table by rows with 1 for those in a set of mem_ids, NULL with an error set; NULL without one for an empty set. */
uint8_t *mark_rows(const PageMap *map, PyObject *mem_ids);

#endif
