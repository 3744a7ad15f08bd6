/* Numbers of the columns of a page, made once each however often they stand there. */
#include "walk.h"

#include <string.h>

/* Return a number (new reference). */
static PyObject *number_of(Numbers *numbers, Py_ssize_t value)
{
    if (value < 0)
        return PyLong_FromSsize_t(value);
    if (value >= numbers->room) {
        Py_ssize_t wanted = value < 512 ? 1024 : 2 * value;
        PyObject **moved = PyMem_Realloc(numbers->items, (size_t)wanted * sizeof(PyObject *));
        if (moved == NULL)
            return PyErr_NoMemory();
        memset(moved + numbers->room, 0, (size_t)(wanted - numbers->room) * sizeof(PyObject *));
        numbers->items = moved;
        numbers->room = wanted;
    }
    PyObject **made = &numbers->items[value];
    if (*made == NULL)
        *made = PyLong_FromSsize_t(value);
    return Py_XNewRef(*made);
}

void forget_numbers(Numbers *numbers)
{
    for (Py_ssize_t i = 0; i < numbers->room; i++)
        Py_XDECREF(numbers->items[i]);
    PyMem_Free(numbers->items);
}

int append_int(Numbers *numbers, PyObject *list, Py_ssize_t value)
{
    PyObject *number = number_of(numbers, value);
    if (number == NULL)
        return -1;
    int failed = PyList_Append(list, number);
    Py_DECREF(number);
    return failed;
}

int set_int(Numbers *numbers, PyObject *list, Py_ssize_t place, Py_ssize_t value)
{
    PyObject *number = number_of(numbers, value);
    return number ? PyList_SetItem(list, place, number) : -1;
}
