/* What the parts of scythe._native that Python calls have in common: the stable interface, and the functions themselves. */
#ifndef SCYTHE_NATIVE_H
#define SCYTHE_NATIVE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* 3.11: the first with buffers in the stable interface, and the oldest we support */
#include <Python.h>

/* links.c, orderly.c */
PyObject *find_links(PyObject *module, PyObject *args);
PyObject *has_many_names(PyObject *module, PyObject *args);
PyObject *is_orderly(PyObject *module, PyObject *args);
/* walk.c */
int walk_init(void);
PyObject *list_blocks(PyObject *module, PyObject *args);
PyObject *list_elements(PyObject *module, PyObject *args);

/* forest.c, scorer.c */
PyObject *predict_forest(PyObject *module, PyObject *args);
PyObject *make_scorer_type(void);

/* cut.c */
PyObject *make_plan(PyObject *module, PyObject *args);
PyObject *cut_field(PyObject *module, PyObject *args);
PyObject *cut_fields(PyObject *module, PyObject *args);
PyObject *count_second_searches(PyObject *module, PyObject *capsule);
PyObject *read_run(PyObject *module, PyObject *args);
PyObject *read_element(PyObject *module, PyObject *args);

/* flow.c */
PyObject *plan_flow(PyObject *module, PyObject *drops);
PyObject *read_flow(PyObject *module, PyObject *args);
PyObject *doubt_of_flow(PyObject *module, PyObject *args);

#endif
