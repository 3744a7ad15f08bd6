/* Render what some elements show as plain text, as scythe.page.blocks.render_text does for all visible blocks in them. */
#include "page_walk.h"

enum { LONG_CELL = 1000, SHORT_CELL = 200, FEW_BLOCKS = 4, NONE = -1 };

typedef struct {
    const Walk *w;
    int32_t *row_of, *column_of, *table_of; /* of the cells of data tables, NONE for other boxes */
    int32_t *pre, *cell;                    /* the innermost preformatted box and data cell around a box, itself included */
} Grid;

static uint16_t tag_of_box(const Walk *w, int32_t box) { return w->map->tree.tag[w->boxes[box].row]; }

static int is_cell(uint16_t tag) { return tag == TAG_TD || tag == TAG_TH; }

static int is_pre(uint16_t tag) { return tag == TAG_PRE || tag == TAG_LISTING || tag == TAG_XMP || tag == TAG_PLAINTEXT; }

static int is_tight(uint16_t tag) { return tag == TAG_LI || tag == TAG_DT || tag == TAG_DD || tag == TAG_OPTION; }

/* Return the table of a row, or NONE. */
static int32_t table_of_row(const Walk *w, int32_t row)
{
    if (row < 0 || tag_of_box(w, row) != TAG_TR)
        return NONE;
    int32_t table = w->boxes[row].parent;
    if (table >= 0 && tag_of_box(w, table) < TAG_COUNT && (tag_rows[tag_of_box(w, table)].traits & T_SECTION))
        table = w->boxes[table].parent;
    return table >= 0 && tag_of_box(w, table) == TAG_TABLE ? table : NONE;
}

static long count_between(const Walk *w, int32_t start, int32_t end)
{
    long count = 0;
    if (start >= end)
        return 0;
    const Block *first = &w->blocks[start], *last = &w->blocks[end - 1];
    for (const byte *at = w->words.bytes + first->text, *stop = w->words.bytes + last->text + last->size; at < stop; at++)
        count += (*at & 0xC0) != 0x80;
    return count;
}

static int has_word(const Attribute *a, const char *word)
{
    size_t size = strlen(word);
    const byte *at = a->value;
    while (at && at < a->value_end) {
        at = skip_space(at, a->value_end);
        const byte *from = at;
        while (at < a->value_end && !is_space(*at))
            at++;
        if ((size_t)(at - from) == size && !memcmp(from, word, size))
            return 1;
    }
    return 0;
}

static int is_presentation(const Walk *w, int32_t box)
{
    Said said;
    read_said(w->map, (uint32_t)w->boxes[box].row, &said);
    return has_word(&said.class, "presentation") || has_word(&said.id, "presentation") || has_word(&said.role, "presentation") ||
           has_word(&said.itemprop, "presentation");
}

/* What is known of a table before it is decided whether it holds data. */
typedef struct {
    int32_t filled, brief;
    uint8_t is_wide, is_outer, is_long, is_seen;
} Table;

static void see_cell(const Walk *w, Table *table, int32_t cell)
{
    const Box *box = &w->boxes[cell];
    long chars = count_between(w, box->start, box->end);
    table->is_long |= chars > LONG_CELL;
    table->filled += chars > 0;
    table->brief += chars > 0 && chars <= SHORT_CELL && box->end - box->start <= FEW_BLOCKS;
}

static int holds_data(const Walk *w, const Table *table, int32_t box)
{
    return table->is_wide && !table->is_outer && !table->is_long && table->filled >= 2 &&
           (double)table->brief >= (double)table->filled * 0.8 && !is_presentation(w, box);
}

