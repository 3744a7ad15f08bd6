/* A layout's rules made ready: tuples come in, a capsule goes out. */
#include "plan.h"

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
PyObject *make_plan(PyObject *module, PyObject *args)
{
    (void)module;
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

PyObject *count_second_searches(PyObject *module, PyObject *capsule)
{
    (void)module;
    Plan *plan = PyCapsule_GetPointer(capsule, "scythe.site.cut.plan");
    return plan == NULL ? NULL : PyLong_FromUnsignedLong(plan->second_searches);
}
