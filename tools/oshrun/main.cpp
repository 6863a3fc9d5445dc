// oshrun: start a job, watch it, end it. See front.hpp for who is who.
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "oshrun/front.hpp"
#include "oshrun/supervisor.hpp"
#include "oshrun/launchers.hpp"
#include "oshrun/options.hpp"
#include "oshrun/orphans.hpp"
#include "oshrun/parts.hpp"

using namespace oshrun;

namespace {

[[noreturn]] void be_supervisor(const options& asked, const inherited& original, unique_fd orders,
                            unique_fd stdin_of_pe_0) {
  setpgid(0, 0);
  prctl(PR_SET_NAME, "osh-supervisor");  // killall oshrun meets the front only
  supervisor one(asked, original, std::move(orders), std::move(stdin_of_pe_0));
  _exit(one.run());
}

// Several hosts: an installed launcher takes over, or ssh starts one of us on each (parts.hpp).
options what_to_do(int argc, char** argv, std::vector<unique_fd>& leashes) {
  if (argc == 2 && std::strcmp(argv[1], part_option) == 0) return read_part_of_a_job();
  options asked = read_options(argc, argv);
  if (asked.hosts.empty()) return asked;
  const chosen_launcher launcher = choose_launcher(asked.launcher);
  if (!launcher.program.empty()) become(launcher, asked);
  return over_ssh(asked, leashes);
}

int start(int argc, char** argv) {
  fill_standard_descriptors();
  std::vector<unique_fd> leashes;
  const options asked = what_to_do(argc, argv, leashes);
  const inherited original = take_over();
  unique_fd signals = block_signals();
  adopt_orphans();
  pipe_ends orders = make_pipe();
  pipe_ends typed;
  if (asked.on_host.empty() && isatty(STDIN_FILENO)) typed = make_pipe();

  const pid_t supervisor = fork();
  if (supervisor < 0) give_up(1, "cannot fork: %s", std::strerror(errno));
  if (supervisor == 0) {
    signals.close();
    orders.write.close();
    typed.write.close();
    be_supervisor(asked, original, std::move(orders.read), std::move(typed.read));
  }
  orders.read.close();
  typed.read.close();
  leashes.clear();
  front one(supervisor, std::move(signals), std::move(orders.write), std::move(typed.write));
  if (!asked.on_host.empty()) one.hold_leash();
  return one.run();
}

}  // namespace

// Front and supervisor alike; when the supervisor leaves here, the front ends what it has started.
int main(int argc, char** argv) {
  try {
    _exit(start(argc, argv));
  } catch (const std::bad_alloc&) {
    give_up(1, "no memory");
  } catch (const std::exception& error) {
    give_up(1, "%s", error.what());
  }
}
