// Warnings about PEs for which the hub waits, and the limits after which it ends the job.
#include <stdio.h>

#include "base/log.hpp"
#include "bootstrap/hub_stream.hpp"
#include "os/clock.hpp"

namespace oshen::bootstrap {
namespace {

constexpr unsigned refusal_seconds = 20;  // time to tell the other PEs that the job ends

}  // namespace

// Late PEs have not connected, have not sent their block, or, between rounds, have not read their result.
bool hub::is_late(int pe) const {
  const pe_stream& s = streams_[pe];
  if (n_connected_ < n_pes_) return s.fd < 0;
  return gathered_ != nullptr ? !s.has_block : !s.out.is_empty();
}

void hub::look_for_late() {
  const bool waits = n_connected_ < n_pes_ || gathered_ != nullptr || busy();
  if (!waits || is_ending()) return;
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

// Prints a warning, or ends the job, if the hub waits too long for a PE.
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

// Closes the streams of PEs that do not read the end notice, such as stopped ones, so that PE 0 ends without them. Each
// of them finds the end of its stream when it runs again, and then ends.
void hub::look_for_unread_end() {
  if (!is_ending() || !busy() || os::now_ns() - end_began_ < read_end_milliseconds * std::uint64_t{1000000}) return;
  const auto is_unread = [this](int pe) { return !streams_[pe].out.is_empty(); };
  char unread[160];
  list_pes(n_pes_, is_unread, unread, sizeof unread);
  log::error("the notice that the job ends is unread after %u ms by %s; closing the streams to them",
             read_end_milliseconds, unread);
  for (int pe = 0; pe < n_pes_; ++pe)
    if (is_unread(pe)) lose(pe);
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
