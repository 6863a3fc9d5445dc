/* PE 0 waits in the library, and another thread of it raises the flags later. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "legal_waits.h"

static void start(void* (*body)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_detach(thread);
}
static void in_a_child(void (*act)(void)) {
  fflush(NULL);
  if (fork() != 0) return;
  stall();
  act();
  _exit(0);
}
static struct timespec after(double seconds) {
  return (struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
}

static void* sleep_and_raise(void* unused) {
  stall();
  raise_flag();
  return unused;
}
static void sleeps(void) { start(sleep_and_raise); }

static void* compute_and_raise(void* unused) {
  volatile long turns = 0;
  for (const double end = now() + 1e-3 * stall_ms; now() < end;) turns++;
  raise_flag();
  return unused;
}
static void computes(void) { start(compute_and_raise); }

static void* poll_and_raise(void* unused) {
  poll(NULL, 0, (int)stall_ms);
  raise_flag();
  return unused;
}
static void polls(void) { start(poll_and_raise); }

static void* epoll_and_raise(void* unused) {
  struct epoll_event event;
  epoll_wait(epoll_create1(0), &event, 1, (int)stall_ms);
  raise_flag();
  return unused;
}
static void epolls(void) { start(epoll_and_raise); }

/* ---- conditions and semaphores ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static void* await_ready(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  raise_flag();
  return unused;
}
static void* set_ready(void* unused) {
  stall();
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void awaits_a_thread(void) {
  start(await_ready);
  start(set_ready);
}
static void* await_time(void* unused) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  const struct timespec more = after((double)end.tv_sec + 1e-9 * (double)end.tv_nsec + 1e-3 * stall_ms);
  pthread_mutex_lock(&mutex);
  while (pthread_cond_timedwait(&changed, &mutex, &more) != ETIMEDOUT) continue;
  pthread_mutex_unlock(&mutex);
  raise_flag();
  return unused;
}
static void awaits_a_time(void) { start(await_time); }

static sem_t* semaphore;
static sem_t own_semaphore;
static void post(void) { sem_post(semaphore); }
static void* await_post(void* unused) {
  while (sem_wait(semaphore) != 0) continue;
  raise_flag();
  return unused;
}
static void post_from_a_child(int shared) {
  semaphore = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(semaphore, shared, 0);
  in_a_child(post);
  start(await_post);
}
static void awaits_a_post(void) { post_from_a_child(1); }
static void post_in_handler(int signal) {
  (void)signal;
  post();
}
static void awaits_a_post_of_a_handler(void) {
  semaphore = &own_semaphore;
  sem_init(semaphore, 0, 0);
  signal(SIGALRM, post_in_handler);
  start(await_post);
  alarm((stall_ms + 999) / 1000);
}
/* The first thread posts before it waits: until then the helper is the only one in need of it. */
static void posts_late(void) {
  semaphore = &own_semaphore;
  sem_init(semaphore, 0, 0);
  start(await_post);
  stall();
  post();
}

/* ---- descriptors and signals ---- */

static int source;
static int ends[2];
static void* read_and_raise(void* unused) {
  uint64_t bytes;
  if (read(source, &bytes, sizeof bytes) <= 0) exit(1);
  raise_flag();
  return unused;
}
static void word_arrives(int writer) {
  char command[64];
  snprintf(command, sizeof command, "printf '\\001\\0\\0\\0\\0\\0\\0\\0' >&%d", writer);
  command_later(command);
}
static void reads_a_pipe(void) {
  if (pipe(ends) != 0) exit(1);
  word_arrives(ends[1]);
  source = ends[0];
  start(read_and_raise);
}
static void reads_stdin(void) {
  if (pipe(ends) != 0) exit(1);
  word_arrives(ends[1]);
  source = dup2(ends[0], 0);
  start(read_and_raise);
}
static void reads_an_event(void) {
  source = eventfd(0, 0);
  word_arrives(source);
  start(read_and_raise);
}
static void reads_a_timer(void) {
  const struct itimerspec once = {.it_value = after(1e-3 * stall_ms)};
  source = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(source, 0, &once, NULL);
  start(read_and_raise);
}
static sigset_t user_signals;
static void* await_signal(void* unused) {
  int which;
  sigwait(&user_signals, &which);
  raise_flag();
  return unused;
}
static void awaits_a_signal(void) {
  sigemptyset(&user_signals);
  sigaddset(&user_signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &user_signals, NULL);
  command_later("kill -USR1 $PPID");
  start(await_signal);
}
static void raise_on_event(union sigval unused) {
  (void)unused;
  raise_flag();
}
static void is_made_by_a_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = raise_on_event};
  const struct itimerspec once = {.it_value = after(1e-3 * stall_ms)};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) exit(1);
  timer_settime(timer, 0, &once, NULL);
}

const struct pattern of_helpers[] = {
    {"helper-sleeps", .first = sleeps, .first_returns = 1},
    {"helper-computes", .first = computes, .first_returns = 1},
    {"helper-polls", .first = polls, .first_returns = 1},
    {"helper-epolls", .first = epolls, .first_returns = 1},
    {"helper-awaits-a-thread", .first = awaits_a_thread, .first_returns = 1},
    {"helper-awaits-a-time", .first = awaits_a_time, .first_returns = 1},
    {"helper-awaits-a-post", .first = awaits_a_post, .first_returns = 1},
    {"helper-awaits-a-post-of-a-handler", .first = awaits_a_post_of_a_handler, .first_returns = 1},
    {"helper-awaits-a-late-post", .first = posts_late},
    {"helper-reads-a-pipe", .first = reads_a_pipe, .first_returns = 1},
    {"helper-reads-stdin", .first = reads_stdin, .first_returns = 1},
    {"helper-reads-an-event", .first = reads_an_event, .first_returns = 1},
    {"helper-reads-a-timer", .first = reads_a_timer, .first_returns = 1},
    {"helper-awaits-a-signal", .first = awaits_a_signal, .first_returns = 1},
    {"helper-is-made-by-a-timer", .first = is_made_by_a_timer, .first_returns = 1},
    {0},
};
