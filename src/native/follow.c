/* Follow learned rules over bytes; see follow.h. */
#include "follow.h"

static int unsure(Search *s, int why)
{
    s->map.why = why;
    return DOUBT;
}

/* Say whether the tag at `at` begins with the literal; the bytes are known to be there unless `compare`. */
static int matches(const Search *s, const byte *at, const Literal *l, size_t from, int bare)
{
    const byte *end = s->map.end;
    size_t size = l->size - from;
    if ((size_t)(end - at) < size || memcmp(at, l->bytes + from, size) != 0)
        return 0;
    return !bare || at + size >= end || (byte_class[at[size]] & B_NAME_END);
}

/* Judge one occurrence of an anchor: a tag must be a true one, other text must stand in text. */
static int judge(Search *s, const FollowRule *rule, const byte *at)
{
    Map *m = &s->map;
    uint32_t offset = (uint32_t)(at - m->base);
    if (rule->nth == 0) {
        offset += (uint32_t)rule->skip;
        if (at + rule->skip >= m->end || !matches(s, at + rule->skip, &rule->anchor, rule->skip, rule->anchor_bare))
            return PLACE_NO;
        return at[rule->skip] == '<' ? is_true_tag(m, offset) : PLACE_NO;
    }
    if (rule->anchor.bytes[0] == '<')
        return matches(s, at, &rule->anchor, 0, rule->anchor_bare) ? is_true_tag(m, offset) : PLACE_NO;
    return is_true_text(m, offset);
}

static int find_from(Search *s, const FollowRule *rule, const byte *at, const byte *end, const byte **found)
{
    for (int i = 0; i < OCCURRENCES; i++) {
        const byte *place = find_literal(&rule->anchor, at, end);
        if (place == NULL)
            return NOTHING;
        int answer = judge(s, rule, place);
        if (answer == PLACE_DOUBT)
            return DOUBT;
        if (answer == PLACE_YES) {
            *found = place;
            return FOUND;
        }
        at = place + 1;
    }
    return unsure(s, D_MANY);
}

static int find_anchor(Search *s, const FollowRule *rule, const byte **found)
{
    const Map *m = &s->map;
    size_t size = (size_t)(m->end - m->base), position = rule->position < size ? rule->position : size;
    int state = find_from(s, rule, m->base + position, m->end, found);
    if (state != NOTHING || position == 0)
        return state;
    s->second_searches++;
    size_t limit = position + rule->anchor.size - 1;
    return find_from(s, rule, m->base, limit < size ? m->base + limit : m->end, found);
}

/* Judge the mark at `index` as a step: FOUND where it matches and counts. */
static int judge_step(Search *s, const FollowRule *rule, long index)
{
    Map *m = &s->map;
    Mark mark = m->marks[index];
    if (mark.kind == TOKEN_START && mark.odd)
        return unsure(s, D_PLACE);
    if (mark.kind != TOKEN_START || (mark.hidden & 1))
        return NOTHING;
    if (!matches(s, m->base + mark.at, &rule->step, 0, rule->step_bare))
        return NOTHING;
    if (mark.hidden)
        return unsure(s, D_HIDDEN);
    int answer = is_true_tag(m, mark.at);
    return answer == PLACE_YES ? FOUND : answer == PLACE_NO ? NOTHING : DOUBT;
}

/* Count the mark at `index` if it is a step: FOUND at the last one wanted, NOTHING where more are. */
static int count_step(Search *s, const FollowRule *rule, long index, int *left, uint32_t *place)
{
    uint32_t at = s->map.marks[index].at; /* judging may make the map begin elsewhere: then another mark is there */
    int state = judge_step(s, rule, index);
    if (state != FOUND)
        return state;
    *place = at;
    return --*left == 0 ? FOUND : NOTHING;
}

static int step_forward(Search *s, const FollowRule *rule, uint32_t anchor, uint32_t *place)
{
    Map *m = &s->map;
    uint32_t size = (uint32_t)(m->end - m->base), at = anchor;
    uint32_t last = size - anchor > rule->reach ? anchor + (uint32_t)rule->reach : size - 1;
    int left = rule->nth;
    map_reach(m, anchor, WINDOW);
    long index = map_find(m, at);
    while (!m->broken) {
        /* asking what is open may have made the map begin elsewhere */
        if (index < 0 || index >= (long)m->count || m->marks[index].at != at)
            index = map_find(m, at);
        index++;
        if (index == (long)m->count) {
            if (m->cursor > last)
                return NOTHING;
            map_reach(m, m->cursor + 256 < last ? m->cursor + 256 : last, WINDOW);
            if (map_find(m, at) + 1 == (long)m->count && m->cursor > last)
                return NOTHING;
            if (m->cursor >= size && map_find(m, at) + 1 == (long)m->count)
                return NOTHING;
            index--;
            continue;
        }
        at = m->marks[index].at;
        if (at > last)
            return NOTHING;
        int state = count_step(s, rule, index, &left, place);
        if (state != NOTHING)
            return state;
    }
    return unsure(s, D_SIZE);
}

