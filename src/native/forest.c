/* The walk of scythe.reading.forest in C, which gives the same numbers. A forest is checked and packed once: what a step
 * reads of a node lies side by side, and a whole forest in a third of the memory of its arrays. */
#include "native.h"
#include <math.h>
#include <stdint.h>

enum { ROOTS, FIRST, FEATURE, THRESHOLD, VALUE, PARTS };

#define SIDE 16 /* rows that walk side by side */

static const Py_ssize_t SIZE[PARTS] = {8, 8, 8, 4, 4};
static const char NAME[] = "scythe.forest";

typedef struct {
    float threshold;
    int32_t first, feature; /* first: child; of a leaf the leaf itself */
} Node;

typedef struct {
    Py_ssize_t trees, nodes, width;
    int32_t *roots;
    Node *node;
    float *value;
} Forest;

static void free_forest(Forest *forest)
{
    if (forest == NULL)
        return;
    PyMem_Free(forest->roots);
    PyMem_Free(forest->node);
    PyMem_Free(forest->value);
    PyMem_Free(forest);
}

static void drop_forest(PyObject *capsule) { free_forest(PyCapsule_GetPointer(capsule, NAME)); }

/* Take the arrays; 0 unless every walk ends: a node is its own child and below every number, or its children lie behind. */
static int fill_forest(Forest *forest, const Py_buffer *parts)
{
    const int64_t *roots = parts[ROOTS].buf, *first = parts[FIRST].buf, *feature = parts[FEATURE].buf;
    const float *threshold = parts[THRESHOLD].buf, *value = parts[VALUE].buf;
    for (Py_ssize_t i = 0; i < forest->trees; i++) {
        if (roots[i] < 0 || roots[i] >= forest->nodes)
            return 0;
        forest->roots[i] = (int32_t)roots[i];
    }
    for (Py_ssize_t i = 0; i < forest->nodes; i++) {
        int leaf = first[i] == i && threshold[i] == INFINITY;
        int ahead = first[i] > i && first[i] < forest->nodes - 1;
        if (!(leaf || ahead) || feature[i] < 0 || feature[i] >= forest->width)
            return 0;
        forest->node[i] = (Node){threshold[i], (int32_t)first[i], (int32_t)feature[i]};
        forest->value[i] = value[i];
    }
    return 1;
}

static PyObject *pack(const Py_buffer *parts, Py_ssize_t width)
{
    Py_ssize_t nodes = parts[FIRST].len / 8, trees = parts[ROOTS].len / 8;
    if (width < 1 || width > INT32_MAX || trees < 1 || nodes > INT32_MAX || parts[FEATURE].len != nodes * 8 ||
        parts[THRESHOLD].len != nodes * 4 || parts[VALUE].len != nodes * 4) {
        PyErr_SetString(PyExc_ValueError, "the arrays of the forest do not fit together");
        return NULL;
    }
    Forest *forest = PyMem_Calloc(1, sizeof *forest);
    if (forest) {
        *forest = (Forest){trees, nodes, width, PyMem_Malloc((size_t)trees * sizeof *forest->roots),
                           PyMem_Malloc((size_t)(nodes + 1) * sizeof *forest->node),
                           PyMem_Malloc((size_t)(nodes + 1) * sizeof *forest->value)};
    }
    PyObject *capsule = NULL;
    if (!forest || !forest->roots || !forest->node || !forest->value)
        PyErr_NoMemory();
    else if (!fill_forest(forest, parts))
        PyErr_SetString(PyExc_ValueError, "the arrays of the forest do not fit together");
    else
        capsule = PyCapsule_New(forest, NAME, drop_forest);
    if (capsule == NULL)
        free_forest(forest);
    return capsule;
}

PyObject *pack_forest(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[PARTS], *capsule = NULL;
    Py_ssize_t width;
    Py_buffer parts[PARTS];
    if (!PyArg_ParseTuple(args, "OOOOOn", &given[ROOTS], &given[FIRST], &given[FEATURE], &given[THRESHOLD], &given[VALUE],
                          &width))
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
        capsule = pack(parts, width);
    while (taken)
        PyBuffer_Release(&parts[--taken]);
    return capsule;
}

/* Add what one tree says to the scores of some rows. They walk side by side, which hides how long each step waits. */
static void add_tree(const Forest *forest, int32_t root, const float *rows, int count, double *scores)
{
    int32_t node[SIDE], moved;
    for (int k = 0; k < count; k++)
        node[k] = root;
    do {
        moved = 0;
        for (int k = 0; k < count; k++) {
            const Node *at = &forest->node[node[k]];
            int32_t below = at->first + (rows[k * forest->width + at->feature] > at->threshold);
            moved |= below ^ node[k];
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

PyObject *predict_forest(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule, *given, *scores = NULL;
    Py_buffer rows;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &given))
        return NULL;
    const Forest *forest = PyCapsule_GetPointer(capsule, NAME);
    if (forest == NULL || PyObject_GetBuffer(given, &rows, PyBUF_C_CONTIGUOUS))
        return NULL;
    Py_ssize_t count = rows.len / 4 / forest->width;
    if (rows.itemsize != 4 || rows.len != count * forest->width * 4)
        PyErr_SetString(PyExc_ValueError, "the rows do not fit the forest");
    else if ((scores = PyByteArray_FromStringAndSize(NULL, count * 8)))
        predict_rows(forest, rows.buf, count, (double *)(void *)PyByteArray_AsString(scores));
    PyBuffer_Release(&rows);
    return scores;
}
