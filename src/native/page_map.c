/* The map of a page for Python: columns of elements and runs of text, handles of single nodes, attributes and texts. */
#include "page_walk.h"

#include <structmember.h>

static PyObject *map_type, *element_type;

/* --- bytes to str --- */

/* Append a run as it is: references become characters, line ends become \n. */
static int put_raw(Buffer *out, const byte *at, const byte *end, int mode)
{
    while (at < end) {
        const byte *from = at;
        while (at < end && *at != '\r' && (*at != '&' || mode == AS_IS))
            at++;
        if (!buffer_put(out, from, (size_t)(at - from)))
            return 0;
        if (at >= end)
            break;
        if (*at == '\r') {
            at += at + 1 < end && at[1] == '\n' ? 2 : 1;
            if (!buffer_put(out, (const byte *)"\n", 1))
                return 0;
            continue;
        }
        byte decoded[12];
        const byte *next = at + 1;
        int size = read_reference(at, end, mode, decoded, &next);
        if (!buffer_put(out, size ? decoded : at, size ? (size_t)size : 1))
            return 0;
        at = size ? next : at + 1;
    }
    return 1;
}

int buffer_put(Buffer *b, const byte *at, size_t size)
{
    if (b->size + size > b->room) {
        size_t room = (b->size + size) * 2 + 64;
        byte *bytes = PyMem_Realloc(b->bytes, room);
        if (bytes == NULL) {
            PyErr_NoMemory();
            return 0;
        }
        b->bytes = bytes;
        b->room = room;
    }
    if (size)
        memcpy(b->bytes + b->size, at, size);
    b->size += size;
    return 1;
}

void buffer_free(Buffer *b) { PyMem_Free(b->bytes); }

static PyObject *text_of(const byte *at, size_t size) { return PyUnicode_DecodeUTF8((const char *)at, (Py_ssize_t)size, "replace"); }

static int is_simple(const byte *at, const byte *end)
{
    for (; at < end; at++)
        if (*at == '&' || *at == '\r')
            return 0;
    return 1;
}

PyObject *decode_value(const byte *at, const byte *end)
{
    if (is_simple(at, end))
        return text_of(at, (size_t)(end - at));
    Buffer out = {0};
    PyObject *text = put_raw(&out, at, end, IN_ATTRIBUTE) ? text_of(out.bytes, out.size) : NULL;
    buffer_free(&out);
    return text;
}

int put_run(Buffer *out, const PageMap *map, uint32_t run)
{
    const Tree *t = &map->tree;
    int mode = t->run_flags[run] & RUN_RAW ? AS_IS : IN_TEXT;
    if ((t->run_flags[run] & RUN_APART) && !buffer_put(out, (const byte *)" ", 1))
        return 0;
    return put_raw(out, map->base + t->run_start[run], map->base + t->run_end[run], mode);
}

/* --- attributes --- */

static PyObject *lower_name(const Attribute *a)
{
    size_t size = (size_t)(a->name_end - a->name);
    byte small[64] = {0}, *name = size <= sizeof small ? small : PyMem_Malloc(size);
    if (name == NULL)
        return PyErr_NoMemory();
    for (size_t i = 0; i < size; i++)
        name[i] = lower(a->name[i]);
    PyObject *text = size < 20 ? NULL : text_of(name, size);
    if (size < 20 && (text = text_of(name, size)) != NULL)
        PyUnicode_InternInPlace(&text);
    if (name != small)
        PyMem_Free(name);
    return text;
}

static int add_attributes(const PageMap *map, const byte *at, PyObject *into)
{
    Attribute a;
    const byte *end = map->base + map->tree.size;
    for (uint32_t count = 0; count < map->most_attributes && next_attribute(&at, end, &a); count++) {
        PyObject *name = lower_name(&a), *value = NULL;
        if (name == NULL)
            return 0;
        int has = PyDict_Contains(into, name);
        if (has == 0) {
            int given = a.value && (a.value_end > a.value || a.value[-1] == '"' || a.value[-1] == '\'');
            value = given ? decode_value(a.value, a.value_end) : Py_NewRef(Py_None);
            has = value == NULL ? -1 : PyDict_SetItem(into, name, value);
        }
        Py_XDECREF(value);
        Py_DECREF(name);
        if (has < 0)
            return 0;
    }
    return 1;
}

static const byte *behind_name(const PageMap *map, uint32_t start)
{
    const byte *at = map->base + start + 1, *end = map->base + map->tree.size;
    while (at < end && !(byte_class[*at] & B_NAME_END))
        at++;
    return at;
}

