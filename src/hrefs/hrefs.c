/* scythe.page._hrefs: the walk of scythe.page.hrefs in C. A page comes in, the tags that name addresses go out.
 *
 * It must give the same tags as the Python walk; a test holds that. The tokenizer is that of the stage `cut`.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "../cut/tokens.c"

enum { OTHER, WANTED, RAW, TEMPLATE, FOREIGN, PLAIN };

static uint8_t roles[TAG_COUNT];

typedef struct {
    PyObject *tags;
    Py_ssize_t most, most_bytes, dropped;
    int templates, foreign; /* open around this place */
} Walk;

static int keep(Walk *w, const Token *t)
{
    if (w->templates)
        return 0;
    if (t->next - t->at > w->most_bytes || PyList_Size(w->tags) >= w->most) {
        w->dropped++;
        return 0;
    }
    PyObject *tag = PyBytes_FromStringAndSize((const char *)t->at, t->next - t->at);
    int failed = tag == NULL || PyList_Append(w->tags, tag);
    Py_XDECREF(tag);
    return failed ? -1 : 0;
}

/* Return where to go on behind an opening tag, NULL where the rest of the page is of no use. `failed`: error set. */
static const byte *open_tag(Walk *w, const Token *t, const byte *end, int *failed)
{
    switch (roles[t->tag]) {
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

static PyObject *find_tags(PyObject *module, PyObject *args)
{
    (void)module;
    char *bytes;
    Py_ssize_t size;
    PyObject *body;
    Walk w = {0};
    if (!PyArg_ParseTuple(args, "Snn", &body, &w.most, &w.most_bytes) || PyBytes_AsStringAndSize(body, &bytes, &size))
        return NULL;
    if ((w.tags = PyList_New(0)) == NULL)
        return NULL;
    int whole = walk(&w, (const byte *)bytes, (const byte *)bytes + size);
    if (whole < 0) {
        Py_DECREF(w.tags);
        return NULL;
    }
    return Py_BuildValue("(NnO)", w.tags, w.dropped, whole ? Py_True : Py_False);
}

static PyMethodDef methods[] = {
    {"find_tags", find_tags, METH_VARARGS, "find_tags(body, most, most_bytes): tags, how many more, read to the end."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_hrefs", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__hrefs(void)
{
    static const uint8_t wanted[] = {TAG_A, TAG_AREA, TAG_BASE, TAG_LINK, TAG_META, TAG_FRAME};
    static const uint8_t raw[] = {TAG_SCRIPT, TAG_STYLE, TAG_TEXTAREA, TAG_TITLE, TAG_XMP, TAG_IFRAME, TAG_NOEMBED,
                                  TAG_NOFRAMES};
    for (size_t i = 0; i < sizeof wanted; i++)
        roles[wanted[i]] = WANTED;
    for (size_t i = 0; i < sizeof raw; i++)
        roles[raw[i]] = RAW;
    roles[TAG_TEMPLATE] = TEMPLATE;
    roles[TAG_SVG] = roles[TAG_MATH] = FOREIGN;
    roles[TAG_PLAINTEXT] = PLAIN;
    tags_init();
    return PyModule_Create(&definition);
}
