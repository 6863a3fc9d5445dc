// Linked into random_program_with_a_bug: a put that now and then forgets its last element, to prove
// that the comparison with the model notices and names the operation.
#include <pshmem.h>

void shmem_put32(void* dest, const void* source, size_t nelems, int pe) {
  pshmem_put32(dest, source, nelems > 3 ? nelems - 1 : nelems, pe);
}
