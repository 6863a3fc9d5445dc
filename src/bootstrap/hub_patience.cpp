// Warnings about PEs for which the hub waits, and the limits after which it ends the job.
#include <stdio.h>

#include "base/log.hpp"
#include "bootstrap/hub_stream.hpp"
#include "os/clock.hpp"

namespace oshen::bootstrap {
namespace {

constexpr unsigned refusal_seconds = 20;  // time to tell the other PEs that the job ends

}  // namespace

bool hub::is_late(int pe) const { return n_connected_ < n_pes_ ? streams_[pe].fd < 0 : !streams_[pe].has_block; }

void hub::look_for_late() {
  const bool in_round = n_connected_ < n_pes_ || gathered_ != nullptr;
  if (!in_round || end_notice_.header.bytes != 0) return;
  const auto waited = static_cast<unsigned>((os::now_ns() - round_began_) / 1000000000u);
  if (refuses_) {
    if (waited >= refusal_seconds) announce({wire::message_kind::lost, 0, 1, 0, 0}, streams_[0].listens_at.host);
    return;
  }
  // Before the block of PE 0 there is no round: the process manager's own exchange still waits for PEs.
  const bool missing = n_connected_ < n_pes_ && gathered_ != nullptr;
  if (missing && start_seconds != 0 && waited >= start_seconds) return end_start(waited);
  const bool warn = next_warning_ != 0 && waited >= next_warning_;
  const bool abort = abort_seconds != 0 && waited >= abort_seconds;
  if (warn || abort) warn_of_late(waited, abort);
}

// Prints a warning, or ends the job, if a round waits too long for a PE.
void hub::warn_of_late(unsigned waited, bool abort) {
  next_warning_ *= 2;
  int late = -1, n_late = 0;
  for (int i = n_pes_ - 1; i >= 0; --i) {
    if (!is_late(i)) continue;
    late = i;
    ++n_late;
  }
  if (late < 0) return;
  const pe_stream& s = streams_[late];
  const char* routine = streams_[0].state == pe_state::finalized ? "shmem_finalize" : "shmem_init";
  char others[48] = "";
  if (n_late > 1) snprintf(others, sizeof others, " and %d more PEs", n_late - 1);
  log::error("%s: waiting for PE %d%s%s%s, for %u s now%s", routine, late, *s.listens_at.host != '\0' ? " on " : "",
             s.listens_at.host, others, waited, abort ? " (OSHEN_WAIT_ABORT); ending the job" : "");
  if (abort) announce({wire::message_kind::lost, late, 1, 0, 0}, s.listens_at.host);
}

// Ends a job if some of its PEs have not connected.
void hub::end_start(unsigned waited) {
  char missing[160];
  list_pes(n_pes_, [this](int pe) { return is_late(pe); }, missing, sizeof missing);
  log::error("shmem_init: %d of %d PEs have not come in %u s (OSHEN_START_LIMIT): %s; ending the job",
             n_pes_ - n_connected_, n_pes_, waited, missing);
  announce({wire::message_kind::lost, 0, 1, 0, 0}, streams_[0].listens_at.host);
}

}  // namespace oshen::bootstrap
