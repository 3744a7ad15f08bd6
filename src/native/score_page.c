/* Take in the columns of a page, check them, score its blocks. */
#include "scorer.h"
#include <string.h>

enum { REMEMBERED = 50000, KEPT_BYTES = 8 << 20 };

enum {
    BOX_PARENT, BOX_TAG, BOX_NAMES, BOX_HIDDEN, BOX_START, BOX_END, TEXT, BOX, LINK_CHARS, LINKS, BOLD_CHARS, BREAKS,
    LEAD_NAMES, LEAD_TAG, IMAGE_BLOCK, COLUMNS,
};

/* Copy an array of C integers. */
static int copy_numbers(PyObject *array, Py_ssize_t count, int32_t *out, long least, long most) {
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_CONTIG_RO | PyBUF_FORMAT) < 0) return -1;
    int fits = view.itemsize == 4 && view.format && !strcmp(view.format, "i") && view.len == count * 4;
    if (fits && count) memcpy(out, view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    if (!fits) return complain("a column of numbers holds something else or differs in length");
    for (Py_ssize_t i = 0; i < count; i++)
        if (out[i] < least || out[i] > most) return complain("a number is out of range");
    return 0;
}

/* Copy a list of whole numbers, or an array, all of them within least..most. */
static int read_numbers(PyObject *list, Py_ssize_t count, int32_t *out, long least, long most) {
    if (!PyList_Check(list)) return copy_numbers(list, count, out, least, most);
    if (PyList_Size(list) != count) return complain("columns differ in length");
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (!PyLong_Check(item)) return complain("a column of numbers holds something else");
        long value = PyLong_AsLong(item);
        if (value < least || value > most || (value == -1 && PyErr_Occurred())) {
            PyErr_Clear();
            return complain("a number is out of range");
        }
        out[i] = (int32_t)value;
    }
    return 0;
}

/* Return a list of texts as a tuple, so that nobody can change it meanwhile. */
static PyObject *read_strings(PyObject *list, Py_ssize_t count) {
    PyObject *texts = PyList_Check(list) ? PyList_AsTuple(list) : NULL;
    if (!texts) return PyErr_Occurred() ? NULL : (complain("a column of texts is no list"), NULL);
    int fits = PyTuple_Size(texts) == count;
    for (Py_ssize_t i = 0; fits && i < count; i++) fits = PyUnicode_CheckExact(PyTuple_GetItem(texts, i));
    if (fits) return texts;
    Py_DECREF(texts);
    complain("a column of texts holds something else or differs in length");
    return NULL;
}

static int hold_strings(Page *page, PyObject **columns) {
    if (!(page->box_tag = read_strings(columns[BOX_TAG], page->boxes))
        || !(page->box_names = read_strings(columns[BOX_NAMES], page->boxes))
        || !(page->text = read_strings(columns[TEXT], page->blocks))
        || !(page->lead_names = read_strings(columns[LEAD_NAMES], page->blocks))
        || !(page->lead_tag = read_strings(columns[LEAD_TAG], page->blocks)))
        return -1;
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        Py_ssize_t length = PyUnicode_GetLength(PyTuple_GetItem(page->text, i));
        if (length < 1) return complain("a block is empty");
        if (length > page->longest_text) page->longest_text = length;
    }
    return page->longest_text < (1 << 30) ? 0 : complain("a block is too long");
}

static void let_go(Page *page) {
    Py_XDECREF(page->box_tag);
    Py_XDECREF(page->box_names);
    Py_XDECREF(page->text);
    Py_XDECREF(page->lead_names);
    Py_XDECREF(page->lead_tag);
}

