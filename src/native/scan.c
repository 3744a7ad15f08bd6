/* The end of an element, found as the tree builder of the HTML standard finds it, or not at all.
 *
 * Only elements that the standard calls special decide about each other's ends. So, in a special element, inline ones
 * need not be remembered, however badly they are nested; in an inline element everything is, and must be in order.
 * Whatever could depend on what stands around the element, and cannot be asked, is doubt.
 */
#include "scan.h"

#define SCYTHE_REASON(id, text) text,
const char *const doubt_names[D_COUNT] = {SCYTHE_DOUBTS(SCYTHE_REASON)};

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

static int start_table_part(Scan *s, const Token *t)
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

static int end_table_part(Scan *s, const Token *t)
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

/* svg and math: opening and closing tags by their names alone, until one that the standard treats as HTML. */
static int skip_foreign(Scan *s, Token *t)
{
    int shown = t->tag == TAG_MATH && !s->skips;
    int bottom = s->depth, leaf = -1; /* leaf: level of an element whose content is HTML again: text only */
    Token token = *t;
    if (token.slash)
        return GO_ON;
    push_tag(s, t->tag, t);
    const byte *at = t->next;
    while (!s->doubt) {
        const byte *open = find_byte(at, s->end, '<');
        if (open == NULL)
            return doubtful(s, D_PAGE_END);
        if (shown && s->text && !s->skips)
            text_put(s->text, at, open, IN_TEXT);
        read_token(&token, open, s->end);
        at = token.next;
        if (token.kind == TOKEN_UNENDED)
            return doubtful(s, D_PAGE_END);
        if (token.kind == TOKEN_LITERAL && shown && s->text && !s->skips)
            text_put(s->text, open, at, IN_TEXT);
        if (token.kind == TOKEN_COMMENT && open[1] == '!' && s->end - open > 8 && !memcmp(open + 2, "[CDATA[", 7))
            return doubtful(s, D_FOREIGN);
        if (token.kind == TOKEN_START) {
            uint32_t traits = traits_of(token.tag);
            int nested = token.tag == TAG_SVG && t->tag == TAG_SVG;
            if (leaf >= 0 || (!nested && (traits & (T_BREAKS_OUT | T_OPAQUE))) || token.tag == TAG_FONT || token.zero ||
                token.tag == TAG_FOREIGNOBJECT || token.tag == TAG_ANNOTATION_XML ||
                (t->tag == TAG_MATH && tag_rows[token.tag].kind != K_INLINE && token.tag != TAG_ANNOTATION))
                return doubtful(s, D_FOREIGN);
            if (token.slash)
                continue;
            int tag = token.tag;
            if (t->tag == TAG_SVG
                    ? tag == TAG_TITLE || tag == TAG_DESC
                    : tag == TAG_MI || tag == TAG_MN || tag == TAG_MO || tag == TAG_MS || tag == TAG_MTEXT)
                leaf = s->depth;
            push_tag(s, t->tag == TAG_MATH && tag == TAG_ANNOTATION ? tag : TAG_OTHER, &token);
            s->stack[s->depth - 1].tag = (uint8_t)tag;
        } else if (token.kind == TOKEN_END) {
            int level = s->depth - 1;
            while (level >= bottom && !same_name(&s->stack[level], &token))
                level--;
            if (level < bottom || token.tag == TAG_P || token.tag == TAG_BR || (leaf >= 0 && level != leaf))
                return doubtful(s, D_FOREIGN);
            leaf = leaf >= level ? -1 : leaf;
            while (s->depth > level) {
                int tag = s->stack[--s->depth].tag;
                int counted = s->depth == bottom || (t->tag == TAG_MATH && tag == TAG_ANNOTATION);
                s->ordinary--;
                s->skips -= counted && tag_rows[tag].kind == K_SKIP;
            }
            if (s->depth == bottom) {
                t->next = at;
                return GO_ON;
            }
        }
    }
    return STOP;
}

