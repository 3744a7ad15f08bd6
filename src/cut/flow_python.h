/* The text of one element for Python, and for the rest of the module. */
#ifndef SCYTHE_CUT_FLOW_PYTHON_H
#define SCYTHE_CUT_FLOW_PYTHON_H

/* include Python.h first */
#include "flow.h"

/* Return the text of the element at page[start:end] as a new str, None in doubt (`why` says why, if not NULL), or NULL
 * with an error set. `plan` is what plan_flow made. */
PyObject *flow_object(const byte *page, size_t start, size_t end, PyObject *plan, const char **why);

/* methods of the module */
PyObject *plan_flow(PyObject *module, PyObject *drops);
PyObject *flow_method(PyObject *module, PyObject *args);
PyObject *doubt_of_flow(PyObject *module, PyObject *args);

#endif
