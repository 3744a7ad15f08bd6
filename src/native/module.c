/* scythe._native: everything that scythe does in C, as one module. */
#include "native.h"

#include "scan.h"

/* As in scythe/extension.py. Raised whenever one side changes what it expects of the other: a module left over from
 * before is then not used. */
enum { VERSION = 1 };

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
    return PyBool_FromLong(is_utf8((const byte *)bytes, (const byte *)bytes + size));
}

static PyMethodDef methods[] = {
    {"tag_table", tag_table, METH_NOARGS, "Return name -> (kind, traits) of every known tag."},
    {"is_utf8", check_utf8, METH_O, "is_utf8(bytes): whether they are valid UTF-8."},
    {"find_links", find_links, METH_VARARGS, "find_links(body, most_links, most_tags, most_bytes): links, tags, lost, whole."},
    {"has_many_names", has_many_names, METH_VARARGS, "has_many_names(source, most): more names of attributes than that."},
    {"is_orderly", is_orderly, METH_VARARGS, "is_orderly(source, *bounds): whether elements are closed in turn."},
    {"list_blocks", list_blocks, METH_VARARGS, "list_blocks(root, kinds, is_hidden, emptied=frozenset()): columns of Blocks."},
    {"list_elements", list_elements, METH_VARARGS, "list_elements(root, kinds, is_hidden): the columns of Elements in order."},
    {"predict_forest", predict_forest, METH_VARARGS,
     "predict_forest(roots, first, feature, threshold, value, rows, width): the mean over the trees for each row."},
    {"make_plan", make_plan, METH_VARARGS, "make_plan(fields, utf8): make the rules of a layout ready."},
    {"cut_field", cut_field, METH_VARARGS, "cut_field(plan, body, index, thorough): cut one field."},
    {"cut_fields", cut_fields, METH_VARARGS, "cut_fields(plan, body, thorough): cut every field."},
    {"second_searches", count_second_searches, METH_O, "second_searches(plan): anchors not found from their position."},
    {"read_run", read_run, METH_VARARGS, "read_run(bytes, in_attribute): the text of a run without tags, or None."},
    {"read_element", read_element, METH_VARARGS, "read_element(bytes): the text of one element, or None."},
    {"plan_flow", plan_flow, METH_O, "plan_flow(drops): prepare the openings of elements that `read_flow` leaves out."},
    {"read_flow", read_flow, METH_VARARGS, "read_flow(page, start, end, plan): the text of an element, or None."},
    {"doubt_of_flow", doubt_of_flow, METH_VARARGS, "doubt_of_flow(page, start, end, plan): why there is no text."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "scythe._native", "The parts of scythe that are in C.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
    tags_init();
    scan_init();
    text_tables_init();
    if (walk_init() < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition), *scorer = module ? make_scorer_type() : NULL;
    if (scorer == NULL || PyModule_AddObjectRef(module, "Scorer", scorer) < 0 ||
        PyModule_AddIntConstant(module, "VERSION", VERSION) < 0)
        Py_CLEAR(module);
    Py_XDECREF(scorer);
    return module;
}
