/* Build the tree of a page: 13.2.6 of the HTML standard, mode by mode. Elements and texts are kept by their bytes.
 *
 * The stack of open elements is bounded by `limits`, so the work of a tag is bounded; what goes beyond a limit is left
 * out and counted. Nothing is recursive.
 */
#include "tree.h"

#include <stdlib.h>

enum {
    INITIAL, BEFORE_HTML, BEFORE_HEAD, IN_HEAD, IN_HEAD_NOSCRIPT, AFTER_HEAD, IN_BODY, IN_TABLE, IN_CAPTION, IN_COLUMN_GROUP,
    IN_TABLE_BODY, IN_ROW, IN_CELL, IN_TEMPLATE_MODE, AFTER_BODY, IN_FRAMESET, AFTER_FRAMESET, AFTER_AFTER_BODY,
    AFTER_AFTER_FRAMESET
};

enum { TAG_TEXT = 0xFFFF, SEALED = 128, OPEN = 64, HOLDS_HTML = 32, DEEPEST = 1024, MOST_FORMATTING = 256, MOST_PAGE = 0x7FFFFFF0 };
enum { NONE = -1, LONGEST_COMPARED = 2000, ROOM_OF_TABLE = 4, ROOM_OF_TAG = 8, MOST_KEPT = 1 << 16 };

typedef struct {
    int32_t parent, first, last, next, prev;
    uint32_t start, inner, close, end; /* of text: start and end */
    uint32_t id, class; /* behind the names of these attributes, 0 for none */
    uint16_t tag;
    uint8_t space, flags;
} Node;

typedef struct {
    const byte *base, *end;
    TreeLimits limits;
    Tree *out;
    Node *nodes;
    uint32_t count, room, rebuilt, elements; /* elements: of `count` nodes, those that are no text */
    int32_t stack[DEEPEST];
    int depth;
    int32_t formatting[MOST_FORMATTING]; /* NONE: a marker */
    int formatting_count;
    uint8_t template_modes[DEEPEST];
    int template_count;
    int mode;
    int32_t head, form, body;
    uint8_t frames_allowed, foster, quirks, broken, skip_newline, group_solid, apart;
    uint32_t *slots; /* hash table of names that are not in the table of tags: index + 1 */
    uint32_t slot_count;
    uint32_t *open_count; /* HTML elements on the stack by tag */
    uint32_t *over;       /* tags that were too deep to open, by tag: as many end tags are passed over */
    const byte *text_stop; /* plaintext: nothing but text from here on */
    const byte *raw_next;  /* set by a start tag whose content was taken with it */
    const byte *group_end; /* texts up to here have nothing but `</>` between them: they are one text, solid or not */
} Builder;

#define NODE(i) (b->nodes[i])
#define CURRENT (b->stack[b->depth - 1])
#define OFFSET(p) ((uint32_t)((p) - b->base))

/* --- names --- */

static uint16_t name_id(Builder *b, const Token *t)
{
    if (t->tag != TAG_OTHER)
        return t->tag;
    uint64_t hash = 1469598103934665603u;
    for (uint32_t i = 0; i < t->name_size; i++)
        hash = (hash ^ lower(t->name[i])) * 1099511628211u;
    Tree *out = b->out;
    if (b->slots == NULL) {
        b->slot_count = 2;
        while (b->slot_count < 2 * (b->limits.names + 1))
            b->slot_count *= 2;
        b->slots = calloc(b->slot_count, sizeof *b->slots);
        out->name_at = malloc((b->limits.names + 1) * sizeof *out->name_at);
        out->name_size = malloc((b->limits.names + 1) * sizeof *out->name_size);
        if (b->slots == NULL || out->name_at == NULL || out->name_size == NULL) {
            b->broken = 1;
            return TAG_OTHER;
        }
    }
    uint32_t slot = (uint32_t)(hash >> 20) & (b->slot_count - 1);
    for (; b->slots[slot]; slot = (slot + 1) & (b->slot_count - 1)) {
        uint32_t known = b->slots[slot] - 1;
        if (out->name_size[known] == t->name_size && same_letters(b->base + out->name_at[known], t->name, t->name_size))
            return (uint16_t)(TAG_COUNT + known);
    }
    if (out->name_count >= b->limits.names) {
        out->too_named++;
        return TAG_OTHER;
    }
    out->name_at[out->name_count] = OFFSET(t->name);
    out->name_size[out->name_count] = t->name_size;
    b->slots[slot] = ++out->name_count;
    return (uint16_t)(TAG_COUNT + out->name_count - 1);
}

static inline uint32_t traits(uint16_t tag) { return tag < TAG_COUNT ? tag_rows[tag].traits : 0; }
static int is_table_part(uint16_t tag) { return (traits(tag) & T_TABLE_PART) != 0; }

/* --- nodes --- */

static int32_t new_node(Builder *b, uint16_t tag, uint32_t start, uint32_t end)
{
    if (b->count == b->room) {
        uint32_t room = b->room * 2;
        Node *nodes = realloc(b->nodes, (size_t)room * sizeof(Node));
        if (nodes == NULL) {
            b->broken = 1;
            return NONE;
        }
        b->nodes = nodes;
        b->room = room;
    }
    NODE(b->count) = (Node){NONE, NONE, NONE, NONE, NONE, start, end, end, end, 0, 0, tag, SPACE_HTML, 0};
    b->elements += tag != TAG_TEXT;
    return (int32_t)b->count++;
}

static void append(Builder *b, int32_t parent, int32_t node)
{
    Node *p = &NODE(parent), *n = &NODE(node);
    n->parent = parent;
    n->next = NONE;
    n->prev = p->last;
    if (p->last != NONE)
        NODE(p->last).next = node;
    else
        p->first = node;
    p->last = node;
}

static void put_before(Builder *b, int32_t sibling, int32_t node)
{
    Node *s = &NODE(sibling), *n = &NODE(node);
    n->parent = s->parent;
    n->next = sibling;
    n->prev = s->prev;
    if (s->prev != NONE)
        NODE(s->prev).next = node;
    else
        NODE(s->parent).first = node;
    s->prev = node;
    n->flags |= IS_MOVED;
}

static void detach(Builder *b, int32_t node)
{
    Node *n = &NODE(node);
    if (n->parent == NONE)
        return;
    if (n->prev != NONE)
        NODE(n->prev).next = n->next;
    else
        NODE(n->parent).first = n->next;
    if (n->next != NONE)
        NODE(n->next).prev = n->prev;
    else
        NODE(n->parent).last = n->prev;
    n->parent = n->next = n->prev = NONE;
}

static inline int is_html(const Builder *b, int32_t node, uint16_t tag)
{
    return NODE(node).tag == tag && NODE(node).space == SPACE_HTML;
}

static int holds_math_text(const Node *n)
{
    return n->space == SPACE_MATH &&
           (n->tag == TAG_MI || n->tag == TAG_MO || n->tag == TAG_MN || n->tag == TAG_MS || n->tag == TAG_MTEXT);
}

static int holds_svg_text(const Node *n)
{
    return n->space == SPACE_SVG && (n->tag == TAG_FOREIGNOBJECT || n->tag == TAG_DESC || n->tag == TAG_TITLE);
}

static int holds_html(const Node *n) { return holds_svg_text(n) || (n->flags & HOLDS_HTML); }

/* Say whether an element of svg or math is special and a barrier of every scope but that of tables. */
static int is_foreign_barrier(const Node *n)
{
    return holds_svg_text(n) || holds_math_text(n) || (n->space == SPACE_MATH && n->tag == TAG_ANNOTATION_XML);
}

static inline int is_special(const Builder *b, int32_t node)
{
    const Node *n = &NODE(node);
    if (n->space == SPACE_HTML)
        return (traits(n->tag) & T_SPECIAL) != 0;
    return is_foreign_barrier(n);
}

/* --- the stack of open elements --- */

static void push(Builder *b, int32_t node)
{
    Node *n = &NODE(node);
    if (b->depth >= (int)b->limits.depth) {
        b->over[n->tag]++;
        b->out->too_deep++;
        return;
    }
    b->stack[b->depth++] = node;
    n->flags |= OPEN;
    if (n->space == SPACE_HTML)
        b->open_count[n->tag]++;
}

/* Insert a table or template without opening it, where its rows and cells would have no room on the stack. */
static int is_too_deep(Builder *b, uint16_t tag)
{
    if (b->depth + ROOM_OF_TABLE < (int)b->limits.depth)
        return 0;
    b->over[tag]++;
    b->out->too_deep++;
    return 1;
}

static inline void close_node(Builder *b, int32_t node, uint32_t close, uint32_t end)
{
    Node *n = &NODE(node);
    n->flags &= (uint8_t)~OPEN;
    n->close = close;
    n->end = end;
    if (n->space == SPACE_HTML)
        b->open_count[n->tag]--;
}

static inline void pop(Builder *b, uint32_t close, uint32_t end) { close_node(b, b->stack[--b->depth], close, end); }

static void remove_from_stack(Builder *b, int place, uint32_t close, uint32_t end)
{
    close_node(b, b->stack[place], close, end);
    memmove(b->stack + place, b->stack + place + 1, (size_t)(b->depth - place - 1) * sizeof *b->stack);
    b->depth--;
}

static int place_on_stack(const Builder *b, int32_t node)
{
    for (int i = b->depth - 1; i >= 0; i--)
        if (b->stack[i] == node)
            return i;
    return NONE;
}

enum { SCOPE, LIST_SCOPE, BUTTON_SCOPE, TABLE_SCOPE };

static int is_barrier(const Node *n, int kind)
{
    if (kind == TABLE_SCOPE)
        return n->space == SPACE_HTML && (n->tag == TAG_HTML || n->tag == TAG_TABLE || n->tag == TAG_TEMPLATE);
    if (n->space == SPACE_HTML) {
        if ((traits(n->tag) & T_SCOPE) || n->tag == TAG_SELECT)
            return 1;
        return (kind == LIST_SCOPE && (n->tag == TAG_OL || n->tag == TAG_UL)) || (kind == BUTTON_SCOPE && n->tag == TAG_BUTTON);
    }
    return is_foreign_barrier(n);
}

static int in_scope(const Builder *b, uint16_t tag, int kind)
{
    if (b->open_count[tag] == 0)
        return 0;
    for (int i = b->depth - 1; i >= 0; i--) {
        const Node *n = &NODE(b->stack[i]);
        if (n->tag == tag && n->space == SPACE_HTML)
            return 1;
        if (is_barrier(n, kind))
            return 0;
    }
    return 0;
}

