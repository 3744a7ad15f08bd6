/* The walks over a tree of scythe.page.blocks and scythe.page.elements: a tree comes in, the columns of blocks or of
 * elements go out. The tree is asked through its Python attributes, as in Python; a test holds that both give the same.
 */
#include "native.h"

#include <string.h>

enum { TEXT, INLINE, BOX, SKIP, BREAK, IMAGE, RULE, LINK, BOLD };

static PyObject *s_tag, *s_first_child, *s_next, *s_parent, *s_text_content, *s_attributes, *s_class, *s_hidden, *s_style;
static PyObject *s_empty, *s_space, *s_href, *s_mem_id, *s_id, *s_role, *s_itemprop;

/* Numbers made once: the columns of a page repeat the same ones, which have 32 bytes each. */
typedef struct {
    PyObject **items;
    Py_ssize_t room;
} Numbers;

typedef struct {
    Py_ssize_t parent, start, end;
    int hidden;
} Box;

typedef struct {
    Box *boxes;
    Py_ssize_t box_count, box_room;
    unsigned char *opened; /* kind of every element between root and node */
    Py_ssize_t open_count, open_room;
    PyObject *box_tag, *box_names, *box_node;
    PyObject *text, *box, *link_chars, *links, *bold_chars, *breaks, *lead_names, *lead_tag, *leaf_start, *leaf_end;
    PyObject *leaves, *image_node, *image_block, *image_box, *plain;
    PyObject *parts, *link_parts, *bold_parts; /* of the block under way */
    PyObject *names, *tag;                     /* of its first inline element; NULL for none */
    Py_ssize_t link_count, break_count, leaf_mark, in_link, in_bold, in_inline, here;
    int blank, styled; /* styled: an image, or text inside of an inline element, is in the block under way */
    Numbers numbers;
    PyObject *is_hidden, *emptied; /* emptied: NULL, or mem_ids of elements taken to have no content */
} Walk;

/* Return an array with room for one item more, moved if it must be; NULL with an error set on failure. */
static void *make_room(void *items, Py_ssize_t count, Py_ssize_t *room, size_t size)
{
    if (count < *room)
        return items;
    Py_ssize_t wanted = *room ? *room * 2 : 256;
    void *moved = PyMem_Realloc(items, (size_t)wanted * size);
    if (moved == NULL)
        return PyErr_NoMemory();
    *room = wanted;
    return moved;
}

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

static void forget_numbers(Numbers *numbers)
{
    for (Py_ssize_t i = 0; i < numbers->room; i++)
        Py_XDECREF(numbers->items[i]);
    PyMem_Free(numbers->items);
}

/* Append a number to a list; -1 with an error set on failure. */
static int append_int(Numbers *numbers, PyObject *list, Py_ssize_t value)
{
    PyObject *number = number_of(numbers, value);
    if (number == NULL)
        return -1;
    int failed = PyList_Append(list, number);
    Py_DECREF(number);
    return failed;
}

/* Put a number into a list; -1 with an error set on failure. */
static int set_int(Numbers *numbers, PyObject *list, Py_ssize_t place, Py_ssize_t value)
{
    PyObject *number = number_of(numbers, value);
    return number ? PyList_SetItem(list, place, number) : -1;
}

static int clear_list(PyObject *list)
{
    Py_ssize_t size = PyList_Size(list);
    return size ? PyList_SetSlice(list, 0, size, NULL) : 0;
}

/* Return the parts joined, with white space squeezed. */
static PyObject *squeeze(PyObject *parts)
{
    PyObject *joined = PyUnicode_Join(s_empty, parts);
    if (joined == NULL)
        return NULL;
    PyObject *words = PyUnicode_Split(joined, NULL, -1);
    Py_DECREF(joined);
    if (words == NULL)
        return NULL;
    PyObject *text = PyUnicode_Join(s_space, words);
    Py_DECREF(words);
    return text;
}

