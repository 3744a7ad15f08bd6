/* The tokenizer of the HTML standard over bytes, as far as it decides where tags, comments and raw text begin and end.
 *
 * Nothing is copied: a token is a range of the page. Every function is given `end`, and reads no byte at or behind it.
 */
#ifndef SCYTHE_CUT_TOKENS_H
#define SCYTHE_CUT_TOKENS_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tags.h"

typedef unsigned char byte;

enum {
    TOKEN_LITERAL,  /* a `<` that is text: `next` is behind it */
    TOKEN_START,    /* opening tag */
    TOKEN_END,      /* closing tag */
    TOKEN_COMMENT,  /* comment, declaration, processing instruction, `</ ...>`: nothing to see */
    TOKEN_EMPTY,    /* `</>`: nothing at all, the text before and behind it is one */
    TOKEN_UNENDED,  /* the page ends inside it */
};

typedef struct {
    const byte *at;    /* its `<` */
    const byte *name;  /* START, END */
    const byte *attributes; /* first byte behind the name */
    const byte *id, *class; /* behind the names of the first attributes so called, NULL where there is none */
    const byte *next;  /* first byte behind it */
    uint32_t name_size;
    uint8_t kind;
    uint8_t tag;       /* TAG_..., TAG_OTHER for a name that is not in the table */
    uint8_t slash;     /* ends in `/>` */
    uint8_t zero;      /* a NUL or `<` in its name: the tree is not asked what it makes of that */
} Token;

typedef struct {
    const char *name;
    uint8_t kind;
    uint32_t traits;
} TagRow;

extern const TagRow tag_rows[TAG_COUNT];
extern uint8_t tag_slots[1024];        /* hash of a name -> tag; filled by tags_init. No two names share one. */
extern uint64_t tag_low[TAG_COUNT], tag_high[TAG_COUNT]; /* the first and the next eight letters of each name */
extern const uint8_t byte_class[256];

void tags_init(void);

enum { B_SPACE = 1, B_NAME_END = 2, B_LETTER = 4, B_ALNUM = 8, B_VALUE_END = 16, B_ATTRIBUTE_END = 32 };

static inline int is_space(byte c) { return byte_class[c] & B_SPACE; }
static inline int is_letter(byte c) { return byte_class[c] & B_LETTER; }
static inline byte lower(byte c) { return (byte)(c >= 'A' && c <= 'Z' ? c | 0x20 : c); }

