/* Remember elements by tag and names: their vectors, what looks like them, whether readers wrote what is inside. */
#include "scorer.h"
#include <string.h>

enum { READ_CHARS = 400, READ_WORDS = 24, TAG_CHARS = 64 }; /* the first two as in names.py */

/* Return the number of a key in a dictionary of numbers, added if it is new; -1 on error. */
static int64_t number_of(PyObject *numbers, PyObject *key) {
    PyObject *known = PyDict_GetItemWithError(numbers, key);
    if (known) return PyLong_AsLong(known);
    if (PyErr_Occurred()) return -1;
    Py_ssize_t count = PyDict_Size(numbers);
    PyObject *number = PyLong_FromSsize_t(count);
    if (!number) return -1;
    int failed = PyDict_SetItem(numbers, key, number);
    Py_DECREF(number);
    return failed ? -1 : (int64_t)count;
}

void clear_elements(Elements *elements) {
    for (int32_t i = 0; i < elements->count; i++) {
        Py_DECREF(elements->items[i].tag);
        Py_DECREF(elements->items[i].names);
    }
    elements->count = 0;
    if (elements->slots) memset(elements->slots, -1, ((size_t)elements->mask + 1) * sizeof *elements->slots);
    if (elements->looks) PyDict_Clear(elements->looks);
    if (elements->tags) PyDict_Clear(elements->tags);
}

static uint32_t element_slot(const Elements *elements, Py_hash_t hash, PyObject *tag, PyObject *names) {
    uint32_t slot = (uint32_t)hash & elements->mask;
    for (; elements->slots[slot] >= 0; slot = (slot + 1) & elements->mask) {
        const Element *item = &elements->items[elements->slots[slot]];
        if (item->hash == hash && (item->names == names || PyUnicode_Compare(item->names, names) == 0)
            && (item->tag == tag || PyUnicode_Compare(item->tag, tag) == 0))
            break;
    }
    return slot;
}

