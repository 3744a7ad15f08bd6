/* Tell pages whose elements are opened and closed in turn: source comes in, yes or no goes out.
 *
 * Of such a page the tree builder makes no more of its stack than stands here, so it needs no rewriting however many tags
 * it has. Whatever is not plainly in order - a tag that ends more than what is innermost, text between rows, an element
 * whose content has rules of its own - is answered with no: the rewriting knows those rules, this does not.
 */
#include "native.h"

#include "tokens.h"

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
    uint16_t stack[MOST_DEPTH];         /* ids of names: TAG_..., or TAG_COUNT and the number of an unknown one */
    uint32_t open[TAG_COUNT + SLOTS];   /* how many elements of a name are open */
    Py_ssize_t headings;
    Names tags, attribute_names;
} Order;

/* Return the number of a name from 1 on, a new one where it has none; 0 when there are `most`, or too many alike. */
static uint16_t number_of(Names *known, const byte *name, uint32_t size, uint32_t most)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < size; i++)
        hash = (hash ^ lower(name[i])) * 16777619u;
    uint32_t slot = (hash ^ hash >> 15) % SLOTS;
    int looks = 0;
    for (; known->ids[slot] && looks < MOST_LOOKS; looks++) {
        if (known->names[slot].size == size && same_letters(known->names[slot].name, name, size))
            return known->ids[slot];
        slot = (slot + 1) % SLOTS;
    }
    if (known->count >= most || looks == MOST_LOOKS)
        return 0; /* so many names of one hash are meant to be slow */
    known->names[slot] = (Name){name, size};
    return known->ids[slot] = (uint16_t)++known->count;
}

static uint32_t traits_by_id(uint16_t id) { return id < TAG_COUNT ? traits_of(id) : 0; }
static uint16_t top(const Order *o) { return o->depth ? o->stack[o->depth - 1] : TAG_OTHER; }
static uint32_t top_traits(const Order *o) { return traits_by_id(top(o)); }
static int is_cell(uint16_t id) { return id == TAG_CAPTION || (traits_by_id(id) & T_CELL) != 0; }

/* Text and most elements right inside are moved in front of the table. */
static int is_grid(uint16_t id)
{
    return id == TAG_TABLE || id == TAG_TR || id == TAG_COLGROUP || (traits_by_id(id) & T_SECTION);
}

/* An item does not see past it (13.2.4.2: special, but for three). */
static int is_wall(uint16_t id)
{
    return (traits_by_id(id) & T_SPECIAL) && id != TAG_ADDRESS && id != TAG_DIV && id != TAG_P;
}

/* Ends, or is ignored, inside another of its name. */
static int stands_alone(uint16_t id)
{
    return id == TAG_A || id == TAG_NOBR || id == TAG_SELECT || id == TAG_FORM || id == TAG_BUTTON;
}

static void pop(Order *o)
{
    uint16_t id = o->stack[--o->depth];
    o->open[id]--;
    o->formatting -= (traits_by_id(id) & T_FORMATTING) != 0;
    o->headings -= (traits_by_id(id) & T_HEADING) != 0;
}

static int push(Order *o, uint16_t id)
{
    uint32_t traits = traits_by_id(id);
    if (o->depth >= o->most_depth || (traits & T_FORMATTING && o->formatting >= o->most_formatting))
        return 0;
    o->stack[o->depth++] = id;
    o->open[id]++;
    o->formatting += (traits & T_FORMATTING) != 0;
    o->headings += (traits & T_HEADING) != 0;
    return 1;
}

/* End what ends by itself where the element around it ends. */
static void pop_implied(Order *o, uint16_t but)
{
    while (top_traits(o) & T_IMPLIED && top(o) != but)
        pop(o);
}

static int is_item_like(uint16_t id, uint16_t item)
{
    return item == TAG_LI ? id == TAG_LI : id == TAG_DD || id == TAG_DT;
}

