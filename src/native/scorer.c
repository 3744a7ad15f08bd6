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
static int copy_floats(PyObject *array, Py_ssize_t rows, int columns, float *out, int stride, const char *name) {
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
    int fits = view.itemsize == 4 && view.format && !strcmp(view.format, "f") && view.ndim == (rows ? 2 : 1)
               && view.shape[view.ndim - 1] == columns && (!rows || view.shape[0] == rows);
    if (fits)
        for (Py_ssize_t row = 0; row < (rows ? rows : 1); row++)
            memcpy(out + row * stride, (const float *)view.buf + row * columns, (size_t)columns * sizeof(float));
    else PyErr_Format(PyExc_ValueError, "%s: expected %zd x %d float32 numbers", name, rows, columns);
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
    PyObject *kind, *kind_bias, *by_kind, *last_by_kind;
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
    if (shape_of(from->kind, &inputs, &net->kinds, "kind") < 0) return -1;
    if (net->kinds > MOST_KINDS) return complain("kind: too many kinds");
    if (net->kind_round < 0 || net->kind_round >= net->rounds) return complain("kind: round out of range");
    return 0;
}

static void lay_out_network(Network *net, Arena *memory) {
    size_t width = (size_t)net->width, padded = (size_t)net->padded;
    net->names = take(memory, (size_t)net->name_rows * (size_t)net->name_width, sizeof(float));
    net->words = take(memory, (size_t)net->word_rows * (size_t)net->word_width, sizeof(float));
    net->page = take(memory, (size_t)net->page_rows * (size_t)net->page_width, sizeof(float));
    net->mean = take(memory, NUMBERS, sizeof(float));
    net->scale = take(memory, NUMBERS, sizeof(float));
    net->first = take(memory, (size_t)(net->inputs + net->page_width) * padded, sizeof(float));
    net->first_page = net->first ? net->first + (size_t)net->inputs * padded : NULL;
    net->first_bias = take(memory, padded, sizeof(float));
    net->last = take(memory, padded, sizeof(float));
    net->kind = take(memory, 2 * width * (size_t)net->kinds, sizeof(float));
    net->kind_bias = take(memory, (size_t)net->kinds, sizeof(float));
    net->by_kind = take(memory, (size_t)(net->rounds - net->kind_round) * (size_t)net->kinds * padded, sizeof(float));
    net->last_by_kind = take(memory, (size_t)net->kinds, sizeof(float));
    net->round = take(memory, (size_t)net->rounds, sizeof(Round));
    for (int number = 0; number < net->rounds; number++) {
        Round round = {0};
        round.along = take(memory, PRODUCTS * width * padded, sizeof(float));
        round.heading = take(memory, width * padded, sizeof(float));
        round.boxes = take(memory, POOLS * width * padded, sizeof(float));
        round.style = take(memory, width * padded, sizeof(float));
        round.page = take(memory, 2 * width * padded, sizeof(float));
        round.bias = take(memory, padded, sizeof(float));
        if (memory->base) net->round[number] = round;
    }
}

static int copy_round(const Network *net, Round *round, PyObject *from) {
    int width = net->width, padded = net->padded;
    PyObject *along, *heading, *boxes, *style, *page, *bias;
    if (!PyTuple_Check(from)) return complain("rounds: expected tuples");
    if (!PyArg_ParseTuple(from, "iOOOOOO", &round->reach, &along, &heading, &boxes, &style, &page, &bias)) return -1;
    if (round->reach < 1 || round->reach > MOST_REACH) return complain("rounds: reach out of range");
    return copy_floats(along, PRODUCTS * width, width, round->along, padded, "along") < 0
                   || copy_floats(heading, width, width, round->heading, padded, "heading") < 0
                   || copy_floats(boxes, POOLS * width, width, round->boxes, padded, "boxes") < 0
                   || copy_floats(style, width, width, round->style, padded, "style") < 0
                   || copy_floats(page, 2 * width, width, round->page, padded, "page") < 0
                   || copy_floats(bias, 0, width, round->bias, padded, "bias") < 0
               ? -1 : 0;
}

