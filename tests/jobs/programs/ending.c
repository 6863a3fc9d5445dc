/* The ways in which programs end.   ending <how>; ending_test.py has the expected result of each. */
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* wanted;
static long* block;

static int asked(const char* how) { return strcmp(wanted, how) == 0; }

static void ask(void) {
  const int me = shmem_my_pe();
  shmem_free(block);
  printf("PE %d asked\n", me);
}
static void ask_and_finalize(void) {
  ask();
  shmem_finalize();
}

/* Registered before shmem_init, so that it runs after all handlers of the library. */
static void in_exit_handler(void (*handler)(void)) {
  atexit(handler);
  shmem_init();
  block = shmem_malloc(64);
  shmem_barrier_all();
  if (asked("handler-exit3") && shmem_my_pe() == 1) exit(3);
  if (asked("handler-exit3")) shmem_barrier_all();
}

static void finalize_twice(void) {
  shmem_init();
  shmem_finalize();
  shmem_finalize();
}

/* The PE has finalized, but its process lives on. */
static void linger(void) {
  shmem_init();
  shmem_finalize();
  puts("finalized");
  fflush(stdout);
  sleep(1000);
}

static volatile sig_atomic_t told;
static void note(int signal_number) { told = signal_number; }

/* PEs 1 and 2 end the job when they are told to, by SIGUSR1. PE 0 never does. */
static void end_the_job_twice(void) {
  signal(SIGUSR1, note);
  shmem_init();
  const int me = shmem_my_pe();
  shmem_barrier_all();
  while (me != 0 && !told) usleep(1000);
  if (me != 0) shmem_global_exit(me + 2);
  shmem_barrier_all();
}

/* PE 1 leaves with one finalize less than the others call. */
static void leave_unevenly(int initialised) {
  for (int i = 0; i < initialised; i++) shmem_init();
  const int late = shmem_my_pe() == 1;
  for (int i = late; i < initialised; i++) shmem_finalize();
}

static int child(void (*call)(void)) {
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    call();
    exit(0);
  }
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}
static void fork_and_call(void (*call)(void)) {
  shmem_init();
  printf("child ended with %d\n", child(call));
  shmem_barrier_all();
  shmem_finalize();
}

static volatile long counter, lost;
static volatile int stop;
static char many_pages[4 << 20];

static void* count(void* unused) {
  for (long mine = 1; !stop; mine++) {
    counter = mine;
    for (volatile int pause = 0; pause < 3; pause++) continue;
    if (counter != mine) lost++;
  }
  return unused;
}

/* A thread continues to use a static variable while the library is finalized. */
static void finalize_beside_a_thread(void) {
  memset(many_pages, 1, sizeof many_pages);
  for (int round = 0; round < 40; round++) {
    pthread_t thread;
    int level;
    stop = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
    pthread_create(&thread, NULL, count, NULL);
    shmem_finalize();
    stop = 1;
    pthread_join(thread, NULL);
  }
  for (size_t i = 0; i < sizeof many_pages; i++) lost += many_pages[i] != 1;
  printf("lost %ld\n", lost);
}

static int mappings(void) {
  int lines = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  for (int c; (c = fgetc(maps)) != EOF;) lines += c == '\n';
  fclose(maps);
  return lines;
}
static void again_and_again(void) {
  int before = 0;
  for (int round = 0; round < 30; round++) {
    shmem_init();
    shmem_barrier_all();
    shmem_finalize();
    if (round == 4) before = mappings();
  }
  printf("%d mappings more\n", mappings() - before);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  wanted = argv[1];
  if (asked("handler-finalizes") || asked("handler-exit3")) in_exit_handler(ask_and_finalize);
  if (asked("handler-asks")) in_exit_handler(ask);
  if (asked("twice")) finalize_twice();
  if (asked("lingers")) linger();
  if (asked("global-twice")) end_the_job_twice();
  if (asked("uneven")) leave_unevenly(1);
  if (asked("uneven-nested")) leave_unevenly(3);
  if (asked("child-finalizes")) fork_and_call(shmem_finalize);
  if (asked("child-calls")) fork_and_call(shmem_barrier_all);
  if (asked("child-starts")) fork_and_call(shmem_init);
  if (asked("thread")) finalize_beside_a_thread();
  if (asked("again")) again_and_again();
  if (asked("global256") || asked("exit256")) {
    shmem_init();
    shmem_barrier_all();
    if (asked("exit256")) exit(256);
    if (shmem_my_pe() == 1) shmem_global_exit(256);
    shmem_barrier_all();
    shmem_barrier_all();
  }
  return 0;
}
