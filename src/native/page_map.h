/* The map of a page as an object of Python; see page_map.c. */
#ifndef SCYTHE_PAGE_MAP_H
#define SCYTHE_PAGE_MAP_H

#include "native.h"
#include "tree.h"

#include <stddef.h>

typedef struct {
    PyObject_HEAD
    PyObject *source, *tags, *empty, *text_tag;
    const byte *base;
    uint32_t most_attributes;
    uint64_t *key, *path; /* of every element, once they were asked for */
    Tree tree;
} PageMap;

typedef struct {
    byte *bytes;
    size_t size, room;
} Buffer;

enum { NO_NODE = 0x7FFFFFFF };

/* Append bytes; 0 with an error set where memory runs out. */
int buffer_put(Buffer *b, const byte *at, size_t size);
void buffer_free(Buffer *b);

/* Append a run of text, references read, line ends as \n. */
int put_run(Buffer *out, const PageMap *map, uint32_t run);

/* Return where the attributes begin of the tag with this number that an element has: html and body may have several. */
int tag_of_row(const PageMap *map, uint32_t row, uint32_t number, const byte **at);

/* Return the value of an attribute as str. */
PyObject *decode_value(const byte *at, const byte *end);
PyObject *attributes_of_row(const PageMap *map, uint32_t row);
int find_attribute(const PageMap *map, uint32_t row, const char *name, Attribute *found);
PyObject *tag_name(PageMap *map, uint16_t tag);

/* A template of HTML: what it holds is no part of the page. svg and math may have elements of that name. */
static inline int is_template(const Tree *t, uint32_t row)
{
    return t->tag[row] == TAG_TEMPLATE && !(t->flags[row] & IS_FOREIGN);
}

/* Moving through the tree: elements are rows, texts are ~run; NO_NODE where there is none. */
long first_child_of(const Tree *t, uint32_t row);
long next_of(const Tree *t, long node);

/* Return the first run behind the text node that begins with `run`. */
uint32_t text_end(const Tree *t, uint32_t run);

int page_map_init(PyObject *module);
void hashes_init(void);

/* page_hash.c, page_html.c, page_columns.c, page_text.c */
int is_row(const PageMap *map, long row);
PyObject *map_cut_text(PyObject *self, PyObject *args);
const uint64_t *keys_of(PageMap *map); /* the key of every element, NULL with an error set */
PyObject *hashed_column(PageMap *map, const char *name);
/* Return the first element with these hashes (0: any), -1 for none or with an error set. */
long first_matching(PageMap *map, uint64_t path, uint64_t key, uint64_t parent);
PyObject *map_matching(PyObject *self, PyObject *args);
PyObject *map_signature(PyObject *self, PyObject *unused);
PyObject *map_mark(PyObject *self, PyObject *unused);
PyObject *map_around(PyObject *self, PyObject *args);
PyObject *write_html(PageMap *map, long node);
PyObject *map_blocks(PyObject *self, PyObject *args);
PyObject *map_run_blocks(PyObject *self, PyObject *unused);
PyObject *map_elements(PyObject *self, PyObject *args);

#endif
