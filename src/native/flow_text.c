/* Collect the text of an element in blocks, and join them; see flow.h. */
#include "flow.h"

#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "text.h"

/* Make sure the text of an element of so many bytes fits: no check is needed while it is collected. */
int flow_reserve(Flow *f, size_t bytes)
{
    size_t room = bytes + bytes / 4 + 64;
    if (f->text_room >= room)
        return 1;
    free(f->text);
    f->text = malloc(room);
    f->text_room = f->text ? room : 0;
    return f->text != NULL;
}

static inline int wants_no_space(const Flow *f)
{
    return f->size == f->block_at || f->text[f->size - 1] == ' ';
}

/* Put characters that stand for a reference or a lone `<`, white space squeezed unless the text is preformatted. */
void flow_put(Flow *f, const byte *at, size_t size)
{
    if (!f->pre && space_size(at, at + size)) {
        if (!wants_no_space(f))
            f->text[f->size++] = ' ';
        return;
    }
    memcpy(f->text + f->size, at, size);
    f->size += size;
}

static inline int is_plain_space(byte c)
{
    return c == ' ' || (c >= 9 && c <= 13);
}

/* Read the white space, reference or other character at `at` that is not simply copied; return where to read on. */
static const byte *take_odd(Flow *f, const byte *at, const byte *end)
{
    if (is_plain_space(*at)) {
        do
            at++;
        while (at < end && is_plain_space(*at));
        if (!wants_no_space(f))
            f->text[f->size++] = ' ';
        return at;
    }
    if (*at == '&') {
        byte decoded[12];
        const byte *next = at;
        int size = read_reference(at, end, IN_TEXT, decoded, &next);
        if (size) {
            flow_put(f, decoded, (size_t)size);
            return next;
        }
    }
    int space = space_size(at, end);
    if (space == 0)
        f->text[f->size++] = *at;
    else if (!wants_no_space(f))
        f->text[f->size++] = ' ';
    return at + (space ? space : 1);
}

/* Copy up to the next `<` and return it; white space is squeezed, references are resolved. */
const byte *flow_take_text(Flow *f, const byte *at, const byte *end)
{
    if (at < end && is_plain_space(*at))
        at = take_odd(f, at, end);
#ifdef __SSE2__
    const __m128i less = _mm_set1_epi8('<'), ampersand = _mm_set1_epi8('&'), blank = _mm_set1_epi8(' ');
    const __m128i control = _mm_set1_epi8(0x1F), two = _mm_set1_epi8(2);
    const __m128i lead2 = _mm_set1_epi8((char)0xC2), lead3 = _mm_set1_epi8((char)0xE1);
    byte *out = f->text + f->size;
    while (end - at >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)at);
        _mm_storeu_si128((__m128i *)out, v);
        __m128i from3 = _mm_sub_epi8(v, lead3);
        __m128i odd = _mm_or_si128(_mm_cmpeq_epi8(v, less), _mm_cmpeq_epi8(v, ampersand));
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(v, lead2));
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(_mm_min_epu8(from3, two), from3));
        unsigned blanks = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, blank));
        unsigned first = out == f->text + f->block_at || out[-1] == ' ';
        unsigned stop = (unsigned)_mm_movemask_epi8(odd) | (blanks & (blanks << 1 | first));
        if (stop == 0) {
            at += 16;
            out += 16;
            continue;
        }
        unsigned plain = (unsigned)__builtin_ctz(stop);
        at += plain;
        out += plain;
        f->size = (size_t)(out - f->text);
        if (*at == '<')
            return at;
        if (*at == 0xE2 && end - at >= 3 && at[1] == 0x80 && (at[2] & 0xF0) == 0x90) { /* dashes and quotation marks */
            memcpy(out, at, 3);
            out += 3;
            at += 3;
            f->size += 3;
            continue;
        }
        at = take_odd(f, at, end);
        out = f->text + f->size;
    }
    f->size = (size_t)(out - f->text);
#endif
    while (at < end && *at != '<') {
        byte c = *at;
        if (c > ' ' && c != '&' && c != 0xC2 && !(c >= 0xE1 && c <= 0xE3)) {
            f->text[f->size++] = c;
            at++;
        } else
            at = take_odd(f, at, end);
    }
    return at;
}

