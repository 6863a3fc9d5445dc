// Wrong arguments of the routines of performance variables.
// @extension
// @run pes=1 variable -> fails /PE 0: shmemx_pvar_read: pvar = 17: expected 0 .. 16/
// @run pes=1 name -> fails /PE 0: shmemx_pvar_get_name: pvar = -1: expected 0 .. 16/
// @run pes=2 pe -> fails /PE [01]: shmemx_pvar_read: pe = 2: expected 0 .. 1/
#include <shmemx.h>

#include "bad_use.h"

static void variable(void) { shmemx_pvar_read(17, 0); }
static void name(void) {
  char text[SHMEM_MAX_NAME_LEN];
  shmemx_pvar_get_name(-1, text);
}
static void pe(void) { shmemx_pvar_read(SHMEMX_PVAR_PUT_BYTES, 2); }

int main(int argc, char** argv) {
  static const struct mistake mistakes[] = {{"variable", variable}, {"name", name}, {"pe", pe}};
  shmem_init();
  const int result = make_mistake(mistakes, LENGTH(mistakes), argc, argv);
  shmem_finalize();
  return result;
}