static int heading_in_scope(const Builder *b)
{
    int tag = TAG_H1;
    while (tag <= TAG_H6 && !in_scope(b, (uint16_t)tag, SCOPE))
        tag++;
    return tag <= TAG_H6;
}

static int node_in_scope(const Builder *b, int32_t node)
{
    for (int i = b->depth - 1; i >= 0; i--) {
        if (b->stack[i] == node)
            return 1;
        if (is_barrier(&NODE(b->stack[i]), SCOPE))
            return 0;
    }
    return 0;
}

/* End elements with one of these traits, as far as they are the innermost. */
static void imply_ends_of(Builder *b, uint32_t which, int except, uint32_t at)
{
    for (;;) {
        const Node *n = &NODE(CURRENT);
        if (n->space != SPACE_HTML || !(traits(n->tag) & which) || n->tag == except)
            return;
        pop(b, at, at);
    }
}

static void imply_ends(Builder *b, int except, uint32_t at) { imply_ends_of(b, T_IMPLIED, except, at); }

/* Pop elements up to one of this name; its end is `end`, that of the others `at`. */
static void pop_until(Builder *b, uint16_t tag, uint32_t at, uint32_t end)
{
    while (b->depth > 1) {
        int last = is_html(b, CURRENT, tag);
        pop(b, at, last ? end : at);
        if (last)
            return;
    }
}

static void close_p(Builder *b, uint32_t at, uint32_t end)
{
    imply_ends(b, TAG_P, at);
    pop_until(b, TAG_P, at, end);
}

static inline void close_p_if_open(Builder *b, uint32_t at)
{
    if (b->open_count[TAG_P] && in_scope(b, TAG_P, BUTTON_SCOPE))
        close_p(b, at, at);
}

/* --- where things are inserted --- */

static inline int is_table_like(const Builder *b, int32_t node)
{
    const Node *n = &NODE(node);
    return n->space == SPACE_HTML && (n->tag == TAG_TABLE || n->tag == TAG_TR || (traits(n->tag) & T_SECTION));
}

/* Return the parent for what is inserted at `target`, and before which of its children, NONE for the end. */
static int32_t place_for(Builder *b, int32_t target, int32_t *before)
{
    *before = NONE;
    if (!b->foster || !is_table_like(b, target))
        return target;
    int table = NONE, frame = NONE;
    for (int i = b->depth - 1; i >= 0 && (table == NONE || frame == NONE); i--) {
        if (table == NONE && is_html(b, b->stack[i], TAG_TABLE))
            table = i;
        if (frame == NONE && is_html(b, b->stack[i], TAG_TEMPLATE))
            frame = i;
    }
    if (frame != NONE && (table == NONE || frame > table))
        return b->stack[frame];
    if (table == NONE)
        return b->stack[0];
    int32_t node = b->stack[table];
    if (NODE(node).parent != NONE) {
        *before = node;
        return NODE(node).parent;
    }
    return b->stack[table - 1];
}

static void insert_at(Builder *b, int32_t parent, int32_t before, int32_t node)
{
    if (before != NONE)
        put_before(b, before, node);
    else
        append(b, parent, node);
}

static void insert_text(Builder *b, const byte *at, const byte *end, int flags)
{
    if (at >= end || b->broken)
        return;
    int32_t before, parent = place_for(b, CURRENT, &before);
    int32_t last = before != NONE ? NODE(before).prev : NODE(parent).last;
    int continues = last != NONE && NODE(last).tag == TAG_TEXT && !(NODE(last).flags & SEALED);
    if (b->apart && !(flags & RUN_RAW)) {
        flags |= RUN_APART;
        b->apart = 0;
    }
    if (continues && NODE(last).end == OFFSET(at)) {
        NODE(last).end = OFFSET(end);
        if (!(flags & RUN_BLANK))
            NODE(last).flags &= (uint8_t)~RUN_BLANK;
        return;
    }
    int32_t node = new_node(b, TAG_TEXT, OFFSET(at), OFFSET(end));
    if (node == NONE)
        return;
    NODE(node).flags = (uint8_t)(flags | (continues ? RUN_CONTINUES : 0));
    insert_at(b, parent, before, node);
}

/* A comment stands here: text before it and behind it are two nodes. */
static void seal(Builder *b, int32_t parent)
{
    int32_t last = NODE(parent).last;
    if (last != NONE && NODE(last).tag == TAG_TEXT)
        NODE(last).flags |= SEALED;
}

static int32_t insert_element(Builder *b, uint16_t tag, const Token *t, int space)
{
    uint32_t at = OFFSET(t->at), behind = t->next ? OFFSET(t->next) : at;
    if (b->elements >= b->limits.elements) {
        b->out->too_many++;
        return NONE;
    }
    int32_t before, parent = place_for(b, CURRENT, &before), node = new_node(b, tag, at, behind);
    if (node == NONE)
        return NONE;
    NODE(node).space = (uint8_t)space;
    NODE(node).id = t->id ? OFFSET(t->id) : 0;
    NODE(node).class = t->class ? OFFSET(t->class) : 0;
    insert_at(b, parent, before, node);
    return node;
}

/* Insert an element and leave it open; return NONE where it could not be made. */
static int32_t open_element(Builder *b, uint16_t tag, const Token *t)
{
    int32_t node = insert_element(b, tag, t, SPACE_HTML);
    if (node != NONE)
        push(b, node);
    return node;
}

static int32_t open_implied(Builder *b, uint16_t tag, uint32_t at)
{
    int32_t node = new_node(b, tag, at, at);
    if (node == NONE)
        return NONE;
    NODE(node).flags |= IS_IMPLIED;
    if (b->depth == 0) {
        push(b, node);
        return node;
    }
    int32_t before, parent = place_for(b, CURRENT, &before);
    insert_at(b, parent, before, node);
    push(b, node);
    return node;
}

/* --- formatting elements --- */

static int same_attributes(const Builder *b, int32_t one, int32_t other)
{
    const Node *x = &NODE(one), *y = &NODE(other);
    if (x->tag != y->tag || x->space != y->space)
        return 0;
    if (x->inner - x->start > LONGEST_COMPARED || y->inner - y->start > LONGEST_COMPARED)
        return 0; /* it is compared with every later one while it stays open */
    const byte *p = b->base + x->start + 1, *q = b->base + y->start + 1;
    while (p < b->end && !(byte_class[*p] & B_NAME_END))
        p++;
    while (q < b->end && !(byte_class[*q] & B_NAME_END))
        q++;
    Attribute m[16], n[16];
    int count = 0, more = 0;
    while (count < 16 && next_attribute(&p, b->end, &m[count]))
        count++;
    while (more < 16 && next_attribute(&q, b->end, &n[more]))
        more++;
    if (count != more || count == 16)
        return 0;
    for (int i = 0; i < count; i++) {
        int found = 0;
        for (int j = 0; j < more && !found; j++) {
            size_t size = (size_t)(m[i].value_end - m[i].value);
            found = m[i].name_end - m[i].name == n[j].name_end - n[j].name &&
                    same_letters(m[i].name, n[j].name, (size_t)(m[i].name_end - m[i].name)) &&
                    size == (size_t)(n[j].value_end - n[j].value) &&
                    (size == 0 || !memcmp(m[i].value, n[j].value, size));
        }
        if (!found)
            return 0;
    }
    return 1;
}

static void remove_formatting(Builder *b, int place)
{
    memmove(b->formatting + place, b->formatting + place + 1,
            (size_t)(b->formatting_count - place - 1) * sizeof *b->formatting);
    b->formatting_count--;
}

static void push_marker(Builder *b)
{
    if (b->formatting_count < MOST_FORMATTING)
        b->formatting[b->formatting_count++] = NONE;
}

static void clear_to_marker(Builder *b)
{
    while (b->formatting_count && b->formatting[--b->formatting_count] != NONE)
        ;
}

static void push_formatting(Builder *b, int32_t node)
{
    if (node == NONE)
        return;
    int equal = 0, first = NONE, held = 0, oldest = NONE;
    for (int i = b->formatting_count - 1; i >= 0 && b->formatting[i] != NONE; i--) {
        held++;
        oldest = i;
        if (same_attributes(b, b->formatting[i], node)) {
            equal++;
            first = i;
        }
    }
    if (equal >= 3)
        remove_formatting(b, first);
    else if (held >= (int)b->limits.formatting || b->formatting_count == MOST_FORMATTING) {
        if (oldest == NONE)
            return;
        remove_formatting(b, oldest);
        b->out->too_formatted++;
    }
    b->formatting[b->formatting_count++] = node;
}

/* Make the same element again, as it is built anew or as the adoption agency clones it. */
static int32_t clone(Builder *b, int32_t node)
{
    if (b->rebuilt >= b->limits.rebuilt) {
        b->out->too_formatted++;
        return NONE;
    }
    b->rebuilt++;
    if (b->elements >= b->limits.elements) {
        b->out->too_many++;
        return NONE;
    }
    int32_t made = new_node(b, NODE(node).tag, NODE(node).start, NODE(node).inner);
    if (made != NONE) {
        NODE(made).flags = (uint8_t)(IS_MOVED | (NODE(node).flags & IS_IMPLIED));
        NODE(made).id = NODE(node).id;
        NODE(made).class = NODE(node).class;
    }
    return made;
}

static void rebuild_formatting(Builder *b)
{
    int i = b->formatting_count - 1;
    if (i < 0 || b->formatting[i] == NONE || (NODE(b->formatting[i]).flags & OPEN))
        return;
    while (i > 0 && b->formatting[i - 1] != NONE && !(NODE(b->formatting[i - 1]).flags & OPEN))
        i--;
    for (; i < b->formatting_count; i++) {
        if (b->depth >= (int)b->limits.depth)
            return;
        int32_t node = clone(b, b->formatting[i]);
        if (node == NONE)
            return;
        int32_t before, parent = place_for(b, CURRENT, &before);
        insert_at(b, parent, before, node);
        push(b, node);
        b->formatting[i] = node;
    }
}

static int formatting_place(const Builder *b, int32_t node)
{
    for (int i = b->formatting_count - 1; i >= 0; i--)
        if (b->formatting[i] == node)
            return i;
    return NONE;
}