static inline const byte *skip_space(const byte *at, const byte *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

static inline uint32_t traits_of(int tag) { return tag_rows[tag].traits; }

/* Say whether two names of one size are the same but for capitals. */
static inline int same_letters(const byte *one, const byte *other, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (lower(one[i]) != lower(other[i]))
            return 0;
    return 1;
}

static inline uint32_t tag_hash(uint64_t low, uint64_t high)
{
    return (uint32_t)(((low ^ high * 0x9E3779B97F4A7C15u) * 0x3286423887ECBE87u) >> 54);
}

/* Texts and values are short: what is near is found before a call of memchr would have begun. */
static inline const byte *find_byte(const byte *at, const byte *end, byte wanted)
{
#ifdef __SSE2__
    const __m128i letter = _mm_set1_epi8((char)wanted);
    for (int near = 0; near < 4 && end - at >= 16; near++, at += 16) {
        __m128i here = _mm_loadu_si128((const __m128i *)(const void *)at);
        int hits = _mm_movemask_epi8(_mm_cmpeq_epi8(here, letter));
        if (hits)
            return at + __builtin_ctz((unsigned)hits);
    }
#endif
    return at < end ? memchr(at, wanted, (size_t)(end - at)) : NULL;
}

/* Return the end of an attribute's name, or `end`. */
static inline const byte *skip_attribute_name(const byte *at, const byte *end)
{
#ifdef __SSE2__
    if (end - at >= 16) {
        __m128i here = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i stops = _mm_cmpeq_epi8(here, _mm_set1_epi8('='));
        stops = _mm_or_si128(stops, _mm_cmpeq_epi8(here, _mm_set1_epi8('>')));
        stops = _mm_or_si128(stops, _mm_cmpeq_epi8(here, _mm_set1_epi8('/')));
        stops = _mm_or_si128(stops, _mm_cmplt_epi8(here, _mm_set1_epi8(0x21))); /* white space; more, looked at below */
        int hits = _mm_movemask_epi8(stops);
        at += hits ? __builtin_ctz((unsigned)hits) : 16;
    }
#endif
    while (at < end && !(byte_class[*at] & B_ATTRIBUTE_END))
        at++;
    return at;
}

/* Return the first byte behind the tag whose attributes begin at `at`, or NULL where the page ends before; note where its
 * id and class are, and whether it ends in a slash. */
static inline const byte *tag_close(Token *t, const byte *at, const byte *end)
{
    for (;;) {
        while (at < end && (is_space(*at) || *at == '/'))
            at++;
        if (at >= end)
            return NULL;
        if (*at == '>') {
            t->slash = at[-1] == '/';
            return at + 1;
        }
        const byte *name = at;
        at = skip_attribute_name(at + 1, end); /* the first letter of a name may even be `=` */
        if (at - name == 5 && (*name | 0x20) == 'c' && t->class == NULL && same_letters(name, (const byte *)"class", 5))
            t->class = at;
        else if (at - name == 2 && (*name | 0x20) == 'i' && t->id == NULL && same_letters(name, (const byte *)"id", 2))
            t->id = at;
        if (end - at < 2)
            return at < end && *at == '>' ? at + 1 : NULL;
        if (*at != '=') {
            at = skip_space(at, end);
            if (at >= end)
                return NULL;
            if (*at != '=')
                continue;
        }
        at++;
        at = skip_space(at, end);
        if (at >= end)
            return NULL;
        if (*at == '"' || *at == '\'') {
            at = find_byte(at + 1, end, *at);
            if (at == NULL)
                return NULL;
            at++;
        } else {
            while (at < end && !(byte_class[*at] & B_VALUE_END))
                at++;
            if (at < end && *at == '>')
                return at + 1; /* a slash before it belongs to the value */
        }
    }
}

typedef struct {
    const byte *name, *name_end;
    const byte *value, *value_end; /* value is NULL where there is none */
} Attribute;

/* Read the value of the attribute whose name ends at `here`; return where the next may begin. */
static inline const byte *read_value(const byte *here, const byte *end, Attribute *a)
{
    a->value = a->value_end = NULL;
    here = skip_space(here, end);
    if (here >= end || *here != '=')
        return here;
    here = skip_space(here + 1, end);
    if (here < end && (*here == '"' || *here == '\'')) {
        a->value = here + 1;
        a->value_end = find_byte(here + 1, end, *here);
        if (a->value_end == NULL)
            a->value_end = end; /* nothing closes the quote */
        return a->value_end < end ? a->value_end + 1 : end;
    }
    a->value = here;
    while (here < end && !(byte_class[*here] & B_VALUE_END))
        here++;
    a->value_end = here;
    return here;
}

/* Read the next attribute of a tag, from `*at` on, and go behind it. Return 0 where none is left: then `*at` is the `>`
 * of the tag, or `end`. */
static inline int next_attribute(const byte **at, const byte *end, Attribute *a)
{
    const byte *here = *at;
    while (here < end && (is_space(*here) || *here == '/'))
        here++;
    *at = here;
    if (here >= end || *here == '>')
        return 0;
    a->name = here;
    a->name_end = skip_attribute_name(here + 1, end); /* the first letter of a name may even be `=` */
    *at = read_value(a->name_end, end, a);
    return 1;
}

static inline int is_named(const Attribute *a, const char *name, size_t size)
{
    return (size_t)(a->name_end - a->name) == size && same_letters(a->name, (const byte *)name, size);
}

/* Keep the first `size` bytes of a word. */
static inline uint64_t first_bytes(uint64_t word, int size)
{
    return size >= 8 ? word : size <= 0 ? 0 : word & (((uint64_t)1 << 8 * size) - 1);
}

/* Read the tag name at `at` (behind `<` or `</`) into the token. */
static inline void read_name(Token *t, const byte *at, const byte *end)
{
    uint64_t low = 0, high = 0;
    t->name = at;
#if defined(__SSE2__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (end - at >= 16) {
        __m128i here = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i stops = _mm_cmpeq_epi8(here, _mm_set1_epi8('/'));
        stops = _mm_or_si128(stops, _mm_cmpeq_epi8(here, _mm_set1_epi8('>')));
        stops = _mm_or_si128(stops, _mm_cmplt_epi8(here, _mm_set1_epi8(0x21)));
        int hits = _mm_movemask_epi8(stops), size = hits ? __builtin_ctz((unsigned)hits) : 16;
        if (size < 16 && (byte_class[at[size]] & B_NAME_END)) {
            memcpy(&low, at, 8);
            memcpy(&high, at + 8, 8);
            /* this makes capitals small; what else it changes is in no name of the table */
            low = first_bytes(low | 0x2020202020202020u, size);
            high = first_bytes(high | 0x2020202020202020u, size - 8);
            at += size;
        }
    }
#endif
    if (at == t->name) {
        for (unsigned shift = 0; at < end && !(byte_class[*at] & B_NAME_END); at++, shift += 8) {
            if (shift < 64)
                low |= (uint64_t)lower(*at) << shift;
            else if (shift < 128)
                high |= (uint64_t)lower(*at) << (shift - 64);
        }
    }
    t->name_size = (uint32_t)(at - t->name);
    t->attributes = at;
    uint8_t tag = tag_slots[tag_hash(low, high)];
    int known = tag_low[tag] == low && tag_high[tag] == high && t->name_size <= 16;
    /* NUL bytes at the end of a name left no trace in what was compared: `<script\0>` is no script */
    t->tag = known && at[-1] != 0 ? tag : TAG_OTHER;
    t->zero = t->tag == TAG_OTHER && (find_byte(t->name, at, 0) != NULL || find_byte(t->name, at, '<') != NULL);
}

