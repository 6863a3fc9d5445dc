#include "coll/shared_memory/peer_memory.hpp"

#include "op/direct.hpp"
#include "op/remote.hpp"

namespace oshen::coll {
namespace {

op::call_site site_of(const team& t) { return op::site_of(t, t.routine); }

transport::put_signal_args arguments(const team& t, const peer_copy& data, const flag_update& f,
                                     transport::signal_op op) {
  return {.to = offset_in_slice(t, data.to),
          .from = data.from,
          .bytes = data.bytes,
          .signal = offset_in_slice(t, &f.flag),
          .value = f.value,
          .op = op};
}

}  // namespace

// Each function first tries the direct path of the stream (op/direct.hpp), which takes short puts, and flags.

void put_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  transport::direct_path* const path = op::direct::path_of(t.ctx);
  if (path == nullptr || !path->put(*path, from, bytes, t.world_pe(pe), offset_in_slice(t, to), false))
    op::remote::put(site_of(t), t.world_pe(pe), offset_in_slice(t, to), from, bytes, op::completion_mode::blocking);
}

void set_remote(const team& t, int pe, const flag_update& f) { put_and_set_remote(t, pe, {&f.flag, nullptr, 0}, f); }

void put_and_set_remote(const team& t, int pe, const peer_copy& data, const flag_update& f, op::completion_mode mode) {
  const transport::put_signal_args args = arguments(t, data, f, transport::signal_op::set);
  transport::direct_path* const path = op::direct::path_of(t.ctx);
  if (path == nullptr || !path->put_signal(*path, t.world_pe(pe), args, false))
    op::remote::put_ordered_signal(site_of(t), t.world_pe(pe), args, mode);
}

void put_and_add_remote(const team& t, int pe, const peer_copy& data, const flag_update& f) {
  op::remote::put_ordered_signal(site_of(t), t.world_pe(pe), arguments(t, data, f, transport::signal_op::add));
}

void quiet_remote(const team& t) { op::remote::quiet(site_of(t)); }

}  // namespace oshen::coll
