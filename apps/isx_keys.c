#include "isx_keys.h"

static uint32_t next(isx_keys_t* k) {
  const uint64_t old = k->state;
  k->state = old * 6364136223846793005u + k->sequence;
  const uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
  const uint32_t turn = (uint32_t)(old >> 59);
  return (mixed >> turn) | (mixed << ((32 - turn) & 31));
}

isx_keys_t isx_keys_of(int pe) {
  isx_keys_t k = {0, ((uint64_t)pe << 1) | 1};
  next(&k);
  k.state += (uint64_t)pe;
  next(&k);
  return k;
}

/* The limit divides 2^32, so no output has to be rejected. */
int32_t isx_next(isx_keys_t* k) { return (int32_t)(next(k) % isx_key_limit); }
