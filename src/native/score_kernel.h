/* The network itself, written once and compiled once per instruction set: NAME, TARGET and LANES come from score_forward.c. */

typedef float NAME(Lanes) __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

/* out = values x weights. Whole tiles of out are written; of values, only `rows` rows are read. `wide` is how many
 * vectors are worked on side by side: as many as divide a row, so that the sums stay in registers. */
TARGET static inline __attribute__((always_inline)) void NAME(multiply_wide)(
    float *out, const float *values, Py_ssize_t stride, const float *weights, int inner, int padded, Py_ssize_t rows, int wide) {
    for (Py_ssize_t row = 0; row < rows; row += TILE) {
        const float *first[TILE]; /* a last tile that is not full works on its last row again */
        for (int r = 0; r < TILE; r++) first[r] = values + (row + r < rows ? row + r : rows - 1) * stride;
        for (int column = 0; column < padded; column += wide * LANES) {
            float *to = out + row * padded + column;
            NAME(Lanes) sum[TILE][3] = {{{0}}};
            const float *from = weights + column;
            for (int k = 0; k < inner; k++, from += padded) {
                NAME(Lanes) part[3];
                for (int v = 0; v < wide; v++) part[v] = VECTOR(from + v * LANES);
#pragma GCC unroll 6
                for (int r = 0; r < TILE; r++)
                    for (int v = 0; v < wide; v++) sum[r][v] += first[r][k] * part[v];
            }
            for (int r = 0; r < TILE; r++)
                for (int v = 0; v < wide; v++) VECTOR(to + r * padded + v * LANES) = sum[r][v];
        }
    }
}

TARGET static void NAME(multiply)(float *out, const float *values, Py_ssize_t stride, const float *weights, int inner,
                                  int padded, Py_ssize_t rows) {
    if (LANES > 8 && padded % (3 * LANES) == 0) NAME(multiply_wide)(out, values, stride, weights, inner, padded, rows, 3);
    else if (padded % (2 * LANES) == 0) NAME(multiply_wide)(out, values, stride, weights, inner, padded, rows, 2);
    else NAME(multiply_wide)(out, values, stride, weights, inner, padded, rows, 1);
}

/* tanh by 1 - 2 / (exp(2x) + 1), with exp as a power of two times a short series: good to 2e-7. */
TARGET static void NAME(squash)(float *values, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        float x = values[i] < 9.0f ? values[i] : 9.0f;
        x = x > -9.0f ? x : -9.0f;
        float power = x * 2.88539008f, whole = (power + 12582912.0f) - 12582912.0f;
        float rest = (power - whole) * 0.693147181f;
        float series = 1.0f / 720 * rest + 1.0f / 120;
        series = series * rest + 1.0f / 24;
        series = series * rest + 1.0f / 6;
        series = series * rest + 0.5f;
        series = (series * rest + 1.0f) * rest + 1.0f;
        union {
            int32_t bits;
            float value;
        } scale = {((int32_t)whole + 127) << 23};
        values[i] = 1.0f - 2.0f / (series * scale.value + 1.0f);
    }
}

/* Work out the vectors of the boxes that hold blocks: the two boxes around each, and all on its path. */
TARGET static void NAME(describe_boxes)(const Scorer *self, Page *page) {
    int width = self->net.name_width;
    int32_t used = 0;
    memset(page->box_slots, -1, (size_t)page->boxes * sizeof *page->box_slots);
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        int32_t box = page->box[i], near = page->up[box];
        if (page->box_slots[box] >= 0) continue;
        const float *above = self->elements.vectors + (size_t)page->element[near] * 2 * (size_t)width;
        const float *top = self->elements.vectors + (size_t)page->element[page->up[near]] * 2 * (size_t)width;
        float *vectors = page->box_vectors + (Py_ssize_t)used * 2 * width;
        for (int k = 0; k < width; k++) vectors[k] = above[k] + top[k];
        memcpy(vectors + width, page->path_sum + (Py_ssize_t)box * width, (size_t)width * sizeof(float));
        page->box_slots[box] = used++;
    }
    NAME(squash)(page->box_vectors, (Py_ssize_t)used * 2 * width);
}