const byte *svg_end(const Token *opening, const byte *end)
{
    int depth = 1, leaf = 0; /* leaf: the TAG_... of an element whose content is HTML again: text only */
    const byte *at = opening->next;
    if (opening->slash)
        return at;
    while (depth) {
        Token t;
        const byte *open = find_byte(at, end, '<');
        if (open == NULL)
            return NULL;
        read_token(&t, open, end);
        at = t.next;
        int is_tag = t.kind == TOKEN_START || t.kind == TOKEN_END;
        uint32_t traits = is_tag ? traits_of(t.tag) : 0;
        int named = is_tag && (t.tag == TAG_TITLE || t.tag == TAG_DESC);
        if (t.kind == TOKEN_UNENDED || (is_tag && t.zero) ||
            (t.kind == TOKEN_COMMENT && end - open > 8 && !memcmp(open + 1, "![CDATA[", 8)))
            return NULL;
        if (t.kind == TOKEN_START) {
            int html = t.tag != TAG_SVG && !named && (traits & (T_BREAKS_OUT | T_OPAQUE | T_RAW | T_FRAME));
            if (leaf || html || t.tag == TAG_FONT || t.tag == TAG_FOREIGNOBJECT || t.tag == TAG_ANNOTATION_XML)
                return NULL;
            depth += t.tag == TAG_SVG && !t.slash;
            leaf = named && !t.slash ? t.tag : 0;
        } else if (t.kind == TOKEN_END) {
            int html = (traits & (T_SPECIAL | T_FORMATTING | T_BREAKS_OUT | T_OPAQUE | T_FRAME)) != 0;
            if (leaf ? t.tag != leaf : t.tag != TAG_SVG && html)
                return NULL;
            depth -= t.tag == TAG_SVG && !leaf;
            leaf = 0;
        }
    }
    return at;
}

/* Read the next token of markup and go behind it, or doubt where the page ends first. */
static int next_token(Scan *s, const byte **at, Token *token)
{
    const byte *open = find_byte(*at, s->end, '<');
    if (open != NULL)
        read_token(token, open, s->end);
    if (open == NULL || token->kind == TOKEN_UNENDED) {
        doubtful(s, D_PAGE_END);
        return 0;
    }
    *at = token->next;
    return 1;
}

const byte *select_end(const byte *at, const byte *end, int *why)
{
    Token t;
    *why = D_PAGE_END;
    while ((at = find_byte(at, end, '<')) != NULL) {
        read_token(&t, at, end);
        if (t.kind == TOKEN_UNENDED)
            break;
        if (t.kind == TOKEN_END && t.tag == TAG_SELECT)
            return t.next;
        if ((t.kind == TOKEN_START || t.kind == TOKEN_END) && t.tag != TAG_OPTION && t.tag != TAG_OPTGROUP) {
            *why = D_SELECT;
            break;
        }
        at = t.next;
    }
    return NULL;
}

/* A template ends with its own end tag whatever is open in it; only raw text can hide that. */
static int skip_template(Scan *s, Token *t)
{
    Token token;
    const byte *at = t->next;
    int inner = 1;
    while (inner) {
        if (!next_token(s, &at, &token))
            return STOP;
        if (token.kind == TOKEN_END) {
            inner -= token.tag == TAG_TEMPLATE;
        } else if (token.kind == TOKEN_START) {
            inner += token.tag == TAG_TEMPLATE;
            if (token.tag == TAG_SVG) {
                at = svg_end(&token, s->end);
                if (at == NULL)
                    return doubtful(s, D_TEMPLATE);
                continue;
            }
            if (token.tag == TAG_MATH || token.tag == TAG_SELECT || token.tag == TAG_COL ||
                token.tag == TAG_PLAINTEXT || (traits_of(token.tag) & T_FRAME) || inner > DEPTH)
                return doubtful(s, D_TEMPLATE);
            if (traits_of(token.tag) & T_RAW) {
                at = content_close(&token, s->end);
                if (at == NULL)
                    return doubtful(s, D_PAGE_END);
            }
        }
    }
    t->next = at;
    return GO_ON;
}

static int skip_raw(Scan *s, Token *t)
{
    if (t->tag == TAG_XMP || t->tag == TAG_NOEMBED || t->tag == TAG_NOFRAMES)
        return doubtful(s, D_RAW);
    if (in_grid(s) && !(traits_of(t->tag) & T_HEADLIKE))
        return doubtful(s, D_FOSTER);
    const byte *close = content_close(t, s->end);
    if (close == NULL)
        return doubtful(s, D_PAGE_END);
    Token token;
    read_token(&token, close, s->end);
    if (token.kind == TOKEN_UNENDED)
        return doubtful(s, D_PAGE_END);
    t->next = token.next;
    return GO_ON;
}

