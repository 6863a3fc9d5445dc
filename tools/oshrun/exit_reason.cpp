#include "oshrun/exit_reason.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>

namespace oshrun {
namespace {

using oshen::bootstrap::pe_state;

int find(std::span<const pe_process> pes, auto&& condition) {
  for (std::size_t pe = 0; pe < pes.size(); ++pe)
    if (condition(static_cast<int>(pe), pes[pe])) return static_cast<int>(pe);
  return -1;
}

bool died(const pe_process& pe) { return !pe.alive && WIFSIGNALED(pe.wait_status); }

exit_reason end_for(cause why, int exit_status, int pe, std::span<const pe_process> pes) {
  exit_reason out{.why = why, .exit_status = exit_status, .pe = pe, .reason = {}};
  out.others_alive = static_cast<int>(std::ranges::count_if(pes, &pe_process::alive));
  if (pe < 0 || pe >= static_cast<int>(pes.size())) return out;
  if (pes[static_cast<std::size_t>(pe)].alive) --out.others_alive;
  out.pid = pes[static_cast<std::size_t>(pe)].pid;
  out.wait_status = pes[static_cast<std::size_t>(pe)].wait_status;
  return out;
}

std::string others_ended(const exit_reason& end, int n_pes) {
  const std::string count = std::to_string(end.others_alive);
  if (end.others_alive == 0) return "";
  if (end.others_alive == 1) return "; the other PE still running was ended";
  if (end.others_alive == n_pes - 1) return "; the other " + count + " PEs were ended";
  return "; the " + count + " PEs still running were ended";
}

std::string signal_text(int signal) { return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ')'; }

std::string what_happened(const exit_reason& end, job& the_job) {
  switch (end.why) {
    case cause::killed: {
      const bool dumped = WCOREDUMP(end.wait_status);
      return "was killed by " + signal_text(WTERMSIG(end.wait_status)) + (dumped ? ", core dumped" : "") + end.reason;
    }
    case cause::failed: return "exited with status " + std::to_string(end.exit_status);
    case cause::no_finalize:
      return "exited with status 0 without shmem_finalize (by _exit, or exec of another program)";
    case cause::never_initialised:
      return "exited with status 0 without shmem_init, but other PEs wait for it: "
             "expected all PEs to call shmem_init, or none";
    case cause::requested:
      return the_job.page().ending_quiet != 0 ? "" : "ended the job with status " + std::to_string(end.exit_status);
    default: return "";
  }
}

// ssh reads its input once the host has let it in.
bool has_read_input(const program& prog) {
  int unread = 0;
  return ioctl(prog.input, FIONREAD, &unread) == 0 && unread == 0;
}

std::string range_of_pes(int first, int count) {
  const std::string text = std::to_string(first);
  return count == 1 ? "PE " + text : "PEs " + text + " to " + std::to_string(first + count - 1);
}

// The line for a host that failed. Its proxy has reported details, unless ssh could not start it or was cut off.
std::string describe_host(const exit_reason& end, const host& place, int first_pe, const program& prog) {
  constexpr int not_executable = 126, not_found = 127, ssh_failed = 255;
  const std::string where = prog.host + " (" + range_of_pes(first_pe, place.n_pes) + "): ";
  const std::string& method = prog.command.front();
  if (end.why == cause::killed)
    return where + method + " was killed by " + signal_text(WTERMSIG(end.wait_status)) + "; the job was ended";
  if (end.exit_status == ssh_failed && has_read_input(prog))
    return where + "the connection of " + method + " was lost; the host may be down; the job was ended";
  if (end.exit_status == ssh_failed)
    return where + method + " failed; \"" + method + ' ' + prog.host +
           " true\" must work without a question; the job was ended";
  if (end.exit_status == not_found || end.exit_status == not_executable)
    return where + "cannot run the program or oshrun: both must have the same path on every host; the job was ended";
  return where + "ended with status " + std::to_string(end.exit_status) + "; the job was ended on all hosts";
}

}  // namespace

std::optional<exit_reason> check_job(job& the_job, std::span<const pe_process> pes) {
  const bool requested = the_job.end_requested();
  const bool quiet = requested && the_job.page().ending_quiet != 0;
  const int dead = find(pes, [](int, auto& pe) { return died(pe); });
  if (dead >= 0 && !quiet) {
    const int status = pes[static_cast<std::size_t>(dead)].wait_status;
    return end_for(cause::killed, 128 + WTERMSIG(status), dead, pes);
  }
  if (requested) return end_for(cause::requested, the_job.page().ending_status & 0xff, the_job.page().ending_pe, pes);

  const int failed = find(pes, [](int, auto& pe) { return !pe.alive && pe.wait_status != 0; });
  if (failed >= 0) {
    const int status = pes[static_cast<std::size_t>(failed)].wait_status;
    return end_for(cause::failed, WEXITSTATUS(status), failed, pes);
  }
  const auto ended_in = [&](pe_state state) {
    return find(pes, [&](int i, auto& pe) { return pe.ended_well() && the_job.state(i) == state; });
  };
  if (const int early = ended_in(pe_state::joined); early >= 0) return end_for(cause::no_finalize, 1, early, pes);
  const int joined = find(pes, [&](int i, auto& pe) { return pe.alive && the_job.state(i) == pe_state::joined; });
  if (const int away = joined < 0 ? -1 : ended_in(pe_state::unborn); away >= 0)
    return end_for(cause::never_initialised, 1, away, pes);
  if (std::ranges::none_of(pes, &pe_process::alive)) return exit_reason{};
  return std::nullopt;
}

std::string describe(const exit_reason& end, job& the_job, const options& asked) {
  if (end.why == cause::timed_out || end.pe < 0) return "";
  if (!asked.hosts.empty()) {
    int first_pe = 0;
    for (const host& before : std::span(asked.hosts).first(static_cast<std::size_t>(end.pe))) first_pe += before.n_pes;
    const auto i = static_cast<std::size_t>(end.pe);
    return describe_host(end, asked.hosts[i], first_pe, asked.programs[i]);
  }
  const std::string what = what_happened(end, the_job);
  if (what.empty()) return "";
  std::string who = "PE " + std::to_string(asked.first_pe + end.pe);
  if (end.pid != 0) who += " (pid " + std::to_string(end.pid) + ")";
  return who + ' ' + what + others_ended(end, the_job.n_pes());
}

}  // namespace oshrun