/* Join normalised numbers and vectors of each block into page->inputs. */
TARGET static void NAME(join)(const Scorer *self, Page *page) {
    const Network *net = &self->net;
    int width = net->name_width;
    size_t bytes = (size_t)width * sizeof(float), word_bytes = (size_t)net->word_width * sizeof(float);
    const float *__restrict mean = net->mean, *__restrict scale = net->scale, *vectors = self->elements.vectors;
    NAME(describe_boxes)(self, page);
    NAME(squash)(page->word_sum, page->blocks * net->word_width);
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        float *__restrict row = page->inputs + i * net->inputs;
        for (int k = 0; k < NUMBERS; k++) {
            float value = (row[k] - mean[k]) * scale[k];
            value = value < 5.0f ? value : 5.0f;
            row[k] = value > -5.0f ? value : -5.0f;
        }
        row += NUMBERS;
        int32_t box = page->box[i];
        if (page->lead[i] < 0) memset(row, 0, bytes);
        else memcpy(row, vectors + ((size_t)page->lead[i] * 2 + 1) * (size_t)width, bytes);
        memcpy(row + width, vectors + ((size_t)page->element[box] * 2 + 1) * (size_t)width, bytes);
        memcpy(row + 2 * width, page->box_vectors + (Py_ssize_t)page->box_slots[box] * 2 * width, 2 * bytes);
        memcpy(row + 4 * width, page->word_sum + i * net->word_width, word_bytes);
    }
}

TARGET static void NAME(first_layer)(const Scorer *self, Page *page) {
    const Network *net = &self->net;
    NAME(join)(self, page);
    NAME(squash)(page->page_sum, net->page_width);
    float *always = page->product[0];
    memcpy(always, net->first_bias, (size_t)net->padded * sizeof *always);
    for (int k = 0; k < net->page_width; k++)
        for (int c = 0; c < net->padded; c++) always[c] += page->page_sum[k] * net->first_page[k * net->padded + c];
    NAME(multiply)(page->seen, page->inputs, net->inputs, net->first, net->inputs, net->padded, page->blocks);
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        const float *__restrict seen = page->seen + i * net->padded;
        float *__restrict hidden = page->hidden + i * net->padded;
        for (int c = 0; c < net->padded; c++) {
            float value = seen[c] + always[c];
            hidden[c] = value > 0 ? value : 0;
        }
    }
}

/* Work out what kind of page it is from the mean and the maximum of its blocks. */
TARGET static void NAME(tell_kind)(const Network *net, Page *page, const double *total, const float *top) {
    float *odds = page->kind, most = 0, sum = 0;
    memcpy(odds, net->kind_bias, (size_t)net->kinds * sizeof *odds);
    for (int k = 0; k < net->width; k++) {
        float mean = (float)(total[k] / (double)page->blocks);
        const float *mean_row = net->kind + (size_t)k * (size_t)net->kinds;
        const float *top_row = net->kind + ((size_t)net->width + (size_t)k) * (size_t)net->kinds;
        for (int i = 0; i < net->kinds; i++) odds[i] += mean * mean_row[i] + top[k] * top_row[i];
    }
    for (int i = 0; i < net->kinds; i++) most = !i || odds[i] > most ? odds[i] : most;
    for (int i = 0; i < net->kinds; i++) sum += odds[i] = expf(odds[i] - most);
    for (int i = 0; i < net->kinds; i++) odds[i] /= sum;
}

