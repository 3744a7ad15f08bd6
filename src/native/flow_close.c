/* Follow end tags as the tree builder does (13.2.6.4.7); see flow_stack.h. */
#include "flow_stack.h"

static int end_form(Flow *f)
{
    flow_ask_for_form(f);
    int place = f->form;
    f->form = FORM_NONE;
    if (place == FORM_AROUND && (traits_of(top_of(f)->tag) & T_IMPLIED))
        return doubt(f, "the end of a form around"); /* it may end items and paragraphs inside */
    if (place < 0)
        return 1;
    for (int i = f->depth - 1; i > place; i--) {
        if (traits_of(f->open[i].tag) & T_SCOPE)
            return 1;
        if (f->open[i].tag != TAG_P)
            return doubt(f, "a form ends out of turn");
    }
    uint8_t after = f->open[place].flags & O_MUTE ? AFTER_DROPPED_FORM : AFTER_FORM;
    close_to(f, place);
    if (f->depth && f->open[f->depth - 1].after_form < after && !(f->all_strict && !flow_leaves_formatting(f)))
        f->open[f->depth - 1].after_form = after; /* see flow_mind_form */
    return 1;
}

const char WORDS_BEHIND_FORM[] = "words behind a form";

/* Inline elements that are still open where a form ends keep it open for what follows directly (13.2.6.4.7). They are
 * not kept track of, so words there are in doubt, and any element there if the form was dropped. */
int flow_mind_form(Flow *f)
{
    return f->open[f->depth - 1].after_form && !f->mute ? doubt(f, WORDS_BEHIND_FORM) : 1;
}

static int same_name(const Open *e, const Token *t)
{
    if (e->tag != t->tag || e->tag != TAG_OTHER)
        return e->tag == t->tag;
    return e->name_size == t->name_size && same_letters(e->name, t->name, t->name_size);
}

/* 13.2.6.4.7, the end tag of a formatting element where all elements are kept track of. */
static int end_formatting(Flow *f, const Token *t)
{
    if (same_name(top_of(f), t)) {
        pop(f);
        if (t->tag == TAG_A)
            f->link_open = 0;
        return 1;
    }
    for (int i = f->depth - 1; i >= 0; i--)
        if (traits_of(f->open[i].tag) & T_SCOPE)
            return 1;
        else if (same_name(&f->open[i], t) || (f->open[i].flags & O_OUTER))
            break;
    return doubt(f, "an inline element closed out of turn");
}

/* 13.2.6.4.7, any other end tag. */
static int end_other(Flow *f, const Token *t)
{
    for (int i = f->depth - 1; i >= 0; i--) {
        const Open *e = &f->open[i];
        if (same_name(e, t)) {
            close_to(f, i);
            return 1;
        }
        if (traits_of(e->tag) & T_SPECIAL)
            return 1;
        if (e->flags & O_OUTER)
            return doubt(f, "an inline element closed out of turn");
    }
    return doubt(f, "the end of an element around");
}

static int end_heading(Flow *f)
{
    for (int i = f->depth - 1; i >= 0; i--) {
        uint32_t traits = traits_of(f->open[i].tag);
        if (traits & T_HEADING) {
            close_to(f, i);
            return 1;
        }
        if (traits & T_SCOPE)
            return 1;
    }
    return flow_maybe_heading_around(f) ? doubt(f, "the end of a heading around") : 1;
}

static int end_p(Flow *f)
{
    int place = find_p(f);
    if (place == MAYBE_AROUND)
        return doubt(f, "the end of a paragraph around");
    if (place >= 0)
        close_to(f, place);
    else if (!f->mute)
        flow_rule(f); /* the tree builder adds an empty one */
    return 1;
}

static int end_scoped(Flow *f, uint8_t tag, uint32_t barrier)
{
    int place = find_open(f, tag, barrier, 0);
    if (place == MAYBE_AROUND)
        return doubt(f, "the end of an element around");
    if (place >= 0)
        close_to(f, place);
    return 1;
}

void flow_close_all(Flow *f)
{
    close_to(f, 0);
}

int flow_end_tag(Flow *f, const Token *t)
{
    uint8_t tag = t->tag, kind = tag_rows[tag].kind;
    uint32_t traits = traits_of(tag);
    if (top_of(f)->flags & O_FOREIGN) {
        if (!same_name(top_of(f), t))
            return doubt(f, "svg or math closed out of turn");
        pop(f);
        return 1;
    }
    if (traits & T_FRAME)
        return 1;
    if ((traits & T_TABLE_PART) || tag == TAG_TABLE)
        return flow_end_table_part(f, t);
    if (is_table_frame(top_of(f)->tag)) {
        if (tag == TAG_P || tag == TAG_BR || top_of(f)->tag == TAG_COLGROUP)
            return doubt(f, "an end tag between cells");
        return tag == TAG_FORM ? end_form(f) : 1; /* of nothing that is open here */
    }
    if (tag == TAG_P)
        return end_p(f);
    if (tag == TAG_BR) {
        if (!f->mute)
            flow_break(f);
        return 1;
    }
    if (tag == TAG_FORM)
        return end_form(f);
    if (tag == TAG_LI)
        return end_scoped(f, tag, T_SCOPE | T_LIST);
    if (traits & T_HEADING)
        return end_heading(f);
    if (tag == TAG_SELECT || tag == TAG_TEMPLATE)
        return doubt(f, "the end of a select or template around");
    if (tag == TAG_OBJECT || tag == TAG_APPLET || tag == TAG_MARQUEE || tag == TAG_DIALOG ||
        (kind == K_BOX && (traits & T_SPECIAL) && !(traits & T_RAW)))
        return end_scoped(f, tag, T_SCOPE);
    if (traits & (T_VOID | T_RAW))
        return 1;
    if (f->strict)
        return traits & T_FORMATTING ? end_formatting(f, t) : end_other(f, t);
    if (tag == TAG_A)
        f->link_open = 0;
    return kind == K_INLINE ? 1 : end_other(f, t);
}
