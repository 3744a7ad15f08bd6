/* The names of attributes on a page, counted. */
#ifndef SCYTHE_HREFS_NAMES_H
#define SCYTHE_HREFS_NAMES_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

PyObject *has_many_names(PyObject *module, PyObject *args);

#endif
