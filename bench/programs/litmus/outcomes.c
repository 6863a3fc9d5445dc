#include "outcomes.h"

#include <string.h>

static int index_of(const shape_t* shape, const long* value) {
  int index = 0;
  for (int i = shape->terms - 1; i >= 0; i--)
    index = index * outcome_values + (value[i] >= 0 && value[i] < 4 ? (int)value[i] : 4);
  return index;
}

void outcomes_add(outcomes_t* all, const shape_t* shape, const long* value) {
  all->count[index_of(shape, value)]++;
  all->rounds++;
}

/* The rounds with the outcome in question. */
static long in_question(const outcomes_t* all, const shape_t* shape) {
  long value[shape_terms];
  for (int i = 0; i < shape->terms; i++) value[i] = shape->term[i].value;
  return all->count[index_of(shape, value)];
}

static int is_strange(int index) {
  for (; index > 0; index /= outcome_values)
    if (index % outcome_values == 4) return 1;
  return 0;
}

static long strange(const outcomes_t* all) {
  long rounds = 0;
  for (int index = 0; index < outcome_combinations; index++)
    if (is_strange(index)) rounds += all->count[index];
  return rounds;
}

static void print_all(FILE* out, const outcomes_t* all, const shape_t* shape) {
  const char* between = "";
  for (int index = 0; index < outcome_combinations; index++) {
    if (all->count[index] == 0) continue;
    fputs(between, out);
    int rest = index;
    for (int i = 0; i < shape->terms; i++, rest /= outcome_values) {
      const int what = shape->term[i].what;
      fprintf(out, "%s%c=%c", i > 0 ? " " : "", what >= 'x' ? what : what + '0', "0123?"[rest % outcome_values]);
    }
    fprintf(out, ":%ld", all->count[index]);
    between = ",";
  }
}

void outcomes_begin(FILE* out, int number, const shape_t* shape, const char* left_out) {
  if (out == NULL) return;
  fprintf(out, "at\t%d\t%s\n", number, shape->name);
  if (left_out != NULL) fprintf(out, "left\t%s\t%s\n", shape->name, left_out);
  fflush(out);
}

void outcomes_end(FILE* out, const shape_t* shape, const char* left_out, const outcomes_t* all, summary_t* summary) {
  if (left_out != NULL) {
    summary->left_out++;
    return;
  }
  const long matched = in_question(all, shape), odd = strange(all);
  const char* verdict = all->forbidden ? "forbidden" : shape->verdict == SILENT ? "silent" : "allowed";
  const int wrong = odd > 0 || (all->forbidden && matched > 0);
  summary->wrong += wrong;
  summary->allowed += !all->forbidden;
  summary->weak += !all->forbidden && matched > 0;
  if (out == NULL) {
    printf("%-22s %-16s %8ld of %ld  %s%s%s\n", shape->name, shape->outcome, matched, all->rounds, verdict,
           wrong ? "  SEEN" : "", odd > 0 ? ", and values that no step writes" : "");
    fflush(stdout);
    return;
  }
  fprintf(out, "seen\t%s\t%s\t%s\t%ld\t%ld\t%ld\t", shape->name, verdict, shape->outcome, matched, all->rounds, odd);
  print_all(out, all, shape);
  fputs("\n", out);
  fflush(out);
}

void outcomes_summary(FILE* out, const summary_t* s, int weak_wanted) {
  if (out != NULL) {
    fputs("end\n", out);
    fclose(out);
    return;
  }
  printf("litmus: %d forbidden outcomes seen; weak ones seen in %d of %d tests that allow them", s->wrong, s->weak,
         s->allowed);
  printf(s->left_out > 0 ? "; %d tests are left out\n" : "\n", s->left_out);
  printf("litmus: %s\n", summary_is_wrong(s, weak_wanted) ? "WRONG" : "right");
}
