/* Columns of a page map for Python: text blocks, as scythe.page.blocks describes them, and elements, as scythe.page.elements
 * does. */
#include "page_walk.h"

/* Append to a column of numbers, which has four bytes for each. */
static int append_int(Buffer *column, long value)
{
    int32_t number = (int32_t)value;
    return buffer_put(column, (const byte *)&number, sizeof number) ? 0 : -1;
}

/* Append a new reference, which is taken. */
static int append_new(PyObject *list, PyObject *value)
{
    int failed = value == NULL || PyList_Append(list, value);
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static PyObject *value_or_empty(const PageMap *map, const Attribute *a)
{
    return has_value(a) ? decode_value(a->value, a->value_end) : Py_NewRef(map->empty);
}

/* Join class, id, role and itemprop by spaces. */
static PyObject *join_names(const PageMap *map, const Said *said)
{
    PyObject *names = value_or_empty(map, &said->class);
    const Attribute *more[] = {&said->id, &said->role, &said->itemprop};
    for (int i = 0; i < 3 && names; i++) {
        if (!has_value(more[i]))
            continue;
        PyObject *value = decode_value(more[i]->value, more[i]->value_end);
        PyObject *joined = value ? PyUnicode_FromFormat("%U %U", names, value) : NULL;
        Py_XDECREF(value);
        Py_DECREF(names);
        names = joined;
    }
    return names;
}

/* --- blocks --- */

/* Make a list of `count` items by `item(walk, number)`, which returns new references. */
static PyObject *list_of(const Walk *w, uint32_t count, PyObject *(*item)(const Walk *, uint32_t))
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (uint32_t i = 0; list && i < count; i++) {
        PyObject *one = item(w, i);
        if (one == NULL)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, (Py_ssize_t)i, one);
    }
    return list;
}

/* A column of numbers is made as bytes, four for each. */
#define NUMBERS(name, items, count, field) \
    static PyObject *name(const Walk *w) \
    { \
        PyObject *column = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)w->count * 4); \
        int32_t *into = column ? (int32_t *)(void *)PyBytes_AsString(column) : NULL; \
        for (uint32_t i = 0; into && i < w->count; i++) \
            into[i] = w->items[i]field; \
        return column; \
    }
#define TRUTHS(name, condition) \
    static PyObject *name(const Walk *w, uint32_t i) { return PyBool_FromLong(condition); }

static PyObject *names_of_row(const Walk *w, int32_t row)
{
    if (row < 0)
        return Py_NewRef(w->map->empty);
    Said said;
    read_said(w->map, (uint32_t)row, &said);
    return join_names(w->map, &said);
}

static PyObject *tag_of(const Walk *w, int32_t row)
{
    return row < 0 ? Py_NewRef(w->map->empty) : tag_name(w->map, w->map->tree.tag[row]);
}

static PyObject *text_of_block(const Walk *w, uint32_t i)
{
    const Block *b = &w->blocks[i];
    return PyUnicode_DecodeUTF8((const char *)w->words.bytes + b->text, (Py_ssize_t)b->size, "replace");
}

static PyObject *box_tag(const Walk *w, uint32_t i) { return tag_of(w, w->boxes[i].row); }
static PyObject *box_names(const Walk *w, uint32_t i) { return names_of_row(w, w->boxes[i].row); }
static PyObject *lead_tag(const Walk *w, uint32_t i) { return tag_of(w, w->blocks[i].lead); }
static PyObject *lead_names(const Walk *w, uint32_t i) { return names_of_row(w, w->blocks[i].lead); }
NUMBERS(box_parent, boxes, box_count, .parent)
NUMBERS(box_row, boxes, box_count, .row)
NUMBERS(box_start, boxes, box_count, .start)
NUMBERS(box_end, boxes, box_count, .end)
TRUTHS(box_hidden, w->boxes[i].hidden)
NUMBERS(block_box, blocks, block_count, .box)
NUMBERS(block_link_chars, blocks, block_count, .link_chars)
NUMBERS(block_links, blocks, block_count, .links)
NUMBERS(block_bold_chars, blocks, block_count, .bold_chars)
NUMBERS(block_breaks, blocks, block_count, .breaks)
NUMBERS(block_leaf_start, blocks, block_count, .leaf_start)
NUMBERS(block_leaf_end, blocks, block_count, .leaf_end)
TRUTHS(block_plain, !w->blocks[i].styled)
NUMBERS(leaf_node, leaves, leaf_count, )
NUMBERS(picture_row, pictures, picture_count, .row)
NUMBERS(picture_block, pictures, picture_count, .block)
NUMBERS(picture_box, pictures, picture_count, .box)

