/* The keys that each PE sorts: below 2^28, from a generator seeded with the PE's number. */
#ifndef ISX_KEYS_H
#define ISX_KEYS_H

#include <stdint.h>

enum { isx_key_limit = 1 << 28 };

/* The PCG generator with 64 bits of state and 32 bits of output. */
typedef struct isx_keys {
  uint64_t state, sequence;
} isx_keys_t;

isx_keys_t isx_keys_of(int pe);
int32_t isx_next(isx_keys_t* keys);

#endif
