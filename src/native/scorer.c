/* The Python side: build a scorer from a network, score the blocks of a page. Every length and number is checked here. */
#include "scorer.h"
#include <string.h>

enum { MOST_WIDTH = 4096, MOST_REACH = 4096, MOST_ROUNDS = 64, MOST_WORD = 200 };

void *take(Arena *arena, size_t count, size_t item) {
    size_t start = (arena->used + 63) & ~(size_t)63;
    if (arena->overflow || (item && count > ((size_t)PY_SSIZE_T_MAX / 2 - start) / item)) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = start + count * item;
    return arena->base ? arena->base + start : NULL;
}

uint32_t power_of_two(size_t least) {
    uint32_t size = 64;
    while (size < least) size *= 2;
    return size;
}

int complain(const char *what) {
    PyErr_SetString(PyExc_ValueError, what);
    return -1;
}

/* Copy a float32 array of rows x columns into `out`, whose rows are `stride` long; rows 0 stands for one dimension. */
static int copy_floats(PyObject *array, Py_ssize_t rows, Py_ssize_t columns, float *out, Py_ssize_t stride,
                       Py_ssize_t skip, Py_ssize_t width, const char *name) {
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
    int fits = view.itemsize == 4 && view.format && !strcmp(view.format, "f") && view.ndim == (rows ? 2 : 1)
               && view.shape[view.ndim - 1] == columns && (!rows || view.shape[0] == rows) && skip + width <= columns;
    if (fits)
        for (Py_ssize_t row = 0; row < (rows ? rows : 1); row++)
            memcpy(out + row * stride, (const float *)view.buf + row * columns + skip, (size_t)width * sizeof(float));
    else PyErr_Format(PyExc_ValueError, "%s: expected %zd x %zd float32 numbers", name, rows, columns);
    PyBuffer_Release(&view);
    return fits ? 0 : -1;
}

/* Read the shape of a matrix. */
static int shape_of(PyObject *array, Py_ssize_t *rows, int *columns, const char *name) {
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
    int fits = view.ndim == 2 && view.shape[0] > 0 && view.shape[0] <= MOST_ROWS && view.shape[1] > 0
               && view.shape[1] <= MOST_WIDTH;
    if (fits) {
        *rows = view.shape[0];
        *columns = (int)view.shape[1];
    } else PyErr_Format(PyExc_ValueError, "%s is not a matrix", name);
    PyBuffer_Release(&view);
    return fits ? 0 : -1;
}

typedef struct {
    PyObject *names, *words, *page, *mean, *scale, *first_weights, *first_bias, *rounds, *last_weights;
} Weights;

static int measure_network(Network *net, const Weights *from) {
    Py_ssize_t inputs;
    if (shape_of(from->names, &net->name_rows, &net->name_width, "names") < 0
        || shape_of(from->words, &net->word_rows, &net->word_width, "words") < 0
        || shape_of(from->page, &net->page_rows, &net->page_width, "page") < 0
        || shape_of(from->first_weights, &inputs, &net->width, "first weights") < 0)
        return -1;
    net->padded = (net->width + PAD - 1) / PAD * PAD;
    net->inputs = NUMBERS + 4 * net->name_width + net->word_width;
    if (inputs != net->inputs + net->page_width) return complain("first weights: unexpected number of inputs");
    if (PyTuple_Size(from->rounds) > MOST_ROUNDS) return complain("rounds: too many");
    net->rounds = (int)PyTuple_Size(from->rounds);
    return 0;
}

