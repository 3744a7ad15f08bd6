/* Say whether bytes are valid UTF-8: thirty-two at a time where the machine can, as Keiser and Lemire describe it
 * ("Validating UTF-8 in less than one instruction per byte", 2021), else one by one. */
#include "search.h"
#include "text.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

const byte *skip_ascii(const byte *at, const byte *end)
{
    uint64_t word;
    for (; (size_t)(end - at) >= sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        if (word & 0x8080808080808080u)
            break;
    }
    while (at < end && *at < 0x80)
        at++;
    return at;
}

static int is_utf8_slowly(const byte *at, const byte *end)
{
    while (at < end) {
        byte c = *at;
        if (c < 0x80) {
            at = skip_ascii(at, end);
            continue;
        }
        long left = end - at;
        if (c >= 0xC2 && c < 0xE0) {
            if (left < 2 || (at[1] & 0xC0) != 0x80)
                return 0;
            at += 2;
        } else if (c >= 0xE0 && c < 0xF0) {
            if (left < 3 || (at[1] & 0xC0) != 0x80 || (at[2] & 0xC0) != 0x80 || (c == 0xE0 && at[1] < 0xA0) ||
                (c == 0xED && at[1] > 0x9F))
                return 0;
            at += 3;
        } else {
            if (c < 0xF0 || c > 0xF4 || left < 4 || (at[1] & 0xC0) != 0x80 || (at[2] & 0xC0) != 0x80 ||
                (at[3] & 0xC0) != 0x80 || (c == 0xF0 && at[1] < 0x90) || (c == 0xF4 && at[1] > 0x8F))
                return 0;
            at += 4;
        }
    }
    return 1;
}

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
    if (has_avx2())
        return is_utf8_wide(at, end);
#endif
    return is_utf8_slowly(at, end);
}
