/* Find a literal in bytes; see search.h. */
#include "search.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

int has_avx2(void)
{
#if defined(__x86_64__)
    static int known = -1;
    if (known < 0)
        known = __builtin_cpu_supports("avx2") != 0;
    return known;
#else
    return 0;
#endif
}

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
    l->head = 0;
    if (size >= sizeof l->head)
        memcpy(&l->head, bytes, sizeof l->head);
    for (size_t i = 1; i < size && i < 250; i++)
        if (commonness(bytes[i]) < commonness(bytes[l->rare]))
            l->rare = i;
    for (size_t i = 1; i < size && i < 250; i++)
        if (i != l->rare && (l->other == l->rare || commonness(bytes[i]) < commonness(bytes[l->other])))
            l->other = i;
}

/* Most places that the two rare letters let through differ in the first four; a call costs more than this. */
static inline int is_here(const Literal *l, const byte *place)
{
    uint32_t head;
    if (l->size < sizeof head)
        return memcmp(place, l->bytes, l->size) == 0;
    memcpy(&head, place, sizeof head);
    return head == l->head && memcmp(place, l->bytes, l->size) == 0;
}

/* Return the first occurrence in the places from `*from` on, which ends before thirty-two of them no longer fit. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static const byte *find_wide(const Literal *l, const byte **from, const byte *last)
{
    const byte *at = *from, *found = NULL;
    const __m256i rare = _mm256_set1_epi8((char)l->bytes[l->rare]), other = _mm256_set1_epi8((char)l->bytes[l->other]);
    for (; found == NULL && last - at >= 32; at += 32) {
        __m256i here = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(at + l->rare)), rare);
        __m256i there = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(at + l->other)), other);
        unsigned hits = (unsigned)_mm256_movemask_epi8(_mm256_and_si256(here, there));
        for (; hits; hits &= hits - 1)
            if (is_here(l, at + __builtin_ctz(hits))) {
                found = at + __builtin_ctz(hits);
                break;
            }
    }
    *from = at;
    return found;
}

__attribute__((target("avx2"))) static const byte *find_name_wide(const byte **from, const byte *end, byte a, byte b)
{
    const byte *at = *from;
    const __m256i less = _mm256_set1_epi8('<'), small = _mm256_set1_epi8(0x20);
    const __m256i first = _mm256_set1_epi8((char)a), second = _mm256_set1_epi8((char)b);
    unsigned hits = 0;
    for (; end - at >= 34; at += 32) {
        __m256i here = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)at), less);
        __m256i one = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(const void *)(at + 1)), small);
        __m256i two = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(const void *)(at + 2)), small);
        here = _mm256_and_si256(here, _mm256_and_si256(_mm256_cmpeq_epi8(one, first), _mm256_cmpeq_epi8(two, second)));
        hits = (unsigned)_mm256_movemask_epi8(here);
        if (hits)
            break;
    }
    *from = at;
    return hits ? at + __builtin_ctz(hits) : NULL;
}
#endif

const byte *find_name(const byte *at, const byte *end, byte a, byte b)
{
#if defined(__x86_64__)
    const byte *found = has_avx2() ? find_name_wide(&at, end, a, b) : NULL;
    if (found != NULL)
        return found;
#endif
    for (; (at = find_byte(at, end, '<')) != NULL; at++)
        if (end - at > 2 && (at[1] | 0x20) == a && (at[2] | 0x20) == b)
            return at;
    return NULL;
}

const byte *find_literal(const Literal *l, const byte *at, const byte *end)
{
    size_t size = l->size;
    if (size == 0 || at >= end || (size_t)(end - at) < size)
        return NULL;
    const byte *last = end - size; /* the last place where it fits */
#if defined(__x86_64__)
    const byte *found = has_avx2() ? find_wide(l, &at, last) : NULL;
    if (found != NULL)
        return found;
#endif
    while (at <= last) {
        const byte *rarest = memchr(at + l->rare, l->bytes[l->rare], (size_t)(last - at) + 1);
        if (rarest == NULL)
            return NULL;
        at = rarest - l->rare;
        if (is_here(l, at))
            return at;
        at++;
    }
    return NULL;
}