/* Copy up to the next `<` as it stands, but for references. */
const byte *flow_take_preformatted(Flow *f, const byte *at, const byte *end)
{
    while (at < end && *at != '<') {
        byte decoded[12];
        const byte *next = at;
        int size = *at == '&' ? read_reference(at, end, IN_TEXT, decoded, &next) : 0;
        if (size) {
            flow_put(f, decoded, (size_t)size);
            at = next;
        } else if (*at == '\r') { /* line ends are made alike before references are resolved */
            f->text[f->size++] = '\n';
            at += end - at > 1 && at[1] == '\n' ? 2 : 1;
        } else
            f->text[f->size++] = *at++;
    }
    return at;
}

static int is_blank(const byte *at, const byte *end)
{
    while (at < end) {
        int size = space_size(at, end);
        if (size == 0)
            return 0;
        at += size;
    }
    return 1;
}

/* A node of preformatted text ends here: white space that fills the first node of a block is left out of it. */
void flow_node_ends(Flow *f, int surely)
{
    if (f->size == f->block_at || f->worded || f->unsure)
        return;
    if (!is_blank(f->text + f->block_at, f->text + f->size))
        f->worded = 1;
    else if (surely)
        f->size = f->block_at;
    else
        f->unsure = 1; /* the tag may be ignored, and the text go on in the same node */
}

/* Return the size of the line break at `at`, as str.splitlines() sees it, or 0. */
static int line_break_size(const byte *at, const byte *end)
{
    byte c = *at;
    if (c == '\r')
        return end - at >= 2 && at[1] == '\n' ? 2 : 1;
    if ((c >= 10 && c <= 12) || (c >= 28 && c <= 30))
        return 1;
    if (c == 0xC2)
        return end - at >= 2 && at[1] == 0x85 ? 2 : 0;
    return c == 0xE2 && end - at >= 3 && at[1] == 0x80 && (at[2] == 0xA8 || at[2] == 0xA9) ? 3 : 0;
}

/* Count the characters of a text as if its white space were squeezed. */
static uint32_t count_squeezed(const byte *at, const byte *end)
{
    uint32_t chars = 0;
    int gap = 0;
    while (at < end) {
        int space = space_size(at, end);
        if (space) {
            gap = chars > 0;
            at += space;
            continue;
        }
        chars += (*at & 0xC0) != 0x80;
        chars += (uint32_t)gap;
        gap = 0;
        at++;
    }
    return chars;
}

static size_t trimmed(const byte *text, size_t start, size_t end)
{
    size_t last = start; /* behind the last character that is no white space */
    while (start < end) {
        int space = space_size(text + start, text + end);
        start += space ? (size_t)space : 1;
        if (!space)
            last = start;
    }
    return last;
}

/* Bring the preformatted text of a block into its final form: line breaks as line feeds, no white space before them. */
static void tidy_lines(Flow *f)
{
    byte *text = f->text;
    size_t read = f->block_at, write = f->block_at, end = f->size, line = read;
    while (read < end) {
        int size = line_break_size(text + read, text + end);
        if (size == 0) {
            read++;
            if (read < end)
                continue;
        }
        size_t stop = trimmed(text, line, size ? read : end);
        memmove(text + write, text + line, stop - line);
        write += stop - line;
        if (size && write > f->block_at) /* none before the first line */
            text[write++] = '\n';
        read += (size_t)size;
        line = read;
    }
    while (write > f->block_at && text[write - 1] == '\n')
        write--;
    f->size = write;
}

static Block *add_block(Flow *f)
{
    if (f->block_count == f->block_room) {
        size_t room = f->block_room ? f->block_room * 2 : 256;
        Block *blocks = realloc(f->blocks, room * sizeof(Block));
        if (blocks == NULL) {
            f->doubt = "memory";
            return NULL;
        }
        f->blocks = blocks;
        f->block_room = room;
    }
    return &f->blocks[f->block_count++];
}

void flow_end_block(Flow *f)
{
    uint32_t chars = 0;
    if (f->size > f->block_at) {
        if (f->pre) {
            chars = count_squeezed(f->text + f->block_at, f->text + f->size);
            if (chars && f->unsure)
                f->doubt = "white space before preformatted text";
            if (chars)
                tidy_lines(f);
            else
                f->size = f->block_at;
        } else if (f->text[f->size - 1] == ' ')
            f->size--;
    }
    f->unsure = f->worded = 0;
    if (f->size == f->block_at)
        return;
    if (f->tables && !f->pre)
        for (size_t i = f->block_at; i < f->size; i++)
            chars += (f->text[i] & 0xC0) != 0x80;
    Block *block = add_block(f);
    if (block == NULL)
        return;
    *block = (Block){f->block_at, f->size - f->block_at, f->here, f->breaks, chars};
    f->breaks = 0;
    f->block_at = f->size;
}

