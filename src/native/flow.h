/* The text of one element in paragraphs, from the bytes of the page, as scythe.site.cut.cutter gives it from the tree.
 *
 * flow.c reads the tokens; flow_tree.c follows the tree builder of the HTML standard as far as it decides which box a
 * text stands in; flow_text.c collects boxes and blocks, and joins the blocks.
 * Where the bytes alone do not tell, the answer is doubt.
 */
#ifndef SCYTHE_CUT_FLOW_H
#define SCYTHE_CUT_FLOW_H

#include <stddef.h>

#include "tokens.h"

typedef struct {
    int32_t parent;
    uint32_t start, end; /* blocks inside */
    uint8_t tag;
    uint8_t layout; /* a table that says it is no table of data */
} Box;

typedef struct {
    size_t at, size; /* its text in Flow.text */
    int32_t box;
    uint32_t breaks; /* line breaks just before it, inside the same box */
    uint32_t chars;  /* of its squeezed text; only counted in tables and preformatted text */
} Block;

typedef struct {
    const byte *name; /* to compare names that are not in the table */
    uint32_t name_size;
    uint8_t tag;
    uint8_t flags;
    uint8_t after_form; /* a form ended directly inside: AFTER_... */
    int8_t link_open;   /* Flow.link_open around it */
} Open;

enum {
    O_BOX = 1,     /* a box was recorded for it */
    O_MUTE = 2,    /* nothing inside is part of the text */
    O_STRICT = 4,  /* not special to the tree builder: all elements inside are kept track of */
    O_OUTER = 8,   /* ... and the outermost such element */
    O_PRE = 16,
    O_FOREIGN = 32, /* svg, math and what is inside */
};

enum { AFTER_FORM = 1, AFTER_DROPPED_FORM = 2 };

enum { OPEN_ROOM = 200 }; /* deeper pages go to the tree, which has bounds of its own */

/* what the bytes of the element do not tell, or what is not kept track of: the text is read under every assumption */
enum { PAGE_IN_FORM = 1, PAGE_QUIRKS = 2, INLINE_IN_HEADING = 4, ASSUMPTIONS = 7 };
enum { FORM_NONE = -1, FORM_GONE = -2, FORM_AROUND = -3 };

typedef struct {
    const byte *at; /* literal, with its `<` */
    size_t size;
    uint8_t bare; /* no more than `<name`: the name ends there */
} Drop;

typedef struct {
    Drop *drops;
    size_t count;
    byte *bytes;
    uint8_t first[256]; /* some literal has this first letter of the name */
} FlowPlan;

typedef struct {
    const byte *page, *end; /* start of the page; end of the element */
    const byte *start;
    const FlowPlan *plan;
    int8_t around[TAG_COUNT]; /* what is known of the page before: 1 one of these may be open, -1 none, 0 not looked */

    byte *text; /* of all blocks, one after the other; it never gets longer than 6/5 of the source */
    size_t size, text_room, block_at;
    Block *blocks;
    size_t block_count, block_room;
    Box *boxes;
    size_t box_count, box_room;
    int32_t here; /* box */
    uint32_t breaks;
    int tables; /* open tables that are part of the text: characters are counted inside */
    int saw_rows;
    int worded; /* in preformatted text: the block has words */
    int unsure; /* in preformatted text: it is not known where the white space before the words came from */

    Open open[OPEN_ROOM];
    int depth, mute, strict, pre;
    int form;        /* place of the form that counts, or FORM_... */
    int form_asked;
    int all_strict; /* keep track of all elements: more often in doubt, but tells what is open at the end of a form */
    int pending;    /* with all_strict: formatting elements were left open, and may be built again */
    int8_t link_open; /* an `a` may be open: 0 no, 1 yes, -1 as the page around has it */
    int page_is;     /* assumptions made */
    int asked;       /* assumptions that mattered */
    const char *doubt;

    byte *out;
    size_t out_size, out_room;
} Flow;

/* flow_tree.c: each returns 0 in doubt */
int flow_open_root(Flow *f, const Token *t);
int flow_start_tag(Flow *f, const Token *t, int dropped);
int flow_end_tag(Flow *f, const Token *t);
int flow_mind_form(Flow *f);
extern const char WORDS_BEHIND_FORM[];
void flow_close_all(Flow *f);

static inline int is_table_frame(uint8_t tag)
{
    return tag == TAG_TABLE || tag == TAG_TR || tag == TAG_COLGROUP || (tag_rows[tag].traits & T_SECTION);
}

/* flow_text.c */
int flow_reserve(Flow *f, size_t bytes);
const byte *flow_take_text(Flow *f, const byte *at, const byte *end);
const byte *flow_take_preformatted(Flow *f, const byte *at, const byte *end);
void flow_put(Flow *f, const byte *at, size_t size);
void flow_node_ends(Flow *f, int surely);
void flow_end_block(Flow *f);
void flow_break(Flow *f);
void flow_rule(Flow *f);
void flow_open_box(Flow *f, uint8_t tag, int layout);
void flow_close_box(Flow *f);

int flow_render(Flow *f);

static inline int is_pre(uint8_t tag)
{
    return tag == TAG_PRE || tag == TAG_LISTING;
}

#endif
