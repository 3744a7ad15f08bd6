/* Walk an element of a page map and note its boxes, blocks of text, leaves and pictures, without recursion. */
#include "page_walk.h"

/* --- what attributes say --- */

static int hides(const byte *at, const byte *end)
{
    static const char *const said[] = {"display:none", "visibility:hidden"};
    for (int which = 0; which < 2; which++) {
        const char *wanted = said[which];
        size_t size = strlen(wanted);
        for (const byte *from = at; from < end; from++) {
            if (lower(*from) != (byte)wanted[0])
                continue;
            size_t matched = 0;
            const byte *here = from;
            for (; here < end && matched < size; here++) {
                if (*here == ' ')
                    continue;
                if (lower(*here) != (byte)wanted[matched])
                    break;
                matched++;
            }
            if (matched == size)
                return 1;
        }
    }
    return 0;
}

void read_said(const PageMap *map, uint32_t row, Said *said)
{
    memset(said, 0, sizeof *said);
    const byte *at, *end = map->base + map->tree.size;
    Attribute a, style = {0};
    for (uint32_t number = 0; tag_of_row(map, row, number, &at); number++)
        for (uint32_t count = 0; count < map->most_attributes && next_attribute(&at, end, &a); count++) {
            Attribute *into = NULL;
            switch (a.name_end - a.name) {
            case 2:
                into = is_named(&a, "id", 2) ? &said->id : NULL;
                break;
            case 4:
                into = is_named(&a, "role", 4) ? &said->role : is_named(&a, "href", 4) ? &said->href : NULL;
                break;
            case 5:
                into = is_named(&a, "class", 5) ? &said->class : is_named(&a, "style", 5) ? &style : NULL;
                break;
            case 6:
                said->hidden |= is_named(&a, "hidden", 6);
                break;
            case 8:
                into = is_named(&a, "itemprop", 8) ? &said->itemprop : NULL;
                break;
            }
            if (into && into->name == NULL)
                *into = a;
        }
    if (style.value && !said->hidden)
        said->hidden = hides(style.value, style.value_end);
}

static void *make_room(void *items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return items;
    uint32_t wanted = *room ? *room * 2 : 256;
    void *moved = PyMem_Realloc(items, wanted * size);
    if (moved == NULL)
        return PyErr_NoMemory();
    *room = wanted;
    return moved;
}

#define ADD(w, items, count, room, ...) \
    do { \
        void *moved_ = make_room((w)->items, (w)->count, &(w)->room, sizeof *(w)->items); \
        if (moved_ == NULL) \
            return 0; \
        (w)->items = moved_; \
        (w)->items[(w)->count++] = __VA_ARGS__; \
    } while (0)

static int32_t count_characters(const Text *t)
{
    int32_t count = 0;
    for (size_t i = 0; i < t->size; i++)
        count += (t->out[i] & 0xC0) != 0x80;
    return count;
}

static void empty(Text *t)
{
    t->size = 0;
    t->gap = 0;
}

static int put_block(Walk *w)
{
    if (w->text.broken || w->linked.broken || w->bold.broken) {
        PyErr_NoMemory();
        return 0;
    }
    if (w->text.size) {
        uint32_t at = (uint32_t)w->words.size;
        if (!buffer_put(&w->words, w->text.out, w->text.size))
            return 0;
        ADD(w, blocks, block_count, block_room,
            (Block){at, (uint32_t)w->text.size, w->here, count_characters(&w->linked), w->link_count,
                    count_characters(&w->bold), w->break_count, w->lead, w->leaf_mark, (int32_t)w->leaf_count,
                    (uint8_t)w->styled});
        w->break_count = 0;
    }
    empty(&w->text);
    empty(&w->linked);
    empty(&w->bold);
    w->has_parts = 0;
    return 1;
}

static int end_block(Walk *w)
{
    if (w->has_parts && !put_block(w))
        return 0;
    w->link_count = 0;
    w->lead = -1;
    w->leaf_mark = (int32_t)w->leaf_count;
    w->blank = w->styled = 0;
    return 1;
}

static int end_block_if_any(Walk *w)
{
    return w->has_parts || w->blank || (int32_t)w->leaf_count != w->leaf_mark ? end_block(w) : 1;
}

