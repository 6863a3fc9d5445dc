#include "page.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bench_page* page;
int bench_me, bench_pes;
bool bench_oversubscribed, page_apart, page_one_clock;
hosts_map page_map;
void (*page_also_meet)(void) = NULL;
static uint64_t rounds;

static void map_file(const char* path, int pes) {
  const int fd = open(path, O_RDWR);
  struct stat info;
  if (pes > page_max_pes || fd < 0 || fstat(fd, &info) != 0 || info.st_size < (off_t)sizeof(bench_page)) {
    fprintf(stderr, "bench: %d processes cannot share %s (at most %d; %zu zero bytes expected)\n", pes, path,
            (int)page_max_pes, sizeof(bench_page));
    exit(2);
  }
  page = mmap(NULL, sizeof(bench_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (page == MAP_FAILED) {
    perror("bench: mmap of the shared page");
    exit(2);
  }
}

static void map_hosts(int me, int pes, hosts_tell* tell) {
  page = mmap(NULL, sizeof(bench_page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED || tell == NULL) {
    fprintf(stderr, "bench: --page hosts: %s\n", tell == NULL ? "this program has one host" : "no memory");
    exit(2);
  }
  if (pes == 1) return;
  page_map = hosts_open(me, pes, page, sizeof(bench_page), tell);
  page_apart = true;
}

void page_open(const char* path, int me, int pes, int cpus, hosts_tell* tell) {
  bench_me = me;
  bench_pes = pes;
  page_map = (hosts_map){me, pes, 1};
  if (strcmp(path, "hosts") == 0)
    map_hosts(me, pes, tell);
  else
    map_file(path, pes);
  page_one_clock = page_map.machines == 1;
  bench_oversubscribed = page_map.most_local > cpus;
}

void page_deliver_stamps(long count) {
  if (page_apart) hosts_deliver(page->stamps[bench_me], (size_t)count * sizeof(page_stamp));
}

void page_sleep(void) {
  static const struct timespec nap = {0, 20000};
  nanosleep(&nap, NULL);
}

static void meet(void (*pastime)(void)) {
  if (page_apart) {
    hosts_barrier(pastime, pastime == page_sleep);
    return;
  }
  const uint64_t round = ++rounds;
  if (page_add(&page->arrived, 1) + 1 == round * (uint64_t)bench_pes) page_set(&page->released, round);
  while (page_get(&page->released) < round) {
    if (pastime != NULL) pastime();
    if (bench_oversubscribed)
      sched_yield();
    else
      spin_pause();
  }
}

void page_barrier(void (*pastime)(void)) {
  meet(pastime);
  if (page_also_meet != NULL) page_also_meet();
}
