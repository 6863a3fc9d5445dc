/* Jobs in which every PE waits for ever, or in which one PE can continue.   deadlock <how>; deadlock_test.py
 * lists both kinds. PE 0 prints "over" if the job comes to an end. */
#define _GNU_SOURCE /* clone */
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <shmem.h>
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long flag, turn, lock;
static int me, n;

static void wait_for_ever(void) { shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1); }
static void wait_for_turn(long number) { shmem_long_wait_until(&turn, SHMEM_CMP_GE, number); }

/* ---- for ever ---- */

static void cross(void) {
  if (me == 0) wait_for_ever();
  shmem_barrier_all();
}
static void own_lock(void) {
  if (me == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (me != 0) shmem_set_lock(&lock);
}
static void one_returns(void) {
  if (me != 1) wait_for_ever();
}
static void one_exits_its_thread(void) {
  if (me == 1) pthread_exit(NULL);
  wait_for_ever();
}

static void* waiting(void* unused) {
  wait_for_ever();
  return unused;
}
/* Two threads are in the library; the first thread joins them. */
static void threads(void) {
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, waiting, NULL);
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static void* idle(void* unused) {
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&work, &mutex);
  return unused;
}
/* A pool of idle threads, as in OpenMP. */
static void pool(void) {
  pthread_t thread;
  for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, idle, NULL);
  wait_for_ever();
}
/* With OSHEN_PROGRESS=thread the library has a thread, too. */
static void non_blocking(void) {
  shmemx_request_t request;
  if (me != 0) wait_for_ever();
  shmemx_team_sync_nb(SHMEM_TEAM_WORLD, &request);
  shmemx_coll_wait(&request);
}

/* A signal that only answers what the process itself does. */
static void ignore(int unused) { (void)unused; }
static void cpu_time_handler(void) {
  signal(SIGXCPU, ignore);
  wait_for_ever();
}

/* ---- only nearly ---- */

static void* store_later(void* unused) {
  usleep(3500000);
  for (int pe = 0; pe < n; pe++) shmem_long_p(&flag, 1, pe);
  return unused;
}
static void one_computes(void) {
  if (me == 0) store_later(NULL);
  wait_for_ever();
}
static void store_on_own_node(void) {
  for (int pe = 0; pe < n; pe++) {
    volatile long* there = shmem_ptr(&flag, pe);
    if (there != NULL) *there = 1;
  }
}
static void put_to_other_nodes(void) {
  for (int pe = 0; pe < n; pe++)
    if (shmem_ptr(&flag, pe) == NULL) shmem_long_p(&flag, 1, pe);
}
/* Not the PE that asks the others. */
static void the_last_computes(void) {
  if (me == n - 1) store_later(NULL);
  wait_for_ever();
}
static void the_last_has_a_thread(void) {
  pthread_t thread;
  if (me == n - 1) pthread_create(&thread, NULL, store_later, NULL);
  wait_for_ever();
  if (me == n - 1) pthread_join(thread, NULL);
}
/* The PE stores without a call of the library, so that no waiter is woken, and then waits. */
static void one_stores_by_pointer(void) {
  if (me == 0) {
    usleep(3500000);
    store_on_own_node();
    put_to_other_nodes();
    wait_for_turn(n - 1);
  } else {
    wait_for_ever();
    shmem_long_atomic_inc(&turn, 0);
  }
}
static void one_has_a_thread(void) {
  pthread_t thread;
  if (me == 0) pthread_create(&thread, NULL, store_later, NULL);
  wait_for_ever();
  if (me == 0) pthread_join(thread, NULL);
}
static void store_at_alarm(int unused) {
  (void)unused;
  store_on_own_node();
}
static void one_has_an_alarm(void) {
  if (me == 0) {
    signal(SIGALRM, store_at_alarm);
    alarm(4);
  }
  wait_for_ever();
  put_to_other_nodes();
}
/* A server that waits for Ctrl-C. */
static void one_hears_ctrl_c(void) {
  if (me == 0) {
    signal(SIGINT, store_at_alarm);
    const pid_t server = getpid();
    if (fork() == 0) {
      usleep(3500000);
      kill(server, SIGINT);
      _exit(0);
    }
  }
  wait_for_ever();
  put_to_other_nodes();
}
static int store_from_clone(void* unused) {
  (void)unused;
  usleep(3500000);
  store_at_alarm(0);
  return 0;
}
/* A process that is no thread, in the same memory. */
static void one_has_a_clone(void) {
  static char stack[65536];
  if (me == 0) clone(store_from_clone, stack + sizeof stack - 64, CLONE_VM | SIGCHLD, NULL);
  wait_for_ever();
  put_to_other_nodes();
}
/* The kernel reads from a pipe into PE 0's flag, as a request of an io_uring. */
static void one_has_an_io_uring(void) {
  if (me == 0) {
    int ends[2];
    struct io_uring_params about = {0};
    const long one = 1;
    if (pipe(ends) != 0) shmem_global_exit(2);
    if (fork() == 0) {
      usleep(3500000);
      _exit(write(ends[1], &one, sizeof one) != sizeof one);
    }
    const int ring = (int)syscall(SYS_io_uring_setup, 8, &about);
    if (ring < 0) shmem_global_exit(77); /* not allowed here */
    const size_t bytes = about.sq_off.array + about.sq_entries * sizeof(unsigned);
    char* queue = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
    struct io_uring_sqe* request =
        mmap(NULL, about.sq_entries * sizeof *request, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
    if (queue == MAP_FAILED || (void*)request == MAP_FAILED) shmem_global_exit(2);
    *request = (struct io_uring_sqe){.opcode = IORING_OP_READ,
                                     .fd = ends[0],
                                     .off = (uint64_t)-1,
                                     .addr = (uint64_t)(uintptr_t)&flag,
                                     .len = sizeof flag};
    *(unsigned*)(queue + about.sq_off.array) = 0;
    __atomic_fetch_add((unsigned*)(queue + about.sq_off.tail), 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) != 1) shmem_global_exit(2);
    wait_for_ever();
    for (int pe = 1; pe < n; pe++) shmem_long_p(&flag, 1, pe);
  }
  wait_for_ever();
}
/* A token goes round; all PEs wait except one, which is slow. */
static void slow_ring(void) {
  for (long round = 0; round < 3; round++) {
    wait_for_turn(round * n + me);
    usleep(700000);
    for (int pe = 0; pe < n; pe++) shmem_long_p(&turn, round * n + me + 1, pe);
  }
  wait_for_turn(3L * n);
}

