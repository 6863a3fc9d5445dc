// The collectives that only move data, with every typed form in one form: `element` bytes per element.
#pragma once

#include "pattern.h"
#include "symmetric.h"
#include "teams.h"
#include "types.h"

// Arguments of a collective besides dest and source; each family uses some of them.
struct coll_arguments {
  size_t nelems;
  ptrdiff_t dst, sst;
  int root;
};

struct coll {
  const char* name;
  size_t element;
  int (*call)(shmem_team_t team, void* dest, const void* source, const struct coll_arguments* a);
};

// Makes the table `rows` of all typed forms and the mem form of a collective.
#define COLL_CALL(NAME, ...) \
  static int call_##NAME(shmem_team_t t, void* d, const void* s, const struct coll_arguments* a) { return __VA_ARGS__; }
#define COLL_ROW(NAME, BYTES) {#NAME, BYTES, call_##NAME},

static const size_t coll_counts[] = {0, 1, 3, 8, 64, 65, 1023, 4097};
enum { coll_most = 4097, coll_widest = 16 };