/* Make room for one more element. */
int grow_elements(Scorer *self) {
    Elements *elements = &self->elements;
    if (elements->count < elements->room) return 0;
    if (elements->room > (1 << 28)) {
        PyErr_NoMemory();
        return -1;
    }
    int32_t room = elements->room ? elements->room * 2 : 4096;
    size_t slots = (size_t)room * 2, floats = (size_t)room * 2 * (size_t)self->net.name_width;
    Element *items = PyMem_Realloc(elements->items, (size_t)room * sizeof *items);
    if (items) elements->items = items;
    float *vectors = items ? PyMem_Realloc(elements->vectors, floats * sizeof *vectors) : NULL;
    if (vectors) elements->vectors = vectors;
    int32_t *fresh = vectors ? PyMem_Malloc(slots * sizeof *fresh) : NULL;
    if (!fresh) {
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(elements->slots);
    elements->slots = fresh;
    elements->mask = (uint32_t)slots - 1;
    elements->room = room;
    memset(fresh, -1, slots * sizeof *fresh);
    for (int32_t i = 0; i < elements->count; i++) {
        uint32_t slot = (uint32_t)items[i].hash & elements->mask;
        while (fresh[slot] >= 0) slot = (slot + 1) & elements->mask;
        fresh[slot] = i;
    }
    return 0;
}

static int is_small(Py_UCS4 code) { return code - 'a' < 26u; }
static int is_capital(Py_UCS4 code) { return code - 'A' < 26u; }

/* Find the end of the word that starts at `at`, as [A-Z]?[a-z]+|[A-Z]+(?![a-z]) does; `at` itself when none starts. */
static int end_of_word(const Py_UCS4 *codes, int length, int at) {
    int end = at;
    while (end < length && is_capital(codes[end])) end++;
    int capitals = end - at;
    if (end >= length || !is_small(codes[end])) return end;
    if (capitals > 1) return end - 1;
    while (end < length && is_small(codes[end])) end++;
    return end;
}

/* What is read of one element, before it is added. */
typedef struct {
    Py_UCS4 codes[READ_CHARS];
    char key[sizeof(int64_t) + READ_CHARS + READ_WORDS]; /* the number of the tag, then the words */
    char *joined; /* the words in key, in lower case, with a hyphen between */
    int start[READ_WORDS], length[READ_WORDS], words, used;
    int comment;
    float *sum;
} Names;

static void add_name(const Network *net, float *sum, int32_t row) {
    const float *vector = net->names + (Py_ssize_t)row * net->name_width;
    for (int i = 0; i < net->name_width; i++) sum[i] += vector[i];
}

/* Add codes[at:end] unless it is too short or known. */
static void read_name(const Scorer *self, Names *names, int at, int end) {
    int length = end - at;
    if (length < 2) return;
    char *to = names->joined + names->used + (names->words > 0);
    for (int i = 0; i < length; i++) {
        names->codes[at + i] |= 32;
        to[i] = (char)names->codes[at + i];
    }
    for (int i = 0; i < names->words; i++)
        if (names->length[i] == length && !memcmp(names->joined + names->start[i], to, (size_t)length)) return;
    if (names->words) names->joined[names->used] = '-';
    names->start[names->words] = (int)(to - names->joined);
    names->length[names->words++] = length;
    names->used = (int)(to - names->joined) + length;
    int32_t value = find_word(&self->name_vocabulary, hash_word(self->seed, names->codes + at, length))->value;
    names->comment |= value & 1;
    if (value >> 1) add_name(&self->net, names->sum, value >> 1);
}

static int read_names(const Scorer *self, PyObject *text, Names *names) {
    Py_ssize_t length = PyUnicode_GetLength(text);
    if (length == 0) return 0;
    if (length <= READ_CHARS) {
        if (!PyUnicode_AsUCS4(text, names->codes, READ_CHARS, 0)) return -1;
    } else {
        PyObject *part = PyUnicode_Substring(text, 0, length = READ_CHARS);
        if (!part) return -1;
        Py_UCS4 *copied = PyUnicode_AsUCS4(part, names->codes, READ_CHARS, 0);
        Py_DECREF(part);
        if (!copied) return -1;
    }
    for (int at = 0; at < length && names->words < READ_WORDS;) {
        int end = end_of_word(names->codes, (int)length, at);
        if (end > at) read_name(self, names, at, end);
        at = end > at ? end : at + 1;
    }
    return 0;
}

/* Return the row of a tag, written <tag> in the vocabulary; 0 for one that is not there, -1 on error. */
static int32_t row_of_tag(const Scorer *self, PyObject *tag) {
    Py_UCS4 codes[TAG_CHARS + 2];
    Py_ssize_t length = PyUnicode_GetLength(tag);
    if (length > TAG_CHARS) return 0;
    if (length && !PyUnicode_AsUCS4(tag, codes + 1, TAG_CHARS, 0)) return -1;
    codes[0] = '<';
    codes[length + 1] = '>';
    return find_word(&self->name_vocabulary, hash_word(self->seed, codes, length + 2))->value >> 1;
}

static int is_heading(PyObject *tag) {
    static const char *const headings[] = {"h1", "h2", "h3", "h4", "h5", "h6"};
    for (int i = 0; i < 6; i++)
        if (PyUnicode_CompareWithASCIIString(tag, headings[i]) == 0) return 1;
    return 0;
}

/* Number the look of an element: its tag and words, without digits. */
static int64_t number_look(Scorer *self, int64_t tag_number, Names *names) {
    memcpy(names->key, &tag_number, sizeof tag_number);
    PyObject *key = PyBytes_FromStringAndSize(names->key, (Py_ssize_t)sizeof tag_number + names->used);
    if (!key) return -1;
    int64_t look = number_of(self->elements.looks, key);
    Py_DECREF(key);
    return look;
}

static int32_t add_element(Scorer *self, PyObject *tag, PyObject *text, Py_hash_t hash) {
    Elements *elements = &self->elements;
    int width = self->net.name_width;
    if (grow_elements(self) < 0) return -1;
    Names names;
    names.words = names.used = names.comment = 0;
    names.joined = names.key + sizeof(int64_t);
    names.sum = elements->vectors + (size_t)elements->count * 2 * (size_t)width;
    memset(names.sum, 0, (size_t)width * sizeof *names.sum);
    int32_t row = row_of_tag(self, tag);
    if (row < 0) return -1;
    add_name(&self->net, names.sum, row);
    if (read_names(self, text, &names) < 0) return -1;
    memcpy(names.sum + width, names.sum, (size_t)width * sizeof *names.sum);
    squash(names.sum + width, width);
    int64_t tag_number = number_of(elements->tags, tag), look = tag_number < 0 ? -1 : number_look(self, tag_number, &names);
    int is_page = look < 0 ? -1 : PySet_Contains(self->page_tags, tag);
    if (is_page < 0) return -1;
    Py_ssize_t length = PyUnicode_GetLength(tag);
    Py_INCREF(tag);
    Py_INCREF(text);
    elements->items[elements->count] = (Element){
        tag, text, hash, (uint32_t)look, (uint32_t)tag_number, names.comment && !is_page,
        length == 1 && PyUnicode_CompareWithASCIIString(tag, "p") == 0, length == 2 && is_heading(tag),
        length == 7 && PyUnicode_CompareWithASCIIString(tag, "article") == 0,
    };
    elements->slots[element_slot(elements, hash, tag, text)] = elements->count;
    return elements->count++;
}

/* Return the number of an element; -1 on error. */
int32_t find_element(Scorer *self, PyObject *tag, PyObject *names) {
    Py_hash_t first = PyObject_Hash(tag), second = PyObject_Hash(names);
    if ((first == -1 || second == -1) && PyErr_Occurred()) return -1;
    Py_hash_t hash = (Py_hash_t)((size_t)first * 0x9E3779B1u ^ (size_t)second);
    uint32_t slot = element_slot(&self->elements, hash, tag, names);
    return self->elements.slots[slot] >= 0 ? self->elements.slots[slot] : add_element(self, tag, names, hash);
}

static uint64_t mix(uint64_t key, uint64_t seed) {
    key = (key ^ seed) * 0xBF58476D1CE4E5B9u;
    key = (key ^ (key >> 29)) * 0x94D049BB133111EBu;
    return key ^ (key >> 32);
}

static void forget_pairs(Page *page) {
    memset(page->pair_values, -1, ((size_t)page->pair_mask + 1) * sizeof *page->pair_values);
}

/* Return where the value of a pair of numbers stands; it is -1 for a pair not seen before. */
static int32_t *value_of_pair(const Scorer *self, Page *page, uint32_t first, uint32_t second) {
    uint64_t key = (uint64_t)first << 32 | second;
    uint32_t slot = (uint32_t)mix(key, self->seed) & page->pair_mask;
    while (page->pair_values[slot] >= 0 && page->pair_keys[slot] != key) slot = (slot + 1) & page->pair_mask;
    page->pair_keys[slot] = key;
    return &page->pair_values[slot];
}

static void number_paths(const Scorer *self, Page *page) {
    int32_t paths = 0;
    forget_pairs(page);
    for (Py_ssize_t box = 0; box < page->boxes; box++) {
        int32_t parent = page->box_parent[box], above = parent < 0 ? -1 : page->path[parent];
        uint32_t tag = self->elements.items[page->element[box]].tag_number;
        int32_t *value = value_of_pair(self, page, tag, (uint32_t)above);
        if (*value < 0) *value = paths++;
        page->path[box] = *value;
    }
}

static void count_siblings(const Scorer *self, Page *page) {
    forget_pairs(page);
    for (Py_ssize_t box = 0; box < page->boxes; box++) {
        int32_t *value = value_of_pair(self, page, (uint32_t)page->up[box], self->elements.items[page->element[box]].look);
        *value = *value < 0 ? 1 : *value + 1;
    }
    for (Py_ssize_t box = 0; box < page->boxes; box++)
        page->siblings[box] =
            *value_of_pair(self, page, (uint32_t)page->up[box], self->elements.items[page->element[box]].look);
}

/* Number the blocks by style: the look of their box and of the box around it. */
static void number_styles(const Scorer *self, Page *page) {
    const Element *items = self->elements.items;
    forget_pairs(page);
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        int32_t box = page->box[i];
        int32_t *value = value_of_pair(
            self, page, items[page->element[box]].look, items[page->element[page->up[box]]].look);
        if (*value < 0) *value = page->clusters++;
        page->cluster[i] = *value;
        page->cluster_size[*value]++;
    }
}