/* End the item of a list that the next one ends. Returns 0 where something else would end with it. */
static int end_item(Order *o, uint16_t item)
{
    if (top(o) == TAG_P)
        pop(o);
    if (is_item_like(top(o), item)) {
        pop(o);
        return 1;
    }
    for (Py_ssize_t place = o->depth; place > 0 && o->depth - place < MOST_LOOKS;) {
        uint16_t id = o->stack[--place];
        if (is_item_like(id, item))
            return 0;
        if (is_wall(id) || place == 0)
            return 1;
    }
    return o->depth == 0;
}

/* End the parts of a table that a part of this name ends, and begin those that are left out. */
static int place_in_table(Order *o, uint16_t id)
{
    pop_implied(o, 0);
    if (top_traits(o) & T_CELL)
        pop(o);
    if (id == TAG_CAPTION || id == TAG_COLGROUP)
        return top(o) == TAG_TABLE;
    if (top(o) == TAG_COLGROUP) {
        if (id == TAG_COL)
            return 1;
        pop(o);
    }
    if (id == TAG_COL)
        return top(o) == TAG_TABLE && push(o, TAG_COLGROUP);
    int in_row = is_cell(id);
    if (!in_row && top(o) == TAG_TR)
        pop(o);
    if (traits_by_id(id) & T_SECTION) {
        if (top_traits(o) & T_SECTION)
            pop(o);
        return top(o) == TAG_TABLE;
    }
    if (top(o) == TAG_TABLE && !push(o, TAG_TBODY))
        return 0;
    if (in_row && top_traits(o) & T_SECTION && !push(o, TAG_TR))
        return 0;
    return in_row ? top(o) == TAG_TR : (top_traits(o) & T_SECTION) != 0;
}

static int start_in_select(Order *o, uint16_t id)
{
    if (id != TAG_OPTION && id != TAG_OPTGROUP)
        return 0;
    if (top(o) == TAG_OPTION)
        pop(o);
    if (id == TAG_OPTGROUP && top(o) == TAG_OPTGROUP)
        pop(o);
    return push(o, id);
}

static int start_in_svg(Order *o, uint16_t id, int is_closed)
{
    if (traits_by_id(id) && id != TAG_SVG && id != TAG_A && id != TAG_IMAGE)
        return 0; /* HTML has one of this name */
    return is_closed || push(o, id);
}

