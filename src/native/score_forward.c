/* Run the network over a page with the widest vectors that this processor has. */
#include "scorer.h"
#include <math.h>
#include <string.h>

#define JOIN(name, suffix) name##suffix

#define VECTOR(floats) (*(NAME(Lanes) *)(floats))

#define NAME(name) JOIN(name, _any)
#define TARGET
#define LANES 4
#include "score_kernel.h"
#undef NAME
#undef TARGET
#undef LANES

#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE 1
#define NAME(name) JOIN(name, _avx2)
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#include "score_kernel.h"
#undef NAME
#undef TARGET
#undef LANES

#define NAME(name) JOIN(name, _avx512)
#define TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,fma")))
#define LANES 16
#include "score_kernel.h"
#undef NAME
#undef TARGET
#undef LANES
static int is_wide(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
static int is_widest(void) {
    return is_wide() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
           && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
#else
#define WIDE 0
#endif

/* Number the boxes and headings that blocks look at, so that each is multiplied only once. */
static void number_shared(Page *page) {
    for (int pool = 0; pool < POOLS; pool++) {
        memset(page->box_slots, -1, (size_t)page->boxes * sizeof *page->box_slots);
        for (Py_ssize_t i = 0; i < page->blocks; i++) {
            int32_t box = page->up[page->box[i]];
            if (pool > 0) box = page->up[box];
            if (pool > 1) box = page->up[page->up[box]];
            if (page->box_slots[box] < 0) {
                page->pool_box[pool][page->pools[pool]] = box;
                page->box_slots[box] = page->pools[pool]++;
            }
            page->pool_slot[pool][i] = page->box_slots[box];
        }
    }
    for (Py_ssize_t i = 0; i < page->blocks; i++) {
        if (!i || page->heading[i] != page->heading[i - 1]) page->heading_block[page->headings++] = page->heading[i];
        page->heading_slot[i] = page->headings - 1;
    }
}

void forward(const Scorer *self, Page *page, double *probabilities) {
    number_shared(page);
#if WIDE
    if (is_widest() && !page->plain) {
        forward_avx512(self, page, probabilities);
        return;
    }
    if (is_wide() && !page->plain) {
        forward_avx2(self, page, probabilities);
        return;
    }
#endif
    forward_any(self, page, probabilities);
}

void squash(float *values, Py_ssize_t count) { squash_any(values, count); }
