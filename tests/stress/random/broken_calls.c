// Linked into random_program_with_a_bug: calls with a planted fault, to prove that the comparison notices it and names
// the operation. BUG=put, sum, wait, realloc, gather or start chooses the fault.
#include <pshmem.h>
#include <pshmemx.h>
#include <stdlib.h>
#include <string.h>

static int has(const char* bug) { return strcmp(getenv("BUG") ? getenv("BUG") : "", bug) == 0; }

// Sometimes the last element is lost.
void shmem_put32(void* dest, const void* source, size_t nelems, int pe) {
  pshmem_put32(dest, source, has("put") && nelems > 3 ? nelems - 1 : nelems, pe);
}

// The first PE's operand is visible in the dest of the other PEs for a moment after the return.
int shmem_uint64_sum_reduce(shmem_team_t team, uint64_t* dest, const uint64_t* source, size_t nreduce) {
  const int status = pshmem_uint64_sum_reduce(team, dest, source, nreduce);
  if (has("sum") && nreduce > 4000) {
    const int size = pshmem_team_n_pes(team), next = (pshmem_team_my_pe(team) + 1) % size;
    pshmem_uint64_p(dest + nreduce - 1, source[0], pshmem_team_translate_pe(team, next, SHMEM_TEAM_WORLD));
  }
  return status;
}

// Returns before the last flag has arrived.
size_t shmem_uint64_wait_until_any_vector(uint64_t* ivars, size_t nelems, const int* status, int cmp,
                                          const uint64_t* cmp_values) {
  if (has("wait"))
    for (size_t i = nelems; i-- > 0;)
      if (!status[i]) return i;
  return pshmem_uint64_wait_until_any_vector(ivars, nelems, status, cmp, cmp_values);
}

// A block that grows loses its contents.
void* shmem_realloc(void* ptr, size_t size) {
  unsigned char* block = pshmem_realloc(ptr, size);
  if (has("realloc") && block != NULL && size > 0) block[0] ^= 1;
  return block;
}

// The root's own block is lost if it is in place.
int shmemx_short_gather(shmem_team_t team, short* dest, const short* source, size_t nelems, int PE_root) {
  const int status = pshmemx_short_gather(team, dest, source, nelems, PE_root);
  const short* const own = dest + nelems * (size_t)PE_root;
  if (has("gather") && source == own && nelems > 0) dest[nelems * (size_t)PE_root] ^= 1;
  return status;
}

// The start of a non-blocking collective sends one element less.
int shmemx_int_alltoall_nb(shmem_team_t team, int* dest, const int* source, size_t nelems, shmemx_request_t* request) {
  return pshmemx_int_alltoall_nb(team, dest, source, has("start") && nelems > 3 ? nelems - 1 : nelems, request);
}
