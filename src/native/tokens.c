/* The tables of the tokenizer, and the ends of raw text. */
#include "tokens.h"

#define SCYTHE_ROW(id, name, kind, traits) {name, kind, traits},
const TagRow tag_rows[TAG_COUNT] = {{"", K_INLINE, 0}, SCYTHE_TAGS(SCYTHE_ROW)};

uint8_t tag_slots[1024];
uint64_t tag_low[TAG_COUNT], tag_high[TAG_COUNT];

/* bits, as B_...; none above ASCII */
const uint8_t byte_class[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 51, 51, 0, 51, 51, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    51, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 34, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 32, 50, 0,
    0, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 0, 0, 0, 0, 0,
    0, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 0, 0, 0, 0, 0,
};

/* Fill the slots. The factor in tag_hash was tried out so that no two names share one. */
void tags_init(void)
{
    for (int tag = 1; tag < TAG_COUNT; tag++) {
        uint64_t part[2] = {0, 0};
        const char *name = tag_rows[tag].name;
        for (size_t i = 0; name[i]; i++)
            part[i / 8] |= (uint64_t)(byte)name[i] << (i % 8 * 8);
        tag_low[tag] = part[0];
        tag_high[tag] = part[1];
        tag_slots[tag_hash(part[0], part[1])] = (uint8_t)tag;
    }
}

static int names_tag(const byte *at, const byte *end, const char *name, size_t size)
{
    if ((size_t)(end - at) <= size || !(byte_class[at[size]] & B_NAME_END))
        return 0;
    return same_letters(at, (const byte *)name, size);
}

const byte *raw_close(const byte *at, const byte *end, const char *name, size_t size)
{
    while ((at = find_byte(at, end, '<')) != NULL) {
        if (end - at > 2 && at[1] == '/' && names_tag(at + 2, end, name, size))
            return at;
        at++;
    }
    return NULL;
}

/* After `<!--` a script may hold another one whole: `at` is behind the `<!--`, whose dashes may be those of `-->`. */
static const byte *hidden_script_close(const byte *at, const byte *end, const byte **shown)
{
    int inner = 0;
    for (; at < end; at++) {
        if (*at == '>' && at[-1] == '-' && at[-2] == '-') {
            *shown = at + 1;
            return NULL;
        }
        if (*at != '<')
            continue;
        if (!inner && names_tag(at + 1, end, "script", 6))
            inner = 1;
        else if (end - at > 2 && at[1] == '/' && names_tag(at + 2, end, "script", 6)) {
            if (!inner)
                return at;
            inner = 0;
        }
    }
    *shown = NULL;
    return NULL;
}

const byte *script_close(const byte *at, const byte *end)
{
    while ((at = find_byte(at, end, '<')) != NULL) {
        if (end - at > 2 && at[1] == '/' && names_tag(at + 2, end, "script", 6))
            return at;
        if (end - at > 3 && at[1] == '!' && at[2] == '-' && at[3] == '-') {
            const byte *shown, *close = hidden_script_close(at + 4, end, &shown);
            if (close != NULL || shown == NULL)
                return close;
            at = shown;
            continue;
        }
        at++;
    }
    return NULL;
}
