/* Tell pages whose elements are opened and closed in turn: source comes in, yes or no goes out.
 *
 * Of such a page the tree builder makes no more of its stack than stands here, so it needs no rewriting however many tags
 * it has. Whatever is not plainly in order - a tag that ends more than what is innermost, text between rows, an element
 * whose content has rules of its own - is answered with no: the rewriting knows those rules, this does not.
 */
#include "walk.h"
#include "orderly.h"

#include <string.h>

enum { MOST_DEPTH = 1024, SLOTS = 8192, MOST_LOOKS = 32, PLAIN_END = 1024 };

typedef struct {
    const byte *name;
    uint32_t size;
} Name;

typedef struct {
    Name names[SLOTS];
    uint16_t ids[SLOTS]; /* 0: free */
    uint32_t count;
} Names;

typedef struct {
    const byte *at, *end;
    Py_ssize_t depth, most_depth, formatting, most_formatting, attributes, tag_bytes, nodes, most_nodes;
    uint32_t most_names, most_attribute_names;
    uint16_t stack[MOST_DEPTH]; /* ids of names */
    uint32_t open[SLOTS];       /* how many elements of a name are open */
    uint32_t traits[SLOTS];     /* by id */
    Py_ssize_t headings;
    Names tags, attribute_names;
} Order;

static int is_space(byte c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
static int is_letter(byte c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static byte lower(byte c) { return (byte)(c >= 'A' && c <= 'Z' ? c | 32 : c); }

static int is_name(const Name *have, const byte *name, uint32_t size)
{
    if (have->size != size)
        return 0;
    for (uint32_t i = 0; i < size; i++)
        if (lower(have->name[i]) != lower(name[i]))
            return 0;
    return 1;
}

/* Return the number of a name from 1 on, a new one where it has none; 0 when there are `most`, or too many alike. */
static uint16_t number_of(Names *known, const byte *name, uint32_t size, uint32_t most)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < size; i++)
        hash = (hash ^ lower(name[i])) * 16777619u;
    uint32_t slot = (hash ^ hash >> 15) % SLOTS;
    int looks = 0;
    for (; known->ids[slot] && looks < MOST_LOOKS; looks++) {
        if (is_name(&known->names[slot], name, size))
            return known->ids[slot];
        slot = (slot + 1) % SLOTS;
    }
    if (known->count >= most || looks == MOST_LOOKS)
        return 0; /* so many names of one hash are meant to be slow */
    known->names[slot] = (Name){name, size};
    return known->ids[slot] = (uint16_t)++known->count;
}

static uint16_t top(const Order *o) { return o->depth ? o->stack[o->depth - 1] : 0; }
static uint32_t top_traits(const Order *o) { return o->depth ? o->traits[o->stack[o->depth - 1]] : 0; }

static void pop(Order *o)
{
    uint16_t id = o->stack[--o->depth];
    o->open[id]--;
    o->formatting -= (o->traits[id] & FORMATTING) != 0;
    o->headings -= (o->traits[id] & HEADING) != 0;
}

static int push(Order *o, uint16_t id)
{
    uint32_t traits = o->traits[id];
    if (o->depth >= o->most_depth || (traits & FORMATTING && o->formatting >= o->most_formatting))
        return 0;
    o->stack[o->depth++] = id;
    o->open[id]++;
    o->formatting += (traits & FORMATTING) != 0;
    o->headings += (traits & HEADING) != 0;
    return 1;
}

/* End what ends by itself where the element around it ends. */
static void pop_implied(Order *o, uint16_t but)
{
    while (top_traits(o) & IMPLIED && top(o) != but)
        pop(o);
}

