#include "page.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bench_page* page;
int bench_me, bench_pes;
bool bench_oversubscribed;
static uint64_t rounds;

void page_open(const char* path, int me, int pes, int cpus) {
  bench_me = me;
  bench_pes = pes;
  bench_oversubscribed = pes > cpus;
  const int fd = open(path, O_RDWR);
  struct stat info;
  if (pes > page_max_pes || fd < 0 || fstat(fd, &info) != 0 ||
      info.st_size < (off_t)sizeof(bench_page)) {
    fprintf(stderr, "bench: %d processes cannot share %s (at most %d; %zu zero bytes expected)\n",
            pes, path, (int)page_max_pes, sizeof(bench_page));
    exit(2);
  }
  page = mmap(NULL, sizeof(bench_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (page == MAP_FAILED) {
    perror("bench: mmap of the shared page");
    exit(2);
  }
}

void page_sleep(void) {
  static const struct timespec nap = {0, 20000};
  nanosleep(&nap, NULL);
}

void page_barrier(void (*pastime)(void)) {
  const uint64_t round = ++rounds;
  if (page_add(&page->arrived, 1) + 1 == round * (uint64_t)bench_pes)
    page_set(&page->released, round);
  while (page_get(&page->released) < round) {
    if (pastime != NULL) pastime();
    if (bench_oversubscribed)
      sched_yield();
    else
      __builtin_ia32_pause();
  }
}
