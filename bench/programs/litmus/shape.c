#include "shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { forbidden = FORBIDDEN, silent = SILENT, allowed = ALLOWED, ordered, sometimes, races };

static const struct {
  const char *name, *homes, *threads, *outcome;
  int verdict, races;
  const char* why;
} shapes[] = {
#define LITMUS(name, homes, threads, outcome, verdict, race, why) {name, homes, threads, outcome, verdict, race, why},
#include "shapes.def"
#undef LITMUS
};

static const char* const words[STEP_KINDS] = {"put",   "nbi",  "p",       "set",   "inc",   "signal",   "nbsignal",
                                              "store", "get",  "g",       "fetch", "finc",  "sigfetch", "test",
                                              "load",  "wait", "sigwait", "fence", "quiet", "barrier",  "sync"};

static void refuse(const char* name, const char* text) {
  fprintf(stderr, "litmus: %s: not understood: '%s'\n", name, text);
  exit(2);
}

/* "put:x1", "wait:y", "signal:xy", "fence" */
static step_t read_step(const char* name, const char* text) {
  const size_t length = strcspn(text, ":;| ");
  step_t s = {STEP_KINDS, 0, 1};
  for (int k = 0; k < STEP_KINDS; k++)
    if (strlen(words[k]) == length && strncmp(words[k], text, length) == 0) s.kind = (step_kind_t)k;
  if (s.kind == STEP_KINDS || (text[length] == ':') == step_synchronises(s.kind)) refuse(name, text);
  if (step_synchronises(s.kind)) return s;
  s.variable = text[length + 1];
  if (s.variable != 'x' && s.variable != 'y') refuse(name, text);
  const char number = text[length + 2];
  if (number >= '0' && number <= '3')
    s.number = number - '0';
  else if (step_reads(s.kind))
    refuse(name, text);
  return s;
}

static const char* read_thread(const char* name, const char* text, thread_t* t) {
  t->pe = atoi(text);
  text += strspn(text, "0123456789: ");
  while (*text != '\0' && *text != '|') {
    if (t->steps == shape_steps) refuse(name, text);
    t->step[t->steps++] = read_step(name, text);
    text += strcspn(text, ";|");
    text += strspn(text, "; ");
  }
  return text + strspn(text, "| ");
}

static void count_meetings(shape_t* s) {
  for (int i = 0; i < s->threads; i++) {
    int barriers = 0, syncs = 0;
    for (int k = 0; k < s->thread[i].steps; k++) {
      barriers += s->thread[i].step[k].kind == STEP_BARRIER;
      syncs += s->thread[i].step[k].kind == STEP_SYNC;
    }
    if (barriers > s->barriers) s->barriers = barriers;
    if (syncs > s->syncs) s->syncs = syncs;
    if (s->thread[i].pe >= s->pes) s->pes = s->thread[i].pe + 1;
  }
}

static void read_terms(shape_t* s) {
  for (const char* at = s->outcome; *at != '\0'; at += strspn(at, " ")) {
    const int what = *at;
    s->term[s->terms++] = (term_t){what >= 'x' ? what : what - '0', strtol(at + 2, NULL, 10)};
    at += strcspn(at, " ");
  }
}

int shape_count(void) { return (int)(sizeof shapes / sizeof *shapes); }

shape_t shape_read(int number) {
  shape_t s = {.name = shapes[number].name,
               .outcome = shapes[number].outcome,
               .verdict = (verdict_t)shapes[number].verdict,
               .home = {-1, -1}};
  for (const char* at = shapes[number].homes; *at != '\0'; at += strspn(at, " ")) {
    const int pe = at[1] - '0';
    s.home[*at - 'x'] = pe;
    if (pe >= s.pes) s.pes = pe + 1;
    at += strcspn(at, " ");
  }
  for (const char* at = shapes[number].threads; *at != '\0';) {
    if (s.threads == shape_threads) refuse(s.name, at);
    at = read_thread(s.name, at, &s.thread[s.threads++]);
  }
  count_meetings(&s);
  read_terms(&s);
  return s;
}
