#define _GNU_SOURCE
#include "hosts.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "lines.h"

typedef enum { ask_get, ask_set, ask_add, ask_deliver, ask_barrier } question;

typedef struct {
  uint32_t what, bytes;
  uint64_t offset, value;
} request;

static host_lines lines;
static char* page;
static size_t page_bytes;

// ---- process 0 serves

static void meet(int* arrived) {
  const uint64_t nothing = 0;
  if (++*arrived < lines.pes) return;
  *arrived = 0;
  // Remote processes first.
  for (int pe = lines.pes - 1; pe >= 0; --pe) line_give(lines.to[pe], &nothing, sizeof nothing);
}

// False: this process has ended.
static bool answer(int pe, int* arrived) {
  request asked;
  if (!line_take(lines.to[pe], &asked, sizeof asked)) return false;
  if (asked.what == ask_barrier) return meet(arrived), true;
  if (asked.offset > page_bytes || asked.bytes > page_bytes - asked.offset) return false;
  uint64_t* const word = (uint64_t*)(void*)(page + asked.offset);
  uint64_t old = 0;
  switch ((question)asked.what) {
    case ask_deliver: return line_take(lines.to[pe], word, asked.bytes);
    case ask_set: __atomic_store_n(word, asked.value, __ATOMIC_RELEASE); break;
    case ask_add: old = __atomic_fetch_add(word, asked.value, __ATOMIC_ACQ_REL); break;
    default: old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  }
  return line_give(lines.to[pe], &old, sizeof old);
}

static void* serve(void* unused) {
  struct pollfd ready[most_pes];
  int arrived = 0;
  for (int pe = 0; pe < lines.pes; ++pe) ready[pe] = (struct pollfd){.fd = lines.to[pe], .events = POLLIN};
  for (;;) {
    poll(ready, (nfds_t)lines.pes, -1);
    for (int pe = 0; pe < lines.pes; ++pe)
      if (ready[pe].revents != 0 && !answer(pe, &arrived)) ready[pe].fd = -1;
  }
  return unused;
}

hosts_map hosts_open(int me, int pes, void* at, size_t bytes, hosts_tell* tell) {
  page = at;
  page_bytes = bytes;
  lines = (host_lines){.me = me, .pes = pes};
  const hosts_map map = lines_open(&lines, tell);
  pthread_t thread;
  if (me == 0 && pthread_create(&thread, NULL, serve, NULL) != 0) line_fail("pthread_create: no thread for the page");
  if (me == 0) pthread_detach(thread);
  return map;
}

// ---- requests

static void ask(question what, const void* part, size_t bytes, uint64_t value) {
  const uint64_t offset = part != NULL ? (uint64_t)((const char*)part - page) : 0;
  const request asked = {(uint32_t)what, (uint32_t)bytes, offset, value};
  if (!line_give(lines.home, &asked, sizeof asked)) line_fail("process 0 has gone");
}

static uint64_t hear(void) {
  uint64_t value;
  if (!line_take(lines.home, &value, sizeof value)) line_fail("process 0 has gone");
  return value;
}

uint64_t hosts_get(const uint64_t* word) {
  if (lines.me == 0) return __atomic_load_n(word, __ATOMIC_ACQUIRE);
  ask(ask_get, word, sizeof *word, 0);
  return hear();
}

// Returns when the value is stored, so that other processes see it after a barrier of the library.
void hosts_set(uint64_t* word, uint64_t value) {
  if (lines.me == 0) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    return;
  }
  ask(ask_set, word, sizeof *word, value);
  hear();
}

uint64_t hosts_add(uint64_t* word, uint64_t value) {
  if (lines.me == 0) return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
  ask(ask_add, word, sizeof *word, value);
  return hear();
}

void hosts_deliver(const void* part, size_t bytes) {
  if (lines.me == 0) return;
  ask(ask_deliver, part, bytes, 0);
  if (!line_give(lines.home, part, bytes)) line_fail("process 0 has gone");
}

void hosts_barrier(void (*pastime)(void), bool may_sleep) {
  ask(ask_barrier, NULL, 0, 0);
  struct pollfd ready = {.fd = lines.home, .events = POLLIN};
  while (!may_sleep && poll(&ready, 1, 0) == 0) {
    if (pastime != NULL) pastime();
    sched_yield();  // the serving thread may need this CPU
  }
  hear();
}