static Py_ssize_t squeezed_length(PyObject *parts)
{
    if (PyList_Size(parts) == 0)
        return 0;
    PyObject *text = squeeze(parts);
    if (text == NULL)
        return -1;
    Py_ssize_t length = PyUnicode_GetLength(text);
    Py_DECREF(text);
    return length;
}

static int put_block(Walk *w)
{
    PyObject *text = squeeze(w->parts);
    if (text == NULL)
        return -1;
    int failed = 0;
    if (PyUnicode_GetLength(text)) {
        Py_ssize_t linked = squeezed_length(w->link_parts), bold = squeezed_length(w->bold_parts);
        failed = linked < 0 || bold < 0 || PyList_Append(w->text, text) || append_int(&w->numbers, w->box, w->here) ||
                 append_int(&w->numbers, w->link_chars, linked) || append_int(&w->numbers, w->links, w->link_count) ||
                 append_int(&w->numbers, w->bold_chars, bold) || append_int(&w->numbers, w->breaks, w->break_count) ||
                 PyList_Append(w->lead_names, w->names ? w->names : s_empty) ||
                 PyList_Append(w->lead_tag, w->tag ? w->tag : s_empty) || append_int(&w->numbers, w->leaf_start, w->leaf_mark) ||
                 append_int(&w->numbers, w->leaf_end, PyList_Size(w->leaves)) ||
                 PyList_Append(w->plain, w->styled ? Py_False : Py_True);
        w->break_count = 0;
    }
    Py_DECREF(text);
    return failed || clear_list(w->parts) || clear_list(w->link_parts) || clear_list(w->bold_parts) ? -1 : 0;
}

static int end_block(Walk *w)
{
    if (PyList_Size(w->parts) && put_block(w))
        return -1;
    w->link_count = 0;
    Py_CLEAR(w->names);
    Py_CLEAR(w->tag);
    w->leaf_mark = PyList_Size(w->leaves);
    w->blank = w->styled = 0;
    return 0;
}

static int end_block_if_any(Walk *w)
{
    if (PyList_Size(w->parts) || w->blank || PyList_Size(w->leaves) != w->leaf_mark)
        return end_block(w);
    return 0;
}

/* Return the attribute as a borrowed non-empty str, or NULL, without an error set where there is none. */
static PyObject *attribute(PyObject *attributes, PyObject *key)
{
    PyObject *value = PyDict_GetItemWithError(attributes, key);
    return value && PyUnicode_Check(value) && PyUnicode_GetLength(value) ? value : NULL;
}

/* Join class, id, role and itemprop as the Python walk does (new reference). */
static PyObject *names_of(PyObject *attributes)
{
    PyObject *keys[] = {s_id, s_role, s_itemprop};
    PyObject *names = attribute(attributes, s_class);
    if (names == NULL && PyErr_Occurred())
        return NULL;
    names = Py_NewRef(names ? names : s_empty);
    for (int i = 0; i < 3; i++) {
        PyObject *value = attribute(attributes, keys[i]);
        if (value == NULL && PyErr_Occurred()) {
            Py_DECREF(names);
            return NULL;
        }
        if (value == NULL)
            continue;
        PyObject *longer = PyUnicode_FromFormat("%U %U", names, value);
        Py_DECREF(names);
        if (longer == NULL)
            return NULL;
        names = longer;
    }
    return names;
}

/* Return the attributes of a node as a dict (new reference). */
static PyObject *attributes_of(PyObject *node)
{
    PyObject *attributes = PyObject_GetAttr(node, s_attributes);
    if (attributes && !PyDict_Check(attributes)) {
        Py_DECREF(attributes);
        PyErr_SetString(PyExc_TypeError, "attributes of a node must be a dict");
        return NULL;
    }
    return attributes;
}

/* Ask `judge` whether attributes hide an element, where they may; -1 with an error set on failure. */
static int hides(PyObject *judge, PyObject *attributes)
{
    int has = PyDict_Contains(attributes, s_hidden);
    if (has)
        return has;
    has = PyDict_Contains(attributes, s_style);
    if (has <= 0)
        return has;
    PyObject *answer = PyObject_CallFunctionObjArgs(judge, attributes, NULL);
    if (answer == NULL)
        return -1;
    int truth = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return truth;
}