static int close_p(Scan *s)
{
    int level = find_open(s, TAG_P, T_SCOPE, 1);
    if (level >= 0)
        return pop(s, level);
    /* a block that is cut has itself closed any paragraph around it; an inline element has not */
    if (level == NOT_FOUND && s->loose && asked(s, AROUND_P))
        return doubtful(s, D_BLOCK);
    return GO_ON;
}

/* Close an open list item (or dd, dt) as the opening tag of the next one does. */
static int start_item(Scan *s, const Token *t)
{
    int stopped = 0;
    for (int level = s->depth - 1; level >= 0 && !stopped; level--) {
        int tag = s->stack[level].tag;
        int same = t->tag == TAG_LI ? tag == TAG_LI : tag == TAG_DD || tag == TAG_DT;
        if (same) {
            if (pop(s, level) == ENDED)
                return ENDED;
            stopped = 1;
        } else if ((traits_of(tag) & T_SPECIAL) && tag != TAG_ADDRESS && tag != TAG_DIV && tag != TAG_P) {
            stopped = 1;
        }
    }
    if (!stopped) /* an item around the element may be what ends here, and the element with it */
        return s->stack[0].tag == TAG_P && find_open(s, TAG_P, T_SCOPE, 1) == 0 ? ENDED : doubtful(s, D_LIST);
    int state = close_p(s);
    return state == GO_ON ? push(s, t) : state;
}

static int start_form(Scan *s, const Token *t)
{
    if (s->form == FORM_UNASKED) {
        if (asked(s, AROUND_FORM))
            return doubtful(s, D_FORM);
        s->form = NO_FORM;
    }
    if (s->form != NO_FORM)
        return GO_ON; /* a form in a form is not opened */
    if (in_grid(s)) {
        s->form = FORM_ELSEWHERE; /* opened and closed at once, but remembered */
        return GO_ON;
    }
    int state = close_p(s);
    if (state != GO_ON)
        return state;
    s->form = s->depth;
    return push(s, t);
}

/* Inline elements left open in a form keep what follows in it, so that its end need not part two texts. */
static int parts_anyway(const Scan *s, const Token *t)
{
    Token next;
    if (s->text == NULL || s->skips || s->text->gap || (t->next < s->end && is_space(*t->next)))
        return 1;
    if (t->next >= s->end || *t->next != '<')
        return 0;
    read_token(&next, t->next, s->end);
    int kind = tag_rows[next.tag].kind;
    return (next.kind == TOKEN_START || next.kind == TOKEN_END) && kind == K_BOX && (traits_of(next.tag) & T_SPECIAL) &&
           next.tag != TAG_FORM;
}

static int end_form(Scan *s, const Token *t)
{
    if (s->form == FORM_UNASKED) {
        if (asked(s, AROUND_FORM))
            return doubtful(s, D_FORM);
        s->form = NO_FORM;
    }
    int form = s->form;
    if (form >= 0 && (form != s->depth - 1 || form == 0 || !parts_anyway(s, t)))
        return doubtful(s, D_FORM);
    s->form = NO_FORM;
    return form >= 0 ? pop(s, form) : GO_ON;
}

static int start_void(Scan *s, const Token *t)
{
    if (t->tag == TAG_FRAME)
        return doubtful(s, D_FRAME);
    int kind = tag_rows[t->tag].kind;
    if (t->tag == TAG_HR) {
        int state = close_p(s);
        if (state != GO_ON)
            return state;
    }
    /* what is without text may be moved out of the table and nobody sees */
    if (in_grid(s) && (kind != K_SKIP || s->stack[s->depth - 1].tag == TAG_COLGROUP))
        return doubtful(s, D_FOSTER);
    if (s->text && !s->skips && (kind == K_BREAK || kind == K_RULE))
        text_edge(s->text);
    return GO_ON;
}

/* Directly in a heading what is inline is remembered: another heading ends it, but not from inside a link. */
static inline int in_heading(const Scan *s)
{
    return (traits_of(top_tag(s)) & T_HEADING) != 0;
}

