/* A litmus test of shapes.def in parsed form. */
#pragma once

enum { shape_threads = 4, shape_steps = 4, shape_terms = 4 };

typedef enum {
  STEP_PUT,
  STEP_NBI,
  STEP_P,
  STEP_SET,
  STEP_INC,
  STEP_SIGNAL,
  STEP_NBSIGNAL,
  STEP_STORE, /* these write */
  STEP_GET,
  STEP_G,
  STEP_FETCH,
  STEP_FINC,
  STEP_SIGFETCH,
  STEP_TEST,
  STEP_LOAD, /* to a register */
  STEP_WAIT,
  STEP_SIGWAIT,
  STEP_FENCE,
  STEP_QUIET,
  STEP_BARRIER,
  STEP_SYNC,
  STEP_KINDS
} step_kind_t;

typedef struct {
  step_kind_t kind;
  char variable; /* 'x' or 'y'; 0: none */
  int number;    /* value or register */
} step_t;

typedef struct {
  int pe, steps;
  step_t step[shape_steps];
} thread_t;

typedef struct {
  int what; /* a register from 0 to 3, or 'x' or 'y' */
  long value;
} term_t;

typedef enum { FORBIDDEN, SILENT, ALLOWED } verdict_t;

typedef struct {
  const char *name, *outcome;
  verdict_t verdict;
  int pes, threads, terms, barriers, syncs; /* of a thread */
  int home[2];                              /* of x and y; -1: not used */
  thread_t thread[shape_threads];
  term_t term[shape_terms];
} shape_t;

static inline int step_writes(step_kind_t kind) { return kind <= STEP_STORE; }
static inline int step_reads(step_kind_t kind) { return kind >= STEP_GET && kind <= STEP_LOAD; }
static inline int step_synchronises(step_kind_t kind) { return kind >= STEP_FENCE; }

int shape_count(void);
shape_t shape_read(int number); /* ends the program if shapes.def is invalid */
