/* scythe.site.cut._scan: what the stage `cut` does in C. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "flow_python.h"
#include "plan.h"
#include "text.h"

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

static PyObject *check_utf8(PyObject *module, PyObject *body)
{
    (void)module;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(body, &bytes, &size))
        return NULL;
    return PyBool_FromLong(is_utf8((const byte *)bytes, (const byte *)bytes + size));
}

static PyMethodDef methods[] = {
    {"tag_table", tag_table, METH_NOARGS, "Return name -> (kind, traits) of every known tag."},
    {"make_plan", make_plan, METH_VARARGS, "make_plan(fields, utf8): make the rules of a layout ready."},
    {"cut_field", cut_field, METH_VARARGS, "cut_field(plan, body, index, thorough): cut one field."},
    {"cut_fields", cut_fields, METH_VARARGS, "cut_fields(plan, body, thorough): cut every field."},
    {"second_searches", count_second_searches, METH_O, "second_searches(plan): anchors not found from their position."},
    {"read_run", read_run, METH_VARARGS, "read_run(bytes, in_attribute): the text of a run without tags, or None."},
    {"read_element", read_element, METH_VARARGS, "read_element(bytes): the text of one element, or None."},
    {"is_utf8", check_utf8, METH_O, "is_utf8(bytes): whether they are valid UTF-8."},
    {"plan_flow", plan_flow, METH_O, "plan_flow(drops): prepare the openings of elements that `flow` leaves out."},
    {"flow", flow_method, METH_VARARGS, "flow(page, start, end, plan): the text of an element in paragraphs, or None."},
    {"doubt_of_flow", doubt_of_flow, METH_VARARGS, "doubt_of_flow(page, start, end, plan): why `flow` says None, or ''."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "scythe.site.cut._scan", "Cut fields out of bytes.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__scan(void)
{
    tags_init();
    scan_init();
    return PyModule_Create(&definition);
}
