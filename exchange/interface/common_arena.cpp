// The arena and the groups that oshen/mpi_plans.h creates for communicators of MPI. Independent of the ABI of MPI.
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "oshen/exchange.h"

// Also declared in oshen/mpi_plans.h, which cannot be included without an mpi.h.
extern "C" {
oshen_status_t oshen_mpi_common_open(std::size_t bytes, int job);
int oshen_mpi_common_job(void);
oshen_status_t oshen_mpi_common_group(const int* pes, int n_pes, oshen_group_t** group);
void oshen_mpi_common_close(void);
void oshen_mpi_common_report(const char* routine, const char* what);
void oshen_mpi_common_report_space(const char* routine, std::size_t needed, std::size_t heap);
}

namespace {

struct listed_group {
  std::vector<int> pes;
  oshen_group_t* group;
};

struct common_arena {
  oshen_arena_t* arena;
  int job;
  std::vector<listed_group> groups;  // in the order of creation, which is the same on all members
};

// Null unless open.
std::unique_ptr<common_arena>& common() {
  static std::unique_ptr<common_arena> only;
  return only;
}

// The start of a line; without a PE before OpenSHMEM runs.
void print_origin(const char* routine) {
  if (common() != nullptr) {
    std::fprintf(stderr, "oshen: PE %d: %s: ", shmem_my_pe(), routine);
  } else {
    std::fprintf(stderr, "oshen: %s: ", routine);
  }
}

// Launchers drop what a process that aborts has printed and they have not passed on yet.
void let_launcher_read_errors() {
  using std::chrono::milliseconds;
  constexpr milliseconds to_pass_on{200}, patience{2000};
  struct stat about;
  const bool is_pipe = fstat(STDERR_FILENO, &about) == 0 && S_ISFIFO(about.st_mode);
  int unread = 0;
  for (milliseconds waited{0}; is_pipe && waited < patience; waited += milliseconds(1)) {
    if (ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0) break;
    std::this_thread::sleep_for(milliseconds(1));
  }
  std::this_thread::sleep_for(to_pass_on);
}

}  // namespace

oshen_status_t oshen_mpi_common_open(std::size_t bytes, int job) {
  oshen_arena_t* arena = nullptr;
  const oshen_status_t status = oshen_arena_create(bytes, &arena);
  if (status == OSHEN_OK) common() = std::make_unique<common_arena>(common_arena{arena, job, {}});
  return status;
}

int oshen_mpi_common_job(void) { return common() != nullptr ? common()->job : -1; }

oshen_status_t oshen_mpi_common_group(const int* pes, int n_pes, oshen_group_t** group) {
  std::vector<int> wanted(pes, pes + n_pes);
  for (const listed_group& known : common()->groups) {
    if (known.pes != wanted) continue;
    *group = known.group;
    return OSHEN_OK;
  }
  const oshen_status_t status = oshen_group_create_from_list(common()->arena, pes, n_pes, group);
  if (status == OSHEN_OK) common()->groups.push_back({std::move(wanted), *group});
  return status;
}

void oshen_mpi_common_close(void) {
  if (common() == nullptr) return;
  for (const listed_group& listed : common()->groups) oshen_group_destroy(listed.group);
  oshen_arena_destroy(common()->arena);
  common().reset();
}

void oshen_mpi_common_report(const char* routine, const char* what) {
  if (what != nullptr) {
    print_origin(routine);
    std::fprintf(stderr, "%s\n", what);
  }
  std::fflush(stderr);
  let_launcher_read_errors();
}

void oshen_mpi_common_report_space(const char* routine, std::size_t needed, std::size_t heap) {
  print_origin(routine);
  std::fprintf(stderr, "too little symmetric memory: ");
  if (needed > 0) std::fprintf(stderr, "expected %zu contiguous bytes; ", needed);
  std::fprintf(stderr, "plans have half of the heap of %zu bytes; set SHMEM_SYMMETRIC_SIZE to more\n", heap);
}