int tag_of_row(const PageMap *map, uint32_t row, uint32_t number, const byte **at)
{
    const Tree *t = &map->tree;
    int own = !(t->flags[row] & IS_IMPLIED);
    if (own && number == 0)
        return tree_attributes(t, map->base, row, at);
    if (row != 0 && row != t->body)
        return 0;
    number -= (uint32_t)own;
    const uint32_t *more = row == 0 ? t->html_more : t->body_more;
    if (number >= (row == 0 ? t->html_more_count : t->body_more_count))
        return 0;
    *at = behind_name(map, more[number]);
    return 1;
}

PyObject *attributes_of_row(const PageMap *map, uint32_t row)
{
    const byte *at;
    PyObject *into = PyDict_New();
    for (uint32_t number = 0; into && tag_of_row(map, row, number, &at); number++)
        if (!add_attributes(map, at, into))
            Py_CLEAR(into);
    return into;
}

int find_attribute(const PageMap *map, uint32_t row, const char *name, Attribute *found)
{
    const byte *at, *end = map->base + map->tree.size;
    size_t size = strlen(name);
    for (uint32_t number = 0; tag_of_row(map, row, number, &at); number++)
        for (uint32_t count = 0; count < map->most_attributes && next_attribute(&at, end, found); count++)
            if (is_named(found, name, size))
                return 1;
    return 0;
}

/* --- moving through the tree: elements are rows, texts are ~run --- */

long first_child_of(const Tree *t, uint32_t row)
{
    int has_row = t->last[row] > (int32_t)row + 1, has_run = t->run_to[row] > t->run_from[row];
    if (is_template(t, row))
        return NO_NODE;
    if (has_run && (!has_row || t->run_from[row] < t->run_from[row + 1]))
        return ~(long)t->run_from[row];
    return has_row ? (long)row + 1 : NO_NODE;
}

static long next_in(const Tree *t, int32_t parent, uint32_t row, uint32_t run)
{
    int has_row = (int32_t)row < t->last[parent], has_run = (int32_t)run < t->run_to[parent];
    if (has_run && (!has_row || (int32_t)run < t->run_from[row]))
        return ~(long)run;
    return has_row ? (long)row : NO_NODE;
}

/* Return the first row, from `low` on, that has more than `run` runs before it. */
static uint32_t row_behind(const Tree *t, uint32_t low, uint32_t high, uint32_t run)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->run_from[middle] > (int32_t)run)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t text_end(const Tree *t, uint32_t run)
{
    uint32_t end = run + 1;
    while (end < t->run_count && (t->run_flags[end] & RUN_CONTINUES))
        end++;
    return end;
}

long next_of(const Tree *t, long node)
{
    if (node >= 0) {
        if (node == 0)
            return NO_NODE;
        return next_in(t, t->parent[node], (uint32_t)t->last[node], (uint32_t)t->run_to[node]);
    }
    uint32_t run = (uint32_t)~node, parent = (uint32_t)t->run_row[run];
    uint32_t row = row_behind(t, parent + 1, (uint32_t)t->last[parent], run);
    return next_in(t, (int32_t)parent, row, text_end(t, run));
}

/* Return the last child of an element before a row and a run of it, or NO_NODE. */
static long last_before(const Tree *t, long parent, uint32_t row, uint32_t run)
{
    long before = NO_NODE;
    if (row > (uint32_t)parent + 1) { /* the element before: climb from the row above */
        before = (long)row - 1;
        while (t->parent[before] != parent)
            before = t->parent[before];
    }
    if (run <= (uint32_t)t->run_from[parent] || t->run_row[run - 1] != parent ||
        (before != NO_NODE && t->run_to[before] >= (int32_t)run))
        return before;
    while (t->run_flags[run - 1] & RUN_CONTINUES)
        run--;
    return ~(long)(run - 1);
}

static long previous_of(const Tree *t, long node)
{
    long parent = node >= 0 ? t->parent[node] : t->run_row[~node];
    if (parent < 0)
        return NO_NODE;
    if (node >= 0)
        return last_before(t, parent, (uint32_t)node, (uint32_t)t->run_from[node]);
    uint32_t run = (uint32_t)~node;
    return last_before(t, parent, row_behind(t, (uint32_t)parent + 1, (uint32_t)t->last[parent], run), run);
}

static long last_child_of(const Tree *t, uint32_t row)
{
    if (is_template(t, row))
        return NO_NODE;
    return last_before(t, (long)row, (uint32_t)t->last[row], (uint32_t)t->run_to[row]);
}

/* --- handles of nodes --- */

typedef struct {
    PyObject_HEAD
    PageMap *map;
    long node;
} Element;

