/* Each PE prints the PEs whose memory it can reach by load and store. */
#include <shmem.h>
#include <stdio.h>

static long mine;

int main(void) {
  char line[512];
  int used = 0;
  shmem_init();
  used += snprintf(line, sizeof line, "PE %d:", shmem_my_pe());
  for (int pe = 0; pe < shmem_n_pes(); ++pe)
    if (shmem_ptr(&mine, pe) != NULL) used += snprintf(line + used, sizeof line - (size_t)used, " %d", pe);
  puts(line);
  shmem_finalize();
  return 0;
}