/* Hand out what must start as zeros; returns how many bytes that is. */
static size_t lay_out_zeros(const Scorer *self, Page *page, Arena *arena) {
    size_t n = (size_t)page->blocks, m = (size_t)page->boxes;
    page->head.mask = power_of_two((size_t)page->head_chars + 2) - 1; /* twice as many as there can be words */
    page->head.slots = take(arena, (size_t)page->head.mask + 1, sizeof(Word));
    page->distinct = take(arena, DISTINCT_SLOTS, sizeof(Word));
    page->text_mask = power_of_two(n * 2) - 1;
    page->text_slots = take(arena, (size_t)page->text_mask + 1, sizeof(int32_t));
    page->overlap = take(arena, n * 4, sizeof(float));
    page->word_sum = take(arena, n * (size_t)self->net.word_width, sizeof(float));
    page->image_count = take(arena, n, sizeof(int32_t));
    page->cluster_size = take(arena, n, sizeof(int32_t));
    page->totals = take(arena, (n + 1) * 5, sizeof(double));
    page->kin = take(arena, (n + m) * 4, sizeof(double));
    page->box_ready = take(arena, m, 1);
    page->page_sum = take(arena, (size_t)(self->net.page_width + self->net.padded), sizeof(float));
    return arena->used;
}

static void lay_out_columns(const Scorer *self, Page *page, Arena *arena) {
    size_t n = (size_t)page->blocks, m = (size_t)page->boxes, width = (size_t)self->net.name_width;
    int32_t **per_box[] = {&page->box_parent, &page->box_hidden, &page->box_start, &page->box_end, &page->up,
                           &page->element,    &page->path,       &page->siblings,  &page->article, &page->box_slots};
    int32_t **per_block[] = {&page->box,     &page->link_chars, &page->links,   &page->bold_chars,
                             &page->breaks,  &page->lead,       &page->copies,  &page->copy_of,
                             &page->heading, &page->cluster,    &page->heading_slot, &page->heading_block};
    for (size_t i = 0; i < sizeof per_box / sizeof *per_box; i++) *per_box[i] = take(arena, m, sizeof(int32_t));
    for (size_t i = 0; i < sizeof per_block / sizeof *per_block; i++) *per_block[i] = take(arena, n, sizeof(int32_t));
    for (int pool = 0; pool < POOLS; pool++) {
        page->pool_slot[pool] = take(arena, n, sizeof(int32_t));
        page->pool_box[pool] = take(arena, n, sizeof(int32_t));
    }
    page->comment = take(arena, m, 1);
    page->held = take(arena, m * LEVEL_NUMBERS, sizeof(float));
    page->path_sum = take(arena, m * width, sizeof(float));
    page->box_vectors = take(arena, m * 2 * width, sizeof(float));
    page->pair_mask = power_of_two((n > m ? n : m) * 2) - 1;
    page->pair_keys = take(arena, (size_t)page->pair_mask + 1, sizeof(uint64_t));
    page->pair_values = take(arena, (size_t)page->pair_mask + 1, sizeof(int32_t));
    page->text_hash = take(arena, n, sizeof(Py_hash_t));
    page->letters = take(arena, n * KINDS, sizeof(float));
    page->sentences = take(arena, n, sizeof(float));
    page->words = take(arena, n, sizeof(float));
    page->prose = take(arena, n, sizeof(float));
    page->first = take(arena, n, 1);
    page->last = take(arena, n, 1);
}

static void lay_out_texts(Page *page, Arena *arena) {
    size_t head = (size_t)page->head_chars, longest = (size_t)page->longest_text;
    page->codes = take(arena, (longest > head ? longest : head) + 1, sizeof(Py_UCS4));
    page->lowered = take(arena, (LOWERED_CHARS > head ? LOWERED_CHARS : head) + 1, sizeof(Py_UCS4));
    page->found = take(arena, LOWERED_WORDS + 1, sizeof(uint64_t));
}

