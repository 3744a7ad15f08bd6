/* scythe.cut._scan: what the stage `cut` does in C. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "tokens.h"

static PyObject *tag_table(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    PyObject *table = PyDict_New();
    for (int tag = 1; table != NULL && tag < TAG_COUNT; tag++) {
        PyObject *row = Py_BuildValue("(iI)", tag_rows[tag].kind, tag_rows[tag].traits);
        if (row == NULL || PyDict_SetItemString(table, tag_rows[tag].name, row) < 0)
            Py_CLEAR(table);
        Py_XDECREF(row);
    }
    return table;
}

static PyMethodDef methods[] = {
    {"tag_table", tag_table, METH_NOARGS, "Return name -> (kind, traits) of every known tag."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "scythe.cut._scan", "Cut fields out of bytes.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__scan(void)
{
    tags_init();
    return PyModule_Create(&definition);
}