static PyObject *blocks_of(const Walk *w)
{
    const struct {
        PyObject *(*numbers)(const Walk *);
        uint32_t count;
        PyObject *(*item)(const Walk *, uint32_t);
    } columns[] = {
        {box_parent, 0, NULL}, {NULL, w->box_count, box_tag}, {NULL, w->box_count, box_names},
        {NULL, w->box_count, box_hidden}, {box_row, 0, NULL}, {box_start, 0, NULL}, {box_end, 0, NULL},
        {NULL, w->block_count, text_of_block}, {block_box, 0, NULL}, {block_link_chars, 0, NULL}, {block_links, 0, NULL},
        {block_bold_chars, 0, NULL}, {block_breaks, 0, NULL}, {NULL, w->block_count, lead_names},
        {NULL, w->block_count, lead_tag}, {block_leaf_start, 0, NULL}, {block_leaf_end, 0, NULL}, {leaf_node, 0, NULL},
        {picture_row, 0, NULL}, {picture_block, 0, NULL}, {picture_box, 0, NULL}, {NULL, w->block_count, block_plain},
    };
    Py_ssize_t count = (Py_ssize_t)(sizeof columns / sizeof *columns);
    PyObject *made = PyTuple_New(count);
    for (Py_ssize_t i = 0; made && i < count; i++) {
        PyObject *column = columns[i].numbers ? columns[i].numbers(w) : list_of(w, columns[i].count, columns[i].item);
        if (column == NULL)
            Py_CLEAR(made);
        else
            PyTuple_SetItem(made, i, column);
    }
    return made;
}

int is_row(const PageMap *map, long row)
{
    if (row >= 0 && row < (long)map->tree.count)
        return 1;
    PyErr_SetString(PyExc_IndexError, "no such element");
    return 0;
}

PyObject *map_blocks(PyObject *self, PyObject *args)
{
    PageMap *map = (PageMap *)self;
    long root;
    PyObject *emptied = NULL, *made = NULL;
    if (!PyArg_ParseTuple(args, "l|O!", &root, &PyFrozenSet_Type, &emptied) || !is_row(map, root))
        return NULL;
    uint8_t *hollow = mark_rows(map, emptied);
    if (PyErr_Occurred())
        return NULL;
    Walk w;
    if (walk_blocks(&w, map, (uint32_t)root, hollow, 0))
        made = blocks_of(&w);
    walk_free(&w);
    PyMem_Free(hollow);
    return made;
}

/* Count the words of a run; a character of a script without spaces between words counts half. */
static float words_of_run(const PageMap *map, uint32_t run)
{
    const byte *at = map->base + map->tree.run_start[run], *end = map->base + map->tree.run_end[run];
    unsigned halves = 0;
    int in_word = 0;
    for (; at < end; at++) {
        int is_letter_here = !is_space(*at);
        halves += 2 * (unsigned)(is_letter_here && !in_word) + (*at >= 0xE3 && *at <= 0xE9);
        in_word = is_letter_here;
    }
    return (float)halves / 2;
}

