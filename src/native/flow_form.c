/* Tell whether formatting elements (b, i, a, ...) may be left open where a form ends: the tree builder builds them
 * again inside the form, and then its end tag does not end it for what follows (13.2.6.4.7). See flow_mind_form. */
#include "flow_stack.h"

/* Say whether formatting elements may be left open on the page before the element. */
static int leaves_around(const Flow *f)
{
    Token t;
    uint16_t open[TAG_COUNT] = {0};
    uint32_t count = 0;
    const byte *at = f->page;
    while ((at = find_byte(at, f->start, '<')) != NULL) {
        read_token(&t, at, f->start);
        if (t.kind == TOKEN_UNENDED)
            return 1;
        at = t.next;
        if (t.kind != TOKEN_START && t.kind != TOKEN_END)
            continue;
        uint32_t traits = traits_of(t.tag);
        if ((traits & T_FORMATTING) && t.kind == TOKEN_START) {
            open[t.tag]++;
            count++;
        } else if ((traits & T_FORMATTING) && open[t.tag]) {
            open[t.tag]--;
            count--;
        }
        if (t.kind == TOKEN_START && (traits & T_RAW) && (at = content_close(&t, f->start)) == NULL)
            return 1;
    }
    return count != 0;
}

/* Say whether formatting elements may be left open here; only known where all elements are kept track of. */
int flow_leaves_formatting(Flow *f)
{
    if (!f->pending && f->around[TAG_OTHER] == 0)
        f->around[TAG_OTHER] = leaves_around(f) ? 1 : -1;
    return f->pending || f->around[TAG_OTHER] > 0;
}
