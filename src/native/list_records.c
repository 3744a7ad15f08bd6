/* What the records of list candidates amount to, as scythe.reading.lists.list_features works it out with numpy: arrays
 * in, sums and shares per candidate out. */
#include "native.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { START, COUNT, ROW, ROW_END, LEAF, LEAF_END, LEAVES, TAGS, ROLES, OWN, PARENT, PARTS };
enum { LINKED, UNLINKED, NEW_PARENT, NEXT, FLAGS };
enum { MEASURES = 3, SIZES = MEASURES + 1, MOST_WIDTH = 64 };

typedef struct {
    const int64_t *start, *count, *row, *row_end, *leaf, *leaf_end, *own, *parent;
    const double *leaves; /* running sums, as those of tags and roles */
    const char *tags, *roles;
    Py_ssize_t candidates, records, rows, leaf_rows, leaf_width, tag_width, role_width, lane; /* lane: bytes of a count */
    int chars, link, measure[MEASURES]; /* columns of leaves */
} Records;

/* What comes out: for each candidate its columns side by side. */
typedef struct {
    double *leaves, *tags, *apart, *with_leaves, *with_tags, *with_roles, *with_own, *flags, *sizes;
} Sums;

static inline int64_t count_at(const Records *r, const char *counts, int64_t at)
{
    if (r->lane == 2) {
        uint16_t value;
        memcpy(&value, counts + at * 2, sizeof value);
        return value;
    }
    uint32_t value;
    memcpy(&value, counts + at * 4, sizeof value);
    return value;
}

static void add_leaves(const Records *r, int64_t record, double *sums, double *with, double *leaves)
{
    const double *from = r->leaves + r->leaf[record] * r->leaf_width, *to = r->leaves + r->leaf_end[record] * r->leaf_width;
    for (Py_ssize_t k = 0; k < r->leaf_width; k++) {
        leaves[k] = to[k] - from[k];
        sums[k] += leaves[k];
        with[k] += leaves[k] > 0.0;
    }
}

/* What stands in the rows of a record: counts of tags, whether any inside says a role, and the roles of its first row. */
static void add_rows(const Records *r, int64_t record, double *tags, double *with_tags, double *with_roles, double *with_own)
{
    int64_t row = r->row[record], end = r->row_end[record], inside = row + 1 < end ? row + 1 : end;
    for (Py_ssize_t k = 0; k < r->tag_width; k++) {
        int64_t found = count_at(r, r->tags, end * r->tag_width + k) - count_at(r, r->tags, row * r->tag_width + k);
        tags[k] += (double)found;
        with_tags[k] += found > 0;
    }
    uint64_t own = (uint64_t)r->own[row < r->rows ? row : r->rows - 1];
    for (Py_ssize_t k = 0; k < r->role_width; k++) {
        with_roles[k] += count_at(r, r->roles, end * r->role_width + k) != count_at(r, r->roles, inside * r->role_width + k);
        with_own[k] += (double)(own >> k & 1);
    }
}

static void add_flags(const Records *r, int64_t record, int is_first, const double *leaves, double *flags)
{
    int64_t last = r->rows - 1, row = r->row[record] < last ? r->row[record] : last;
    int64_t before = record ? r->row[record - 1] : 0;
    before = before < last ? before : last;
    flags[LINKED] += leaves[r->link] > 0.9 * leaves[r->chars];
    flags[UNLINKED] += leaves[r->link] == 0.0;
    flags[NEW_PARENT] += is_first || r->parent[row] != r->parent[before];
    flags[NEXT] += record && r->row_end[record - 1] == r->row[record];
}

/* How unlike in size the records are: spread, smallest and largest against the mean. */
static void spread_sizes(const double *sum, const double *squares, const double *least, const double *most, double count,
                         double *sizes)
{
    for (int k = 0; k < SIZES; k++) {
        double mean = sum[k] / count, variance;
        mean = mean > 1e-9 ? mean : 1e-9;
        variance = squares[k] / count - mean * mean;
        sizes[k] = sqrt(variance > 0.0 ? variance : 0.0) / mean;
        sizes[SIZES + k] = least[k] / mean;
        sizes[2 * SIZES + k] = most[k] / mean;
    }
}

/* How far the tags of records are from their mean, all together. */
static double tags_apart(const Records *r, Py_ssize_t one, const double *sums)
{
    double apart = 0.0, count = (double)r->count[one];
    for (int64_t record = r->start[one]; record < r->start[one] + r->count[one]; record++)
        for (Py_ssize_t k = 0; k < r->tag_width; k++) {
            int64_t from = r->row[record] * r->tag_width + k, to = r->row_end[record] * r->tag_width + k;
            apart += fabs(sums[k] / count - (double)(count_at(r, r->tags, to) - count_at(r, r->tags, from)));
        }
    return apart;
}

static void divide(double *values, Py_ssize_t count, double by)
{
    for (Py_ssize_t k = 0; k < count; k++)
        values[k] /= by;
}

