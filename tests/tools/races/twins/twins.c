// Pairs of C programs: each case races, and is right in the form `right`. The line above a case has its name, the
// object and what the report asks for. The lines that race end with the comment `races`.
//
// usage: twins NAME wrong|right     on 3 PEs
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { n = 64 };
static long data[n], source[n], flag, object;
static volatile long sum;
static int me, last;
static bool right;

static void use(long value) {
  volatile long mine = value;
  (void)mine;
}

static void fill(long value) {
  for (int i = 0; i < n; ++i) source[i] = value;
}

// ---- a buffer of an operation in flight, which the thread has used before

// case refill: source[*]: PE 0 needs a quiet between them
static void refill(void) {
  if (me != 0) return;
  for (int i = 0; i < n; ++i) source[i] = i;
  shmem_long_put_nbi(data, source, n, last);  // races
  if (right) shmem_quiet();
  for (int i = 0; i < n; ++i) source[i] = -i;  // races
  shmem_quiet();
}

// case refill_in_loop: source[*]: PE 0 needs a quiet between them
static void refill_in_loop(void) {
  if (me != 0) return;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i) source[i] = round;  // races
    shmem_long_put_nbi(data, source, n, last);      // races
    if (right) shmem_quiet();
  }
  shmem_quiet();
}

// case refill_with_signal: source[*]: PE 0 needs a quiet between them
static void refill_with_signal(void) {
  static uint64_t arrived;
  if (me != 0) return;
  fill(1);
  shmem_long_put_signal_nbi(data, source, n, &arrived, 1, SHMEM_SIGNAL_SET, last);  // races
  if (right) shmem_quiet();
  source[5] = 2;  // races
  shmem_quiet();
}

// case refill_on_context: source[*]: PE 0 needs a quiet of its context between them
static void refill_on_context(void) {
  shmem_ctx_t ctx;
  shmem_ctx_create(0, &ctx);
  if (me == 0) {
    source[3] = 1;
    shmem_ctx_long_put_nbi(ctx, data, source, n, last);  // races
    if (right) shmem_ctx_quiet(ctx);
    source[3] = 2;  // races
  }
  shmem_ctx_destroy(ctx);
}

// case reread_dest: data[*]: PE 0 needs a quiet between them
static void reread_dest(void) {
  if (me != 0) return;
  for (int i = 0; i < n; ++i) sum += data[i];
  shmem_long_get_nbi(data, source, n, last);  // races
  if (right) shmem_quiet();
  for (int i = 0; i < n; ++i) sum += data[i];  // races
  shmem_quiet();
}

// case rewrite_dest: data[*]: PE 0 needs a quiet between them
static void rewrite_dest(void) {
  if (me != 0) return;
  for (int i = 0; i < n; ++i) data[i] = i;
  shmem_long_get_nbi(data, source, n, last);  // races
  if (right) shmem_quiet();
  for (int i = 0; i < n; ++i) data[i] = -1;  // races
  shmem_quiet();
}

// case reuse_result: source[3]: PE 0 needs a quiet between them
static void reuse_result(void) {
  if (me != 0) return;
  fill(0);
  shmem_long_atomic_fetch_add_nbi(&source[3], &object, 1, last);  // races
  if (right) shmem_quiet();
  source[3] = 7;  // races
  shmem_quiet();
}

// ---- private memory, which the threads of a PE share

// case get_and_load threads: private memory of PE *: the threads need a lock or a barrier
static void get_and_load(void) {
  long local = 1;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) shmem_long_get(&local, &object, 1, last);  // races
    if (right) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) use(local);  // races
  }
}

// case get_nbi_and_store threads: private memory of PE *: the threads need a lock or a barrier
static void get_nbi_and_store(void) {
  long local = 1;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      shmem_long_get_nbi(&local, &object, 1, last);  // races
      shmem_quiet();
    }
    if (right) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) local = 3;  // races
  }
}

// case put_and_store threads: private memory of PE *: the threads need a lock or a barrier
static void put_and_store(void) {
  long* const block = calloc(n, sizeof *block);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0 && me == 0) shmem_long_put(data, block, n, last);  // races
    if (right) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) block[7] = 3;  // races
  }
  free(block);
}

