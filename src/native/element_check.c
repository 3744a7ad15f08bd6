/* Say whether an element that string search found is one in the tree of its page, by the bytes near it. */
#include "native.h"

#include "tokens.h"

enum { OPEN_AT_MOST = 64 };

typedef struct {
    uint8_t tag[OPEN_AT_MOST];
    const byte *name[OPEN_AT_MOST];
    uint32_t size[OPEN_AT_MOST];
    int count;
    int link_around; /* a link may be open around the element */
} Open;

/* Say whether the parser has rules for a tag that are not followed here. */
static int is_unusual(int tag)
{
    switch (tag) {
    case TAG_APPLET: case TAG_MARQUEE: case TAG_OBJECT: case TAG_DIALOG: case TAG_SEARCH: case TAG_SELECTEDCONTENT:
    case TAG_IMAGE: case TAG_ISINDEX: case TAG_OPTGROUP: case TAG_OPTION: case TAG_PLAINTEXT: case TAG_XMP:
    case TAG_NOEMBED: case TAG_NOFRAMES: case TAG_RB: case TAG_RP: case TAG_RT: case TAG_RTC: case TAG_TEMPLATE:
    case TAG_MATH: case TAG_FORM:
        return 1;
    default:
        return (traits_of(tag) & T_FRAME) != 0;
    }
}

static int has_open(const Open *open, int tag)
{
    for (int i = 0; i < open->count; i++)
        if (open->tag[i] == tag)
            return 1;
    return 0;
}

/* Say whether the same tag is open and no list or cell stands between, so that it ends where another begins. */
static int ends_sibling(const Open *open, int tag)
{
    for (int i = open->count - 1; i >= 0; i--) {
        uint32_t traits = traits_of(open->tag[i]);
        if (open->tag[i] == tag)
            return 1;
        if (traits & (T_LIST | T_SCOPE) || open->tag[i] == TAG_DL)
            return 0;
    }
    return 0;
}

static int is_in_place(int tag, int above)
{
    uint32_t traits = traits_of(tag), around = traits_of(above);
    int holds_parts = above == TAG_TABLE || above == TAG_TR || (around & T_SECTION) || above == TAG_COLGROUP;
    if (!(traits & T_TABLE_PART))
        return !holds_parts;
    if (traits & T_CELL)
        return above == TAG_TR;
    if (tag == TAG_TR)
        return above == TAG_TABLE || (around & T_SECTION);
    return above == TAG_TABLE || (tag == TAG_COL && above == TAG_COLGROUP);
}

/* Open an element inside the one that is looked at; return 0 where the parser might end another for it. */
static int open_tag(Open *open, const Token *t)
{
    uint32_t traits = traits_of(t->tag);
    int above = open->tag[open->count - 1];
    if (t->zero || is_unusual(t->tag))
        return 0;
    if ((traits & T_OPAQUE) && t->tag != TAG_NOSCRIPT)
        return 0;
    if (!(traits & T_HEADLIKE) && !is_in_place(t->tag, above))
        return 0;
    if ((traits & T_CLOSES_P) && has_open(open, TAG_P))
        return 0;
    if ((traits & T_HEADING) && (traits_of(above) & T_HEADING))
        return 0;
    if (t->tag == TAG_LI && ends_sibling(open, TAG_LI))
        return 0;
    if ((t->tag == TAG_DT || t->tag == TAG_DD) && (ends_sibling(open, TAG_DT) || ends_sibling(open, TAG_DD)))
        return 0;
    if (t->tag == TAG_A && (open->link_around || has_open(open, TAG_A)))
        return 0;
    if ((t->tag == TAG_BUTTON || t->tag == TAG_NOBR) && has_open(open, t->tag))
        return 0;
    if (traits & T_VOID)
        return 1;
    if (open->count >= OPEN_AT_MOST)
        return 0;
    open->tag[open->count] = t->tag;
    open->name[open->count] = t->name;
    open->size[open->count++] = t->name_size;
    return 1;
}

static int is_blank(const byte *at, const byte *end)
{
    return skip_space(at, end) == end;
}

/* Return the byte behind an svg or a select with nothing unusual inside, from its opening tag, or NULL. */
static const byte *skip_closed(const Token *opening, const byte *end)
{
    Token t = *opening;
    if (t.slash && t.tag == TAG_SVG)
        return t.next;
    const byte *at = t.next;
    while ((at = find_byte(at, end, '<')) != NULL) {
        read_token(&t, at, end);
        at = t.next;
        if (t.kind == TOKEN_UNENDED)
            return NULL;
        if (t.kind == TOKEN_END && t.tag == opening->tag)
            return at;
        if (t.kind != TOKEN_START)
            continue;
        int is_option = t.tag == TAG_OPTION || t.tag == TAG_OPTGROUP;
        if (opening->tag == TAG_SELECT ? !is_option : t.tag != TAG_OTHER || t.zero)
            return NULL;
    }
    return NULL;
}

