// oshrun: starts a job, watches it and ends it. foreground.hpp describes its two processes.
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "oshrun/debuggers.hpp"
#include "oshrun/explore.hpp"
#include "oshrun/foreground.hpp"
#include "oshrun/hydra_ssh.hpp"
#include "oshrun/launchers.hpp"
#include "oshrun/options.hpp"
#include "oshrun/orphans.hpp"
#include "oshrun/proxies.hpp"
#include "oshrun/supervisor.hpp"

using namespace oshrun;

namespace {

[[noreturn]] void be_supervisor(const options& asked, const inherited& original, process_table& table,
                                unique_fd signal_pipe, unique_fd stdin_of_pe_0) {
  setpgid(0, 0);
  prctl(PR_SET_NAME, "osh-supervisor");  // so that killall oshrun ends the foreground process only
  supervisor one(asked, original, table, std::move(signal_pipe), std::move(stdin_of_pe_0));
  _exit(one.run());
}

// The job of this process. For several hosts it becomes an installed launcher, or starts proxies over ssh
// (proxies.hpp).
options job_of_this_process(int argc, char** argv, std::vector<unique_fd>& control_pipes) {
  if (argc == 2 && std::strcmp(argv[1], proxy_option) == 0) return read_proxy_options();
  options asked = read_options(argc, argv);
  if (asked.explored.asked()) run_exploration(asked);
  if (asked.hosts.empty()) return asked;
  const chosen_launcher launcher = choose_launcher(asked.launcher);
  if (!launcher.program.empty()) exec_launcher(launcher, asked);
  return job_over_ssh(asked, control_pipes);
}

int start(int argc, char** argv) {
  fill_standard_descriptors();
  if (is_hydra_ssh(argc, argv)) return be_hydra_ssh(argc, argv);
  std::vector<unique_fd> control_pipes;
  const options asked = job_of_this_process(argc, argv, control_pipes);
  process_table table(asked);
  const inherited original = adjust_process();
  unique_fd signals = block_signals();
  adopt_orphans();
  pipe_ends signal_pipe = make_pipe();
  pipe_ends terminal_pipe;
  if (asked.on_host.empty() && asked.gdb_program.empty() && isatty(STDIN_FILENO)) terminal_pipe = make_pipe();

  const pid_t supervisor = fork();
  if (supervisor < 0) give_up(1, "cannot fork: %s", std::strerror(errno));
  if (supervisor == 0) {
    signals.close();
    signal_pipe.write.close();
    terminal_pipe.write.close();
    be_supervisor(asked, original, table, std::move(signal_pipe.read), std::move(terminal_pipe.read));
  }
  signal_pipe.read.close();
  terminal_pipe.read.close();
  control_pipes.clear();
  foreground one(supervisor, std::move(signals), std::move(signal_pipe.write), std::move(terminal_pipe.write));
  if (!asked.on_host.empty()) one.watch_control_pipe();
  if (table.holds_pes()) table.debug(original);
  return one.run();
}

}  // namespace

// Both processes return here. If the supervisor fails here, the foreground process ends the PEs.
int main(int argc, char** argv) {
  try {
    _exit(start(argc, argv));
  } catch (const std::bad_alloc&) {
    give_up(1, "no memory");
  } catch (const std::exception& error) {
    give_up(1, "%s", error.what());
  }
}