// case single_nowait threads: private memory of PE *: the threads need a lock or a barrier
static void single_nowait(void) {
  long local = 1;
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    shmem_long_get(&local, &object, 1, last);  // races
    if (right) {
#pragma omp barrier
    }
    use(local);  // races
  }
}

// case static_loop threads: private memory of PE *: the threads need a lock or a barrier
static void static_loop(void) {
  long local[2] = {1, 2};
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int i = 0; i < 2; ++i) {
    if (i == 0) shmem_long_get(local, &object, 1, last);  // races
    if (i == 1) use(local[right ? 1 : 0]);                // races
  }
}

static void* get_into(void* dest) {
  shmem_long_get(dest, &object, 1, last);  // races
  return NULL;
}

// case thread_gets threads: private memory of PE *: the threads need a lock or a barrier
static void thread_gets(void) {
  pthread_t thread;
  long local = 1;
  pthread_create(&thread, NULL, get_into, &local);  // the thread: get_into
  if (right) pthread_join(thread, NULL);
  use(local);  // races
  if (!right) pthread_join(thread, NULL);
}

// Threads that take turns with one block, and a block of each thread at an address that another one had.
static void* put_block(void* mutex) {
  for (int i = 0; i < 3; ++i) {
    long* const block = malloc(n * sizeof *block);
    if (right) pthread_mutex_lock(mutex);
    source[0] = i;  // races
    if (right) pthread_mutex_unlock(mutex);
    for (int k = 0; k < n; ++k) block[k] = k;
    shmem_long_get(block, &object, 1, last);
    free(block);
  }
  return NULL;
}

// case blocks_in_turn threads: source[0]: the threads need a lock or a barrier
static void blocks_in_turn(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, put_block, &mutex);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}

// ---- parts of a region: sections and tasks, whichever thread runs them

static void send_and_tell(void) {
  if (me != 0) return;
  shmem_long_put(data, source, n, last);  // races
  shmem_fence();
  shmem_long_atomic_set(&flag, 1, last);
}

// case sections threads: data[0]: nothing orders them
static void sections(void) {
  send_and_tell();
  if (me != last) return;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
      if (right) use(data[0]);
    }
#pragma omp section
    if (!right) use(data[0]);  // races
  }
}

// case sections_nowait threads: data[0]: nothing orders them
static void sections_nowait(void) {
  send_and_tell();
  if (me != last) return;
#pragma omp parallel num_threads(2)
  {
#pragma omp sections nowait
    {
#pragma omp section
      shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    }
    if (right) {
#pragma omp barrier
    }
    use(data[0]);  // races
  }
}

// case locked_sections threads: data[0]: nothing orders them
static void locked_sections(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  send_and_tell();
  if (me == last) {
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
      {
        omp_set_lock(&lock);
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        omp_unset_lock(&lock);
      }
#pragma omp section
      {
        omp_set_lock(&lock);
        if (!right) use(data[0]);  // races
        omp_unset_lock(&lock);
      }
    }
  }
  omp_destroy_lock(&lock);
}

// Each task adds to the data under a lock. In the wrong form, one reads them without it.
// case critical_tasks threads: source[0]: the threads need a lock or a barrier
static void critical_tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task
    if (right || i != 3) {
#pragma omp critical
      ++source[0];  // races
    } else {
      use(source[0]);  // races
    }
  }
}

// The task that comes last combines what all have done: the count under the lock says so.
// case last_task threads: data[*]: the threads need a lock or a barrier
static void last_task(void) {
  int left = 4;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task shared(left)
    {
      shmem_long_get(&data[i], &object, 1, last);  // races
      bool is_last;
#pragma omp critical
      is_last = --left == 0;
      if (right ? is_last : i == 0)
        for (int k = 0; k < 4; ++k) use(data[k]);  // races
    }
  }
}

// case tasks threads: data[0]: nothing orders them
static void tasks(void) {
  send_and_tell();
  if (me != last) return;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    if (right) {
#pragma omp taskwait
    }
#pragma omp task
    use(data[0]);  // races
  }
}

// case task_and_creator threads: private memory of PE *: the threads need a lock or a barrier
static void task_and_creator(void) {
  long local = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(local)
    shmem_long_get(&local, &object, 1, last);  // races
    if (right) {
#pragma omp taskwait
    }
    use(local);  // races
  }
}

