/* Read the texts of a page: count kinds of characters, look up opening words, compare words with title and description. */
#include "scorer.h"
#include <string.h>

static uint64_t hash_char(uint64_t hash, Py_UCS4 code) { return (hash ^ code) * 0x9E3779B97F4A7C15u; }

static uint64_t finish_hash(uint64_t hash) { return (hash ^ (hash >> 32)) | (uint64_t)1 << 63; }

uint64_t hash_word(uint64_t seed, const Py_UCS4 *codes, Py_ssize_t length) {
    for (Py_ssize_t i = 0; i < length; i++) seed = hash_char(seed, codes[i]);
    return finish_hash(seed);
}

/* Return where a word stands, or the empty slot where it would; value 0 there. */
Word *find_word(const Words *words, uint64_t hash) {
    uint32_t slot = (uint32_t)hash & words->mask;
    while (words->slots[slot].hash && words->slots[slot].hash != hash) slot = (slot + 1) & words->mask;
    return &words->slots[slot];
}

/* Say whether a character is one of \w: 1, 0, or -1 on error. */
static int is_word_char(const Scorer *self, Py_UCS4 code) {
    if (code < CHARS) return (self->chars[code] & IS_WORD) != 0;
    PyObject *text = PyUnicode_FromOrdinal((int)code);
    if (!text) return -1;
    PyObject *answer = PyObject_CallMethodObjArgs(text, self->isalnum, NULL);
    Py_DECREF(text);
    if (!answer) return -1;
    int result = answer == Py_True;
    Py_DECREF(answer);
    return result;
}

/* Put the first `length` characters of a text in lower case into `out`. Return how many they became, or -1. */
static Py_ssize_t lower_text(Scorer *self, PyObject *text, const Py_UCS4 *codes, Py_ssize_t length, Py_UCS4 *out,
                             Py_ssize_t room) {
    int known = 1;
    for (Py_ssize_t i = 0; i < length; i++) {
        out[i] = codes[i] < CHARS ? self->chars[codes[i]] >> LOWER_SHIFT : 0;
        known &= out[i] != 0;
    }
    if (known) return length;
    PyObject *part = PyUnicode_Substring(text, 0, length);
    if (!part) return -1;
    PyObject *lowered = PyObject_CallMethodObjArgs(part, self->lower, NULL);
    Py_DECREF(part);
    if (!lowered) return -1;
    Py_ssize_t count = PyUnicode_GetLength(lowered);
    if (count > room) {
        PyErr_SetString(PyExc_ValueError, "lower case is longer than expected");
        count = -1;
    } else if (count > 0 && !PyUnicode_AsUCS4(lowered, out, room, 0)) {
        count = -1;
    }
    Py_DECREF(lowered);
    return count;
}

/* Find the next run of word characters at or after *at. Return 1 and its hash, 0 at the end, -1 on error. */
static int next_word(const Scorer *self, const Py_UCS4 *codes, Py_ssize_t length, Py_ssize_t *at, uint64_t *found) {
    Py_ssize_t i = *at;
    int is_word = 0;
    while (i < length && !(is_word = is_word_char(self, codes[i]))) i++;
    if (is_word < 0 || i >= length) return is_word < 0 ? -1 : 0;
    uint64_t hash = self->seed;
    do hash = hash_char(hash, codes[i++]);
    while (i < length && (is_word = is_word_char(self, codes[i])) > 0);
    *at = i;
    *found = finish_hash(hash);
    return is_word < 0 ? -1 : 1;
}

static int read_head_text(Scorer *self, Page *page, PyObject *text, int bit, int32_t *distinct) {
    Py_ssize_t length = PyUnicode_GetLength(text), room = page->head_chars, at = 0;
    if (length == 0) return 0;
    if (!PyUnicode_AsUCS4(text, page->codes, room, 0)) return -1;
    Py_ssize_t count = lower_text(self, text, page->codes, length, page->lowered, room);
    if (count < 0) return -1;
    uint64_t hash;
    int more;
    while ((more = next_word(self, page->lowered, count, &at, &hash)) > 0) {
        Word *word = find_word(&page->head, hash);
        word->hash = hash;
        *distinct += !(word->value & bit);
        word->value |= bit;
    }
    return more;
}

int read_head(Scorer *self, Page *page, PyObject *title, PyObject *description) {
    page->has_description = PyUnicode_GetLength(description) > 0;
    if (read_head_text(self, page, title, 1, &page->title_words) < 0) return -1;
    return read_head_text(self, page, description, 2, &page->description_words);
}

/* Count the different words of the block under way. */
static int32_t count_distinct(Page *page, Py_ssize_t count, uint32_t stamp) {
    int32_t different = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        Word *slots = page->distinct;
        uint32_t slot = (uint32_t)page->found[i] & (DISTINCT_SLOTS - 1);
        while (slots[slot].stamp == stamp && slots[slot].hash != page->found[i]) slot = (slot + 1) & (DISTINCT_SLOTS - 1);
        different += slots[slot].stamp != stamp;
        slots[slot] = (Word){page->found[i], 0, stamp};
    }
    return different;
}