static int open_box(Walk *w, uint32_t row)
{
    Said said;
    read_said(w->map, row, &said);
    int32_t parent = w->box_count ? w->here : -1, at = (int32_t)w->block_count;
    uint8_t hidden = (uint8_t)(said.hidden || (parent >= 0 && w->boxes[parent].hidden));
    ADD(w, boxes, box_count, box_room, (Box){parent, at, at, (int32_t)row, hidden});
    w->here = (int32_t)w->box_count - 1;
    return 1;
}

/* Say whether a text node is nothing but white space, as str.isspace() sees it. */
static int is_blank(const PageMap *map, uint32_t run, uint32_t end)
{
    const Tree *t = &map->tree;
    for (; run < end; run++) {
        if (t->run_flags[run] & RUN_BLANK)
            continue;
        const byte *at = skip_space(map->base + t->run_start[run], map->base + t->run_end[run]);
        const byte *stop = map->base + t->run_end[run];
        if (at < stop && *at != '&' && *at > 0x20 && *at < 0xC2)
            return 0;
        Text probe;
        text_init(&probe);
        text_put(&probe, at, stop, t->run_flags[run] & RUN_RAW ? AS_IS : IN_TEXT);
        int solid = probe.size > 0;
        text_free(&probe);
        if (solid)
            return 0;
    }
    return 1;
}

static int take_text(Walk *w, uint32_t run, uint32_t end)
{
    const Tree *t = &w->map->tree;
    if (!w->has_parts && is_blank(w->map, run, end)) {
        w->blank = 1;
        return 1;
    }
    w->has_parts = 1;
    w->styled |= w->in_inline > 0;
    ADD(w, leaves, leaf_count, leaf_room, (int32_t)~run);
    for (; run < end; run++) {
        const byte *at = w->map->base + t->run_start[run], *stop = w->map->base + t->run_end[run];
        int mode = t->run_flags[run] & RUN_RAW ? AS_IS : IN_TEXT;
        if (t->run_flags[run] & RUN_APART) {
            text_edge(&w->text);
            text_edge(&w->linked);
            text_edge(&w->bold);
        }
        text_put(&w->text, at, stop, mode);
        if (w->in_link && !w->plain)
            text_put(&w->linked, at, stop, mode);
        if (w->in_bold && !w->plain)
            text_put(&w->bold, at, stop, mode);
    }
    return 1;
}

static int take_picture(Walk *w, uint32_t row)
{
    w->styled = 1;
    ADD(w, leaves, leaf_count, leaf_room, (int32_t)row);
    ADD(w, pictures, picture_count, picture_room, (Picture){(int32_t)row, (int32_t)w->block_count, w->here});
    return 1;
}

static void enter_inline(Walk *w, uint32_t row, int kind)
{
    if (w->lead < 0 && !w->has_parts && !w->blank)
        w->lead = (int32_t)row;
    if (kind == LINK) {
        w->in_link++;
        w->link_count++;
    } else if (kind == BOLD)
        w->in_bold++;
}

static int leave(Walk *w, int kind)
{
    w->in_inline -= kind != K_BOX;
    if (kind == K_BOX) {
        if (!end_block_if_any(w))
            return 0;
        w->break_count = 0;
        w->boxes[w->here].end = (int32_t)w->block_count;
        w->here = w->boxes[w->here].parent;
    } else if (kind == LINK)
        w->in_link--;
    else if (kind == BOLD)
        w->in_bold--;
    return 1;
}

int kind_of(const Tree *t, uint32_t row)
{
    uint16_t tag = t->tag[row];
    if (tag == TAG_A)
        return LINK;
    if (tag == TAG_B || tag == TAG_STRONG)
        return BOLD;
    return tag && tag < TAG_COUNT ? tag_rows[tag].kind : INLINE;
}

static int push(Walk *w, uint32_t row, int kind)
{
    uint32_t room = w->depth_room;
    uint8_t *kinds = make_room(w->kinds, w->depth, &room, 1);
    if (kinds == NULL)
        return 0;
    w->kinds = kinds;
    int32_t *opened = make_room(w->opened, w->depth, &w->depth_room, sizeof *opened);
    if (opened == NULL)
        return 0;
    w->opened = opened;
    w->kinds[w->depth] = (uint8_t)kind;
    w->opened[w->depth++] = (int32_t)row;
    w->in_inline += kind != K_BOX;
    return 1;
}