/* Say whether the element that begins at `start` ends at `end`: tags inside are closed in turn. */
static int is_whole(Open *open, const byte *start, const byte *end, const byte **inner)
{
    Token t;
    read_token(&t, start, end);
    uint32_t own = traits_of(t.tag);
    if (t.kind != TOKEN_START || t.zero || is_unusual(t.tag) || (own & (T_RAW | T_VOID | T_OPAQUE)))
        return 0;
    open->tag[0] = t.tag;
    open->name[0] = t.name;
    open->size[0] = t.name_size;
    open->count = 1;
    const byte *text = *inner = t.next, *at;
    while ((at = find_byte(text, end, '<')) != NULL) {
        int top = open->count - 1, above = open->tag[top];
        if ((above == TAG_TABLE || above == TAG_TR || (traits_of(above) & T_SECTION)) && !is_blank(text, at))
            return 0;
        read_token(&t, at, end);
        text = t.next;
        switch (t.kind) {
        case TOKEN_UNENDED:
            return 0;
        case TOKEN_START:
            if (traits_of(t.tag) & T_RAW) {
                const byte *close = content_close(&t, end);
                if (close == NULL || is_unusual(t.tag))
                    return 0;
                read_token(&t, close, end);
                if (t.kind != TOKEN_END)
                    return 0;
                text = t.next;
            } else if (t.tag == TAG_SVG || t.tag == TAG_SELECT) {
                text = is_in_place(t.tag, above) ? skip_closed(&t, end) : NULL;
                if (text == NULL)
                    return 0;
            } else if (!open_tag(open, &t))
                return 0;
            break;
        case TOKEN_END:
            if (t.name_size != open->size[top] || !same_letters(t.name, open->name[top], t.name_size))
                return 0;
            if (--open->count == 0)
                return t.next == end;
            break;
        default:
            break;
        }
    }
    return 0;
}

/* Say whether a part of a table is where it belongs, behind the opening (1) or closing (-1) tag of another. */
static int follows(int tag, int before, int step)
{
    uint32_t traits = traits_of(tag), other = traits_of(before);
    if (traits & T_CELL)
        return step > 0 ? before == TAG_TR : (other & T_CELL) != 0;
    if (tag == TAG_TR)
        return step > 0 ? before == TAG_TABLE || (other & T_SECTION) : before == TAG_TR;
    return step > 0 ? before == TAG_TABLE : before != TAG_TABLE;
}

/* Say whether the tag at `start` is read as one: no comment, raw text or element that is not followed is open there. */
static int leads_to(Open *open, const byte *from, const byte *start, const byte *end)
{
    int opaque = 0, tables = 0, part = TAG_OTHER, part_step = 0;
    const byte *at = find_byte(from, start, '<');
    while (at != NULL) {
        Token t;
        read_token(&t, at, end);
        if (t.kind == TOKEN_UNENDED || t.next > start || (t.kind == TOKEN_START && t.tag == TAG_PLAINTEXT))
            return 0;
        uint32_t traits = t.kind == TOKEN_START || t.kind == TOKEN_END ? traits_of(t.tag) : 0;
        int step = t.kind == TOKEN_START ? 1 : -1;
        if (traits & T_FRAME && (t.tag == TAG_FRAMESET || t.tag == TAG_FRAME))
            return 0;
        if ((traits & T_OPAQUE) && !t.slash)
            opaque = opaque + step < 0 ? 0 : opaque + step;
        if (t.tag == TAG_TABLE && traits)
            tables += step;
        if ((t.tag == TAG_TABLE && traits) || (traits & T_TABLE_PART)) {
            part = t.tag;
            part_step = step;
        }
        if (t.tag == TAG_A && traits)
            open->link_around = step > 0;
        at = t.next;
        if ((traits & T_RAW) && t.kind == TOKEN_START) {
            at = content_close(&t, end);
            if (at == NULL || at >= start)
                return 0;
        }
        at = find_byte(at, start, '<');
    }
    Token own;
    read_token(&own, start, end);
    if (opaque)
        return 0;
    return !(traits_of(own.tag) & T_TABLE_PART) || (tables > 0 && follows(own.tag, part, part_step));
}

PyObject *check_element(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *body;
    Py_ssize_t size, from, start, end;
    if (!PyArg_ParseTuple(args, "y#nnn", &body, &size, &from, &start, &end))
        return NULL;
    if (from < 0 || from > start || start >= end || end > size)
        return PyLong_FromLong(0);
    const byte *base = (const byte *)body;
    Open open = {.count = 0, .link_around = 0};
    const byte *inner = base;
    if (!leads_to(&open, base + from, base + start, base + size) || !is_whole(&open, base + start, base + end, &inner))
        inner = base;
    return PyLong_FromSsize_t(inner - base);
}