/* Sum the hidden vectors block by block, and put their mean and maximum, weighted, into `always`. */
TARGET static void NAME(sum_page)(const Network *net, const Round *round, Page *page, float *__restrict always) {
    int padded = net->padded;
    float *__restrict top = page->gathered;
    memcpy(top, page->hidden, (size_t)padded * sizeof *top);
    for (int c = 0; c < padded; c++) page->running[c] = 0;
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        const double *__restrict before = page->running + i * padded;
        double *__restrict after = page->running + (i + 1) * padded;
        const float *__restrict hidden = page->hidden + i * padded;
        for (int c = 0; c < padded; c++) {
            after[c] = before[c] + (double)hidden[c];
            top[c] = hidden[c] > top[c] ? hidden[c] : top[c];
        }
    }
    const double *total = page->running + page->blocks * padded;
    memcpy(always, round->bias, (size_t)padded * sizeof *always);
    for (int k = 0; k < net->width; k++) {
        float mean = (float)(total[k] / (double)page->blocks);
        const float *__restrict mean_row = round->page + (size_t)k * (size_t)padded;
        const float *__restrict top_row = round->page + ((size_t)net->width + (size_t)k) * (size_t)padded;
        for (int c = 0; c < padded; c++) always[c] += mean * mean_row[c] + top[k] * top_row[c];
    }
    int number = (int)(round - net->round) - net->kind_round;
    if (number == 0) NAME(tell_kind)(net, page, total, top);
    for (int i = 0; number >= 0 && i < net->kinds; i++) {
        const float *__restrict row = net->by_kind + (size_t)(number * net->kinds + i) * (size_t)padded;
        for (int c = 0; c < padded; c++) always[c] += page->kind[i] * row[c];
    }
}

/* Products of what many blocks share: the means of boxes and styles, and headings. */
TARGET static void NAME(share)(const Network *net, const Round *round, Page *page) {
    int padded = net->padded;
    for (int pool = 0; pool < POOLS; pool++) {
        for (int32_t slot = 0; slot < page->pools[pool]; slot++) {
            int32_t box = page->pool_box[pool][slot], start = page->box_start[box], end = page->box_end[box];
            const double *__restrict from = page->running + (Py_ssize_t)start * padded;
            const double *__restrict to = page->running + (Py_ssize_t)end * padded;
            double size = end - start > 1 ? end - start : 1, part = 1.0 / size;
            float *__restrict mean = page->gathered + (Py_ssize_t)slot * padded;
            for (int c = 0; c < padded; c++) mean[c] = (float)((to[c] - from[c]) * part);
        }
        NAME(multiply)(page->product[pool], page->gathered, padded, round->boxes + pool * net->width * padded,
                       net->width, padded, page->pools[pool]);
    }
    memset(page->gathered, 0, (size_t)page->clusters * (size_t)padded * sizeof(float));
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        float *__restrict sum = page->gathered + (Py_ssize_t)page->cluster[i] * padded;
        const float *__restrict hidden = page->hidden + i * padded;
        for (int c = 0; c < padded; c++) sum[c] += hidden[c];
    }
    for (int32_t number = 0; number < page->clusters; number++) {
        float *sum = page->gathered + (Py_ssize_t)number * padded, size = (float)page->cluster_size[number];
        for (int c = 0; c < padded; c++) sum[c] /= size;
    }
    NAME(multiply)(page->product[POOLS], page->gathered, padded, round->style, net->width, padded, page->clusters);
    for (int32_t slot = 0; slot < page->headings; slot++)
        memcpy(page->gathered + (Py_ssize_t)slot * padded, page->hidden + (Py_ssize_t)page->heading_block[slot] * padded,
               (size_t)padded * sizeof(float));
    NAME(multiply)(page->product[POOLS + 1], page->gathered, padded, round->heading, net->width, padded,
                   page->headings);
}

/* Put into page->seen what each block sees of itself and of the blocks before and after: four blocks share six products
 * instead of twelve (Winograd's minimal filtering; the weights were mixed likewise, in network.py). */