static void measure_candidate(const Records *r, Py_ssize_t one, const Sums *out)
{
    double leaves[MOST_WIDTH], sum[SIZES] = {0}, squares[SIZES] = {0}, least[SIZES], most[SIZES];
    double *flags = out->flags + one * FLAGS, *tags = out->tags + one * r->tag_width;
    double *with_leaves = out->with_leaves + one * r->leaf_width, *with_tags = out->with_tags + one * r->tag_width;
    double *with_roles = out->with_roles + one * r->role_width, *with_own = out->with_own + one * r->role_width;
    for (int64_t record = r->start[one]; record < r->start[one] + r->count[one]; record++) {
        int is_first = record == r->start[one];
        add_leaves(r, record, out->leaves + one * r->leaf_width, with_leaves, leaves);
        add_rows(r, record, tags, with_tags, with_roles, with_own);
        add_flags(r, record, is_first, leaves, flags);
        for (int k = 0; k < SIZES; k++) {
            double size = k < MEASURES ? leaves[r->measure[k]] : (double)(r->row_end[record] - r->row[record]);
            sum[k] += size;
            squares[k] += size * size;
            least[k] = is_first || size < least[k] ? size : least[k];
            most[k] = is_first || size > most[k] ? size : most[k];
        }
    }
    double count = (double)r->count[one];
    out->apart[one] = tags_apart(r, one, tags);
    divide(with_leaves, r->leaf_width, count);
    divide(with_tags, r->tag_width, count);
    divide(with_roles, r->role_width, count);
    divide(with_own, r->role_width, count);
    divide(flags, FLAGS, count);
    spread_sizes(sum, squares, least, most, count, out->sizes + one * 3 * SIZES);
}

/* Say whether every number leads to a place that is there. */
static int is_sound(const Records *r)
{
    if (r->rows < 1 || r->leaf_rows < 1)
        return 0;
    for (Py_ssize_t one = 0; one < r->candidates; one++)
        if (r->start[one] < 0 || r->count[one] < 1 || r->start[one] > r->records || r->count[one] > r->records - r->start[one])
            return 0;
    for (Py_ssize_t i = 0; i < r->records; i++)
        if (r->row[i] < 0 || r->row_end[i] < r->row[i] || r->row_end[i] > r->rows || r->leaf[i] < 0 ||
            r->leaf_end[i] < r->leaf[i] || r->leaf_end[i] >= r->leaf_rows)
            return 0;
    return 1;
}

/* Take the arrays as columns of records; 0 where they do not fit together. */
static int take_arrays(Records *r, const Py_buffer *parts)
{
    r->start = parts[START].buf;
    r->count = parts[COUNT].buf;
    r->row = parts[ROW].buf;
    r->row_end = parts[ROW_END].buf;
    r->leaf = parts[LEAF].buf;
    r->leaf_end = parts[LEAF_END].buf;
    r->leaves = parts[LEAVES].buf;
    r->tags = parts[TAGS].buf;
    r->roles = parts[ROLES].buf;
    r->own = parts[OWN].buf;
    r->parent = parts[PARENT].buf;
    r->candidates = parts[START].len / 8;
    r->records = parts[ROW].len / 8;
    r->rows = parts[PARENT].len / 8;
    r->lane = parts[TAGS].itemsize;
    for (int part = 0; part < PARTS; part++)
        if (part != TAGS && part != ROLES && parts[part].itemsize != 8)
            return 0;
    if ((r->lane != 2 && r->lane != 4) || parts[ROLES].itemsize != r->lane)
        return 0;
    if (parts[COUNT].len != parts[START].len || parts[OWN].len != parts[PARENT].len || parts[LEAVES].ndim != 2 ||
        parts[TAGS].ndim != 2 || parts[ROLES].ndim != 2)
        return 0;
    for (int part = ROW_END; part <= LEAF_END; part++)
        if (parts[part].len != parts[ROW].len)
            return 0;
    r->leaf_rows = parts[LEAVES].shape[0];
    r->leaf_width = parts[LEAVES].shape[1];
    r->tag_width = parts[TAGS].shape[1];
    r->role_width = parts[ROLES].shape[1];
    int columns[] = {r->chars, r->link, r->measure[0], r->measure[1], r->measure[2]};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i] < 0 || columns[i] >= r->leaf_width)
            return 0;
    return parts[TAGS].shape[0] == r->rows + 1 && parts[ROLES].shape[0] == r->rows + 1 && r->leaf_width <= MOST_WIDTH &&
           r->tag_width <= MOST_WIDTH && r->role_width <= MOST_WIDTH && is_sound(r);
}