/* A message lies at a PE that is stopped while all others wait. */
static void one_is_stopped(void) {
  const pid_t one = getpid();
  if (me == 1 && fork() == 0) {
    usleep(300000);
    kill(one, SIGSTOP);
    usleep(3500000);
    kill(one, SIGCONT);
    _exit(0);
  }
  if (me == 0) {
    usleep(800000);
    shmem_long_p(&flag, 1, 1);
  } else if (me == 1) {
    wait_for_ever();
    for (int pe = 0; pe < n; pe++) shmem_long_p(&turn, 1, pe);
  }
  wait_for_turn(1);
}

static void* store_at_signal(void* unused) {
  sigset_t awaited;
  int number;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  sigwait(&awaited, &number);
  return store_later(unused);
}
/* A thread waits for a signal that the process gets; the program's threads block it. */
static void one_awaits_a_signal(void) {
  pthread_t thread;
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &awaited, NULL);
  if (me == 0) {
    pthread_create(&thread, NULL, store_at_signal, NULL);
    kill(getpid(), SIGUSR1);
  }
  wait_for_ever();
  if (me == 0) pthread_join(thread, NULL);
}

static const struct {
  const char* name;
  void (*run)(void);
} ways[] = {{"cross", cross},
            {"lock", own_lock},
            {"return", one_returns},
            {"thread-exit", one_exits_its_thread},
            {"threads", threads},
            {"pool", pool},
            {"non-blocking", non_blocking},
            {"cpu-time", cpu_time_handler},
            {"computes", one_computes},
            {"last-computes", the_last_computes},
            {"last-thread", the_last_has_a_thread},
            {"pointer", one_stores_by_pointer},
            {"thread", one_has_a_thread},
            {"alarm", one_has_an_alarm},
            {"ctrl-c", one_hears_ctrl_c},
            {"clone", one_has_a_clone},
            {"io-uring", one_has_an_io_uring},
            {"ring", slow_ring},
            {"stop", one_is_stopped},
            {"sigwait", one_awaits_a_signal}};

int main(int argc, char** argv) {
  int level;
  if (argc != 2) return 2;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
  me = shmem_my_pe(), n = shmem_n_pes();
  shmem_barrier_all();
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (!strcmp(argv[1], ways[i].name)) ways[i].run();
  if (me == 0) puts("over");
  shmem_finalize();
  return 0;
}
