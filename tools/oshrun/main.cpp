// oshrun: start a job, watch it, end it. See front.hpp for who is who.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "oshrun/front.hpp"
#include "oshrun/keeper.hpp"
#include "oshrun/options.hpp"
#include "oshrun/orphans.hpp"

using namespace oshrun;

namespace {

constexpr int bad_usage = 2;

[[noreturn]] void be_keeper(const options& asked, const inherited& original, unique_fd orders,
                            unique_fd stdin_of_pe_0) {
  setpgid(0, 0);
  prctl(PR_SET_NAME, "osh-keeper");  // killall oshrun meets the front only
  keeper one(asked, original, std::move(orders), std::move(stdin_of_pe_0));
  _exit(one.run());
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  const options asked = read_options(argc, argv);
  if (!asked.directory.empty() && chdir(asked.directory.c_str()) != 0)
    give_up(bad_usage, "--wdir %s: %s", asked.directory.c_str(), std::strerror(errno));

  const inherited original = take_over();
  block_signals();
  adopt_orphans();
  pipe_ends orders = make_pipe();
  pipe_ends typed;
  if (isatty(STDIN_FILENO)) typed = make_pipe();

  const pid_t keeper = fork();
  if (keeper < 0) give_up(1, "cannot fork: %s", std::strerror(errno));
  if (keeper == 0) {
    orders.write.close();
    typed.write.close();
    be_keeper(asked, original, std::move(orders.read), std::move(typed.read));
  }
  orders.read.close();
  typed.read.close();
  _exit(front(keeper, std::move(orders.write), std::move(typed.write)).run());
}
