/* Text out of raw bytes; see text.h. */
#include "text.h"

#include <stdlib.h>

#include "entities.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { C_PLAIN, C_SPACE, C_AMPERSAND, C_LEAD };

/* What str.split() takes for white space below U+0080, and the first bytes of what it takes above. */
static inline int class_of(byte c)
{
    if (c < 0x80)
        return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31) ? C_SPACE : c == '&' ? C_AMPERSAND : C_PLAIN;
    return c == 0xC2 || (c >= 0xE1 && c <= 0xE3) ? C_LEAD : C_PLAIN;
}

static uint8_t classes[256];
static uint16_t entity_name[ENTITY_COUNT], entity_text[ENTITY_COUNT]; /* where each begins */

void text_tables_init(void)
{
    for (int c = 0; c < 256; c++)
        classes[c] = (uint8_t)class_of((byte)c);
    for (int i = 1; i < ENTITY_COUNT; i++) {
        entity_name[i] = (uint16_t)(entity_name[i - 1] + entity_sizes[2 * i - 2]);
        entity_text[i] = (uint16_t)(entity_text[i - 1] + entity_sizes[2 * i - 1]);
    }
}

void text_init(Text *t)
{
    t->out = t->small;
    t->size = 0;
    t->room = sizeof t->small;
    t->gap = t->broken = 0;
}

void text_free(Text *t)
{
    if (t->out != t->small)
        free(t->out);
}

static int make_room(Text *t, size_t more)
{
    if (t->size + more <= t->room)
        return 1;
    size_t room = (t->size + more) * 2;
    byte *out = malloc(room);
    if (out == NULL) {
        t->broken = 1;
        return 0;
    }
    memcpy(out, t->out, t->size);
    text_free(t);
    t->out = out;
    t->room = room;
    return 1;
}

static inline void put_bytes(Text *t, const byte *at, size_t size)
{
    if (!make_room(t, size + 1))
        return;
    if (t->gap) {
        if (t->size)
            t->out[t->size++] = ' ';
        t->gap = 0;
    }
    memcpy(t->out + t->size, at, size);
    t->size += size;
}

int space_size(const byte *at, const byte *end)
{
    byte c = *at;
    if (c < 0x80)
        return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
    if (c == 0xC2)
        return end - at >= 2 && (at[1] == 0x85 || at[1] == 0xA0) ? 2 : 0;
    if (c < 0xE1 || c > 0xE3 || end - at < 3)
        return 0;
    if (c == 0xE1)
        return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0;
    if (c == 0xE3)
        return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
    if (at[1] == 0x80)
        return (at[2] >= 0x80 && at[2] <= 0x8A) || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF ? 3 : 0;
    return at[1] == 0x81 && at[2] == 0x9F ? 3 : 0;
}

/* Put the characters a reference stands for, which may be white space. */
static void put_decoded(Text *t, const byte *at, size_t size)
{
    if (classes[*at] == C_SPACE || (classes[*at] == C_LEAD && space_size(at, at + size)))
        t->gap = 1;
    else
        put_bytes(t, at, size);
}

#ifdef __SSE2__
/* Mark what may be white space other than blanks, or begin a reference or such a character. */
static inline __m128i stops_in(__m128i here)
{
    __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(here, _mm_set1_epi8(0x1F)), here);
    __m128i moved = _mm_sub_epi8(here, _mm_set1_epi8((char)0xE1)); /* E1 to E3 */
    __m128i lead = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(moved, _mm_set1_epi8(2)), moved),
                                _mm_cmpeq_epi8(here, _mm_set1_epi8((char)0xC2)));
    return _mm_or_si128(_mm_or_si128(low, lead), _mm_cmpeq_epi8(here, _mm_set1_epi8('&')));
}
#endif

/* Pass plain bytes and single blanks between them; a byte that is put stands before `at`. */
static const byte *skip_words(const byte *at, const byte *end)
{
#ifdef __SSE2__
    const __m128i blank = _mm_set1_epi8(' ');
    for (; end - at > 16; at += 16) {
        __m128i here = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(at + 1));
        /* a blank must have something else than white space and references behind it */
        __m128i apart = _mm_and_si128(_mm_cmpeq_epi8(here, blank), _mm_or_si128(_mm_cmpeq_epi8(next, blank), stops_in(next)));
        int hits = _mm_movemask_epi8(_mm_or_si128(stops_in(here), apart));
        if (hits) {
            at += __builtin_ctz((unsigned)hits);
            break;
        }
    }
