/* Find a literal in bytes; see search.h. */
#include "search.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* How often a letter stands in markup, roughly; lower is rarer. */
static int commonness(byte c)
{
    static const char order[] = " etaiosnrl<>/=\"cdpm-hfuvg.\n:b_wykjx;,&#%?+()zq0123456789";
    const char *at = c ? strchr(order, c) : NULL;
    if (at != NULL)
        return 200 - (int)(at - order);
    return c >= 0x80 ? 90 : c >= 'A' && c <= 'Z' ? 60 : 20;
}

void literal_init(Literal *l, const byte *bytes, size_t size)
{
    l->bytes = bytes;
    l->size = size;
    l->rare = l->other = 0;
    for (size_t i = 1; i < size && i < 250; i++)
        if (commonness(bytes[i]) < commonness(bytes[l->rare]))
            l->rare = i;
    for (size_t i = 1; i < size && i < 250; i++)
        if (i != l->rare && (l->other == l->rare || commonness(bytes[i]) < commonness(bytes[l->other])))
            l->other = i;
}

const byte *find_literal(const Literal *l, const byte *at, const byte *end)
{
    size_t size = l->size;
    if (size == 0 || at >= end || (size_t)(end - at) < size)
        return NULL;
    const byte *last = end - size; /* the last place where it fits */
#ifdef __SSE2__
    const __m128i rare = _mm_set1_epi8((char)l->bytes[l->rare]), other = _mm_set1_epi8((char)l->bytes[l->other]);
    while (last - at >= 16) { /* then all of the sixteen places fit */
        __m128i here = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(at + l->rare)), rare);
        __m128i there = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(at + l->other)), other);
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_and_si128(here, there));
        for (; hits; hits &= hits - 1) {
            const byte *place = at + __builtin_ctz(hits);
            if (memcmp(place, l->bytes, size) == 0)
                return place;
        }
        at += 16;
    }
#endif
    while (at <= last) {
        const byte *rarest = memchr(at + l->rare, l->bytes[l->rare], (size_t)(last - at) + 1);
        if (rarest == NULL)
            return NULL;
        at = rarest - l->rare;
        if (memcmp(at, l->bytes, size) == 0)
            return at;
        at++;
    }
    return NULL;
}