// case undeferred threads: private memory of PE *: the threads need a lock or a barrier
static void undeferred(void) {
  long local = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(local) if (!right)
    shmem_long_get(&local, &object, 1, last);  // races
    use(local);                                // races
  }
}

// case dependences threads: private memory of PE *: the threads need a lock or a barrier
static void dependences(void) {
  long local = 1, other = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    long* const wanted = right ? &local : &other;
#pragma omp task shared(local) depend(out : local)
    shmem_long_get(&local, &object, 1, last);  // races
#pragma omp task shared(local) depend(in : wanted[0])
    use(local);  // races
  }
}

// case group threads: private memory of PE *: the threads need a lock or a barrier
static void group(void) {
  long local = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task shared(local)
      {
#pragma omp task shared(local)
        shmem_long_get(&local, &object, 1, last);  // races
      }
      if (!right) use(local);  // races
    }
    if (right) use(local);
  }
}

// case loop_of_tasks threads: private memory of PE *: the threads need a lock or a barrier
static void loop_of_tasks(void) {
  long local[4] = {0};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(local)
    for (int i = 0; i < 4; ++i) {
      if (i != 3) shmem_long_get(&local[i], &object, 1, last);  // races
      if (i == 3) use(local[right ? 3 : 0]);                    // races
    }
    use(local[0]);
  }
}

// Tasks that one thread runs have their variables in the same place, and a block at an address that another one freed.
// case variables_of_tasks threads: data[0]: the threads need a lock or a barrier
static void variables_of_tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task
    {
      long mine[4] = {i}, *const block = malloc(sizeof mine);
      shmem_long_get(mine, &object, 4, last);
      shmem_long_get(block, &object, 4, last);
      data[right ? i : 0] = mine[0] + block[1];  // races
      free(block);
    }
  }
}

// A buffer for each thread.
// case buffers_of_threads threads: source[0]: the threads need a lock or a barrier
static void buffers_of_threads(void) {
#pragma omp parallel num_threads(2)
  {
    long* const block = malloc(n * sizeof *block);
#pragma omp sections
    {
#pragma omp section
      {
        shmem_long_get(block, &object, 1, last);
        source[0] = block[0];  // races
      }
#pragma omp section
      {
        shmem_long_get(block, &object, 1, last);
        source[right ? 1 : 0] = block[0];  // races
      }
    }
    free(block);
  }
}

// A buffer for each number of a thread.
// case buffers_by_number threads: source[3]: the threads need a lock or a barrier
static void buffers_by_number(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 6; ++i) {
#pragma omp task
    if (right) {
      long* const mine = &data[8 * omp_get_thread_num()];
      shmem_long_get(mine, &object, 1, last);
      mine[0] = 1;
    } else {
      source[3] = i;  // races
    }
  }
}

// case task_without_region threads: source[2]: the threads need a lock or a barrier
static void task_without_region(void) {
#pragma omp task
  shmem_long_get(&source[2], &object, 1, last);  // races
  if (right) {
#pragma omp taskwait
  }
  source[2] = 1;  // races
#pragma omp taskwait
}

// ---- atomics that are not atomic with each other

// case int_and_long: object[0]: atomics of different types are not atomic with each other (OpenSHMEM, Memory Model
static void int_and_long(void) {
  if (me == 0) shmem_long_atomic_add(&object, 1, last);  // races
  if (me == 1 && right) shmem_long_atomic_add(&object, 1, last);
  if (me == 1 && !right) shmem_int_atomic_add((int*)&object, 1, last);  // races
}

// case int_and_float: object[0]: atomics of different types are not atomic with each other
static void int_and_float(void) {
  if (me == 0) shmem_float_atomic_set((float*)&object, 1, last);  // races
  if (me == 1 && right) shmem_float_atomic_set((float*)&object, 2, last);
  if (me == 1 && !right) shmem_int_atomic_set((int*)&object, 1, last);  // races
}

// case long_and_double: object: atomics of different types are not atomic with each other
static void long_and_double(void) {
  if (me == 0) use(shmem_long_atomic_fetch(&object, last));  // races
  if (me == 1 && right) shmem_long_atomic_set(&object, 1, last);
  if (me == 1 && !right) shmem_double_atomic_set((double*)&object, 1, last);  // races
}