static int step_back(Search *s, const FollowRule *rule, uint32_t anchor, uint32_t *place)
{
    Map *m = &s->map;
    int left = -rule->nth;
    uint32_t reach = rule->reach < anchor ? (uint32_t)rule->reach : anchor, at = anchor;
    map_reach(m, anchor, reach + WINDOW);
    if (m->broken)
        return unsure(s, D_SIZE);
    while (at > 0) {
        long index = map_find(m, at - 1);
        if (index < 0)
            return m->exact || m->from <= anchor - reach ? NOTHING : unsure(s, D_PLACE);
        at = m->marks[index].at;
        if (anchor - at > rule->reach)
            return NOTHING;
        int state = count_step(s, rule, index, &left, place);
        if (state != NOTHING)
            return state;
    }
    return NOTHING;
}

/* `spoke` is set where the anchor is on the page, even if no target is near it. */
static int follow_rule(Search *s, const FollowRule *rule, uint32_t *place, int *spoke)
{
    const byte *found = NULL;
    int state = find_anchor(s, rule, &found);
    if (state != FOUND)
        return state;
    *spoke = 1;
    uint32_t anchor = (uint32_t)(found - s->map.base);
    if (rule->nth == 0) {
        *place = anchor + (uint32_t)rule->skip;
        return FOUND;
    }
    return rule->nth > 0 ? step_forward(s, rule, anchor, place) : step_back(s, rule, anchor, place);
}

/* Rules that count from an element in front fail together: they need one of another kind, or the first rule. */
static int are_independent(const FollowWay *way, uint32_t agreed)
{
    if (agreed & 1)
        return 1;
    for (int i = 1; i < way->rule_count && i < VOTES; i++)
        if ((agreed >> i & 1) && !way->rules[i].counted)
            return 1;
    return 0;
}

int follow_way(Search *s, const FollowWay *way, uint32_t *place, uint32_t *agreed, int *spoke)
{
    uint32_t places[VOTES], rules[VOTES];
    int votes[VOTES], count = 0, doubts = 0, why = SURE;
    for (int i = 0; i < way->rule_count && i < VOTES; i++) {
        uint32_t target;
        int state = follow_rule(s, &way->rules[i], &target, spoke);
        if (state == DOUBT) {
            doubts++;
            why = s->map.why;
        }
        if (state != FOUND)
            continue;
        int known = 0;
        while (known < count && places[known] != target)
            known++;
        if (known == count) {
            places[count] = target;
            votes[count] = 0;
            rules[count++] = 0;
        }
        rules[known] |= (uint32_t)1 << i;
        if (++votes[known] < way->needed || !are_independent(way, rules[known]))
            continue;
        if (doubts && count > 1) /* what is doubtful might have been another place's vote, and first */
            return unsure(s, why);
        *place = target;
        *agreed = rules[known];
        return FOUND;
    }
    return doubts ? unsure(s, why) : NOTHING;
}

int next_match(Search *s, const FollowWay *way, uint32_t from, uint32_t *place)
{
    FollowRule rule = way->rules[0];
    rule.nth = 0;
    rule.skip = 0;
    const byte *found = NULL;
    int state = find_from(s, &rule, s->map.base + from, s->map.end, &found);
    if (state == FOUND)
        *place = (uint32_t)(found - s->map.base);
    return state;
}

static int ask_map(void *who, int what)
{
    Search *s = ((void **)who)[0];
    const Token *opening = ((void **)who)[1];
    return may_be_open(&s->map, (uint32_t)(opening->at - s->map.base), what);
}

static int take_attribute(Search *s, const FollowWay *way, const Token *t, Text *text, Range *range)
{
    const byte *at = t->attributes;
    Attribute found;
    do {
        if (!next_attribute(&at, t->next, &found))
            return NOTHING;
    } while (!is_named(&found, way->attribute, way->attribute_size));
    if (found.value == NULL || (found.value == found.value_end && *found.value == '>'))
        return NOTHING; /* `name`, or `name=` with nothing behind it */
    if (find_byte(found.value, found.value_end, 0) != NULL)
        return unsure(s, D_ZERO);
    text_put(text, found.value, found.value_end, IN_ATTRIBUTE);
    range->start = (uint32_t)(found.value - s->map.base);
    range->end = (uint32_t)(found.value_end - s->map.base);
    return text->broken ? unsure(s, D_BYTES) : FOUND;
}

