/* The tokens of a page; see map.h. */
#define _GNU_SOURCE /* memmem */
#include "map.h"

#include <stdlib.h>

enum { STUCK = 1000000 };

static void start_at(Map *m, uint32_t from)
{
    m->from = m->cursor = from;
    m->exact = from == 0;
    m->opaque = m->opaque_odd = 0;
    m->opaque_depth = m->opaque_blocks = 0;
    m->svg_until = 0;
    m->in_body = from > 0;
    m->cells = 0;
    m->tables = from > 0 ? -1 : 0;
    m->count = 0;
}

void map_init(Map *m, const byte *base, const byte *end, int thorough)
{
    m->base = base;
    m->end = end;
    m->thorough = thorough;
    m->broken = end - base > PAGE_LIMIT;
    m->why = 0;
    m->marks = m->small;
    m->room = MARKS_ON_STACK;
    start_at(m, 0);
}

void map_free(Map *m)
{
    if (m->marks != m->small)
        free(m->marks);
}

static Mark *add_mark(Map *m)
{
    if (m->count == m->room) {
        uint32_t room = m->room * 4;
        Mark *marks = m->count > MARK_LIMIT ? NULL : malloc(room * sizeof(Mark));
        if (marks == NULL) {
            m->broken = 1;
            return NULL;
        }
        memcpy(marks, m->marks, m->count * sizeof(Mark));
        map_free(m);
        m->marks = marks;
        m->room = room;
    }
    return &m->marks[m->count++];
}

/* Keep track of which tables are open, and whether in a cell: what a td, a div or text there becomes hangs on it. */
static void follow_table(Map *m, const Token *t)
{
    uint32_t traits = traits_of(t->tag);
    int opens_cell = (traits & T_CELL) || t->tag == TAG_CAPTION;
    if (t->tag == TAG_TABLE && t->kind == TOKEN_START) {
        if (m->tables > 0 && !(m->cells & 1))
            return; /* a table in the grid of another ends that one first */
        if (m->tables < 0)
            m->tables = 0;
        if (m->tables == 60) {
            m->broken = 1;
            return;
        }
        m->tables++;
        m->cells <<= 1;
    } else if (t->tag == TAG_TABLE) {
        if (m->tables > 0) {
            m->tables--;
            m->cells >>= 1;
            if (m->tables == 0 && !m->exact)
                m->tables = -1;
        }
    } else if (m->tables > 0) {
        if (t->kind == TOKEN_START)
            m->cells = (m->cells & ~(uint64_t)1) | (uint64_t)opens_cell;
        else if (t->tag != TAG_COL && t->tag != TAG_COLGROUP)
            m->cells &= ~(uint64_t)1;
    }
}

static inline int table_state(const Map *m)
{
    return m->tables < 0 ? TABLE_UNKNOWN : m->tables == 0 ? TABLE_NONE : m->cells & 1 ? TABLE_CELL : TABLE_GRID;
}

static void enter_opaque(Map *m, const Token *t)
{
    if ((t->tag == TAG_SVG || t->tag == TAG_MATH) && t->slash)
        return;
    m->opaque = t->tag;
    m->opaque_depth = 1;
    m->opaque_odd = 0;
    m->opaque_blocks = 0;
}

/* Say whether a token inside an opaque element could have ended it by other means than its end tag. */
static int is_odd(const Map *m, const Token *t)
{
    uint32_t traits = traits_of(t->tag);
    int start = t->kind == TOKEN_START;
    if (traits & T_FRAME)
        return 1;
    if (m->opaque == TAG_SVG || m->opaque == TAG_MATH) {
        if (start)
            return (traits & T_BREAKS_OUT) || t->tag == TAG_FONT || t->tag == TAG_FOREIGNOBJECT ||
                   t->tag == TAG_ANNOTATION_XML;
        return (traits & (T_SPECIAL | T_FORMATTING | T_BREAKS_OUT)) && !(traits & T_RAW);
    }
    if (m->opaque == TAG_SELECT)
        return t->tag != TAG_OPTION && t->tag != TAG_OPTGROUP;
    if (m->opaque == TAG_TEMPLATE)
        return t->tag == TAG_SVG || t->tag == TAG_MATH || t->tag == TAG_SELECT || t->tag == TAG_COL;
    if (!m->in_body && start)
        return t->tag != TAG_LINK && t->tag != TAG_META && t->tag != TAG_STYLE;
    return t->tag == TAG_SVG || t->tag == TAG_MATH || t->tag == TAG_SELECT || t->tag == TAG_TEMPLATE ||
           (start ? (traits & (T_CLOSES_P | T_TABLE_PART)) != 0 : m->opaque_blocks == 0 && (traits & T_SPECIAL));
}

