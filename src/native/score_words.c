/* Read the texts of a page: count kinds of characters, look up opening words, compare words with title and description. */
#include "scorer.h"
#include <string.h>

uint64_t hash_word(uint64_t seed, const Py_UCS4 *codes, Py_ssize_t length) {
    uint64_t hash = seed;
    for (Py_ssize_t i = 0; i < length; i++) hash = (hash ^ codes[i]) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
}

static uint32_t slot_of(const Words *words, const Py_UCS4 *codes, Py_ssize_t length, uint64_t hash) {
    uint32_t slot = (uint32_t)hash & words->mask;
    for (; words->slots[slot]; slot = (slot + 1) & words->mask) {
        const Word *word = &words->items[words->slots[slot] - 1];
        if (word->hash == hash && word->length == (uint32_t)length
            && !memcmp(words->codes + word->start, codes, (size_t)length * sizeof *codes))
            break;
    }
    return slot;
}

/* Return the number of a word, or -1. */
int32_t find_word(const Words *words, const Py_UCS4 *codes, Py_ssize_t length, uint64_t hash) {
    return (int32_t)words->slots[slot_of(words, codes, length, hash)] - 1;
}

/* Return the number of a word, added with this value if it is new. The caller made room. */
int add_word(Words *words, const Py_UCS4 *codes, Py_ssize_t length, uint64_t hash, int32_t value) {
    uint32_t slot = slot_of(words, codes, length, hash);
    if (!words->slots[slot]) {
        words->items[words->count] = (Word){hash, words->used_codes, (uint32_t)length, value};
        memcpy(words->codes + words->used_codes, codes, (size_t)length * sizeof *codes);
        words->used_codes += (uint32_t)length;
        words->slots[slot] = ++words->count;
    }
    return (int)words->slots[slot] - 1;
}

/* Say whether a character is one of \w: 1, 0, or -1 on error. */
static int is_word_char(Scorer *self, Py_UCS4 code) {
    if ((Py_ssize_t)code < self->word_codes) return self->word_chars[code];
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
    Py_UCS4 all = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 code = codes[i];
        all |= code;
        out[i] = code - 'A' < 26u ? code + 32 : code;
    }
    if (all < 128) return length;
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
static int next_word(Scorer *self, const Py_UCS4 *codes, Py_ssize_t length, Py_ssize_t *at, Word *word) {
    Py_ssize_t i = *at;
    int is_word = 0;
    while (i < length && !(is_word = is_word_char(self, codes[i]))) i++;
    if (is_word < 0) return -1;
    if (i >= length) return 0;
    Py_ssize_t start = i;
    uint64_t hash = self->seed;
    while (i < length && (is_word = is_word_char(self, codes[i])) > 0) {
        hash = (hash ^ codes[i]) * 0x9E3779B97F4A7C15u;
        i++;
    }
    if (is_word < 0) return -1;
    *at = i;
    *word = (Word){hash ^ (hash >> 32), (uint32_t)start, (uint32_t)(i - start), -1};
    return 1;
}

static int read_head_text(Scorer *self, Page *page, PyObject *text, int bit, int32_t *distinct) {
    Py_ssize_t length = PyUnicode_GetLength(text), room = page->head_chars, at = 0;
    if (length == 0) return 0;
    if (!PyUnicode_AsUCS4(text, page->codes, room, 0)) return -1;
    Py_ssize_t count = lower_text(self, text, page->codes, length, page->lowered, room);
    if (count < 0) return -1;
    Word word;
    int more;
    while ((more = next_word(self, page->lowered, count, &at, &word)) > 0) {
        int number = add_word(&page->head, page->lowered + word.start, word.length, word.hash, 0);
        Word *known = &page->head.items[number];
        *distinct += !(known->value & bit);
        known->value |= bit;
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
        const Word *word = &page->found[i];
        uint32_t slot = (uint32_t)word->hash & (DISTINCT_SLOTS - 1);
        for (; page->distinct_stamp[slot] == stamp; slot = (slot + 1) & (DISTINCT_SLOTS - 1)) {
            const Word *other = &page->found[page->distinct[slot]];
            if (other->hash == word->hash && other->length == word->length
                && !memcmp(page->lowered + other->start, page->lowered + word->start, word->length * sizeof(Py_UCS4)))
                break;
        }
        if (page->distinct_stamp[slot] == stamp) continue;
        page->distinct_stamp[slot] = stamp;
        page->distinct[slot] = (uint32_t)i;
        different++;
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
    Word word;
    int more;
    while ((more = next_word(self, page->lowered, chars, &at, &word)) > 0) {
        const Py_UCS4 *codes = page->lowered + word.start;
        page->found[count] = word;
        if (count++ < OPENING_WORDS) {
            int32_t number = find_word(&self->vocabulary, codes, word.length, word.hash);
            add_row(&self->net, sum, number < 0 ? 0 : self->vocabulary.items[number].value >> 1);
        }
        if (!is_short) {
            if (count > OPENING_WORDS) break;
            continue;
        }
        int32_t shared = find_word(&page->head, codes, word.length, word.hash);
        if (shared >= 0 && page->head_stamp[shared] != (uint32_t)block + 1) {
            page->head_stamp[shared] = (uint32_t)block + 1;
            common[0] += page->head.items[shared].value & 1;
            common[1] += page->head.items[shared].value >> 1;
        }
    }
    if (more < 0) return -1;
    if (count <= OPENING_WORDS) add_row(&self->net, sum, self->count_rows[count]);
    compare(page, block, count, common);
    return 0;
}

static unsigned char kind_of(const Scorer *self, Py_UCS4 code) {
    return self->kinds[code < KIND_CODES ? code : KIND_CODES - 1];
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
