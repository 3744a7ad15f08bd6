/* scythe._native: everything that scythe does in C, as one module. */
#include "native.h"

#include "page_map.h"

/* As in scythe/extension.py. Raised whenever one side changes what it expects of the other: a module left over from
 * before is then not used. */
enum { VERSION = 15 };

static PyObject *tag_table(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(unused))
{
    PyObject *table = PyDict_New();
    for (int tag = 1; table != NULL && tag < TAG_COUNT; tag++) {
        PyObject *row = Py_BuildValue("(iI)", tag_rows[tag].kind, tag_rows[tag].traits);
        if (row == NULL || PyDict_SetItemString(table, tag_rows[tag].name, row) < 0)
            Py_CLEAR(table);
        Py_XDECREF(row);
    }
    return table;
}

static PyObject *check_utf8(PyObject *Py_UNUSED(module), PyObject *body)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(body, &bytes, &size))
        return NULL;
    int is_valid = is_utf8((const byte *)bytes, (const byte *)bytes + size);
    if (is_valid == UNKNOWN) {
        PyObject *text = PyUnicode_DecodeUTF8(bytes, size, NULL);
        is_valid = text != NULL;
        Py_XDECREF(text);
        PyErr_Clear();
    }
    return PyBool_FromLong(is_valid);
}

static PyMethodDef methods[] = {
    {"tag_table", tag_table, METH_NOARGS, "Return name -> (kind, traits) of every known tag."},
    {"is_utf8", check_utf8, METH_O, "is_utf8(bytes): whether they are valid UTF-8."},
    {"simhash", simhash, METH_O, "simhash(words): of words in UTF-8, each on a line of its own."},
    {"pack_forest", pack_forest, METH_VARARGS,
     "pack_forest(roots, first, feature, threshold, value, width): a forest for rows so wide, checked."},
    {"predict_forest", predict_forest, METH_VARARGS, "predict_forest(packed, rows): the mean over the trees for each row."},
    {"choose_blocks", choose_blocks, METH_VARARGS,
     "choose_blocks(probabilities, words, comment, hidden, is_thread, limits): numbers of those to keep, scores of all."},
    {"measure_records", measure_records, METH_VARARGS, "measure_records(...): what the records of candidates amount to."},
    {"count_alike", count_alike, METH_VARARGS, "count_alike(start, count, marks): different marks, and how many are the usual."},
    {"check_element", check_element, METH_VARARGS, "check_element(body, from, start, end): where the content of the element begins, 0 in doubt."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "scythe._native", "The parts of scythe that are in C.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
    tags_init();
    text_tables_init();
    simhash_init();
    PyObject *module = PyModule_Create(&definition), *scorer = module ? make_scorer_type() : NULL;
    if (scorer == NULL || PyModule_AddObjectRef(module, "Scorer", scorer) < 0 ||
        page_map_init(module) < 0 || PyModule_AddIntConstant(module, "VERSION", VERSION) < 0)
        Py_CLEAR(module);
    Py_XDECREF(scorer);
    return module;
}