static PyObject *make_element(PageMap *map, long node)
{
    if (node == NO_NODE)
        Py_RETURN_NONE;
    Element *made = PyObject_New(Element, (PyTypeObject *)element_type);
    if (made != NULL) {
        made->map = (PageMap *)Py_NewRef((PyObject *)map);
        made->node = node;
    }
    return (PyObject *)made;
}

static void element_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(((Element *)self)->map);
    PyObject_Free(self);
    Py_DECREF(type);
}

#define TREE_OF(self) (&((Element *)(self))->map->tree)
#define NODE_OF(self) (((Element *)(self))->node)

static PyObject *element_tag(PyObject *self, void *Py_UNUSED(closure))
{
    Element *e = (Element *)self;
    return e->node < 0 ? Py_NewRef(e->map->text_tag) : tag_name(e->map, e->map->tree.tag[e->node]);
}

static PyObject *element_attributes(PyObject *self, void *Py_UNUSED(closure))
{
    Element *e = (Element *)self;
    return e->node < 0 ? PyDict_New() : attributes_of_row(e->map, (uint32_t)e->node);
}

static PyObject *element_parent(PyObject *self, void *Py_UNUSED(closure))
{
    const Tree *t = TREE_OF(self);
    long node = NODE_OF(self), parent = node < 0 ? t->run_row[~node] : t->parent[node];
    return make_element(((Element *)self)->map, parent < 0 ? NO_NODE : parent);
}

static PyObject *element_first(PyObject *self, void *Py_UNUSED(closure))
{
    long node = NODE_OF(self);
    return make_element(((Element *)self)->map, node < 0 ? NO_NODE : first_child_of(TREE_OF(self), (uint32_t)node));
}

static PyObject *element_last(PyObject *self, void *Py_UNUSED(closure))
{
    long node = NODE_OF(self);
    return make_element(((Element *)self)->map, node < 0 ? NO_NODE : last_child_of(TREE_OF(self), (uint32_t)node));
}

static PyObject *element_next(PyObject *self, void *Py_UNUSED(closure))
{
    return make_element(((Element *)self)->map, next_of(TREE_OF(self), NODE_OF(self)));
}

static PyObject *element_prev(PyObject *self, void *Py_UNUSED(closure))
{
    return make_element(((Element *)self)->map, previous_of(TREE_OF(self), NODE_OF(self)));
}

static PyObject *element_text_content(PyObject *self, void *Py_UNUSED(closure))
{
    Element *e = (Element *)self;
    if (e->node >= 0)
        Py_RETURN_NONE;
    uint32_t run = (uint32_t)~e->node, end = text_end(&e->map->tree, run);
    Buffer out = {0};
    int done = 1;
    for (; done && run < end; run++)
        done = put_run(&out, e->map, run);
    PyObject *text = done ? text_of(out.bytes, out.size) : NULL;
    buffer_free(&out);
    return text;
}

static PyObject *element_mem_id(PyObject *self, void *Py_UNUSED(closure))
{
    long node = NODE_OF(self);
    return PyLong_FromLong(node < 0 ? (long)TREE_OF(self)->count + 1 + ~node : node + 1);
}

static PyObject *element_row(PyObject *self, void *Py_UNUSED(closure)) { return PyLong_FromLong(NODE_OF(self)); }

static PyObject *element_span(PyObject *self, void *Py_UNUSED(closure))
{
    const Tree *t = TREE_OF(self);
    long node = NODE_OF(self);
    if (node >= 0)
        return Py_BuildValue("(II)", t->start[node], t->end[node]);
    uint32_t run = (uint32_t)~node;
    return Py_BuildValue("(II)", t->run_start[run], t->run_end[text_end(t, run) - 1]);
}

static int is_in_scope_of_text(const Tree *t, uint32_t row, uint32_t run)
{
    return !(t->flags[t->run_row[run]] & IN_TEMPLATE) && !is_template(t, (uint32_t)t->run_row[run]) ? 1
           : (t->flags[row] & IN_TEMPLATE) != 0;
}

static PyObject *text_of_row(const PageMap *map, uint32_t row, int deep, const char *separator, size_t size)
{
    const Tree *t = &map->tree;
    Buffer out = {0};
    uint32_t run = (uint32_t)t->run_from[row], end = (uint32_t)t->run_to[row];
    int done = 1, any = 0;
    while (done && run < end) {
        uint32_t stop = text_end(t, run);
        if ((deep || t->run_row[run] == (int32_t)row) && is_in_scope_of_text(t, row, run)) {
            if (any && size)
                done = buffer_put(&out, (const byte *)separator, size);
            any = 1;
            for (; done && run < stop; run++)
                done = put_run(&out, map, run);
        }
        run = stop;
    }
    PyObject *text = done ? text_of(out.bytes, out.size) : NULL;
    buffer_free(&out);
    return text;
}