static int open_box(Walk *w, PyObject *node, PyObject *tag, Py_ssize_t parent)
{
    Box *boxes = make_room(w->boxes, w->box_count, &w->box_room, sizeof(Box));
    if (boxes == NULL)
        return -1;
    w->boxes = boxes;
    PyObject *attributes = attributes_of(node);
    if (attributes == NULL)
        return -1;
    int hidden = parent >= 0 && w->boxes[parent].hidden, failed = -1;
    PyObject *names = NULL;
    if (PyDict_Size(attributes)) {
        if (!hidden && (hidden = hides(w->is_hidden, attributes)) < 0)
            goto done;
        names = names_of(attributes);
    } else
        names = Py_NewRef(s_empty);
    if (names == NULL)
        goto done;
    Py_ssize_t blocks = PyList_Size(w->text);
    w->boxes[w->box_count] = (Box){parent, blocks, blocks, hidden};
    w->here = w->box_count++;
    failed = PyList_Append(w->box_tag, tag) || PyList_Append(w->box_names, names) || PyList_Append(w->box_node, node)
                 ? -1
                 : 0;
done:
    Py_XDECREF(names);
    Py_DECREF(attributes);
    return failed;
}

/* What str.isspace() takes for white space. */
static int is_space_character(Py_UCS4 c)
{
    if (c < 0x80)
        return c == 0x20 || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
           c == 0x202f || c == 0x205f || c == 0x3000;
}

static int is_space(PyObject *text)
{
    Py_ssize_t length = PyUnicode_GetLength(text);
    for (Py_ssize_t i = 0; i < length; i++)
        if (!is_space_character(PyUnicode_ReadChar(text, i)))
            return 0;
    return 1;
}

static int take_text(Walk *w, PyObject *node)
{
    PyObject *text = PyObject_GetAttr(node, s_text_content);
    if (text == NULL)
        return -1;
    int failed = 0;
    if (PyUnicode_Check(text) && PyUnicode_GetLength(text)) {
        if (PyList_Size(w->parts) == 0 && is_space(text))
            w->blank = 1;
        else {
            w->styled |= w->in_inline > 0;
            failed = PyList_Append(w->parts, text) || PyList_Append(w->leaves, node) ||
                     (w->in_link && PyList_Append(w->link_parts, text)) ||
                     (w->in_bold && PyList_Append(w->bold_parts, text));
        }
    }
    Py_DECREF(text);
    return failed ? -1 : 0;
}

static int take_image(Walk *w, PyObject *node)
{
    w->styled = 1;
    return PyList_Append(w->leaves, node) || PyList_Append(w->image_node, node) ||
                   append_int(&w->numbers, w->image_block, PyList_Size(w->text)) || append_int(&w->numbers, w->image_box, w->here)
               ? -1
               : 0;
}

static int enter_inline(Walk *w, PyObject *node, PyObject *tag, int kind)
{
    if (w->tag == NULL && PyList_Size(w->parts) == 0 && !w->blank) {
        PyObject *attributes = attributes_of(node);
        if (attributes == NULL)
            return -1;
        w->names = PyDict_Size(attributes) ? names_of(attributes) : Py_NewRef(s_empty);
        Py_DECREF(attributes);
        if (w->names == NULL)
            return -1;
        w->tag = Py_NewRef(tag);
    }
    if (kind == LINK) {
        w->in_link++;
        w->link_count++;
    } else if (kind == BOLD)
        w->in_bold++;
    return 0;
}

static int leave(Walk *w, int kind)
{
    w->in_inline -= kind != BOX;
    if (kind == BOX) {
        if (end_block_if_any(w))
            return -1;
        w->break_count = 0;
        w->boxes[w->here].end = PyList_Size(w->text);
        w->here = w->boxes[w->here].parent;
    } else if (kind == LINK)
        w->in_link--;
    else if (kind == BOLD)
        w->in_bold--;
    return 0;
}