// case swaps: object[1]: atomics of different types are not atomic with each other
static void swaps(void) {
  int* const half = (int*)&object + 1;
  if (me == 0) use(shmem_int_atomic_compare_swap(half, 0, 1, last));  // races
  if (me == 1 && right) use(shmem_int_atomic_swap(half, 1, last));
  if (me == 1 && !right) use(shmem_long_atomic_swap(&object, 1, last));  // races
}

// case wait_for_long: flag[0]: atomics of different types are not atomic with each other
static void wait_for_long(void) {
  if (me == 0 && right) shmem_long_atomic_set(&flag, 1, last);
  if (me == 0 && !right) shmem_int_atomic_set((int*)&flag, 1, last);  // races
  if (me == last) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);      // races
}

// case other_team: object: contexts of different teams, are not atomic with each other
static void other_team(void) {
  shmem_ctx_t ctx;
  const int peer = shmem_team_translate_pe(SHMEM_TEAM_WORLD, me, SHMEM_TEAM_SHARED);
  shmem_team_create_ctx(right ? SHMEM_TEAM_WORLD : SHMEM_TEAM_SHARED, 0, &ctx);
  shmem_ctx_long_atomic_add(ctx, &object, 1, right ? me : peer);  // races
  shmem_long_atomic_add(&object, 1, (me + 1) % (last + 1));       // races
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  shmem_ctx_destroy(ctx);
}

// case split_team: object: contexts of different teams, are not atomic with each other
static void split_team(void) {
  shmem_team_t team;
  shmem_ctx_t ctx;
  const shmem_team_t from = right ? SHMEM_TEAM_WORLD : SHMEM_TEAM_SHARED;
  shmem_team_split_strided(from, 0, 1, shmem_team_n_pes(from), NULL, 0, &team);
  shmem_team_create_ctx(team, 0, &ctx);
  shmem_ctx_long_atomic_inc(ctx, &object, shmem_team_my_pe(team));  // races
  shmem_long_atomic_inc(&object, (me + 1) % (last + 1));            // races
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(team);
}

// ---- a fence or quiet of one thread, and another thread that tells

typedef void (*tell_by)(void);
static void set_flag(void) { shmem_long_atomic_set(&flag, 1, last); }
static void add_flag(void) { shmem_long_atomic_add(&flag, 1, last); }
static void put_flag(void) { shmem_long_p(&flag, 1, last); }
static void set_signal(void) { shmem_signal_set((uint64_t*)&flag, 1, last); }
static void send_signal(void) { shmem_long_put_signal(source, source, 1, (uint64_t*)&flag, 1, SHMEM_SIGNAL_SET, last); }

static void put_and_complete(void (*complete)(void), tell_by tell) {
  if (me == 0) {
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
        shmem_long_put(data, source, n, last);  // races
        complete();
      }
      if (right) {
#pragma omp barrier
      }
      if (omp_get_thread_num() == 1) {
        if (!right) usleep(100000);  // so that it works
        tell();
      }
    }
  }
  if (me == last) {
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    use(data[5]);  // races
  }
}

// case fence_and_set threads: data[5]: PE 0 needs to synchronise its threads|nothing orders them
static void fence_and_set(void) { put_and_complete(shmem_fence, set_flag); }
// case quiet_and_set threads: data[5]: PE 0 needs to synchronise its threads|nothing orders them
static void quiet_and_set(void) { put_and_complete(shmem_quiet, set_flag); }
// case quiet_and_add threads: data[5]: PE 0 needs to synchronise its threads|nothing orders them
static void quiet_and_add(void) { put_and_complete(shmem_quiet, add_flag); }
// case quiet_and_put threads: data[5]: PE 0 needs to synchronise its threads|nothing orders them
static void quiet_and_put(void) { put_and_complete(shmem_quiet, put_flag); }
// case fence_and_signal threads: data[5]: PE 0 needs to synchronise its threads|nothing orders them
static void fence_and_signal(void) { put_and_complete(shmem_fence, set_signal); }
// case fence_and_data threads: data[5]: PE 0 needs to synchronise its threads|nothing orders them
static void fence_and_data(void) { put_and_complete(shmem_fence, send_signal); }

