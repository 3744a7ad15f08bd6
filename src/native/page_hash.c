/* Columns of hashes: what an element is called, the path to it, and the text of runs. */
#include "hash.h"
#include "page_map.h"

static inline uint64_t mix(uint64_t one, uint64_t other)
{
    uint64_t hash = (one ^ (other + 0x9E3779B97F4A7C15u + (one << 6) + (one >> 2))) * 0xFF51AFD7ED558CCDu;
    return hash ^ (hash >> 32);
}

static inline uint64_t hash_byte(uint64_t hash, byte c) { return (hash ^ c) * 0x100000001B3u; }

/* Say whether one of eight bytes may be a digit: ASCII or not, bytes from 0x30 to 0x39 and a few others. */
static inline int may_have_digit(uint64_t word)
{
    uint64_t apart = (word & 0xF0F0F0F0F0F0F0F0u) ^ 0x3030303030303030u;
    return ((apart - 0x0101010101010101u) & ~apart & 0x8080808080808080u) != 0;
}

/* Hash a name in which every run of digits is the same: eight bytes at a time of what is left of it. */
static uint64_t hash_folded(uint64_t hash, const byte *at, const byte *end)
{
    uint64_t word = 0, size = 0;
    unsigned held = 0; /* bits of the word under way */
    while (at < end) {
        if (held == 0 && end - at >= 8 && !may_have_digit(word_at(at))) {
            hash = hash_word(hash, word_at(at));
            at += 8;
            size += 8;
            continue;
        }
        byte c = *at++;
        if (c >= '0' && c <= '9') {
            while (at < end && *at >= '0' && *at <= '9')
                at++;
            c = '#';
        }
        word |= (uint64_t)c << held;
        held += 8;
        size++;
        if (held == 64) {
            hash = hash_word(hash, word);
            word = held = 0;
        }
    }
    return hash_word(hash_word(hash, word), size);
}

static uint64_t hash_name(const byte *at, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; i++)
        hash = hash_byte(hash, lower(at[i]));
    return hash;
}

static uint64_t known_hashes[TAG_COUNT];

void hashes_init(void)
{
    for (int tag = 0; tag < TAG_COUNT; tag++)
        known_hashes[tag] = hash_name((const byte *)tag_rows[tag].name, strlen(tag_rows[tag].name));
}

static uint64_t hash_tag(const PageMap *map, uint16_t tag)
{
    if (tag < TAG_COUNT)
        return known_hashes[tag];
    return hash_name(map->base + map->tree.name_at[tag - TAG_COUNT], map->tree.name_size[tag - TAG_COUNT]);
}

/* Return the key of an element: its tag, its id and the first of its classes; runs of digits are the same. */
static uint64_t key_of(const PageMap *map, uint32_t row)
{
    const Tree *t = &map->tree;
    const byte *end = map->base + t->size;
    uint64_t hash = hash_tag(map, t->tag[row]);
    if (row == 0 || row == t->body)
        return hash | 1;
    Attribute a;
    if (t->id[row]) {
        read_value(map->base + t->id[row], end, &a);
        if (a.value_end > a.value)
            hash = mix(hash, hash_folded(0xA5, a.value, a.value_end));
    }
    if (t->class[row]) {
        read_value(map->base + t->class[row], end, &a);
        const byte *from = a.value ? skip_space(a.value, a.value_end) : NULL, *to = from;
        while (to && to < a.value_end && !is_space(*to))
            to++;
        if (to > from)
            hash = mix(hash, hash_folded(0x5A, from, to) * 3);
    }
    return hash | 1;
}

static uint64_t hash_run(const PageMap *map, uint32_t run)
{
    const byte *at = map->base + map->tree.run_start[run], *end = map->base + map->tree.run_end[run];
    uint64_t hash = 0xCBF29CE484222325u;
    int gap = 0, any = 0;
    for (; at < end; at++) {
        if (is_space(*at)) {
            gap = any;
            continue;
        }
        if (gap)
            hash = hash_byte(hash, ' ');
        hash = hash_byte(hash, *at);
        gap = 0;
        any = 1;
    }
    return hash;
}

/* Return the keys of all elements, or their paths; NULL with an error set. They are worked out once. */
static const uint64_t *hashes_of(PageMap *map, int paths)
{
    uint32_t count = map->tree.count;
    if (map->key == NULL) {
        uint64_t *keys = PyMem_Malloc(count * sizeof *keys);
        for (uint32_t row = 0; keys && row < count; row++)
            keys[row] = key_of(map, row);
        map->key = keys;
    }
    if (paths && map->key && map->path == NULL) {
        uint64_t *all = PyMem_Malloc(count * sizeof *all);
        for (uint32_t row = 0; all && row < count; row++)
            all[row] = row ? mix(all[map->tree.parent[row]], map->key[row]) | 1 : map->key[0];
        map->path = all;
    }
    const uint64_t *found = paths ? map->path : map->key;
    if (found == NULL)
        PyErr_NoMemory();
    return found;
}

const uint64_t *keys_of(PageMap *map) { return hashes_of(map, 0); }

