/* The links of a page and tags like <base>, from its bytes. */
#include "native.h"

#include "tokens.h"

typedef struct {
    PyObject *links, *tags;
    Py_ssize_t most_links, most_tags, most_bytes, dropped;
    int templates, foreign; /* open around this place */
} Walk;

/* Read the values of href and rel, the first of each name. */
static void read_values(const Token *t, Attribute *href, Attribute *rel)
{
    const byte *at = t->attributes;
    Attribute attribute;
    while (next_attribute(&at, t->next - 1, &attribute))
        if (href->name == NULL && is_named(&attribute, "href", 4))
            *href = attribute;
        else if (rel->name == NULL && is_named(&attribute, "rel", 3))
            *rel = attribute;
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
    Attribute href = {0}, rel = {0};
    if (w->templates)
        return 0;
    if (t->next - t->at > w->most_bytes || PyList_Size(w->links) >= w->most_links) {
        w->dropped++;
        return 0;
    }
    read_values(t, &href, &rel);
    if (href.value == href.value_end)
        return 0;
    if (rel.value == rel.value_end)
        return append(w->links, PyBytes_FromStringAndSize((const char *)href.value, href.value_end - href.value));
    return append(w->links, Py_BuildValue("(y#y#)", href.value, href.value_end - href.value, rel.value,
                                          rel.value_end - rel.value));
}

/* Return where to go on behind an opening tag, NULL where the rest of the page is of no use. `failed`: error set. */
static const byte *open_tag(Walk *w, const Token *t, const byte *end, int *failed)
{
    switch (t->tag) {
    case TAG_A:
    case TAG_AREA:
        *failed = keep_link(w, t);
        break;
    case TAG_BASE:
    case TAG_LINK:
    case TAG_META:
    case TAG_FRAME:
        *failed = keep(w, t);
        break;
    case TAG_TEMPLATE:
        w->templates += !w->foreign;
        break;
    case TAG_SVG:
    case TAG_MATH:
        w->foreign += !t->slash;
        break;
    case TAG_PLAINTEXT:
        return NULL;
    default:
        if ((traits_of(t->tag) & T_RAW) && !(w->foreign && t->slash))
            return content_close(t, end);
    }
    return t->next;
}

static void close_tag(Walk *w, const Token *t)
{
    if (t->tag == TAG_TEMPLATE && w->templates)
        w->templates--;
    else if ((t->tag == TAG_SVG || t->tag == TAG_MATH) && w->foreign)
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

PyObject *find_links(PyObject *Py_UNUSED(module), PyObject *args)
{
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
