/* Cut the fields of a page: a plan and bytes come in, tuples of state, values, span, reason and way go out. */
#include "native.h"

#include "follow.h"

enum { REASONS_KEPT = 4 };

typedef struct {
    FollowWay way;
    PyObject *kinds;                    /* tuple of str, one for each rule */
    uint32_t masks[REASONS_KEPT];       /* sets of rules that agreed lately */
    PyObject *reasons[REASONS_KEPT];    /* ... and their kinds joined */
} PlanWay;

typedef struct {
    PlanWay *ways;
    int way_count;
} PlanField;

typedef struct {
    PlanField *fields;
    Py_ssize_t field_count;
    int utf8; /* pages of the layout are UTF-8 */
    unsigned long second_searches;
    PyObject *source; /* keeps the literals alive */
} Plan;

static void free_plan(Plan *plan)
{
    for (Py_ssize_t i = 0; plan->fields && i < plan->field_count; i++) {
        PlanField *field = &plan->fields[i];
        for (int j = 0; field->ways && j < field->way_count; j++) {
            for (int k = 0; k < REASONS_KEPT; k++)
                Py_XDECREF(field->ways[j].reasons[k]);
            PyMem_Free(field->ways[j].way.rules);
        }
        PyMem_Free(field->ways);
    }
    PyMem_Free(plan->fields);
    Py_XDECREF(plan->source);
    PyMem_Free(plan);
}

static void free_capsule(PyObject *capsule)
{
    free_plan(PyCapsule_GetPointer(capsule, "scythe.site.cut.plan"));
}

static int is_bare(const byte *at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (byte_class[at[i]] & B_NAME_END)
            return 0;
    return 1;
}

/* row: anchor, skip, step, nth, reach, position, counted */
static int read_rule(PyObject *row, FollowRule *rule)
{
    const char *anchor, *step;
    Py_ssize_t anchor_size, step_size, skip, reach, position;
    if (!PyArg_ParseTuple(row, "y#ny#innp", &anchor, &anchor_size, &skip, &step, &step_size, &rule->nth, &reach,
                          &position, &rule->counted))
        return 0;
    if (anchor_size == 0 || skip < 0 || (rule->nth == 0 && skip >= anchor_size) || reach < 0) {
        PyErr_SetString(PyExc_ValueError, "a rule needs an anchor that covers its target");
        return 0;
    }
    literal_init(&rule->anchor, (const byte *)anchor, (size_t)anchor_size);
    literal_init(&rule->step, (const byte *)step, (size_t)step_size);
    size_t from = rule->nth == 0 ? (size_t)skip : 0;
    rule->anchor_bare = is_bare((const byte *)anchor + from, (size_t)anchor_size - from);
    rule->step_bare = is_bare((const byte *)step, (size_t)step_size);
    rule->skip = (size_t)skip;
    rule->reach = reach < PAGE_LIMIT ? (size_t)reach : PAGE_LIMIT;
    rule->position = position > 0 ? (size_t)position : 0;
    return 1;
}

/* row: take, needed, repeats, attribute, before, after, kinds, rules */
static int read_way(PyObject *row, PlanWay *out)
{
    PyObject *rules;
    Py_ssize_t attribute, before, after;
    FollowWay *way = &out->way;
    if (!PyArg_ParseTuple(row, "iipy#y#y#O!O!", &way->take, &way->needed, &way->repeats, &way->attribute, &attribute,
                          &way->before, &before, &way->after, &after, &PyTuple_Type, &out->kinds,
                          &PyTuple_Type, &rules))
        return 0;
    way->attribute_size = (size_t)attribute;
    way->before_size = (size_t)before;
    way->after_size = (size_t)after;
    Py_ssize_t count = PyTuple_Size(rules);
    if (count == 0 || count > VOTES || PyTuple_Size(out->kinds) != count) {
        PyErr_SetString(PyExc_ValueError, "a way needs from 1 to 32 rules");
        return 0;
    }
    way->rules = PyMem_Calloc((size_t)count, sizeof(FollowRule));
    if (way->rules == NULL)
        return PyErr_NoMemory() != NULL;
    for (way->rule_count = 0; way->rule_count < count; way->rule_count++)
        if (!read_rule(PyTuple_GetItem(rules, way->rule_count), &way->rules[way->rule_count]))
            return 0;
    return 1;
}