static void lay_out_vectors(const Scorer *self, Page *page, Arena *arena) {
    size_t n = (size_t)page->blocks, padded = (size_t)self->net.padded, rows = n + TILE;
    size_t before = (size_t)self->net.reach * padded, behind = GROUP * before;
    page->inputs = take(arena, rows * (size_t)self->net.inputs, sizeof(float));
    page->hidden_base = take(arena, before + n * padded + behind, sizeof(float));
    page->hidden = page->hidden_base ? page->hidden_base + before : NULL;
    page->seen = take(arena, rows * padded + behind, sizeof(float));
    page->gathered = take(arena, rows * padded, sizeof(float));
    for (int part = 0; part < PRODUCTS; part++) {
        page->mixed[part] = take(arena, rows / GROUP * padded + before, sizeof(float));
        page->product[part] = take(arena, rows * padded, sizeof(float));
    }
    page->running = take(arena, (n + 1) * padded, sizeof(double));
    if (!arena->base) return;
    memset(page->hidden_base, 0, before * sizeof(float));
    memset(page->hidden + n * padded, 0, behind * sizeof(float));
}

static size_t lay_out(const Scorer *self, Page *page, Arena *arena) {
    size_t zeros = lay_out_zeros(self, page, arena);
    lay_out_columns(self, page, arena);
    lay_out_texts(page, arena);
    lay_out_vectors(self, page, arena);
    return zeros;
}

/* Get memory for the page: that of the last one where it is large enough. */
static int allocate(Scorer *self, Page *page, Arena *arena) {
    Arena counted = {0};
    size_t zeros = lay_out(self, page, &counted);
    if (counted.overflow) {
        PyErr_NoMemory();
        return -1;
    }
    if (self->scratch && self->scratch_size >= counted.used) {
        arena->base = self->scratch;
        arena->size = self->scratch_size;
        self->scratch = NULL;
        memset(arena->base, 0, zeros);
    } else {
        PyMem_Free(self->scratch);
        self->scratch = NULL;
        arena->base = PyMem_Calloc(counted.used, 1);
        arena->size = counted.used;
        if (!arena->base) {
            PyErr_NoMemory();
            return -1;
        }
    }
    lay_out(self, page, arena);
    return 0;
}

static void give_back(Scorer *self, Arena *arena) {
    if (arena->base && !self->scratch && arena->size <= KEPT_BYTES) {
        self->scratch = arena->base;
        self->scratch_size = arena->size;
    } else {
        PyMem_Free(arena->base);
    }
}

static int read_columns(Page *page, PyObject **columns) {
    long n = (long)page->blocks, m = (long)page->boxes, most = 1 << 30;
    if (read_numbers(columns[BOX_PARENT], m, page->box_parent, -1, m - 1) < 0
        || read_numbers(columns[BOX_HIDDEN], m, page->box_hidden, 0, 1) < 0
        || read_numbers(columns[BOX_START], m, page->box_start, 0, n) < 0
        || read_numbers(columns[BOX_END], m, page->box_end, 0, n) < 0
        || read_numbers(columns[BOX], n, page->box, 0, m - 1) < 0
        || read_numbers(columns[LINK_CHARS], n, page->link_chars, 0, most) < 0
        || read_numbers(columns[LINKS], n, page->links, 0, most) < 0
        || read_numbers(columns[BOLD_CHARS], n, page->bold_chars, 0, most) < 0
        || read_numbers(columns[BREAKS], n, page->breaks, 0, most) < 0)
        return -1;
    for (long box = 0; box < m; box++) {
        if (page->box_parent[box] >= box) return complain("a box stands before its parent");
        if (page->box_start[box] > page->box_end[box]) return complain("a box ends before it starts");
    }
    for (Py_ssize_t i = 0; i < page->images; i++) {
        PyObject *item = PySequence_GetItem(columns[IMAGE_BLOCK], i);
        int is_number = item && PyLong_Check(item);
        long value = is_number ? PyLong_AsLong(item) : 0;
        Py_XDECREF(item);
        if (!is_number) return complain("a column of numbers holds something else");
        if (value < 0) {
            PyErr_Clear();
            return complain("a number is out of range");
        }
        page->image_count[value < n ? value : n - 1]++;
    }
    return 0;
}

