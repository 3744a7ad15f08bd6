/* The stack of open elements that flow_open.c, flow_close.c and flow_table.c share. Sections are of the HTML standard.
 *
 * Only elements that can hold or end a box are kept track of. Other inline elements never change which box a text is
 * in, not even when they are closed out of turn, so their tags are passed over. The exception is inside elements that
 * an inline end tag could close, such as legend or a dropped span: there (`strict`) all of them are.
 */
#ifndef SCYTHE_CUT_FLOW_STACK_H
#define SCYTHE_CUT_FLOW_STACK_H

#include "flow.h"

static inline const Open *top_of(const Flow *f)
{
    return &f->open[f->depth - 1];
}

static inline int doubt(Flow *f, const char *why)
{
    f->doubt = why;
    return 0;
}

/* Open an element; `t` is NULL for one that the tree builder adds by itself. */
static inline int push(Flow *f, uint8_t tag, const Token *t, uint8_t flags, int layout)
{
    if (f->depth == OPEN_ROOM)
        return doubt(f, "too deep");
    if (f->depth == 0 && f->box_count)
        return doubt(f, "the element ends early");
    if ((flags & O_BOX) && f->mute)
        flags &= (uint8_t)~O_BOX;
    if (flags & O_BOX)
        flow_open_box(f, tag, layout);
    if ((flags & O_STRICT) && f->strict == 0)
        flags |= O_OUTER;
    uint8_t after = f->depth && tag_rows[tag].kind != K_BOX ? top_of(f)->after_form : 0;
    f->mute += (flags & O_MUTE) != 0;
    f->strict += (flags & O_STRICT) != 0;
    f->pre += (flags & O_PRE) != 0;
    f->open[f->depth++] = (Open){t ? t->name : NULL, t ? t->name_size : 0, tag, flags, after, f->link_open};
    if (traits_of(tag) & T_SCOPE)
        f->link_open = 0; /* links open around do not count inside, and again behind it (13.2.4.3, markers) */
    return 1;
}

static inline void pop(Flow *f)
{
    const Open *e = &f->open[--f->depth];
    f->mute -= (e->flags & O_MUTE) != 0;
    if (e->flags & O_BOX)
        flow_close_box(f);
    f->strict -= (e->flags & O_STRICT) != 0;
    f->pre -= (e->flags & O_PRE) != 0;
    if (traits_of(e->tag) & T_SCOPE)
        f->link_open = e->link_open;
    if (f->form == f->depth)
        f->form = FORM_GONE;
}

static inline void close_to(Flow *f, int place)
{
    while (f->depth > place) {
        const Open *e = top_of(f);
        if (traits_of(e->tag) & T_FORMATTING) {
            f->pending = 1;
            if (e->flags & O_MUTE)
                doubt(f, "a dropped element that is built again");
        }
        pop(f);
    }
}

/* places that find_open gives besides those of the stack */
enum { BEHIND_BARRIER = -1, MAYBE_AROUND = -2 };

/* Return the place of the innermost open element of a name; a barrier ends the search. */
static inline int find_open(const Flow *f, uint8_t tag, uint32_t barrier, uint8_t barrier_tag)
{
    for (int i = f->depth - 1; i >= 0; i--) {
        uint8_t open = f->open[i].tag;
        if (open == tag)
            return i;
        if ((traits_of(open) & barrier) || (barrier_tag && open == barrier_tag))
            return BEHIND_BARRIER;
    }
    return MAYBE_AROUND;
}

/* Return the place of the p that an opening tag would end, or BEHIND_BARRIER; MAYBE_AROUND is doubt. */
static inline int find_p(const Flow *f)
{
    int place = find_open(f, TAG_P, T_SCOPE, TAG_BUTTON);
    /* an element whose opening tag ends a p is in none */
    return place == MAYBE_AROUND && (traits_of(f->open[0].tag) & T_CLOSES_P) ? BEHIND_BARRIER : place;
}

static inline int close_p(Flow *f)
{
    int place = find_p(f);
    if (place == MAYBE_AROUND)
        return doubt(f, "a paragraph may be open around");
    if (place == 0)
        return doubt(f, "the element ends early");
    if (place > 0)
        close_to(f, place);
    return 1;
}

/* flow_open.c */
int flow_maybe_around(Flow *f, uint8_t tag);
int flow_maybe_heading_around(Flow *f);
void flow_ask_for_form(Flow *f);
int flow_open_form(Flow *f, const Token *t, uint8_t flags);

/* flow_form.c */
int flow_leaves_formatting(Flow *f);

/* flow_table.c: each returns 1 when the tag is done, 0 in doubt, -1 to read it again by the rules of the body */
int flow_open_in_table(Flow *f, const Token *t, uint8_t flags);
int flow_leave_cell(Flow *f);
int flow_end_table_part(Flow *f, const Token *t);
int flow_is_layout_table(Flow *f, const Token *t);

#endif