static int copy_network(Network *net, const Weights *from) {
    int width = net->width, padded = net->padded, inputs = net->inputs + net->page_width;
    if (copy_floats(from->first_weights, inputs, width, net->first, padded, "first weights") < 0
        || copy_floats(from->names, net->name_rows, net->name_width, net->names, net->name_width, "names") < 0
        || copy_floats(from->words, net->word_rows, net->word_width, net->words, net->word_width, "words") < 0
        || copy_floats(from->page, net->page_rows, net->page_width, net->page, net->page_width, "page") < 0
        || copy_floats(from->mean, 0, NUMBERS, net->mean, 0, "mean") < 0
        || copy_floats(from->scale, 0, NUMBERS, net->scale, 0, "scale") < 0
        || copy_floats(from->first_bias, 0, width, net->first_bias, 0, "first bias") < 0
        || copy_floats(from->last_weights, 0, width, net->last, 0, "last weights") < 0
        || copy_floats(from->kind, 2 * width, net->kinds, net->kind, net->kinds, "kind") < 0
        || copy_floats(from->kind_bias, 0, net->kinds, net->kind_bias, 0, "kind bias") < 0
        || copy_floats(from->by_kind, (net->rounds - net->kind_round) * net->kinds, width, net->by_kind, padded, "by kind") < 0
        || copy_floats(from->last_by_kind, 0, net->kinds, net->last_by_kind, 0, "last by kind") < 0)
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

/* Put the words of a dictionary into our own table: value * `factor`, added by "or". */
static int put_words(const Scorer *self, Words *known, PyObject *values, Py_ssize_t most, int32_t factor) {
    PyObject *word, *value;
    Py_ssize_t at = 0;
    Py_UCS4 codes[MOST_WORD];
    while (PyDict_Next(values, &at, &word, &value)) {
        if (!PyUnicode_CheckExact(word) || !PyLong_Check(value)) return complain("vocabulary: expected numbers by word");
        Py_ssize_t length = PyUnicode_GetLength(word), row = PyLong_AsSsize_t(value);
        if (length < 1 || length > MOST_WORD) return complain("vocabulary: a word is empty or too long");
        if (row < 0 || row >= most) {
            PyErr_Clear();
            return complain("vocabulary: a row is out of range");
        }
        if (!PyUnicode_AsUCS4(word, codes, MOST_WORD, 0)) return -1;
        uint64_t hash = hash_word(self->seed, codes, length);
        Word *slot = find_word(known, hash);
        slot->hash = hash;
        slot->value |= (int32_t)row * factor;
    }
    return 0;
}

/* Make an empty table for so many words. */
static int make_words(Words *known, Py_ssize_t count) {
    if (count > MOST_ROWS) return complain("vocabulary: too many words");
    uint32_t slots = power_of_two((size_t)count * 3 / 2);
    known->mask = slots - 1;
    known->slots = PyMem_Calloc(slots, sizeof *known->slots);
    if (!known->slots) PyErr_NoMemory();
    return known->slots ? 0 : -1;
}

static int build_vocabulary(Scorer *self, PyObject *names, PyObject *words, PyObject *comments) {
    int failed = make_words(&self->vocabulary, PyDict_Size(words))
                 || make_words(&self->name_vocabulary, PyDict_Size(names) + PyDict_Size(comments))
                 || put_words(self, &self->vocabulary, words, self->net.word_rows, 1)
                 || put_words(self, &self->name_vocabulary, names, self->net.name_rows, 2)
                 || put_words(self, &self->name_vocabulary, comments, 2, 1);
    for (Py_UCS4 count = 0; !failed && count <= OPENING_WORDS; count++) {
        Py_UCS4 codes[3] = {'=', count < 10 ? '0' + count : '1', '0'};
        self->count_rows[count] = find_word(&self->vocabulary, hash_word(self->seed, codes, count < 10 ? 2 : 3))->value;
    }
    return failed ? -1 : 0;
}

static int copy_chars(Scorer *self, PyObject *from) {
    Py_buffer view;
    if (PyObject_GetBuffer(from, &view, PyBUF_C_CONTIGUOUS) < 0) return -1;
    int fits = view.itemsize == sizeof *self->chars && view.len == CHARS * view.itemsize;
    if (!fits) complain("the table of characters has the wrong size");
    else if (!(self->chars = PyMem_Malloc((size_t)view.len))) PyErr_NoMemory();
    else memcpy(self->chars, view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    return self->chars ? 0 : -1;
}

static int prepare(Scorer *self, PyObject *page_tags, PyObject *chars) {
    static const Py_UCS4 salt[] = {'s'};
    Py_INCREF(page_tags);
    self->page_tags = page_tags;
    if (!(self->lower = PyUnicode_InternFromString("lower")) || !(self->isalnum = PyUnicode_InternFromString("isalnum")))
        return -1;
    /* strings hash differently in every process, so no page can be made to collide */
    self->seed = hash_word((uint64_t)PyObject_Hash(self->isalnum), salt, 1);
    if (copy_chars(self, chars) < 0) return -1;
    if (!(self->elements.looks = PyDict_New()) || !(self->elements.tags = PyDict_New())) return -1;
    return 0;
}

static PyObject *scorer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"vocabulary", "comments", "page_tags", "chars", "tables", "numbers", "first", "rounds", "kind", "last",
                               NULL};
    PyObject *names, *words, *comments, *page_tags, *chars;
    Weights from;
    double last_bias;
    int kind_round;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "(O!O!)O!O!O(OOO)(OO)(OO)O!(iOOOO)(Od)", keywords, &PyDict_Type, &names, &PyDict_Type, &words,
            &PyDict_Type, &comments, &PyFrozenSet_Type, &page_tags, &chars, &from.names, &from.words,
            &from.page, &from.mean, &from.scale, &from.first_weights, &from.first_bias, &PyTuple_Type, &from.rounds,
            &kind_round, &from.kind, &from.kind_bias, &from.by_kind, &from.last_by_kind, &from.last_weights, &last_bias))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Scorer *self = (Scorer *)allocate(type, 0);
    if (!self) return NULL;
    self->net.last_bias = last_bias;
    self->net.kind_round = kind_round;
    if (prepare(self, page_tags, chars) < 0 || build_network(self, &from) < 0
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
    void *memory[] = {self->elements.items, self->elements.vectors, self->elements.slots, self->vocabulary.slots,
                      self->name_vocabulary.slots, self->memory.base, self->chars, self->scratch};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) Py_XDECREF(held[i]);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) PyMem_Free(memory[i]);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"score", scorer_score, METH_VARARGS,
     "score(columns, title, description, page_rows, plain=False)\n--\n\n"
     "Return two arrays of bytes: probabilities, words, kinds of page (float64); comment flags, then hidden flags (bool).\n"
     "`plain` does without instructions that only some processors have."},
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
