/* The tokens of a page, or of a piece of it: what is a true tag, what stands in text, what is open around a place. */
#ifndef SCYTHE_CUT_MAP_H
#define SCYTHE_CUT_MAP_H

#include "scan.h"

typedef struct {
    uint32_t at, next; /* offsets of its `<` and of the first byte behind it */
    uint8_t kind, tag;
    uint8_t hidden;    /* not followed, as in a select: 2 perhaps; 3 in a template, 5 in svg or math, 1 in others */
    uint8_t table;     /* TABLE_... before it */
    uint8_t odd;       /* as in Token */
    uint8_t cells;     /* cells and captions that are open around it, as far as known */
} Mark;

enum { TABLE_NONE, TABLE_CELL, TABLE_GRID, TABLE_UNKNOWN };

enum {
    MARKS_ON_STACK = 160,
    WINDOW = 640,         /* bytes before a place that are tokenized to see whether it is a tag */
    WIDE_WINDOW = 16384,  /* ... to see what is open around it */
    LOOK_BACK = 4096,     /* marks */
    MARK_LIMIT = 8000000,
    CELLS_DEEP = 8,       /* cells in cells in which formatting is followed */
    PAGE_LIMIT = 0x7FFFFFF0,
};

typedef struct {
    const byte *base, *end;
    uint32_t from, cursor; /* every token that begins in this range has its mark; the cursor is outside tokens */
    int exact;           /* 1: from the start of the page, so that nothing is guessed */
    int thorough;
    int broken;          /* out of memory, too many marks, or the page ends inside a token */
    uint8_t opaque;      /* the TAG_... under way whose content is hidden */
    uint8_t opaque_odd;  /* it holds what may have ended it */
    int opaque_depth;    /* how often it is nested */
    int opaque_blocks;   /* noscript: special elements open in it */
    uint8_t opaque_open[16];
    uint32_t svg_until;  /* where an svg in good order ends that stands in a template */
    uint64_t cells;      /* one bit for each open table, innermost lowest: 1 in a cell */
    int tables;          /* open tables; -1 unknown */
    uint8_t in_body;     /* something that only a body holds has been seen */
    int why;
    Mark *marks;
    uint32_t count, room;
    Mark small[MARKS_ON_STACK];
} Map;

/* Answers; what is doubtful has its reason in `why`. */
enum { PLACE_NO, PLACE_YES, PLACE_DOUBT };

void map_init(Map *m, const byte *base, const byte *end, int thorough);
void map_free(Map *m);

/* Make sure that every token that begins at or before `offset` is known, and some before it. */
void map_reach(Map *m, uint32_t offset, uint32_t before);

/* Return the index of the last mark that begins at or before `offset`, or -1. */
long map_find(const Map *m, uint32_t offset);

/* Say whether a true, shown opening tag begins at `offset`. */
int is_true_tag(Map *m, uint32_t offset);

/* Say whether `offset` is text that the page shows. */
int is_true_text(Map *m, uint32_t offset);

/* Say whether something may be open at `offset`: 1 unless it cannot be. See AROUND_... */
int may_be_open(Map *m, uint32_t offset, int what);

/* Return the mark of the element that directly holds the `tag` at `offset`, or NULL where that is not certain. */
const Mark *parent_of(Map *m, uint32_t offset, int tag);

#endif
