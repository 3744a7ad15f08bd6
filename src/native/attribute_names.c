/* Say whether a page has more different names of attributes, end tags and document types than a tree builder should be given.
 *
 * The twin of `has_many_names` in scythe.page.attribute_limits, which says what is counted and why.
 */
#include "native.h"

#include "tokens.h"

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

PyObject *has_many_names(PyObject *module, PyObject *args)
{
    (void)module;
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
