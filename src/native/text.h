/* Text out of raw bytes: references become characters, white space is squeezed, broken characters are noticed. */
#ifndef SCYTHE_CUT_TEXT_H
#define SCYTHE_CUT_TEXT_H

#include <stddef.h>

#include "tokens.h"

typedef struct {
    byte *out;     /* UTF-8 */
    size_t size, room;
    int gap;       /* white space stands before the next character */
    int broken;    /* memory ran out */
    byte small[512];
} Text;

enum { IN_TEXT, IN_ATTRIBUTE, AS_IS };

/* Fill the tables; once. */
void text_tables_init(void);

void text_init(Text *t);
void text_free(Text *t);

/* Append a run of the page; `mode` says how character references are read in it. */
void text_put(Text *t, const byte *at, const byte *end, int mode);

static inline void text_edge(Text *t)
{
    t->gap = 1;
}

/* Return the size of the white space character at `at`, as str.split() sees it, or 0. */
int space_size(const byte *at, const byte *end);

/* Say whether the bytes are valid UTF-8, UNKNOWN where the machine cannot tell quickly. */
enum { UNKNOWN = -1 };
int is_utf8(const byte *at, const byte *end);

/* Read the character reference whose `&` is at `at` into `out` (12 bytes): return its bytes there, and where it ends;
 * 0 where the `&` is only that. */
int read_reference(const byte *at, const byte *end, int mode, byte *out, const byte **next);

#endif