static int push(Walk *w, int kind)
{
    unsigned char *opened = make_room(w->opened, w->open_count, &w->open_room, 1);
    if (opened == NULL)
        return -1;
    w->opened = opened;
    w->opened[w->open_count++] = (unsigned char)kind;
    w->in_inline += kind != BOX;
    return 0;
}

/* Return the kind of a tag, INLINE for an unknown one, -1 with an error set on failure. */
static int kind_of(PyObject *kinds, PyObject *tag)
{
    PyObject *kind = PyDict_GetItemWithError(kinds, tag);
    if (kind == NULL)
        return PyErr_Occurred() ? -1 : INLINE;
    return (int)PyLong_AsLong(kind);
}

/* Return the first child (new reference), None where there is none or the element counts as empty. */
static PyObject *first_child(Walk *w, PyObject *node)
{
    if (w->emptied) {
        PyObject *id = PyObject_GetAttr(node, s_mem_id);
        int has = id ? PySet_Contains(w->emptied, id) : -1;
        Py_XDECREF(id);
        if (has)
            return has < 0 ? NULL : Py_NewRef(Py_None);
    }
    return PyObject_GetAttr(node, s_first_child);
}

/* Enter one node; return its first child to go down to (new reference), None to go on, NULL on error. */
static PyObject *enter(Walk *w, PyObject *node, PyObject *kinds, int *kind)
{
    PyObject *tag = PyObject_GetAttr(node, s_tag), *child = NULL;
    if (tag == NULL)
        return NULL;
    if (!PyUnicode_Check(tag)) {
        Py_DECREF(tag);
        tag = Py_NewRef(s_empty);
    }
    int failed = 0;
    switch (*kind = kind_of(kinds, tag)) {
    case -1:
        failed = -1;
        break;
    case TEXT:
        failed = take_text(w, node);
        break;
    case BOX:
        failed = end_block_if_any(w);
        w->break_count = 0;
        if (!failed && !(failed = open_box(w, node, tag, w->here))) {
            child = first_child(w, node);
            failed = child == NULL;
            if (child == Py_None)
                w->here = w->boxes[w->here].parent;
        }
        break;
    case INLINE:
    case LINK:
    case BOLD:
        child = first_child(w, node);
        failed = child == NULL || (child != Py_None && enter_inline(w, node, tag, *kind));
        break;
    case BREAK:
        failed = end_block(w);
        w->break_count++;
        break;
    case IMAGE:
        failed = take_image(w, node);
        break;
    case RULE:
        failed = end_block(w);
        w->break_count = 0;
        break;
    default:
        break;
    }
    Py_DECREF(tag);
    if (failed) {
        Py_XDECREF(child);
        return NULL;
    }
    return child ? child : Py_NewRef(Py_None);
}

/* Put a value (the reference is taken) where another one was. */
static void replace(PyObject **place, PyObject *value)
{
    PyObject *old = *place;
    *place = value;
    Py_XDECREF(old);
}

static int run(Walk *w, PyObject *root, PyObject *kinds)
{
    PyObject *tag = PyObject_GetAttr(root, s_tag);
    if (tag == NULL)
        return -1;
    PyObject *name = PyUnicode_Check(tag) ? tag : s_empty;
    int kind = kind_of(kinds, name), failed = kind < 0 || open_box(w, root, name, -1);
    w->in_inline = kind != BOX; /* its words may be in what stands around it, too */
    Py_DECREF(tag);
    if (failed)
        return -1;
    PyObject *node = PyObject_GetAttr(root, s_first_child);
    while (node && node != Py_None) {
        PyObject *child = enter(w, node, kinds, &kind);
        if (child == NULL)
            break;
        if (child != Py_None) {
            replace(&node, child);
            if (push(w, kind))
                break;
            continue;
        }
        Py_DECREF(child);
        PyObject *following = PyObject_GetAttr(node, s_next);
        while (following == Py_None && w->open_count) {
            PyObject *parent = PyObject_GetAttr(node, s_parent);
            Py_DECREF(following);
            following = NULL;
            if (parent == NULL)
                break;
            replace(&node, parent);
            if (leave(w, w->opened[--w->open_count]))
                break;
            following = PyObject_GetAttr(node, s_next);
        }
        replace(&node, following);
    }
    if (node == NULL || PyErr_Occurred()) {
        Py_XDECREF(node);
        return -1;
    }
    Py_DECREF(node);
    if (end_block(w))
        return -1;
    w->boxes[0].end = PyList_Size(w->text);
    return 0;
}