/* A noscript is closed by its end tag only where all blocks in it are closed; on anything else it stays in doubt. */
static void follow_blocks(Map *m, const Token *t)
{
    int room = sizeof m->opaque_open;
    if (t->kind == TOKEN_START) {
        if (m->opaque_blocks < room)
            m->opaque_open[m->opaque_blocks] = t->tag;
        m->opaque_blocks++;
    } else if (m->opaque_blocks > 0 && m->opaque_blocks <= room && m->opaque_open[m->opaque_blocks - 1] == t->tag) {
        m->opaque_blocks--;
    } else {
        m->opaque_blocks = room + 1;
    }
}

/* Go on inside an opaque element; return how its token is hidden. */
static int follow_opaque(Map *m, const Token *t)
{
    uint32_t traits = traits_of(t->tag);
    int foreign = m->opaque == TAG_SVG || m->opaque == TAG_MATH;
    if (t->tag == m->opaque) {
        if (t->kind == TOKEN_START && m->opaque == TAG_SELECT)
            m->opaque_odd = 1; /* a select ends a select */
        else if (t->kind == TOKEN_START)
            m->opaque_depth += !(foreign && t->slash);
        else if (m->opaque == TAG_NOSCRIPT && m->opaque_blocks != 0)
            m->opaque_odd = 1; /* something open in it keeps it open */
        else
            m->opaque_depth--;
        if (m->opaque_depth == 0) {
            m->opaque = 0;
            return 0;
        }
    } else if (is_odd(m, t)) {
        m->opaque_odd = 1;
        if (foreign || (t->kind == TOKEN_START && (traits & T_OPAQUE)))
            m->opaque_depth = STUCK; /* one in the other, or HTML in svg: nobody knows which end tag ends it */
    }
    if (m->opaque == TAG_NOSCRIPT && (traits & T_SPECIAL) && !(traits & (T_VOID | T_RAW)) && t->tag != TAG_NOSCRIPT)
        follow_blocks(m, t);
    return m->opaque_odd ? 2 : m->opaque == TAG_TEMPLATE ? 3 : foreign ? 5 : 1;
}

static inline int is_head_part(int tag)
{
    return tag == TAG_HTML || tag == TAG_HEAD || tag == TAG_TITLE || tag == TAG_META || tag == TAG_LINK ||
           tag == TAG_BASE || tag == TAG_STYLE || tag == TAG_SCRIPT || tag == TAG_NOSCRIPT || tag == TAG_TEMPLATE;
}

/* Read one token at `open` and leave the cursor behind it. */
static void read_mark(Map *m, const byte *open)
{
    Token t;
    read_token(&t, open, m->end);
    if (t.kind == TOKEN_UNENDED) {
        t.next = m->end; /* the rest of the page is in it */
    } else if (t.kind == TOKEN_LITERAL) {
        m->cursor = (uint32_t)(t.next - m->base);
        return;
    }
    int in_svg = m->opaque == TAG_TEMPLATE && (uint32_t)(open - m->base) < m->svg_until;
    int foreign = in_svg || m->opaque == TAG_SVG || m->opaque == TAG_MATH;
    if (foreign && t.kind == TOKEN_COMMENT && m->end - open > 9 && !memcmp(open, "<![CDATA[", 9)) {
        const byte *close = memmem(open, (size_t)(m->end - open), "]]>", 3);
        t.next = close ? close + 3 : m->end;
    }
    Mark *mark = add_mark(m);
    if (mark == NULL)
        return;
    mark->at = (uint32_t)(open - m->base);
    mark->kind = t.kind;
    mark->tag = 0;
    mark->hidden = mark->odd = 0;
    mark->table = (uint8_t)table_state(m);
    mark->cells = (uint8_t)(m->tables > 0 ? m->tables - !(m->cells & 1) : 0); /* tables are in cells of others */
    if (t.kind == TOKEN_START || t.kind == TOKEN_END) {
        mark->tag = t.tag;
        mark->odd = t.zero;
        uint32_t traits = traits_of(t.tag);
        const byte *close = NULL;
        if (!in_svg && m->opaque == TAG_TEMPLATE && !m->opaque_odd && t.kind == TOKEN_START && t.tag == TAG_SVG)
            close = svg_end(&t, m->end);
        if (close != NULL)
            m->svg_until = (uint32_t)(close - m->base);
        if (in_svg || close != NULL) {
            mark->hidden = 3;
        } else if (m->opaque) {
            mark->hidden = (uint8_t)follow_opaque(m, &t);
        } else {
            if ((traits & T_TABLE_PART) || t.tag == TAG_TABLE)
                follow_table(m, &t);
            if (t.kind == TOKEN_START && (traits & T_OPAQUE))
                enter_opaque(m, &t);
        }
        if (!m->in_body && !is_head_part(t.tag) && m->opaque != TAG_NOSCRIPT && m->opaque != TAG_TEMPLATE)
            m->in_body = 1;
        if (t.tag == TAG_FRAMESET)
            m->broken = 1;
        if (t.kind == TOKEN_START && !foreign) {
            if (t.tag == TAG_PLAINTEXT) {
                m->cursor = (uint32_t)(m->end - m->base);
                mark->next = (uint32_t)(t.next - m->base);
                return;
            }
            if (traits & T_RAW) {
                mark->next = (uint32_t)(t.next - m->base);
                close = content_close(&t, m->end);
                m->cursor = (uint32_t)((close ? close : m->end) - m->base);
                return;
            }
        }
    }
    mark->next = m->cursor = (uint32_t)(t.next - m->base);
}

