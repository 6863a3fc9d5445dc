/* The rate of small operations towards another node: non-blocking puts and gets and atomic additions of 8 bytes, by one
 * or several threads of PE 0. Over tests/nodes/fabric_null the network takes no time, so the rate is the library's own
 * limit, or it has the rate of a card (FABRIC_NULL=nodata,rate=10). Each batch of the library stands beside a batch of
 * bare calls of the same provider, by an endpoint of this program. Both end when all operations are complete. Prints a
 * line of JSON for each batch.
 *
 *   LD_LIBRARY_PATH=build/release/tests/nodes/fabric_null FABRIC_NULL=nodata OSHEN_TRANSPORT=ofi:null \
 *     OSHEN_ATOMICS=card oshrun -n 2 --nodes 2 bench-far-rate THREADS
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { most_threads = 16, per_line = 8, operations = 20000, batches = 15, target = 1 };

static int n_threads;
static long *heap, *bare_heap;               // a cache line for each thread
static long local[most_threads * per_line];  // the source or result of each thread
static long over;                            // PE 0 has ended

/* ---- the bare provider --------------------------------------------------------------------------------------- */

static struct fid_ep* endpoint;
static struct fid_cntr *writes, *reads;
static fi_addr_t self;
static uint64_t key, n_writes, n_reads;

static void must(long code, const char* what) {
  if (code >= 0) return;
  fprintf(stderr, "far_rate: %s: error %ld\n", what, -code);
  shmem_global_exit(1);
}

static void* routine(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen("libfabric.so.1", RTLD_NOW);
  void* found = library != NULL ? dlsym(library, name) : NULL;
  if (found == NULL) must(-1, dlerror());
  return found;
}

