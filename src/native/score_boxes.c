/* Describe the boxes of a page: which look alike, which stand inside comments or articles. */
#include "scorer.h"
#include <string.h>

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
