#include "coll/shared_memory/peer_memory.hpp"

#include "op/direct.hpp"
#include "op/remote.hpp"

namespace oshen::coll {
namespace {

op::call_site site_of(const team& t) { return op::site_of(t, t.routine); }

[[gnu::cold, gnu::noinline]] void update_generally(const team& t, int pe, const transport::put_signal_args& args,
                                                   op::completion_mode mode) {
  op::remote::put_ordered_signal(site_of(t), t.world_pe(pe), args, mode);
}

}  // namespace

// Each function first tries the direct path of the stream (op/direct.hpp), which takes short puts, and flags.

void put_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  transport::direct_path* const path = op::direct::path_of(t.ctx);
  if (path == nullptr || !path->put(*path, from, bytes, t.world_pe(pe), offset_in_slice(t, to), false))
    op::remote::put(site_of(t), t.world_pe(pe), offset_in_slice(t, to), from, bytes, op::completion_mode::blocking);
}

void put_and_set_remote(const team& t, int pe, const transport::put_signal_args& args) {
  transport::direct_path* const path = op::direct::path_of(t.ctx);
  if (path == nullptr || !path->put_signal(*path, t.world_pe(pe), args, false)) [[unlikely]]
    update_generally(t, pe, args, op::completion_mode::blocking);
}

void start_put_and_set_remote(const team& t, int pe, const transport::put_signal_args& args) {
  transport::direct_path* const path = op::direct::path_of(t.ctx);
  if (path == nullptr || !path->put_signal(*path, t.world_pe(pe), args, false)) [[unlikely]]
    update_generally(t, pe, args, op::completion_mode::non_blocking);
}

void put_and_add_remote(const team& t, int pe, const transport::put_signal_args& args) {
  update_generally(t, pe, args, op::completion_mode::blocking);
}

void quiet_remote(const team& t) { op::remote::quiet(site_of(t)); }

}  // namespace oshen::coll
