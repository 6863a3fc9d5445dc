// The version and name calls agree with the constants.
#include "check.h"

int main(void) {
  int major = 0, minor = -1;
  char name[SHMEM_MAX_NAME_LEN];
  shmem_init();
  shmem_info_get_version(&major, &minor);
  CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION, "version %d.%d", major, minor);
  memset(name, 'x', sizeof name);
  shmem_info_get_name(name);
  CHECK(memchr(name, 0, sizeof name) != NULL, "the name does not end");
  CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0, "%s is not %s", name, SHMEM_VENDOR_STRING);
  shmem_finalize();
  return 0;
}
