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

/* Whether a page has more different names of attributes, end tags and document types than a tree builder should be given.
 * scythe.page.attribute_limits says what is counted and why. */
enum { MARKS = 1 << 16, PASSES = 4 }; /* bits of the table; how often each byte may be read, by and large */

typedef struct {
    uint64_t seed;
    Py_ssize_t count, most; /* different names seen; more than `most` are many */
    Py_ssize_t bytes;       /* that may still be read */
    uint64_t marks[MARKS / 64];
} Names;

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t lower_eight(uint64_t letters)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones * 128;
    uint64_t low = letters & ~tops; /* no byte carries into the next */
    uint64_t is_capital = (low + ones * (128 - 'A')) & ~(low + ones * (128 - 'Z' - 1)) & ~letters & tops;
    return letters | is_capital >> 2;
}

static inline uint64_t read_eight(const byte *at, const byte *end)
{
    uint64_t letters = 0;
    if (end - at >= 8)
        memcpy(&letters, at, 8);
    else if (end > at)
        memcpy(&letters, at, (size_t)(end - at));
    return lower_eight(letters);
}

/* The seed is that of the interpreter: who writes a page cannot make names that share a bit. */
static inline void note_name(Names *names, const byte *at, const byte *end)
{
    uint64_t hash = names->seed ^ (uint64_t)(end - at);
    for (; at < end; at += 16)
        hash = mix(read_eight(at, end) ^ hash, read_eight(at + 8, end) ^ 0x9E3779B97F4A7C15u);
    hash = mix(hash ^ names->seed, 0xD6E8FEB86659FD93u) >> 48;
    uint64_t bit = (uint64_t)1 << (hash & 63), *mark = &names->marks[hash >> 6];
    names->count += !(*mark & bit);
    *mark |= bit;
}

/* Note the names in a tag whose own name ended at `at`; return where it ends, or the page. */
static const byte *note_tag(Names *names, const byte *at, const byte *end)
{
    Attribute attribute;
    while (next_attribute(&at, end, &attribute))
        note_name(names, attribute.name, attribute.name_end);
    return at;
}

/* Note the name of a document type, which is kept among those of attributes; `at` is behind its `<!`. */
static const byte *note_doctype(Names *names, const byte *at, const byte *end)
{
    static const char word[] = "doctype";
    for (int i = 0; word[i]; i++, at++)
        if (at >= end || lower(*at) != (byte)word[i])
            return at;
    at = skip_space(at, end);
    const byte *name = at;
    while (at < end && !(byte_class[*at] & B_VALUE_END))
        at++;
    note_name(names, name, at);
    return at;
}

static int has_many(Names *names, const byte *at, const byte *end)
{
    while (at < end && (at = find_byte(at, end, '<')) != NULL) {
        at++;
        const byte *here = at + (at < end && *at == '/');
        if (here < end && is_letter(*here)) {
            while (here < end && !(byte_class[*here] & B_NAME_END))
                here++;
            if (*at == '/')
                note_name(names, at, here); /* the tree builder lists it before it knows that nothing is to be ended */
            if (here < end && *here != '>')
                here = note_tag(names, here, end);
        } else if (at < end && *at == '!') {
            here = note_doctype(names, at + 1, end);
        }
        names->bytes -= here - at;
        if (names->count > names->most || names->bytes < 0)
            return 1;
    }
    return 0;
}

PyObject *has_many_names(PyObject *Py_UNUSED(module), PyObject *args)
{
    char *bytes;
    Py_ssize_t size;
    PyObject *source;
    Names names = {0};
    if (!PyArg_ParseTuple(args, "Sn", &source, &names.most) || PyBytes_AsStringAndSize(source, &bytes, &size))
        return NULL;
    PyObject *word = PyUnicode_FromString("names");
    if (word == NULL)
        return NULL;
    names.seed = (uint64_t)PyObject_Hash(word);
    Py_DECREF(word);
    names.bytes = PASSES * size;
    return PyBool_FromLong(has_many(&names, (const byte *)bytes, (const byte *)bytes + size));
}
