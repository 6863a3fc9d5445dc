#include "start.hpp"

#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <random>

#include "pe.hpp"
#include "recording.hpp"
#include "search.hpp"

namespace explore {
namespace {

constexpr std::size_t heap_bytes = std::size_t{1} << 30;  // of addresses; memory is taken when it is written
constexpr int bad_usage = 2;

[[noreturn]] void give_up(const char* text) {
  std::fprintf(stderr, "explore: %s\n", text);
  _exit(bad_usage);
}

const char* variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

request_of_user read_request() {
  request_of_user asked;
  asked.most_orders = std::strtoull(variable("OSHEN_TEST_EXPLORE_ORDERS"), nullptr, 10);
  asked.record = variable("OSHEN_TEST_EXPLORE_RECORD");
  asked.replay = variable("OSHEN_TEST_EXPLORE_REPLAY");
  asked.trace = variable("OSHEN_TEST_EXPLORE_TRACE");
  asked.every_order = *variable("OSHEN_TEST_EXPLORE_ALL") != '\0';
  if (*variable("OSHEN_TEST_EXPLORE_PAUSE") != '\0') asked.pause = std::atoi(variable("OSHEN_TEST_EXPLORE_PAUSE"));
  asked.most_seconds = std::atof(variable("OSHEN_TEST_EXPLORE_TIME"));
  if (*variable("OSHEN_TEST_EXPLORE_SEED") != '\0')
    asked.seed = std::strtoull(variable("OSHEN_TEST_EXPLORE_SEED"), nullptr, 10);
  asked.any_output = *variable("OSHEN_TEST_EXPLORE_ANY_OUTPUT") != '\0';
  asked.races = *variable("OSHEN_TEST_EXPLORE_RACES") != '\0';
  asked.only_one = *variable("OSHEN_TEST_EXPLORE_ONE") != '\0';
  if (asked.only_one && !asked.seed) asked.seed = std::random_device()();
  const std::string pes = variable("OSHEN_TEST_EXPLORE_PES");
  if (pes.empty())
    give_up("this program was built with oshcc --explore: run it with oshrun --explore -n PES, or build it without");
  asked.n_pes = std::atoi(pes.c_str());
  return asked;
}

// The first object is the executable.
int add_globals(dl_phdr_info* object, std::size_t, void* to) {
  auto& memory = *static_cast<symmetric_memory*>(to);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uint64_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) memory.globals.push_back({begin, begin + part.p_memsz});
  }
  return 1;
}

void* shared_memory(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) give_up("no memory");
  return at;
}

void find_symmetric_memory() {
  symmetric_memory& memory = pe::here().symmetric();
  dl_iterate_phdr(add_globals, &memory);
  void* heap = mmap(nullptr, heap_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (heap == MAP_FAILED) give_up("no memory for the symmetric heap");
  const auto begin = reinterpret_cast<std::uint64_t>(heap);
  memory.heap = {begin, begin + heap_bytes};
}

void make_outputs(processes& all, int n_pes, bool kept) {
  for (int i = 0; i < n_pes; ++i) {
    all.output[i] = kept ? memfd_create("output", 0) : -1;
    all.errors[i] = kept ? memfd_create("errors", 0) : -1;
    if (!kept) continue;
    if (all.output[i] < 0 || all.errors[i] < 0) give_up("cannot make a file for the output");
    fcntl(all.output[i], F_SETFL, O_APPEND);
    fcntl(all.errors[i], F_SETFL, O_APPEND);
  }
}

bool is_debugged() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "TracerPid:") return status >> word && word != "0";
  return false;
}

// In a new PE: output to its files, and the scheduler may read its memory.
void prepare_pe(const processes& all, int number, const request_of_user& asked) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  if (all.output[number] >= 0) {
    dup2(all.output[number], STDOUT_FILENO);
    dup2(all.errors[number], STDERR_FILENO);
  }
  if (number != asked.pause) return;
  std::fprintf(stderr, "explore: PE %d waits for a debugger: gdb -p %d, set breakpoints, continue\n", number, getpid());
  while (!is_debugged()) usleep(50'000);
}

// Waits for all PEs of this order. The scheduler is told before a process is gone, so that it never kills another one.
void watch(shared_area& area, pid_t scheduler) {
  for (int left = area.n_pes; left > 0;) {
    siginfo_t ended{};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) != 0) continue;
    int status = 0;
    if (ended.si_pid == scheduler) return;
    for (int i = 0; i < area.n_pes; ++i) {
      mailbox& box = area.boxes[slot_of(i, 0)];
      if (box.pid != ended.si_pid) continue;
      box.status = ended.si_code == CLD_EXITED ? ended.si_status << 8 : ended.si_status;
      box.ended.store(1, std::memory_order_release);
      --left;
    }
    waitpid(ended.si_pid, &status, 0);
    area.attention.fetch_add(1, std::memory_order_release);
    futex_wake(area.attention);
  }
}

// Returns in a PE.
void serve(const processes& all, pid_t scheduler, const request_of_user& asked) {
  shared_area& area = *all.area;
  for (std::uint32_t seen = 0;; ++seen) {
    while (area.order.load(std::memory_order_acquire) == seen) {
      futex_wait(area.order, seen, 1);
      int status = 0;
      const bool has_ended = waitpid(scheduler, &status, WNOHANG) == scheduler;
      if (!has_ended || area.order.load(std::memory_order_acquire) != seen) continue;
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
        _exit(128 + SIGPIPE);  // its reader has gone, such as head
      give_up("the search has ended unexpectedly");
    }
    if (area.what == command::stop) break;
    for (int i = 0; i < area.n_pes; ++i) {
      const pid_t child = fork();
      if (child < 0) give_up("cannot fork");
      if (child == 0) {
        prepare_pe(all, i, asked);
        pe::here().become(area, i);
        return;
      }
      area.boxes[slot_of(i, 0)].pid = child;
    }
    watch(area, scheduler);
  }
  int status = 0;
  waitpid(scheduler, &status, 0);
  _exit(area.exit_status);
}

}  // namespace

void become_pe(explore_call) {
  request_of_user asked = read_request();
  std::optional<recording> order;
  if (!asked.replay.empty()) {
    order = read_recording(asked.replay);
    asked.n_pes = order->n_pes;
    asked.races = order->ending.starts_with(std::string(race) + ": ");
  }
  processes all;
  all.area = new (shared_memory(sizeof(shared_area))) shared_area;
  all.area->n_pes = asked.n_pes;
  find_symmetric_memory();
  make_outputs(all, asked.n_pes, asked.replay.empty() && !asked.only_one);
  start_clocks(order ? order->clock : 0);
  use_one_cpu();
  const pid_t template_process = getpid();
  const pid_t scheduler = fork();
  if (scheduler < 0) give_up("cannot fork");
  if (scheduler == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != template_process) _exit(bad_usage);
    all.area->exit_status = search(all, asked, order ? &*order : nullptr);
    all.area->what = command::stop;
    all.area->order.fetch_add(1, std::memory_order_release);
    futex_wake(all.area->order);
    _exit(0);
  }
  serve(all, scheduler, asked);
}

}  // namespace explore