static int read_field(PyObject *ways, PlanField *field)
{
    Py_ssize_t count = PyTuple_Size(ways);
    if (count < 0)
        return 0;
    field->ways = PyMem_Calloc((size_t)count + 1, sizeof(PlanWay));
    if (field->ways == NULL)
        return PyErr_NoMemory() != NULL;
    field->way_count = (int)count;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!read_way(PyTuple_GetItem(ways, i), &field->ways[i]))
            return 0;
    return 1;
}

/* make_plan(fields, utf8): fields is a tuple of tuples of ways. */
PyObject *make_plan(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *fields;
    int utf8;
    if (!PyArg_ParseTuple(args, "O!p", &PyTuple_Type, &fields, &utf8))
        return NULL;
    Plan *plan = PyMem_Calloc(1, sizeof *plan);
    if (plan == NULL)
        return PyErr_NoMemory();
    plan->utf8 = utf8;
    plan->source = Py_NewRef(fields);
    plan->field_count = PyTuple_Size(fields);
    plan->fields = PyMem_Calloc((size_t)plan->field_count + 1, sizeof(PlanField));
    int good = plan->fields != NULL || (PyErr_NoMemory() != NULL);
    for (Py_ssize_t i = 0; good && i < plan->field_count; i++)
        good = read_field(PyTuple_GetItem(fields, i), &plan->fields[i]);
    PyObject *capsule = good ? PyCapsule_New(plan, "scythe.site.cut.plan", free_capsule) : NULL;
    if (capsule == NULL)
        free_plan(plan);
    return capsule;
}

PyObject *count_second_searches(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    Plan *plan = PyCapsule_GetPointer(capsule, "scythe.site.cut.plan");
    return plan == NULL ? NULL : PyLong_FromUnsignedLong(plan->second_searches);
}

static PyObject *state_cut, *state_absent, *state_doubt, *state_flow, *state_raw, *no_values, *doubts[D_COUNT];
static PyObject *why_absent, *why_lacking, *why_votes, *minus_one, *ways_cache[8];

static int make_constants(void)
{
    state_cut = PyUnicode_InternFromString("cut");
    state_absent = PyUnicode_InternFromString("absent");
    state_doubt = PyUnicode_InternFromString("doubt");
    state_flow = PyUnicode_InternFromString("flow"); /* the paragraphs are still to be made */
    state_raw = PyUnicode_InternFromString("raw");   /* the bytes are still to be decoded */
    no_values = PyTuple_New(0);
    why_absent = PyUnicode_FromString("no anchor on the page");
    why_lacking = PyUnicode_FromString("the element does not hold it");
    why_votes = PyUnicode_FromString(doubt_names[D_VOTE]);
    minus_one = PyLong_FromLong(-1);
    for (int i = 0; i < D_COUNT; i++)
        doubts[i] = PyUnicode_FromString(doubt_names[i]);
    for (int i = 0; i < 8; i++)
        ways_cache[i] = PyLong_FromLong(i);
    return ways_cache[7] != NULL && minus_one != NULL;
}

static PyObject *pack(PyObject *state, PyObject *values, PyObject *span, PyObject *why, PyObject *way)
{
    return PyTuple_Pack(5, state, values, span, why, way);
}

static PyObject *pack_doubt(int why)
{
    return pack(state_doubt, no_values, Py_None, doubts[why < D_COUNT ? why : 0], minus_one);
}