static PyObject *element_text(PyObject *self, PyObject *args, PyObject *names)
{
    static char *known[] = {"deep", "separator", NULL};
    int deep = 1;
    const char *separator = "";
    Py_ssize_t size = 0;
    Element *e = (Element *)self;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|ps#", known, &deep, &separator, &size))
        return NULL;
    if (e->node < 0)
        return element_text_content(self, NULL);
    return text_of_row(e->map, (uint32_t)e->node, deep, separator, (size_t)size);
}

static PyObject *element_html(PyObject *self, void *Py_UNUSED(closure))
{
    Element *e = (Element *)self;
    return write_html(e->map, e->node);
}

static PyObject *element_compare(PyObject *one, PyObject *other, int how)
{
    if ((how != Py_EQ && how != Py_NE) || Py_TYPE(other) != (PyTypeObject *)element_type)
        Py_RETURN_NOTIMPLEMENTED;
    int same = ((Element *)one)->map == ((Element *)other)->map && NODE_OF(one) == NODE_OF(other);
    return PyBool_FromLong(same == (how == Py_EQ));
}

static Py_hash_t element_hash(PyObject *self) { return (Py_hash_t)((size_t)NODE_OF(self) * 0x9E3779B1u + 2); }

static PyObject *find_tags(PageMap *map, PyObject *names, uint32_t from, uint32_t to);
static PyObject *element_find(PyObject *self, PyObject *tags)
{
    Element *e = (Element *)self;
    return e->node < 0 ? PyList_New(0) : find_tags(e->map, tags, (uint32_t)e->node, (uint32_t)TREE_OF(self)->last[e->node]);
}

