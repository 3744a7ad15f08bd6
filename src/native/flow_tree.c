/* Follow tags as the tree builder of the HTML standard does, as far as it decides which box a text stands in (13.2.6.4.7,
 * and for tables 13.2.6.4.9 to 15); see flow.h.
 *
 * Only elements that can hold or end a box are kept track of. Other inline elements never change which box a text is
 * in, not even when they are closed out of turn, so their tags are passed over. The exception is inside elements that
 * an inline end tag could close, such as legend or a dropped span: there (`strict`) all of them are.
 */
#define _GNU_SOURCE /* memrchr, memmem */
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
static int maybe_around(Flow *f, uint8_t tag)
{
    if (f->around[tag] == 0) {
        const char *name = tag_rows[tag].name;
        f->around[tag] = is_last_an_opening(f, name, strlen(name)) ? 1 : -1;
    }
    return f->around[tag] > 0;
}

/* Say the same of the headings, all of them in one look. */
static int maybe_heading_around(Flow *f)
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
static void ask_for_form(Flow *f)
{
    if (f->form_asked)
        return;
    f->form_asked = 1;
    if (maybe_around(f, TAG_FORM))
        f->asked |= PAGE_IN_FORM;
}

static int open_form(Flow *f, const Token *t, uint8_t flags)
{
    ask_for_form(f);
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

/* Say whether a table is marked as one of layout: `presentation` is a word of its class, id, role or itemprop. */
static int is_layout_table(Flow *f, const Token *t)
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
static int open_in_table(Flow *f, const Token *t, uint8_t flags)
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
                return open_form(f, t, flags);
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
static int leave_cell(Flow *f)
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
static int end_table_part(Flow *f, const Token *t)
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
    return push(f, TAG_TABLE, t, flags, is_layout_table(f, t));
}

static int open_button(Flow *f, const Token *t, uint8_t flags)
{
    int place = find_open(f, TAG_BUTTON, T_SCOPE, 0);
    if (place >= 0)
        close_to(f, place);
    else if (place == MAYBE_AROUND && maybe_around(f, TAG_BUTTON))
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
        return open_form(f, t, flags);
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
                f->link_open = (int8_t)maybe_around(f, TAG_A);
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
    int layout = tag == TAG_TABLE && is_layout_table(f, t);
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
        int done = is_table_frame(top_of(f)->tag) ? open_in_table(f, t, flags) : leave_cell(f);
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

/* Say whether formatting elements may be left open on the page before the element. */
static int leaves_around(const Flow *f)
{
    Token t;
    uint16_t open[TAG_COUNT] = {0};
    uint32_t count = 0;
    const byte *at = f->page;
    while ((at = find_byte(at, f->start, '<')) != NULL) {
        read_token(&t, at, f->start);
        if (t.kind == TOKEN_UNENDED)
            return 1;
        at = t.next;
        if (t.kind != TOKEN_START && t.kind != TOKEN_END)
            continue;
        uint32_t traits = traits_of(t.tag);
        if ((traits & T_FORMATTING) && t.kind == TOKEN_START) {
            open[t.tag]++;
            count++;
        } else if ((traits & T_FORMATTING) && open[t.tag]) {
            open[t.tag]--;
            count--;
        }
        if (t.kind == TOKEN_START && (traits & T_RAW) && (at = content_close(&t, f->start)) == NULL)
            return 1;
    }
    return count != 0;
}

/* Say whether formatting elements (b, i, a, ...) may be left open here, where a form ends: the tree builder builds them
 * again inside the form, and then its end tag does not end it for what follows (13.2.6.4.7); only known where all elements are kept track of. */
static int leaves_formatting(Flow *f)
{
    if (!f->pending && f->around[TAG_OTHER] == 0)
        f->around[TAG_OTHER] = leaves_around(f) ? 1 : -1;
    return f->pending || f->around[TAG_OTHER] > 0;
}

static int end_form(Flow *f)
{
    ask_for_form(f);
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
    if (f->depth && f->open[f->depth - 1].after_form < after && !(f->all_strict && !leaves_formatting(f)))
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
    return maybe_heading_around(f) ? doubt(f, "the end of a heading around") : 1;
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
        return end_table_part(f, t);
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