void flow_break(Flow *f)
{
    flow_end_block(f);
    f->breaks++;
}

void flow_rule(Flow *f)
{
    flow_end_block(f);
    f->breaks = 0;
}

void flow_open_box(Flow *f, uint8_t tag, int layout)
{
    flow_rule(f);
    if (f->box_count == f->box_room) {
        size_t room = f->box_room ? f->box_room * 2 : 256;
        Box *boxes = realloc(f->boxes, room * sizeof(Box));
        if (boxes == NULL) {
            f->doubt = "memory";
            return;
        }
        f->boxes = boxes;
        f->box_room = room;
    }
    uint32_t blocks = (uint32_t)f->block_count;
    f->boxes[f->box_count] = (Box){f->here, blocks, blocks, tag, (uint8_t)layout};
    f->here = (int32_t)f->box_count++;
    f->tables += tag == TAG_TABLE;
    f->saw_rows |= tag == TAG_TR;
}

void flow_close_box(Flow *f)
{
    flow_rule(f);
    if (f->doubt || f->here < 0)
        return;
    Box *box = &f->boxes[f->here];
    box->end = (uint32_t)f->block_count;
    f->tables -= box->tag == TAG_TABLE;
    f->here = box->parent;
}

/* Join the blocks of an element as scythe.page.blocks does, with the tables of data that it finds. */
enum { LONG_CELL = 1000, SHORT_CELL = 200, FEW_BLOCKS = 4 }; /* as in grid.py, where the reasons are */

typedef struct {
    int32_t table, row; /* of data; -1 for other boxes */
    uint32_t column;
} Cell;

typedef struct {
    uint32_t filled, fit, columns; /* columns: of the longest row */
    uint8_t has_rows, outer, too_long;
} Table;

typedef struct {
    Flow *f;
    Cell *cells;   /* by box; table >= 0 for cells of data */
    int32_t *near; /* by box: the nearest cell of data around it, itself included, or -1 */
    int32_t *pre;  /* ... the innermost preformatted box */
} Grid;

/* Return the table a box is a cell of, or -1. */
static int32_t table_of(const Flow *f, int32_t box)
{
    if (!(tag_rows[f->boxes[box].tag].traits & T_CELL))
        return -1;
    int32_t row = f->boxes[box].parent, table = row >= 0 ? f->boxes[row].parent : -1;
    if (table >= 0 && (tag_rows[f->boxes[table].tag].traits & T_SECTION))
        table = f->boxes[table].parent;
    return table >= 0 && f->boxes[row].tag == TAG_TR && f->boxes[table].tag == TAG_TABLE ? table : -1;
}

/* Count one cell towards its table. */
static void weigh(const Flow *f, const Box *cell, Table *table)
{
    uint32_t chars = 0;
    for (uint32_t i = cell->start; i < cell->end; i++)
        chars += f->blocks[i].chars;
    if (chars > LONG_CELL)
        table->too_long = 1;
    table->filled += chars > 0;
    table->fit += chars > 0 && chars <= SHORT_CELL && cell->end - cell->start <= FEW_BLOCKS;
}

static int holds_data(const Flow *f, int32_t box, const Table *table)
{
    return table->has_rows && !table->outer && !f->boxes[box].layout && table->columns >= 2 && !table->too_long &&
           table->filled >= 2 && table->fit * 5 >= table->filled * 4;
}

/* A table with rows makes the next table around it a table of layout. */
static void mark_outer(const Flow *f, int32_t box, Table *tables)
{
    while ((box = f->boxes[box].parent) >= 0 && !tables[box].outer) {
        if (f->boxes[box].tag == TAG_TABLE) {
            tables[box].outer = 1;
            return;
        }
    }
}

