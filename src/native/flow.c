/* Read the text of one element token by token, see flow.h; for Python, bytes and a plan come in, str or None goes out. */
#include "native.h"

#include "flow.h"

#include <stdlib.h>

#include "scan.h"

static int is_dropped(const FlowPlan *plan, const Token *t)
{
    if (!plan->first[*t->name])
        return 0;
    for (size_t i = 0; i < plan->count; i++) {
        const Drop *drop = &plan->drops[i];
        if ((size_t)(t->next - t->at) >= drop->size && memcmp(t->at, drop->at, drop->size) == 0 &&
            (!drop->bare || (byte_class[t->at[drop->size]] & B_NAME_END)))
            return 1;
    }
    return 0;
}

static const byte *doubt(Flow *f, const char *why)
{
    f->doubt = why;
    return f->end;
}

/* Pass over the text between the cells of a table: only white space stays there. */
static const byte *pass_space(Flow *f, const byte *at)
{
    at = skip_space(at, f->end);
    return at < f->end && *at != '<' ? doubt(f, "words between cells") : at;
}

static const byte *take_text(Flow *f, const byte *at)
{
    const Open *top = &f->open[f->depth - 1];
    if (at >= f->end || *at == '<')
        return at;
    if (is_table_frame(top->tag))
        return pass_space(f, at);
    if (f->mute) {
        at = find_byte(at, f->end, '<');
        return at ? at : f->end;
    }
    if ((*at & 0xC0) == 0x80)
        return doubt(f, "not UTF-8"); /* a character cut in two by a tag would be whole again in the joined text */
    size_t before = f->size;
    at = f->pre ? flow_take_preformatted(f, at, f->end) : flow_take_text(f, at, f->end);
    if (top->after_form && f->size > before)
        flow_mind_form(f);
    return at;
}

static const byte *pass_select(Flow *f, const byte *at)
{
    int why;
    at = select_end(at, f->end, &why);
    return at ? at : doubt(f, "an odd select");
}

/* Pass over a template. */
static const byte *pass_template(Flow *f, const byte *at)
{
    Token t = {0};
    int open = 1, foreign = 0; /* templates; svg and math */
    while ((at = find_byte(at, f->end, '<')) != NULL) {
        read_token(&t, at, f->end);
        if (t.kind == TOKEN_UNENDED)
            break;
        at = t.next;
        if (t.kind == TOKEN_COMMENT && foreign)
            break; /* CDATA? */
        if (t.kind != TOKEN_START && t.kind != TOKEN_END)
            continue;
        int is_foreign = t.tag == TAG_SVG || t.tag == TAG_MATH;
        if (foreign && !is_foreign && (tag_rows[t.tag].kind != K_INLINE || (tag_rows[t.tag].traits & T_BREAKS_OUT)))
            break; /* what ends svg, and what is read otherwise inside: leave it to the tree */
        if (is_foreign && !t.slash)
            foreign += t.kind == TOKEN_START ? 1 : -1;
        if (t.tag == TAG_TEMPLATE && (open += t.kind == TOKEN_START ? 1 : -1) == 0)
            return at;
        if (t.tag == TAG_PLAINTEXT || t.tag == TAG_SELECT || foreign < 0 || (foreign && t.tag == TAG_FONT))
            break;
        if (t.kind == TOKEN_END)
            continue;
        if ((tag_rows[t.tag].traits & T_RAW) && (at = content_close(&t, f->end)) == NULL)
            break;
    }
    return doubt(f, "an odd template");
}

/* Pass over an element whose content is text that is not shown, up to its end tag. */
static const byte *pass_raw(Flow *f, const Token *t)
{
    if (tag_rows[t->tag].kind != K_SKIP)
        return doubt(f, "raw text that is shown");
    const byte *close = content_close(t, f->end);
    if (close == NULL)
        return doubt(f, "raw text without an end");
    Token end;
    read_token(&end, close, f->end);
    return end.kind == TOKEN_END ? end.next : doubt(f, "raw text without an end");
}

/* Follow the token `t`; return where to read on. */
static const byte *follow(Flow *f, const Token *t)
{
    const Open *top = &f->open[f->depth - 1];
    int is_foreign = top->flags & O_FOREIGN;
    switch (t->kind) {
    case TOKEN_LITERAL:
        if (is_table_frame(top->tag))
            return doubt(f, "words between cells");
        if (!f->mute) {
            if (!flow_mind_form(f))
                return f->end;
            flow_put(f, t->at, (size_t)(t->next - t->at));
        }
        return t->next;
    case TOKEN_COMMENT:
        if (is_foreign && t->at[1] == '!' && t->at[2] == '[')
            return doubt(f, "CDATA");
        if (f->pre && !f->mute)
            flow_node_ends(f, t->at[2] == '-' && t->at[3] == '-');
        return t->next;
    case TOKEN_EMPTY:
        if (f->pre && !f->mute)
            flow_node_ends(f, 0);
        return t->next;
    case TOKEN_UNENDED:
        return doubt(f, "a tag without an end");
    default:
        break;
    }
    if (t->zero)
        return doubt(f, "a NUL in a name");
    if (f->pre && !f->mute) /* other opening tags are not ignored */
        flow_node_ends(f, t->kind == TOKEN_START && t->tag != TAG_FORM && !(tag_rows[t->tag].traits & T_FRAME));
    if (t->kind == TOKEN_END) {
        flow_end_tag(f, t);
        return t->next;
    }
    if (!is_foreign) {
        if (tag_rows[t->tag].traits & T_RAW)
            return pass_raw(f, t);
        if (t->tag == TAG_TEMPLATE)
            return pass_template(f, t->next);
        if (t->tag == TAG_SELECT)
            return is_table_frame(top->tag) ? doubt(f, "a select between cells") : pass_select(f, t->next);
    }
    flow_start_tag(f, t, is_dropped(f->plan, t));
    return t->next;
}

