/* The SimHash of a text: for each of 64 bits, what most of its words have there. */
#include "native.h"

#include "hash.h"
#include "text.h"

enum { ROUNDS = 255 }; /* words whose votes a byte can count */

/* Each bit of a byte in a byte of its own. */
static uint64_t spread_bits[256];

void simhash_init(void)
{
    for (int value = 0; value < 256; value++)
        for (int bit = 0; bit < 8; bit++)
            spread_bits[value] |= (uint64_t)(value >> bit & 1) << 8 * bit;
}

static void count_votes(uint32_t *votes, uint64_t *lanes)
{
    for (int lane = 0; lane < 8; lane++) {
        for (int bit = 0; bit < 8; bit++)
            votes[8 * lane + bit] += (uint32_t)(lanes[lane] >> 8 * bit & 0xFF);
        lanes[lane] = 0;
    }
}

PyObject *simhash(PyObject *Py_UNUSED(module), PyObject *words)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(words, &bytes, &size))
        return NULL;
    uint32_t votes[64] = {0}, count = 0;
    uint64_t lanes[8] = {0}, most = 0;
    const byte *at = (const byte *)bytes, *end = at + size;
    while (at < end) {
        const byte *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL)
            stop = end;
        uint64_t hash = hash_word(hash_bytes(0, at, stop), 0);
        for (int lane = 0; lane < 8; lane++)
            lanes[lane] += spread_bits[hash >> 8 * lane & 0xFF];
        if (++count % ROUNDS == 0)
            count_votes(votes, lanes);
        at = stop + 1;
    }
    count_votes(votes, lanes);
    for (int bit = 0; bit < 64; bit++)
        most |= (uint64_t)(votes[bit] > count / 2) << bit;
    return PyLong_FromUnsignedLongLong(most);
}
