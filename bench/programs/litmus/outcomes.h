/* Counts and texts of the outcomes of litmus tests. An outcome is a value for each term of the shape. */
#pragma once

#include <stdio.h>

#include "shape.h"

enum { outcome_values = 5, outcome_combinations = 5 * 5 * 5 * 5 }; /* 0 to 3; 4: a value that no step writes */

typedef struct {
  long count[outcome_combinations]; /* rounds */
  long rounds;
  int forbidden; /* whether the outcome in question is */
} outcomes_t;

typedef struct {
  int wrong, weak, allowed, left_out; /* tests */
} summary_t;

void outcomes_add(outcomes_t* all, const shape_t* shape, const long* value);

/* These print a line for readers, or with `out` the lines
 *   at NUMBER NAME
 *   left NAME REASON
 *   seen NAME VERDICT OUTCOME COUNT ROUNDS STRANGE ALL
 *   end
 * with tabs between the words. STRANGE counts the rounds with a value that no step writes; ALL is "0=0 1=1:17,...". */
void outcomes_begin(FILE* out, int number, const shape_t* shape, const char* left_out);
void outcomes_end(FILE* out, const shape_t* shape, const char* left_out, const outcomes_t* all, summary_t* summary);
void outcomes_summary(FILE* out, const summary_t* summary, int weak_wanted);

static inline int summary_is_wrong(const summary_t* s, int weak_wanted) {
  return s->wrong > 0 || (weak_wanted && s->weak == 0);
}