static void complete_nothing(void) {}
static void complete_and_set(void) {
  shmem_quiet();
  set_flag();
}
// case other_completes threads: data[5]: PE 0 needs to synchronise its threads|nothing orders them
static void other_completes(void) { put_and_complete(complete_nothing, complete_and_set); }

// A quiet of another thread, which does not know of the put.
// case quiet_of_other threads: source[1]: PE 0 needs|nothing orders them
static void quiet_of_other(void) {
  if (me != 0) return;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) shmem_long_put_nbi(data, source, n, last);  // races
    if (right) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) shmem_quiet();
    if (right) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 0) source[1] = 1;  // races
  }
}

// ---- functions of the C library that access symmetric memory

static char text[n] = "7 words of text", words[n] = "words";
static int order(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }

static void begin_put(void) {
  memset(text + 20, 'x', 8);
  shmem_putmem_nbi(words, text, n, last);  // races
  if (right) shmem_quiet();
}
static void begin_get(void) {
  shmem_getmem_nbi(text, words, n, last);  // races
  if (right) shmem_quiet();
}
static void end_transfer(void) { shmem_quiet(); }
static FILE* scratch(void) {
  FILE* const file = tmpfile();
  fputs("one line\n", file);
  rewind(file);
  return file;
}
#define WRITES(...)      \
  do {                   \
    if (me != 0) return; \
    begin_put();         \
    __VA_ARGS__;         \
    end_transfer();      \
  } while (0)
#define READS(...)       \
  do {                   \
    if (me != 0) return; \
    begin_get();         \
    __VA_ARGS__;         \
    end_transfer();      \
  } while (0)

// case sort: text[*]: PE 0 needs a quiet between them
static void sort(void) { WRITES(qsort(text, n, 1, order)); }  // races
// case copy_string: text[*]: PE 0 needs a quiet between them
static void copy_string(void) { WRITES(strcpy(text, "other")); }  // races
// case copy_bounded: text[*]: PE 0 needs a quiet between them
static void copy_bounded(void) { WRITES(strncpy(text, "other", n)); }  // races
// case append_string: text[*]: PE 0 needs a quiet between them
static void append_string(void) { WRITES(strcat(text, "other")); }  // races
// case print_string: text[*]: PE 0 needs a quiet between them
static void print_string(void) { WRITES(snprintf(text, n, "%d", me)); }  // races
// case copy_bytes: text[*]: PE 0 needs a quiet between them
static void copy_bytes(void) { WRITES(bcopy("other", text, 6)); }  // races
// case read_block: text[*]: PE 0 needs a quiet between them
static void read_block(void) {
  FILE* const file = scratch();
  WRITES(if (fread(text, 1, 4, file) != 4) puts("wrong"));  // races
  fclose(file);
}
// case read_line: text[*]: PE 0 needs a quiet between them
static void read_line(void) {
  FILE* const file = scratch();
  WRITES(if (fgets(text, n, file) == NULL) puts("wrong"));  // races
  fclose(file);
}
// case read_file: text[*]: PE 0 needs a quiet between them
static void read_file(void) {
  const int file = open("/dev/zero", O_RDONLY);
  WRITES(if (read(file, text, 4) != 4) puts("wrong"));  // races
  close(file);
}
// case write_block: text[*]: PE 0 needs a quiet between them
static void write_block(void) {
  FILE* const file = fopen("/dev/null", "w");
  READS(fwrite(text, 1, n, file));  // races
  fclose(file);
}
// case write_file: text[*]: PE 0 needs a quiet between them
static void write_file(void) {
  const int file = open("/dev/null", O_WRONLY);
  READS(if (write(file, text, n) != n) puts("wrong"));  // races
  close(file);
}
// case measure: text[*]: PE 0 needs a quiet between them
static void measure(void) { READS(use((long)strlen(text))); }  // races
// case compare: text[*]: PE 0 needs a quiet between them
static void compare(void) { READS(use(strcmp(text, "7 words"))); }  // races
// case compare_bytes: text[*]: PE 0 needs a quiet between them
static void compare_bytes(void) { READS(use(memcmp(text, "7 words", 7))); }  // races
// case find: text[*]: PE 0 needs a quiet between them
static void find(void) { READS(use(strstr(text, "of") != NULL)); }  // races
// case number: text[*]: PE 0 needs a quiet between them
static void number(void) { READS(use(strtol(text, NULL, 10))); }  // races

