/* PE 0 is not in the library: its only thread sleeps, computes, or waits for a child or for the kernel. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "legal_waits.h"

/* Calls `act` in a child after the stall. */
static pid_t later(void (*act)(void)) {
  fflush(NULL);
  const pid_t child = fork();
  if (child != 0) return child;
  stall();
  if (act != NULL) act();
  _exit(0);
}

static void sleeps(void) {
  stall();
  raise_flag();
}
static void sleeps_often(void) {
  for (const double end = now() + 1e-3 * stall_ms; now() < end;) usleep(10000);
  raise_flag();
}
static void computes(void) {
  volatile long turns = 0;
  for (const double end = now() + 1e-3 * stall_ms; now() < end;) turns++;
  raise_flag();
}
static void writes_a_file(void) {
  static const char block[4096];
  FILE* file = tmpfile();
  for (const double end = now() + 1e-3 * stall_ms; now() < end; usleep(1000)) {
    if (pwrite(fileno(file), block, sizeof block, 0) < 0) exit(1);
    fsync(fileno(file));
  }
  raise_flag();
}

static int ends[2];
static void write_byte(void) {
  if (write(ends[1], "x", 1) != 1) _exit(1);
}
static void read_byte(int fd) {
  char byte;
  if (read(fd, &byte, 1) != 1) exit(1);
  raise_flag();
}
static void reads_stdin(void) {
  if (pipe(ends) != 0) exit(1);
  later(write_byte);
  dup2(ends[0], 0);
  read_byte(0);
}
static void reads_a_socket(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) exit(1);
  later(write_byte);
  read_byte(ends[0]);
}

static char folder[] = "/tmp/oshen-waits-XXXXXX", path[64];
static void open_writer(void) { close(open(path, O_WRONLY)); }
static void opens_a_fifo(void) {
  if (mkdtemp(folder) == NULL) exit(1);
  snprintf(path, sizeof path, "%s/fifo", folder);
  if (mkfifo(path, 0600) != 0) exit(1);
  later(open_writer);
  close(open(path, O_RDONLY));
  unlink(path);
  rmdir(folder);
  raise_flag();
}
static void locks_a_file(void) {
  if (mkdtemp(folder) == NULL || pipe(ends) != 0) exit(1);
  snprintf(path, sizeof path, "%s/lock", folder);
  const int file = open(path, O_CREAT | O_RDWR, 0600);
  if (fork() == 0) {
    if (lockf(file, F_LOCK, 0) != 0) _exit(1);
    write_byte();
    stall();
    _exit(0);
  }
  char byte;
  if (read(ends[0], &byte, 1) != 1 || lockf(file, F_LOCK, 0) != 0) exit(1);
  unlink(path);
  rmdir(folder);
  raise_flag();
}

static mqd_t queue;
static void send_message(void) { mq_send(queue, "x", 1, 0); }
static void receives_a_message(void) {
  struct mq_attr room = {.mq_maxmsg = 2, .mq_msgsize = 8};
  char name[32], text[8];
  snprintf(name, sizeof name, "/oshen-waits-%d", (int)getpid());
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &room);
  if (queue == (mqd_t)-1) exit(77);
  mq_unlink(name);
  later(send_message);
  if (mq_receive(queue, text, sizeof text, NULL) != 1) exit(1);
  raise_flag();
}

static void awaits_a_child(void) {
  waitpid(later(NULL), NULL, 0);
  raise_flag();
}
static void calls_the_shell(void) {
  char command[64];
  snprintf(command, sizeof command, "sleep %.3f", 1e-3 * stall_ms);
  if (system(command) != 0) exit(1);
  raise_flag();
}
static void reads_a_command(void) {
  char command[64], line[8];
  snprintf(command, sizeof command, "sleep %.3f; echo x", 1e-3 * stall_ms);
  FILE* output = popen(command, "r");
  if (fgets(line, sizeof line, output) == NULL) exit(1);
  pclose(output);
  raise_flag();
}
static void lends_its_memory(void) { /* vfork(): the parent goes on when the child calls execve() or ends */
  const pid_t child = vfork();
  if (child == 0) {
    usleep(1000 * stall_ms);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  raise_flag();
}

static void note(int signal) { (void)signal; }
static void set_alarm(void) { ualarm(1000 * (stall_ms < 1000 ? stall_ms : 999), 0); }
static void pauses(void) {
  signal(SIGALRM, note);
  for (const double end = now() + 1e-3 * stall_ms; now() < end;) {
    set_alarm();
    pause();
  }
  raise_flag();
}
static void awaits_a_signal(void) {
  sigset_t alarms;
  int which;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL);
  alarm((stall_ms + 999) / 1000);
  sigwait(&alarms, &which);
  raise_flag();
}
static void continue_parent(void) { kill(getppid(), SIGCONT); }
static void stops(void) {
  later(continue_parent);
  raise(SIGSTOP);
  raise_flag();
}

static void* thread_that(void* act) {
  void (*call)(void);
  memcpy(&call, act, sizeof call);
  call();
  return NULL;
}
static void joins(void (*act)(void)) {
  pthread_t thread;
  pthread_create(&thread, NULL, thread_that, &act);
  pthread_join(thread, NULL);
}
static void joins_a_sleeper(void) { joins(sleeps); }
static void joins_a_computation(void) { joins(computes); }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* lock_and_raise(void* unused) {
  pthread_mutex_lock(&mutex);
  raise_flag();
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void holds_a_mutex(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, lock_and_raise, NULL);
  pthread_detach(thread);
  stall();
  pthread_mutex_unlock(&mutex);
}

const struct pattern of_the_first_thread[] = {
    {"sleeps", .first = sleeps},
    {"sleeps-often", .first = sleeps_often},
    {"computes", .first = computes},
    {"writes-a-file", .first = writes_a_file},
    {"reads-stdin", .first = reads_stdin},
    {"reads-a-socket", .first = reads_a_socket},
    {"opens-a-fifo", .first = opens_a_fifo},
    {"locks-a-file", .first = locks_a_file},
    {"receives-a-message", .first = receives_a_message},
    {"awaits-a-child", .first = awaits_a_child},
    {"calls-the-shell", .first = calls_the_shell},
    {"reads-a-command", .first = reads_a_command},
    {"lends-its-memory", .first = lends_its_memory},
    {"pauses", .first = pauses},
    {"awaits-a-signal", .first = awaits_a_signal},
    {"stops", .first = stops},
    {"joins-a-sleeper", .first = joins_a_sleeper},
    {"joins-a-computation", .first = joins_a_computation},
    {"holds-a-mutex", .first = holds_a_mutex},
    {0},
};