/* Number the cells of every table, then keep those of tables of data. `tables` and `rows` have one entry a box. */
static void find_grid(const Flow *f, Cell *cells, Table *tables, uint32_t *rows)
{
    int32_t count = (int32_t)f->box_count;
    for (int32_t box = 0; box < count; box++) {
        int32_t table = table_of(f, box), row = f->boxes[box].parent;
        cells[box] = (Cell){table, row, table >= 0 ? rows[row]++ : 0};
        if (table < 0)
            continue;
        tables[table].has_rows = 1;
        if (rows[row] > tables[table].columns)
            tables[table].columns = rows[row];
        weigh(f, &f->boxes[box], &tables[table]);
    }
    for (int32_t box = 0; box < count; box++)
        if (tables[box].has_rows)
            mark_outer(f, box, tables);
    for (int32_t box = 0; box < count; box++)
        if (cells[box].table >= 0 && !holds_data(f, cells[box].table, &tables[cells[box].table]))
            cells[box].table = -1;
}

static int put(Flow *f, const byte *at, size_t size)
{
    if (f->out_size + size > f->out_room) {
        size_t room = (f->out_size + size) * 2 + 256;
        byte *out = realloc(f->out, room);
        if (out == NULL)
            return 0;
        f->out = out;
        f->out_room = room;
    }
    memcpy(f->out + f->out_size, at, size);
    f->out_size += size;
    return 1;
}

static int put_tabs(Flow *f, uint32_t count)
{
    while (count--)
        if (!put(f, (const byte *)"\t", 1))
            return 0;
    return 1;
}

static int put_gap_to_cell(const Grid *g, int32_t before, int32_t here)
{
    Flow *f = g->f;
    const Cell *cell = &g->cells[here];
    if (before == here)
        return put(f, (const byte *)" ", 1);
    if (before < 0 || g->cells[before].table != cell->table)
        return put(f, (const byte *)"\n\n", 2) && put_tabs(f, cell->column);
    if (g->cells[before].row != cell->row)
        return put(f, (const byte *)"\n", 1) && put_tabs(f, cell->column);
    return put_tabs(f, cell->column - g->cells[before].column);
}

static int is_tight(uint8_t tag)
{
    return tag == TAG_LI || tag == TAG_DT || tag == TAG_DD || tag == TAG_OPTION;
}

static int put_gap(const Grid *g, const Block *last, const Block *block)
{
    Flow *f = g->f;
    if (g->near && g->near[block->box] >= 0)
        return put_gap_to_cell(g, last ? g->near[last->box] : -1, g->near[block->box]);
    if (last == NULL)
        return 1;
    size_t lines = 2;
    if (block->breaks && block->box == last->box)
        lines = block->breaks == 1 ? 1 : 2;
    else if (g->pre[block->box] >= 0 && g->pre[block->box] == g->pre[last->box])
        lines = 1;
    else if (is_tight(f->boxes[block->box].tag) && is_tight(f->boxes[last->box].tag))
        lines = 1;
    return put(f, (const byte *)"\n\n", lines);
}

static int put_blocks(const Grid *g)
{
    Flow *f = g->f;
    for (size_t i = 0; i < f->block_count; i++) {
        const Block *block = &f->blocks[i];
        if (!put_gap(g, i ? block - 1 : NULL, block) || !put(f, f->text + block->at, block->size))
            return 0;
    }
    return 1;
}

/* For every box, find the nearest box around it that counts; boxes come parents first. */
static void find_around(Grid *g)
{
    const Flow *f = g->f;
    for (size_t i = 0; i < f->box_count; i++) {
        int32_t parent = f->boxes[i].parent;
        g->pre[i] = is_pre(f->boxes[i].tag) ? (int32_t)i : parent >= 0 ? g->pre[parent] : -1;
        if (g->near)
            g->near[i] = g->cells[i].table >= 0 ? (int32_t)i : parent >= 0 ? g->near[parent] : -1;
    }
}

/* Join the blocks into `out`; return 0 where memory ran out. */
int flow_render(Flow *f)
{
    Grid g = {f, NULL, NULL, NULL};
    Table *tables = NULL;
    uint32_t *rows = NULL;
    size_t count = f->box_count;
    f->out_size = 0;
    int done = (g.pre = malloc(count * sizeof *g.pre)) != NULL;
    if (done && f->saw_rows) {
        g.cells = malloc(count * sizeof *g.cells);
        g.near = malloc(count * sizeof *g.near);
        tables = calloc(count, sizeof *tables);
        rows = calloc(count, sizeof *rows);
        done = g.cells && g.near && tables && rows;
        if (done)
            find_grid(f, g.cells, tables, rows);
    }
    if (done) {
        find_around(&g);
        done = put_blocks(&g);
    }
    free(g.pre);
    free(g.cells);
    free(g.near);
    free(tables);
    free(rows);
    return done;
}
