/* Follow opening tags as the tree builder does (13.2.6.4.7); see flow_stack.h. */
#define _GNU_SOURCE
#include "flow_stack.h"

/* 13.2.6.4.7, start tags li, dd, dt: end the item before. */
static int close_item(Flow *f, uint8_t tag)
{
    for (int i = f->depth - 1; i >= 0; i--) {
        uint8_t open = f->open[i].tag;
        if (open == tag || (tag != TAG_LI && (open == TAG_DD || open == TAG_DT))) {
            close_to(f, i);
            return i ? 1 : doubt(f, "the element ends early");
        }
        if ((traits_of(open) & T_SPECIAL) && open != TAG_ADDRESS && open != TAG_DIV && open != TAG_P)
            return 1;
    }
    return doubt(f, "an item may be open around");
}

static const byte *find_last(const byte *start, const byte *end, byte wanted)
{
#ifdef __GLIBC__
    return memrchr(start, wanted, (size_t)(end - start));
#else
    while (end > start)
        if (*--end == wanted)
            return end;
    return NULL;
#endif
}

static int is_last_an_opening(const Flow *f, const char *name, size_t size)
{
    const byte *at = f->start;
    while ((at = find_last(f->page, at, '<')) != NULL) {
        int closing = at[1] == '/';
        const byte *letters = at + 1 + closing;
        if (lower(*letters) != (byte)name[0] || (size_t)(f->start - letters) <= size)
            continue;
        size_t i = 1;
        while (i < size && lower(letters[i]) == (byte)name[i])
            i++;
        if (i == size && (byte_class[letters[size]] & B_NAME_END))
            return !closing;
    }
    return 0;
}

/* Say whether the last tag of a name before the element is an opening one: what it opened may still be open. Only for
 * elements that do not nest. */
int flow_maybe_around(Flow *f, uint8_t tag)
{
    if (f->around[tag] == 0) {
        const char *name = tag_rows[tag].name;
        f->around[tag] = is_last_an_opening(f, name, strlen(name)) ? 1 : -1;
    }
    return f->around[tag] > 0;
}

/* Say the same of the headings, all of them in one look. */
int flow_maybe_heading_around(Flow *f)
{
    unsigned seen = 0; /* bits 1 to 6 */
    const byte *at = f->start;
    while (f->around[TAG_H1] == 0 && seen != 126 && (at = find_last(f->page, at, '<')) != NULL) {
        int closing = at[1] == '/';
        const byte *letters = at + 1 + closing;
        if (lower(*letters) != 'h' || f->start - letters <= 2 || letters[1] < '1' || letters[1] > '6' ||
            !(byte_class[letters[2]] & B_NAME_END) || (seen >> (letters[1] - '0') & 1))
            continue;
        seen |= 1u << (letters[1] - '0');
        if (!closing)
            f->around[TAG_H1] = 1;
    }
    if (f->around[TAG_H1] == 0)
        f->around[TAG_H1] = -1;
    return f->around[TAG_H1] > 0;
}

/* A form inside a form does not count: ask what the page around is like, once. */
void flow_ask_for_form(Flow *f)
{
    if (f->form_asked)
        return;
    f->form_asked = 1;
    if (flow_maybe_around(f, TAG_FORM))
        f->asked |= PAGE_IN_FORM;
}

int flow_open_form(Flow *f, const Token *t, uint8_t flags)
{
    flow_ask_for_form(f);
    if (f->form != FORM_NONE)
        return 1;
    if (is_table_frame(top_of(f)->tag)) { /* it stays empty (13.2.6.4.9) */
        f->form = FORM_GONE;
        return 1;
    }
    if (!close_p(f))
        return 0;
    int place = f->depth;
    if (!push(f, TAG_FORM, t, flags, 0))
        return 0;
    f->form = place;
    return 1;
}

static int open_table(Flow *f, const Token *t, uint8_t flags)
{
    int place = find_p(f);
    if (place == MAYBE_AROUND)
        return doubt(f, "a paragraph may be open around");
    if (place >= 0) {
        f->asked |= PAGE_QUIRKS;
        if (!(f->page_is & PAGE_QUIRKS))
            close_to(f, place);
    }
    return push(f, TAG_TABLE, t, flags, flow_is_layout_table(f, t));
}

static int open_button(Flow *f, const Token *t, uint8_t flags)
{
    int place = find_open(f, TAG_BUTTON, T_SCOPE, 0);
    if (place >= 0)
        close_to(f, place);
    else if (place == MAYBE_AROUND && flow_maybe_around(f, TAG_BUTTON))
        return doubt(f, "a button may be open around");
    return push(f, TAG_BUTTON, t, flags, 0);
}

/* Open a box in the body of the page (13.2.6.4.7). */
static int open_box(Flow *f, const Token *t, uint8_t flags)
{
    uint8_t tag = t->tag;
    uint32_t traits = traits_of(tag);
    flags |= O_BOX;
    switch (tag) {
    case TAG_FORM:
        return flow_open_form(f, t, flags);
    case TAG_TABLE:
        return open_table(f, t, flags);
    case TAG_BUTTON:
        return open_button(f, t, flags);
    case TAG_PLAINTEXT:
        return doubt(f, "plaintext");
    case TAG_LI:
    case TAG_DD:
    case TAG_DT:
        if (!close_item(f, tag))
            return 0;
        break;
    case TAG_OPTION:
    case TAG_OPTGROUP:
        if (top_of(f)->tag == TAG_OPTION)
            pop(f);
        break;
    default:
        break;
    }
    if ((traits & T_CLOSES_P) && !close_p(f))
        return 0;
    if ((traits & T_HEADING) && (traits_of(top_of(f)->tag) & T_HEADING)) {
        f->asked |= INLINE_IN_HEADING; /* if one is open, the heading is inside, else behind the one before */
        if (!(f->page_is & INLINE_IN_HEADING))
            pop(f);
    }
    if (!(traits & T_SPECIAL))
        flags |= O_STRICT;
    if (is_pre(tag))
        flags |= O_PRE;
    return push(f, tag, t, flags, 0);
}

