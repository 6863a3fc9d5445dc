// PE numbers that do not exist: the line names the routine, the number and what was expected.
// @extension
// @run pes=3 put -> fails /PE 1.*shmem_int_put.*pe = 3.*0 *\.\. *2/
// @run pes=3 put_negative -> fails /PE 1.*shmem_int_put.*pe = -1/
// @run pes=1 put_large -> fails /PE 0.*shmem_int_put.*pe = 123456789/
//
// @run pes=3 get -> fails /PE 1.*shmem_getmem.*pe = 3/
// @run pes=3 p -> fails /PE 1.*shmem_double_p.*pe = 3/
// @run pes=3 g -> fails /PE 1.*shmem_long_g.*pe = -2/
//
// @run pes=3 iput -> fails /PE 1.*shmem_iput64.*pe = 3/
// @run pes=3 ibget -> fails /PE 1.*shmem_short_ibget.*pe = 3/
// @run pes=3 atomic -> fails /PE 1.*shmem_int_atomic_fetch_add.*pe = 3/
//
// @run pes=3 atomic_nbi -> fails /PE 1.*shmem_int_atomic_swap_nbi.*pe = 3/
// @run pes=3 put_signal -> fails /PE 1.*shmem_putmem_signal.*pe = 3/
// @run pes=3 signal_add -> fails /PE 1.*shmem_signal_add.*pe = 3/
//
// @run pes=3 root -> fails /PE 1.*shmem_int_broadcast.*PE_root = 3/
// @run pes=3 generic -> fails /PE 1.*shmem_float_put.*pe = 3/
// @run pes=3 active_set -> fails /PE 1.*shmem_barrier.*PE_size = 7/
#include "bad_use.h"

static int cell, value;
static double d;
static long l, psync[SHMEM_BARRIER_SYNC_SIZE];
static short s[4];
static float f;
static uint64_t u;

static void put(void) { shmem_int_put(&cell, &value, 1, 3); }
static void put_negative(void) { shmem_int_put(&cell, &value, 1, -1); }
static void put_large(void) { shmem_int_put(&cell, &value, 1, 123456789); }
static void get(void) { shmem_getmem(&value, &cell, 4, 3); }
static void p(void) { shmem_double_p(&d, 1.0, 3); }
static void g(void) { l = shmem_long_g(&l, -2); }
static void iput(void) { shmem_iput64(&u, &u, 1, 1, 1, 3); }
static void ibget(void) { shmem_short_ibget(s, s, 2, 2, 2, 1, 3); }
static void atomic(void) { value = shmem_int_atomic_fetch_add(&cell, 1, 3); }
static void atomic_nbi(void) { shmem_int_atomic_swap_nbi(&value, &cell, 1, 3); }
static void put_signal(void) { shmem_putmem_signal(&cell, &value, 4, &u, 1, SHMEM_SIGNAL_SET, 3); }
static void signal_add(void) { shmem_signal_add(&u, 1, 3); }
static void root(void) { shmem_int_broadcast(SHMEM_TEAM_WORLD, &cell, &value, 1, 3); }
static void generic(void) { shmem_put(&f, &f, 1, 3); }
static void active_set(void) { shmem_barrier(0, 0, 7, psync); }

static const struct mistake mistakes[] = {{"put", put},
                                          {"put_negative", put_negative},
                                          {"put_large", put_large},
                                          {"get", get},
                                          {"p", p},
                                          {"g", g},
                                          {"iput", iput},
                                          {"ibget", ibget},
                                          {"atomic", atomic},
                                          {"atomic_nbi", atomic_nbi},
                                          {"put_signal", put_signal},
                                          {"signal_add", signal_add},
                                          {"root", root},
                                          {"generic", generic},
                                          {"active_set", active_set}};

int main(int argc, char** argv) {
  shmem_init();
  return make_mistake(mistakes, LENGTH(mistakes), argc, argv);
}