static void any_other_end(Builder *b, uint16_t tag, uint32_t at, uint32_t end)
{
    if (b->open_count[tag] == 0)
        return;
    for (int i = b->depth - 1; i > 0; i--) {
        int32_t node = b->stack[i];
        if (is_html(b, node, tag)) {
            imply_ends(b, tag, at);
            while (b->depth > i)
                pop(b, at, b->depth == i + 1 ? end : at);
            return;
        }
        if (is_special(b, node))
            return;
    }
}

/* The adoption agency (13.2.6.4.7) for the end of a formatting element; `end` is behind the tag, or `at`. */
static void adopt(Builder *b, uint16_t tag, uint32_t at, uint32_t end)
{
    if (is_html(b, CURRENT, tag) && formatting_place(b, CURRENT) == NONE) {
        pop(b, at, end);
        return;
    }
    for (int round = 0; round < 8; round++) {
        int entry = NONE;
        for (int i = b->formatting_count - 1; i >= 0 && b->formatting[i] != NONE; i--)
            if (NODE(b->formatting[i]).tag == tag) {
                entry = i;
                break;
            }
        if (entry == NONE) {
            any_other_end(b, tag, at, end);
            return;
        }
        int32_t element = b->formatting[entry];
        int place = place_on_stack(b, element);
        if (place == NONE) {
            remove_formatting(b, entry);
            return;
        }
        if (!node_in_scope(b, element))
            return;
        int furthest = NONE;
        for (int i = place + 1; i < b->depth && furthest == NONE; i++)
            if (is_special(b, b->stack[i]))
                furthest = i;
        if (furthest == NONE) {
            while (b->depth > place)
                pop(b, at, b->depth == place + 1 ? end : at);
            remove_formatting(b, formatting_place(b, element));
            return;
        }
        int32_t ancestor = b->stack[place - 1], block = b->stack[furthest];
        int bookmark = entry;
        int32_t last = block;
        int at_node = furthest, inner = 0;
        for (;;) {
            inner++;
            at_node--;
            int32_t node = b->stack[at_node];
            if (node == element)
                break;
            int listed = formatting_place(b, node);
            if (inner > 3 && listed != NONE) {
                remove_formatting(b, listed);
                if (listed < bookmark)
                    bookmark--;
                listed = NONE;
            }
            if (listed == NONE) {
                remove_from_stack(b, at_node, at, at);
                furthest--;
                continue; /* what was above stands at this place now, and the next round goes below it */
            }
            int32_t made = clone(b, node);
            if (made == NONE)
                return;
            NODE(node).flags &= (uint8_t)~OPEN;
            NODE(node).close = NODE(node).end = at;
            NODE(made).flags |= OPEN;
            b->formatting[listed] = made;
            b->stack[at_node] = made;
            if (last == block)
                bookmark = listed + 1;
            detach(b, last);
            append(b, made, last);
            NODE(last).flags |= IS_MOVED;
            last = made;
        }
        detach(b, last);
        uint8_t foster = b->foster;
        b->foster = 1;
        int32_t before, parent = place_for(b, ancestor, &before);
        b->foster = foster;
        insert_at(b, parent, before, last);
        NODE(last).flags |= IS_MOVED;
        int32_t made = clone(b, element);
        if (made == NONE)
            return;
        int32_t child = NODE(block).first;
        Node *m = &NODE(made), *k = &NODE(block);
        m->first = k->first;
        m->last = k->last;
        k->first = k->last = NONE;
        for (; child != NONE; child = NODE(child).next)
            NODE(child).parent = made;
        append(b, block, made);
        int old = formatting_place(b, element);
        if (bookmark > old)
            bookmark--;
        remove_formatting(b, old);
        memmove(b->formatting + bookmark + 1, b->formatting + bookmark,
                (size_t)(b->formatting_count - bookmark) * sizeof *b->formatting);
        b->formatting[bookmark] = made;
        b->formatting_count++;
        remove_from_stack(b, place_on_stack(b, element), at, at);
        int below = place_on_stack(b, block) + 1;
        memmove(b->stack + below + 1, b->stack + below, (size_t)(b->depth - below) * sizeof *b->stack);
        b->stack[below] = made;
        b->depth++;
        NODE(made).flags |= OPEN;
        b->open_count[tag]++;
    }
}

/* --- the modes --- */

static int start_tag(Builder *b, const Token *t, uint16_t tag);
static int end_tag(Builder *b, const Token *t, uint16_t tag);
enum { DONE, AGAIN };

static void reset_mode(Builder *b)
{
    for (int i = b->depth - 1; i >= 0; i--) {
        const Node *n = &NODE(b->stack[i]);
        if (n->space != SPACE_HTML)
            continue;
        uint32_t kind = traits(n->tag);
        if ((kind & T_CELL) && i > 0)
            b->mode = IN_CELL;
        else if (n->tag == TAG_TR)
            b->mode = IN_ROW;
        else if (kind & T_SECTION)
            b->mode = IN_TABLE_BODY;
        else if (n->tag == TAG_CAPTION)
            b->mode = IN_CAPTION;
        else if (n->tag == TAG_COLGROUP)
            b->mode = IN_COLUMN_GROUP;
        else if (n->tag == TAG_TABLE)
            b->mode = IN_TABLE;
        else if (n->tag == TAG_TEMPLATE)
            b->mode = b->template_count ? b->template_modes[b->template_count - 1] : IN_BODY;
        else if (n->tag == TAG_HEAD && i > 0)
            b->mode = IN_HEAD;
        else if (n->tag == TAG_BODY)
            b->mode = IN_BODY;
        else if (n->tag == TAG_FRAMESET)
            b->mode = IN_FRAMESET;
        else if (n->tag == TAG_HTML)
            b->mode = b->head == NONE ? BEFORE_HEAD : AFTER_HEAD;
        else
            continue;
        return;
    }
    b->mode = IN_BODY;
}

/* Pass the line end that an element may begin with, be it a reference. */
static const byte *skip_line_end(const byte *at, const byte *end)
{
    byte out[12];
    const byte *next = at;
    if (at < end && *at == '\r')
        return at + (at + 1 < end && at[1] == '\n' ? 2 : 1);
    if (at < end && *at == '&')
        return read_reference(at, end, IN_TEXT, out, &next) == 1 && out[0] == '\n' ? next : at;
    return at + (at < end && *at == '\n');
}

/* Open an element whose content is text up to its closing tag; return where reading goes on. */
static const byte *take_raw(Builder *b, const Token *t, uint16_t tag)
{
    const byte *close = content_close(t, b->end);
    const byte *stop = close ? close : b->end, *from = t->next;
    int32_t node = b->elements < b->limits.elements ? insert_element(b, tag, t, SPACE_HTML) : NONE;
    Token ending = {0};
    const byte *next = stop;
    if (close) {
        read_token(&ending, close, b->end);
        if (ending.kind == TOKEN_END && ending.next)
            next = ending.next;
        else
            next = b->end; /* the page ends inside the closing tag */
    }
    if (node == NONE)
        return next;
    if (tag == TAG_TEXTAREA)
        from = skip_line_end(from, stop);
    NODE(node).close = OFFSET(stop);
    NODE(node).end = OFFSET(next);
    if (from < stop) {
        int32_t text = new_node(b, TAG_TEXT, OFFSET(from), OFFSET(stop));
        if (text != NONE) {
            NODE(text).flags = (uint8_t)(tag_rows[t->tag].traits & T_RCDATA ? 0 : RUN_RAW);
            append(b, node, text);
        }
    }
    return next;
}

static void take_raw_here(Builder *b, const Token *t, uint16_t tag) { b->raw_next = take_raw(b, t, tag); }

static void insert_void(Builder *b, const Token *t, uint16_t tag) { insert_element(b, tag, t, SPACE_HTML); }

/* Return 1 where the tag belongs to the rules of the head, which are done then. */
static int start_in_head(Builder *b, const Token *t, uint16_t tag)
{
    switch (tag) {
    case TAG_BASE: case TAG_BASEFONT: case TAG_BGSOUND: case TAG_LINK: case TAG_META:
        insert_void(b, t, tag);
        return 1;
    case TAG_TITLE: case TAG_NOFRAMES: case TAG_STYLE: case TAG_SCRIPT:
        take_raw_here(b, t, tag);
        return 1;
    case TAG_TEMPLATE:
        if (is_too_deep(b, tag)) {
            insert_void(b, t, tag);
            return 1;
        }
        open_element(b, tag, t);
        push_marker(b);
        b->frames_allowed = 0;
        b->mode = IN_TEMPLATE_MODE;
        if (b->template_count < DEEPEST)
            b->template_modes[b->template_count++] = IN_TEMPLATE_MODE;
        return 1;
    }
    return 0;
}

static void end_template(Builder *b, const Token *t)
{
    if (b->open_count[TAG_TEMPLATE] == 0)
        return;
    uint32_t at = OFFSET(t->at);
    imply_ends_of(b, T_IMPLIED | T_TABLE_PART, NONE, at); /* thoroughly */
    pop_until(b, TAG_TEMPLATE, at, OFFSET(t->next));
    clear_to_marker(b);
    if (b->template_count)
        b->template_count--;
    reset_mode(b);
}

static void add_more(Builder *b, const Token *t, uint32_t *more, uint32_t *count)
{
    if (*count < 8)
        more[(*count)++] = OFFSET(t->at);
    else
        b->out->too_attributed += t->next - t->attributes > 1;
}

/* Find the first attribute of a tag with this name; return 0 where it has none. */
static int find_in_tag(const Token *t, const char *name, Attribute *a)
{
    const byte *at = t->attributes;
    while (next_attribute(&at, t->next, a))
        if (is_named(a, name, strlen(name)))
            return 1;
    return 0;
}

static int begins(const byte *at, const byte *end, const char *with)
{
    size_t size = strlen(with);
    return (size_t)(end - at) >= size && same_letters(at, (const byte *)with, size);
}

static int equals(const byte *at, const byte *end, const char *with)
{
    return (size_t)(end - at) == strlen(with) && begins(at, end, with);
}

static int is_hidden_input(const Token *t)
{
    Attribute a;
    return find_in_tag(t, "type", &a) && equals(a.value, a.value_end, "hidden");
}

static void close_list_item(Builder *b, uint16_t tag, uint32_t at)
{
    for (int i = b->depth - 1; i > 0; i--) {
        int32_t node = b->stack[i];
        const Node *n = &NODE(node);
        int same = n->space == SPACE_HTML &&
                   (n->tag == tag || (tag != TAG_LI && (n->tag == TAG_DD || n->tag == TAG_DT)));
        if (same) {
            uint16_t found = n->tag;
            imply_ends(b, found, at);
            pop_until(b, found, at, at);
            return;
        }
        if (is_special(b, node) && !(n->space == SPACE_HTML && (n->tag == TAG_ADDRESS || n->tag == TAG_DIV || n->tag == TAG_P)))
            return;
    }
}