TARGET static void NAME(look_along)(const Network *net, const Round *round, Page *page) {
    int padded = net->padded;
    Py_ssize_t reach = round->reach, span = GROUP * reach, rest = page->blocks % span, away = reach * padded;
    Py_ssize_t rows = page->blocks / span * reach + (rest < reach ? rest : reach);
    for (Py_ssize_t row = 0; row < rows; row++) {
        const float *from = page->hidden + (row / reach * span + row % reach) * padded - away;
        for (Py_ssize_t c = 0, to = row * padded; c < padded; c += LANES, to += LANES) {
            NAME(Lanes) h1 = VECTOR(from + away + c), h2 = VECTOR(from + 2 * away + c), h3 = VECTOR(from + 3 * away + c);
            NAME(Lanes) h4 = VECTOR(from + 4 * away + c), even = h4 - 4.0f * h2, odd = h3 - 4.0f * h1;
            VECTOR(page->mixed[0] + to) = 4.0f * VECTOR(from + c) - 5.0f * h2 + h4;
            VECTOR(page->mixed[1] + to) = even + odd;
            VECTOR(page->mixed[2] + to) = even - odd;
            VECTOR(page->mixed[3] + to) = h4 - h2 + 2.0f * (h3 - h1);
            VECTOR(page->mixed[4] + to) = h4 - h2 - 2.0f * (h3 - h1);
            VECTOR(page->mixed[5] + to) = 4.0f * h1 - 5.0f * h3 + VECTOR(from + 5 * away + c);
        }
    }
    for (int part = 0; part < PRODUCTS; part++)
        NAME(multiply)(page->product[part], page->mixed[part], padded, round->along + part * net->width * padded,
                       net->width, padded, rows);
    for (Py_ssize_t row = 0; row < rows; row++) {
        float *seen = page->seen + (row / reach * span + row % reach) * padded;
        for (Py_ssize_t c = 0, from = row * padded; c < padded; c += LANES, from += LANES) {
            NAME(Lanes) m1 = VECTOR(page->product[1] + from), m2 = VECTOR(page->product[2] + from);
            NAME(Lanes) m3 = VECTOR(page->product[3] + from), m4 = VECTOR(page->product[4] + from);
            VECTOR(seen + c) = VECTOR(page->product[0] + from) + (m1 + m2) + (m3 + m4);
            VECTOR(seen + away + c) = m1 - m2 + 2.0f * (m3 - m4);
            VECTOR(seen + 2 * away + c) = m1 + m2 + 4.0f * (m3 + m4);
            VECTOR(seen + 3 * away + c) = m1 - m2 + 8.0f * (m3 - m4) + VECTOR(page->product[5] + from);
        }
    }
}

/* Let every block see its neighbours, the boxes around it, its style, its heading and the page. */
TARGET static void NAME(look_around)(const Network *net, const Round *round, Page *page, float *__restrict always) {
    int padded = net->padded;
    NAME(sum_page)(net, round, page, always);
    NAME(look_along)(net, round, page);
    NAME(share)(net, round, page);
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        const float *__restrict seen = page->seen + i * padded;
        const float *__restrict near = page->product[0] + (Py_ssize_t)page->pool_slot[0][i] * padded;
        const float *__restrict far = page->product[1] + (Py_ssize_t)page->pool_slot[1][i] * padded;
        const float *__restrict farther = page->product[2] + (Py_ssize_t)page->pool_slot[2][i] * padded;
        const float *__restrict style = page->product[POOLS] + (Py_ssize_t)page->cluster[i] * padded;
        const float *__restrict heading = page->product[POOLS + 1] + (Py_ssize_t)page->heading_slot[i] * padded;
        float *__restrict hidden = page->hidden + i * padded;
        for (int c = 0; c < padded; c++) {
            float sum = seen[c] + near[c] + far[c] + farther[c] + style[c] + heading[c] + always[c];
            hidden[c] += sum > 0 ? sum : 0;
        }
    }
}

TARGET static void NAME(forward)(const Scorer *self, Page *page, double *probabilities) {
    const Network *net = &self->net;
    NAME(first_layer)(self, page);
    for (int number = 0; number < net->rounds; number++)
        NAME(look_around)(net, &net->round[number], page, page->page_sum);
    double bias = net->last_bias;
    for (int i = 0; i < net->kinds; i++) bias += (double)(page->kind[i] * net->last_by_kind[i]);
    float *__restrict half = page->seen; /* of the logits: the logistic function is tanh, moved and halved */
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        NAME(Lanes) sum = {0};
        for (int c = 0; c < net->padded; c += LANES)
            sum += VECTOR(page->hidden + i * net->padded + c) * VECTOR(net->last + c);
        half[i] = (float)bias;
        for (int lane = 0; lane < LANES; lane++) half[i] += sum[lane];
        half[i] /= 2;
    }
    NAME(squash)(half, page->blocks);
    for (Py_ssize_t i = 0; i < page->blocks; i++) probabilities[i] = 0.5 + 0.5 * (double)half[i];
}