static void lay_out_network(Network *net, Arena *memory) {
    size_t width = (size_t)net->width, padded = (size_t)net->padded;
    net->names = take(memory, (size_t)net->name_rows * (size_t)net->name_width, sizeof(float));
    net->words = take(memory, (size_t)net->word_rows * (size_t)net->word_width, sizeof(float));
    net->page = take(memory, (size_t)net->page_rows * (size_t)net->page_width, sizeof(float));
    net->mean = take(memory, NUMBERS, sizeof(float));
    net->scale = take(memory, NUMBERS, sizeof(float));
    net->first = take(memory, (size_t)net->inputs * padded, sizeof(float));
    net->first_page = take(memory, (size_t)net->page_width * padded, sizeof(float));
    net->first_bias = take(memory, padded, sizeof(float));
    net->last = take(memory, padded, sizeof(float));
    net->round = take(memory, (size_t)net->rounds, sizeof(Round));
    for (int number = 0; number < net->rounds; number++) {
        Round round = {0};
        for (int part = 0; part < 4; part++) round.own[part] = take(memory, width * padded, sizeof(float));
        for (int pool = 0; pool < POOLS; pool++) round.boxes[pool] = take(memory, width * padded, sizeof(float));
        round.style = take(memory, width * padded, sizeof(float));
        round.page = take(memory, 2 * width * padded, sizeof(float));
        round.bias = take(memory, padded, sizeof(float));
        if (memory->base) net->round[number] = round;
    }
}

static int copy_round(const Network *net, Round *round, PyObject *from) {
    Py_ssize_t width = net->width, padded = net->padded;
    PyObject *own, *boxes, *style, *page, *bias;
    if (!PyTuple_Check(from)) return complain("rounds: expected tuples");
    if (!PyArg_ParseTuple(from, "iOOOOO", &round->reach, &own, &boxes, &style, &page, &bias)) return -1;
    if (round->reach < 1 || round->reach > MOST_REACH) return complain("rounds: reach out of range");
    for (int part = 0; part < 4; part++)
        if (copy_floats(own, width, 4 * width, round->own[part], padded, part * width, width, "own") < 0) return -1;
    float *rows = PyMem_Malloc((size_t)(POOLS * width * padded) * sizeof *rows);
    if (!rows) {
        PyErr_NoMemory();
        return -1;
    }
    memset(rows, 0, (size_t)(POOLS * width * padded) * sizeof *rows);
    int failed = copy_floats(boxes, POOLS * width, width, rows, padded, 0, width, "boxes");
    for (int pool = 0; !failed && pool < POOLS; pool++)
        memcpy(round->boxes[pool], rows + pool * width * padded, (size_t)(width * padded) * sizeof *rows);
    PyMem_Free(rows);
    if (failed || copy_floats(style, width, width, round->style, padded, 0, width, "style") < 0
        || copy_floats(page, 2 * width, width, round->page, padded, 0, width, "page") < 0
        || copy_floats(bias, 0, width, round->bias, padded, 0, width, "bias") < 0)
        return -1;
    return 0;
}

static int copy_network(Network *net, const Weights *from) {
    Py_ssize_t width = net->width, padded = net->padded, inputs = net->inputs + net->page_width;
    float *first = PyMem_Malloc((size_t)(inputs * padded) * sizeof *first);
    if (!first) {
        PyErr_NoMemory();
        return -1;
    }
    memset(first, 0, (size_t)(inputs * padded) * sizeof *first);
    int failed = copy_floats(from->first_weights, inputs, width, first, padded, 0, width, "first weights");
    if (!failed) {
        memcpy(net->first, first, (size_t)(net->inputs * padded) * sizeof *first);
        memcpy(net->first_page, first + net->inputs * padded, (size_t)(net->page_width * padded) * sizeof *first);
    }
    PyMem_Free(first);
    if (failed
        || copy_floats(from->names, net->name_rows, net->name_width, net->names, net->name_width, 0, net->name_width, "names") < 0
        || copy_floats(from->words, net->word_rows, net->word_width, net->words, net->word_width, 0, net->word_width, "words") < 0
        || copy_floats(from->page, net->page_rows, net->page_width, net->page, net->page_width, 0, net->page_width, "page") < 0
        || copy_floats(from->mean, 0, NUMBERS, net->mean, 0, 0, NUMBERS, "mean") < 0
        || copy_floats(from->scale, 0, NUMBERS, net->scale, 0, 0, NUMBERS, "scale") < 0
        || copy_floats(from->first_bias, 0, width, net->first_bias, 0, 0, width, "first bias") < 0
        || copy_floats(from->last_weights, 0, width, net->last, 0, 0, width, "last weights") < 0)
        return -1;
    for (int number = 0; number < net->rounds; number++) {
        if (copy_round(net, &net->round[number], PyTuple_GetItem(from->rounds, number)) < 0) return -1;
        if (net->round[number].reach > net->reach) net->reach = net->round[number].reach;
    }
    return 0;
}