/* End the item of a list that the next one ends. Returns 0 where something else would end with it. */
static int end_item(Order *o, uint32_t group)
{
    if (top(o) == NAME_P)
        pop(o);
    if (top_traits(o) & group) {
        pop(o);
        return 1;
    }
    for (Py_ssize_t place = o->depth; place > 0 && o->depth - place < MOST_LOOKS;) {
        uint32_t traits = o->traits[o->stack[--place]];
        if (traits & group)
            return 0;
        if (traits & WALL || place == 0)
            return 1;
    }
    return o->depth == 0;
}

/* End the parts of a table that a part of this name ends, and begin those that are left out. */
static int place_in_table(Order *o, uint16_t id)
{
    pop_implied(o, 0);
    if (top_traits(o) & CELL && top(o) != NAME_CAPTION)
        pop(o);
    if (id == NAME_CAPTION || id == NAME_COLGROUP)
        return top(o) == NAME_TABLE;
    if (top(o) == NAME_COLGROUP) {
        if (id == NAME_COL)
            return 1;
        pop(o);
    }
    if (id == NAME_COL)
        return top(o) == NAME_TABLE && push(o, NAME_COLGROUP);
    int is_cell = (o->traits[id] & CELL) != 0;
    if (!is_cell && top(o) == NAME_TR)
        pop(o);
    if (o->traits[id] & BODY) {
        if (top_traits(o) & BODY)
            pop(o);
        return top(o) == NAME_TABLE;
    }
    if (top(o) == NAME_TABLE && !push(o, NAME_TBODY))
        return 0;
    if (is_cell && top_traits(o) & BODY && !push(o, NAME_TR))
        return 0;
    return is_cell ? top(o) == NAME_TR : (top_traits(o) & BODY) != 0;
}

static int start_in_select(Order *o, uint16_t id)
{
    if (id != NAME_OPTION && id != NAME_OPTGROUP)
        return 0;
    if (top(o) == NAME_OPTION)
        pop(o);
    if (id == NAME_OPTGROUP && top(o) == NAME_OPTGROUP)
        pop(o);
    return push(o, id);
}

static int start_in_svg(Order *o, uint16_t id, int is_closed)
{
    if (o->traits[id] && !(o->traits[id] & IN_SVG))
        return 0;
    return is_closed || push(o, id);
}

/* Skip the content of a script and the like whose start tag ends at `at`; 0 where that is not plain. */
static int skip_raw(Order *o, const Name *name, int is_script)
{
    const byte *from = o->at;
    for (;;) {
        const byte *found = memchr(from, '<', (size_t)(o->end - from));
        if (found == NULL || o->end - found < 3 + (Py_ssize_t)name->size)
            return 0;
        int is_end = found[1] == '/';
        Name here = {found + 1 + is_end, name->size};
        if ((is_end || is_script) && is_name(&here, name->name, name->size)) {
            const byte *behind = here.name + name->size;
            if (is_end && *behind == '>') {
                o->at = behind + 1;
                return 1;
            }
            if (is_space(*behind) || *behind == '/' || *behind == '>')
                return 0;
        }
        from = found + 1;
    }
}

static int start_element(Order *o, uint16_t id, const Name *name, int is_closed)
{
    uint32_t traits = o->traits[id];
    if (o->open[NAME_SVG])
        return start_in_svg(o, id, is_closed);
    if (o->open[NAME_SELECT])
        return start_in_select(o, id);
    if (traits & UNKNOWN_RULES)
        return 0;
    if (traits & PAGE)
        return o->open[id]++ == 0; /* never on the stack: counted here, once each */
    if (traits & TABLE_PART)
        return o->open[NAME_TABLE] && place_in_table(o, id) && (id == NAME_COL || push(o, id));
    if (top_traits(o) & IN_TABLE && id != NAME_SCRIPT && id != NAME_STYLE)
        return 0; /* would be moved in front of the table */
    if (traits & RAW)
        return skip_raw(o, name, id == NAME_SCRIPT);
    if (traits & (ITEM | TERM) && !end_item(o, traits & (ITEM | TERM)))
        return 0;
    if (traits & ENDS_P || id == NAME_TABLE) {
        if (top(o) == NAME_P && id != NAME_TABLE)
            pop(o);
        if (o->open[NAME_P])
            return 0;
    }
    if (traits & VOID)
        return 1;
    if ((traits & ALONE && o->open[id]) || (traits & HEADING && top_traits(o) & HEADING))
        return 0;
    if (traits & RUBY) {
        if (top_traits(o) & RUBY)
            pop(o);
        if (top(o) != NAME_RUBY)
            return 0; /* elsewhere they do not end each other */
    }
    if (id == NAME_SVG && is_closed)
        return 1;
    return push(o, id);
}

