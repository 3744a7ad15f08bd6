/* The element walk of scythe.page.elements in C: a tree comes in, the columns of elements and leaves go out.
 *
 * It must give the same columns as the Python walk; a test holds that.
 */
#include "walk.h"

typedef struct {
    Py_ssize_t parent, end, depth, leaf_start, leaf_end;
    int hidden;
} Row;

typedef struct {
    Row *rows;
    Py_ssize_t count, room, here;
    PyObject *tag, *classes, *names, *node, *href, *text, *leaf_row;
    PyObject *kinds, *judge;
    Numbers numbers;
} Listing;

static int put_href(Listing *l, PyObject *attributes, PyObject *tag)
{
    if (PyUnicode_GetLength(tag) != 1 || PyUnicode_ReadChar(tag, 0) != 'a')
        return 0;
    PyObject *href = attribute(attributes, s_href);
    if (href == NULL)
        return PyErr_Occurred() ? -1 : 0;
    PyObject *row = PyLong_FromSsize_t(l->count);
    int failed = row == NULL || PyDict_SetItem(l->href, row, href);
    Py_XDECREF(row);
    return failed ? -1 : 0;
}

/* Describe an element by its attributes: class, names, href; -1 on failure, else whether they hide it. */
static int describe(Listing *l, PyObject *node, PyObject *tag, int hidden)
{
    PyObject *attributes = attributes_of(node), *names = NULL, *classes;
    int answer = -1;
    if (attributes == NULL)
        return -1;
    if (PyDict_Size(attributes) == 0) {
        answer = PyList_Append(l->classes, s_empty) || PyList_Append(l->names, s_empty) ? -1 : hidden;
        goto done;
    }
    if (!hidden && (hidden = hides(l->judge, attributes)) < 0)
        goto done;
    classes = attribute(attributes, s_class);
    if ((classes == NULL && PyErr_Occurred()) || (names = names_of(attributes)) == NULL)
        goto done;
    if (PyList_Append(l->classes, classes ? classes : s_empty) || PyList_Append(l->names, names) ||
        put_href(l, attributes, tag))
        goto done;
    answer = hidden;
done:
    Py_XDECREF(names);
    Py_DECREF(attributes);
    return answer;
}

static int open_row(Listing *l, PyObject *node, PyObject *tag)
{
    Py_ssize_t parent = l->here;
    Row *rows = make_room(l->rows, l->count, &l->room, sizeof(Row));
    if (rows == NULL)
        return -1;
    l->rows = rows;
    int hidden = describe(l, node, tag, parent >= 0 && l->rows[parent].hidden);
    if (hidden < 0 || PyList_Append(l->tag, tag) || PyList_Append(l->node, node))
        return -1;
    Py_ssize_t leaves = PyList_Size(l->text), depth = parent >= 0 ? l->rows[parent].depth + 1 : 0;
    l->rows[l->count] = (Row){parent, l->count + 1, depth, leaves, leaves, hidden};
    l->count++;
    return 0;
}

static int put_text(Listing *l, PyObject *node)
{
    PyObject *text = PyObject_GetAttr(node, s_text_content), *words = NULL, *squeezed = NULL;
    int failed = text == NULL;
    if (!failed && PyUnicode_Check(text)) {
        words = PyUnicode_Split(text, NULL, -1);
        failed = words == NULL;
        if (!failed && PyList_Size(words)) {
            squeezed = PyUnicode_Join(s_space, words);
            failed = squeezed == NULL || PyList_Append(l->text, squeezed) || append_int(&l->numbers, l->leaf_row, l->here);
        }
    }
    Py_XDECREF(text);
    Py_XDECREF(words);
    Py_XDECREF(squeezed);
    return failed ? -1 : 0;
}

static void close_row(Listing *l)
{
    l->rows[l->here].end = l->count;
    l->rows[l->here].leaf_end = PyList_Size(l->text);
}

