/* SPDX-License-Identifier: MIT */

/*
 * Ropes: long strings that are cut and joined cheaply.
 */
#ifndef ROPE_H
#define ROPE_H

#include <stddef.h>
#include "knot.h"

#define ROPE_MAX 4096
#define ROPE_EMPTY(r) ((r)->length == 0)

#define ROPE_EACH(rope, piece)    \
    for (piece = (rope)->first;   \
         piece; piece = piece->next)

/* A piece of rope. */
struct rope {
    /* In bytes. */
    size_t length;
    char *text;
    struct { int a; } inner;
    unsigned flags : 3;
    int (*compare)(const void *, const void *);
};

typedef struct rope rope_t;
struct rope_pool;

struct knot {
    int kind;
    union {
        int turns;
        float pull;
    };
};

typedef struct {
    int left, right;
} pair_t;

typedef int (*visit_fn)(rope_t *, void *context);

enum colour {
    RED,
    GREEN = 2,
};

typedef enum { UP, DOWN } side_t;

union word {
    int number;
    float real;
};

extern int rope_count;

/* Makes a rope. */
rope_t *rope_new(const char *text, size_t length);
void rope_free(rope_t *rope);
const char **rope_lines(rope_t *rope,
                        int limit);
static int hidden(void);

static inline int rope_is_empty(const rope_t *rope)
{
    return rope->length == 0;
}

int rope_join(rope_t *one, rope_t *two)
{
    int local = 3;
    if (local) {
        return 1;
    }
    return local;
}

#endif