/* Find the cells of data tables: two columns or more, mostly short cells, no table inside. */
static int find_cells(Grid *g)
{
    const Walk *w = g->w;
    uint32_t count = w->box_count;
    Table *tables = PyMem_Calloc(count, sizeof *tables);
    int32_t *cells = PyMem_Calloc(count, sizeof *cells); /* cells of each row so far */
    uint8_t *data = PyMem_Calloc(count, 1);
    int done = tables && cells && data;
    for (uint32_t box = 0; done && box < count; box++) {
        int32_t row = w->boxes[box].parent, table = is_cell(tag_of_box(w, (int32_t)box)) ? table_of_row(w, row) : NONE;
        if (table == NONE)
            continue;
        g->table_of[box] = table;
        g->row_of[box] = row;
        g->column_of[box] = cells[row]++;
        tables[table].is_wide |= cells[row] > 1;
        see_cell(w, &tables[table], (int32_t)box);
        if (tables[table].is_seen)
            continue;
        tables[table].is_seen = 1;
        for (int32_t above = w->boxes[table].parent; above >= 0 && !tables[above].is_outer; above = w->boxes[above].parent)
            if (tag_of_box(w, above) == TAG_TABLE) {
                tables[above].is_outer = 1;
                break;
            }
    }
    for (uint32_t box = 0; done && box < count; box++)
        data[box] = tables[box].is_seen && holds_data(w, &tables[box], (int32_t)box);
    for (uint32_t box = 0; done && box < count; box++)
        if (g->table_of[box] != NONE && !data[g->table_of[box]])
            g->table_of[box] = NONE;
    PyMem_Free(tables);
    PyMem_Free(cells);
    PyMem_Free(data);
    if (!done)
        PyErr_NoMemory();
    return done;
}