static int has_html_encoding(const Token *t)
{
    Attribute a;
    return find_in_tag(t, "encoding", &a) &&
           (equals(a.value, a.value_end, "text/html") || equals(a.value, a.value_end, "application/xhtml+xml"));
}

static void start_foreign(Builder *b, const Token *t, uint16_t tag, int space)
{
    int32_t node = insert_element(b, tag, t, space);
    if (node == NONE)
        return;
    NODE(node).flags |= IS_FOREIGN | (space == SPACE_MATH && tag == TAG_ANNOTATION_XML && has_html_encoding(t) ? HOLDS_HTML : 0);
    if (!t->slash)
        push(b, node);
}

static int start_frameset(Builder *b, const Token *t)
{
    if (b->depth < 2 || !is_html(b, b->stack[1], TAG_BODY) || !b->frames_allowed)
        return DONE;
    uint32_t at = OFFSET(t->at);
    int32_t body = b->stack[1];
    while (b->depth > 1)
        pop(b, at, at);
    detach(b, body);
    open_element(b, TAG_FRAMESET, t);
    b->mode = IN_FRAMESET;
    return DONE;
}

static void start_link(Builder *b, const Token *t)
{
    uint32_t at = OFFSET(t->at);
    for (int i = b->formatting_count - 1; i >= 0 && b->formatting[i] != NONE; i--) {
        int32_t node = b->formatting[i];
        if (NODE(node).tag != TAG_A)
            continue;
        adopt(b, TAG_A, at, at);
        int place = formatting_place(b, node);
        if (place != NONE)
            remove_formatting(b, place);
        place = NODE(node).flags & OPEN ? place_on_stack(b, node) : NONE;
        if (place != NONE)
            remove_from_stack(b, place, at, at);
        break;
    }
    rebuild_formatting(b);
    push_formatting(b, open_element(b, TAG_A, t));
}

static int start_in_body(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at), kind = traits(tag);
    switch (tag) {
    case TAG_HTML:
        if (!b->open_count[TAG_TEMPLATE])
            add_more(b, t, b->out->html_more, &b->out->html_more_count);
        return DONE;
    case TAG_BODY:
        if (b->depth < 2 || !is_html(b, b->stack[1], TAG_BODY) || b->open_count[TAG_TEMPLATE])
            return DONE;
        b->frames_allowed = 0;
        add_more(b, t, b->out->body_more, &b->out->body_more_count);
        return DONE;
    case TAG_FRAMESET:
        return start_frameset(b, t);
    case TAG_A:
        start_link(b, t);
        return DONE;
    case TAG_LI: case TAG_DD: case TAG_DT:
        b->frames_allowed = 0;
        if (tag == TAG_LI ? b->open_count[TAG_LI] : b->open_count[TAG_DD] || b->open_count[TAG_DT])
            close_list_item(b, tag, at);
        close_p_if_open(b, at);
        open_element(b, tag, t);
        return DONE;
    case TAG_PRE: case TAG_LISTING:
        close_p_if_open(b, at);
        open_element(b, tag, t);
        b->skip_newline = 1;
        b->frames_allowed = 0;
        return DONE;
    case TAG_FORM:
        if (b->form != NONE && !b->open_count[TAG_TEMPLATE])
            return DONE;
        close_p_if_open(b, at);
        {
            int32_t node = open_element(b, tag, t);
            if (!b->open_count[TAG_TEMPLATE])
                b->form = node;
        }
        return DONE;
    case TAG_PLAINTEXT:
        close_p_if_open(b, at);
        open_element(b, tag, t);
        b->text_stop = t->next;
        return DONE;
    case TAG_BUTTON:
        if (in_scope(b, TAG_BUTTON, SCOPE)) {
            imply_ends(b, NONE, at);
            pop_until(b, TAG_BUTTON, at, at);
        }
        rebuild_formatting(b);
        open_element(b, tag, t);
        b->frames_allowed = 0;
        return DONE;
    case TAG_NOBR:
        rebuild_formatting(b);
        if (in_scope(b, TAG_NOBR, SCOPE)) {
            adopt(b, TAG_NOBR, at, at);
            rebuild_formatting(b);
        }
        push_formatting(b, open_element(b, tag, t));
        return DONE;
    case TAG_APPLET: case TAG_MARQUEE: case TAG_OBJECT: {
        rebuild_formatting(b);
        int depth = b->depth;
        open_element(b, tag, t);
        if (b->depth > depth)
            push_marker(b);
        b->frames_allowed = 0;
        return DONE;
    }
    case TAG_TABLE:
        if (!b->quirks)
            close_p_if_open(b, at);
        b->frames_allowed = 0;
        if (is_too_deep(b, tag)) {
            insert_void(b, t, tag);
            return DONE;
        }
        open_element(b, tag, t);
        b->mode = IN_TABLE;
        return DONE;
    case TAG_IMAGE:
        tag = TAG_IMG; /* fall through */
    case TAG_AREA: case TAG_BR: case TAG_EMBED: case TAG_IMG: case TAG_KEYGEN: case TAG_WBR:
        rebuild_formatting(b);
        insert_void(b, t, tag);
        b->frames_allowed = 0;
        return DONE;
    case TAG_INPUT:
        if (in_scope(b, TAG_SELECT, SCOPE))
            pop_until(b, TAG_SELECT, at, at);
        rebuild_formatting(b);
        insert_void(b, t, tag);
        if (!is_hidden_input(t))
            b->frames_allowed = 0;
        return DONE;
    case TAG_PARAM: case TAG_SOURCE: case TAG_TRACK:
        insert_void(b, t, tag);
        return DONE;
    case TAG_HR:
        close_p_if_open(b, at);
        if (in_scope(b, TAG_SELECT, SCOPE))
            imply_ends(b, NONE, at);
        insert_void(b, t, tag);
        b->frames_allowed = 0;
        return DONE;
    case TAG_TEXTAREA:
        take_raw_here(b, t, tag);
        b->frames_allowed = 0;
        return DONE;
    case TAG_XMP:
        close_p_if_open(b, at);
        rebuild_formatting(b);
        b->frames_allowed = 0;
        take_raw_here(b, t, tag);
        return DONE;
    case TAG_IFRAME:
        b->frames_allowed = 0; /* fall through */
    case TAG_NOEMBED:
        take_raw_here(b, t, tag);
        return DONE;
    case TAG_SELECT:
        if (in_scope(b, TAG_SELECT, SCOPE)) {
            pop_until(b, TAG_SELECT, at, at);
            return DONE;
        }
        rebuild_formatting(b);
        open_element(b, tag, t);
        b->frames_allowed = 0;
        return DONE;
    case TAG_OPTION: case TAG_OPTGROUP:
        if (in_scope(b, TAG_SELECT, SCOPE))
            imply_ends(b, tag == TAG_OPTION ? TAG_OPTGROUP : NONE, at);
        else if (is_html(b, CURRENT, TAG_OPTION))
            pop(b, at, at);
        rebuild_formatting(b);
        open_element(b, tag, t);
        return DONE;
    case TAG_RB: case TAG_RTC: case TAG_RP: case TAG_RT:
        if (in_scope(b, TAG_RUBY, SCOPE))
            imply_ends(b, tag == TAG_RB || tag == TAG_RTC ? NONE : TAG_RTC, at);
        open_element(b, tag, t);
        return DONE;
    case TAG_MATH: case TAG_SVG:
        rebuild_formatting(b);
        start_foreign(b, t, tag, tag == TAG_SVG ? SPACE_SVG : SPACE_MATH);
        return DONE;
    case TAG_CAPTION: case TAG_COL: case TAG_COLGROUP: case TAG_FRAME: case TAG_HEAD: case TAG_TBODY: case TAG_TD:
    case TAG_TFOOT: case TAG_TH: case TAG_THEAD: case TAG_TR:
        if (b->over[TAG_TABLE] && is_table_part(tag))
            insert_void(b, t, tag); /* it keeps words apart */
        return DONE;
    }
    if (kind & T_FORMATTING) {
        rebuild_formatting(b);
        push_formatting(b, open_element(b, tag, t));
        return DONE;
    }
    if (kind & T_CLOSES_P) {
        close_p_if_open(b, at);
        if ((kind & T_HEADING) && NODE(CURRENT).space == SPACE_HTML && (traits(NODE(CURRENT).tag) & T_HEADING))
            pop(b, at, at);
        open_element(b, tag, t);
        return DONE;
    }
    if (start_in_head(b, t, tag))
        return DONE;
    rebuild_formatting(b);
    open_element(b, tag, t);
    return DONE;
}

/* End an element and what stands open in it, those implied first; return 0 where it is not in scope. */
static int end_scoped(Builder *b, uint16_t tag, int scope, int except, uint32_t at, uint32_t end)
{
    if (!in_scope(b, tag, scope))
        return 0;
    imply_ends(b, except, at);
    pop_until(b, tag, at, end);
    return 1;
}

static int ends_as_block(uint16_t tag)
{
    switch (tag) {
    case TAG_ADDRESS: case TAG_ARTICLE: case TAG_ASIDE: case TAG_BLOCKQUOTE: case TAG_BUTTON: case TAG_CENTER:
    case TAG_DETAILS: case TAG_DIALOG: case TAG_DIR: case TAG_DIV: case TAG_DL: case TAG_FIELDSET: case TAG_FIGCAPTION:
    case TAG_FIGURE: case TAG_FOOTER: case TAG_HEADER: case TAG_HGROUP: case TAG_LISTING: case TAG_MAIN: case TAG_MENU:
    case TAG_NAV: case TAG_OL: case TAG_PRE: case TAG_SEARCH: case TAG_SECTION: case TAG_SELECT: case TAG_SUMMARY:
    case TAG_UL:
        return 1;
    }
    return 0;
}

static void end_form(Builder *b, uint32_t at, uint32_t end)
{
    if (b->open_count[TAG_TEMPLATE]) {
        end_scoped(b, TAG_FORM, SCOPE, NONE, at, end);
        return;
    }
    int32_t node = b->form;
    b->form = NONE;
    if (node == NONE || !(NODE(node).flags & OPEN) || !node_in_scope(b, node))
        return;
    imply_ends(b, NONE, at);
    int place = place_on_stack(b, node);
    if (place != NONE)
        remove_from_stack(b, place, at, end);
}