static int start_inline(Scan *s, const Token *t)
{
    if (in_grid(s))
        return doubtful(s, D_FOSTER);
    s->formatting += (traits_of(t->tag) & T_FORMATTING) != 0;
    if (t->tag == TAG_A || t->tag == TAG_NOBR) {
        int level = s->depth - 1;
        while (level >= 0 && s->stack[level].tag != t->tag)
            level--;
        if (level >= 0 || (t->tag == TAG_NOBR && s->ordinary) || (!s->loose && s->ordinary && s->link_open))
            return doubtful(s, D_LINK);
        if (s->ordinary && t->tag == TAG_A && asked(s, AROUND_LINK)) /* it would close what is inline with itself */
            return doubtful(s, D_LINK);
        s->link_open = 1;
    }
    if (t->tag == TAG_RT || t->tag == TAG_RP || t->tag == TAG_RB || t->tag == TAG_RTC) {
        if (top_tag(s) != TAG_RUBY)
            return doubtful(s, D_RUBY);
    } else if (t->tag == TAG_OPTION || t->tag == TAG_OPTGROUP) {
        if (top_tag(s) == TAG_OPTION || top_tag(s) == TAG_OPTGROUP)
            return doubtful(s, D_SELECT);
    } else if (t->tag == TAG_DIALOG) {
        int state = close_p(s);
        if (state != GO_ON)
            return state;
    } else if (!s->ordinary && !in_heading(s) && tag_rows[t->tag].kind != K_SKIP && tag_rows[t->tag].kind != K_BOX &&
               t->tag != TAG_RUBY) {
        return GO_ON; /* cannot matter to special elements */
    }
    return push(s, t);
}

static int start_special(Scan *s, Token *t)
{
    uint32_t traits = traits_of(t->tag);
    if (t->tag == TAG_FORM)
        return start_form(s, t);
    if (in_grid(s))
        return doubtful(s, t->tag == TAG_TABLE ? D_TABLE : D_FOSTER);
    if (t->tag == TAG_LI || t->tag == TAG_DD || t->tag == TAG_DT)
        return start_item(s, t);
    if (t->tag == TAG_SELECT)
        return (t->next = select_end(t->next, s->end, &s->doubt)) ? s->doubt = SURE, GO_ON : STOP;
    if (t->tag == TAG_PLAINTEXT)
        return doubtful(s, D_RAW);
    if (t->tag == TAG_BUTTON) {
        int level = find_open(s, TAG_BUTTON, T_SCOPE, 0);
        if (level >= 0 || (level == NOT_FOUND && asked(s, AROUND_BUTTON)))
            return doubtful(s, D_BUTTON);
    }
    if (t->tag == TAG_TABLE && !has_plain_doctype(s->around->base, s->end) && find_open(s, TAG_P, T_SCOPE, 1) >= 0)
        return doubtful(s, D_QUIRKS);
    if (traits & T_CLOSES_P) {
        int state = close_p(s);
        if (state != GO_ON)
            return state;
    }
    if ((traits & T_HEADING) && (traits_of(top_tag(s)) & T_HEADING))
        return doubtful(s, D_HEADING);
    return push(s, t);
}

static int start_tag(Scan *s, Token *t)
{
    uint32_t traits = traits_of(t->tag);
    if (t->zero)
        return doubtful(s, D_ZERO);
    if (traits & T_FRAME) { /* a second html, head or body tag opens nothing */
        int known = t->tag == TAG_HTML || t->tag == TAG_HEAD || t->tag == TAG_BODY;
        return known && top_tag(s) != TAG_COLGROUP ? GO_ON : doubtful(s, D_FRAME);
    }
    if (traits & T_TABLE_PART)
        return start_table_part(s, t);
    if (top_tag(s) == TAG_COLGROUP && t->tag != TAG_TEMPLATE && pop(s, s->depth - 1) == ENDED)
        return ENDED;
    if (traits & T_RAW)
        return skip_raw(s, t);
    if (t->tag == TAG_TEMPLATE)
        return skip_template(s, t);
    if (traits & T_VOID)
        return start_void(s, t);
    if (t->tag == TAG_SVG || t->tag == TAG_MATH)
        return in_grid(s) ? doubtful(s, D_FOSTER) : skip_foreign(s, t);
    return traits & T_SPECIAL ? start_special(s, t) : start_inline(s, t);
}