static PyObject *result(Walk *w)
{
    Py_ssize_t count = w->box_count;
    PyObject *parent = PyList_New(count), *hidden = PyList_New(count), *start = PyList_New(count), *end = PyList_New(count);
    if (!parent || !hidden || !start || !end)
        goto fail;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (set_int(&w->numbers, parent, i, w->boxes[i].parent) || set_int(&w->numbers, start, i, w->boxes[i].start) ||
            set_int(&w->numbers, end, i, w->boxes[i].end) || PyList_SetItem(hidden, i, PyBool_FromLong(w->boxes[i].hidden)))
            goto fail;
    }
    return Py_BuildValue("(NOONONNOOOOOOOOOOOOOOO)", parent, w->box_tag, w->box_names, hidden, w->box_node, start, end,
                         w->text, w->box, w->link_chars, w->links, w->bold_chars, w->breaks, w->lead_names, w->lead_tag,
                         w->leaf_start, w->leaf_end, w->leaves, w->image_node, w->image_block, w->image_box,
                         w->plain);
fail:
    Py_XDECREF(parent);
    Py_XDECREF(hidden);
    Py_XDECREF(start);
    Py_XDECREF(end);
    return NULL;
}

PyObject *list_blocks(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *root, *kinds, *made = NULL;
    Walk w = {0};
    if (!PyArg_ParseTuple(args, "OO!O|O!", &root, &PyDict_Type, &kinds, &w.is_hidden, &PyFrozenSet_Type, &w.emptied))
        return NULL;
    if (w.emptied && PySet_Size(w.emptied) == 0)
        w.emptied = NULL;
    PyObject **lists[] = {&w.box_tag, &w.box_names, &w.box_node, &w.text, &w.box, &w.link_chars, &w.links,
                          &w.bold_chars, &w.breaks, &w.lead_names, &w.lead_tag, &w.leaf_start, &w.leaf_end,
                          &w.leaves, &w.image_node, &w.image_block, &w.image_box, &w.plain, &w.parts, &w.link_parts,
                          &w.bold_parts};
    size_t count = sizeof lists / sizeof *lists;
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        failed |= (*lists[i] = PyList_New(0)) == NULL;
    if (!failed && run(&w, root, kinds) == 0)
        made = result(&w);
    for (size_t i = 0; i < count; i++)
        Py_XDECREF(*lists[i]);
    Py_XDECREF(w.names);
    Py_XDECREF(w.tag);
    forget_numbers(&w.numbers);
    PyMem_Free(w.boxes);
    PyMem_Free(w.opened);
    return made;
}

typedef struct {
    Py_ssize_t parent, end, depth, leaf_start, leaf_end;
    int hidden;
} Row;

typedef struct {
    Row *rows;
    Py_ssize_t count, room, here;
    PyObject *tag, *classes, *names, *node, *href, *text, *leaf_row;
    PyObject *kinds, *judge;
    Numbers numbers;
} Listing;

static int put_href(Listing *l, PyObject *attributes, PyObject *tag)
{
    if (PyUnicode_GetLength(tag) != 1 || PyUnicode_ReadChar(tag, 0) != 'a')
        return 0;
    PyObject *href = attribute(attributes, s_href);
    if (href == NULL)
        return PyErr_Occurred() ? -1 : 0;
    PyObject *row = PyLong_FromSsize_t(l->count);
    int failed = row == NULL || PyDict_SetItem(l->href, row, href);
    Py_XDECREF(row);
    return failed ? -1 : 0;
}