static int end_in_body(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at), end = OFFSET(t->next), kind = traits(tag);
    switch (tag) {
    case TAG_TEMPLATE:
        end_template(b, t);
        return DONE;
    case TAG_BODY: case TAG_HTML:
        if (!in_scope(b, TAG_BODY, SCOPE))
            return DONE;
        b->mode = AFTER_BODY;
        return tag == TAG_HTML ? AGAIN : DONE;
    case TAG_FORM:
        end_form(b, at, end);
        return DONE;
    case TAG_P:
        if (!in_scope(b, TAG_P, BUTTON_SCOPE)) {
            if (b->depth >= (int)b->limits.depth || b->elements >= b->limits.elements)
                return DONE;
            open_implied(b, TAG_P, at);
        }
        close_p(b, at, end);
        return DONE;
    case TAG_LI: case TAG_DD: case TAG_DT:
        end_scoped(b, tag, tag == TAG_LI ? LIST_SCOPE : SCOPE, tag, at, end);
        return DONE;
    case TAG_APPLET: case TAG_MARQUEE: case TAG_OBJECT:
        if (end_scoped(b, tag, SCOPE, NONE, at, end))
            clear_to_marker(b);
        return DONE;
    case TAG_BR: {
        rebuild_formatting(b);
        int32_t node = insert_element(b, TAG_BR, t, SPACE_HTML);
        if (node != NONE)
            NODE(node).flags |= IS_IMPLIED;
        b->frames_allowed = 0;
        return DONE;
    }
    }
    if (kind & T_FORMATTING) {
        adopt(b, tag, at, end);
        return DONE;
    }
    if (kind & T_HEADING) {
        if (!heading_in_scope(b))
            return DONE;
        imply_ends(b, NONE, at);
        while (b->depth > 1) {
            int last = NODE(CURRENT).space == SPACE_HTML && (traits(NODE(CURRENT).tag) & T_HEADING);
            pop(b, at, last ? end : at);
            if (last)
                break;
        }
        return DONE;
    }
    if (ends_as_block(tag))
        end_scoped(b, tag, SCOPE, NONE, at, end);
    else
        any_other_end(b, tag, at, end);
    return DONE;
}

/* Tables: pop down to a table, a section or a row. */
static void clear_stack_to(Builder *b, uint32_t wanted, uint16_t tag, uint32_t at)
{
    while (b->depth > 1) {
        const Node *n = &NODE(CURRENT);
        if (n->space == SPACE_HTML &&
            (n->tag == tag || (wanted && (traits(n->tag) & wanted)) || n->tag == TAG_TEMPLATE || n->tag == TAG_HTML))
            return;
        pop(b, at, at);
    }
}

static int start_fostered(Builder *b, const Token *t, uint16_t tag)
{
    b->foster = 1;
    int again = start_in_body(b, t, tag);
    b->foster = 0;
    return again;
}

static int start_in_table(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    switch (tag) {
    case TAG_CAPTION:
        clear_stack_to(b, 0, TAG_TABLE, at);
        push_marker(b);
        open_element(b, tag, t);
        b->mode = IN_CAPTION;
        return DONE;
    case TAG_COLGROUP:
        clear_stack_to(b, 0, TAG_TABLE, at);
        open_element(b, tag, t);
        b->mode = IN_COLUMN_GROUP;
        return DONE;
    case TAG_COL:
        clear_stack_to(b, 0, TAG_TABLE, at);
        open_implied(b, TAG_COLGROUP, at);
        b->mode = IN_COLUMN_GROUP;
        return AGAIN;
    case TAG_TBODY: case TAG_TFOOT: case TAG_THEAD:
        clear_stack_to(b, 0, TAG_TABLE, at);
        open_element(b, tag, t);
        b->mode = IN_TABLE_BODY;
        return DONE;
    case TAG_TD: case TAG_TH: case TAG_TR:
        clear_stack_to(b, 0, TAG_TABLE, at);
        open_implied(b, TAG_TBODY, at);
        b->mode = IN_TABLE_BODY;
        return AGAIN;
    case TAG_TABLE:
        if (!in_scope(b, TAG_TABLE, TABLE_SCOPE))
            return DONE;
        pop_until(b, TAG_TABLE, at, at);
        reset_mode(b);
        return AGAIN;
    case TAG_STYLE: case TAG_SCRIPT: case TAG_TEMPLATE:
        start_in_head(b, t, tag);
        return DONE;
    case TAG_INPUT:
        if (!is_hidden_input(t))
            break;
        insert_void(b, t, tag);
        return DONE;
    case TAG_FORM:
        if (b->open_count[TAG_TEMPLATE] || b->form != NONE)
            return DONE;
        b->form = insert_element(b, tag, t, SPACE_HTML);
        return DONE;
    }
    return start_fostered(b, t, tag);
}

static int end_in_table(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    switch (tag) {
    case TAG_TABLE:
        if (!in_scope(b, TAG_TABLE, TABLE_SCOPE))
            return DONE;
        pop_until(b, TAG_TABLE, at, OFFSET(t->next));
        reset_mode(b);
        return DONE;
    case TAG_BODY: case TAG_CAPTION: case TAG_COL: case TAG_COLGROUP: case TAG_HTML: case TAG_TBODY: case TAG_TD: case TAG_TFOOT:
    case TAG_TH: case TAG_THEAD: case TAG_TR:
        return DONE;
    case TAG_TEMPLATE:
        end_template(b, t);
        return DONE;
    }
    b->foster = 1;
    int again = end_in_body(b, t, tag);
    b->foster = 0;
    return again;
}

static int close_caption(Builder *b, uint32_t at, uint32_t end)
{
    if (!end_scoped(b, TAG_CAPTION, TABLE_SCOPE, NONE, at, end))
        return 0;
    clear_to_marker(b);
    b->mode = IN_TABLE;
    return 1;
}

static void close_cell(Builder *b, uint32_t at)
{
    imply_ends(b, NONE, at);
    while (b->depth > 1) {
        int last = NODE(CURRENT).space == SPACE_HTML && (traits(NODE(CURRENT).tag) & T_CELL);
        pop(b, at, at);
        if (last)
            break;
    }
    clear_to_marker(b);
    b->mode = IN_ROW;
}

static int section_in_scope(const Builder *b)
{
    return in_scope(b, TAG_TBODY, TABLE_SCOPE) || in_scope(b, TAG_THEAD, TABLE_SCOPE) || in_scope(b, TAG_TFOOT, TABLE_SCOPE);
}

static int leave_section(Builder *b, uint32_t at, uint32_t end)
{
    clear_stack_to(b, T_SECTION, TAG_TEMPLATE, at);
    if (b->depth > 1 && (traits(NODE(CURRENT).tag) & T_SECTION))
        pop(b, at, end);
    b->mode = IN_TABLE;
    return AGAIN;
}

static int leave_row(Builder *b, uint32_t at, uint32_t end)
{
    clear_stack_to(b, 0, TAG_TR, at);
    if (is_html(b, CURRENT, TAG_TR))
        pop(b, at, end);
    b->mode = IN_TABLE_BODY;
    return AGAIN;
}

static int start_in_table_body(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    if (tag == TAG_TR) {
        clear_stack_to(b, T_SECTION, TAG_TEMPLATE, at);
        open_element(b, tag, t);
        b->mode = IN_ROW;
        return DONE;
    }
    if (traits(tag) & T_CELL) {
        clear_stack_to(b, T_SECTION, TAG_TEMPLATE, at);
        open_implied(b, TAG_TR, at);
        b->mode = IN_ROW;
        return AGAIN;
    }
    if (is_table_part(tag))
        return section_in_scope(b) ? leave_section(b, at, at) : DONE;
    return start_in_table(b, t, tag);
}

static int end_in_table_body(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    if (traits(tag) & T_SECTION) {
        if (in_scope(b, tag, TABLE_SCOPE))
            leave_section(b, at, OFFSET(t->next));
        return DONE;
    }
    if (tag == TAG_TABLE)
        return section_in_scope(b) ? leave_section(b, at, at) : DONE;
    return end_in_table(b, t, tag);
}

static int start_in_row(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    if (traits(tag) & T_CELL) {
        clear_stack_to(b, 0, TAG_TR, at);
        open_element(b, tag, t);
        b->mode = IN_CELL;
        push_marker(b);
        return DONE;
    }
    if (is_table_part(tag))
        return in_scope(b, TAG_TR, TABLE_SCOPE) ? leave_row(b, at, at) : DONE;
    return start_in_table(b, t, tag);
}

static int end_in_row(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    int row = in_scope(b, TAG_TR, TABLE_SCOPE);
    if (tag == TAG_TR) {
        if (row)
            leave_row(b, at, OFFSET(t->next));
        return DONE;
    }
    if (tag == TAG_TABLE)
        return row ? leave_row(b, at, at) : DONE;
    if (traits(tag) & T_SECTION)
        return in_scope(b, tag, TABLE_SCOPE) && row ? leave_row(b, at, at) : DONE;
    return end_in_table(b, t, tag);
}

static int start_in_template(Builder *b, const Token *t, uint16_t tag)
{
    if (start_in_head(b, t, tag))
        return DONE;
    int mode = IN_BODY;
    if (tag == TAG_CAPTION || tag == TAG_COLGROUP || (traits(tag) & T_SECTION))
        mode = IN_TABLE;
    else if (tag == TAG_COL)
        mode = IN_COLUMN_GROUP;
    else if (tag == TAG_TR)
        mode = IN_TABLE_BODY;
    else if (traits(tag) & T_CELL)
        mode = IN_ROW;
    if (b->template_count)
        b->template_modes[b->template_count - 1] = (uint8_t)mode;
    b->mode = mode;
    return AGAIN;
}