/* Return the kinds of the rules that agreed, joined by "+"; borrowed from the way. */
static PyObject *reason_for(PlanWay *way, uint32_t mask)
{
    int slot = 0;
    while (slot < REASONS_KEPT && way->reasons[slot] != NULL && way->masks[slot] != mask)
        slot++;
    if (slot < REASONS_KEPT && way->reasons[slot] != NULL)
        return way->reasons[slot];
    if (slot == REASONS_KEPT)
        slot = 0;
    PyObject *plus = PyUnicode_FromString("+"), *kinds = PyList_New(0);
    for (int i = 0; kinds && i < way->way.rule_count; i++)
        if (mask >> i & 1 && PyList_Append(kinds, PyTuple_GetItem(way->kinds, i)) < 0)
            Py_CLEAR(kinds);
    PyObject *joined = plus && kinds ? PyUnicode_Join(plus, kinds) : NULL;
    Py_XDECREF(plus);
    Py_XDECREF(kinds);
    if (joined == NULL)
        return NULL;
    Py_XDECREF(way->reasons[slot]);
    way->reasons[slot] = joined;
    way->masks[slot] = mask;
    return joined;
}

/* What became of one place. */
typedef struct {
    int state; /* NOTHING, FOUND, DOUBT */
    int raw;   /* FOUND, but not in UTF-8 */
    Range range;
    PyObject *value; /* new reference, where it is text */
} Taken;

/* Return 0 with an error set, or 1. */
static int take_place(Search *s, const Plan *plan, const FollowWay *way, uint32_t place, Taken *out)
{
    Text text;
    text_init(&text);
    out->value = NULL;
    out->raw = 0;
    out->state = take_value(s, way, place, &text, &out->range);
    const byte *start = s->map.base + out->range.start, *end = s->map.base + out->range.end;
    if (out->state == FOUND && find_byte(start, end, 0x1B) != NULL) {
        s->map.why = D_BYTES; /* escapes of seven-bit encodings */
        out->state = DOUBT;
    }
    if (out->state == FOUND && way->take != TAKE_FLOW && (text.size == 0 || way->take == TAKE_ATTRIBUTE) &&
        s->map.thorough && may_be_frameset(s)) {
        s->map.why = D_FRAME;
        out->state = DOUBT;
    }
    /* the quick way takes what decodes as UTF-8 for UTF-8 */
    int ascii = out->state != FOUND || (plan->utf8 && !s->map.thorough) || skip_ascii(start, end) == end;
    if (!ascii && plan->utf8 && s->map.thorough) {
        /* broken bytes elsewhere may let the page pass for another encoding */
        if (s->utf8 < 0)
            s->utf8 = is_utf8(s->map.base, s->map.end);
        if (!s->utf8) {
            s->map.why = D_BYTES;
            out->state = DOUBT;
        }
    }
    if (!ascii && !plan->utf8) {
        out->raw = 1;
    } else if (out->state == FOUND && way->take != TAKE_FLOW) {
        if (!keep_part(way, &text)) {
            out->state = NOTHING;
        } else {
            out->value = PyUnicode_DecodeUTF8((const char *)text.out, (Py_ssize_t)text.size, NULL);
            if (out->value == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
                PyErr_Clear();
                s->map.why = D_BYTES;
                out->state = DOUBT;
            }
        }
    }
    text_free(&text);
    return out->value != NULL || !PyErr_Occurred();
}

static PyObject *pack_span(uint32_t start, uint32_t end)
{
    PyObject *first = PyLong_FromUnsignedLong(start), *second = PyLong_FromUnsignedLong(end);
    PyObject *span = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return span;
}

/* Pack what was taken at one or more places. Steals `values`: texts, or spans where there is no text yet. */
static PyObject *pack_cut(const PlanWay *way, PyObject *values, int raw, Range range, PyObject *why, int index)
{
    PyObject *state = raw ? state_raw : way->way.take == TAKE_FLOW ? state_flow : state_cut;
    PyObject *span = pack_span(range.start, range.end), *number = PyLong_FromLong(index), *packed = NULL;
    if (span && number && why && values)
        packed = pack(state, values, span, why, number);
    Py_XDECREF(span);
    Py_XDECREF(number);
    Py_XDECREF(values);
    return packed;
}