/* Skip the content of a script and the like whose start tag ends at `at`; 0 where that is not plain. */
static int skip_raw(Order *o, const Token *t, int is_script)
{
    const byte *from = o->at;
    for (;;) {
        const byte *found = memchr(from, '<', (size_t)(o->end - from));
        if (found == NULL || o->end - found < 3 + (Py_ssize_t)t->name_size)
            return 0;
        int is_end = found[1] == '/';
        const byte *behind = found + 1 + is_end + t->name_size;
        if ((is_end || is_script) && same_letters(found + 1 + is_end, t->name, t->name_size)) {
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

static int start_element(Order *o, uint16_t id, const Token *t, int is_closed)
{
    uint32_t traits = traits_by_id(id);
    if (o->open[TAG_SVG])
        return start_in_svg(o, id, is_closed);
    if (o->open[TAG_SELECT])
        return start_in_select(o, id);
    if (traits & T_UNRULED)
        return 0;
    if (traits & T_FRAME)
        return o->open[id]++ == 0; /* never on the stack: counted here, once each */
    if (traits & T_TABLE_PART)
        return o->open[TAG_TABLE] && place_in_table(o, id) && (id == TAG_COL || push(o, id));
    if (is_grid(top(o)) && id != TAG_SCRIPT && id != TAG_STYLE)
        return 0; /* would be moved in front of the table */
    if (traits & T_RAW)
        return skip_raw(o, t, id == TAG_SCRIPT);
    if ((id == TAG_LI || id == TAG_DD || id == TAG_DT) && !end_item(o, id))
        return 0;
    if (traits & T_CLOSES_P) {
        if (top(o) == TAG_P && id != TAG_TABLE)
            pop(o);
        if (o->open[TAG_P])
            return 0;
    }
    if (traits & T_VOID)
        return 1;
    if ((stands_alone(id) && o->open[id]) || (traits & T_HEADING && top_traits(o) & T_HEADING))
        return 0;
    if (id == TAG_RT || id == TAG_RP) {
        if (top(o) == TAG_RT || top(o) == TAG_RP)
            pop(o);
        if (top(o) != TAG_RUBY)
            return 0; /* elsewhere they do not end each other */
    }
    if (id == TAG_SVG && is_closed)
        return 1;
    return push(o, id);
}

static int end_element(Order *o, uint16_t id)
{
    uint32_t traits = traits_by_id(id);
    if (traits & T_FRAME)
        return !o->open[TAG_SVG];
    if (o->depth && top(o) == id) {
        pop(o);
        return 1;
    }
    if (o->open[TAG_SVG])
        return 0;
    if (!o->open[id] && !(traits & T_HEADING && o->headings)) {
        o->nodes += id == TAG_P || id == TAG_BR; /* an empty paragraph, or a break; all else is passed over */
        return !(is_grid(top(o))) || !(id == TAG_P || id == TAG_BR);
    }
    if ((traits & (T_CLOSES_P | T_TABLE_PART) && id != TAG_P) || id == TAG_BUTTON)
        pop_implied(o, id);
    if (traits & T_TABLE_PART || id == TAG_TABLE)
        while (top(o) != id && (top_traits(o) & T_CELL || is_grid(top(o))) && top(o) != TAG_TABLE)
            pop(o);
    if (id == TAG_SELECT)
        while (top(o) == TAG_OPTION || top(o) == TAG_OPTGROUP)
            pop(o);
    if (top(o) != id)
        return 0;
    pop(o);
    return 1;
}

/* Pass over the attributes of a tag; returns 0 where they are too many or the page ends. */
static int skip_attributes(Order *o, int *is_closed)
{
    Attribute attribute = {0};
    Py_ssize_t count = 0;
    while (next_attribute(&o->at, o->end, &attribute)) {
        uint32_t size = (uint32_t)(attribute.name_end - attribute.name);
        if (++count > o->attributes || !number_of(&o->attribute_names, attribute.name, size, o->most_attribute_names))
            return 0;
    }
    *is_closed = o->at[-1] == '/' && o->at != attribute.value_end; /* a slash that ends a value belongs to it */
    return o->at++ < o->end;
}

static int take_tag(Order *o, int is_end)
{
    const byte *start = o->at;
    Token t;
    read_name(&t, start + 1 + is_end, o->end);
    for (const byte *at = t.name; t.tag == TAG_OTHER && at < t.attributes; at++)
        if (*at < 0x21 || *at == '<')
            return 0;
    o->at = t.attributes;
    int is_closed;
    if (!skip_attributes(o, &is_closed) || o->at - start > o->tag_bytes || (is_end && o->at - start > PLAIN_END))
        return 0;
    uint16_t id = t.tag;
    if (id == TAG_OTHER && (id = number_of(&o->tags, t.name, t.name_size, o->most_names)) == 0)
        return 0;
    id = t.tag == TAG_OTHER ? (uint16_t)(TAG_COUNT + id) : id;
    return is_end ? end_element(o, id) : ++o->nodes && start_element(o, id, &t, is_closed);
}

/* Count the name of a document type, which the tree builder keeps as it does those of attributes. */
static int note_doctype(Order *o)
{
    const byte *at = o->at + 2;
    if (o->end - at < 7 || !same_letters(at, (const byte *)"doctype", 7))
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
        return at != NULL && !o->open[TAG_SVG];
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
    at = skip_space(at, end);
    return at == end;
}

static int run(Order *o)
{
    while (o->at < o->end) {
        const byte *found = memchr(o->at, '<', (size_t)(o->end - o->at));
        const byte *next = found ? found : o->end;
        if (is_grid(top(o)) && !is_blank(o->at, next))
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
        else if (is_grid(top(o)))
            good = 0;
        else
            o->at++;
        if (!good)
            return 0;
    }
    return 1;
}

PyObject *is_orderly(PyObject *Py_UNUSED(module), PyObject *args)
{
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
    o->tags.count = TAG_COUNT; /* those that are known count too */
    int good = run(o);
    PyMem_Free(o);
    PyBuffer_Release(&source);
    return PyBool_FromLong(good);
}
