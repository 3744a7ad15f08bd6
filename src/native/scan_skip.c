/* What a scan passes over in one go: svg and math, selects, templates and raw text. */
#include "scan_stack.h"

/* svg and math: opening and closing tags by their names alone, until one that the standard treats as HTML. */
int scan_skip_foreign(Scan *s, Token *t)
{
    int shown = t->tag == TAG_MATH && !s->skips;
    int bottom = s->depth, leaf = -1; /* leaf: level of an element whose content is HTML again: text only */
    Token token = *t;
    if (token.slash)
        return GO_ON;
    push_tag(s, t->tag, t);
    const byte *at = t->next;
    while (!s->doubt) {
        const byte *open = find_byte(at, s->end, '<');
        if (open == NULL)
            return doubtful(s, D_PAGE_END);
        if (shown && s->text && !s->skips)
            text_put(s->text, at, open, IN_TEXT);
        read_token(&token, open, s->end);
        at = token.next;
        if (token.kind == TOKEN_UNENDED)
            return doubtful(s, D_PAGE_END);
        if (token.kind == TOKEN_LITERAL && shown && s->text && !s->skips)
            text_put(s->text, open, at, IN_TEXT);
        if (token.kind == TOKEN_COMMENT && open[1] == '!' && s->end - open > 8 && !memcmp(open + 2, "[CDATA[", 7))
            return doubtful(s, D_FOREIGN);
        if (token.kind == TOKEN_START) {
            uint32_t traits = traits_of(token.tag);
            int nested = token.tag == TAG_SVG && t->tag == TAG_SVG;
            if (leaf >= 0 || (!nested && (traits & (T_BREAKS_OUT | T_OPAQUE))) || token.tag == TAG_FONT || token.zero ||
                token.tag == TAG_FOREIGNOBJECT || token.tag == TAG_ANNOTATION_XML ||
                (t->tag == TAG_MATH && tag_rows[token.tag].kind != K_INLINE && token.tag != TAG_ANNOTATION))
                return doubtful(s, D_FOREIGN);
            if (token.slash)
                continue;
            int tag = token.tag;
            if (t->tag == TAG_SVG
                    ? tag == TAG_TITLE || tag == TAG_DESC
                    : tag == TAG_MI || tag == TAG_MN || tag == TAG_MO || tag == TAG_MS || tag == TAG_MTEXT)
                leaf = s->depth;
            push_tag(s, t->tag == TAG_MATH && tag == TAG_ANNOTATION ? tag : TAG_OTHER, &token);
            s->stack[s->depth - 1].tag = (uint8_t)tag;
        } else if (token.kind == TOKEN_END) {
            int level = s->depth - 1;
            while (level >= bottom && !same_name(&s->stack[level], &token))
                level--;
            if (level < bottom || token.tag == TAG_P || token.tag == TAG_BR || (leaf >= 0 && level != leaf))
                return doubtful(s, D_FOREIGN);
            leaf = leaf >= level ? -1 : leaf;
            while (s->depth > level) {
                int tag = s->stack[--s->depth].tag;
                int counted = s->depth == bottom || (t->tag == TAG_MATH && tag == TAG_ANNOTATION);
                s->ordinary--;
                s->skips -= counted && tag_rows[tag].kind == K_SKIP;
            }
            if (s->depth == bottom) {
                t->next = at;
                return GO_ON;
            }
        }
    }
    return STOP;
}

