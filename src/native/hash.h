/* Hash bytes eight at a time; scythe.page.tree_map has the same in Python. */
#ifndef SCYTHE_HASH_H
#define SCYTHE_HASH_H

#include <stdint.h>
#include <string.h>

static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

static inline uint64_t word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t hash_bytes(uint64_t hash, const uint8_t *at, const uint8_t *end)
{
    uint64_t size = (uint64_t)(end - at), last = 0;
    for (; end - at >= 8; at += 8)
        hash = hash_word(hash, word_at(at));
    for (unsigned held = 0; at < end; at++, held += 8)
        last |= (uint64_t)*at << held;
    return hash_word(hash_word(hash, last), size);
}

#endif