static int build_network(Scorer *self, const Weights *from) {
    if (measure_network(&self->net, from) < 0) return -1;
    Arena counted = {0};
    lay_out_network(&self->net, &counted);
    if (counted.overflow || !(self->memory.base = PyMem_Calloc(counted.used + 64, 1))) {
        PyErr_NoMemory();
        return -1;
    }
    self->memory.size = counted.used;
    lay_out_network(&self->net, &self->memory);
    return copy_network(&self->net, from);
}

static int check_words(PyObject *rows, Py_ssize_t most, Py_ssize_t *chars) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(rows, &at, &key, &value)) {
        if (!PyUnicode_CheckExact(key) || !PyLong_Check(value)) return complain("vocabulary: expected rows by word");
        Py_ssize_t length = PyUnicode_GetLength(key), row = PyLong_AsSsize_t(value);
        if (length < 1 || length > MOST_WORD) return complain("vocabulary: a word is empty or too long");
        if (row < 0 || row >= most) {
            PyErr_Clear();
            return complain("vocabulary: a row is out of range");
        }
        *chars += length;
    }
    return PyDict_Size(rows) <= MOST_ROWS ? 0 : complain("vocabulary: too many words");
}

static int put_word(const Scorer *self, Words *known, PyObject *word, int32_t value) {
    Py_UCS4 codes[MOST_WORD];
    Py_ssize_t length = PyUnicode_GetLength(word);
    if (!PyUnicode_AsUCS4(word, codes, MOST_WORD, 0)) return -1;
    int number = add_word(known, codes, length, hash_word(self->seed, codes, length), 0);
    known->items[number].value |= value;
    return 0;
}

/* Copy a vocabulary, a dictionary of rows, into our own table; `comments` are names that mean comments. */
static int build_words(const Scorer *self, Words *known, PyObject *rows, Py_ssize_t most, PyObject *comments) {
    PyObject *key, *value;
    Py_ssize_t at = 0, chars = 0, extra = PyDict_Size(comments);
    if (check_words(rows, most, &chars) < 0 || check_words(comments, 2, &chars) < 0) return -1;
    size_t count = (size_t)(PyDict_Size(rows) + extra);
    uint32_t slots = power_of_two(count * 4);
    known->mask = slots - 1;
    known->items = PyMem_Calloc(count + 1, sizeof *known->items);
    known->codes = PyMem_Calloc((size_t)chars + 1, sizeof *known->codes);
    known->slots = PyMem_Calloc(slots, sizeof *known->slots);
    if (!known->items || !known->codes || !known->slots) {
        PyErr_NoMemory();
        return -1;
    }
    while (PyDict_Next(rows, &at, &key, &value))
        if (put_word(self, known, key, (int32_t)PyLong_AsSsize_t(value) * 2) < 0) return -1;
    for (at = 0; PyDict_Next(comments, &at, &key, &value);)
        if (put_word(self, known, key, 1) < 0) return -1;
    return 0;
}

static int build_vocabulary(Scorer *self, PyObject *names, PyObject *words, PyObject *comments) {
    PyObject *none = PyDict_New();
    if (!none) return -1;
    int failed = build_words(self, &self->vocabulary, words, self->net.word_rows, none)
                 || build_words(self, &self->name_vocabulary, names, self->net.name_rows, comments);
    Py_DECREF(none);
    for (Py_UCS4 count = 0; !failed && count <= OPENING_WORDS; count++) {
        Py_UCS4 codes[3] = {'=', count < 10 ? '0' + count : '1', '0'};
        Py_ssize_t length = count < 10 ? 2 : 3;
        int32_t number = find_word(&self->vocabulary, codes, length, hash_word(self->seed, codes, length));
        self->count_rows[count] = number < 0 ? 0 : self->vocabulary.items[number].value >> 1;
    }
    return failed ? -1 : 0;
}