/* Describe an element by its attributes: class, names, href; -1 on failure, else whether they hide it. */
static int describe(Listing *l, PyObject *node, PyObject *tag, int hidden)
{
    PyObject *attributes = attributes_of(node), *names = NULL, *classes;
    int answer = -1;
    if (attributes == NULL)
        return -1;
    if (PyDict_Size(attributes) == 0) {
        answer = PyList_Append(l->classes, s_empty) || PyList_Append(l->names, s_empty) ? -1 : hidden;
        goto done;
    }
    if (!hidden && (hidden = hides(l->judge, attributes)) < 0)
        goto done;
    classes = attribute(attributes, s_class);
    if ((classes == NULL && PyErr_Occurred()) || (names = names_of(attributes)) == NULL)
        goto done;
    if (PyList_Append(l->classes, classes ? classes : s_empty) || PyList_Append(l->names, names) ||
        put_href(l, attributes, tag))
        goto done;
    answer = hidden;
done:
    Py_XDECREF(names);
    Py_DECREF(attributes);
    return answer;
}

static int open_row(Listing *l, PyObject *node, PyObject *tag)
{
    Py_ssize_t parent = l->here;
    Row *rows = make_room(l->rows, l->count, &l->room, sizeof(Row));
    if (rows == NULL)
        return -1;
    l->rows = rows;
    int hidden = describe(l, node, tag, parent >= 0 && l->rows[parent].hidden);
    if (hidden < 0 || PyList_Append(l->tag, tag) || PyList_Append(l->node, node))
        return -1;
    Py_ssize_t leaves = PyList_Size(l->text), depth = parent >= 0 ? l->rows[parent].depth + 1 : 0;
    l->rows[l->count] = (Row){parent, l->count + 1, depth, leaves, leaves, hidden};
    l->count++;
    return 0;
}

static int put_leaf(Listing *l, PyObject *node)
{
    PyObject *text = PyObject_GetAttr(node, s_text_content), *words = NULL, *squeezed = NULL;
    int failed = text == NULL;
    if (!failed && PyUnicode_Check(text)) {
        words = PyUnicode_Split(text, NULL, -1);
        failed = words == NULL;
        if (!failed && PyList_Size(words)) {
            squeezed = PyUnicode_Join(s_space, words);
            failed = squeezed == NULL || PyList_Append(l->text, squeezed) || append_int(&l->numbers, l->leaf_row, l->here);
        }
    }
    Py_XDECREF(text);
    Py_XDECREF(words);
    Py_XDECREF(squeezed);
    return failed ? -1 : 0;
}

static void close_row(Listing *l)
{
    l->rows[l->here].end = l->count;
    l->rows[l->here].leaf_end = PyList_Size(l->text);
}

/* Enter one node; return its first child (new reference), None to go on, NULL on error. */
static PyObject *enter_element(Listing *l, PyObject *node)
{
    PyObject *tag = PyObject_GetAttr(node, s_tag), *child = NULL;
    if (tag == NULL)
        return NULL;
    if (!PyUnicode_Check(tag)) {
        Py_DECREF(tag);
        tag = Py_NewRef(s_empty);
    }
    int kind = kind_of(l->kinds, tag), failed = kind < 0;
    if (kind == TEXT)
        failed = put_leaf(l, node);
    else if (kind != SKIP && !failed) {
        failed = open_row(l, node, tag);
        if (!failed && (child = PyObject_GetAttr(node, s_first_child)) != NULL && child != Py_None)
            l->here = l->count - 1;
        failed = failed || child == NULL;
    }
    Py_DECREF(tag);
    if (failed) {
        Py_XDECREF(child);
        return NULL;
    }
    return child ? child : Py_NewRef(Py_None);
}

