/* The walk of scythe.reading.forest in C, which gives the same numbers: arrays and rows of features in, scores out. */
#include "native.h"
#include <math.h>
#include <stdint.h>

enum { ROOTS, FIRST, FEATURE, THRESHOLD, VALUE, ROWS, PARTS };

#define SIDE 16 /* rows that walk side by side */

static const Py_ssize_t SIZE[PARTS] = {8, 8, 8, 4, 4, 4};

typedef struct {
    const int64_t *roots, *first, *feature;
    const float *threshold, *value;
    Py_ssize_t trees, nodes, width;
} Forest;

/* Say whether every walk ends: a node is its own child and below every number, or its children lie behind it. */
static int is_forest(const Forest *forest)
{
    for (Py_ssize_t i = 0; i < forest->trees; i++)
        if (forest->roots[i] < 0 || forest->roots[i] >= forest->nodes)
            return 0;
    for (Py_ssize_t i = 0; i < forest->nodes; i++) {
        int leaf = forest->first[i] == i && forest->threshold[i] == INFINITY;
        int ahead = forest->first[i] > i && forest->first[i] < forest->nodes - 1;
        if (!(leaf || ahead) || forest->feature[i] < 0 || forest->feature[i] >= forest->width)
            return 0;
    }
    return 1;
}

/* Add what one tree says to the scores of some rows. They walk side by side, which hides how long each step waits. */
static void add_tree(const Forest *forest, int64_t root, const float *rows, int count, double *scores)
{
    int64_t node[SIDE], moved;
    for (int k = 0; k < count; k++)
        node[k] = root;
    do {
        moved = 0;
        for (int k = 0; k < count; k++) {
            int64_t at = node[k];
            float found = rows[k * forest->width + forest->feature[at]];
            int64_t below = forest->first[at] + (found > forest->threshold[at]);
            moved |= below ^ at;
            node[k] = below;
        }
    } while (moved);
    for (int k = 0; k < count; k++)
        scores[k] += (double)forest->value[node[k]];
}

static void predict_rows(const Forest *forest, const float *rows, Py_ssize_t count, double *scores)
{
    for (Py_ssize_t i = 0; i < count; i++)
        scores[i] = 0.0;
    for (Py_ssize_t tree = 0; tree < forest->trees; tree++)
        for (Py_ssize_t i = 0; i < count; i += SIDE)
            add_tree(forest, forest->roots[tree], rows + i * forest->width, count - i < SIDE ? (int)(count - i) : SIDE,
                     scores + i);
    for (Py_ssize_t i = 0; i < count; i++)
        scores[i] /= (double)forest->trees;
}

static PyObject *predict(const Py_buffer *parts, Py_ssize_t width)
{
    Py_ssize_t nodes = parts[FIRST].len / 8;
    Forest forest = {parts[ROOTS].buf, parts[FIRST].buf, parts[FEATURE].buf, parts[THRESHOLD].buf, parts[VALUE].buf,
                     parts[ROOTS].len / 8, nodes, width};
    Py_ssize_t count = width > 0 ? parts[ROWS].len / 4 / width : 0;
    int fits = width > 0 && forest.trees > 0 && parts[FEATURE].len == nodes * 8 && parts[THRESHOLD].len == nodes * 4 &&
               parts[VALUE].len == nodes * 4 && parts[ROWS].len == count * width * 4;
    if (!fits || !is_forest(&forest)) {
        PyErr_SetString(PyExc_ValueError, "the arrays of the forest or the rows do not fit together");
        return NULL;
    }
    PyObject *scores = PyByteArray_FromStringAndSize(NULL, count * 8);
    if (scores)
        predict_rows(&forest, parts[ROWS].buf, count, (double *)PyByteArray_AsString(scores));
    return scores;
}

PyObject *predict_forest(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[PARTS], *scores = NULL;
    Py_ssize_t width;
    Py_buffer parts[PARTS];
    if (!PyArg_ParseTuple(args, "OOOOOOn", &given[ROOTS], &given[FIRST], &given[FEATURE], &given[THRESHOLD],
                          &given[VALUE], &given[ROWS], &width))
        return NULL;
    int taken = 0;
    while (taken < PARTS && PyObject_GetBuffer(given[taken], &parts[taken], PyBUF_C_CONTIGUOUS) == 0) {
        taken++;
        if (parts[taken - 1].itemsize != SIZE[taken - 1]) {
            PyErr_SetString(PyExc_ValueError, "an array has elements of the wrong size");
            break;
        }
    }
    if (!PyErr_Occurred())
        scores = predict(parts, width);
    while (taken)
        PyBuffer_Release(&parts[--taken]);
    return scores;
}
