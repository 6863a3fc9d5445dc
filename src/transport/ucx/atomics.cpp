#include "transport/ucx/atomics.hpp"

namespace oshen::transport::ucx {

outcome atomic(ucx_stream& s, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local) {
  worker& w = *s.rma;
  os::inline_locked hold(w.call_lock);
  if (is_broken(*w.home)) return outcome::lost;
  if (const outcome o = connect_worker(w, pe); o != outcome::done) return o;
  if (const outcome o = have_keys(w, pe, at, static_cast<std::size_t>(op.bytes)); o != outcome::done) return o;
  remote_end there;
  if (!find_end(w, pe, at, static_cast<std::size_t>(op.bytes), there)) return outcome::failed;
  if (!has_spare(w)) return outcome::would_block;
  void* const begun = post_atomic(w, there, op, result);
  if (begun != nullptr)
    if (const outcome o = begin_spare(s, op_kind::transfer, pe, begun, local); o != outcome::done) return o;
  note_change(s, pe);
  note_begun(w);
  if (begun == nullptr && local != nullptr) local->pending.fetch_sub(1, std::memory_order_release);
  return outcome::done;
}

}  // namespace oshen::transport::ucx