const byte *svg_end(const Token *opening, const byte *end)
{
    int depth = 1, leaf = 0; /* leaf: the TAG_... of an element whose content is HTML again: text only */
    const byte *at = opening->next;
    if (opening->slash)
        return at;
    while (depth) {
        Token t;
        const byte *open = find_byte(at, end, '<');
        if (open == NULL)
            return NULL;
        read_token(&t, open, end);
        at = t.next;
        int is_tag = t.kind == TOKEN_START || t.kind == TOKEN_END;
        uint32_t traits = is_tag ? traits_of(t.tag) : 0;
        int named = is_tag && (t.tag == TAG_TITLE || t.tag == TAG_DESC);
        if (t.kind == TOKEN_UNENDED || (is_tag && t.zero) ||
            (t.kind == TOKEN_COMMENT && end - open > 8 && !memcmp(open + 1, "![CDATA[", 8)))
            return NULL;
        if (t.kind == TOKEN_START) {
            int html = t.tag != TAG_SVG && !named && (traits & (T_BREAKS_OUT | T_OPAQUE | T_RAW | T_FRAME));
            if (leaf || html || t.tag == TAG_FONT || t.tag == TAG_FOREIGNOBJECT || t.tag == TAG_ANNOTATION_XML)
                return NULL;
            depth += t.tag == TAG_SVG && !t.slash;
            leaf = named && !t.slash ? t.tag : 0;
        } else if (t.kind == TOKEN_END) {
            int html = (traits & (T_SPECIAL | T_FORMATTING | T_BREAKS_OUT | T_OPAQUE | T_FRAME)) != 0;
            if (leaf ? t.tag != leaf : t.tag != TAG_SVG && html)
                return NULL;
            depth -= t.tag == TAG_SVG && !leaf;
            leaf = 0;
        }
    }
    return at;
}

/* Read the next token of markup and go behind it, or doubt where the page ends first. */
static int next_token(Scan *s, const byte **at, Token *token)
{
    const byte *open = find_byte(*at, s->end, '<');
    if (open != NULL)
        read_token(token, open, s->end);
    if (open == NULL || token->kind == TOKEN_UNENDED) {
        doubtful(s, D_PAGE_END);
        return 0;
    }
    *at = token->next;
    return 1;
}

/* A select with nothing but options, which cannot surprise. */
int scan_skip_select(Scan *s, Token *t)
{
    Token token;
    const byte *at = t->next;
    for (;;) {
        if (!next_token(s, &at, &token))
            return STOP;
        if (token.kind != TOKEN_START && token.kind != TOKEN_END)
            continue;
        if (token.tag == TAG_SELECT && token.kind == TOKEN_END)
            break;
        if (token.tag != TAG_OPTION && token.tag != TAG_OPTGROUP)
            return doubtful(s, D_SELECT);
    }
    t->next = at;
    return GO_ON;
}

/* A template ends with its own end tag whatever is open in it; only raw text can hide that. */
int scan_skip_template(Scan *s, Token *t)
{
    Token token;
    const byte *at = t->next;
    int inner = 1;
    while (inner) {
        if (!next_token(s, &at, &token))
            return STOP;
        if (token.kind == TOKEN_END) {
            inner -= token.tag == TAG_TEMPLATE;
        } else if (token.kind == TOKEN_START) {
            inner += token.tag == TAG_TEMPLATE;
            if (token.tag == TAG_SVG) {
                at = svg_end(&token, s->end);
                if (at == NULL)
                    return doubtful(s, D_TEMPLATE);
                continue;
            }
            if (token.tag == TAG_MATH || token.tag == TAG_SELECT || token.tag == TAG_COL ||
                token.tag == TAG_PLAINTEXT || (traits_of(token.tag) & T_FRAME) || inner > DEPTH)
                return doubtful(s, D_TEMPLATE);
            if (traits_of(token.tag) & T_RAW) {
                at = content_close(&token, s->end);
                if (at == NULL)
                    return doubtful(s, D_PAGE_END);
            }
        }
    }
    t->next = at;
    return GO_ON;
}

int scan_skip_raw(Scan *s, Token *t)
{
    if (t->tag == TAG_XMP || t->tag == TAG_NOEMBED || t->tag == TAG_NOFRAMES)
        return doubtful(s, D_RAW);
    if (in_grid(s) && !(traits_of(t->tag) & T_HEADLIKE))
        return doubtful(s, D_FOSTER);
    const byte *close = content_close(t, s->end);
    if (close == NULL)
        return doubtful(s, D_PAGE_END);
    Token token;
    read_token(&token, close, s->end);
    if (token.kind == TOKEN_UNENDED)
        return doubtful(s, D_PAGE_END);
    t->next = token.next;
    return GO_ON;
}