/* Enter one node; return its first child (new reference), None to go on, NULL on error. */
static PyObject *enter(Listing *l, PyObject *node)
{
    PyObject *tag = PyObject_GetAttr(node, s_tag), *child = NULL;
    if (tag == NULL)
        return NULL;
    if (!PyUnicode_Check(tag)) {
        Py_DECREF(tag);
        tag = Py_NewRef(s_empty);
    }
    int kind = kind_of(l->kinds, tag), failed = kind < 0;
    if (kind == TEXT)
        failed = put_text(l, node);
    else if (kind != SKIP && !failed) {
        failed = open_row(l, node, tag);
        if (!failed && (child = PyObject_GetAttr(node, s_first_child)) != NULL && child != Py_None)
            l->here = l->count - 1;
        failed = failed || child == NULL;
    }
    Py_DECREF(tag);
    if (failed) {
        Py_XDECREF(child);
        return NULL;
    }
    return child ? child : Py_NewRef(Py_None);
}

/* Return the node after one without children to go down to (new reference), None at the end, NULL on error. */
static PyObject *go_on(Listing *l, PyObject *node)
{
    PyObject *following = PyObject_GetAttr(node, s_next);
    while (following == Py_None && l->here > 0) {
        Py_DECREF(following);
        close_row(l);
        PyObject *above = PyList_GetItem(l->node, l->here); /* borrowed; the list keeps it */
        l->here = l->rows[l->here].parent;
        following = above ? PyObject_GetAttr(above, s_next) : NULL;
    }
    return following;
}

static int run(Listing *l, PyObject *root)
{
    PyObject *tag = PyObject_GetAttr(root, s_tag);
    if (tag == NULL)
        return -1;
    l->here = -1;
    int failed = open_row(l, root, PyUnicode_Check(tag) ? tag : s_empty);
    Py_DECREF(tag);
    if (failed)
        return -1;
    l->here = 0;
    PyObject *node = PyObject_GetAttr(root, s_first_child);
    while (node && node != Py_None) {
        PyObject *child = enter(l, node);
        if (child == Py_None) {
            Py_DECREF(child);
            child = go_on(l, node);
        }
        replace(&node, child);
    }
    if (node == NULL)
        return -1;
    Py_DECREF(node);
    close_row(l);
    return 0;
}

static PyObject *result(Listing *l)
{
    PyObject *columns[6];
    int failed = 0;
    for (int i = 0; i < 6; i++)
        failed |= (columns[i] = PyList_New(l->count)) == NULL;
    for (Py_ssize_t i = 0; i < l->count && !failed; i++) {
        Row *row = &l->rows[i];
        failed = set_int(&l->numbers, columns[0], i, row->parent) || set_int(&l->numbers, columns[1], i, row->end) ||
                 set_int(&l->numbers, columns[2], i, row->depth) || PyList_SetItem(columns[3], i, PyBool_FromLong(row->hidden)) ||
                 set_int(&l->numbers, columns[4], i, row->leaf_start) || set_int(&l->numbers, columns[5], i, row->leaf_end);
    }
    if (!failed)
        return Py_BuildValue("(ONNNOONNNOOOO)", l->tag, columns[0], columns[1], columns[2], l->classes, l->names,
                             columns[3], columns[4], columns[5], l->node, l->href, l->text, l->leaf_row);
    for (int i = 0; i < 6; i++)
        Py_XDECREF(columns[i]);
    return NULL;
}

PyObject *list_elements(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *root, *made = NULL;
    Listing l = {0};
    if (!PyArg_ParseTuple(args, "OO!O", &root, &PyDict_Type, &l.kinds, &l.judge))
        return NULL;
    PyObject **lists[] = {&l.tag, &l.classes, &l.names, &l.node, &l.text, &l.leaf_row};
    size_t count = sizeof lists / sizeof *lists;
    int failed = (l.href = PyDict_New()) == NULL;
    for (size_t i = 0; i < count; i++)
        failed |= (*lists[i] = PyList_New(0)) == NULL;
    if (!failed && run(&l, root) == 0)
        made = result(&l);
    for (size_t i = 0; i < count; i++)
        Py_XDECREF(*lists[i]);
    Py_XDECREF(l.href);
    forget_numbers(&l.numbers);
    PyMem_Free(l.rows);
    return made;
}
