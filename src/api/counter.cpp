#include "api/counter.hpp"

#include "api/calls.hpp"

namespace oshen::api {

void ct_create(const char* routine, shmemx_ct_t* ct) {
  *ct = static_cast<shmemx_ct_t>(calloc(routine, 1, sizeof(std::uint64_t)));
}

void ct_free(const char* routine, shmemx_ct_t* ct) {
  free(routine, *ct);
  *ct = nullptr;
}

}  // namespace oshen::api