/* Return the node after one without children to go down to (new reference), None at the end, NULL on error. */
static PyObject *go_on(Listing *l, PyObject *node)
{
    PyObject *following = PyObject_GetAttr(node, s_next);
    while (following == Py_None && l->here > 0) {
        Py_DECREF(following);
        close_row(l);
        PyObject *above = PyList_GetItem(l->node, l->here); /* borrowed; the list keeps it */
        l->here = l->rows[l->here].parent;
        following = above ? PyObject_GetAttr(above, s_next) : NULL;
    }
    return following;
}

static int walk_elements(Listing *l, PyObject *root)
{
    PyObject *tag = PyObject_GetAttr(root, s_tag);
    if (tag == NULL)
        return -1;
    l->here = -1;
    int failed = open_row(l, root, PyUnicode_Check(tag) ? tag : s_empty);
    Py_DECREF(tag);
    if (failed)
        return -1;
    l->here = 0;
    PyObject *node = PyObject_GetAttr(root, s_first_child);
    while (node && node != Py_None) {
        PyObject *child = enter_element(l, node);
        if (child == Py_None) {
            Py_DECREF(child);
            child = go_on(l, node);
        }
        replace(&node, child);
    }
    if (node == NULL)
        return -1;
    Py_DECREF(node);
    close_row(l);
    return 0;
}

static PyObject *element_columns(Listing *l)
{
    PyObject *columns[6];
    int failed = 0;
    for (int i = 0; i < 6; i++)
        failed |= (columns[i] = PyList_New(l->count)) == NULL;
    for (Py_ssize_t i = 0; i < l->count && !failed; i++) {
        Row *row = &l->rows[i];
        failed = set_int(&l->numbers, columns[0], i, row->parent) || set_int(&l->numbers, columns[1], i, row->end) ||
                 set_int(&l->numbers, columns[2], i, row->depth) || PyList_SetItem(columns[3], i, PyBool_FromLong(row->hidden)) ||
                 set_int(&l->numbers, columns[4], i, row->leaf_start) || set_int(&l->numbers, columns[5], i, row->leaf_end);
    }
    if (!failed)
        return Py_BuildValue("(ONNNOONNNOOOO)", l->tag, columns[0], columns[1], columns[2], l->classes, l->names,
                             columns[3], columns[4], columns[5], l->node, l->href, l->text, l->leaf_row);
    for (int i = 0; i < 6; i++)
        Py_XDECREF(columns[i]);
    return NULL;
}

PyObject *list_elements(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *root, *made = NULL;
    Listing l = {0};
    if (!PyArg_ParseTuple(args, "OO!O", &root, &PyDict_Type, &l.kinds, &l.judge))
        return NULL;
    PyObject **lists[] = {&l.tag, &l.classes, &l.names, &l.node, &l.text, &l.leaf_row};
    size_t count = sizeof lists / sizeof *lists;
    int failed = (l.href = PyDict_New()) == NULL;
    for (size_t i = 0; i < count; i++)
        failed |= (*lists[i] = PyList_New(0)) == NULL;
    if (!failed && walk_elements(&l, root) == 0)
        made = element_columns(&l);
    for (size_t i = 0; i < count; i++)
        Py_XDECREF(*lists[i]);
    Py_XDECREF(l.href);
    forget_numbers(&l.numbers);
    PyMem_Free(l.rows);
    return made;
}

int walk_init(void)
{
    struct { PyObject **where; const char *text; } names[] = {{&s_tag, "tag"}, {&s_first_child, "first_child"}, {&s_next, "next"}, {&s_parent, "parent"},
                 {&s_text_content, "text_content"}, {&s_attributes, "attributes"}, {&s_mem_id, "mem_id"},
                 {&s_class, "class"}, {&s_id, "id"},
                 {&s_role, "role"}, {&s_itemprop, "itemprop"}, {&s_hidden, "hidden"}, {&s_style, "style"},
                 {&s_href, "href"}, {&s_space, " "}, {&s_empty, ""}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((*names[i].where = PyUnicode_InternFromString(names[i].text)) == NULL)
            return -1;
    return 0;
}