// ---- locks and waits with a clock

static pthread_rwlock_t* rwlock;
static sem_t* semaphore;
static struct timespec in_a_minute(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += 60;
  return at;
}

static void* add_in_lock(void* nothing) {
  const struct timespec until = in_a_minute();
  if (right) pthread_rwlock_clockwrlock(rwlock, CLOCK_MONOTONIC, &until);
  ++object;  // races
  if (right) pthread_rwlock_unlock(rwlock);
  return nothing;
}
// case clock_lock threads: object: the threads need a lock or a barrier
static void clock_lock(void) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_t threads[2];
  rwlock = &lock;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add_in_lock, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

static void* post_object(void* nothing) {
  object = 1;  // races
  sem_post(semaphore);
  return nothing;
}
// case clock_wait threads: object: the threads need a lock or a barrier
static void clock_wait(void) {
  sem_t posts;
  pthread_t thread;
  sem_init(&posts, 0, 0);
  semaphore = &posts;
  const struct timespec until = in_a_minute();
  pthread_create(&thread, NULL, post_object, NULL);
  if (right) sem_clockwait(semaphore, CLOCK_MONOTONIC, &until);
  use(object);  // races
  pthread_join(thread, NULL);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"refill", refill},
    {"refill_in_loop", refill_in_loop},
    {"refill_with_signal", refill_with_signal},
    {"refill_on_context", refill_on_context},
    {"reread_dest", reread_dest},
    {"rewrite_dest", rewrite_dest},
    {"reuse_result", reuse_result},
    {"get_and_load", get_and_load},
    {"get_nbi_and_store", get_nbi_and_store},
    {"put_and_store", put_and_store},
    {"single_nowait", single_nowait},
    {"static_loop", static_loop},
    {"thread_gets", thread_gets},
    {"blocks_in_turn", blocks_in_turn},
    {"sections", sections},
    {"sections_nowait", sections_nowait},
    {"locked_sections", locked_sections},
    {"critical_tasks", critical_tasks},
    {"last_task", last_task},
    {"tasks", tasks},
    {"task_and_creator", task_and_creator},
    {"undeferred", undeferred},
    {"dependences", dependences},
    {"group", group},
    {"loop_of_tasks", loop_of_tasks},
    {"variables_of_tasks", variables_of_tasks},
    {"buffers_of_threads", buffers_of_threads},
    {"buffers_by_number", buffers_by_number},
    {"task_without_region", task_without_region},
    {"int_and_long", int_and_long},
    {"int_and_float", int_and_float},
    {"long_and_double", long_and_double},
    {"swaps", swaps},
    {"wait_for_long", wait_for_long},
    {"other_team", other_team},
    {"split_team", split_team},
    {"fence_and_set", fence_and_set},
    {"quiet_and_set", quiet_and_set},
    {"quiet_and_add", quiet_and_add},
    {"quiet_and_put", quiet_and_put},
    {"fence_and_signal", fence_and_signal},
    {"fence_and_data", fence_and_data},
    {"other_completes", other_completes},
    {"quiet_of_other", quiet_of_other},
    {"sort", sort},
    {"copy_string", copy_string},
    {"copy_bounded", copy_bounded},
    {"append_string", append_string},
    {"print_string", print_string},
    {"copy_bytes", copy_bytes},
    {"read_block", read_block},
    {"read_line", read_line},
    {"read_file", read_file},
    {"write_block", write_block},
    {"write_file", write_file},
    {"measure", measure},
    {"compare", compare},
    {"compare_bytes", compare_bytes},
    {"find", find},
    {"number", number},
    {"clock_lock", clock_lock},
    {"clock_wait", clock_wait},
};

int main(int argc, char** argv) {
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  me = shmem_my_pe();
  last = shmem_n_pes() - 1;
  right = argc == 3 && strcmp(argv[2], "right") == 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 3 && strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
  shmem_barrier_all();
  if (me == 0) puts("done");
  shmem_finalize();
  return 0;
}