#endif
    while (at < end && (classes[*at] == C_PLAIN || (*at == ' ' && end - at > 1 && classes[at[1]] == C_PLAIN)))
        at++;
    return at;
}

void text_put(Text *t, const byte *at, const byte *end, int mode)
{
    while (at < end) {
        int kind = classes[*at], wide = kind == C_LEAD ? space_size(at, end) : 0;
        if (kind == C_PLAIN || (kind == C_LEAD && !wide)) {
            const byte *start = at++;
            do { /* most of what begins as wide white space does is none */
                at = skip_words(at, end);
            } while (at < end && classes[*at] == C_LEAD && !space_size(at, end) && at++);
            put_bytes(t, start, (size_t)(at - start));
        } else if (kind == C_SPACE) {
            t->gap = 1;
            at++;
        } else if (kind == C_AMPERSAND) {
            byte decoded[12];
            const byte *next = at;
            int size = mode == AS_IS ? 0 : read_reference(at, end, mode, decoded, &next);
            if (size) {
                put_decoded(t, decoded, (size_t)size);
                at = next;
            } else {
                put_bytes(t, at++, 1);
            }
        } else {
            t->gap = 1;
            at += wide;
        }
    }
}

static int put_code(uint32_t code, byte *out)
{
    static const uint16_t windows[32] = {
        0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
        0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    if (code >= 0x80 && code < 0xA0)
        code = windows[code - 0x80];
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        code = 0xFFFD;
    if (code < 0x80) {
        out[0] = (byte)code;
        return 1;
    }
    int size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = size - 1; i > 0; i--, code >>= 6)
        out[i] = (byte)(0x80 | (code & 63));
    out[0] = (byte)(code | (size == 2 ? 0xC0 : size == 3 ? 0xE0 : 0xF0));
    return size;
}

static int read_number(const byte *at, const byte *end, byte *out, const byte **next)
{
    uint32_t code = 0;
    int hex = at < end && (*at | 0x20) == 'x';
    at += hex;
    const byte *start = at;
    for (; at < end; at++) {
        unsigned c = *at, letter = (c | 0x20) - 'a';
        uint32_t digit = c - '0';
        if (digit > 9 && hex && letter < 6)
            digit = letter + 10;
        else if (digit > 9)
            break;
        if (code <= 0x10FFFF)
            code = code * (hex ? 16 : 10) + digit;
    }
    if (at == start)
        return 0;
    *next = at < end && *at == ';' ? at + 1 : at;
    return put_code(code, out);
}

static int find_entity(const byte *name, size_t size)
{
    int low = 0, high = ENTITY_COUNT - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        size_t have = entity_sizes[2 * middle];
        int order = memcmp(entity_names + entity_name[middle], name, have < size ? have : size);
        if (order == 0)
            order = have < size ? -1 : have > size;
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

int read_reference(const byte *at, const byte *end, int mode, byte *out, const byte **next)
{
    at++;
    if (at < end && *at == '#')
        return read_number(at + 1, end, out, next);
    const byte *stop = at;
    while (stop < end && stop - at < 32 && (byte_class[*stop] & B_ALNUM))
        stop++;
    size_t size = (size_t)(stop - at);
    int row = -1;
    if (stop < end && *stop == ';' && size)
        row = find_entity(at, ++size);
    /* the names that stand without a semicolon have two to six letters */
    if (row < 0) {
        for (size = size > 6 ? 6 : size; size >= 2; size--)
            if (at[size - 1] != ';' && (row = find_entity(at, size)) >= 0)
                break;
        if (row < 0)
            return 0;
        byte after = at + size < end ? at[size] : 0;
        if (mode == IN_ATTRIBUTE && (after == '=' || (byte_class[after] & B_ALNUM)))
            return 0;
    }
    *next = at + size;
    memcpy(out, entity_texts + entity_text[row], entity_sizes[2 * row + 1]);
    return entity_sizes[2 * row + 1];
}

/* UTF-8 is checked thirty-two bytes at a time where the machine can, as Keiser and Lemire describe it ("Validating UTF-8
 * in less than one instruction per byte", 2021), else by Python. */

#if defined(__x86_64__)
/* What may be wrong with two bytes that follow each other; an error is what all three tables agree on. */
enum {
    TOO_SHORT = 1,      /* a lead byte without what it asks for */
    TOO_LONG = 2,       /* a continuation after ASCII */
    OVERLONG_3 = 4,
    TOO_LARGE = 8,      /* beyond U+10FFFF */
    SURROGATE = 16,
    OVERLONG_2 = 32,
    TOO_LARGE_1000 = 64,
    OVERLONG_4 = 64,
    TWO_CONTINUED = 128, /* right only as the third or fourth byte */
    CARRY = TOO_SHORT | TOO_LONG | TWO_CONTINUED
};

#define TWICE(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
    _mm256_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)

