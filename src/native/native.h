/* What the parts of scythe._native that Python calls have in common: the stable interface, and the functions themselves. */
#ifndef SCYTHE_NATIVE_H
#define SCYTHE_NATIVE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* 3.11: the first with buffers in the stable interface, and the oldest we support */
#include <Python.h>

/* forest.c, scorer.c */
PyObject *pack_forest(PyObject *module, PyObject *args);
PyObject *predict_forest(PyObject *module, PyObject *args);
PyObject *make_scorer_type(void);

/* choose_blocks.c */
PyObject *choose_blocks(PyObject *module, PyObject *args);

/* list_records.c */
PyObject *measure_records(PyObject *module, PyObject *args);
PyObject *count_alike(PyObject *module, PyObject *args);

/* simhash.c */
PyObject *simhash(PyObject *module, PyObject *words);
void simhash_init(void);

/* element_check.c */
PyObject *check_element(PyObject *module, PyObject *args);

#endif
