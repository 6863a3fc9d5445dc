// The counters of the provider: whether the direct path of an endpoint is complete (docs/design/far-path.md).
#include <stdlib.h>

#include <utility>

#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {
namespace {

constexpr std::uint32_t patient_attempts = 64;  // of a flush, before it holds up others

// Null: the provider has no counters.
fid_cntr* open_counter(const tx_endpoint& tx) {
  fi_cntr_attr wanted{};
  wanted.events = FI_CNTR_EVENTS_COMP;
  wanted.wait_obj = FI_WAIT_NONE;
  fid_cntr* counter = nullptr;
  return fi_cntr_open(tx.domain, &wanted, &counter, nullptr) == 0 ? counter : nullptr;
}

}  // namespace

int bind_counters(tx_endpoint& tx) {
  tx.writes_done = open_counter(tx);
  tx.reads_done = tx.writes_done != nullptr ? open_counter(tx) : nullptr;
  if (tx.reads_done == nullptr) return 0;
  const int code = fi_ep_bind(tx.endpoint, &tx.writes_done->fid, FI_WRITE);
  return code != 0 ? code : fi_ep_bind(tx.endpoint, &tx.reads_done->fid, FI_READ);
}

void close_counters(tx_endpoint& tx) {
  if (tx.writes_done != nullptr) fi_close(&tx.writes_done->fid);
  if (tx.reads_done != nullptr) fi_close(&tx.reads_done->fid);
  tx.writes_done = tx.reads_done = nullptr;
  free(tx.routes);
  tx.routes = nullptr;
}

namespace {

// True if all operations of the direct path are complete; the path exists. A count of the provider is read before the
// numbers with which it is compared: what begins afterwards only makes them differ. So do reads that begin between the
// loads of `direct_reads` and `issued`.
[[gnu::always_inline]] inline bool have_counts_met(tx_endpoint& tx) {
  const std::uint64_t lent = tx.direct_ops.n_lent.load(std::memory_order_acquire);
  const std::uint64_t written = fi_cntr_read(tx.writes_done);
  std::uint64_t reads = tx.direct_reads.load(std::memory_order_acquire);
  const std::uint64_t writes = tx.direct_ops.n_issued() - reads;
  if (written != writes + tx.posted_writes.load(std::memory_order_acquire)) return false;
  if (reads != tx.reads_flushed.load(std::memory_order_acquire)) {
    const std::uint64_t read = fi_cntr_read(tx.reads_done);
    reads = tx.direct_reads.load(std::memory_order_acquire);
    if (read != reads + tx.posted_reads.load(std::memory_order_acquire)) return false;
    tx.reads_flushed.store(reads, std::memory_order_release);
  }
  tx.direct_ops.flushed.store(writes + reads, std::memory_order_release);
  tx.direct_ops.n_returned.store(lent, std::memory_order_release);
  return true;
}

// The same with several issuers. Every operation counts before the provider can have counted it, so the right side is
// at least the number of operations accepted until the last counter was read. If both are equal, all of them are
// complete.
[[gnu::always_inline]] inline bool have_sums_met(tx_endpoint& tx) {
  const std::uint64_t lent = tx.direct_ops.n_lent.load(std::memory_order_acquire);
  const std::uint64_t done = fi_cntr_read(tx.writes_done) + fi_cntr_read(tx.reads_done);
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t withdrawn = tx.n_withdrawn.load(std::memory_order_acquire), issued = tx.direct_ops.n_issued();
  const std::uint64_t posted =
      tx.posted_writes.load(std::memory_order_acquire) + tx.posted_reads.load(std::memory_order_acquire);
  if (done != issued - withdrawn + posted) return false;
  tx.direct_ops.flushed.store(issued, std::memory_order_release);
  tx.direct_ops.n_returned.store(lent, std::memory_order_release);
  return true;
}

}  // namespace

bool has_met_by_counts(direct_path& d) { return have_counts_met(*reinterpret_cast<ofi_stream&>(d).tx); }
bool has_met_by_sums(direct_path& d) { return have_sums_met(*reinterpret_cast<ofi_stream&>(d).tx); }

// One issuer counts its reads apart, and nothing that was refused.
void count_for(tx_endpoint& tx, bool one_issuer) {
  if (std::exchange(tx.has_one_issuer, one_issuer) == one_issuer) return;
  direct_counts& counts = tx.direct_ops;
  const std::uint64_t issued = counts.n_issued() - tx.n_withdrawn.exchange(0);
  counts.issued.store(issued);
  counts.flushed.store(issued);
  counts.n_lent.store(issued);
  counts.n_returned.store(issued);
  tx.reads_seen = fi_cntr_read(tx.reads_done);
  tx.direct_reads.store(tx.reads_seen - tx.posted_reads.load());
  tx.reads_flushed.store(tx.direct_reads.load());
}

bool is_direct_complete(tx_endpoint& tx) {
  if (tx.routes == nullptr || tx.direct_ops.are_flushed()) return true;
  return tx.has_one_issuer ? have_counts_met(tx) : have_sums_met(tx);
}

// A flush holds up others only after its own operations of the general form are complete. So it never waits for an
// operation that it holds up itself.
bool has_met(ofi_stream& s, stream_point& point) {
  if (s.is_ordered || !s.has_direct || point.has_met) return true;
  tx_endpoint& tx = *s.tx;
  point.has_met = is_direct_complete(tx);
  if (point.has_met && std::exchange(point.holds, false)) tx.n_holding.fetch_sub(1);
  if (point.has_met || tx.has_one_issuer || !point.insists || point.holds) return point.has_met;
  if (++point.attempts < patient_attempts) return false;
  point.holds = true;
  tx.n_holding.fetch_add(1);
  return false;
}

}  // namespace oshen::transport::ofi