/* Open an inline element, or one that is not shown. */
static int open_inline(Flow *f, const Token *t, uint8_t flags)
{
    uint8_t tag = t->tag, kind = tag_rows[tag].kind;
    uint32_t traits = traits_of(tag);
    int special = (traits & T_SPECIAL) != 0;
    if (kind == K_SKIP || kind == K_IMAGE)
        flags |= O_MUTE;
    if (tag == TAG_SVG || tag == TAG_MATH) {
        if (t->slash)
            return 1;
        return push(f, tag, t, flags | O_FOREIGN | O_STRICT, 0);
    }
    if (tag == TAG_RB || tag == TAG_RT || tag == TAG_RP || tag == TAG_RTC) {
        if (find_open(f, TAG_RUBY, T_SCOPE, 0) < 0)
            return doubt(f, "ruby text outside of ruby");
        while ((traits_of(top_of(f)->tag) & T_IMPLIED) && f->depth > 1 &&
               (top_of(f)->tag != TAG_RTC || tag == TAG_RB || tag == TAG_RTC))
            pop(f);
        return push(f, tag, t, flags | O_STRICT, 0);
    }
    if (tag == TAG_A) {
        if (f->strict || (flags & O_MUTE)) {
            /* the tree builder ends an open `a` first, and what lies in it */
            if (f->link_open < 0)
                f->link_open = (int8_t)flow_maybe_around(f, TAG_A);
            if (f->link_open)
                return doubt(f, "a link may be open around");
        }
        f->link_open = 1;
    } else if (tag == TAG_NOBR && (f->strict || flags))
        return doubt(f, "nobr");
    if (special)
        return push(f, tag, t, flags, 0);
    if (flags || tag == TAG_RUBY)
        flags |= O_STRICT;
    return flags || f->strict ? push(f, tag, t, flags, 0) : 1;
}

/* Open an element inside svg or math (13.2.6.5). */
static int open_foreign(Flow *f, const Token *t)
{
    uint8_t tag = t->tag, around = top_of(f)->tag, kind = tag_rows[tag].kind;
    if ((traits_of(tag) & T_BREAKS_OUT) || tag == TAG_FONT || tag == TAG_SCRIPT)
        return doubt(f, "HTML in svg or math");
    if (around == TAG_TITLE || around == TAG_DESC || around == TAG_FOREIGNOBJECT || around == TAG_ANNOTATION_XML ||
        around == TAG_MI || around == TAG_MO || around == TAG_MN || around == TAG_MS || around == TAG_MTEXT)
        return doubt(f, "HTML in svg or math");
    if (!f->mute && kind != K_INLINE && kind != K_SKIP)
        return doubt(f, "HTML in svg or math");
    if (t->slash)
        return 1;
    return push(f, tag, t, O_FOREIGN | O_STRICT | (kind == K_SKIP ? O_MUTE : 0), 0);
}

/* Open the element itself. */
int flow_open_root(Flow *f, const Token *t)
{
    uint8_t tag = t->tag, kind = tag_rows[tag].kind;
    uint32_t traits = traits_of(tag);
    if ((kind != K_BOX && kind != K_INLINE) || (traits & (T_VOID | T_RAW | T_FRAME | T_OPAQUE)) || tag == TAG_PLAINTEXT)
        return doubt(f, "no element to read");
    f->link_open = tag == TAG_A ? 1 : -1;
    f->form = f->page_is & PAGE_IN_FORM ? FORM_AROUND : FORM_NONE;
    int layout = tag == TAG_TABLE && flow_is_layout_table(f, t);
    uint8_t flags = (traits & T_SPECIAL) && !f->all_strict ? O_BOX : O_BOX | O_STRICT;
    return push(f, tag, t, flags | (is_pre(tag) ? O_PRE : 0), layout);
}

int flow_start_tag(Flow *f, const Token *t, int dropped)
{
    uint8_t tag = t->tag, kind = tag_rows[tag].kind, flags = dropped ? O_MUTE : 0;
    uint32_t traits = traits_of(tag);
    if (top_of(f)->flags & O_FOREIGN)
        return open_foreign(f, t);
    if (traits & T_FRAME) /* there is only one of each on a page */
        return tag == TAG_FRAMESET ? doubt(f, "a frameset") : 1;
    if (top_of(f)->after_form == AFTER_DROPPED_FORM && !flow_mind_form(f))
        return 0;
    while (is_table_frame(top_of(f)->tag) || (traits & T_TABLE_PART)) {
        int done = is_table_frame(top_of(f)->tag) ? flow_open_in_table(f, t, flags) : flow_leave_cell(f);
        if (done >= 0)
            return done;
    }
    if (traits & T_VOID) {
        if (tag == TAG_HR && !close_p(f))
            return 0;
        if (!f->mute && kind == K_BREAK) {
            if (!flow_mind_form(f))
                return 0;
            flow_break(f);
        } else if (!f->mute && kind == K_RULE)
            flow_rule(f);
        return 1;
    }
    return kind == K_BOX ? open_box(f, t, flags) : open_inline(f, t, flags);
}