static long* shared_pages(size_t bytes) {
  const int file = memfd_create("far_rate", 0);
  if (file < 0 || ftruncate(file, (off_t)bytes) != 0) must(-1, "memfd_create");
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static struct fid_cntr* bound_counter(struct fid_domain* domain, uint64_t flag) {
  struct fi_cntr_attr wanted = {.events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_NONE};
  struct fid_cntr* counter = NULL;
  must(fi_cntr_open(domain, &wanted, &counter, NULL), "fi_cntr_open");
  must(fi_ep_bind(endpoint, &counter->fid, flag), "fi_ep_bind");
  return counter;
}

typedef int find_offers(uint32_t, const char*, const char*, uint64_t, const struct fi_info*, struct fi_info**);
typedef int fabric_opener(struct fi_fabric_attr*, struct fid_fabric**, void*);

/* An endpoint that writes to memory of this process. The provider moves bytes in the same way towards others. */
static void open_bare(void) {
  find_offers* const getinfo = (find_offers*)routine("fi_getinfo");
  fabric_opener* const open_fabric = (fabric_opener*)routine("fi_fabric");
  struct fi_info* info = NULL;
  struct fid_fabric* fabric;
  struct fid_domain* domain;
  struct fid_av* names;
  struct fid_cq* queue;
  struct fid_mr* region;
  must(getinfo(FI_VERSION(1, 14), NULL, NULL, 0, NULL, &info), "fi_getinfo");
  if (strcmp(info->fabric_attr->prov_name, "null") != 0) must(-1, "no provider null in LD_LIBRARY_PATH");
  struct fi_cq_attr of_queue = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_NONE};
  struct fi_av_attr of_names = {.type = FI_AV_TABLE};
  must(open_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
  must(fi_domain(fabric, info, &domain, NULL), "fi_domain");
  must(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
  must(fi_cq_open(domain, &of_queue, &queue, NULL), "fi_cq_open");
  must(fi_av_open(domain, &of_names, &names, NULL), "fi_av_open");
  must(fi_ep_bind(endpoint, &names->fid, 0), "fi_ep_bind");
  must(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_SELECTIVE_COMPLETION), "fi_ep_bind");
  writes = bound_counter(domain, FI_WRITE);
  reads = bound_counter(domain, FI_READ);
  must(fi_enable(endpoint), "fi_enable");
  const size_t bytes = 4096;
  bare_heap = shared_pages(bytes);
  must(fi_mr_reg(domain, bare_heap, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 0, 0, &region, NULL), "fi_mr_reg");
  key = fi_mr_key(region);
  char name[256];
  size_t length = sizeof name;
  must(fi_getname(&endpoint->fid, name, &length), "fi_getname");
  if (fi_av_insert(names, name, 1, &self, 0, NULL) != 1) must(-1, "fi_av_insert");
}

/* ---- the loops ----------------------------------------------------------------------------------------------- */

static void put_by_shmem(int t) {
  for (long i = 0; i < operations; i++) shmem_long_put_nbi(heap + t * per_line, local + t * per_line, 1, target);
}
static void get_by_shmem(int t) {
  for (long i = 0; i < operations; i++) shmem_long_get_nbi(local + t * per_line, heap + t * per_line, 1, target);
}
static void add_by_shmem(int t) {
  for (long i = 0; i < operations; i++) shmem_long_atomic_add(heap + t * per_line, 1, target);
}
static void quiet_by_shmem(void) { shmem_quiet(); }

static void put_bare(int t) {
  const uint64_t at = (uint64_t)t * per_line * sizeof(long);
  for (long i = 0; i < operations; i++)
    while (fi_inject_write(endpoint, local + t * per_line, sizeof(long), self, at, key) == -FI_EAGAIN) continue;
}
static void get_bare(int t) {
  const uint64_t at = (uint64_t)t * per_line * sizeof(long);
  for (long i = 0; i < operations; i++)
    while (fi_read(endpoint, local + t * per_line, sizeof(long), NULL, self, at, key, NULL) == -FI_EAGAIN) continue;
}
static void add_bare(int t) {
  const uint64_t at = (uint64_t)t * per_line * sizeof(long);
  static const uint64_t one = 1;
  for (long i = 0; i < operations; i++)
    while (fi_inject_atomic(endpoint, &one, 1, self, at, key, FI_UINT64, FI_SUM) == -FI_EAGAIN) continue;
}
static void await_writes(void) {
  n_writes += (uint64_t)n_threads * operations;
  while (fi_cntr_read(writes) != n_writes) continue;
}
static void await_reads(void) {
  n_reads += (uint64_t)n_threads * operations;
  while (fi_cntr_read(reads) != n_reads) continue;
}

typedef void part(int thread);
typedef struct {
  part* issue;
  void (*complete)(void);
} loop;

static const struct {
  const char* name;
  loop ours, bare;
} cases[] = {
    {"far_put_nbi", {put_by_shmem, quiet_by_shmem}, {put_bare, await_writes}},
    {"far_get_nbi", {get_by_shmem, quiet_by_shmem}, {get_bare, await_reads}},
    {"far_add", {add_by_shmem, quiet_by_shmem}, {add_bare, await_writes}},
};
enum { n_cases = sizeof cases / sizeof cases[0] };

/* ---- threads ------------------------------------------------------------------------------------------------- */

static pthread_barrier_t begins, ends;
static part* next_part;  // null: the threads end

static void* follow(void* number) {
  for (;;) {
    pthread_barrier_wait(&begins);
    if (next_part == NULL) return NULL;
    next_part((int)(intptr_t)number);
    pthread_barrier_wait(&ends);
  }
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The time of an operation. */
static double batch(loop l) {
  next_part = l.issue;
  if (n_threads > 1) pthread_barrier_wait(&begins);
  const double began = now_ns();
  l.issue(0);
  if (n_threads > 1) pthread_barrier_wait(&ends);
  l.complete();
  return (now_ns() - began) / ((double)n_threads * operations);
}

/* ---- results ------------------------------------------------------------------------------------------------- */

static long expected[2][most_threads];  // of the library's targets and the bare ones

/* A put brings the number of its batch, a get takes what is there, and additions are counted. */
static void prepare(int of, int number) {
  for (int t = 0; t < n_threads; t++) {
    local[t * per_line] = of == 1 ? -1 : 1000000000L + number;
    for (int b = 0; b < 2; b++) {
      if (of == 0) expected[b][t] = local[t * per_line];
      if (of == 2) expected[b][t] += operations;
    }
  }
}
static int is_right(int of, int is_bare) {
  int right = 1;
  for (int t = 0; t < n_threads; t++) {
    const long there = is_bare ? bare_heap[t * per_line] : shmem_long_g(heap + t * per_line, target);
    right &= there == expected[is_bare][t] && (of != 1 || local[t * per_line] == there);
  }
  return right;
}

static void measure(int of, int number) {
  prepare(of, number);
  const double ours = batch(cases[of].ours);
  const int ours_right = is_right(of, 0);
  if (of == 1) memset(local, -1, sizeof local);
  const double bare = batch(cases[of].bare);
  const int right = ours_right & is_right(of, 1);
  if (number == 0) return;  // connects, and warms up
  printf("{\"case\": \"%s\", \"threads\": %d, \"ns\": %.3f, \"bare_ns\": %.3f, \"ok\": %s}\n", cases[of].name,
         n_threads, ours, bare, right ? "true" : "false");
}

static void run(void) {
  pthread_t threads[most_threads];
  open_bare();
  pthread_barrier_init(&begins, NULL, (unsigned)n_threads);
  pthread_barrier_init(&ends, NULL, (unsigned)n_threads);
  for (int t = 1; t < n_threads; t++) pthread_create(&threads[t], NULL, follow, (void*)(intptr_t)t);
  for (int number = 0; number <= batches; number++)
    for (int of = 0; of < n_cases; of++) measure(of, number);
  next_part = NULL;
  if (n_threads > 1) pthread_barrier_wait(&begins);
  for (int t = 1; t < n_threads; t++) pthread_join(threads[t], NULL);
}

int main(int argc, char** argv) {
  n_threads = argc == 2 ? atoi(argv[1]) : 0;
  if (n_threads < 1 || n_threads > most_threads) {
    fprintf(stderr, "usage: oshrun -n 2 --nodes 2 bench-far-rate THREADS (1 to %d)\n", most_threads);
    return 2;
  }
  const int wanted = n_threads > 1 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE;
  int provided = -1;
  if (shmem_init_thread(wanted, &provided) != 0 || provided < wanted || shmem_n_pes() != 2) {
    fprintf(stderr, "far_rate: expected 2 PEs and the thread level %d\n", wanted);
    shmem_global_exit(2);
  }
  heap = shmem_calloc(most_threads * per_line, sizeof *heap);
  if (shmem_my_pe() == 0) {
    run();
    shmem_long_p(&over, 1, target);
  }
  while (shmem_my_pe() == target && *(volatile long*)&over == 0) usleep(1000); /* it leaves the CPU to PE 0 */
  shmem_finalize();
  return 0;
}