int read_boxes(Scorer *self, Page *page) {
    for (Py_ssize_t box = 0; box < page->boxes; box++) {
        int32_t number = find_element(self, PyTuple_GetItem(page->box_tag, box), PyTuple_GetItem(page->box_names, box));
        if (number < 0) return -1;
        page->element[box] = number;
    }
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        PyObject *tag = PyTuple_GetItem(page->lead_tag, i);
        page->lead[i] = -1;
        if (PyUnicode_GetLength(tag) == 0) continue;
        if ((page->lead[i] = find_element(self, tag, PyTuple_GetItem(page->lead_names, i))) < 0) return -1;
    }
    int32_t articles = 0;
    int width = self->net.name_width;
    for (Py_ssize_t box = 0; box < page->boxes; box++) {
        const Element *element = &self->elements.items[page->element[box]];
        const float *own = self->elements.vectors + (size_t)page->element[box] * 2 * (size_t)width;
        int32_t parent = page->box_parent[box];
        float *sum = page->path_sum + box * width;
        page->up[box] = parent < 0 ? 0 : parent;
        page->comment[box] = element->comment || (parent >= 0 && page->comment[parent]);
        page->article[box] = parent < 0 ? 0 : page->article[parent];
        if (parent >= 0 && element->article && !page->article[parent]) page->article[box] = ++articles;
        for (int i = 0; i < width; i++) sum[i] = own[i] + (parent < 0 ? 0.0f : page->path_sum[parent * width + i]);
    }
    number_paths(self, page);
    count_siblings(self, page);
    number_styles(self, page);
    return 0;
}
