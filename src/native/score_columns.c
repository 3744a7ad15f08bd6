/* Fill the numbers of every block, column by column as features.py names them. */
#include "scorer.h"
#include <math.h>

enum { LOGS = 2048 };
static float logs[LOGS];

void fill_logs(void) {
    for (int i = 0; i < LOGS; i++) logs[i] = (float)log1p(i);
}

/* log(1 + count); most counts are small and whole. */
float log1p_of(double count) {
    if (count >= 0 && count < LOGS) {
        int whole = (int)count;
        if (whole == count) return logs[whole];
    }
    return (float)log1p(count);
}

static double at_least_one(double value) { return value > 1.0 ? value : 1.0; }

/* Totals over the page. */
typedef struct {
    double chars, linked, prose, paragraphs, paragraph_chars, dense, letters, comments, other_prose;
    float best_title;
    int32_t articles;
    Py_ssize_t anchor;
    int anchored;
} Whole;

/* Totals of the blocks that share a number. */
typedef struct {
    double count, chars, linked, prose;
} Kin;

static const Element *element_of(const Scorer *self, const Page *page, int32_t box) {
    return &self->elements.items[page->element[box]];
}

static double chars_of(const float *counts) {
    double chars = 0;
    for (int i = 0; i < KINDS; i++) chars += counts[i];
    return chars;
}

static void add_kin(Kin *kin, double chars, double linked, double prose) {
    kin->count += 1;
    kin->chars += chars;
    kin->linked += linked;
    kin->prose += prose;
}

/* Measure every block, and add up running totals for the page, its boxes, styles and paths. */
static Whole measure(const Scorer *self, Page *page, Kin *styles, Kin *paths) {
    Whole whole = {0};
    float best = -1;
    int32_t heading = 0;
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        const float *counts = page->letters + i * KINDS, *overlap = page->overlap + 4 * i;
        const Element *element = element_of(self, page, page->box[i]);
        double chars = chars_of(counts), linked = page->link_chars[i], *before = page->totals + 5 * i;
        float prose = (float)linked * 2 < (float)chars ? fminf(page->sentences[i], 8) : 0;
        page->words[i] = counts[SPACE] + 1 + counts[DENSE] / 2;
        page->prose[i] = prose;
        const double parts[5] = {chars, linked, prose, element->paragraph, 1};
        for (int part = 0; part < 5; part++) before[5 + part] = before[part] + parts[part];
        whole.linked += linked;
        whole.paragraphs += element->paragraph;
        whole.paragraph_chars += element->paragraph ? chars : 0;
        whole.dense += counts[DENSE];
        whole.letters += counts[LETTER];
        whole.comments += page->comment[page->box[i]];
        whole.other_prose += page->comment[page->box[i]] ? 0 : prose;
        whole.prose += prose;
        if (overlap[1] > whole.best_title) whole.best_title = overlap[1];
        if (page->article[page->box[i]] > whole.articles) whole.articles = page->article[page->box[i]];
        /* in steps, not as one fused multiply-add: equal likeness must stay equal, the first one wins */
        volatile float product = overlap[0] * overlap[1], extra = (0.3f * element->heading) * overlap[0];
        float likeness = product + extra;
        whole.anchored |= overlap[0] != 0;
        if (likeness > best) {
            best = likeness;
            whole.anchor = i;
        }
        if (element->heading) heading = (int32_t)i;
        page->heading[i] = heading;
        add_kin(&styles[page->cluster[i]], chars, linked, prose);
        add_kin(&paths[page->path[page->box[i]]], chars, linked, prose);
    }
    whole.chars = page->totals[5 * page->blocks];
    return whole;
}

static const int SHARES[] = {UPPER, DIGIT, STOP, COMMA, COLON, QUOTE, BRACKET, BAR, DASH, SIGN, MONEY, DENSE};
static const int FIRST[] = {LOWER, UPPER, DIGIT, QUOTE, BAR, BRACKET, SIGN};
static const int LAST[] = {LOWER, DIGIT, STOP, COLON, QUOTE, BRACKET, COMMA, BAR};
#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

static float *own_columns(const Scorer *self, const Page *page, Py_ssize_t i, float *out) {
    const float *counts = page->letters + i * KINDS;
    const Element *element = element_of(self, page, page->box[i]);
    float chars = (float)chars_of(counts), words = page->words[i], linked = (float)page->link_chars[i];
    float letters = counts[LOWER] + counts[UPPER] + counts[LETTER] + counts[DENSE];
    *out++ = log1p_of(chars);
    *out++ = log1p_of(words);
    *out++ = log1p_of(page->sentences[i]);
    *out++ = log1p_of(page->links[i]);
    *out++ = linked / chars;
    *out++ = (float)page->bold_chars[i] / chars;
    *out++ = page->sentences[i] / words * 10;
    *out++ = letters / words / 6;
    *out++ = log1p_of(counts[COMMA]);
    for (int k = 0; k < LENGTH(SHARES); k++) *out++ = counts[SHARES[k]] / chars;
    *out++ = log1p_of(page->copies[page->copy_of[i]]);
    *out++ = (float)(page->image_count[i] < 4 ? page->image_count[i] : 4);
    *out++ = (float)(page->breaks[i] < 4 ? page->breaks[i] : 4);
    *out++ = (float)page->box_hidden[page->box[i]];
    *out++ = element->paragraph;
    *out++ = element->heading;
    for (int k = 0; k < LENGTH(FIRST); k++) *out++ = page->first[i] == FIRST[k];
    for (int k = 0; k < LENGTH(LAST); k++) *out++ = page->last[i] == LAST[k];
    *out++ = words <= 1;
    *out++ = words > 10;
    *out++ = words > 25;
    *out++ = linked >= chars * 0.9f;
    return out;
}