static int grid_init(Grid *g, const Walk *w)
{
    uint32_t count = w->box_count;
    g->w = w;
    g->row_of = PyMem_Malloc(count * 5 * sizeof(int32_t));
    if (g->row_of == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    g->column_of = g->row_of + count;
    g->table_of = g->row_of + 2 * count;
    g->pre = g->row_of + 3 * count;
    g->cell = g->row_of + 4 * count;
    int has_cells = 0;
    for (uint32_t box = 0; box < count; box++) {
        g->table_of[box] = NONE;
        has_cells |= is_cell(tag_of_box(w, (int32_t)box));
    }
    if (has_cells && !find_cells(g))
        return 0;
    for (uint32_t box = 0; box < count; box++) { /* parents come before their children */
        int32_t parent = w->boxes[box].parent;
        g->pre[box] = is_pre(tag_of_box(w, (int32_t)box)) ? (int32_t)box : parent >= 0 ? g->pre[parent] : NONE;
        g->cell[box] = g->table_of[box] != NONE ? (int32_t)box : parent >= 0 ? g->cell[parent] : NONE;
    }
    return 1;
}

static int put_times(Buffer *out, char letter, int32_t times)
{
    int done = 1;
    while (done && times-- > 0)
        done = buffer_put(out, (const byte *)&letter, 1);
    return done;
}

/* Put the gap before the cell of a data table; return NONE where it is none of its own. */
static int put_gap_to_cell(Buffer *out, const Grid *g, int32_t before, int32_t cell)
{
    int32_t column = g->column_of[cell];
    if (before == cell)
        return put_times(out, ' ', 1);
    if (before < 0 || g->table_of[before] != g->table_of[cell])
        return put_times(out, '\n', 2) && put_times(out, '\t', column);
    if (g->row_of[before] != g->row_of[cell])
        return put_times(out, '\n', 1) && put_times(out, '\t', column);
    if (column <= g->column_of[before])
        return NONE;
    return put_times(out, '\t', column - g->column_of[before]);
}

static int put_gap(Buffer *out, const Grid *g, int32_t last, int32_t block)
{
    const Walk *w = g->w;
    int32_t box = w->blocks[block].box, before = last >= 0 ? w->blocks[last].box : NONE, cell = g->cell[box];
    if (cell >= 0) {
        int done = put_gap_to_cell(out, g, before >= 0 ? g->cell[before] : NONE, cell);
        if (done != NONE)
            return done;
    }
    if (before < 0)
        return 1;
    int32_t breaks = w->blocks[block].breaks;
    if (breaks && box == before && block == last + 1)
        return put_times(out, '\n', breaks == 1 ? 1 : 2);
    if (g->pre[box] >= 0 && g->pre[box] == g->pre[before])
        return put_times(out, '\n', 1);
    return put_times(out, '\n', is_tight(tag_of_box(w, box)) && is_tight(tag_of_box(w, before)) ? 1 : 2);
}

/* Return the size of the line end at `at`, as str.splitlines() sees it, or 0. */
static int line_end(const byte *at, const byte *end)
{
    if (*at == '\r')
        return end - at > 1 && at[1] == '\n' ? 2 : 1;
    if ((*at >= 0x0A && *at <= 0x0C) || (*at >= 0x1C && *at <= 0x1E))
        return 1;
    if (*at == 0xC2 && end - at > 1 && at[1] == 0x85)
        return 2;
    return *at == 0xE2 && end - at > 2 && at[1] == 0x80 && (at[2] == 0xA8 || at[2] == 0xA9) ? 3 : 0;
}

/* Append lines without the white space at their ends, and without empty ones before and behind. */
static int put_lines(Buffer *out, const byte *at, const byte *end)
{
    size_t begun = out->size;
    int32_t waiting = 0; /* line ends that are put once something follows */
    while (at < end) {
        const byte *from = at, *solid = at;
        int size = 0;
        while (at < end && (size = line_end(at, end)) == 0) {
            int space = space_size(at, end);
            at += space ? space : 1;
            if (!space)
                solid = at;
        }
        if (solid > from) {
            if (!put_times(out, '\n', out->size > begun ? waiting : 0) || !buffer_put(out, from, (size_t)(solid - from)))
                return 0;
            waiting = 0;
        }
        waiting++;
        at += size;
    }
    return 1;
}

static int put_preformatted(Buffer *out, const Walk *w, int32_t block)
{
    Buffer raw = {0};
    int done = 1;
    for (int32_t leaf = w->blocks[block].leaf_start; done && leaf < w->blocks[block].leaf_end; leaf++) {
        if (w->leaves[leaf] >= 0)
            continue;
        for (uint32_t run = (uint32_t)~w->leaves[leaf], end = text_end(&w->map->tree, run); done && run < end; run++)
            done = put_run(&raw, w->map, run);
    }
    done = done && put_lines(out, raw.bytes, raw.bytes + raw.size);
    buffer_free(&raw);
    return done;
}

/* Say whether the first words of a block stand in one of the rows. */
static int is_wanted(const Walk *w, const Block *block, const int32_t *rows, uint32_t count)
{
    if (w->boxes[block->box].hidden)
        return 0;
    const Tree *t = &w->map->tree;
    for (int32_t leaf = block->leaf_start; count && leaf < block->leaf_end; leaf++) {
        if (w->leaves[leaf] >= 0)
            continue;
        int32_t run = ~w->leaves[leaf];
        for (uint32_t i = 0; i < count; i++)
            if (t->run_from[rows[i]] <= run && run < t->run_to[rows[i]])
                return 1;
        return 0;
    }
    return count == 0;
}

static PyObject *render(const Walk *w, const int32_t *rows, uint32_t count)
{
    Grid g = {0};
    Buffer out = {0};
    int32_t last = NONE;
    int done = grid_init(&g, w);
    for (int32_t i = 0; done && i < (int32_t)w->block_count; i++) {
        const Block *block = &w->blocks[i];
        if (!is_wanted(w, block, rows, count))
            continue;
        done = put_gap(&out, &g, last, i);
        if (done && g.pre[block->box] >= 0)
            done = put_preformatted(&out, w, i);
        else if (done)
            done = buffer_put(&out, w->words.bytes + block->text, block->size);
        last = i;
    }
    size_t from = 0, to = out.size;
    while (from < to && (out.bytes[from] == '\n' || out.bytes[from] == '\t' || out.bytes[from] == ' '))
        from++;
    while (to > from && (out.bytes[to - 1] == '\n' || out.bytes[to - 1] == '\t' || out.bytes[to - 1] == ' '))
        to--;
    PyObject *text = done ? PyUnicode_DecodeUTF8((const char *)out.bytes + from, (Py_ssize_t)(to - from), "replace") : NULL;
    buffer_free(&out);
    PyMem_Free(g.row_of);
    return text;
}

/* Return the numbers of a sequence of rows, NULL with an error set. */
static int32_t *rows_of(const PageMap *map, PyObject *numbers, uint32_t *count)
{
    Py_ssize_t size = PySequence_Size(numbers);
    int32_t *rows = size < 0 ? NULL : PyMem_Malloc(((size_t)size + 1) * sizeof *rows);
    if (rows == NULL)
        return PyErr_Occurred() ? NULL : (int32_t *)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *number = PySequence_GetItem(numbers, i);
        long row = number ? PyLong_AsLong(number) : -1;
        Py_XDECREF(number);
        if (PyErr_Occurred() || !is_row(map, row)) {
            PyMem_Free(rows);
            return NULL;
        }
        rows[i] = (int32_t)row;
    }
    *count = (uint32_t)size;
    return rows;
}

