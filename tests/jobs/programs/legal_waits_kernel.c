/* All threads of PE 0 wait in the library. A handler, a child or the kernel writes the flags later. */
#define _GNU_SOURCE /* clone */
#include <aio.h>
#include <sched.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "legal_waits.h"

static void in_a_child(void (*act)(void)) {
  fflush(NULL);
  if (fork() != 0) return;
  stall();
  act();
  _exit(0);
}

static void store_flags(int signal) {
  (void)signal;
  for (int pe = 0; pe < shmem_n_pes(); pe++) *(volatile long*)shmem_ptr(&flag, pe) = 1;
}
static void alarm_rings(void) {
  signal(SIGALRM, store_flags);
  alarm((stall_ms + 999) / 1000);
}
static void timer_ticks(void) {
  const struct itimerval once = {.it_value = {stall_ms / 1000, stall_ms % 1000 * 1000}};
  signal(SIGALRM, store_flags);
  setitimer(ITIMER_REAL, &once, NULL);
}
static void signal_comes(int number) {
  char command[32];
  snprintf(command, sizeof command, "kill -%d $PPID", number);
  signal(number, store_flags);
  command_later(command);
}
static void user_signal_comes(void) { signal_comes(SIGUSR1); }
static void ctrl_c_comes(void) { signal_comes(SIGINT); }
static void hang_up_comes(void) { signal_comes(SIGHUP); }

static void store_in_heap(void) { *(volatile long*)heap_cell = 1; }
static void await_heap_cell(void) {
  shmem_long_wait_until(heap_cell, SHMEM_CMP_NE, 0);
  raise_flag();
}
static void child_stores(void) { /* only the heap is shared with it */
  in_a_child(store_in_heap);
  await_heap_cell();
}
static char stack[65536];
static int store_and_end(void* unused) {
  (void)unused;
  usleep(1000 * stall_ms);
  flag = 1;
  _exit(0);
}
static void clone_stores(void) {
  if (clone(store_and_end, stack + sizeof stack - 64, CLONE_VM | SIGCHLD, NULL) < 0) exit(1);
}
static void input_arrives(void) {
  static struct aiocb input;
  int ends[2];
  char command[32];
  if (pipe(ends) != 0) exit(1);
  snprintf(command, sizeof command, "printf x >&%d", ends[1]);
  command_later(command);
  input.aio_fildes = ends[0];
  input.aio_buf = heap_cell;
  input.aio_nbytes = 1;
  if (aio_read(&input) != 0) exit(1);
  await_heap_cell();
}

const struct pattern of_the_kernel[] = {
    {"alarm-rings", .first = alarm_rings, .first_returns = 1},
    {"timer-ticks", .first = timer_ticks, .first_returns = 1},
    {"user-signal-comes", .first = user_signal_comes, .first_returns = 1},
    {"ctrl-c-comes", .first = ctrl_c_comes, .first_returns = 1},
    {"hang-up-comes", .first = hang_up_comes, .first_returns = 1},
    {"child-stores", .first = child_stores, .first_returns = 1},
    {"clone-stores", .first = clone_stores, .first_returns = 1},
    {"input-arrives", .first = input_arrives, .first_returns = 1},
    {0},
};