/* Text that is not white space ends the head, and a noscript in it. */
static void leave_head(Map *m, const byte *at, const byte *open)
{
    at = skip_space(at, open);
    if (at == open && open + 1 < m->end && (is_letter(open[1]) || open[1] == '/' || open[1] == '!' || open[1] == '?'))
        return;
    if (m->opaque == TAG_NOSCRIPT)
        m->opaque_odd = 1;
    else if (!m->opaque)
        m->in_body = 1;
}

static void extend(Map *m, uint32_t offset)
{
    while (m->cursor <= offset && !m->broken) {
        const byte *open = find_byte(m->base + m->cursor, m->end, '<');
        if (open == NULL || (uint32_t)(open - m->base) > offset) {
            m->cursor = open ? (uint32_t)(open - m->base) : (uint32_t)(m->end - m->base);
            if (open == NULL)
                return;
            break;
        }
        if (!m->in_body)
            leave_head(m, m->base + m->cursor, open);
        read_mark(m, open);
    }
}

/* Begin at the first thing like a tag from `from` on. */
static void start_window(Map *m, uint32_t from, uint32_t offset)
{
    const byte *at = m->base + from, *limit = m->base + offset;
    while (from > 0 && (at = find_byte(at, limit, '<')) != NULL) {
        if (m->end - at > 2 && (is_letter(at[1]) || (at[1] == '/' && is_letter(at[2]))))
            break;
        at++;
    }
    start_at(m, at ? (uint32_t)(at - m->base) : offset);
}

void map_reach(Map *m, uint32_t offset, uint32_t before)
{
    if (m->broken)
        return;
    if (!m->thorough) {
        uint32_t from = offset > 2 * before ? offset - before : 0; /* near the start nothing need be guessed */
        if (m->from > from + before / 2 || offset < m->from || (m->cursor < offset && offset - m->cursor > 2 * before))
            start_window(m, from, offset);
    }
    extend(m, offset);
}

