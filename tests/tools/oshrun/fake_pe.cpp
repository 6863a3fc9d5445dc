// Acts as a PE towards oshrun, without the library. Its arguments are steps, which it takes in order:
//
//   joined | finalized      sets this PE's state.
//   doing TEXT              publishes a wait that begins now.
//   end STATUS quiet|loud   requests the end of the job.
//   say TEXT                prints a line.
//   setsid                  leaves session and process group.
//   ignore SIGNAL           ignores a signal, given by number.
//   stay FILE               waits until the file is gone.
//   sleep SECONDS | exit STATUS | kill SIGNAL
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "bootstrap/job_page.hpp"
#include "os/clock.hpp"

using namespace oshen::bootstrap;

namespace {

int number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text != nullptr) return std::atoi(text);
  std::fprintf(stderr, "fake_pe: no %s, start it with oshrun\n", variable);
  std::exit(99);
}

job_page* map_job() {
  const int fd = number_of(job_fd_variable);
  const auto bytes = static_cast<std::size_t>(lseek(fd, 0, SEEK_END));
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  auto* page = static_cast<job_page*>(start);
  if (start == MAP_FAILED || page->magic != job_magic || bytes != job_bytes(page->n_pes)) {
    std::fprintf(stderr, "fake_pe: descriptor %d is not the page of a job\n", fd);
    std::exit(99);
  }
  return page;
}

void say_doing(activity& doing, const char* text) {
  doing.version.fetch_add(1);
  std::snprintf(doing.text, sizeof doing.text, "%s", text);
  doing.since_ns.store(oshen::os::now_ns());
  doing.version.fetch_add(1);
}

void stay(const char* file) {
  while (access(file, F_OK) == 0) usleep(10000);
}

void end_job(job_page* page, int pe, const char* status, std::string_view loudness) {
  auto none = oshen::bootstrap::ending_state::none;
  if (!page->ending.compare_exchange_strong(none, oshen::bootstrap::ending_state::claimed)) return;
  page->ending_pe = pe;
  page->ending_status = std::atoi(status);
  page->ending_quiet = loudness == "quiet";
  page->ending.store(oshen::bootstrap::ending_state::told);
}

}  // namespace

int main(int argc, char** argv) {
  job_page* page = map_job();
  const int pe = number_of(pe_variable);
  pe_record& self = records(page)[pe];
  self.pid = getpid();
  for (int i = 1; i < argc; ++i) {
    const std::string_view verb = argv[i];
    const auto next = [&] { return i + 1 < argc ? argv[++i] : "0"; };
    if (verb == "joined")
      self.state = pe_state::joined;
    else if (verb == "finalized")
      self.state = pe_state::finalized;
    else if (verb == "doing")
      say_doing(self.doing, next());
    else if (verb == "say")
      dprintf(STDOUT_FILENO, "%s\n", next());
    else if (verb == "setsid")
      setsid();
    else if (verb == "ignore")
      signal(std::atoi(next()), SIG_IGN);
    else if (verb == "stay")
      stay(next());
    else if (verb == "sleep")
      usleep(static_cast<useconds_t>(std::atof(next()) * 1e6));
    else if (verb == "exit")
      _exit(std::atoi(next()));
    else if (verb == "kill")
      kill(getpid(), std::atoi(next()));
    else if (verb == "end") {
      const char* status = next();
      end_job(page, pe, status, next());
    } else
      return 98;
  }
  return 0;
}
