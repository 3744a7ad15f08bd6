/* The parts of tables in a scan: which of them end which, and which are opened though nobody wrote them. */
#include "scan_stack.h"

int scan_start_table_part(Scan *s, const Token *t)
{
    for (;;) {
        int level = grid_level(s);
        if (level < 0)
            return doubtful(s, D_TABLE);
        int mode = s->stack[level].tag;
        uint32_t traits = traits_of(mode), wanted = traits_of(t->tag);
        if ((traits & T_CELL) || mode == TAG_CAPTION) {
            if (pop(s, level) == ENDED)
                return ENDED;
            continue;
        }
        if (level != s->depth - 1)
            return doubtful(s, D_TABLE);
        if (mode == TAG_TR) {
            if (wanted & T_CELL)
                return push(s, t);
        } else if (traits & T_SECTION) {
            if (t->tag == TAG_TR)
                return push(s, t);
            if (wanted & T_CELL) {
                push_tag(s, TAG_TR, t);
                return push(s, t);
            }
        } else if (mode == TAG_COLGROUP) {
            if (t->tag == TAG_COL)
                return GO_ON;
        } else { /* table */
            if (t->tag == TAG_COL) {
                push_tag(s, TAG_COLGROUP, t);
                return s->doubt ? STOP : GO_ON;
            }
            if (t->tag == TAG_TR || (wanted & T_CELL))
                push_tag(s, TAG_TBODY, t);
            if (wanted & T_CELL)
                push_tag(s, TAG_TR, t);
            return s->doubt ? STOP : push(s, t);
        }
        if (pop(s, level) == ENDED)
            return ENDED;
    }
}

int scan_end_table_part(Scan *s, const Token *t)
{
    if (t->tag == TAG_COL)
        return GO_ON;
    int level = s->depth - 1, grid = grid_level(s);
    if (grid < 0)
        return doubtful(s, D_TABLE);
    for (; level >= 0; level--) {
        int tag = s->stack[level].tag;
        if (tag == t->tag)
            return pop(s, level);
        if (tag == TAG_TABLE)
            return GO_ON;
        /* these two end only what is just open; in a cell or caption they are passed over */
        if ((t->tag == TAG_CAPTION || t->tag == TAG_COLGROUP || (traits_of(t->tag) & T_CELL)) &&
            (traits_of(tag) & T_TABLE_PART))
            return GO_ON;
        if (tag == TAG_CAPTION && t->tag != TAG_TABLE)
            return GO_ON;
    }
    /* the element is a part of a table around it, which ends it */
    if (t->tag == TAG_TABLE || (t->tag == TAG_TR && (traits_of(s->stack[0].tag) & T_CELL)))
        return ENDED;
    return t->tag == TAG_TR ? GO_ON : doubtful(s, D_TABLE);
}