/* Return the first byte behind the comment whose `<!--` is at `at`, or NULL. */
static inline const byte *comment_close(const byte *at, const byte *end)
{
    at += 4;
    if (at < end && *at == '>')
        return at + 1;
    if (end - at >= 2 && at[0] == '-' && at[1] == '>')
        return at + 2;
    /* from here `-->` and `--!>` end it; the dashes must not be those of `<!--`, which the two cases above took */
    for (;;) {
        const byte *close = find_byte(at, end, '>');
        if (close == NULL)
            return NULL;
        if (close - at >= 2 && close[-1] == '-' && close[-2] == '-')
            return close + 1;
        if (close - at >= 3 && close[-1] == '!' && close[-2] == '-' && close[-3] == '-')
            return close + 1;
        /* the next `>` may share its dashes with nothing before this one */
        at = close + 1;
    }
}

/* Read the token whose `<` is at `at`. */
static inline void read_token(Token *t, const byte *at, const byte *end)
{
    t->at = at;
    t->id = t->class = NULL;
    t->slash = 0;
    if (end - at < 2) {
        t->kind = TOKEN_LITERAL;
        t->next = at + 1;
        return;
    }
    byte c = at[1];
    if (is_letter(c)) {
        t->kind = TOKEN_START;
        read_name(t, at + 1, end);
    } else if (c == '/') {
        if (end - at < 3) {
            t->kind = TOKEN_LITERAL;
            t->next = end;
            return;
        }
        if (!is_letter(at[2])) {
            t->kind = at[2] == '>' ? TOKEN_EMPTY : TOKEN_COMMENT;
            t->next = find_byte(at + 2, end, '>');
            if (t->next == NULL)
                t->kind = TOKEN_UNENDED;
            else
                t->next++;
            return;
        }
        t->kind = TOKEN_END;
        read_name(t, at + 2, end);
    } else {
        if (c == '!' || c == '?') {
            t->kind = TOKEN_COMMENT;
            if (end - at >= 4 && c == '!' && at[2] == '-' && at[3] == '-')
                t->next = comment_close(at, end);
            else if ((t->next = find_byte(at + 2, end, '>')) != NULL)
                t->next++;
            if (t->next == NULL)
                t->kind = TOKEN_UNENDED;
        } else {
            t->kind = TOKEN_LITERAL;
            t->next = at + 1;
        }
        return;
    }
    if (t->attributes < end && *t->attributes == '>') {
        t->next = t->attributes + 1;
        return;
    }
    t->next = tag_close(t, t->attributes, end);
    if (t->next == NULL)
        t->kind = TOKEN_UNENDED;
}

/* Return the `<` of the closing tag that ends the raw text beginning at `at`, or NULL. `name` is lower case. */
const byte *raw_close(const byte *at, const byte *end, const char *name, size_t size);

/* Return the `<` of the closing tag that ends the script beginning at `at`, or NULL. */
const byte *script_close(const byte *at, const byte *end);

/* Return the `<` of the closing tag that ends the content of a raw element whose opening tag is `t`, or NULL. */
static inline const byte *content_close(const Token *t, const byte *end)
{
    if (t->tag == TAG_SCRIPT)
        return script_close(t->next, end);
    const char *name = tag_rows[t->tag].name;
    return raw_close(t->next, end, name, strlen(name));
}

#endif
