/* The elements that are open while an element is scanned: shared by the files of the scan, used by nobody else. */
#ifndef SCYTHE_CUT_SCAN_STACK_H
#define SCYTHE_CUT_SCAN_STACK_H

#include "scan.h"

enum { DEPTH = 256 };
enum { GO_ON, ENDED, STOP };
enum { NO_FORM = -1, FORM_ELSEWHERE = -2, FORM_UNASKED = -3 };

typedef struct {
    const byte *name;
    uint32_t name_size;
    uint8_t tag;
} Open;

typedef struct {
    const Surroundings *around;
    const byte *end; /* of the page */
    Text *text;
    int depth, skips, ordinary; /* open elements; of them without text; of them not special */
    int form, loose, link_open, doubt;
    int formatting; /* formatting elements open */
    int lost;       /* some were closed with what is around them: they will be opened again */
    Open stack[DEPTH];
} Scan;

static inline int doubtful(Scan *s, int why)
{
    s->doubt = why;
    return STOP;
}

static inline int is_ordinary(int tag) { return !(traits_of(tag) & T_SPECIAL); }

static inline int same_name(const Open *open, const Token *t)
{
    if (open->tag != t->tag || t->tag != TAG_OTHER)
        return open->tag == t->tag;
    return open->name_size == t->name_size && same_letters(open->name, t->name, t->name_size);
}

static inline void push_tag(Scan *s, int tag, const Token *t)
{
    if (s->depth == DEPTH) {
        s->doubt = D_DEPTH;
        return;
    }
    Open *open = &s->stack[s->depth++];
    open->tag = (uint8_t)tag;
    open->name = t->name;
    open->name_size = t->name_size;
    s->ordinary += is_ordinary(tag);
    if (s->text && !s->skips && tag_rows[tag].kind == K_BOX)
        text_edge(s->text);
    s->skips += tag_rows[tag].kind == K_SKIP;
}

static inline int push(Scan *s, const Token *t)
{
    push_tag(s, t->tag, t);
    return s->doubt ? STOP : GO_ON;
}

/* Close the elements from `level` on; the element itself is level 0. */
static inline int pop(Scan *s, int level)
{
    if (level <= 0)
        return ENDED;
    while (s->depth > level) {
        int tag = s->stack[--s->depth].tag;
        s->lost |= s->depth > level && (traits_of(tag) & T_FORMATTING);
        s->ordinary -= is_ordinary(tag);
        s->skips -= tag_rows[tag].kind == K_SKIP;
        if (s->text && !s->skips && tag_rows[tag].kind == K_BOX)
            text_edge(s->text);
    }
    if (s->form >= level)
        s->form = FORM_ELSEWHERE; /* closed by others: it still keeps out a second one */
    return GO_ON;
}

static inline int top_tag(const Scan *s) { return s->stack[s->depth - 1].tag; }

/* Between the cells of a table, where only parts of tables may stand. */
static inline int in_grid(const Scan *s)
{
    int tag = top_tag(s);
    return tag == TAG_TABLE || tag == TAG_TR || tag == TAG_COLGROUP || (traits_of(tag) & T_SECTION);
}

static inline int asked(Scan *s, int what) { return s->around->ask == NULL || s->around->ask(s->around->who, what); }

enum { NOT_FOUND = -1, BARRED = -2 };

/* Return the level of the innermost open `tag` in the scope with these barriers; NOT_FOUND leaves the outside open. */
static inline int find_open(const Scan *s, int tag, uint32_t barriers, int button_bars)
{
    for (int level = s->depth - 1; level >= 0; level--) {
        int here = s->stack[level].tag;
        if (here == tag)
            return level;
        if ((traits_of(here) & barriers) || (button_bars && here == TAG_BUTTON))
            return BARRED;
    }
    /* around the parts of a table there is its table, which bars too */
    return (traits_of(s->stack[0].tag) & T_TABLE_PART) ? BARRED : NOT_FOUND;
}

/* The innermost part of a table that is open: level of td, th, caption, tr, section, colgroup or table, or -1. */
static inline int grid_level(const Scan *s)
{
    for (int level = s->depth - 1; level >= 0; level--) {
        int tag = s->stack[level].tag;
        if (tag == TAG_TABLE || (traits_of(tag) & T_TABLE_PART))
            return level;
    }
    return -1;
}

/* scan_table.c */
int scan_start_table_part(Scan *s, const Token *t);
int scan_end_table_part(Scan *s, const Token *t);

/* scan_skip.c: each leaves t->next behind what it skipped */
int scan_skip_foreign(Scan *s, Token *t);
int scan_skip_select(Scan *s, Token *t);
int scan_skip_template(Scan *s, Token *t);
int scan_skip_raw(Scan *s, Token *t);

#endif
