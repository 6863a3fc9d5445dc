#include "oshrun/hydra_ssh.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>

#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

// Hydra's command is: this program, options of Hydra for ssh, first_word, the words of ssh, last_word, the host, and
// the command for the host.
constexpr const char* first_word = "--hydra-ssh";
constexpr const char* last_word = "--hydra-ssh-host";

constexpr int not_executable = 126, not_found = 127, ssh_failed = 255;

// Hydra takes another way than ssh, or another ssh, if one of these is set.
bool other_way_is_chosen() {
  constexpr const char* by_batch_systems[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE",
                                              "COBALT_NODEFILE"};
  constexpr const char* by_the_user[] = {"HYDRA_LAUNCHER", "HYDRA_BOOTSTRAP", "HYDRA_LAUNCHER_EXEC",
                                         "HYDRA_BOOTSTRAP_EXEC", "HYDRA_LAUNCHER_EXTRA_ARGS"};
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  return std::ranges::any_of(by_batch_systems, is_set) || std::ranges::any_of(by_the_user, is_set);
}

std::size_t place_of(const char* word, std::span<char*> words) {
  const auto is_it = [&](const char* one) { return std::strcmp(one, word) == 0; };
  return static_cast<std::size_t>(std::ranges::find_if(words, is_it) - words.begin());
}

void close_all_but_standard() {
  std::vector<int> open;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored))
    open.push_back(std::atoi(entry.path().filename().c_str()));
  for (const int fd : open)
    if (fd > STDERR_FILENO) close(fd);
}

// The status as a shell has it.
int run(std::vector<char*> command) {
  command.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return not_executable;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execvp(command.front(), command.data());
    _exit(errno == ENOENT ? not_found : not_executable);
  }
  int status = 0;
  uninterrupted([&] { return waitpid(child, &status, 0); });
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

bool may_replace_hydra_ssh(const std::string& ssh) {
  // Hydra passes the path on to other hosts without quotes.
  return (!ssh.empty() || !other_way_is_chosen()) && own_program().find(' ') == std::string::npos;
}

std::vector<std::string> use_hydra_ssh(const std::string& ssh) {
  const std::string words = std::string(first_word) + ' ' + (ssh.empty() ? "ssh" : ssh) + ' ' + last_word;
  setenv("HYDRA_LAUNCHER_EXTRA_ARGS", words.c_str(), 1);
  return {"-launcher", "ssh", "-launcher-exec", own_program()};
}

bool is_hydra_ssh(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  return place_of(first_word, words) < place_of(last_word, words) && place_of(last_word, words) + 1 < words.size();
}

int be_hydra_ssh(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  const std::size_t first = place_of(first_word, words), last = place_of(last_word, words);
  std::vector<char*> command = {words[first + 1]};
  for (const auto& part :
       {words.subspan(1, first - 1), words.subspan(first + 2, last - first - 2), words.subspan(last + 1)})
    command.insert(command.end(), part.begin(), part.end());
  close_all_but_standard();  // also the socket on which hosts would wait for a Hydra that has ended
  const pid_t hydra = getppid();
  const int status = run(command);
  const char *ssh = command.front(), *host = words[last + 1];
  if (status == ssh_failed)
    say("%s: %s failed, or its connection was lost; \"%s %s true\" must work without a question; the job was ended",
        host, ssh, ssh, host);
  if (status == not_found || status == not_executable)
    say("%s: cannot run %s, or Hydra on that host: Hydra must have the same path on every host; the job was ended",
        host, ssh);
  const bool failed = status == ssh_failed || status == not_found || status == not_executable;
  if (failed && getppid() == hydra) kill(hydra, SIGTERM);
  return status;
}

}  // namespace oshrun
