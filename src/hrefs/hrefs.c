/* scythe.page._hrefs: the walk of scythe.page.links_from_bytes in C. A page comes in, its links and tags like <base> go out.
 *
 * It must give the same as the Python walk; a test holds that. The tokenizer is that of the stage `cut`.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "../cut/tokens.c"
#include "names.h"

enum { OTHER, LINKING, WANTED, RAW, TEMPLATE, FOREIGN, PLAIN };

static uint8_t roles[TAG_COUNT];

typedef struct {
    PyObject *links, *tags;
    Py_ssize_t most_links, most_tags, most_bytes, dropped;
    int templates, foreign; /* open around this place */
} Walk;

typedef struct {
    const byte *at, *end; /* at is NULL where there is none */
} Value;

static int is_named(const byte *at, const byte *end, const char *name)
{
    while (at < end && *name && lower(*at) == (byte)*name)
        at++, name++;
    return at == end && !*name;
}

/* Read the values of href and rel, the first of each name; a tag that ended is known to end them all. */
static void read_values(const Token *t, Value *href, Value *rel)
{
    const byte *at = t->attributes, *end = t->next - 1, *name, *name_end;
    int seen_href = 0, seen_rel = 0;
    for (;;) {
        while (at < end && (is_space(*at) || *at == '/'))
            at++;
        if (at >= end)
            return;
        name = at;
        at = name_end = skip_attribute_name(at + 1, end);
        while (at < end && is_space(*at))
            at++;
        Value value = {NULL, NULL};
        if (at < end && *at == '=') {
            at++;
            while (at < end && is_space(*at))
                at++;
            if (at < end && (*at == '"' || *at == '\'')) {
                value.at = at + 1;
                if ((value.end = find_byte(at + 1, end, *at)) == NULL)
                    return; /* cannot be: the tag ends behind it */
                at = value.end + 1;
            } else {
                value.at = at;
                while (at < end && !(byte_class[*at] & B_VALUE_END))
                    at++;
                value.end = at;
            }
        }
        if (!seen_href && is_named(name, name_end, "href")) {
            *href = value;
            seen_href = 1;
        } else if (!seen_rel && is_named(name, name_end, "rel")) {
            *rel = value;
            seen_rel = 1;
        }
    }
}

static int append(PyObject *list, PyObject *item)
{
    int failed = item == NULL || PyList_Append(list, item);
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

static int keep(Walk *w, const Token *t)
{
    if (w->templates)
        return 0;
    if (t->next - t->at > w->most_bytes || PyList_Size(w->tags) >= w->most_tags) {
        w->dropped++;
        return 0;
    }
    return append(w->tags, PyBytes_FromStringAndSize((const char *)t->at, t->next - t->at));
}

static int keep_link(Walk *w, const Token *t)
{
    Value href = {NULL, NULL}, rel = {NULL, NULL};
    if (w->templates)
        return 0;
    if (t->next - t->at > w->most_bytes || PyList_Size(w->links) >= w->most_links) {
        w->dropped++;
        return 0;
    }
    read_values(t, &href, &rel);
    if (href.at == NULL || href.at == href.end)
        return 0;
    if (rel.at == NULL || rel.at == rel.end)
        return append(w->links, PyBytes_FromStringAndSize((const char *)href.at, href.end - href.at));
    return append(w->links, Py_BuildValue("(y#y#)", href.at, href.end - href.at, rel.at, rel.end - rel.at));
}

/* Return where to go on behind an opening tag, NULL where the rest of the page is of no use. `failed`: error set. */
static const byte *open_tag(Walk *w, const Token *t, const byte *end, int *failed)
{
    switch (roles[t->tag]) {
    case LINKING:
        *failed = keep_link(w, t);
        break;
    case WANTED:
        *failed = keep(w, t);
        break;
    case RAW:
        if (!(w->foreign && t->slash))
            return content_close(t, end);
        break;
    case TEMPLATE:
        w->templates += !w->foreign;
        break;
    case FOREIGN:
        w->foreign += !t->slash;
        break;
    case PLAIN:
        return NULL;
    }
    return t->next;
}

static void close_tag(Walk *w, const Token *t)
{
    if (roles[t->tag] == TEMPLATE && w->templates)
        w->templates--;
    else if (roles[t->tag] == FOREIGN && w->foreign)
        w->foreign--;
}

/* Return 1 where the page was read to its end, 0 where it ends inside something, -1 with an error set. */
static int walk(Walk *w, const byte *at, const byte *end)
{
    Token t;
    int failed = 0;
    while (at < end && (at = find_byte(at, end, '<')) != NULL) {
        read_token(&t, at, end);
        if (t.kind == TOKEN_UNENDED)
            return 0;
        at = t.next;
        if (t.kind == TOKEN_START)
            at = open_tag(w, &t, end, &failed);
        else if (t.kind == TOKEN_END)
            close_tag(w, &t);
        if (failed)
            return -1;
        if (at == NULL)
            return 0;
    }
    return 1;
}

static PyObject *find_links(PyObject *module, PyObject *args)
{
    (void)module;
    char *bytes;
    Py_ssize_t size;
    PyObject *body;
    Walk w = {0};
    if (!PyArg_ParseTuple(args, "Snnn", &body, &w.most_links, &w.most_tags, &w.most_bytes) ||
        PyBytes_AsStringAndSize(body, &bytes, &size))
        return NULL;
    w.links = PyList_New(0);
    w.tags = PyList_New(0);
    int whole = -1;
    if (w.links != NULL && w.tags != NULL)
        whole = walk(&w, (const byte *)bytes, (const byte *)bytes + size);
    if (whole >= 0)
        return Py_BuildValue("(NNnO)", w.links, w.tags, w.dropped, whole ? Py_True : Py_False);
    Py_XDECREF(w.links);
    Py_XDECREF(w.tags);
    return NULL;
}

static PyMethodDef methods[] = {
    {"find_links", find_links, METH_VARARGS,
     "find_links(body, most_links, most_tags, most_bytes): links, other tags, how many more, read to the end."},
    {"has_many_names", has_many_names, METH_VARARGS,
     "has_many_names(source, most): whether tags have attributes of more than so many names."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_hrefs", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__hrefs(void)
{
    static const uint8_t wanted[] = {TAG_BASE, TAG_LINK, TAG_META, TAG_FRAME};
    static const uint8_t raw[] = {TAG_SCRIPT, TAG_STYLE, TAG_TEXTAREA, TAG_TITLE, TAG_XMP, TAG_IFRAME, TAG_NOEMBED,
                                  TAG_NOFRAMES};
    for (size_t i = 0; i < sizeof wanted; i++)
        roles[wanted[i]] = WANTED;
    for (size_t i = 0; i < sizeof raw; i++)
        roles[raw[i]] = RAW;
    roles[TAG_A] = roles[TAG_AREA] = LINKING;
    roles[TAG_TEMPLATE] = TEMPLATE;
    roles[TAG_SVG] = roles[TAG_MATH] = FOREIGN;
    roles[TAG_PLAINTEXT] = PLAIN;
    tags_init();
    return PyModule_Create(&definition);
}
