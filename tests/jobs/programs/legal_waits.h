/* What the files of legal_waits share. */
#pragma once

extern unsigned stall_ms; /* how long the others wait */
extern long flag;         /* symmetric; every PE waits until its own is 1 */
extern long* heap_cell;   /* symmetric, in the heap */

double now(void);      /* in seconds */
void stall(void);      /* sleeps, also beyond signals */
void raise_flag(void); /* of all PEs */

/* A child with memory of its own carries out `command` after the stall. */
void command_later(const char* command);

struct pattern {
  const char* name;
  void (*first)(void); /* PE 0 calls it. Then all PEs wait for their flags, unless there is `all`. */
  int first_returns;   /* `first` returns at once, and something else raises the flags later */
  void (*all)(void);
};

/* Each ends with a pattern without a name. */
extern const struct pattern of_the_first_thread[]; /* legal_waits_first.c */
extern const struct pattern of_helpers[];          /* legal_waits_helpers.c */
extern const struct pattern of_the_kernel[];       /* legal_waits_kernel.c */