/* run_blocks(): for each run its block (-1: none, or a hidden one) and its words. */
PyObject *map_run_blocks(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PageMap *map = (PageMap *)self;
    const Tree *t = &map->tree;
    Walk w;
    PyObject *made = NULL, *of_runs = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)t->run_count * 4);
    PyObject *words = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)t->run_count * 4);
    if (walk_blocks(&w, map, 0, NULL, 1) && of_runs && words) {
        int32_t *block_of = (int32_t *)(void *)PyBytes_AsString(of_runs);
        float *count = (float *)(void *)PyBytes_AsString(words);
        memset(block_of, 0xFF, (size_t)t->run_count * 4);
        for (uint32_t block = 0; block < w.block_count; block++)
            for (int32_t leaf = w.blocks[block].leaf_start; leaf < w.blocks[block].leaf_end; leaf++)
                if (w.leaves[leaf] < 0 && !w.boxes[w.blocks[block].box].hidden)
                    block_of[~w.leaves[leaf]] = (int32_t)block;
        for (uint32_t run = 0; run < t->run_count; run++) {
            if (run && (t->run_flags[run] & RUN_CONTINUES) && block_of[run] < 0)
                block_of[run] = block_of[run - 1];
            count[run] = block_of[run] < 0 ? 0 : words_of_run(map, run);
        }
        made = PyTuple_Pack(2, of_runs, words);
    }
    walk_free(&w);
    Py_XDECREF(of_runs);
    Py_XDECREF(words);
    return made;
}

/* --- elements --- */

typedef struct {
    PageMap *map;
    PyObject *tag, *classes, *names, *hidden, *href, *text;
    Buffer parent, end, depth, leaf_start, leaf_end, row, leaf_row, leaf_run;
} Listing;

typedef struct {
    int32_t row, place;
    uint8_t hidden;
} OpenRow;

static int put_leaf(Listing *l, uint32_t run, uint32_t end, long here, long *leaves)
{
    const Tree *t = &l->map->tree;
    Text words;
    uint32_t first = run;
    text_init(&words);
    for (; run < end; run++) {
        if (t->run_flags[run] & RUN_APART)
            text_edge(&words);
        text_put(&words, l->map->base + t->run_start[run], l->map->base + t->run_end[run],
                 t->run_flags[run] & RUN_RAW ? AS_IS : IN_TEXT);
    }
    int failed = 0;
    if (words.size) {
        failed = append_new(l->text, PyUnicode_DecodeUTF8((const char *)words.out, (Py_ssize_t)words.size, "replace")) ||
                 append_int(&l->leaf_row, here) || append_int(&l->leaf_run, (long)first);
        ++*leaves;
    }
    text_free(&words);
    return failed;
}