/* Each of these returns a packed result; Py_None where the way gives nothing; NULL with an error set. */
static PyObject *cut_one(Search *s, const Plan *plan, PlanWay *way, int index, int *spoke, int *lacking)
{
    uint32_t place, agreed;
    int found = follow_way(s, &way->way, &place, &agreed, spoke);
    if (found == DOUBT)
        return pack_doubt(s->map.why);
    if (found == NOTHING)
        return Py_NewRef(Py_None);
    Taken taken;
    if (!take_place(s, plan, &way->way, place, &taken))
        return NULL;
    if (taken.state == DOUBT)
        return pack_doubt(s->map.why);
    if (taken.state == NOTHING) {
        *lacking = 1;
        return Py_NewRef(Py_None);
    }
    PyObject *item = taken.value ? taken.value : pack_span(taken.range.start, taken.range.end);
    PyObject *values = item ? PyTuple_Pack(1, item) : NULL;
    Py_XDECREF(item);
    return pack_cut(way, values, taken.raw, taken.range, reason_for(way, agreed), index);
}

enum { WALKED = 8 }; /* times the size of the page; threads of comments reach two */

static PyObject *cut_repeats(Search *s, const Plan *plan, PlanWay *way, int index, int *spoke)
{
    PyObject *list = PyList_New(0), *result = NULL;
    uint32_t place, from = 0;
    Range whole = {0, 0};
    int state = NOTHING, raw = 0;
    uint64_t walked = 0;
    for (int count = 0; list != NULL; count++) {
        state = count <= OCCURRENCES ? next_match(s, &way->way, from, &place) : NOTHING;
        Taken taken = {NOTHING, 0, {0, 0}, NULL};
        if (state != FOUND || count == OCCURRENCES)
            break;
        *spoke = 1;
        if (!take_place(s, plan, &way->way, place, &taken)) {
            Py_CLEAR(list);
            break;
        }
        state = taken.state;
        if (state == DOUBT)
            break;
        walked += taken.range.end - taken.range.start;
        if (way->way.take == TAKE_FLOW && walked > (uint64_t)WALKED * (uint64_t)(s->map.end - s->map.base)) {
            s->map.why = D_DEPTH; /* elements in elements: each is walked through once more */
            state = DOUBT;
            break;
        }
        from = place + 1;
        if (state == NOTHING)
            continue;
        raw |= taken.raw;
        if (PyList_Size(list) == 0)
            whole.start = taken.range.start;
        whole.end = taken.range.end;
        PyObject *span = pack_span(taken.range.start, taken.range.end);
        PyObject *item = span ? PyTuple_Pack(2, taken.value ? taken.value : Py_None, span) : NULL;
        Py_XDECREF(taken.value);
        Py_XDECREF(span);
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    if (list != NULL && state == DOUBT) {
        result = pack_doubt(s->map.why);
    } else if (list != NULL && PyList_Size(list) == 0) {
        result = Py_NewRef(Py_None);
    } else if (list != NULL) {
        int spans = raw || way->way.take == TAKE_FLOW;
        Py_ssize_t size = PyList_Size(list);
        PyObject *values = PyTuple_New(size);
        for (Py_ssize_t i = 0; values && i < size; i++)
            PyTuple_SetItem(values, i, Py_NewRef(PyTuple_GetItem(PyList_GetItem(list, i), spans)));
        result = pack_cut(way, values, raw, whole, reason_for(way, 1), index);
    }
    Py_XDECREF(list);
    return result;
}

static PyObject *cut_with(Search *s, Plan *plan, Py_ssize_t index)
{
    PlanField *field = &plan->fields[index];
    int spoke = 0, lacking = 0;
    for (int i = 0; i < field->way_count; i++) {
        PlanWay *way = &field->ways[i];
        PyObject *result = way->way.repeats ? cut_repeats(s, plan, way, i, &spoke)
                                            : cut_one(s, plan, way, i, &spoke, &lacking);
        if (result != Py_None)
            return result;
        Py_DECREF(result);
    }
    if (lacking)
        return pack(state_absent, no_values, Py_None, why_lacking, minus_one);
    return spoke ? pack(state_doubt, no_values, Py_None, why_votes, minus_one)
                 : pack(state_absent, no_values, Py_None, why_absent, minus_one);
}

static Plan *plan_of(PyObject *capsule)
{
    if (ways_cache[7] == NULL && !make_constants())
        return NULL;
    return PyCapsule_GetPointer(capsule, "scythe.site.cut.plan");
}

/* Cut one field, or all where `index` is negative. */
static PyObject *cut_page(PyObject *capsule, const char *body, Py_ssize_t size, Py_ssize_t index, int thorough)
{
    Plan *plan = plan_of(capsule);
    if (plan == NULL)
        return NULL;
    if (index >= plan->field_count) {
        PyErr_SetString(PyExc_IndexError, "no such field");
        return NULL;
    }
    Search search;
    search.second_searches = 0;
    search.utf8 = search.frameset = -1;
    search.calm = 0;
    map_init(&search.map, (const byte *)body, (const byte *)body + size, thorough);
    PyObject *results = index < 0 ? PyTuple_New(plan->field_count) : NULL;
    for (Py_ssize_t i = index < 0 ? 0 : index; i < plan->field_count; i++) {
        PyObject *result = search.map.broken ? pack_doubt(D_SIZE) : cut_with(&search, plan, i);
        if (index >= 0) {
            results = result;
            break;
        }
        if (results == NULL || result == NULL || PyTuple_SetItem(results, i, result) < 0) {
            Py_CLEAR(results);
            break;
        }
    }
    plan->second_searches += search.second_searches;
    map_free(&search.map);
    return results;
}

/* cut_field(plan, body, index, thorough) */
PyObject *cut_field(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule;
    const char *body;
    Py_ssize_t size, index;
    int thorough;
    if (!PyArg_ParseTuple(args, "Oy#np", &capsule, &body, &size, &index, &thorough))
        return NULL;
    return cut_page(capsule, body, size, index < 0 ? PY_SSIZE_T_MAX : index, thorough);
}

/* cut_fields(plan, body, thorough) */
PyObject *cut_fields(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule;
    const char *body;
    Py_ssize_t size;
    int thorough;
    if (!PyArg_ParseTuple(args, "Oy#p", &capsule, &body, &size, &thorough))
        return NULL;
    return cut_page(capsule, body, size, -1, thorough);
}

static PyObject *text_or_none(Text *text)
{
    PyObject *value = text->broken ? NULL : PyUnicode_DecodeUTF8((const char *)text->out, (Py_ssize_t)text->size, NULL);
    if (value == NULL && (text->broken || PyErr_ExceptionMatches(PyExc_UnicodeDecodeError))) {
        PyErr_Clear();
        value = Py_NewRef(Py_None);
    }
    text_free(text);
    return value;
}

/* read_run(bytes, in_attribute): the text of a run without tags, or None. */
PyObject *read_run(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *body;
    Py_ssize_t size;
    int attribute;
    if (!PyArg_ParseTuple(args, "y#p", &body, &size, &attribute))
        return NULL;
    Text text;
    text_init(&text);
    text_put(&text, (const byte *)body, (const byte *)body + size, attribute ? IN_ATTRIBUTE : IN_TEXT);
    return text_or_none(&text);
}

static int nothing_around(void *who, int what)
{
    (void)who;
    (void)what;
    return 0;
}

/* read_element(bytes): the text of an element that was scanned before in other bytes, or None. */
PyObject *read_element(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *body;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &body, &size))
        return NULL;
    Text text;
    Token opening;
    Element element;
    text_init(&text);
    const byte *start = (const byte *)body;
    Surroundings around = {start, start + size, nothing_around, NULL};
    read_token(&opening, start, start + size);
    element.doubt = D_KIND;
    if (size && *start == '<' && opening.kind == TOKEN_START)
        scan_element(&around, &opening, &text, &element);
    text.broken |= element.doubt != SURE;
    return text_or_none(&text);
}