static int start_early(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    switch (b->mode) {
    case INITIAL:
        b->quirks = 1;
        b->mode = BEFORE_HTML;
        return AGAIN;
    case BEFORE_HTML:
        b->mode = BEFORE_HEAD;
        if (tag == TAG_HTML) {
            int32_t node = new_node(b, tag, at, OFFSET(t->next));
            if (node != NONE)
                push(b, node);
            return DONE;
        }
        open_implied(b, TAG_HTML, at);
        return AGAIN;
    case BEFORE_HEAD:
        if (tag == TAG_HTML)
            return start_in_body(b, t, tag);
        b->head = tag == TAG_HEAD ? open_element(b, tag, t) : open_implied(b, TAG_HEAD, at);
        b->mode = IN_HEAD;
        return tag == TAG_HEAD ? DONE : AGAIN;
    case IN_HEAD:
        if (tag == TAG_HTML)
            return start_in_body(b, t, tag);
        if (start_in_head(b, t, tag) || tag == TAG_HEAD)
            return DONE;
        if (tag == TAG_NOSCRIPT) {
            open_element(b, tag, t);
            b->mode = IN_HEAD_NOSCRIPT;
            return DONE;
        }
        pop(b, at, at);
        b->mode = AFTER_HEAD;
        return AGAIN;
    case IN_HEAD_NOSCRIPT:
        if (tag == TAG_HTML)
            return start_in_body(b, t, tag);
        if (tag == TAG_BASEFONT || tag == TAG_BGSOUND || tag == TAG_LINK || tag == TAG_META || tag == TAG_NOFRAMES ||
            tag == TAG_STYLE) {
            start_in_head(b, t, tag);
            return DONE;
        }
        if (tag == TAG_HEAD || tag == TAG_NOSCRIPT)
            return DONE;
        pop(b, at, at);
        b->mode = IN_HEAD;
        return AGAIN;
    }
    if (tag == TAG_HTML)
        return start_in_body(b, t, tag); /* after the head */
    if (tag == TAG_BODY || tag == TAG_FRAMESET) {
        b->body = open_element(b, tag, t);
        b->mode = tag == TAG_BODY ? IN_BODY : IN_FRAMESET;
        if (tag == TAG_BODY)
            b->frames_allowed = 0;
        return DONE;
    }
    if (traits(tag) & T_HEADLIKE || tag == TAG_BASE || tag == TAG_BASEFONT || tag == TAG_BGSOUND || tag == TAG_LINK ||
        tag == TAG_META || tag == TAG_NOFRAMES || tag == TAG_TITLE) {
        int place = b->depth;
        b->stack[b->depth++] = b->head;
        NODE(b->head).flags |= OPEN;
        b->open_count[TAG_HEAD]++;
        start_in_head(b, t, tag);
        /* a template stays open above the head, which goes from below it */
        if (b->stack[place] == b->head) {
            uint32_t close = NODE(b->head).close, end = NODE(b->head).end;
            remove_from_stack(b, place, close, end);
        }
        return DONE;
    }
    if (tag == TAG_HEAD)
        return DONE;
    b->body = open_implied(b, TAG_BODY, at);
    b->mode = IN_BODY;
    return AGAIN;
}

/* Take a start tag by the rules of HTML content; AGAIN when the mode has changed and it is to be taken again. */
static int start_tag(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    switch (b->mode) {
    case IN_BODY:
        return start_in_body(b, t, tag);
    case IN_TABLE:
        return start_in_table(b, t, tag);
    case IN_CAPTION:
        if (is_table_part(tag))
            return close_caption(b, at, at) ? AGAIN : DONE;
        return start_in_body(b, t, tag);
    case IN_COLUMN_GROUP:
        if (tag == TAG_HTML)
            return start_in_body(b, t, tag);
        if (tag == TAG_COL) {
            insert_void(b, t, tag);
            return DONE;
        }
        if (tag == TAG_TEMPLATE) {
            start_in_head(b, t, tag);
            return DONE;
        }
        if (!is_html(b, CURRENT, TAG_COLGROUP))
            return DONE;
        pop(b, at, at);
        b->mode = IN_TABLE;
        return AGAIN;
    case IN_TABLE_BODY:
        return start_in_table_body(b, t, tag);
    case IN_ROW:
        return start_in_row(b, t, tag);
    case IN_CELL:
        if (is_table_part(tag)) {
            if (!in_scope(b, TAG_TD, TABLE_SCOPE) && !in_scope(b, TAG_TH, TABLE_SCOPE))
                return DONE;
            close_cell(b, at);
            return AGAIN;
        }
        return start_in_body(b, t, tag);
    case IN_TEMPLATE_MODE:
        return start_in_template(b, t, tag);
    case AFTER_BODY: case AFTER_AFTER_BODY:
        if (tag == TAG_HTML)
            return start_in_body(b, t, tag);
        b->mode = IN_BODY;
        return AGAIN;
    case IN_FRAMESET:
        if (tag == TAG_FRAMESET)
            open_element(b, tag, t);
        else if (tag == TAG_FRAME)
            insert_void(b, t, tag);
        else if (tag == TAG_NOFRAMES)
            start_in_head(b, t, tag);
        else if (tag == TAG_HTML)
            return start_in_body(b, t, tag);
        return DONE;
    case AFTER_FRAMESET: case AFTER_AFTER_FRAMESET:
        if (tag == TAG_NOFRAMES)
            start_in_head(b, t, tag);
        else if (tag == TAG_HTML)
            return start_in_body(b, t, tag);
        return DONE;
    }
    return start_early(b, t, tag);
}

static int end_early(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    int general = tag == TAG_HEAD || tag == TAG_BODY || tag == TAG_HTML || tag == TAG_BR;
    switch (b->mode) {
    case INITIAL:
        b->quirks = 1;
        b->mode = BEFORE_HTML;
        return AGAIN;
    case BEFORE_HTML:
        if (!general)
            return DONE;
        open_implied(b, TAG_HTML, at);
        b->mode = BEFORE_HEAD;
        return AGAIN;
    case BEFORE_HEAD:
        if (!general)
            return DONE;
        b->head = open_implied(b, TAG_HEAD, at);
        b->mode = IN_HEAD;
        return AGAIN;
    case IN_HEAD:
        if (tag == TAG_TEMPLATE) {
            end_template(b, t);
            return DONE;
        }
        if (!general)
            return DONE;
        pop(b, at, tag == TAG_HEAD ? OFFSET(t->next) : at);
        b->mode = AFTER_HEAD;
        return tag == TAG_HEAD ? DONE : AGAIN;
    case IN_HEAD_NOSCRIPT:
        if (tag != TAG_NOSCRIPT && tag != TAG_BR)
            return DONE;
        pop(b, at, tag == TAG_NOSCRIPT ? OFFSET(t->next) : at);
        b->mode = IN_HEAD;
        return tag == TAG_NOSCRIPT ? DONE : AGAIN;
    }
    if (tag == TAG_TEMPLATE) { /* after the head */
        end_template(b, t);
        return DONE;
    }
    if (tag != TAG_BODY && tag != TAG_HTML && tag != TAG_BR)
        return DONE;
    b->body = open_implied(b, TAG_BODY, at);
    b->mode = IN_BODY;
    return AGAIN;
}

static int end_tag(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    switch (b->mode) {
    case IN_BODY:
        return end_in_body(b, t, tag);
    case IN_TABLE:
        return end_in_table(b, t, tag);
    case IN_CAPTION:
        if (tag == TAG_CAPTION) {
            close_caption(b, at, OFFSET(t->next));
            return DONE;
        }
        if (tag == TAG_TABLE)
            return close_caption(b, at, at) ? AGAIN : DONE;
        return is_table_part(tag) || tag == TAG_BODY || tag == TAG_HTML ? DONE : end_in_body(b, t, tag);
    case IN_COLUMN_GROUP:
        if (tag == TAG_COL)
            return DONE;
        if (tag == TAG_TEMPLATE) {
            end_template(b, t);
            return DONE;
        }
        if (!is_html(b, CURRENT, TAG_COLGROUP))
            return DONE;
        pop(b, at, tag == TAG_COLGROUP ? OFFSET(t->next) : at);
        b->mode = IN_TABLE;
        return tag == TAG_COLGROUP ? DONE : AGAIN;
    case IN_TABLE_BODY:
        return end_in_table_body(b, t, tag);
    case IN_ROW:
        return end_in_row(b, t, tag);
    case IN_CELL:
        if (traits(tag) & T_CELL) {
            if (end_scoped(b, tag, TABLE_SCOPE, NONE, at, OFFSET(t->next))) {
                clear_to_marker(b);
                b->mode = IN_ROW;
            }
            return DONE;
        }
        if (tag == TAG_TABLE || tag == TAG_TR || (traits(tag) & T_SECTION)) {
            if (!in_scope(b, tag, TABLE_SCOPE))
                return DONE;
            close_cell(b, at);
            return AGAIN;
        }
        return is_table_part(tag) || tag == TAG_BODY || tag == TAG_HTML ? DONE : end_in_body(b, t, tag);
    case IN_TEMPLATE_MODE:
        if (tag == TAG_TEMPLATE)
            end_template(b, t);
        return DONE;
    case AFTER_BODY:
        if (tag == TAG_HTML) {
            b->mode = AFTER_AFTER_BODY;
            return DONE;
        }
        b->mode = IN_BODY;
        return AGAIN;
    case AFTER_AFTER_BODY:
        b->mode = IN_BODY;
        return AGAIN;
    case IN_FRAMESET:
        if (tag == TAG_FRAMESET && b->depth > 1) {
            pop(b, at, OFFSET(t->next));
            if (!is_html(b, CURRENT, TAG_FRAMESET))
                b->mode = AFTER_FRAMESET;
        }
        return DONE;
    case AFTER_FRAMESET:
        if (tag == TAG_HTML)
            b->mode = AFTER_AFTER_FRAMESET;
        return DONE;
    case AFTER_AFTER_FRAMESET:
        return DONE;
    }
    return end_early(b, t, tag);
}

/* --- foreign content --- */

static int is_named_token(const Token *t, const char *name)
{
    size_t size = strlen(name);
    return t->name_size == size && same_letters(t->name, (const byte *)name, size);
}

static int is_foreign_token(const Builder *b, const Token *t)
{
    if (b->depth == 0)
        return 0;
    const Node *n = &NODE(CURRENT);
    if (n->space == SPACE_HTML)
        return 0;
    if (t->kind == TOKEN_START) {
        if (holds_math_text(n) && !is_named_token(t, "mglyph") && !is_named_token(t, "malignmark"))
            return 0;
        if (n->space == SPACE_MATH && n->tag == TAG_ANNOTATION_XML && t->tag == TAG_SVG)
            return 0;
        return !holds_html(n);
    }
    return 1;
}

static int breaks_out(const Token *t)
{
    if (t->tag != TAG_FONT)
        return (traits(t->tag) & T_BREAKS_OUT) != 0;
    Attribute a;
    return find_in_tag(t, "color", &a) || find_in_tag(t, "face", &a) || find_in_tag(t, "size", &a);
}