/* Return the bytes that stand `N` places before each of `here`. */
#define BEFORE(N) _mm256_alignr_epi8(here, _mm256_permute2x128_si256(last, here, 0x21), 16 - (N))

__attribute__((target("avx2"))) static __m256i find_errors(__m256i here, __m256i last)
{
    const char large = (char)(CARRY | TOO_LARGE | TOO_LARGE_1000), twice = (char)TWO_CONTINUED;
    const char second = (char)(TOO_LONG | OVERLONG_2 | TWO_CONTINUED);
    const __m256i first_high = TWICE(TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, twice,
                                     twice, twice, twice, TOO_SHORT | OVERLONG_2, TOO_SHORT,
                                     TOO_SHORT | OVERLONG_3 | SURROGATE,
                                     TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4);
    const __m256i first_low = TWICE((char)(CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4), (char)(CARRY | OVERLONG_2),
                                    (char)CARRY, (char)CARRY, (char)(CARRY | TOO_LARGE), large, large, large, large, large,
                                    large, large, large, (char)(large | SURROGATE), large, large);
    const __m256i second_high = TWICE(TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
                                      (char)(second | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4),
                                      (char)(second | OVERLONG_3 | TOO_LARGE), (char)(second | SURROGATE | TOO_LARGE),
                                      (char)(second | SURROGATE | TOO_LARGE), TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT);
    const __m256i low = _mm256_set1_epi8(0x0F);
    __m256i one = BEFORE(1);
    __m256i wrong = _mm256_and_si256(
        _mm256_and_si256(_mm256_shuffle_epi8(first_high, _mm256_and_si256(_mm256_srli_epi16(one, 4), low)),
                         _mm256_shuffle_epi8(first_low, _mm256_and_si256(one, low))),
        _mm256_shuffle_epi8(second_high, _mm256_and_si256(_mm256_srli_epi16(here, 4), low)));
    __m256i third = _mm256_subs_epu8(BEFORE(2), _mm256_set1_epi8((char)(0xE0 - 0x80)));
    __m256i fourth = _mm256_subs_epu8(BEFORE(3), _mm256_set1_epi8((char)(0xF0 - 0x80)));
    __m256i continued = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(continued, wrong);
}

__attribute__((target("avx2"))) static int is_utf8_wide(const byte *at, const byte *end)
{
    __m256i last = _mm256_setzero_si256(), errors = _mm256_setzero_si256();
    int plain = 1; /* the block before was ASCII */
    for (; end - at >= 32; at += 32) {
        __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)at);
        int ascii = _mm256_movemask_epi8(here) == 0;
        if (!ascii || !plain)
            errors = _mm256_or_si256(errors, find_errors(here, last));
        last = here;
        plain = ascii;
    }
    byte rest[32] = {0}; /* ends in ASCII, so that a character cut off is seen */
    memcpy(rest, at, (size_t)(end - at));
    __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)rest);
    errors = _mm256_or_si256(errors, find_errors(here, last));
    return _mm256_testz_si256(errors, errors);
}
#endif

int is_utf8(const byte *at, const byte *end)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return is_utf8_wide(at, end);
#endif
    return UNKNOWN;
}