/* Say whether formatting elements may be open in vain at `offset`: the tree would wrap text there in copies of them.
 * None is open at `calm`. An end tag in a cell or an object reaches nothing outside of it. One apart (between cells, in a
 * noscript or a template) is not relied on for what is outside. */
static int formatting_open(const Map *m, uint32_t offset, uint32_t calm)
{
    uint16_t ends[2][CELLS_DEEP][TAG_COUNT] = {0}; /* seen without their start, those apart second */
    long index = map_find(m, offset);
    if (index >= 0 && m->marks[index].at == offset)
        index--;
    for (; index >= 0 && m->marks[index].at >= calm; index--) {
        const Mark *mark = &m->marks[index];
        int tag = mark->tag, level = mark->cells, apart = mark->hidden || mark->table == TABLE_GRID;
        if (tag == TAG_OBJECT || tag == TAG_APPLET || tag == TAG_MARQUEE)
            memset(ends, 0, sizeof ends);
        if (tag == TAG_TABLE || (mark->hidden && (traits_of(tag) & T_TABLE_PART)))
            memset(ends[1], 0, sizeof ends[1]);
        if (!(traits_of(tag) & T_FORMATTING) || mark->hidden == 5)
            continue;
        if (level >= CELLS_DEEP)
            return 1;
        if (mark->kind == TOKEN_END) {
            ends[apart][level][tag]++;
            continue;
        }
        if (apart && ends[1][level][tag]) {
            ends[1][level][tag]--;
            continue;
        }
        while (level >= 0 && !ends[0][level][tag])
            level--;
        if (level < 0)
            return 1;
        ends[0][level][tag]--;
    }
    return 0;
}

/* Put the text between `at` and the next tag; return DOUBT where it cannot be told whether that tag ends it. */
static int take_run(Search *s, const byte *at, Text *text, Range *range, Token *next)
{
    const byte *end = s->map.end, *open = at;
    for (;; open = next->next) {
        open = find_byte(open, end, '<');
        if (open == NULL)
            return unsure(s, D_PAGE_END);
        read_token(next, open, end);
        if (next->kind != TOKEN_LITERAL)
            break;
    }
    if (next->kind == TOKEN_UNENDED)
        return unsure(s, D_PAGE_END);
    if (next->kind == TOKEN_EMPTY || (next->kind == TOKEN_COMMENT && next->at[1] == '!' && lower(next->at[2]) == 'd'))
        return unsure(s, D_END_TAG); /* it leaves no trace in the tree; a second doctype does not either */
    uint32_t traits = traits_of(next->tag);
    /* what does not belong into a table would be put before it, into this text */
    int odd = (traits & (T_TABLE_PART | T_FRAME)) || next->tag == TAG_FORM || next->tag == TAG_TABLE;
    if (next->kind == TOKEN_START && odd)
        return unsure(s, D_TABLE);
    if (find_byte(at, open, 0) != NULL)
        return unsure(s, D_ZERO);
    if (open == at)
        return NOTHING;
    text_put(text, at, open, IN_TEXT);
    range->start = (uint32_t)(at - s->map.base);
    range->end = (uint32_t)(open - s->map.base);
    return text->broken ? unsure(s, D_BYTES) : FOUND;
}

static int same_tag(const Map *m, const Mark *mark, const Token *t)
{
    if (mark->tag != t->tag || t->tag != TAG_OTHER)
        return mark->tag == t->tag;
    Token other;
    read_name(&other, m->base + mark->at + 1, m->end); /* of an opening tag */
    return other.name_size == t->name_size && same_letters(other.name, t->name, t->name_size);
}

static int take_lead(Search *s, const Token *opening, uint32_t place, Text *text, Range *range)
{
    uint32_t traits = traits_of(opening->tag);
    Token next;
    if (opening->tag == TAG_TABLE || opening->tag == TAG_PRE || opening->tag == TAG_LISTING ||
        (traits & (T_TABLE_PART | T_OPAQUE | T_FRAME | T_RAW) && !(traits & T_CELL)))
        return unsure(s, D_KIND);
    if (traits & T_VOID)
        return NOTHING;
    if ((traits & (T_SPECIAL | T_CLOSES_P)) && formatting_open(&s->map, place, 0))
        return unsure(s, D_FORMATTING);
    int state = take_run(s, opening->next, text, range, &next);
    if (state == DOUBT || next.kind != TOKEN_END)
        return state;
    /* an end tag that ends nothing would join the texts before and behind it */
    Mark self = {.at = place, .kind = TOKEN_START, .tag = opening->tag};
    return same_tag(&s->map, &self, &next) ? state : unsure(s, D_END_TAG);
}

/* Say whether formatting elements left open are opened again before this element, so not behind it. */
static int reopens_formatting(int tag)
{
    if (!(traits_of(tag) & (T_SPECIAL | T_CLOSES_P)))
        return 1;
    return tag == TAG_BR || tag == TAG_IMG || tag == TAG_IMAGE || tag == TAG_INPUT || tag == TAG_WBR || tag == TAG_EMBED || tag == TAG_AREA || tag == TAG_KEYGEN;
}