static int end_element(Order *o, uint16_t id)
{
    uint32_t traits = o->traits[id];
    if (traits & PAGE)
        return !o->open[NAME_SVG];
    if (o->depth && top(o) == id) {
        pop(o);
        return 1;
    }
    if (o->open[NAME_SVG])
        return 0;
    if (!o->open[id] && !(traits & HEADING && o->headings)) {
        o->nodes += id == NAME_P || id == NAME_BR; /* an empty paragraph, or a break; all else is passed over */
        return !(top_traits(o) & IN_TABLE) || !(id == NAME_P || id == NAME_BR);
    }
    if (traits & ENDS_IMPLIED)
        pop_implied(o, id);
    if (traits & (TABLE_PART | ENDS_TABLE)) {
        while (top(o) != id && top_traits(o) & (CELL | IN_TABLE) && top(o) != NAME_TABLE && top(o) != NAME_CAPTION)
            pop(o);
    }
    if (id == NAME_SELECT)
        while (top(o) == NAME_OPTION || top(o) == NAME_OPTGROUP)
            pop(o);
    if (top(o) != id)
        return 0;
    pop(o);
    return 1;
}

/* Pass over the attributes of a tag; returns 0 where they are too many or the page ends. */
static int skip_attributes(Order *o, int *is_closed)
{
    Py_ssize_t count = 0;
    const byte *at = o->at, *end = o->end;
    *is_closed = 0;
    for (;;) {
        while (at < end && (is_space(*at) || *at == '/'))
            at++;
        if (at >= end)
            return 0;
        if (*at == '>') {
            *is_closed = at[-1] == '/';
            o->at = at + 1;
            return 1;
        }
        const byte *name = at++;
        while (at < end && !is_space(*at) && *at != '=' && *at != '>' && *at != '/')
            at++;
        if (++count > o->attributes ||
            !number_of(&o->attribute_names, name, (uint32_t)(at - name), o->most_attribute_names))
            return 0;
        while (at < end && is_space(*at))
            at++;
        if (at >= end || *at != '=')
            continue;
        at++;
        while (at < end && is_space(*at))
            at++;
        if (at >= end)
            return 0;
        if (*at == '"' || *at == '\'') {
            at = memchr(at + 1, *at, (size_t)(end - at - 1));
            if (at == NULL)
                return 0;
            at++;
        } else
            while (at < end && !is_space(*at) && *at != '>')
                at++;
    }
}

static int take_tag(Order *o, int is_end)
{
    const byte *start = o->at, *at = start + 1 + is_end;
    Name name = {at, 0};
    while (at < o->end && !is_space(*at) && *at != '/' && *at != '>') {
        if (*at < 0x21 || *at == '<')
            return 0;
        at++;
    }
    name.size = (uint32_t)(at - name.name);
    o->at = at;
    int is_closed;
    if (!skip_attributes(o, &is_closed) || o->at - start > o->tag_bytes || (is_end && o->at - start > PLAIN_END))
        return 0;
    uint16_t id = number_of(&o->tags, name.name, name.size, o->most_names);
    if (id == 0)
        return 0;
    return is_end ? end_element(o, id) : ++o->nodes && start_element(o, id, &name, is_closed);
}

