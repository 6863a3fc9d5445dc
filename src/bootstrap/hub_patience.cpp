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
  list_missing(missing, sizeof missing);
  log::error("shmem_init: %d of %d PEs have not come in %u s (OSHEN_START_LIMIT): %s; ending the job",
             n_pes_ - n_connected_, n_pes_, waited, missing);
  announce({wire::message_kind::lost, 0, 1, 0, 0}, streams_[0].listens_at.host);
}

// Writes numbers and ranges of PEs, such as "3, 5 to 9, ...".
void hub::list_missing(char* text, std::size_t capacity) const {
  constexpr std::size_t longest_range = 40;
  std::size_t used = 0;
  *text = '\0';
  for (int pe = 0; pe < n_pes_; ++pe) {
    if (!is_late(pe)) continue;
    const char* comma = used == 0 ? "" : ", ";
    int last = pe;
    while (last + 1 < n_pes_ && is_late(last + 1)) ++last;
    const bool is_full = used + longest_range >= capacity;
    const int bytes = is_full      ? snprintf(text + used, capacity - used, "%s...", comma)
                      : last == pe ? snprintf(text + used, capacity - used, "%sPE %d", comma, pe)
                                   : snprintf(text + used, capacity - used, "%sPEs %d to %d", comma, pe, last);
    if (is_full) return;
    used += static_cast<std::size_t>(bytes);
    pe = last;
  }
}

}  // namespace oshen::bootstrap