static float *place_columns(const Page *page, const Whole *whole, Py_ssize_t i, float *out) {
    const float *overlap = page->overlap + 4 * i;
    float n = (float)page->blocks, order = (float)i, distance = whole->anchored ? order - (float)whole->anchor : 0;
    *out++ = order / n;
    *out++ = log1p_of(order) / 3;
    *out++ = log1p_of(n - order) / 3;
    *out++ = (float)(page->totals[5 * (i + 1)] / whole->chars);
    *out++ = (float)(page->totals[5 * i] / whole->chars);
    *out++ = (float)((distance > 0) - (distance < 0));
    *out++ = fminf(fmaxf(distance / 20, -3), 3);
    for (int k = 0; k < 4; k++) *out++ = overlap[k];
    return out;
}

static float *kin_columns(const Kin *kin, const Whole *whole, float *out) {
    *out++ = log1p_of(kin->count) / 2;
    *out++ = (float)(kin->chars / at_least_one(whole->chars));
    *out++ = (float)(kin->linked / at_least_one(kin->chars));
    *out++ = (float)(kin->prose / at_least_one(whole->prose));
    *out++ = log1p_of(kin->chars / kin->count) / 3;
    return out;
}

static float *thread_columns(const Page *page, const Whole *whole, Py_ssize_t i, double *comments, float *out) {
    int32_t box = page->box[i], article = page->article[box];
    double n = (double)page->blocks;
    *comments += page->comment[box];
    *out++ = page->comment[box];
    *out++ = *comments > 0;
    *out++ = (float)(*comments / n);
    *out++ = (float)(whole->comments / n);
    *out++ = (float)(whole->other_prose / at_least_one(whole->prose));
    *out++ = log1p_of(whole->other_prose) / 3;
    *out++ = article > 0;
    *out++ = article == 1;
    *out++ = (float)(article < 5 ? article : 5) / 5;
    *out++ = log1p_of(whole->articles) / 2;
    return out;
}

/* Describe what a box holds, once for all blocks inside. */
static void hold(Page *page, int32_t box) {
    const double *start = page->totals + 5 * (Py_ssize_t)page->box_start[box];
    const double *end = page->totals + 5 * (Py_ssize_t)page->box_end[box];
    const double *all_start = page->totals + 5 * (Py_ssize_t)page->box_start[0];
    const double *all_end = page->totals + 5 * (Py_ssize_t)page->box_end[0];
    double chars = end[0] - start[0], linked = end[1] - start[1], prose = end[2] - start[2];
    double paragraphs = end[3] - start[3], count = end[4] - start[4];
    float *held = page->held + (Py_ssize_t)box * LEVEL_NUMBERS;
    held[0] = log1p_of(chars) / 3;
    held[1] = (float)(linked / at_least_one(chars));
    held[2] = log1p_of(prose);
    held[3] = log1p_of(count) / 2;
    held[4] = (float)(chars / at_least_one(all_end[0] - all_start[0]));
    held[5] = (float)(prose / at_least_one(all_end[2] - all_start[2]));
    held[6] = (float)(paragraphs / at_least_one(count));
    held[7] = log1p_of(page->siblings[box]) / 2;
    page->box_ready[box] = 1;
}

static float *around_columns(Page *page, Py_ssize_t i, float *out) {
    int32_t box = page->box[i];
    for (int level = 0; level < LEVELS; level++, box = page->up[box]) {
        if (!page->box_ready[box]) hold(page, box);
        for (int k = 0; k < LEVEL_NUMBERS; k++) *out++ = page->held[(Py_ssize_t)box * LEVEL_NUMBERS + k];
    }
    return out;
}

static void page_row(const Page *page, const Whole *whole, float *out) {
    double n = (double)page->blocks;
    *out++ = log1p_of(n) / 4;
    *out++ = log1p_of(whole->chars) / 6;
    *out++ = (float)(whole->linked / whole->chars);
    *out++ = log1p_of(whole->prose) / 3;
    *out++ = (float)(whole->paragraphs / n);
    *out++ = (float)(whole->dense / whole->chars);
    *out++ = (float)(whole->letters / whole->chars);
    *out++ = (float)page->has_description;
    *out++ = whole->best_title;
    *out++ = (float)(whole->paragraph_chars / whole->chars);
    *out++ = log1p_of((double)page->images) / 3;
    *out++ = log1p_of((double)page->boxes) / 5;
}

void describe(Scorer *self, Page *page) {
    Kin *styles = (Kin *)page->kin, *paths = styles + page->blocks;
    Whole whole = measure(self, page, styles, paths);
    float all[PAGE_NUMBERS];
    page_row(page, &whole, all);
    double comments = 0;
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        float *out = page->inputs + i * self->net.inputs;
        out = own_columns(self, page, i, out);
        out = place_columns(page, &whole, i, out);
        out = kin_columns(&styles[page->cluster[i]], &whole, out);
        out = kin_columns(&paths[page->path[page->box[i]]], &whole, out);
        out = thread_columns(page, &whole, i, &comments, out);
        out = around_columns(page, i, out);
        for (int k = 0; k < PAGE_NUMBERS; k++) *out++ = all[k];
    }
}
