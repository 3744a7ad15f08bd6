/* Choose the blocks with the highest expected F1, as settle and choose of scythe.reading.text.choose_text do. */
#include "native.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    double probability;
    int32_t number;
} Ranked;

static int compare_ranked(const void *left, const void *right)
{
    const Ranked *a = left, *b = right;
    if (a->probability != b->probability)
        return a->probability > b->probability ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_numbers(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

/* Return the expected words of all blocks, or of those without a mark. */
static double expect_words(const double *probability, const double *words, const uint8_t *marked, Py_ssize_t count)
{
    double sum = 0.0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!marked || !marked[i])
            sum += probability[i] * words[i];
    return sum;
}

static void clear_marked(double *probability, const uint8_t *marked, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (marked[i])
            probability[i] = 0.0;
}

static int any_of(const uint8_t *marked, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (marked[i])
            return 1;
    return 0;
}

/* Put the numbers of the chosen blocks into `kept`, ascending, and return how many there are. */
static Py_ssize_t choose(const double *probability, const double *words, Py_ssize_t count, double doubtful, Ranked *order,
                         int32_t *kept)
{
    double total = 0.0, expected = 0.0, size = 0.0, best = 0.0;
    Py_ssize_t chosen = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        order[i] = (Ranked){probability[i], (int32_t)i};
    qsort(order, (size_t)count, sizeof *order, compare_ranked);
    if (!(count && order[0].probability >= doubtful))
        return 0;
    for (Py_ssize_t i = 0; i < count; i++)
        total += order[i].probability * words[order[i].number];
    for (Py_ssize_t i = 0; i < count; i++) {
        expected += order[i].probability * words[order[i].number];
        size += words[order[i].number];
        double gain = expected / (size + total);
        if (!i || gain > best) {
            best = gain;
            chosen = i + 1;
        }
        kept[i] = order[i].number;
    }
    qsort(kept, (size_t)chosen, sizeof *kept, compare_numbers);
    return chosen;
}

static PyObject *tuple_of_kept(const int32_t *kept, Py_ssize_t count)
{
    PyObject *made = PyTuple_New(count);
    for (Py_ssize_t i = 0; made && i < count; i++) {
        PyObject *number = PyLong_FromLong(kept[i]);
        if (number == NULL)
            Py_CLEAR(made);
        else
            PyTuple_SetItem(made, i, number);
    }
    return made;
}

static PyObject *tuple_of_scores(const double *probability, Py_ssize_t count)
{
    PyObject *made = PyTuple_New(count);
    for (Py_ssize_t i = 0; made && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(rint(probability[i] * 1000.0) / 1000.0);
        if (number == NULL)
            Py_CLEAR(made);
        else
            PyTuple_SetItem(made, i, number);
    }
    return made;
}

enum { PROBABILITIES, WORDS, COMMENT, HIDDEN, PARTS };

/* `limits`: see DOUBTFUL, LONE_WORDS and SHOWN_SHARE in choose_text.py. */
static PyObject *choose_all(const Py_buffer *parts, int is_thread, const double *limits)
{
    Py_ssize_t count = parts[COMMENT].len;
    const double *words = parts[WORDS].buf;
    const uint8_t *comment = parts[COMMENT].buf, *hidden = parts[HIDDEN].buf;
    double *probability = PyMem_Malloc((size_t)(count + 1) * sizeof *probability);
    Ranked *order = PyMem_Malloc((size_t)(count + 1) * sizeof *order);
    int32_t *kept = PyMem_Malloc((size_t)(count + 1) * sizeof *kept);
    PyObject *made = NULL;
    if (probability && order && kept) {
        for (Py_ssize_t i = 0; i < count; i++)
            probability[i] = ((const double *)parts[PROBABILITIES].buf)[i];
        if (!is_thread && any_of(comment, count) && expect_words(probability, words, comment, count) >= limits[1])
            clear_marked(probability, comment, count);
        if (any_of(hidden, count) && expect_words(probability, words, hidden, count) >=
                                         limits[2] * expect_words(probability, words, NULL, count))
            clear_marked(probability, hidden, count);
        PyObject *chosen = tuple_of_kept(kept, choose(probability, words, count, limits[0], order, kept));
        PyObject *scores = chosen ? tuple_of_scores(probability, count) : NULL;
        made = scores ? PyTuple_Pack(2, chosen, scores) : NULL;
        Py_XDECREF(chosen);
        Py_XDECREF(scores);
    } else {
        PyErr_NoMemory();
    }
    PyMem_Free(probability);
    PyMem_Free(order);
    PyMem_Free(kept);
    return made;
}

PyObject *choose_blocks(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[PARTS], *made = NULL;
    Py_buffer parts[PARTS];
    int is_thread, taken = 0;
    double limits[3];
    if (!PyArg_ParseTuple(args, "OOOOp(ddd)", &given[PROBABILITIES], &given[WORDS], &given[COMMENT], &given[HIDDEN], &is_thread,
                          &limits[0], &limits[1], &limits[2]))
        return NULL;
    while (taken < PARTS && PyObject_GetBuffer(given[taken], &parts[taken], PyBUF_C_CONTIGUOUS) == 0)
        taken++;
    if (taken == PARTS) {
        Py_ssize_t count = parts[COMMENT].len;
        if (count < INT32_MAX && parts[HIDDEN].len == count && parts[PROBABILITIES].len == count * 8 && parts[WORDS].len == count * 8)
            made = choose_all(parts, is_thread, limits);
        else
            PyErr_SetString(PyExc_ValueError, "the columns of blocks differ in length");
    }
    while (taken)
        PyBuffer_Release(&parts[--taken]);
    return made;
}