static PyGetSetDef element_members[] = {
    {"tag", element_tag, NULL, "The name, lower case; \"-text\" for text.", NULL},
    {"attributes", element_attributes, NULL, "Lower-case name -> value, None where there is none.", NULL},
    {"parent", element_parent, NULL, "The element around, or None.", NULL},
    {"first_child", element_first, NULL, "The first element or text inside, or None.", NULL},
    {"last_child", element_last, NULL, "The last element or text inside, or None.", NULL},
    {"next", element_next, NULL, "The sibling behind, or None.", NULL},
    {"prev", element_prev, NULL, "The sibling before, or None.", NULL},
    {"text_content", element_text_content, NULL, "The text of a text, None for an element.", NULL},
    {"mem_id", element_mem_id, NULL, "A number that no other node of the page has; never 0.", NULL},
    {"row", element_row, NULL, "The row of an element in the columns; below 0 for text.", NULL},
    {"span", element_span, NULL, "Where the node begins and ends, in bytes of the source.", NULL},
    {"html", element_html, NULL, "The element as HTML, written anew.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef element_methods[] = {
    {"text", (PyCFunction)(void (*)(void))element_text, METH_VARARGS | METH_KEYWORDS, "text(deep=True, separator=''): what stands inside."},
    {"find", element_find, METH_VARARGS, "find(*tags): this element and those inside with one of these names."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot element_slots[] = {
    {Py_tp_dealloc, element_free}, {Py_tp_getset, element_members}, {Py_tp_methods, element_methods},
    {Py_tp_richcompare, element_compare}, {Py_tp_hash, element_hash},
    {Py_tp_doc, "One element or text of a page."}, {0, NULL},
};

static PyType_Spec element_spec = {"scythe._native.Element", sizeof(Element), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, element_slots};

/* --- the map --- */

PyObject *tag_name(PageMap *map, uint16_t tag) { return Py_XNewRef(PyList_GetItem(map->tags, tag)); }

/* The names of known tags, by number; a page with others has a longer list of its own. */
static PyObject *known_tags;

static int name_known_tags(void)
{
    known_tags = PyList_New(0);
    for (int tag = 0; known_tags && tag < TAG_COUNT; tag++) {
        PyObject *name = PyUnicode_InternFromString(tag_rows[tag].name);
        if (name == NULL || PyList_Append(known_tags, name))
            Py_CLEAR(known_tags);
        Py_XDECREF(name);
    }
    return known_tags != NULL;
}

static int name_tags(PageMap *map)
{
    map->tags = map->tree.name_count ? PyList_GetSlice(known_tags, 0, TAG_COUNT) : Py_NewRef(known_tags);
    for (uint32_t i = 0; map->tags && i < map->tree.name_count; i++) {
        Attribute a = {map->base + map->tree.name_at[i], map->base + map->tree.name_at[i] + map->tree.name_size[i], NULL, NULL};
        PyObject *name = lower_name(&a);
        if (name == NULL || PyList_Append(map->tags, name))
            Py_CLEAR(map->tags);
        Py_XDECREF(name);
    }
    return map->tags != NULL;
}

static PyObject *map_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(names))
{
    PyObject *source;
    TreeLimits limits;
    if (!PyArg_ParseTuple(args, "SIIIIII", &source, &limits.depth, &limits.formatting, &limits.rebuilt, &limits.elements, &limits.names, &limits.attributes))
        return NULL;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PageMap *map = (PageMap *)make(type, 0);
    if (map == NULL)
        return NULL;
    char *base;
    Py_ssize_t size;
    PyBytes_AsStringAndSize(source, &base, &size);
    map->source = Py_NewRef(source);
    map->base = (const byte *)base;
    map->most_attributes = limits.attributes;
    map->empty = PyUnicode_InternFromString("");
    map->text_tag = PyUnicode_InternFromString("-text");
    if (!map->empty || !map->text_tag || !tree_build(&map->tree, map->base, map->base + size, &limits) || !name_tags(map)) {
        Py_DECREF(map);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    return (PyObject *)map;
}

static void map_free(PyObject *self)
{
    PageMap *map = (PageMap *)self;
    PyTypeObject *type = Py_TYPE(self);
    tree_free(&map->tree);
    PyMem_Free(map->key);
    PyMem_Free(map->path);
    Py_XDECREF(map->source);
    Py_XDECREF(map->tags);
    Py_XDECREF(map->empty);
    Py_XDECREF(map->text_tag);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *map_column(PyObject *self, PyObject *args)
{
    const Tree *t = &((PageMap *)self)->tree;
    const char *name;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    const struct { const char *name; const void *at; size_t size; uint32_t count; } columns[] = {
        {"tag", t->tag, 2, t->count}, {"parent", t->parent, 4, t->count}, {"last", t->last, 4, t->count},
        {"depth", t->depth, 4, t->count}, {"start", t->start, 4, t->count}, {"inner", t->inner, 4, t->count},
        {"close", t->close, 4, t->count}, {"end", t->end, 4, t->count}, {"run_from", t->run_from, 4, t->count},
        {"run_to", t->run_to, 4, t->count}, {"flags", t->flags, 1, t->count}, {"run_start", t->run_start, 4, t->run_count},
        {"run_end", t->run_end, 4, t->run_count}, {"run_row", t->run_row, 4, t->run_count},
        {"run_flags", t->run_flags, 1, t->run_count},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(name, columns[i].name))
            return PyBytes_FromStringAndSize(columns[i].at, (Py_ssize_t)(columns[i].size * columns[i].count));
    return hashed_column((PageMap *)self, name);
}

static PyObject *map_element(PyObject *self, PyObject *args)
{
    long row;
    if (!PyArg_ParseTuple(args, "l", &row))
        return NULL;
    const Tree *t = &((PageMap *)self)->tree;
    if (row >= (long)t->count || (row < 0 && ~row >= (long)t->run_count)) {
        PyErr_SetString(PyExc_IndexError, "no such node");
        return NULL;
    }
    return make_element((PageMap *)self, row);
}

/* Return the number of a tag on this page, -1 where it has none, -2 with an error set. */
static int tag_id_of(PageMap *map, PyObject *name)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    if (text == NULL)
        return -2;
    Token t;
    const byte *at = (const byte *)text;
    read_name(&t, at, at + size);
    if (t.tag != TAG_OTHER)
        return t.tag;
    for (uint32_t i = 0; i < map->tree.name_count; i++)
        if (map->tree.name_size[i] == size && same_letters(map->base + map->tree.name_at[i], at, (size_t)size))
            return (int)(TAG_COUNT + i);
    return -1;
}

/* Return the elements with one of these names in some rows; those of a template only where the first is in one. */
static PyObject *find_tags(PageMap *map, PyObject *names, uint32_t from, uint32_t to)
{
    const Tree *t = &map->tree;
    int wanted[16], count = 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(names) && count < 16; i++) {
        int tag = tag_id_of(map, PyTuple_GetItem(names, i));
        if (tag == -2)
            return NULL;
        if (tag >= 0)
            wanted[count++] = tag;
    }
    PyObject *found = PyList_New(0);
    for (uint32_t row = from; found && count && row < to; row++) {
        int hit = 0;
        for (int i = 0; i < count; i++)
            hit |= t->tag[row] == wanted[i];
        if (!hit || (t->flags[row] & ~t->flags[from] & IN_TEMPLATE))
            continue;
        PyObject *element = make_element(map, (long)row);
        if (element == NULL || PyList_Append(found, element))
            Py_CLEAR(found);
        Py_XDECREF(element);
    }
    return found;
}

static PyObject *map_find(PyObject *self, PyObject *names)
{
    return find_tags((PageMap *)self, names, 0, ((PageMap *)self)->tree.count);
}

static int contains_any(const Attribute *a, const char *const *parts, const size_t *sizes, int count)
{
    for (int i = 0; i < count; i++)
        for (const byte *at = a->value; at && (size_t)(a->value_end - at) >= sizes[i]; at++)
            if (lower(*at) == lower((byte)parts[i][0]) && same_letters(at, (const byte *)parts[i], sizes[i]))
                return 1;
    return count == 0;
}

/* having(name, *parts): elements with an attribute, and one of these parts in its value whatever the letter case. */
static PyObject *map_having(PyObject *self, PyObject *args)
{
    PageMap *map = (PageMap *)self;
    const Tree *t = &map->tree;
    const char *texts[9] = {NULL};
    size_t sizes[9];
    int count = 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(args) && count < 9; i++) {
        Py_ssize_t size;
        texts[count] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args, i), &size);
        if (texts[count] == NULL)
            return NULL;
        sizes[count++] = (size_t)size;
    }
    if (count == 0) {
        PyErr_SetString(PyExc_TypeError, "having(name, *parts)");
        return NULL;
    }
    PyObject *found = PyList_New(0);
    for (uint32_t row = 0; found && row < t->count; row++) {
        Attribute a;
        if ((t->flags[row] & IN_TEMPLATE) || (row && row != t->body && t->inner[row] - t->start[row] < sizes[0] + 4) ||
            !find_attribute(map, row, texts[0], &a) || !contains_any(&a, texts + 1, sizes + 1, count - 1))
            continue;
        PyObject *element = make_element(map, (long)row);
        if (element == NULL || PyList_Append(found, element))
            Py_CLEAR(found);
        Py_XDECREF(element);
    }
    return found;
}

