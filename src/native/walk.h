/* What the two walks over a tree share. */
#ifndef SCYTHE_WALK_H
#define SCYTHE_WALK_H

#include "native.h"

enum { TEXT, INLINE, BOX, SKIP, BREAK, IMAGE, RULE, LINK, BOLD };

extern PyObject *s_tag, *s_first_child, *s_next, *s_parent, *s_text_content, *s_attributes, *s_class, *s_hidden, *s_style;
extern PyObject *s_empty, *s_space, *s_href;

/* Return an array with room for one item more, moved if it must be; NULL with an error set on failure. */
void *make_room(void *items, Py_ssize_t count, Py_ssize_t *room, size_t size);
/* Numbers made once: the columns of a page repeat the same ones, which have 32 bytes each. */
typedef struct {
    PyObject **items;
    Py_ssize_t room;
} Numbers;

/* Append a number to a list; -1 with an error set on failure. */
int append_int(Numbers *numbers, PyObject *list, Py_ssize_t value);
/* Put a number into a list; -1 with an error set on failure. */
int set_int(Numbers *numbers, PyObject *list, Py_ssize_t place, Py_ssize_t value);
void forget_numbers(Numbers *numbers);
/* Return the attribute as a borrowed non-empty str, or NULL, without an error set where there is none. */
PyObject *attribute(PyObject *attributes, PyObject *key);
/* Return the attributes of a node as a dict (new reference). */
PyObject *attributes_of(PyObject *node);
/* Join class, id, role and itemprop as the Python walk does (new reference). */
PyObject *names_of(PyObject *attributes);
/* Ask `judge` whether attributes hide an element, where they may; -1 with an error set on failure. */
int hides(PyObject *judge, PyObject *attributes);
/* Return the kind of a tag, INLINE for an unknown one, -1 with an error set on failure. */
int kind_of(PyObject *kinds, PyObject *tag);
/* Put a value (the reference is taken) where another one was. */
void replace(PyObject **place, PyObject *value);

#endif