static void leave_foreign(Builder *b, uint32_t at)
{
    while (b->depth > 1) {
        const Node *n = &NODE(CURRENT);
        if (n->space == SPACE_HTML || holds_math_text(n) || holds_html(n))
            return;
        pop(b, at, at);
    }
}

/* Return 1 where the tag is to be taken by the rules of HTML after all. */
static int take_foreign(Builder *b, const Token *t, uint16_t tag)
{
    uint32_t at = OFFSET(t->at);
    if (t->kind == TOKEN_START) {
        if (breaks_out(t)) {
            leave_foreign(b, at);
            return 1;
        }
        start_foreign(b, t, tag, NODE(CURRENT).space);
        return 0;
    }
    if (tag == TAG_BR || tag == TAG_P) {
        leave_foreign(b, at);
        return 1;
    }
    for (int i = b->depth - 1; i > 0; i--) {
        const Node *n = &NODE(b->stack[i]);
        if (n->space == SPACE_HTML)
            return 1;
        if (n->tag == tag) {
            while (b->depth > i)
                pop(b, at, b->depth == i + 1 ? OFFSET(t->next) : at);
            return 0;
        }
    }
    return 0;
}

/* --- text --- */

/* Return the first byte that is not white space; a character reference may be white space too. */
static const byte *skip_blank(const byte *at, const byte *end)
{
    while (at < end) {
        if (is_space(*at)) {
            at++;
            continue;
        }
        if (*at != '&')
            return at;
        byte out[12];
        const byte *next = at;
        int size = read_reference(at, end, IN_TEXT, out, &next);
        if (size != 1 || !is_space(out[0]))
            return at;
        at = next;
    }
    return at;
}

/* Say whether a text in a table is more than white space, together with those that only `</>`, which is nothing, parts
 * from it. */
static int is_solid(Builder *b, const byte *end, int blank)
{
    if (b->group_end != NULL && end <= b->group_end)
        return b->group_solid;
    b->group_solid = (uint8_t)!blank;
    for (Token t; end < b->end; end = t.next) {
        const byte *from = end;
        end = find_byte(from, b->end, '<');
        if (skip_blank(from, end ? end : b->end) < (end ? end : b->end))
            b->group_solid = 1;
        if (end == NULL) {
            end = b->end;
            break;
        }
        read_token(&t, end, b->end);
        if (t.kind == TOKEN_LITERAL)
            b->group_solid = 1;
        else if (t.kind != TOKEN_EMPTY)
            break;
    }
    b->group_end = end;
    return b->group_solid;
}

static void take_text(Builder *b, const byte *at, const byte *end)
{
    int raw = b->text_stop ? RUN_RAW : 0;
    if (b->skip_newline) {
        b->skip_newline = 0;
        at = skip_line_end(at, end);
    }
    while (at < end) {
        const byte *solid = skip_blank(at, end);
        int blank = solid == end;
        uint32_t place = OFFSET(solid);
        const Node *n = b->depth ? &NODE(CURRENT) : NULL;
        if (n && n->space != SPACE_HTML && !holds_math_text(n) && !holds_html(n)) {
            if (!blank)
                b->frames_allowed = 0;
            insert_text(b, at, end, blank ? RUN_BLANK : 0);
            return;
        }
        switch (b->mode) {
        case INITIAL: case BEFORE_HTML: case BEFORE_HEAD:
            if (blank)
                return;
            if (b->mode == INITIAL)
                b->quirks = 1;
            if (b->mode != BEFORE_HEAD)
                open_implied(b, TAG_HTML, place);
            b->head = open_implied(b, TAG_HEAD, place);
            b->mode = IN_HEAD;
            at = solid;
            continue;
        case IN_HEAD: case IN_HEAD_NOSCRIPT: case AFTER_HEAD:
            insert_text(b, at, solid, RUN_BLANK);
            if (blank)
                return;
            at = solid;
            if (b->mode == AFTER_HEAD)
                b->body = open_implied(b, TAG_BODY, place);
            else
                pop(b, place, place);
            b->mode = b->mode == AFTER_HEAD ? IN_BODY : b->mode == IN_HEAD ? AFTER_HEAD : IN_HEAD;
            continue;
        case IN_TABLE: case IN_TABLE_BODY: case IN_ROW:
            if ((is_table_like(b, CURRENT) || is_html(b, CURRENT, TAG_TEMPLATE)) && !is_solid(b, end, blank)) {
                insert_text(b, at, end, RUN_BLANK);
                return;
            }
            b->foster = 1;
            rebuild_formatting(b);
            insert_text(b, at, end, raw | (blank ? RUN_BLANK : 0));
            b->foster = 0;
            if (!blank)
                b->frames_allowed = 0;
            return;
        case IN_COLUMN_GROUP:
            insert_text(b, at, solid, RUN_BLANK);
            if (blank || !is_html(b, CURRENT, TAG_COLGROUP))
                return;
            at = solid;
            pop(b, place, place);
            b->mode = IN_TABLE;
            continue;
        case IN_FRAMESET: case AFTER_FRAMESET: case AFTER_AFTER_FRAMESET:
            insert_text(b, at, solid, RUN_BLANK); /* of what stands between frames, only white space is kept */
            for (at = solid; at < end && skip_blank(at, end) == at;)
                at++;
            continue;
        case AFTER_BODY: case AFTER_AFTER_BODY:
            if (!blank)
                b->mode = IN_BODY;
        }
        rebuild_formatting(b);
        insert_text(b, at, end, raw | (blank ? RUN_BLANK : 0));
        if (!blank)
            b->frames_allowed = 0;
        return;
    }
}

/* --- doctypes --- */

static const char *const QUIRKY[] = {
    "+//silmaril//dtd html pro v0r11 19970101//", "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html", "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer ", "-//netscape comm. corp.//dtd ", "-//o'reilly and associates//dtd html ",
    "-//sq//dtd html 2.0 hotmetal + extensions//", "-//softquad software//dtd hotmetal pro ",
    "-//softquad//dtd hotmetal pro ", "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava ", "-//w3c//dtd html 3 1995-03-24//", "-//w3c//dtd html 3.2",
    "-//w3c//dtd html 4.0 frameset//", "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental ",
    "-//w3c//dtd w3 html 3.0//", "-//w3o//dtd w3 html 3.0//", "-//webtechs//dtd mozilla html ",
};

/* Read a quoted identifier; return 0 where there is none. */
static int read_quoted(const byte **at, const byte *end, const byte **from, const byte **to)
{
    const byte *here = skip_space(*at, end);
    if (here >= end || (*here != '"' && *here != '\''))
        return 0;
    *from = here + 1;
    const byte *close = find_byte(here + 1, end, *here);
    *to = close ? close : end;
    *at = close ? close + 1 : end;
    return 1;
}

static int is_quirky_public(const byte *from, const byte *to, int has_system)
{
    if (equals(from, to, "-//w3o//dtd w3 html strict 3.0//en//") || equals(from, to, "-/w3c/dtd html 4.0 transitional/en") ||
        equals(from, to, "html"))
        return 1;
    for (size_t i = 0; i < sizeof QUIRKY / sizeof *QUIRKY; i++)
        if (begins(from, to, QUIRKY[i]))
            return 1;
    return !has_system && (begins(from, to, "-//w3c//dtd html 4.01 frameset//") ||
                           begins(from, to, "-//w3c//dtd html 4.01 transitional//"));
}

/* Say whether the doctype between `at` (behind its name) and `end` (its `>`) asks for quirks mode. */
static int is_quirky(const byte *at, const byte *end)
{
    at = skip_space(at, end);
    const byte *name = at;
    while (at < end && !is_space(*at))
        at++;
    if (!equals(name, at, "html"))
        return 1;
    at = skip_space(at, end);
    if (at >= end)
        return 0;
    const byte *from, *to;
    int has_public = begins(at, end, "public"), quirky = 0;
    if (!has_public && !begins(at, end, "system"))
        return 1;
    at += 6;
    const byte *system_from = NULL, *system_to = NULL;
    if (has_public) {
        if (!read_quoted(&at, end, &from, &to))
            return 1;
        int has_system = read_quoted(&at, end, &system_from, &system_to);
        quirky = to == end || is_quirky_public(from, to, has_system);
    } else if (!read_quoted(&at, end, &system_from, &system_to)) {
        return 1;
    }
    return quirky || (system_from && (system_to == end || equals(system_from, system_to,
                                                                 "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd")));
}

static void take_comment(Builder *b, const Token *t)
{
    b->skip_newline = 0;
    if (t->next - t->at > 9 && begins(t->at, t->next, "<!doctype")) {
        if (b->mode == INITIAL) {
            b->quirks = (uint8_t)is_quirky(t->at + 9, t->next - 1);
            b->mode = BEFORE_HTML;
        }
        return;
    }
    if (b->depth == 0)
        return;
    int is_foreign = NODE(CURRENT).space != SPACE_HTML; /* there the mode does not matter */
    if (is_foreign || (b->mode != AFTER_AFTER_BODY && b->mode != AFTER_AFTER_FRAMESET))
        seal(b, b->mode == AFTER_BODY && !is_foreign ? b->stack[0] : CURRENT);
}

/* --- the page --- */

static void count_attributes(Builder *b, const Token *t)
{
    const byte *at = t->attributes;
    Attribute a;
    for (uint32_t count = 0; next_attribute(&at, t->next, &a); count++)
        b->out->too_attributed += count >= b->limits.attributes;
}

static void take_tag(Builder *b, const Token *t)
{
    uint16_t tag = name_id(b, t);
    b->skip_newline = 0;
    if (t->kind == TOKEN_END && b->over[tag]) {
        b->over[tag]--;
        if (traits(tag) & T_CLOSES_P) { /* words before and behind stay apart */
            uint32_t at = OFFSET(t->at);
            int32_t node = b->elements < b->limits.elements ? new_node(b, tag, at, at) : NONE;
            if (node != NONE) {
                NODE(node).flags |= IS_IMPLIED;
                append(b, CURRENT, node);
            }
        }
        return;
    }
    if (t->kind == TOKEN_START && (size_t)(t->next - t->attributes) > 2 * (size_t)b->limits.attributes)
        count_attributes(b, t);
    int is_foreign = is_foreign_token(b, t);
    if (t->kind == TOKEN_START && b->elements + ROOM_OF_TAG >= b->limits.elements) { /* its text is all that is kept */
        b->out->too_many++;
        b->apart |= (uint8_t)(tag < TAG_COUNT && tag_rows[tag].kind != K_INLINE);
        if (!is_foreign && (traits(tag) & T_RAW))
            take_raw_here(b, t, tag);
        return;
    }
    if (is_foreign && !take_foreign(b, t, tag))
        return;
    if (t->kind == TOKEN_START)
        for (int rounds = 0; rounds < DEEPEST && start_tag(b, t, tag) == AGAIN; rounds++)
            ;
    else
        for (int rounds = 0; rounds < DEEPEST && end_tag(b, t, tag) == AGAIN; rounds++)
            ;
}