/* Enter an element; return 1 to go into it, 0 to pass over what it holds, -1 on failure. */
static int enter(Walk *w, uint32_t row)
{
    const Tree *t = &w->map->tree;
    int kind = kind_of(t, row), holds = !(w->hollow && w->hollow[row]) && first_child_of(t, row) != NO_NODE;
    switch (kind) {
    case K_BOX:
        if (!end_block_if_any(w))
            return -1;
        w->break_count = 0;
        if (!open_box(w, row))
            return -1;
        if (!holds) {
            w->here = w->boxes[w->here].parent;
            return 0;
        }
        return push(w, row, kind) ? 1 : -1;
    case INLINE: case LINK: case BOLD:
        if (!holds)
            return 0;
        enter_inline(w, row, kind);
        return push(w, row, kind) ? 1 : -1;
    case K_BREAK:
        if (!end_block(w))
            return -1;
        w->break_count++;
        return 0;
    case K_IMAGE:
        return take_picture(w, row) ? 0 : -1;
    case K_RULE:
        if (!end_block(w))
            return -1;
        w->break_count = 0;
        return 0;
    }
    return 0;
}

int walk_blocks(Walk *w, PageMap *map, uint32_t root, const uint8_t *hollow, int plain)
{
    memset(w, 0, offsetof(Walk, text));
    text_init(&w->text);
    text_init(&w->linked);
    text_init(&w->bold);
    w->map = map;
    w->hollow = hollow;
    w->plain = plain;
    w->lead = -1;
    w->link_count = w->break_count = w->leaf_mark = w->in_link = w->in_bold = w->here = 0;
    w->has_parts = w->blank = w->styled = 0;
    const Tree *t = &map->tree;
    w->in_inline = kind_of(t, root) != K_BOX; /* its words may be in what stands around it, too */
    if (!open_box(w, root))
        return 0;
    uint32_t row = root + 1, run = (uint32_t)t->run_from[root], last = (uint32_t)t->last[root], run_last = (uint32_t)t->run_to[root];
    if (is_template(t, root) || (hollow && hollow[root]))
        row = last, run = run_last;
    while (row < last || run < run_last) {
        int32_t top = w->depth ? w->opened[w->depth - 1] : (int32_t)root;
        if (w->depth && (int32_t)row >= t->last[top] && (int32_t)run >= t->run_to[top]) {
            if (!leave(w, w->kinds[--w->depth]))
                return 0;
            continue;
        }
        if ((int32_t)run < t->run_to[top] && ((int32_t)row >= t->last[top] || (int32_t)run < t->run_from[row])) {
            uint32_t end = text_end(t, run);
            if (!take_text(w, run, end))
                return 0;
            run = end;
            continue;
        }
        int inside = enter(w, row);
        if (inside < 0)
            return 0;
        if (!inside)
            run = (uint32_t)t->run_to[row];
        row = inside ? row + 1 : (uint32_t)t->last[row];
    }
    while (w->depth)
        if (!leave(w, w->kinds[--w->depth]))
            return 0;
    if (!end_block(w))
        return 0;
    w->boxes[0].end = (int32_t)w->block_count;
    return 1;
}

void walk_free(Walk *w)
{
    text_free(&w->text);
    text_free(&w->linked);
    text_free(&w->bold);
    buffer_free(&w->words);
    PyMem_Free(w->boxes);
    PyMem_Free(w->blocks);
    PyMem_Free(w->leaves);
    PyMem_Free(w->pictures);
    PyMem_Free(w->kinds);
    PyMem_Free(w->opened);
}

uint8_t *mark_rows(const PageMap *map, PyObject *mem_ids)
{
    if (mem_ids == NULL || PySet_Size(mem_ids) <= 0)
        return NULL;
    uint8_t *marks = PyMem_Calloc(map->tree.count, 1);
    PyObject *all = marks ? PyObject_GetIter(mem_ids) : PyErr_NoMemory(), *one;
    while (all && (one = PyIter_Next(all)) != NULL) {
        long number = PyLong_AsLong(one);
        Py_DECREF(one);
        if (number > 0 && number <= (long)map->tree.count)
            marks[number - 1] = 1;
    }
    Py_XDECREF(all);
    if (PyErr_Occurred()) {
        PyMem_Free(marks);
        return NULL;
    }
    return marks;
}