static int open_row(Listing *l, uint32_t row, long place, long parent, long depth, long leaves, uint8_t *hidden)
{
    Said said;
    read_said(l->map, row, &said);
    *hidden = (uint8_t)(*hidden | said.hidden);
    int failed = append_new(l->tag, tag_name(l->map, l->map->tree.tag[row])) || append_int(&l->parent, parent) ||
                 append_int(&l->end, place + 1) || append_int(&l->depth, depth) ||
                 append_new(l->classes, value_or_empty(l->map, &said.class)) || append_new(l->names, join_names(l->map, &said)) ||
                 PyList_Append(l->hidden, *hidden ? Py_True : Py_False) || append_int(&l->leaf_start, leaves) ||
                 append_int(&l->leaf_end, leaves) || append_int(&l->row, (long)row);
    if (!failed && l->map->tree.tag[row] == TAG_A && has_value(&said.href)) {
        PyObject *key = PyLong_FromLong(place), *value = decode_value(said.href.value, said.href.value_end);
        failed = key == NULL || value == NULL || PyDict_SetItem(l->href, key, value);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return failed;
}

static void set_int(Buffer *column, long place, long value)
{
    int32_t number = (int32_t)value;
    memcpy(column->bytes + (size_t)place * sizeof number, &number, sizeof number);
}

static int list_rows(Listing *l, uint32_t root, long most, OpenRow *open)
{
    const Tree *t = &l->map->tree;
    uint32_t row = root + 1, run = (uint32_t)t->run_from[root], last = (uint32_t)t->last[root], run_last = (uint32_t)t->run_to[root];
    long place = 1, leaves = 0, depth = 0; /* what goes beyond the limit is passed over */
    uint8_t hidden = 0;
    if (open_row(l, root, 0, -1, 0, 0, &hidden))
        return -1;
    open[0] = (OpenRow){(int32_t)root, 0, hidden};
    for (;;) {
        OpenRow *top = &open[depth];
        if ((int32_t)row >= t->last[top->row] && (int32_t)run >= t->run_to[top->row]) {
            set_int(&l->end, top->place, place);
            set_int(&l->leaf_end, top->place, leaves);
            if (depth-- == 0)
                return 0;
            continue;
        }
        if (row >= last && run >= run_last)
            run = run_last;
        if ((int32_t)run < t->run_to[top->row] && ((int32_t)row >= t->last[top->row] || (int32_t)run < t->run_from[row])) {
            uint32_t end = text_end(t, run);
            if (leaves < most && put_leaf(l, run, end, top->place, &leaves))
                return -1;
            run = end;
            continue;
        }
        int kind = kind_of(t, row);
        if (kind == K_SKIP || place >= most) {
            run = (uint32_t)t->run_to[row];
            row = (uint32_t)t->last[row];
            continue;
        }
        hidden = top->hidden;
        if (open_row(l, row, place, top->place, depth + 1, leaves, &hidden))
            return -1;
        if (first_child_of(t, row) == NO_NODE) {
            run = (uint32_t)t->run_to[row];
            row = (uint32_t)t->last[row];
        } else {
            open[++depth] = (OpenRow){(int32_t)row, (int32_t)place, hidden};
            row++;
        }
        place++;
    }
}

/* An empty column has no bytes at all, for which "y#" makes None. */
#define BYTES(column) l.column.bytes ? (const char *)l.column.bytes : "", (Py_ssize_t)l.column.size

PyObject *map_elements(PyObject *self, PyObject *args)
{
    long root, most;
    Listing l = {0};
    l.map = (PageMap *)self;
    if (!PyArg_ParseTuple(args, "ll", &root, &most) || !is_row(l.map, root))
        return NULL;
    PyObject **lists[] = {&l.tag, &l.classes, &l.names, &l.hidden, &l.text};
    Buffer *numbers[] = {&l.parent, &l.end, &l.depth, &l.leaf_start, &l.leaf_end, &l.row, &l.leaf_row, &l.leaf_run};
    size_t count = sizeof lists / sizeof *lists;
    int failed = (l.href = PyDict_New()) == NULL, deepest = 0;
    for (size_t i = 0; i < count; i++)
        failed |= (*lists[i] = PyList_New(0)) == NULL;
    for (uint32_t row = 0; row < l.map->tree.count; row++)
        deepest = l.map->tree.depth[row] > deepest ? l.map->tree.depth[row] : deepest;
    OpenRow *open = PyMem_Malloc(((size_t)deepest + 2) * sizeof *open);
    PyObject *made = NULL;
    if (!failed && open && list_rows(&l, (uint32_t)root, most, open) == 0)
        made = Py_BuildValue("(Oy#y#y#OOOy#y#y#OOy#y#)", l.tag, BYTES(parent), BYTES(end), BYTES(depth), l.classes, l.names,
                             l.hidden, BYTES(leaf_start), BYTES(leaf_end), BYTES(row), l.href, l.text, BYTES(leaf_row),
                             BYTES(leaf_run));
    PyMem_Free(open);
    for (size_t i = 0; i < count; i++)
        Py_XDECREF(*lists[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        buffer_free(numbers[i]);
    Py_XDECREF(l.href);
    return made;
}