static int take_tail(Search *s, const Token *opening, const Element *element, Text *text, Range *range)
{
    uint32_t traits = traits_of(opening->tag), place = (uint32_t)(opening->at - s->map.base);
    Token next;
    if (traits & T_TABLE_PART || (traits & T_RAW) || tag_rows[opening->tag].kind == K_SKIP)
        return unsure(s, D_KIND);
    if (opening->tag == TAG_NOBR || (opening->tag == TAG_A && may_be_open(&s->map, place, AROUND_LINK)))
        return unsure(s, D_LINK);
    if (element->end == element->content_end && !(traits & T_VOID)) { /* another tag ends it */
        read_token(&next, element->end, s->map.end);
        return next.kind == TOKEN_START && next.tag != TAG_TABLE ? NOTHING : unsure(s, D_END_TAG);
    }
    if ((element->open_formatting && !(traits & T_VOID)) ||
        (!reopens_formatting(opening->tag) && formatting_open(&s->map, place, 0)))
        return unsure(s, D_FORMATTING);
    int state = take_run(s, element->end, text, range, &next);
    if (state == DOUBT || next.kind != TOKEN_END)
        return state;
    const Mark *parent = parent_of(&s->map, place, opening->tag);
    if (parent == NULL || !same_tag(&s->map, parent, &next) || is_true_tag(&s->map, parent->at) != PLACE_YES)
        return unsure(s, D_AROUND);
    return state;
}

int take_value(Search *s, const FollowWay *way, uint32_t place, Text *text, Range *range)
{
    Map *m = &s->map;
    Token opening;
    read_token(&opening, m->base + place, m->end);
    if (opening.kind != TOKEN_START || opening.zero)
        return unsure(s, opening.kind == TOKEN_START ? D_ZERO : D_PAGE_END);
    if (way->take == TAKE_ATTRIBUTE) {
        int state = take_attribute(s, way, &opening, text, range);
        /* a second html or body tag gives its attributes to the first */
        return state == NOTHING && (traits_of(opening.tag) & T_FRAME) ? unsure(s, D_FRAME) : state;
    }
    long index = map_find(m, place);
    int table = index >= 0 && m->marks[index].at == place ? m->marks[index].table : TABLE_UNKNOWN;
    if (table == TABLE_GRID && !(traits_of(opening.tag) & (T_TABLE_PART | T_HEADLIKE)))
        return unsure(s, D_FOSTER);
    if (way->take == TAKE_LEAD)
        return take_lead(s, &opening, place, text, range);
    void *who[2] = {s, &opening};
    Surroundings around = {m->base, m->end, ask_map, who};
    Element element;
    scan_element(&around, &opening, way->take == TAKE_ELEMENT ? text : NULL, &element);
    if (element.doubt)
        return unsure(s, element.doubt);
    if (way->take == TAKE_TAIL)
        return take_tail(s, &opening, &element, text, range);
    if (way->take == TAKE_FLOW && way->repeats) {
        /* records are taken apart by what is inside what: nothing from outside may be built again in them */
        if (element.open_formatting || formatting_open(m, place, place >= s->calm ? s->calm : 0))
            return unsure(s, D_FORMATTING);
        s->calm = place;
    }
    range->start = place;
    range->end = (uint32_t)(element.end - m->base);
    return FOUND;
}

int may_be_frameset(Search *s)
{
    if (s->frameset < 0) {
        const byte *at = s->map.base, *end = s->map.end;
        s->frameset = 0;
        while (!s->frameset && (at = find_name(at, end, 'f', 'r')) != NULL) {
            Token t;
            if (end - at > 9) {
                read_name(&t, at + 1, end);
                s->frameset = t.tag == TAG_FRAMESET;
            }
            at++;
        }
    }
    return s->frameset;
}

int keep_part(const FollowWay *way, Text *text)
{
    byte *start = text->out, *end = text->out + text->size;
    Literal before, after;
    if (way->before_size) {
        literal_init(&before, (const byte *)way->before, way->before_size);
        start = (byte *)find_literal(&before, start, end);
        if (start == NULL)
            return 0;
        start += way->before_size;
    }
    if (way->after_size) {
        literal_init(&after, (const byte *)way->after, way->after_size);
        end = (byte *)find_literal(&after, start, end);
        if (end == NULL)
            return 0;
    }
    if (way->before_size || way->after_size) {
        while (start < end && *start == ' ')
            start++;
        while (end > start && end[-1] == ' ')
            end--;
    }
    memmove(text->out, start, (size_t)(end - start));
    text->size = (size_t)(end - start);
    return 1;
}