/* Count the name of a document type, which the tree builder keeps as it does those of attributes. */
static int note_doctype(Order *o)
{
    const byte *at = o->at + 2;
    Name here = {at, 7};
    if (o->end - at < 7 || !is_name(&here, (const byte *)"doctype", 7))
        return 1;
    for (at += 7; at < o->end && is_space(*at);)
        at++;
    const byte *name = at;
    while (at < o->end && !is_space(*at) && *at != '>')
        at++;
    return number_of(&o->attribute_names, name, (uint32_t)(at - name), o->most_attribute_names) != 0;
}

static int take_comment(Order *o)
{
    const byte *at = o->at, *end = o->end;
    o->nodes++;
    if (end - at < 4 || memcmp(at, "<!--", 4) != 0) {
        if (at[1] == '!' && !note_doctype(o))
            return 0;
        at = memchr(at, '>', (size_t)(end - at));
        o->at = at ? at + 1 : end;
        return at != NULL && !o->open[NAME_SVG];
    }
    at += 4;
    if ((at < end && *at == '>') || (end - at > 1 && at[0] == '-' && at[1] == '>'))
        return 0;
    for (; (at = memchr(at, '>', (size_t)(end - at))) != NULL; at++)
        if (at[-1] == '-' && at[-2] == '-' && at - o->at >= 6) {
            o->at = at + 1;
            return 1;
        } else if (at[-1] == '!')
            return 0;
    return 0;
}

/* Say whether nothing but white space stands between two tags. */
static int is_blank(const byte *at, const byte *end)
{
    while (at < end && is_space(*at))
        at++;
    return at == end;
}

static int run(Order *o)
{
    while (o->at < o->end) {
        const byte *found = memchr(o->at, '<', (size_t)(o->end - o->at));
        const byte *next = found ? found : o->end;
        if (top_traits(o) & IN_TABLE && !is_blank(o->at, next))
            return 0;
        if (found == NULL)
            return 1;
        o->at = found;
        if (o->end - found < 3 || o->nodes > o->most_nodes)
            return 0;
        int good = 1;
        if (is_letter(found[1]))
            good = take_tag(o, 0);
        else if (found[1] == '/' && is_letter(found[2]))
            good = take_tag(o, 1);
        else if (found[1] == '!' || found[1] == '?' || found[1] == '/')
            good = take_comment(o);
        else if (top_traits(o) & IN_TABLE)
            good = 0;
        else
            o->at++;
        if (!good)
            return 0;
    }
    return 1;
}

PyObject *is_orderly(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer source;
    Py_ssize_t depth, formatting, attributes, tag_bytes, nodes, names, attribute_names;
    if (!PyArg_ParseTuple(args, "y*nnnnnnn", &source, &depth, &formatting, &attributes, &tag_bytes, &nodes, &names,
                          &attribute_names))
        return NULL;
    Order *o = PyMem_Calloc(1, sizeof(Order));
    if (o == NULL) {
        PyBuffer_Release(&source);
        return PyErr_NoMemory();
    }
    o->at = source.buf;
    o->end = o->at + source.len;
    o->most_depth = depth < MOST_DEPTH ? depth : MOST_DEPTH;
    o->most_formatting = formatting;
    o->attributes = attributes;
    o->tag_bytes = tag_bytes;
    o->most_nodes = nodes;
    o->most_names = (uint32_t)(names < SLOTS / 2 ? names : SLOTS / 2);
    o->most_attribute_names = (uint32_t)(attribute_names < SLOTS / 2 ? attribute_names : SLOTS / 2);
    for (const Known *known = known_names; known->name; known++) {
        uint16_t id = number_of(&o->tags, (const byte *)known->name, (uint32_t)strlen(known->name), SLOTS / 2);
        o->traits[id] = known->traits;
    }
    int good = run(o);
    PyMem_Free(o);
    PyBuffer_Release(&source);
    return PyBool_FromLong(good);
}