/* The hashes of an element to drop: its key, and its parent's where that is not 0. */
typedef struct {
    uint64_t key, parent;
} Drop;

static Drop *drops_of(PyObject *pairs, Py_ssize_t *count)
{
    *count = PyTuple_Size(pairs);
    Drop *drops = PyMem_Malloc(((size_t)*count + 1) * sizeof *drops);
    if (drops == NULL)
        return (Drop *)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < *count; i++) {
        unsigned long long key, parent;
        PyObject *pair = PyTuple_GetItem(pairs, i);
        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "KK", &key, &parent)) {
            PyMem_Free(drops);
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "drops are pairs");
            return NULL;
        }
        drops[i] = (Drop){key, parent};
    }
    return drops;
}

static int is_dropped(const Tree *t, const uint64_t *keys, uint32_t row, const Drop *drops, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (keys[row] == drops[i].key && (!drops[i].parent || keys[t->parent[row]] == drops[i].parent))
            return 1;
    return 0;
}

/* Mark the elements to drop inside of the rows and list them; NULL with an error set. */
static PyObject *mark_dropped(PageMap *map, uint8_t *hollow, const int32_t *rows, uint32_t count, const Drop *drops, Py_ssize_t most)
{
    const Tree *t = &map->tree;
    const uint64_t *keys = keys_of(map);
    PyObject *found = keys ? PyList_New(0) : NULL;
    for (uint32_t i = 0; found && i < count; i++)
        for (int32_t row = rows[i] + 1; found && row < t->last[rows[i]];) {
            if (!is_dropped(t, keys, (uint32_t)row, drops, most)) {
                row++;
                continue;
            }
            PyObject *number = PyLong_FromLong((long)row);
            if (number == NULL || PyList_Append(found, number))
                Py_CLEAR(found);
            Py_XDECREF(number);
            hollow[row] = 1;
            row = t->last[row];
        }
    return found;
}

/* Return the innermost element around rows, which ascend. */
static int32_t around(const Tree *t, const int32_t *rows, uint32_t count)
{
    int32_t row = rows[0];
    while (row > 0 && t->last[row] <= rows[count - 1])
        row = t->parent[row];
    return row;
}

PyObject *map_cut_text(PyObject *self, PyObject *args)
{
    PageMap *map = (PageMap *)self;
    const Tree *t = &map->tree;
    uint32_t count = 0;
    Py_ssize_t drop_count = 0;
    PyObject *numbers, *pairs, *dropped = NULL, *text = NULL, *result = NULL;
    if (!PyArg_ParseTuple(args, "OO!", &numbers, &PyTuple_Type, &pairs))
        return NULL;
    int32_t *rows = rows_of(map, numbers, &count);
    Drop *drops = rows ? drops_of(pairs, &drop_count) : NULL;
    uint8_t *hollow = drops && count ? PyMem_Calloc(t->count, 1) : NULL;
    if (hollow != NULL)
        dropped = mark_dropped(map, hollow, rows, count, drops, drop_count);
    else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "no rows to cut");
    if (dropped != NULL) {
        Walk w;
        if (walk_blocks(&w, map, (uint32_t)around(t, rows, count), drop_count ? hollow : NULL, 1))
            text = render(&w, rows, count > 1 ? count : 0);
        walk_free(&w);
    }
    if (text != NULL)
        result = Py_BuildValue("(OIIO)", text, t->start[rows[0]], t->end[rows[count - 1]], dropped);
    Py_XDECREF(text);
    Py_XDECREF(dropped);
    PyMem_Free(hollow);
    PyMem_Free(drops);
    PyMem_Free(rows);
    return result;
}
