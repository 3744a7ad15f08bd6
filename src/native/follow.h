/* Follow learned rules over the bytes of a page: a way comes in, the place and the text there go out, or doubt. */
#ifndef SCYTHE_CUT_FOLLOW_H
#define SCYTHE_CUT_FOLLOW_H

#include "map.h"
#include "search.h"

enum { TAKE_ELEMENT, TAKE_LEAD, TAKE_TAIL, TAKE_ATTRIBUTE, TAKE_FLOW };
enum { OCCURRENCES = 1000, VOTES = 32 };

typedef struct {
    Literal anchor, step;
    int anchor_bare, step_bare; /* no more than `<name`: the name ends there */
    size_t skip, reach, position;
    int counted; /* it counts tags from an element in front */
    int nth;
} FollowRule;

typedef struct {
    int take, needed, repeats;
    FollowRule *rules;
    int rule_count;
    const char *attribute, *before, *after; /* UTF-8 */
    size_t attribute_size, before_size, after_size;
} FollowWay;

typedef struct {
    Map map;
    unsigned long second_searches; /* anchors that were not behind the position given, on this page */
    int utf8;                      /* whether the whole page is; -1 before anybody asked */
    int frameset;                  /* whether the page may have one, which would do away with what has no text; or -1 */
    uint32_t calm;                 /* no formatting element is open at this offset */
} Search;

enum { NOTHING, FOUND, DOUBT };

/* Find the place a way leads to: FOUND with its offset and the rules that agreed (one bit each), NOTHING, or DOUBT with
 * map.why. `spoke` says whether any anchor was on the page. */
int follow_way(Search *s, const FollowWay *way, uint32_t *place, uint32_t *agreed, int *spoke);

/* Find the next true tag from `from` on that matches the anchor of the first rule. */
int next_match(Search *s, const FollowWay *way, uint32_t from, uint32_t *place);

typedef struct {
    uint32_t start, end; /* of what was taken, in the page */
} Range;

/* Take what the way wants at a place: FOUND with its range and its text, of which out[text_start:text_end] is wanted;
 * NOTHING; or DOUBT. For TAKE_FLOW only the range. */
int take_value(Search *s, const FollowWay *way, uint32_t place, Text *text, Range *range);

/* Say whether the page may have a frameset. */
int may_be_frameset(Search *s);

/* Keep the wanted part of a text; return 0 where it is not there. */
int keep_part(const FollowWay *way, Text *text);

#endif