static const byte *take_section(Builder *b, const byte *at)
{
    const byte *close = at + 9, *found = NULL;
    while (found == NULL && (close = find_byte(close, b->end, '>')) != NULL) {
        if (close - at >= 11 && close[-1] == ']' && close[-2] == ']')
            found = close - 2;
        close++;
    }
    const byte *stop = found ? found : b->end;
    insert_text(b, at + 9, stop, RUN_RAW);
    return found ? found + 3 : b->end;
}

static void read_page(Builder *b)
{
    const byte *at = b->base, *end = b->end;
    if (end - at >= 3 && at[0] == 0xEF && at[1] == 0xBB && at[2] == 0xBF)
        at += 3;
    while (at < end && !b->broken) {
        if (b->text_stop) {
            take_text(b, at, end);
            return;
        }
        Token t;
        const byte *open = at;
        for (;;) {
            if (*open != '<' && (open = find_byte(open, end, '<')) == NULL) {
                take_text(b, at, end);
                return;
            }
            read_token(&t, open, end);
            if (t.kind != TOKEN_LITERAL)
                break;
            open = t.next;
            if (open >= end) {
                take_text(b, at, end);
                return;
            }
        }
        if (open > at)
            take_text(b, at, open);
        if (t.kind == TOKEN_COMMENT || (t.kind == TOKEN_UNENDED && end - open > 9 && open[1] == '!')) {
            if (b->depth && NODE(CURRENT).space != SPACE_HTML && end - open >= 9 && !memcmp(open, "<![CDATA[", 9)) {
                at = take_section(b, open);
                continue;
            }
        }
        if (t.kind == TOKEN_UNENDED) {
            if (open[1] != '!' && open[1] != '?')
                b->out->unended = (uint32_t)(end - open);
            return;
        }
        at = t.next;
        if (t.kind == TOKEN_START || t.kind == TOKEN_END) {
            b->raw_next = NULL;
            take_tag(b, &t);
            if (b->raw_next)
                at = b->raw_next;
        } else if (t.kind == TOKEN_COMMENT) {
            take_comment(b, &t);
        }
    }
}

/* Make what every page has, and end what is open. */
static void finish(Builder *b)
{
    uint32_t size = OFFSET(b->end);
    if (b->depth == 0) {
        open_implied(b, TAG_HTML, size);
        b->mode = BEFORE_HEAD;
    }
    if (b->mode == BEFORE_HTML || b->mode == INITIAL || b->mode == BEFORE_HEAD) {
        b->head = open_implied(b, TAG_HEAD, size);
        pop(b, size, size);
        b->mode = AFTER_HEAD;
    }
    while (b->mode == IN_HEAD_NOSCRIPT || b->mode == IN_HEAD) {
        pop(b, size, size);
        b->mode = b->mode == IN_HEAD ? AFTER_HEAD : IN_HEAD;
    }
    int templates = b->open_count[TAG_TEMPLATE] > 0;
    while (b->depth > 1)
        pop(b, size, size);
    if (b->mode == AFTER_HEAD || (templates && b->body == NONE))
        b->body = open_implied(b, TAG_BODY, size);
    while (b->depth)
        pop(b, size, size);
}

static void *take_memory(uint8_t **at, size_t bytes)
{
    void *here = *at;
    *at += (bytes + 7) & ~(size_t)7;
    return here;
}

static int lay_out(Tree *out, uint32_t elements, uint32_t runs)
{
    size_t per_element = 11 * 4 + 2 + 1, per_run = 3 * 4 + 1;
    uint8_t *at = malloc(elements * per_element + runs * per_run + 18 * 8);
    if (at == NULL)
        return 0;
    out->memory = at;
    out->parent = take_memory(&at, elements * 4);
    out->last = take_memory(&at, elements * 4);
    out->depth = take_memory(&at, elements * 4);
    out->run_from = take_memory(&at, elements * 4);
    out->run_to = take_memory(&at, elements * 4);
    out->start = take_memory(&at, elements * 4);
    out->inner = take_memory(&at, elements * 4);
    out->close = take_memory(&at, elements * 4);
    out->end = take_memory(&at, elements * 4);
    out->id = take_memory(&at, elements * 4);
    out->class = take_memory(&at, elements * 4);
    out->run_start = take_memory(&at, runs * 4);
    out->run_end = take_memory(&at, runs * 4);
    out->run_row = take_memory(&at, runs * 4);
    out->tag = take_memory(&at, elements * 2);
    out->flags = take_memory(&at, elements);
    out->run_flags = take_memory(&at, runs);
    return 1;
}

static uint8_t flags_of(const Node *n, uint8_t above)
{
    uint8_t flags = (uint8_t)(n->flags & (IS_IMPLIED | IS_MOVED | IS_FOREIGN)) | (above & (IS_MUTED | IN_TEMPLATE));
    if (n->space != SPACE_HTML || n->tag == TAG_TEMPLATE || n->tag == TAG_NOSCRIPT)
        flags |= IS_MUTED;
    return flags;
}

/* Write the rows in the order of the tree. */
static int write_rows(Builder *b)
{
    Tree *out = b->out;
    if (!lay_out(out, b->elements, b->count - b->elements))
        return 0;
    uint32_t row = 0, run = 0, here = 0;
    int32_t node = 0, up = NONE;
    for (;;) {
        Node *n = &NODE(node);
        if (n->tag == TAG_TEXT) {
            out->run_start[run] = n->start;
            out->run_end[run] = n->end;
            out->run_row[run] = (int32_t)here;
            out->run_flags[run++] = n->flags & (RUN_CONTINUES | RUN_RAW | RUN_BLANK | IS_MOVED | RUN_APART);
        } else {
            uint8_t above = 0;
            if (up != NONE)
                above = (uint8_t)(out->flags[here] | (NODE(up).tag == TAG_TEMPLATE && NODE(up).space == SPACE_HTML ? IN_TEMPLATE : 0));
            out->tag[row] = n->tag;
            out->parent[row] = up == NONE ? NONE : (int32_t)here;
            out->depth[row] = up == NONE ? 0 : out->depth[here] + 1;
            out->start[row] = n->start;
            out->inner[row] = n->inner;
            out->close[row] = n->close;
            out->end[row] = n->end;
            out->id[row] = n->id;
            out->class[row] = n->class;
            out->flags[row] = flags_of(n, above);
            out->run_from[row] = (int32_t)run;
            if (n->tag == TAG_BODY && out->body == 0 && up == 0)
                out->body = row;
            here = row++;
            if (n->first != NONE) {
                up = node;
                node = n->first;
                continue;
            }
            out->last[here] = (int32_t)row;
            out->run_to[here] = (int32_t)run;
            here = out->parent[here] < 0 ? 0 : (uint32_t)out->parent[here];
        }
        while (NODE(node).next == NONE && up != NONE) {
            node = up;
            out->last[here] = (int32_t)row;
            out->run_to[here] = (int32_t)run;
            here = out->parent[here] < 0 ? 0 : (uint32_t)out->parent[here];
            up = NODE(node).parent;
        }
        if (NODE(node).next == NONE)
            break;
        node = NODE(node).next;
    }
    out->count = row;
    out->run_count = run;
    return 1;
}

/* The memory of one page's nodes serves the next: fresh pages of memory cost more than what is written there. Whoever
 * builds holds the global lock. */
static Node *kept_nodes;
static uint32_t kept_room;

static void take_nodes(Builder *b, uint32_t room)
{
    if (kept_room < room) {
        free(kept_nodes);
        kept_nodes = malloc((size_t)room * sizeof(Node));
        kept_room = kept_nodes ? room : 0;
    }
    b->nodes = kept_nodes;
    b->room = kept_room;
    kept_nodes = NULL;
    kept_room = 0;
}

static void keep_nodes(Builder *b)
{
    if (b->room > MOST_KEPT) {
        free(b->nodes);
        return;
    }
    kept_nodes = b->nodes;
    kept_room = b->room;
}

int tree_build(Tree *tree, const byte *base, const byte *end, const TreeLimits *limits)
{
    memset(tree, 0, sizeof *tree);
    if (end - base > MOST_PAGE)
        return 0;
    Builder *b = calloc(1, sizeof *b);
    if (b == NULL)
        return 0;
    b->frames_allowed = 1;
    b->base = base;
    b->end = end;
    b->limits = *limits;
    if (b->limits.depth > DEEPEST - 8)
        b->limits.depth = DEEPEST - 8;
    if (b->limits.formatting > MOST_FORMATTING / 2)
        b->limits.formatting = MOST_FORMATTING / 2;
    if (b->limits.names > 60000 - TAG_COUNT)
        b->limits.names = 60000 - TAG_COUNT;
    b->out = tree;
    b->head = b->form = b->body = NONE;
    tree->size = (uint32_t)(end - base);
    size_t tags = TAG_COUNT + b->limits.names + 1;
    b->open_count = calloc(2 * tags, sizeof *b->open_count);
    b->over = b->open_count + tags;
    take_nodes(b, (uint32_t)((size_t)(end - base) / 16 + 64));
    int built = b->open_count != NULL && b->nodes != NULL;
    if (built) {
        read_page(b);
        finish(b);
        built = !b->broken && write_rows(b);
    }
    keep_nodes(b);
    free(b->open_count);
    free(b->slots);
    free(b);
    if (!built)
        tree_free(tree);
    return built;
}

void tree_free(Tree *tree)
{
    free(tree->memory);
    free(tree->name_at);
    free(tree->name_size);
    tree->memory = NULL;
    tree->name_at = tree->name_size = NULL;
}

int tree_attributes(const Tree *tree, const byte *base, uint32_t row, const byte **from)
{
    if (tree->flags[row] & IS_IMPLIED)
        return 0;
    const byte *at = base + tree->start[row] + 1, *end = base + tree->size;
    while (at < end && !(byte_class[*at] & B_NAME_END))
        at++;
    *from = at;
    return 1;
}
