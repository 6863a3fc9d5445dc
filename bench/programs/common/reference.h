// Limits of the machine, measured in the same loops and batches as the cases, on memory of the shared page. A library's
// result is divided by its limit. Local references run on process 0; references between cores need two processes.
#pragma once
#include "engine.h"

enum {
  reference_null,          // the empty loop; as the reference of a case: none.
  reference_store,         // one 8-byte store.
  reference_store_fence,   // store, then the cheapest full fence of the machine.
  reference_store_mfence,  // store, then the instruction made for it.
  reference_load,          // one 8-byte load and an addition.
  reference_chain,         // a load whose address is the last one's value.
  reference_xadd,          // uncontended atomic addition.
  reference_copy_out,      // memcpy, private to shared.
  reference_copy_in,       // memcpy, shared to private.
  reference_line,          // one way: store here, seen there (half a ping-pong over two lines).
  reference_shared_line,   // the same with one line that both write in turn.
  reference_message,       // one way: a word of data, then a flag on another line; both are read there.
  reference_exchange,      // both store at once and both see the other's store.
  reference_copy_both,     // both copy at once, each its own private block to its own part of the page.
  reference_copy_cold,     // memcpy, private to shared, where neither is in a cache.
  reference_end
};

extern const bench_case reference_cases[reference_end + 1];

extern const long eight_bytes[];  // the sizes of most cases