/* Copy a table of bytes. */
static unsigned char *copy_bytes(PyObject *from, Py_ssize_t least, Py_ssize_t *size, unsigned char limit) {
    Py_buffer view;
    if (PyObject_GetBuffer(from, &view, PyBUF_SIMPLE) < 0) return NULL;
    unsigned char *copy = NULL;
    int fits = view.len >= least && view.len <= 0x110000;
    for (Py_ssize_t i = 0; fits && i < view.len; i++) fits = ((unsigned char *)view.buf)[i] < limit;
    if (!fits) complain("a table of characters has the wrong size or content");
    else if (!(copy = PyMem_Malloc((size_t)view.len))) PyErr_NoMemory();
    else memcpy(copy, view.buf, (size_t)view.len);
    *size = view.len;
    PyBuffer_Release(&view);
    return copy;
}

static int prepare(Scorer *self, PyObject *page_tags, PyObject *kinds, PyObject *word_chars) {
    Py_ssize_t size;
    static const Py_UCS4 salt[] = {'s'};
    Py_INCREF(page_tags);
    self->page_tags = page_tags;
    if (!(self->lower = PyUnicode_InternFromString("lower")) || !(self->isalnum = PyUnicode_InternFromString("isalnum")))
        return -1;
    /* strings hash differently in every process, so no page can be made to collide */
    self->seed = hash_word((uint64_t)PyObject_Hash(self->isalnum), salt, 1);
    if (!(self->kinds = copy_bytes(kinds, KIND_CODES, &size, KINDS))) return -1;
    /* half a character is read as encoding with "replace" does: as a question mark */
    memset(self->kinds + 0xD800, self->kinds['?'], 0x800);
    if (!(self->word_chars = copy_bytes(word_chars, 128, &self->word_codes, 2))) return -1;
    if (!(self->elements.looks = PyDict_New()) || !(self->elements.tags = PyDict_New())) return -1;
    return 0;
}

static PyObject *scorer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"vocabulary", "comments", "page_tags", "kinds", "word_chars",
                               "tables",     "numbers",  "first",     "rounds", "last", NULL};
    PyObject *names, *words, *comments, *page_tags, *kinds, *word_chars;
    Weights from;
    double last_bias;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "(O!O!)O!O!OO(OOO)(OO)(OO)O!(Od)", keywords, &PyDict_Type, &names, &PyDict_Type, &words,
            &PyDict_Type, &comments, &PyFrozenSet_Type, &page_tags, &kinds, &word_chars, &from.names, &from.words,
            &from.page, &from.mean, &from.scale, &from.first_weights, &from.first_bias, &PyTuple_Type, &from.rounds,
            &from.last_weights, &last_bias))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Scorer *self = (Scorer *)allocate(type, 0);
    if (!self) return NULL;
    self->net.last_bias = last_bias;
    if (prepare(self, page_tags, kinds, word_chars) < 0 || build_network(self, &from) < 0
        || build_vocabulary(self, names, words, comments) < 0 || grow_elements(self) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void scorer_dealloc(PyObject *object) {
    Scorer *self = (Scorer *)object;
    PyTypeObject *type = Py_TYPE(object);
    clear_elements(&self->elements);
    PyObject *held[] = {self->elements.looks, self->elements.tags, self->page_tags, self->lower, self->isalnum};
    void *memory[] = {self->elements.items, self->elements.vectors, self->elements.slots, self->vocabulary.items,
                      self->vocabulary.codes, self->vocabulary.slots, self->name_vocabulary.items,
                      self->name_vocabulary.codes, self->name_vocabulary.slots, self->memory.base, self->kinds,
                      self->word_chars, self->scratch};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) Py_XDECREF(held[i]);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) PyMem_Free(memory[i]);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"score", scorer_score, METH_VARARGS,
     "score(columns, title, description, page_rows)\n--\n\n"
     "Return probabilities and words (float64) and comment flags (bool) of all blocks, as bytes."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Scores the blocks of pages with one network."},
    {Py_tp_new, scorer_new},
    {Py_tp_dealloc, scorer_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {"scythe._native.Scorer", sizeof(Scorer), 0, Py_TPFLAGS_DEFAULT, slots};

PyObject *make_scorer_type(void) {
    fill_logs();
    return PyType_FromSpec(&spec);
}