enum { MOST_ASKED = 8 };

/* What one element says of some attributes: None where it has none, the first of several. */
static PyObject *said_by(const PageMap *map, uint32_t row, const char *const *names, const size_t *sizes, int count)
{
    PyObject *values = PyTuple_New(count);
    Attribute found[MOST_ASKED] = {{0}}, a;
    const byte *at, *end = map->base + map->tree.size;
    for (uint32_t number = 0; tag_of_row(map, row, number, &at); number++)
        for (uint32_t seen = 0; seen < map->most_attributes && next_attribute(&at, end, &a); seen++)
            for (int i = 0; i < count; i++)
                if (found[i].name == NULL && is_named(&a, names[i], sizes[i]))
                    found[i] = a;
    for (int i = 0; values && i < count; i++) {
        PyObject *value = has_value(&found[i])     ? decode_value(found[i].value, found[i].value_end)
                          : found[i].name != NULL ? Py_NewRef(map->empty)
                                                  : Py_NewRef(Py_None);
        if (value == NULL)
            Py_CLEAR(values);
        else
            PyTuple_SetItem(values, i, value);
    }
    return values;
}

/* said(tag, *names): what each element with this name says of some attributes. */
static PyObject *map_said(PyObject *self, PyObject *args)
{
    PageMap *map = (PageMap *)self;
    const Tree *t = &map->tree;
    const char *names[MOST_ASKED];
    size_t sizes[MOST_ASKED];
    int count = (int)PyTuple_Size(args) - 1;
    if (count < 1 || count > MOST_ASKED) {
        PyErr_SetString(PyExc_TypeError, "said(tag, *names)");
        return NULL;
    }
    int tag = tag_id_of(map, PyTuple_GetItem(args, 0));
    for (int i = 0; tag != -2 && i < count; i++) {
        Py_ssize_t size;
        if ((names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args, i + 1), &size)) == NULL)
            return NULL;
        sizes[i] = (size_t)size;
    }
    PyObject *found = tag == -2 ? NULL : PyList_New(0);
    for (uint32_t row = 0; found && tag >= 0 && row < t->count; row++) {
        if (t->tag[row] != tag || (t->flags[row] & IN_TEMPLATE))
            continue;
        PyObject *values = said_by(map, row, names, sizes, count);
        if (values == NULL || PyList_Append(found, values))
            Py_CLEAR(found);
        Py_XDECREF(values);
    }
    return found;
}

