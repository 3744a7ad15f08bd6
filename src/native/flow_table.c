/* Follow the tags of tables as the tree builder does (13.2.6.4.9 to 15); see flow_stack.h. */
#define _GNU_SOURCE
#include "flow_stack.h"

/* Say whether a table is marked as one of layout: `presentation` is a word of its class, id, role or itemprop. */
int flow_is_layout_table(Flow *f, const Token *t)
{
    const byte *at = t->attributes;
    size_t size = (size_t)(t->next - at);
    if (memmem(at, size, "presentation", 12) == NULL) {
        if (memmem(at, size, "&#", 2) != NULL)
            doubt(f, "a reference in a table's attributes");
        return 0;
    }
    const byte *role = memmem(at, size, "role", 4);
    if (role == NULL || !is_space(role[-1]) || t->next - role < 19 || memcmp(role, "role=\"presentation\"", 19) != 0 ||
        memchr(at, '&', size) || memchr(at, '\'', size))
        doubt(f, "a table that may be one of layout");
    return 1;
}

/* Follow an opening tag between the cells of a table (13.2.6.4.9 to 14). Return 1 when it is done, 0 in doubt, -1 to
 * read it again by the rules of the body. */
int flow_open_in_table(Flow *f, const Token *t, uint8_t flags)
{
    uint8_t tag = t->tag;
    uint32_t traits = traits_of(tag);
    flags |= O_BOX;
    for (;;) {
        uint8_t around = top_of(f)->tag;
        int is_part = (traits & T_TABLE_PART) != 0;
        if (!is_table_frame(around))
            return -1;
        if (around == TAG_COLGROUP && tag != TAG_COL) {
            pop(f);
        } else if (tag == TAG_TABLE) {
            int place = find_open(f, TAG_TABLE, 0, 0);
            if (place < 0)
                return doubt(f, "a table in a row");
            close_to(f, place);
        } else if (!is_part) {
            if (tag == TAG_FORM)
                return flow_open_form(f, t, flags);
            uint8_t kind = tag_rows[tag].kind; /* moved before the table, but nobody sees them */
            return (traits & T_VOID) && (kind == K_SKIP || kind == K_IMAGE) ? 1 : doubt(f, "an element between cells");
        } else if (traits & T_CELL) {
            if (around == TAG_TR)
                return push(f, tag, t, flags, 0);
            push(f, around == TAG_TABLE ? TAG_TBODY : TAG_TR, NULL, O_BOX, 0);
        } else if (around == TAG_COLGROUP) {
            return 1; /* a col */
        } else if (around == TAG_TR || (around != TAG_TABLE && tag != TAG_TR)) {
            pop(f);
        } else if (tag == TAG_TR) {
            if (around != TAG_TABLE)
                return push(f, tag, t, flags, 0);
            push(f, TAG_TBODY, NULL, O_BOX, 0);
        } else if (tag == TAG_COL) {
            return push(f, TAG_COLGROUP, NULL, O_BOX, 0);
        } else {
            return push(f, tag, t, flags, 0);
        }
        if (f->depth == 0 || f->doubt)
            return doubt(f, "the element ends early");
    }
}

/* End the cell or caption that a table part begins or ends outside of; return 0 in doubt, -1 to read the tag again. */
int flow_leave_cell(Flow *f)
{
    for (int i = f->depth - 1; i >= 0; i--) {
        uint8_t open = f->open[i].tag;
        if ((traits_of(open) & T_CELL) || open == TAG_CAPTION) {
            close_to(f, i);
            return f->depth ? -1 : doubt(f, "the element ends early");
        }
        if (open == TAG_TABLE)
            break;
    }
    return doubt(f, "a table part outside of a table");
}

/* Follow the end tag of a table part or a table. */
int flow_end_table_part(Flow *f, const Token *t)
{
    uint8_t tag = t->tag;
    for (;;) {
        if (f->depth == 0)
            return doubt(f, "the element ends early");
        uint8_t around = top_of(f)->tag;
        if (!is_table_frame(around)) { /* in a cell or caption, at any depth */
            int cell = f->depth - 1;
            while (cell >= 0 && !(traits_of(f->open[cell].tag) & T_CELL) && f->open[cell].tag != TAG_CAPTION)
                cell--;
            if (cell < 0)
                return doubt(f, "the end of a table around");
            uint8_t open = f->open[cell].tag;
            if (open == tag) {
                close_to(f, cell);
                return 1;
            }
            int is_frame = tag == TAG_TABLE || tag == TAG_TR || (traits_of(tag) & T_SECTION);
            if (!is_frame || (open == TAG_CAPTION && tag != TAG_TABLE))
                return 1;
            int place = find_open(f, tag, 0, TAG_TABLE);
            if (place == MAYBE_AROUND)
                return doubt(f, "the end of a table around");
            if (place == BEHIND_BARRIER)
                return 1;
            close_to(f, cell);
        } else if (around == tag) {
            pop(f);
            return 1;
        } else if (around == TAG_COLGROUP) {
            if (tag == TAG_COL)
                return 1;
            pop(f);
        } else if (around == TAG_TABLE || (traits_of(tag) & T_CELL) || tag == TAG_CAPTION || tag == TAG_COL ||
                   tag == TAG_COLGROUP || tag == TAG_TR) {
            return 1;
        } else {
            int place = find_open(f, tag, 0, TAG_TABLE);
            if (place == MAYBE_AROUND)
                return doubt(f, "the end of a table around");
            if (place == BEHIND_BARRIER)
                return 1;
            pop(f);
        }
    }
}
