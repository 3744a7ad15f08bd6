/* What the parts of the compiled scorer share: the network, one page under way, and the memory both live in. */
#ifndef SCYTHE_SCORER_H
#define SCYTHE_SCORER_H

#include "native.h"

#include <stdint.h>

enum { SPACE, LOWER, UPPER, DIGIT, STOP, COMMA, COLON, QUOTE, BRACKET, BAR, DASH, SIGN, MONEY, DENSE, LETTER, OTHER, KINDS };

enum {
    LEVELS = 5,          /* boxes described around a block */
    LEVEL_NUMBERS = 8,   /* per box */
    PAGE_NUMBERS = 12,
    NUMBERS = 129,       /* columns that features.py makes */
    COMPARED_CHARS = 600,
    OPENING_CHARS = 120,
    OPENING_WORDS = 10,
    LOWERED_CHARS = COMPARED_CHARS * 3, /* lower case of one character is at most three */
    LOWERED_WORDS = LOWERED_CHARS / 2 + 1,
    DISTINCT_SLOTS = 2048, /* a power of two, twice LOWERED_WORDS or more */
    CHARS = 0x10000,
    IS_WORD = 16,
    LOWER_SHIFT = 16,
    MOST_ROWS = 1 << 24, /* far above any page; keeps every product of sizes within its type */
    POOLS = 3,           /* boxes around a block whose means it sees */
    GROUP = 4,           /* blocks in a row that share products with their neighbours */
    PRODUCTS = GROUP + 2,
    TILE = 6,            /* rows that the matrix product takes at once */
    PAD = 16,            /* vectors are padded to a multiple of this many floats */
    MOST_KINDS = 32,     /* of pages */
};

/* A block of memory handed out in pieces. With base NULL it only adds up what is needed. */
typedef struct {
    char *base;
    size_t size, used;
    int overflow;
} Arena;

void *take(Arena *arena, size_t count, size_t item);

typedef struct {
    int reach;
    float *along;       /* itself and its neighbours, as look_along wants them: PRODUCTS matrices of width x padded */
    float *heading;     /* the heading above: width x padded */
    float *boxes;       /* POOLS matrices */
    float *style;
    float *page;        /* 2 matrices: mean, maximum */
    float *bias;
} Round;

typedef struct {
    int width, padded;          /* of the hidden vectors */
    int name_width, word_width, page_width;
    int inputs;                 /* numbers and vectors of a block */
    int rounds, reach;          /* reach: the largest of all rounds */
    Py_ssize_t name_rows, word_rows, page_rows;
    float *names, *words, *page; /* embedding tables */
    float *mean, *scale;
    float *first, *first_page, *first_bias;
    Round *round;
    float *last;
    double last_bias;
    int kinds, kind_round;      /* how many kinds of page, and the first round that knows which it is */
    float *kind, *kind_bias;    /* from mean and maximum of the page: 2 * width rows of `kinds` */
    float *by_kind;             /* of each round from kind_round on: `kinds` rows */
    float *last_by_kind;
} Network;

/* An element as the vocabulary sees it; its vectors stand at 2 * name_width * number: the sum, and tanh of the sum. */
typedef struct {
    PyObject *tag, *names;
    Py_hash_t hash;
    uint32_t look, tag_number;
    uint8_t comment, paragraph, heading, article;
} Element;

typedef struct {
    Element *items;
    float *vectors;
    int32_t *slots; /* numbers of items, -1 for empty; mask + 1 of them */
    uint32_t mask;
    int32_t count, room;
    PyObject *looks, *tags; /* numbers by key and by tag */
} Elements;

/* Words by a hash of 64 bits, salted; 0 for an empty slot. */
typedef struct {
    uint64_t hash;
    int32_t value;
    uint32_t stamp; /* of the block that was last seen to have it */
} Word;

typedef struct {
    Word *slots;
    uint32_t mask;
} Words;

typedef struct {
    PyObject_HEAD
    Network net;
    Arena memory;    /* of the network */
    Words vocabulary, name_vocabulary; /* value: row * 2, plus 1 for a name that means comments */
    int32_t count_rows[OPENING_WORDS + 1]; /* rows of the words "=0" to "=10" */
    uint32_t *chars; /* per code point of the basic plane: kind, IS_WORD, and the lower case above LOWER_SHIFT */
    Elements elements;
    PyObject *page_tags, *lower, *isalnum;
    uint64_t seed;
    int active;      /* calls under way: elements are not forgotten meanwhile */
    char *scratch;   /* kept between calls */
    size_t scratch_size;
} Scorer;

/* One page under way. Columns are as in Blocks and Features. */
typedef struct {
    Py_ssize_t blocks, boxes, images;
    int plain; /* do without instructions that only some processors have */
    PyObject *box_tag, *box_names, *text, *lead_names, *lead_tag; /* tuples */
    int32_t *box_parent, *box_hidden, *box_start, *box_end;
    int32_t *box, *link_chars, *links, *bold_chars, *breaks, *image_count;
    Py_ssize_t longest_text, head_chars;
    Py_UCS4 *codes, *lowered;
    Words head;             /* words of title (value bit 0) and description (bit 1) */
    int32_t title_words, description_words;
    int has_description;
    uint64_t *found;        /* hashes of the words of the block under way */
    Word *distinct;
    /* per box */
    int32_t *up, *element, *path, *siblings, *article;
    uint8_t *comment, *box_ready;
    float *held, *path_sum, *box_vectors;
    uint64_t *pair_keys;    /* a table of pairs of numbers */
    int32_t *pair_values;
    uint32_t pair_mask;
    int32_t *text_slots;
    uint32_t text_mask;
    Py_hash_t *text_hash;
    /* per block */
    float *letters;         /* KINDS counts */
    float *sentences, *words, *prose, *overlap, *word_sum;
    uint8_t *first, *last;
    int32_t *lead, *copies, *copy_of, *heading, *cluster, *heading_slot, *pool_slot[POOLS], *pool_box[POOLS];
    int32_t *heading_block, *cluster_size;
    int32_t clusters, headings, pools[POOLS];
    double *totals, *kin;
    float *inputs;
    float *page_sum;
    float *hidden_base, *hidden, *seen, *gathered, *mixed[PRODUCTS], *product[PRODUCTS];
    double *running;
    float kind[MOST_KINDS]; /* probability of each kind of page */
    int32_t *box_slots;     /* per box, -1: not seen */
} Page;

int complain(const char *what); /* set ValueError, return -1 */
uint32_t power_of_two(size_t least);

int read_head(Scorer *self, Page *page, PyObject *title, PyObject *description);
int read_texts(Scorer *self, Page *page);
uint64_t hash_word(uint64_t seed, const Py_UCS4 *codes, Py_ssize_t length);
Word *find_word(const Words *words, uint64_t hash);

int32_t find_element(Scorer *self, PyObject *tag, PyObject *names);
int grow_elements(Scorer *self);
void clear_elements(Elements *elements);

int read_boxes(Scorer *self, Page *page);
void describe(Scorer *self, Page *page);
float log1p_of(double count);
void fill_logs(void);

void forward(const Scorer *self, Page *page, double *probabilities);
void squash(float *values, Py_ssize_t count); /* tanh in place */

PyObject *scorer_score(PyObject *self, PyObject *args);

#endif