static PyObject *map_attribute(PyObject *self, PyObject *args)
{
    const PageMap *map = (PageMap *)self;
    long row;
    const char *name;
    Attribute a;
    if (!PyArg_ParseTuple(args, "ls", &row, &name))
        return NULL;
    if (!is_row(map, row) || !find_attribute(map, (uint32_t)row, name, &a) || a.value == NULL) {
        if (PyErr_Occurred())
            return NULL;
        Py_RETURN_NONE;
    }
    return decode_value(a.value, a.value_end);
}

/* Note where the words inside an element stand, from the first to the last; 0 where there are none. */
static int place_of_words(const Tree *t, uint32_t row, uint32_t place[2])
{
    uint32_t run = (uint32_t)t->run_from[row], behind = (uint32_t)t->run_to[row];
    while (run < behind && (t->run_flags[run] & RUN_BLANK))
        run++;
    while (run < behind && (t->run_flags[behind - 1] & RUN_BLANK))
        behind--;
    if (run == behind || t->run_start[run] > t->run_end[behind - 1])
        return 0;
    place[0] = t->run_start[run];
    place[1] = t->run_end[behind - 1];
    return 1;
}

/* Return where the words inside an element stand, or the value of an attribute; None where there is none. */
static PyObject *map_place(PyObject *self, PyObject *args)
{
    const PageMap *map = (PageMap *)self;
    const Tree *t = &map->tree;
    long row;
    const char *name = NULL;
    if (!PyArg_ParseTuple(args, "l|s", &row, &name) || !is_row(map, row))
        return NULL;
    if (name != NULL) {
        Attribute a;
        if (!find_attribute(map, (uint32_t)row, name, &a) || a.value == NULL)
            Py_RETURN_NONE;
        return Py_BuildValue("(nn)", (Py_ssize_t)(a.value - map->base), (Py_ssize_t)(a.value_end - map->base));
    }
    uint32_t place[2];
    if (!place_of_words(t, (uint32_t)row, place))
        Py_RETURN_NONE;
    return Py_BuildValue("(II)", place[0], place[1]);
}

/* Say whether an attribute has a value, references read; -1 with an error set. */
static int has_text(const Attribute *a, const char *wanted, size_t size)
{
    if (a->value == NULL)
        return 0;
    if (is_simple(a->value, a->value_end))
        return (size_t)(a->value_end - a->value) == size && !memcmp(a->value, wanted, size);
    PyObject *value = decode_value(a->value, a->value_end);
    Py_ssize_t length;
    const char *text = value ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    int same = text ? (size_t)length == size && !memcmp(text, wanted, size) : -1;
    Py_XDECREF(value);
    return same;
}

/* Return the row of the first meta element that an attribute names so, -1 for none, -2 with an error set. */
static long row_of_meta(const PageMap *map, const char *attribute, const char *name, size_t size)
{
    for (uint32_t row = 0; row < map->tree.count; row++) {
        Attribute a;
        if (map->tree.tag[row] != TAG_META || (map->tree.flags[row] & IN_TEMPLATE) || !find_attribute(map, row, attribute, &a))
            continue;
        int same = has_text(&a, name, size);
        if (same)
            return same < 0 ? -2 : (long)row;
    }
    return -1;
}

/* Return the value at a place as (number, value, start, end); None with no error set where the page has none there. */
static PyObject *value_at(PageMap *map, PyObject *place, Py_ssize_t number, long most_runs)
{
    unsigned long long path, key, parent;
    const char *attribute, *name;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(place, "KKKzz#", &path, &key, &parent, &attribute, &name, &size))
        return NULL;
    const Tree *t = &map->tree;
    long row = name ? row_of_meta(map, attribute, name, (size_t)size) : first_matching(map, path, key, parent);
    if (row < 0)
        return NULL;
    if (attribute == NULL) {
        uint32_t words[2] = {0, 0};
        if (t->run_to[row] - t->run_from[row] > most_runs)
            return NULL;
        place_of_words(t, (uint32_t)row, words);
        PyObject *text = text_of_row(map, (uint32_t)row, 1, "", 0);
        return text ? Py_BuildValue("(nNII)", number, text, words[0], words[1]) : NULL;
    }
    Attribute a;
    if (!find_attribute(map, (uint32_t)row, name ? "content" : attribute, &a) || a.value == NULL)
        return NULL;
    PyObject *value = decode_value(a.value, a.value_end);
    return value ? Py_BuildValue("(nNnn)", number, value, (Py_ssize_t)(a.value - map->base), (Py_ssize_t)(a.value_end - map->base)) : NULL;
}