/* Compare the words of a block with title and description; `common` has the numbers of different shared words. */
static void compare(Page *page, Py_ssize_t block, Py_ssize_t count, const int32_t *common) {
    if (!common[0] && !common[1]) return;
    double different = count_distinct(page, count, (uint32_t)block + 1);
    float *overlap = page->overlap + 4 * block;
    if (common[0]) {
        overlap[0] = (float)(common[0] / different);
        overlap[1] = (float)((double)common[0] / page->title_words);
    }
    if (common[1]) {
        overlap[2] = (float)(common[1] / different);
        overlap[3] = (float)((double)common[1] / page->description_words);
    }
}

static void add_row(const Network *net, float *sum, int32_t row) {
    const float *vector = net->words + (Py_ssize_t)row * net->word_width;
    for (int i = 0; i < net->word_width; i++) sum[i] += vector[i];
}

/* Look up the first words of a block and compare all of them with title and description. */
static int read_opening(Scorer *self, Page *page, Py_ssize_t block, PyObject *text, Py_ssize_t length) {
    int is_short = length <= COMPARED_CHARS;
    Py_ssize_t at = 0, count = 0, chars = is_short ? length : OPENING_CHARS;
    chars = lower_text(self, text, page->codes, chars, page->lowered, LOWERED_CHARS);
    if (chars < 0) return -1;
    float *sum = page->word_sum + block * self->net.word_width;
    int32_t common[2] = {0, 0};
    int more;
    while ((more = next_word(self, page->lowered, chars, &at, &page->found[count])) > 0)
        if (++count > OPENING_WORDS && !is_short) break;
    if (more < 0) return -1;
    /* only now: looked up one after the other, words need not wait for each other's memory */
    for (Py_ssize_t i = 0; i < count && i < OPENING_WORDS; i++)
        add_row(&self->net, sum, find_word(&self->vocabulary, page->found[i])->value);
    for (Py_ssize_t i = 0; is_short && i < count; i++) {
        Word *shared = find_word(&page->head, page->found[i]);
        if (!shared->hash || shared->stamp == (uint32_t)block + 1) continue;
        shared->stamp = (uint32_t)block + 1;
        common[0] += shared->value & 1;
        common[1] += shared->value >> 1;
    }
    if (count <= OPENING_WORDS) add_row(&self->net, sum, self->count_rows[count]);
    compare(page, block, count, common);
    return 0;
}

static unsigned char kind_of(const Scorer *self, Py_UCS4 code) {
    return self->chars[code < CHARS ? code : CHARS - 1] % KINDS;
}

/* Say whether the stop at `at`, which is not the last character, ends a sentence. */
static int ends_sentence(const Scorer *self, const Py_UCS4 *codes, Py_ssize_t at) {
    unsigned char next = kind_of(self, codes[at + 1]);
    int is_half = codes[at] - 0xD800u < 0x800u; /* half a character counts as a question mark, not as full-width */
    return next == SPACE || next == QUOTE || (codes[at] > 0x3000 && !is_half);
}

static void count_letters(const Scorer *self, Page *page, Py_ssize_t block, Py_ssize_t length) {
    uint32_t counts[4][KINDS] = {{0}}; /* four, so that one character need not wait for the one before */
    const Py_UCS4 *codes = page->codes;
    uint32_t sentences = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        unsigned char kind = kind_of(self, codes[i]);
        counts[i & 3][kind]++;
        if (kind == STOP) sentences += i + 1 == length || ends_sentence(self, codes, i);
    }
    float *row = page->letters + block * KINDS;
    for (int i = 0; i < KINDS; i++) row[i] = (float)(counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i]);
    page->sentences[block] = (float)sentences;
    page->first[block] = kind_of(self, codes[0]);
    page->last[block] = kind_of(self, codes[length - 1]);
}

/* Number equal texts alike and count them. */
static int count_copies(Page *page, Py_ssize_t block, PyObject *text) {
    Py_hash_t hash = PyObject_Hash(text);
    if (hash == -1 && PyErr_Occurred()) return -1;
    uint32_t slot = (uint32_t)hash & page->text_mask;
    page->text_hash[block] = hash;
    for (; page->text_slots[slot]; slot = (slot + 1) & page->text_mask) {
        int32_t other = page->text_slots[slot] - 1;
        if (page->text_hash[other] == hash && PyUnicode_Compare(PyTuple_GetItem(page->text, other), text) == 0) {
            page->copy_of[block] = other;
            page->copies[other]++;
            return 0;
        }
    }
    page->text_slots[slot] = (int32_t)block + 1;
    page->copy_of[block] = (int32_t)block;
    page->copies[block] = 1;
    return 0;
}

int read_texts(Scorer *self, Page *page) {
    for (Py_ssize_t block = 0; block < page->blocks; block++) {
        PyObject *text = PyTuple_GetItem(page->text, block);
        Py_ssize_t length = PyUnicode_GetLength(text);
        if (!PyUnicode_AsUCS4(text, page->codes, page->longest_text, 0)) return -1;
        count_letters(self, page, block, length);
        if (read_opening(self, page, block, text, length) < 0 || count_copies(page, block, text) < 0) return -1;
    }
    return 0;
}