PyObject *hashed_column(PageMap *map, const char *name)
{
    int is_path = !strcmp(name, "path");
    if (is_path || !strcmp(name, "key")) {
        const uint64_t *all = hashes_of(map, is_path);
        return all ? PyBytes_FromStringAndSize((const char *)all, (Py_ssize_t)map->tree.count * 8) : NULL;
    }
    if (strcmp(name, "run_hash")) {
        PyErr_Format(PyExc_KeyError, "no column %s", name);
        return NULL;
    }
    uint32_t count = map->tree.run_count;
    PyObject *column = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count * 8);
    uint64_t *into = column ? (uint64_t *)(void *)PyBytes_AsString(column) : NULL;
    for (uint32_t run = 0; into && run < count; run++)
        into[run] = hash_run(map, run);
    return column;
}

static inline int is_match(const Tree *t, const uint64_t *keys, const uint64_t *paths, uint32_t row, const uint64_t wanted[3])
{
    return !(t->flags[row] & IN_TEMPLATE) && (!wanted[0] || paths[row] == wanted[0]) && (!wanted[1] || keys[row] == wanted[1]) &&
           (!wanted[2] || (t->parent[row] >= 0 && keys[t->parent[row]] == wanted[2]));
}

long first_matching(PageMap *map, uint64_t path, uint64_t key, uint64_t parent)
{
    const uint64_t *keys = hashes_of(map, 0), *paths = path ? hashes_of(map, 1) : NULL, wanted[3] = {path, key, parent};
    for (uint32_t row = 0; keys && (paths || !path) && row < map->tree.count; row++)
        if (is_match(&map->tree, keys, paths, row, wanted))
            return (long)row;
    return -1;
}

PyObject *map_matching(PyObject *self, PyObject *args)
{
    PageMap *map = (PageMap *)self;
    const Tree *t = &map->tree;
    unsigned long long path, key, parent;
    int nested;
    if (!PyArg_ParseTuple(args, "KKKp", &path, &key, &parent, &nested))
        return NULL;
    const uint64_t *keys = hashes_of(map, 0), *paths = path ? hashes_of(map, 1) : NULL;
    PyObject *found = keys && (paths || !path) ? PyList_New(0) : NULL;
    for (uint32_t row = 0; found && row < t->count;) {
        if (!is_match(t, keys, paths, row, (const uint64_t[3]){path, key, parent})) {
            row++;
            continue;
        }
        PyObject *number = PyLong_FromLong((long)row);
        if (number == NULL || PyList_Append(found, number))
            Py_CLEAR(found);
        Py_XDECREF(number);
        row = nested ? row + 1 : (uint32_t)t->last[row];
    }
    return found;
}

/* Return the distinct keys of elements with an id or a class, in a block to free; NULL with an error set. */
static uint64_t *keyed_hashes(PageMap *map, uint64_t **kept, uint32_t *count)
{
    const uint64_t *keys = hashes_of(map, 0);
    uint32_t mask = 63;
    while (keys && mask < 2 * map->tree.count)
        mask = mask * 2 + 1;
    uint64_t *slots = keys ? PyMem_Calloc((size_t)mask + 1 + map->tree.count, sizeof *slots) : NULL;
    if (slots == NULL)
        return keys ? (uint64_t *)PyErr_NoMemory() : NULL;
    *kept = slots + mask + 1;
    *count = 0;
    for (uint32_t row = 0; row < map->tree.count; row++) {
        uint64_t key = keys[row];
        if (key == (hash_tag(map, map->tree.tag[row]) | 1))
            continue;
        uint32_t slot = (uint32_t)(key >> 32) & mask;
        while (slots[slot] && slots[slot] != key)
            slot = (slot + 1) & mask;
        if (slots[slot] == 0)
            (*kept)[(*count)++] = slots[slot] = key; /* no key is 0 */
    }
    return slots;
}

PyObject *map_signature(PyObject *self, PyObject *Py_UNUSED(unused))
{
    uint64_t *kept, *slots;
    uint32_t count;
    if ((slots = keyed_hashes((PageMap *)self, &kept, &count)) == NULL)
        return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)kept, (Py_ssize_t)(count * sizeof *kept));
    PyMem_Free(slots);
    return bytes;
}

PyObject *map_mark(PyObject *self, PyObject *Py_UNUSED(unused))
{
    uint64_t *kept, *slots, mark = 0;
    uint32_t count;
    if ((slots = keyed_hashes((PageMap *)self, &kept, &count)) == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++) /* a sum: in whichever order they come */
        mark += mix(kept[i], kept[i] >> 7);
    PyMem_Free(slots);
    return PyLong_FromUnsignedLongLong(mark);
}

PyObject *map_around(PyObject *self, PyObject *args)
{
    const Tree *t = &((PageMap *)self)->tree;
    unsigned int start, end;
    uint32_t found = 0, inner = 0;
    if (!PyArg_ParseTuple(args, "II", &start, &end))
        return NULL;
    for (uint32_t row = 1; row < t->count; row++)
        if (t->start[row] <= start && t->end[row] >= end)
            found = row;
    for (uint32_t row = found; row < (uint32_t)t->last[found]; row++)
        inner += t->tag[row] == t->tag[found];
    return Py_BuildValue("(II)", found, inner);
}