long map_find(const Map *m, uint32_t offset)
{
    long low = 0, high = (long)m->count - 1;
    if (high >= 0 && m->marks[high].at <= offset)
        return high;
    while (low <= high) {
        long middle = (low + high) / 2;
        if (m->marks[middle].at <= offset)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return high;
}

static int unsure(Map *m, int why)
{
    m->why = why;
    return PLACE_DOUBT;
}

/* Say whether a part of a table stands where one expects it behind another, the table itself being out of sight. */
static int may_follow(const Mark *before, int tag)
{
    uint32_t traits = traits_of(before->tag);
    if (before->tag == TAG_TABLE)
        return before->kind == TOKEN_START;
    if (traits_of(tag) & T_CELL)
        return (traits & T_CELL) || (before->tag == TAG_TR && before->kind == TOKEN_START);
    if (tag == TAG_TR)
        return before->tag != TAG_TR || before->kind == TOKEN_END;
    return (traits_of(tag) & T_SECTION) && before->kind == TOKEN_END;
}

/* The first html and body of a page are always there, even where they come late; others are not. */
static int is_first_of_page(const Map *m, long index)
{
    int tag = m->marks[index].tag;
    if (tag != TAG_HTML && tag != TAG_BODY)
        return 0;
    for (long i = 0; i < index; i++)
        if (m->marks[i].tag == tag && m->marks[i].kind == TOKEN_START)
            return 0;
    return 1;
}

static int judge_name(Map *m, long index)
{
    const Mark *mark = &m->marks[index];
    uint32_t traits = traits_of(mark->tag);
    if (traits & T_FRAME)
        return m->exact && is_first_of_page(m, index) ? PLACE_YES : unsure(m, D_FRAME);
    if (mark->tag == TAG_IMAGE)
        return unsure(m, D_KIND); /* between the rows of a table lexbor loses it */
    if (mark->tag == TAG_FORM && may_be_open(m, mark->at, AROUND_FORM))
        return unsure(m, D_FORM);
    if (traits & T_TABLE_PART) {
        if (mark->table == TABLE_NONE)
            return unsure(m, D_TABLE);
        if (mark->table == TABLE_UNKNOWN) {
            long i = index - 1;
            while (i >= 0 && !(traits_of(m->marks[i].tag) & T_TABLE_PART) && m->marks[i].tag != TAG_TABLE)
                i--;
            return i >= 0 && may_follow(&m->marks[i], mark->tag) ? PLACE_YES : unsure(m, D_TABLE);
        }
    }
    return PLACE_YES;
}

int is_true_tag(Map *m, uint32_t offset)
{
    map_reach(m, offset, WINDOW);
    if (m->broken)
        return unsure(m, D_SIZE);
    long index = map_find(m, offset);
    if (index < 0)
        return m->exact ? PLACE_NO : unsure(m, D_PLACE);
    const Mark *mark = &m->marks[index];
    if (mark->at != offset || mark->kind != TOKEN_START)
        return m->exact && !mark->odd ? PLACE_NO : unsure(m, D_PLACE);
    if (mark->odd)
        return unsure(m, D_PLACE);
    if (mark->hidden)
        return m->exact && mark->hidden != 2 ? PLACE_NO : unsure(m, D_HIDDEN);
    return judge_name(m, index);
}

int is_true_text(Map *m, uint32_t offset)
{
    map_reach(m, offset, WINDOW);
    if (m->broken)
        return unsure(m, D_SIZE);
    long index = map_find(m, offset);
    if (index >= 0 && offset < m->marks[index].next)
        return m->exact ? PLACE_NO : unsure(m, D_PLACE);
    for (long first = index;; first--) { /* before the first tag there is no text that the tree ties to a place */
        if (first < 0)
            return m->exact ? PLACE_NO : unsure(m, D_PLACE);
        const Mark *opening = &m->marks[first];
        if (opening->kind != TOKEN_START || ((traits_of(opening->tag) & T_TABLE_PART) && opening->table == TABLE_NONE))
            continue;
        if (opening->tag == TAG_HEAD || opening->odd)
            return unsure(m, D_PLACE);
        break;
    }
    const Mark *mark = &m->marks[index];
    int opens = mark->kind == TOKEN_START ? (int)traits_of(mark->tag) : 0;
    if (mark->hidden || (opens & T_OPAQUE))
        return m->exact && mark->hidden == 1 ? PLACE_NO : unsure(m, D_HIDDEN);
    if ((opens & T_RAW) || (opens && mark->tag == TAG_PLAINTEXT))
        return m->exact ? PLACE_NO : unsure(m, D_PLACE);
    return PLACE_YES;
}

/* One step back: 0 or 1 is the answer, -1 says to look further. */
static int judge_back(const Mark *mark, int what)
{
    uint32_t traits = traits_of(mark->tag);
    int start = mark->kind == TOKEN_START, barrier = (traits & T_SCOPE) && mark->tag != TAG_TABLE;
    int wanted = what == AROUND_LINK ? TAG_A : what == AROUND_P ? TAG_P : what == AROUND_FORM ? TAG_FORM : TAG_BUTTON;
    if (mark->tag == wanted)
        return start;
    if (what == AROUND_FORM)
        return -1;
    if (what == AROUND_P) {
        if (start && ((traits & T_CLOSES_P) || mark->tag == TAG_BUTTON))
            return 0;
        if (mark->tag == TAG_BUTTON)
            return 1;
    }
    if (barrier && !(traits & T_CELL) && mark->tag != TAG_CAPTION)
        return start ? 0 : 1;
    return barrier && start ? 0 : -1;
}

static int look_back(const Map *m, uint32_t offset, int what)
{
    long index = map_find(m, offset);
    if (index >= 0 && m->marks[index].at == offset)
        index--;
    int nest = 0, closed = 0; /* inside tables, or a cell, that ended before */
    for (long steps = 0; index >= 0; index--) {
        const Mark *mark = &m->marks[index];
        if (++steps > LOOK_BACK)
            return 1;
        if (mark->hidden == 2)
            return 1;
        if (mark->hidden || (mark->kind != TOKEN_START && mark->kind != TOKEN_END) || (traits_of(mark->tag) & T_FRAME))
            continue;
        if ((traits_of(mark->tag) & T_TABLE_PART) && mark->table == TABLE_NONE)
            continue; /* outside of tables it is not there */
        if (mark->tag == TAG_TABLE && what != AROUND_FORM) {
            nest += mark->kind == TOKEN_END ? 1 : nest > 0 ? -1 : 0;
            continue;
        }
        if (nest)
            continue;
        if (((traits_of(mark->tag) & T_CELL) || mark->tag == TAG_CAPTION) && what != AROUND_FORM) {
            if (mark->kind == TOKEN_END || closed) {
                closed = mark->kind == TOKEN_END;
                continue;
            }
        }
        int answer = closed ? -1 : judge_back(mark, what);
        if (answer >= 0)
            return answer;
    }
    return m->exact ? 0 : -1;
}

int may_be_open(Map *m, uint32_t offset, int what)
{
    int answer = look_back(m, offset, what);
    if (answer >= 0)
        return answer;
    map_reach(m, offset, WIDE_WINDOW);
    return m->broken || look_back(m, offset, what) != 0;
}

/* Say whether elements that were opened inside, of these traits, may have ended an element without its end tag. */
static int may_have_ended(const Mark *mark, uint32_t traits, const uint8_t *opened)
{
    uint32_t own = traits_of(mark->tag);
    int passed = !(own & T_SPECIAL) || mark->tag == TAG_P || mark->tag == TAG_DIV || mark->tag == TAG_ADDRESS;
    if (passed && (opened[TAG_LI] || opened[TAG_DD] || opened[TAG_DT]))
        return 1; /* with the item around it */
    if (mark->tag == TAG_P || !(own & T_SPECIAL))
        if (traits & T_CLOSES_P)
            return 1; /* it, or a paragraph around it */
    if (mark->tag == TAG_DD || mark->tag == TAG_DT)
        return opened[TAG_DD] || opened[TAG_DT];
    if (mark->tag == TAG_TABLE && opened[TAG_TD])
        return 1;
    return opened[mark->tag] || (own & traits & (T_HEADING | T_TABLE_PART));
}

const Mark *parent_of(Map *m, uint32_t offset, int tag)
{
    uint8_t ends[64], opened[256] = {0};
    uint32_t traits = traits_of(tag);
    int depth = 0;
    opened[tag] = tag != TAG_OTHER;
    long index = map_find(m, offset);
    if (index >= 0 && m->marks[index].at == offset)
        index--;
    for (int steps = 0; index >= 0 && steps < LOOK_BACK; index--, steps++) {
        const Mark *mark = &m->marks[index];
        if (mark->hidden == 2)
            return NULL;
        if (mark->hidden || (mark->kind != TOKEN_START && mark->kind != TOKEN_END) || (traits_of(mark->tag) & T_VOID))
            continue;
        int foreign = mark->tag == TAG_SVG || mark->tag == TAG_MATH;
        if ((traits_of(mark->tag) & T_FRAME) || (foreign && m->base[mark->next - 2] == '/'))
            return NULL; /* `<svg/>` holds nothing */
        if (mark->kind == TOKEN_END) {
            if (depth == 64)
                return NULL;
            ends[depth++] = mark->tag;
        } else if (depth == 0) {
            return may_have_ended(mark, traits, opened) ? NULL : mark;
        } else if (ends[--depth] != mark->tag) {
            return NULL;
        }
        if (mark->kind == TOKEN_START) {
            traits |= traits_of(mark->tag);
            opened[mark->tag] = mark->tag != TAG_OTHER;
        }
    }
    return NULL;
}
