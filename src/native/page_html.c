/* Write an element of a page as HTML, as the standard serialises it (13.3); comments are left out. */
#include "page_map.h"

static int put_text(Buffer *out, const char *text) { return buffer_put(out, (const byte *)text, strlen(text)); }

static int put_escaped(Buffer *out, const byte *at, const byte *end, int quote)
{
    while (at < end) {
        const byte *from = at;
        while (at < end && *at != '&' && *at != '<' && *at != '>' && *at != 0xC2 && !(quote && *at == '"'))
            at++;
        if (!buffer_put(out, from, (size_t)(at - from)))
            return 0;
        if (at >= end)
            return 1;
        int is_space = *at == 0xC2 && end - at > 1 && at[1] == 0xA0;
        const char *as = *at == '&' ? "&amp;" : *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : *at == '"' ? "&quot;" : "&nbsp;";
        if (*at == 0xC2 && !is_space ? !buffer_put(out, at, 1) : !put_text(out, as))
            return 0;
        at += is_space ? 2 : 1;
    }
    return 1;
}

static int put_name(Buffer *out, PageMap *map, uint16_t tag)
{
    PyObject *name = tag_name(map, tag);
    Py_ssize_t size;
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, &size) : NULL;
    int done = text && buffer_put(out, (const byte *)text, (size_t)size);
    Py_XDECREF(name);
    return done;
}

static int put_attributes(Buffer *out, PageMap *map, uint32_t row)
{
    PyObject *all = attributes_of_row(map, row), *name, *value;
    Py_ssize_t at = 0;
    int done = all != NULL;
    while (done && PyDict_Next(all, &at, &name, &value)) {
        Py_ssize_t size = 0, name_size;
        const char *text = value == Py_None ? "" : PyUnicode_AsUTF8AndSize(value, &size);
        const char *called = PyUnicode_AsUTF8AndSize(name, &name_size);
        done = text && called && put_text(out, " ") && buffer_put(out, (const byte *)called, (size_t)name_size) &&
               put_text(out, "=\"") && put_escaped(out, (const byte *)text, (const byte *)text + size, 1) && put_text(out, "\"");
    }
    Py_XDECREF(all);
    return done;
}

static int put_start(Buffer *out, PageMap *map, uint32_t row)
{
    return put_text(out, "<") && put_name(out, map, map->tree.tag[row]) && put_attributes(out, map, row) && put_text(out, ">");
}

static int put_end(Buffer *out, PageMap *map, uint32_t row)
{
    uint16_t tag = map->tree.tag[row];
    if (tag < TAG_COUNT && (tag_rows[tag].traits & T_VOID) && !(map->tree.flags[row] & IS_FOREIGN))
        return 1;
    return put_text(out, "</") && put_name(out, map, tag) && put_text(out, ">");
}

static int put_run_escaped(Buffer *out, PageMap *map, uint32_t run)
{
    uint16_t tag = map->tree.tag[map->tree.run_row[run]];
    int plain = tag < TAG_COUNT && ((tag_rows[tag].traits & (T_RAW | T_RCDATA)) == T_RAW || tag == TAG_PLAINTEXT);
    if (plain)
        return put_run(out, map, run);
    Buffer text = {0};
    int done = put_run(&text, map, run) && put_escaped(out, text.bytes, text.bytes + text.size, 0);
    buffer_free(&text);
    return done;
}

PyObject *write_html(PageMap *map, long node)
{
    const Tree *t = &map->tree;
    Buffer out = {0};
    int done = 1;
    if (node < 0) {
        for (uint32_t run = (uint32_t)~node, end = text_end(t, run); done && run < end; run++)
            done = put_run_escaped(&out, map, run);
    } else {
        /* rows and runs come in the order of the page; what is open is closed where its range ends */
        uint32_t row = (uint32_t)node, run = (uint32_t)t->run_from[row], last = (uint32_t)t->last[row];
        long here = -1;
        for (;;) {
            while (done && here >= 0 && (int32_t)row >= t->last[here] && (int32_t)run >= t->run_to[here]) {
                done = put_end(&out, map, (uint32_t)here);
                here = here == node ? -1 : t->parent[here];
                if (here < 0)
                    goto end;
            }
            if (!done)
                break;
            if (here >= 0 && (int32_t)run < t->run_to[here] && (row >= last || (int32_t)row >= t->last[here] || (int32_t)run < t->run_from[row])) {
                done = put_run_escaped(&out, map, run++);
                continue;
            }
            done = put_start(&out, map, row);
            here = (long)row++;
        }
    }
end:;
    PyObject *html = done ? PyUnicode_DecodeUTF8((const char *)out.bytes, (Py_ssize_t)out.size, "replace") : NULL;
    buffer_free(&out);
    return html;
}