/* Say whether a token changes nothing: the tag of an inline element, where these are not kept track of. */
static inline int is_idle(const Flow *f, const Token *t)
{
    return (t->kind == TOKEN_START || t->kind == TOKEN_END) && !f->strict && !f->pre && !t->zero &&
           tag_rows[t->tag].kind == K_INLINE && !(tag_rows[t->tag].traits & ~(uint32_t)(T_FORMATTING | T_BREAKS_OUT)) &&
           t->tag != TAG_A && t->tag != TAG_RUBY && !is_table_frame(f->open[f->depth - 1].tag) &&
           (t->kind == TOKEN_END || !is_dropped(f->plan, t));
}

static void collect(Flow *f)
{
    Token t;
    read_token(&t, f->start, f->end);
    if (t.kind != TOKEN_START || t.zero || !flow_open_root(f, &t)) {
        doubt(f, "no element to read");
        return;
    }
    const byte *at = t.next;
    while (!f->doubt) {
        at = take_text(f, at);
        if (at >= f->end)
            break;
        read_token(&t, at, f->end);
        at = is_idle(f, &t) ? t.next : follow(f, &t);
        if (f->depth == 0) {
            if (t.kind != TOKEN_END || t.next != f->end)
                doubt(f, "the element ends early");
            return;
        }
    }
    for (int i = 0; i < f->depth && !f->doubt; i++)
        if (!(tag_rows[f->open[i].tag].traits & (T_IMPLIED | T_TABLE_PART)))
            doubt(f, "the element does not end");
    if (!f->doubt)
        flow_close_all(f);
}

/* Read the element under one assumption about the page around; return 0 in doubt. */
static int run(Flow *f, int page_is)
{
    f->size = f->block_at = f->block_count = f->box_count = f->out_size = 0;
    f->here = -1;
    f->breaks = 0;
    f->tables = f->saw_rows = f->unsure = f->worded = 0;
    f->depth = f->mute = f->strict = f->pre = f->form_asked = f->pending = f->asked = 0;
    f->page_is = page_is;
    f->doubt = NULL;
    collect(f);
    if (!f->doubt && !flow_render(f))
        f->doubt = "memory";
    return f->doubt == NULL;
}

/* Say whether the text is the same whatever the page around is like; what was asked is known from the first run. */
static int is_certain(Flow *f)
{
    int asked = f->asked;
    size_t size = f->out_size;
    byte *first = malloc(size + 1);
    if (first == NULL)
        return 0;
    memcpy(first, f->out, size);
    int same = 1;
    for (int page_is = 1; same && page_is <= ASSUMPTIONS; page_is++)
        if ((page_is & ~asked) == 0)
            same = run(f, page_is) && (f->asked & ~asked) == 0 && f->out_size == size && !memcmp(f->out, first, size);
    free(first);
    if (!same && !f->doubt)
        f->doubt = "it depends on the page around";
    return same;
}

/* Put the text of the element into `out`; return 0 in doubt. */
static int flow_read(Flow *f)
{
    size_t size = (size_t)(f->end - f->start);
    if (size >= INT32_MAX / 2 || find_byte(f->start, f->end, 0) || !flow_reserve(f, size)) {
        f->doubt = "NUL, or too long";
        return 0;
    }
    f->all_strict = 0;
    memset(f->around, 0, sizeof f->around);
    if (!run(f, 0)) {
        if (f->doubt != WORDS_BEHIND_FORM)
            return 0;
        f->all_strict = 1;
        if (!run(f, 0))
            return 0;
    }
    return f->asked == 0 || is_certain(f);
}

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
PyObject *plan_flow(PyObject *Py_UNUSED(module), PyObject *drops)
{
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
PyObject *read_flow(PyObject *Py_UNUSED(module), PyObject *args)
{
    return call(args, NULL);
}

/* doubt_of_flow(page, start, end, plan): why the text of an element is in doubt, "" where it is not. */
PyObject *doubt_of_flow(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *why = "";
    PyObject *text = call(args, &why);
    if (text == NULL)
        return NULL;
    Py_DECREF(text);
    return PyUnicode_FromString(why);
}
