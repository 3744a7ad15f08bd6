/* Join the blocks of an element as scythe.page.blocks does, with the tables of data that scythe.page.blocks finds. */
#include "flow.h"

#include <stdlib.h>

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
