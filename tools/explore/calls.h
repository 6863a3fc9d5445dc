/* What the generated routines of OpenSHMEM (generate.py) call. Each argument `call` names the routine and the place in
 * the program that called it. */
#ifndef EXPLORE_CALLS_H
#define EXPLORE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct explore_call {
  const char* routine; /* NULL: a load or store */
  const void* place;   /* return address */
};

/* A routine that is not modelled. It prints its name and ends the search. */
__attribute__((noreturn)) void explore_not_modelled(struct explore_call call);

/* Start, end and numbers. */
void explore_init(struct explore_call call);
int explore_init_thread(struct explore_call call, int requested, int* provided);
void explore_finalize(struct explore_call call);
__attribute__((noreturn)) void explore_global_exit(struct explore_call call, int status);
int explore_my_pe(void);
int explore_n_pes(void);
int explore_is_initialised(void);
int explore_thread_level(void);
int explore_is_symmetric(const void* address);

/* Blocks of `bytes` bytes; the strides are the distances between their starts, in bytes. */
struct explore_shape {
  size_t bytes, blocks;
  ptrdiff_t to_stride, from_stride;
};
void explore_put(struct explore_call call, void* ctx, void* dest, const void* source, struct explore_shape shape,
                 int pe, int late);
void explore_get(struct explore_call call, void* ctx, void* dest, const void* source, struct explore_shape shape,
                 int pe, int late);
void explore_put_signal(struct explore_call call, void* ctx, void* dest, const void* source, struct explore_shape shape,
                        uint64_t* signal_address, uint64_t signal, int signal_op, int pe, int late);

/* An atomic operation: apply(object, operand) with the operand value, or {value, condition}. NULL: it only reads. */
typedef void (*explore_apply)(void* object, const void* operand);
struct explore_update {
  size_t bytes;
  explore_apply apply;
  const void* operand;
  size_t operand_bytes;
  int commutes; /* two of them may change places if both have this number and it is not 0 */
};
/* fetch: where the old value goes, or NULL. late: the value is there after a quiet. */
void explore_atomic(struct explore_call call, void* ctx, void* object, struct explore_update what, void* fetch, int pe,
                    int late);

void explore_fence(struct explore_call call, void* ctx);
void explore_quiet(struct explore_call call, void* ctx, const int* pes, size_t n);

/* Waits and tests on n objects. holds(object, cmp, value) is generated for each type. */
enum explore_which { explore_one, explore_all, explore_any, explore_some };
struct explore_condition {
  int (*holds)(const void* object, int cmp, const void* value);
  size_t bytes;
  const void* objects;
  size_t n;
  const int* status; /* non-zero: leave the object out; may be NULL */
  int cmp;
  const void* values;
  size_t value_stride; /* 0: one value for all objects */
  int which;
  size_t* indices; /* explore_some: where the numbers of the objects go */
};
/* Number of the object (any), count of objects (some), 1 or 0 (one and all). */
size_t explore_wait(struct explore_call call, const struct explore_condition* condition);
size_t explore_test(struct explore_call call, const struct explore_condition* condition);
uint64_t explore_read_word(struct explore_call call, const uint64_t* word);

/* Groups of PEs: a team, or an active set. */
struct explore_group {
  void* team; /* NULL: the active set */
  int start, log_stride, size;
  const void* sync; /* of an active set: threads may be in several of its collectives at once */
};
enum explore_meeting {
  explore_sync,
  explore_broadcast,
  explore_collect,
  explore_fcollect,
  explore_alltoall,
  explore_reduce,
  explore_inscan,
  explore_exscan
};
/* combine(result, element, n): for reductions and scans. */
typedef void (*explore_combine)(void* result, const void* elements, size_t n);
struct explore_collective {
  enum explore_meeting what;
  struct explore_group group;
  void* dest;
  const void* source;
  size_t width, n;                      /* bytes of an element, elements */
  ptrdiff_t dest_stride, source_stride; /* alltoalls: in elements, otherwise 1 */
  int root;
  explore_combine combine;
};
int explore_meet(struct explore_call call, const struct explore_collective* what);
void explore_barrier(struct explore_call call, struct explore_group group);

int explore_team_my_pe(void* team);
int explore_team_n_pes(void* team);
int explore_team_translate_pe(void* from, int pe, void* to);
int explore_team_split_strided(struct explore_call call, void* parent, int start, int stride, int size, void** made);
int explore_team_split_2d(struct explore_call call, void* parent, int columns, void** row, void** column);
/* `config` is a shmem_team_config_t: the number of contexts, which has bit 0 of the mask. */
void explore_team_configure(void* team, const void* config, long mask);
int explore_team_config(void* team, long mask, void* config);
void explore_team_destroy(struct explore_call call, void* team);
int explore_ctx_create(struct explore_call call, void* team, void** ctx);
void explore_ctx_destroy(struct explore_call call, void* ctx);
void* explore_ctx_team(void* ctx);

void explore_set_lock(struct explore_call call, long* lock);
int explore_test_lock(struct explore_call call, long* lock);
void explore_clear_lock(struct explore_call call, long* lock);

void* explore_allocate(struct explore_call call, size_t alignment, size_t bytes, int zero);
void* explore_reallocate(struct explore_call call, void* block, size_t bytes);
void explore_free(struct explore_call call, void* block);

#ifdef __cplusplus
}
#endif
#endif