static int add_page_rows(const Network *net, Page *page, PyObject *rows) {
    for (Py_ssize_t i = 0; i < PyList_Size(rows); i++) {
        PyObject *item = PyList_GetItem(rows, i);
        Py_ssize_t row = item && PyLong_Check(item) ? PyLong_AsSsize_t(item) : -1;
        if (row < 0 || row >= net->page_rows) {
            PyErr_Clear();
            return complain("a row of the page is out of range");
        }
        for (int k = 0; k < net->page_width; k++) page->page_sum[k] += net->page[row * net->page_width + k];
    }
    return 0;
}

/* Return what the caller gets: probabilities, words, then those of the kinds of page; comment flags, then hidden flags. */
static PyObject *results(Scorer *self, Page *page) {
    Py_ssize_t n = page->blocks;
    PyObject *numbers = PyByteArray_FromStringAndSize(NULL, (2 * n + self->net.kinds) * (Py_ssize_t)sizeof(double));
    PyObject *flags = PyByteArray_FromStringAndSize(NULL, 2 * n), *both = NULL;
    if (numbers && flags && (both = PyTuple_Pack(2, numbers, flags))) {
        double *number = (double *)(void *)PyByteArray_AsString(numbers);
        char *flag = PyByteArray_AsString(flags);
        forward(self, page, number);
        for (int i = 0; i < self->net.kinds; i++) number[2 * n + i] = (double)page->kind[i];
        for (Py_ssize_t i = 0; i < n; i++) {
            number[n + i] = (double)(page->words[i] + page->letters[i * KINDS + DENSE] / 2);
            flag[i] = (char)page->comment[page->box[i]];
            flag[n + i] = (char)page->box_hidden[page->box[i]];
        }
    }
    Py_XDECREF(numbers);
    Py_XDECREF(flags);
    return both;
}

static PyObject *score_page(Scorer *self, Page *page, PyObject **columns, PyObject *title, PyObject *description,
                            PyObject *page_rows) {
    Arena arena = {0};
    PyObject *result = NULL;
    if (hold_strings(page, columns) == 0 && allocate(self, page, &arena) == 0) {
        if (read_columns(page, columns) == 0 && add_page_rows(&self->net, page, page_rows) == 0
            && read_boxes(self, page) == 0 && read_head(self, page, title, description) == 0
            && read_texts(self, page) == 0) {
            describe(self, page);
            result = results(self, page);
        }
        give_back(self, &arena);
    }
    let_go(page);
    return result;
}

PyObject *scorer_score(PyObject *object, PyObject *args) {
    Scorer *self = (Scorer *)object;
    PyObject *lists, *title, *description, *page_rows, *columns[COLUMNS];
    int plain = 0;
    if (!PyArg_ParseTuple(args, "O!UUO!|p", &PyTuple_Type, &lists, &title, &description, &PyList_Type, &page_rows, &plain))
        return NULL;
    if (PyTuple_Size(lists) != COLUMNS) return complain("expected 15 columns"), NULL;
    for (int i = 0; i < COLUMNS; i++) {
        columns[i] = PyTuple_GetItem(lists, i);
        if (!PyList_Check(columns[i]) && (i == BOX_TAG || i == TEXT || !PyObject_CheckBuffer(columns[i])))
            return complain("columns must be lists or arrays"), NULL;
    }
    Page page = {.plain = plain};
    page.blocks = PyList_Size(columns[TEXT]);
    page.boxes = PyList_Size(columns[BOX_TAG]);
    page.images = PySequence_Size(columns[IMAGE_BLOCK]);
    Py_ssize_t head_chars = PyUnicode_GetLength(title) + PyUnicode_GetLength(description);
    page.head_chars = 3 * head_chars + 1;
    if (page.blocks < 1 || page.boxes < 1) return complain("a page needs a block and a box"), NULL;
    if (page.blocks > MOST_ROWS || page.boxes > MOST_ROWS || head_chars > MOST_ROWS)
        return complain("a page is too large"), NULL;
    if (self->active == 0 && self->elements.count >= REMEMBERED) clear_elements(&self->elements);
    self->active++;
    PyObject *result = score_page(self, &page, columns, title, description, page_rows);
    self->active--;
    return result;
}