static int end_block(Scan *s, const Token *t)
{
    int level = find_open(s, t->tag, t->tag == TAG_LI ? T_SCOPE | T_LIST : T_SCOPE, 0);
    if (traits_of(t->tag) & T_HEADING) {
        for (level = s->depth - 1; level >= 0; level--) {
            uint32_t traits = traits_of(s->stack[level].tag);
            if (traits & T_HEADING)
                break;
            if (traits & T_SCOPE)
                return GO_ON;
        }
        if (level < 0 && (traits_of(s->stack[0].tag) & T_TABLE_PART))
            return GO_ON;
    }
    if (level >= 0)
        return pop(s, level);
    return level == BARRED ? GO_ON : doubtful(s, D_END_TAG);
}

static int end_p(Scan *s)
{
    int level = find_open(s, TAG_P, T_SCOPE, 1);
    if (level >= 0)
        return pop(s, level);
    if (level == NOT_FOUND && s->loose)
        return doubtful(s, D_END_TAG);
    if (in_grid(s))
        return doubtful(s, D_FOSTER);
    if (s->text && !s->skips)
        text_edge(s->text); /* an empty paragraph */
    return GO_ON;
}

/* An end tag that stops at the first special element above it. */
static int end_inline(Scan *s, const Token *t)
{
    int level = s->depth - 1, formatting = (traits_of(t->tag) & T_FORMATTING) != 0;
    s->formatting -= formatting;
    if (t->tag == TAG_A)
        s->link_open = 0;
    if (formatting && s->lost && s->ordinary)
        return doubtful(s, D_FORMATTING);
    while (level >= 0 && !same_name(&s->stack[level], t) && is_ordinary(s->stack[level].tag))
        level--;
    if (level >= 0 && same_name(&s->stack[level], t)) {
        if (formatting && level != s->depth - 1)
            return doubtful(s, D_FORMATTING);
        return pop(s, level);
    }
    if (formatting ? s->ordinary > 0 : level < s->depth - 1)
        return doubtful(s, formatting ? D_FORMATTING : D_END_TAG);
    return GO_ON;
}

static int end_tag(Scan *s, const Token *t)
{
    uint32_t traits = traits_of(t->tag);
    if (t->zero)
        return doubtful(s, D_ZERO);
    if (t->tag == TAG_P)
        return end_p(s);
    if (t->tag == TAG_FORM)
        return end_form(s, t);
    if ((traits & T_TABLE_PART) || t->tag == TAG_TABLE)
        return end_table_part(s, t);
    if ((t->tag == TAG_BODY || t->tag == TAG_HTML) && top_tag(s) != TAG_COLGROUP)
        return GO_ON; /* they close nothing: what follows them still belongs to what is open */
    if (t->tag == TAG_BR || t->tag == TAG_SELECT || t->tag == TAG_TEMPLATE || t->tag == TAG_SVG || t->tag == TAG_MATH ||
        (traits & T_FRAME))
        return doubtful(s, D_END_TAG);
    if ((traits & T_CLOSES_P && !(traits & (T_VOID | T_RAW))) || t->tag == TAG_BUTTON || t->tag == TAG_OBJECT ||
        t->tag == TAG_APPLET || t->tag == TAG_MARQUEE)
        return end_block(s, t);
    if (traits & (T_VOID | T_RAW))
        return GO_ON;
    return end_inline(s, t);
}

/* Inline elements of which nobody keeps track in a special element. */
static inline int is_light(int tag)
{
    uint32_t others = traits_of(tag) & ~(uint32_t)(T_FORMATTING | T_BREAKS_OUT);
    return tag_rows[tag].kind == K_INLINE && !others && tag != TAG_A && tag != TAG_NOBR && tag != TAG_RUBY;
}

static int has_letters(const byte *at, const byte *end)
{
    at = skip_space(at, end);
    return at < end;
}

static uint8_t light_tags[TAG_COUNT];

void scan_init(void)
{
    for (int tag = 0; tag < TAG_COUNT; tag++)
        light_tags[tag] = (uint8_t)is_light(tag);
}

