/* Cut the fields of a page: a plan and bytes come in, tuples of state, values, span, reason and way go out. */
#include "plan.h"

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

static void begin(Search *search, const char *body, Py_ssize_t size, int thorough)
{
    search->second_searches = 0;
    search->utf8 = search->frameset = -1;
    search->calm = 0;
    map_init(&search->map, (const byte *)body, (const byte *)body + size, thorough);
}

/* cut_field(plan, body, index, thorough) */
PyObject *cut_field(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *body;
    Py_ssize_t size, index;
    int thorough;
    if (!PyArg_ParseTuple(args, "Oy#np", &capsule, &body, &size, &index, &thorough))
        return NULL;
    Plan *plan = plan_of(capsule);
    if (plan == NULL)
        return NULL;
    if (index < 0 || index >= plan->field_count) {
        PyErr_SetString(PyExc_IndexError, "no such field");
        return NULL;
    }
    Search search;
    begin(&search, body, size, thorough);
    PyObject *result = search.map.broken ? pack_doubt(D_SIZE) : cut_with(&search, plan, index);
    plan->second_searches += search.second_searches;
    map_free(&search.map);
    return result;
}

/* cut_fields(plan, body, thorough) */
PyObject *cut_fields(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *body;
    Py_ssize_t size;
    int thorough;
    if (!PyArg_ParseTuple(args, "Oy#p", &capsule, &body, &size, &thorough))
        return NULL;
    Plan *plan = plan_of(capsule);
    if (plan == NULL)
        return NULL;
    Search search;
    begin(&search, body, size, thorough);
    PyObject *results = PyTuple_New(plan->field_count);
    for (Py_ssize_t i = 0; results != NULL && i < plan->field_count; i++) {
        PyObject *result = search.map.broken ? pack_doubt(D_SIZE) : cut_with(&search, plan, i);
        if (result == NULL)
            Py_CLEAR(results);
        else
            PyTuple_SetItem(results, i, result);
    }
    plan->second_searches += search.second_searches;
    map_free(&search.map);
    return results;
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
PyObject *read_run(PyObject *module, PyObject *args)
{
    (void)module;
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
PyObject *read_element(PyObject *module, PyObject *args)
{
    (void)module;
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