/* Return the sums as arrays of float64 in one piece, in the order of Sums. */
static PyObject *measure_all(const Records *r)
{
    Py_ssize_t widths[] = {r->leaf_width, r->tag_width, 1, r->leaf_width, r->tag_width, r->role_width, r->role_width, FLAGS, 3 * SIZES};
    Sums out;
    double **columns[] = {&out.leaves, &out.tags, &out.apart, &out.with_leaves, &out.with_tags, &out.with_roles, &out.with_own,
                          &out.flags, &out.sizes};
    Py_ssize_t width = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        width += widths[i];
    PyObject *made = PyByteArray_FromStringAndSize(NULL, width * r->candidates * 8);
    if (made == NULL)
        return NULL;
    double *at = (double *)(void *)PyByteArray_AsString(made);
    memset(at, 0, (size_t)(width * r->candidates) * 8);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        *columns[i] = at;
        at += widths[i] * r->candidates;
    }
    for (Py_ssize_t one = 0; one < r->candidates; one++)
        measure_candidate(r, one, &out);
    return made;
}

PyObject *measure_records(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[PARTS], *made = NULL;
    Py_buffer parts[PARTS];
    Records r = {0};
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOO(iiiii)", &given[START], &given[COUNT], &given[ROW], &given[ROW_END], &given[LEAF],
                          &given[LEAF_END], &given[LEAVES], &given[TAGS], &given[ROLES], &given[OWN], &given[PARENT], &r.chars,
                          &r.link, &r.measure[0], &r.measure[1], &r.measure[2]))
        return NULL;
    int taken = 0;
    while (taken < PARTS && PyObject_GetBuffer(given[taken], &parts[taken], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0)
        taken++;
    if (taken == PARTS) {
        if (take_arrays(&r, parts))
            made = measure_all(&r);
        else
            PyErr_SetString(PyExc_ValueError, "the arrays of records do not fit together");
    }
    while (taken)
        PyBuffer_Release(&parts[--taken]);
    return made;
}

/* --- how alike records are --- */

static inline uint64_t scatter(uint64_t mark)
{
    mark *= 0x9E3779B97F4A7C15u;
    return mark ^ mark >> 32;
}

/* Count different marks, and how many have the usual one, by a table of `mask` + 1 places; `stamps` tell its sets apart. */
static void count_marks(const uint64_t *marks, int64_t count, uint64_t *slots, int64_t *stamps, int32_t *times, uint64_t mask,
                        int64_t stamp, int64_t *kinds, int64_t *usual)
{
    *kinds = *usual = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t at = scatter(marks[i]) & mask;
        while (stamps[at] == stamp && slots[at] != marks[i])
            at = (at + 1) & mask;
        if (stamps[at] != stamp) {
            stamps[at] = stamp;
            slots[at] = marks[i];
            times[at] = 0;
            ++*kinds;
        }
        if (++times[at] > *usual)
            *usual = times[at];
    }
}

static PyObject *count_all(const int64_t *start, const int64_t *count, Py_ssize_t candidates, const uint64_t *marks,
                           Py_ssize_t lines, Py_ssize_t records)
{
    int64_t most = 1;
    for (Py_ssize_t one = 0; one < candidates; one++) {
        if (start[one] < 0 || count[one] < 1 || start[one] > records || count[one] > records - start[one]) {
            PyErr_SetString(PyExc_ValueError, "the arrays of records do not fit together");
            return NULL;
        }
        most = count[one] > most ? count[one] : most;
    }
    uint64_t size = 4;
    while (size < (uint64_t)most * 2)
        size *= 2;
    PyObject *made = PyByteArray_FromStringAndSize(NULL, 2 * lines * candidates * 8);
    uint64_t *slots = PyMem_Malloc(size * sizeof *slots);
    int64_t *stamps = PyMem_Calloc(size, sizeof *stamps);
    int32_t *times = PyMem_Malloc(size * sizeof *times);
    if (made && slots && stamps && times) {
        int64_t *kinds = (int64_t *)(void *)PyByteArray_AsString(made), *usual = kinds + lines * candidates, stamp = 0;
        for (Py_ssize_t line = 0; line < lines; line++)
            for (Py_ssize_t one = 0; one < candidates; one++, kinds++, usual++)
                count_marks(marks + line * records + start[one], count[one], slots, stamps, times, size - 1, ++stamp, kinds, usual);
    } else {
        Py_CLEAR(made);
        PyErr_NoMemory();
    }
    PyMem_Free(slots);
    PyMem_Free(stamps);
    PyMem_Free(times);
    return made;
}

PyObject *count_alike(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[3], *made = NULL;
    Py_buffer parts[3];
    if (!PyArg_ParseTuple(args, "OOO", &given[0], &given[1], &given[2]))
        return NULL;
    int taken = 0;
    while (taken < 3 && PyObject_GetBuffer(given[taken], &parts[taken], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0)
        taken++;
    if (taken == 3) {
        if (parts[2].ndim == 2 && parts[0].len == parts[1].len && parts[0].itemsize == 8 && parts[1].itemsize == 8 &&
            parts[2].itemsize == 8 && parts[2].shape[1] < INT32_MAX)
            made = count_all(parts[0].buf, parts[1].buf, parts[0].len / 8, parts[2].buf, parts[2].shape[0], parts[2].shape[1]);
        else
            PyErr_SetString(PyExc_ValueError, "the arrays of records do not fit together");
    }
    while (taken)
        PyBuffer_Release(&parts[--taken]);
    return made;
}
