/* A layout's rules made ready for C, and what a cut gives back to Python. */
#ifndef SCYTHE_CUT_PLAN_H
#define SCYTHE_CUT_PLAN_H

#include "native.h"

#include "follow.h"

enum { REASONS_KEPT = 4 };

typedef struct {
    FollowWay way;
    PyObject *kinds;                    /* tuple of str, one for each rule */
    uint32_t masks[REASONS_KEPT];       /* sets of rules that agreed lately */
    PyObject *reasons[REASONS_KEPT];    /* ... and their kinds joined */
} PlanWay;

typedef struct {
    PlanWay *ways;
    int way_count;
} PlanField;

typedef struct {
    PlanField *fields;
    Py_ssize_t field_count;
    int utf8; /* pages of the layout are UTF-8 */
    unsigned long second_searches;
    PyObject *source; /* keeps the literals alive */
} Plan;

#endif
