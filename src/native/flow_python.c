/* The text of one element for Python: bytes and a plan come in, str or None goes out. */
#include "native.h"

#include <stdlib.h>

#include "flow.h"

static const char CAPSULE[] = "scythe.site.cut.cutter";
enum { KEPT_BYTES = 1 << 23 }; /* of buffers that stay for the next element */

static void free_plan(FlowPlan *plan)
{
    if (plan) {
        PyMem_Free(plan->drops);
        PyMem_Free(plan->bytes);
        PyMem_Free(plan);
    }
}

static void free_capsule(PyObject *capsule)
{
    free_plan(PyCapsule_GetPointer(capsule, CAPSULE));
}

/* Copy one literal into the plan. One that is no opening tag matches nothing and is left out. */
static byte *add_drop(FlowPlan *plan, byte *room, const char *literal, size_t size)
{
    if (size < 2 || literal[0] != '<' || !is_letter((byte)literal[1]))
        return room;
    memcpy(room, literal, size);
    Drop *drop = &plan->drops[plan->count++];
    *drop = (Drop){room, size, 1};
    for (size_t i = 1; i < size; i++)
        if (byte_class[room[i]] & B_NAME_END)
            drop->bare = 0;
    plan->first[room[1]] = 1;
    return room + size;
}

/* plan_flow(drops): prepare the literals of elements that are left out. */
PyObject *plan_flow(PyObject *module, PyObject *drops)
{
    (void)module;
    PyObject *rows = PySequence_Tuple(drops);
    if (rows == NULL)
        return NULL;
    Py_ssize_t count = PyTuple_Size(rows);
    size_t bytes = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyBytes_Check(PyTuple_GetItem(rows, i))) {
            Py_DECREF(rows);
            PyErr_SetString(PyExc_TypeError, "drops must be bytes");
            return NULL;
        }
        bytes += (size_t)PyBytes_Size(PyTuple_GetItem(rows, i));
    }
    FlowPlan *plan = PyMem_Calloc(1, sizeof *plan);
    if (plan) {
        plan->drops = PyMem_Calloc((size_t)count + 1, sizeof *plan->drops);
        plan->bytes = PyMem_Calloc(bytes + 1, 1);
    }
    PyObject *capsule = NULL;
    if (plan && plan->drops && plan->bytes) {
        byte *room = plan->bytes;
        for (Py_ssize_t i = 0; i < count; i++) {
            PyObject *row = PyTuple_GetItem(rows, i);
            room = add_drop(plan, room, PyBytes_AsString(row), (size_t)PyBytes_Size(row));
        }
        capsule = PyCapsule_New(plan, CAPSULE, free_capsule);
    } else
        PyErr_NoMemory();
    if (capsule == NULL)
        free_plan(plan);
    Py_DECREF(rows);
    return capsule;
}

/* Return the text without white space around it, or None where it is not UTF-8. */
static PyObject *text_of(const Flow *f)
{
    const byte *at = f->out, *end = f->out + f->out_size;
    while (at < end && (*at == '\n' || *at == '\t' || *at == ' '))
        at++;
    while (end > at && (end[-1] == '\n' || end[-1] == '\t' || end[-1] == ' '))
        end--;
    PyObject *text = PyUnicode_DecodeUTF8(at ? (const char *)at : "", end - at, "strict");
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
        return Py_NewRef(Py_None);
    }
    return text;
}

/* Return the text of the element at page[start:end] as a new str, None in doubt (`why` says why, if not NULL), or NULL
 * with an error set. `plan` is what plan_flow made. */
static PyObject *flow_object(const byte *page, size_t start, size_t end, PyObject *plan, const char **why)
{
    static Flow f; /* its buffers are used again; the global lock is held throughout */
    f.plan = PyCapsule_GetPointer(plan, CAPSULE);
    if (f.plan == NULL)
        return NULL;
    f.page = page;
    f.start = page + start;
    f.end = page + end;
    PyObject *text = flow_read(&f) ? text_of(&f) : Py_NewRef(Py_None);
    if (why)
        *why = f.doubt ? f.doubt : text == Py_None ? "not UTF-8" : "";
    if (f.text_room + f.out_room + f.block_room * sizeof(Block) + f.box_room * sizeof(Box) > KEPT_BYTES) {
        free(f.text);
        free(f.out);
        free(f.blocks);
        free(f.boxes);
        f = (Flow){0};
    }
    return text;
}

static PyObject *call(PyObject *args, const char **why)
{
    Py_buffer page;
    Py_ssize_t start, end;
    PyObject *plan;
    if (!PyArg_ParseTuple(args, "y*nnO", &page, &start, &end, &plan))
        return NULL;
    if (end > page.len)
        end = page.len;
    PyObject *text = NULL;
    if (start < 0 || start > end)
        PyErr_SetString(PyExc_ValueError, "start and end must be a range of the page");
    else
        text = flow_object(page.buf, (size_t)start, (size_t)end, plan, why);
    PyBuffer_Release(&page);
    return text;
}

/* read_flow(page, start, end, plan): the text of an element, or None in doubt. */
PyObject *read_flow(PyObject *module, PyObject *args)
{
    (void)module;
    return call(args, NULL);
}

/* doubt_of_flow(page, start, end, plan): why the text of an element is in doubt, "" where it is not. */
PyObject *doubt_of_flow(PyObject *module, PyObject *args)
{
    (void)module;
    const char *why = "";
    PyObject *text = call(args, &why);
    if (text == NULL)
        return NULL;
    Py_DECREF(text);
    return PyUnicode_FromString(why);
}