static PyObject *map_take(PyObject *self, PyObject *args)
{
    PyObject *places;
    Py_ssize_t number;
    long most_runs;
    if (!PyArg_ParseTuple(args, "O!nl", &PyTuple_Type, &places, &number, &most_runs))
        return NULL;
    for (Py_ssize_t count = PyTuple_Size(places); number < count; number++) {
        PyObject *place = PyTuple_GetItem(places, number);
        if (place == Py_None)
            return Py_BuildValue("(nOII)", number, Py_None, 0, 0);
        PyObject *found = value_at((PageMap *)self, place, number, most_runs);
        if (found != NULL || PyErr_Occurred())
            return found;
    }
    Py_RETURN_NONE;
}

static PyObject *map_losses(PyObject *self, PyObject *Py_UNUSED(unused))
{
    const Tree *t = &((PageMap *)self)->tree;
    return Py_BuildValue("(IIIIII)", t->too_deep, t->too_many, t->too_formatted, t->too_named, t->too_attributed, t->unended);
}

static PyMemberDef map_members[] = {
    {"source", T_OBJECT_EX, offsetof(PageMap, source), READONLY, "The bytes that all offsets are of."},
    {"tags", T_OBJECT_EX, offsetof(PageMap, tags), READONLY, "The names of tags by number."},
    {"count", T_UINT, offsetof(PageMap, tree.count), READONLY, "How many elements there are."},
    {"run_count", T_UINT, offsetof(PageMap, tree.run_count), READONLY, "How many runs of text there are."},
    {"body", T_UINT, offsetof(PageMap, tree.body), READONLY, "The row of the body, 0 where there is none."},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef map_methods[] = {
    {"column", map_column, METH_VARARGS, "column(name): a column as bytes."},
    {"element", map_element, METH_VARARGS, "element(row): a handle of an element, or of text for ~run."},
    {"find", map_find, METH_VARARGS, "find(*tags): the elements with one of these names, templates left out."},
    {"having", map_having, METH_VARARGS, "having(name, *parts): elements with an attribute that holds one of the parts."},
    {"said", map_said, METH_VARARGS, "said(tag, *names): the values of some attributes of every element with this name."},
    {"losses", map_losses, METH_NOARGS, "losses(): tags left out (too deep, too many, too much formatting, too many names), attributes, bytes without end."},
    {"blocks", map_blocks, METH_VARARGS, "blocks(row, emptied): columns of Blocks."},
    {"cut_text", map_cut_text, METH_VARARGS, "cut_text(rows, drops): the text that elements show without those of some (key, parent), where it stands, what was dropped."},
    {"attribute", map_attribute, METH_VARARGS, "attribute(row, name): the value of an attribute, None where it has none."},
    {"place", map_place, METH_VARARGS, "place(row, name): where the words in an element stand, or the value of an attribute."},
    {"matching", map_matching, METH_VARARGS, "matching(path, key, parent, nested): elements with these hashes (0: any), in each other or not, none in a template."},
    {"signature", map_signature, METH_NOARGS, "signature(): the distinct keys of elements with an id or a class, as bytes."},
    {"take", map_take, METH_VARARGS, "take(places, first, most_runs): the number and value of the first place that has one, and where it stands."},
    {"mark", map_mark, METH_NOARGS, "mark(): one number for these keys."},
    {"around", map_around, METH_VARARGS, "around(start, end): the innermost element that holds some bytes, and how many of its name it has, itself counted."},
    {"run_blocks", map_run_blocks, METH_NOARGS, "run_blocks(): of each run its block (-1: none, or a hidden one) and its words."},
    {"elements", map_elements, METH_VARARGS, "elements(row, most): columns of Elements, those beyond so many left out."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot map_slots[] = {
    {Py_tp_new, map_new}, {Py_tp_dealloc, map_free}, {Py_tp_members, map_members}, {Py_tp_methods, map_methods},
    {Py_tp_doc, "PageMap(source, depth, formatting, rebuilt, elements, names, attributes): the tree of a page and where it stands in its bytes."},
    {0, NULL},
};

static PyType_Spec map_spec = {"scythe._native.PageMap", sizeof(PageMap), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, map_slots};

int page_map_init(PyObject *module)
{
    hashes_init();
    map_type = PyType_FromSpec(&map_spec);
    element_type = PyType_FromSpec(&element_spec);
    return map_type && element_type && name_known_tags() && PyModule_AddObjectRef(module, "PageMap", map_type) == 0 &&
                   PyModule_AddObjectRef(module, "Element", element_type) == 0
               ? 0
               : -1;
}