static void scan_content(Scan *s, const byte *at, Element *out)
{
    Token t;
    for (;;) {
        const byte *open = find_byte(at, s->end, '<');
        if (open == NULL) {
            s->doubt = D_PAGE_END;
            return;
        }
        if (open > at) {
            if (in_grid(s) && has_letters(at, open)) {
                s->doubt = D_FOSTER;
                return;
            }
            if (s->text && !s->skips)
                text_put(s->text, at, open, IN_TEXT);
        }
        read_token(&t, open, s->end);
        int state = GO_ON;
        if ((t.kind == TOKEN_START || t.kind == TOKEN_END) && light_tags[t.tag] && !s->ordinary && !t.zero &&
            !in_grid(s) && !in_heading(s)) {
            int change = (traits_of(t.tag) & T_FORMATTING) != 0;
            s->formatting += t.kind == TOKEN_START ? change : -change;
            at = t.next;
            continue;
        }
        if (t.kind == TOKEN_START)
            state = start_tag(s, &t);
        else if (t.kind == TOKEN_END)
            state = end_tag(s, &t);
        else if (t.kind == TOKEN_UNENDED)
            state = doubtful(s, D_PAGE_END);
        else if (t.kind == TOKEN_LITERAL) {
            if (in_grid(s))
                state = doubtful(s, D_FOSTER);
            else if (s->text && !s->skips)
                text_put(s->text, open, t.next, IN_TEXT);
        }
        if (state == ENDED) {
            out->content_end = open;
            /* only its own end tag belongs to the element; what else ends it stands behind it */
            out->end = t.kind == TOKEN_END && same_name(&s->stack[0], &t) ? t.next : open;
            return;
        }
        if (state == STOP || s->doubt)
            return;
        at = t.next;
    }
}

static void scan_raw(Scan *s, const Token *opening, Element *out)
{
    const byte *close = content_close(opening, s->end);
    Token t;
    if (close != NULL)
        read_token(&t, close, s->end);
    if (close == NULL || t.kind == TOKEN_UNENDED) {
        s->doubt = D_PAGE_END;
        return;
    }
    if (s->text)
        text_put(s->text, opening->next, close, traits_of(opening->tag) & T_RCDATA ? IN_TEXT : AS_IS);
    out->content_end = close;
    out->end = t.next;
}

void scan_element(const Surroundings *around, const Token *opening, Text *text, Element *out)
{
    Scan scan, *s = &scan;
    uint32_t traits = traits_of(opening->tag);
    s->around = around;
    s->end = around->end;
    s->text = NULL;
    s->depth = s->skips = s->ordinary = s->link_open = s->formatting = s->lost = s->doubt = 0;
    s->form = FORM_UNASKED;
    s->loose = !(traits & T_SPECIAL);
    out->content = out->content_end = out->end = opening->next;
    out->open_formatting = 0;
    if ((traits & (T_OPAQUE | T_FRAME)) || opening->tag == TAG_PLAINTEXT) {
        out->doubt = D_KIND;
        return;
    }
    push_tag(s, opening->tag, opening);
    s->skips = 0; /* what the element itself is does not matter */
    s->text = text;
    if (opening->tag == TAG_FORM)
        s->form = 0;
    s->formatting = (traits & T_FORMATTING) != 0;
    if (traits & T_RAW)
        scan_raw(s, opening, out);
    else if (!(traits & T_VOID))
        scan_content(s, opening->next, out);
    if (!s->doubt && find_byte(opening->at, out->end, 0) != NULL)
        s->doubt = D_ZERO;
    if (!s->doubt && text != NULL && text->broken)
        s->doubt = D_BYTES;
    out->open_formatting = s->formatting != 0;
    out->doubt = s->doubt;
}

int has_plain_doctype(const byte *at, const byte *end)
{
    static const char wanted[] = "<!doctype html";
    if (end - at >= 3 && at[0] == 0xEF && at[1] == 0xBB && at[2] == 0xBF)
        at += 3;
    at = skip_space(at, end);
    for (size_t i = 0; i < sizeof wanted - 1; i++, at++)
        if (at >= end || lower(*at) != (byte)wanted[i])
            return 0;
    at = skip_space(at, end);
    return at < end && *at == '>';
}
