#include "bootstrap/callbacks.hpp"

#include <string.h>

#include "base/log.hpp"

namespace oshen::bootstrap {

status callbacks::join(const shmemx_init_attr_t& attr) {
  if (attr.n_pes < 1 || attr.pe < 0 || attr.pe >= attr.n_pes) {
    log::error("shmemx_init_attr: pe = %d of n_pes = %d: expected 0 <= pe < n_pes", attr.pe, attr.n_pes);
    return status::boot_failed;
  }
  if (attr.n_pes > 1 && (attr.allgather == nullptr || attr.barrier == nullptr)) {
    log::error("shmemx_init_attr: allgather and barrier are null: expected functions for %d PEs", attr.n_pes);
    return status::boot_failed;
  }
  attr_ = attr;
  pe = attr.pe;
  n_pes = attr.n_pes;
  name = "callbacks";
  return status::ok;
}

status callbacks::allgather(const void* mine, void* all, std::size_t bytes) {
  if (n_pes == 1) {
    memcpy(all, mine, bytes);
    return status::ok;
  }
  if (attr_.allgather(attr_.context, mine, all, bytes) == 0) return status::ok;
  log::error("the caller's allgather of %zu bytes failed", bytes);
  return status::boot_failed;
}

status callbacks::barrier() {
  if (n_pes == 1 || attr_.barrier(attr_.context) == 0) return status::ok;
  log::error("the caller's barrier failed");
  return status::boot_failed;
}

void callbacks::end_job(int exit_status, bool) {
  if (attr_.abort != nullptr) attr_.abort(attr_.context, exit_status);
}

}  // namespace oshen::bootstrap
