// The 16 constants with a leading underscore, deprecated since 1.3, are the ones without.
#include "check.h"

static long sync_array[_SHMEM_BCAST_SYNC_SIZE] = {_SHMEM_SYNC_VALUE};

int main(void) {
  shmem_init();
  CHECK(_SHMEM_MAJOR_VERSION == SHMEM_MAJOR_VERSION && _SHMEM_MINOR_VERSION == SHMEM_MINOR_VERSION, "version");
  CHECK(_SHMEM_MAX_NAME_LEN == SHMEM_MAX_NAME_LEN, "name length");
  CHECK(strcmp(_SHMEM_VENDOR_STRING, SHMEM_VENDOR_STRING) == 0, "vendor");
  CHECK(_SHMEM_SYNC_VALUE == SHMEM_SYNC_VALUE && sync_array[0] == SHMEM_SYNC_VALUE, "sync value");
  CHECK(_SHMEM_BARRIER_SYNC_SIZE == SHMEM_BARRIER_SYNC_SIZE, "barrier");
  CHECK(_SHMEM_BCAST_SYNC_SIZE == SHMEM_BCAST_SYNC_SIZE, "broadcast");
  CHECK(_SHMEM_COLLECT_SYNC_SIZE == SHMEM_COLLECT_SYNC_SIZE, "collect");
  CHECK(_SHMEM_REDUCE_SYNC_SIZE == SHMEM_REDUCE_SYNC_SIZE, "reduce");
  CHECK(_SHMEM_REDUCE_MIN_WRKDATA_SIZE == SHMEM_REDUCE_MIN_WRKDATA_SIZE, "work");
  CHECK(_SHMEM_CMP_EQ == SHMEM_CMP_EQ && _SHMEM_CMP_NE == SHMEM_CMP_NE, "EQ, NE");
  CHECK(_SHMEM_CMP_LT == SHMEM_CMP_LT && _SHMEM_CMP_LE == SHMEM_CMP_LE, "LT, LE");
  CHECK(_SHMEM_CMP_GT == SHMEM_CMP_GT && _SHMEM_CMP_GE == SHMEM_CMP_GE, "GT, GE");
  shmem_finalize();
  return 0;
}
