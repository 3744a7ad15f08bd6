/* Find a literal in bytes: by its two rarest letters, thirty-two places at a time where the machine can. */
#ifndef SCYTHE_CUT_SEARCH_H
#define SCYTHE_CUT_SEARCH_H

#include "tokens.h"

typedef struct {
    const byte *bytes;
    size_t size;
    size_t rare, other; /* offsets in it of the two letters looked for first */
    uint32_t head;      /* its first four letters, where it has so many */
} Literal;

/* Say whether the machine has instructions for thirty-two bytes at a time. */
int has_avx2(void);

void literal_init(Literal *l, const byte *bytes, size_t size);

/* Return the first occurrence that begins at or behind `at` and ends before `end`, or NULL. */
const byte *find_literal(const Literal *l, const byte *at, const byte *end);

/* Return the first `<` at or behind `at` with two small letters behind it, in any case, or NULL. */
const byte *find_name(const byte *at, const byte *end, byte a, byte b);

#endif
