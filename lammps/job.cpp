#include "job.hpp"

#include <sched.h>
#include <shmem.h>
#include <shmemx.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "interpose.hpp"
#include "lines.hpp"
#include "originals.hpp"
#include "oshen/mpi.h"
#include "presence.hpp"

namespace oshen::lammps {
namespace {

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  oshen_strategy_info_t row;
  for (int i = 0; oshen_strategy_at(i, &row, sizeof row); i++) names.emplace_back(row.name);
  return names;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Whether all ranks of `comm` agree. Collective.
bool all_agree(MPI_Comm comm, bool mine) {
  int yes = mine ? 1 : 0, all = 0;
  MPI_Allreduce(&yes, &all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

// Whether all processes reach their end. Some may have ended otherwise, so this gives up after a time limit.
bool all_reach_end() {
  constexpr std::chrono::seconds limit{5};
  const auto end = std::chrono::steady_clock::now() + limit;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int all = 0; std::chrono::steady_clock::now() < end; sched_yield()) {
    MPI_Test(&request, &all, MPI_STATUS_IGNORE);
    if (all != 0) return true;
  }
  return false;
}

void write_report(const char* path, const std::string& text) {
  std::FILE* file = std::fopen(path, "w");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed) say("cannot write %s=%s", report_variable, path);
}

// After an error other ranks may be anywhere, and LAMMPS has reported it: only a successful process reports.
void at_exit(int status, void*) {
  if (status != EXIT_SUCCESS) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && this_job().all_at_exit()) {
    destroy_transforms();
    destroy_remaps();
    this_job().stop();
  }
  this_job().print_advice();
}

// Exit handlers and destructors of static objects run in reverse order of their registration. This handler must run
// before the tables of plans and the objects of OpenSHMEM are destroyed, so those tables are created first.
void register_exit_handler() {
  destroy_transforms();
  destroy_remaps();
  on_exit(at_exit, nullptr);
}

}  // namespace

void end_job() {
  // Launchers drop unread output of a rank that aborts, so this gives them time to read it.
  constexpr useconds_t delay = 200'000;
  usleep(delay);
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

job& this_job() {
  static job only;
  return only;
}

void job::read_mode() {
  const char* words = std::getenv(mode_variable);
  const std::string wrong = parse(words, strategy_names(), mode_);
  if (wrong.empty()) return;
  say("%s=%s: %s", mode_variable, words, wrong.c_str());
  end_job();
}

void job::start() {
  started_ = true;
  check_processes();
  register_exit_handler();
}

void job::check_processes() {
  read_mode();
  const presence present = check_presence();
  all_present_ = present.all();
  if (!all_present_) {
    if (present.present > 0) {
      say("only %d of %d processes have loaded the accelerator: running without it; preload it in all processes, as "
          "oshen-lammps does",
          present.present, present.expected);
    }
    return;
  }
  if (!all_agree(MPI_COMM_WORLD, !lammps_is_unknown())) {
    if (world_rank() == 0) say("this version of LAMMPS has no known remap function: running without the accelerator");
    return;
  }
  if (mode_.carries) open_arena();
}

// Takes half of the heap; pages are used only when touched.
void job::open_arena() {
  const bool started = shmemx_init_mpi(MPI_COMM_WORLD) == 0;
  if (!all_agree(MPI_COMM_WORLD, started)) {
    if (world_rank() == 0) say("cannot start OpenSHMEM: running without the accelerator");
    return;
  }
  shmemx_heap_info_t heap{};
  shmemx_heap_info(&heap, sizeof heap);
  if (oshen_arena_create(heap.largest_free / 2, &arena_) == OSHEN_OK) return;
  arena_ = nullptr;
  if (world_rank() == 0) say("cannot allocate symmetric memory for remaps: running without the accelerator");
}

rank_group& job::group_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> pes(static_cast<std::size_t>(size));
  const int me = shmem_my_pe();
  MPI_Allgather(&me, 1, MPI_INT, pes.data(), 1, MPI_INT, comm);
  const auto known = std::find_if(groups_.begin(), groups_.end(), [&](const auto& c) { return c->pes == pes; });
  if (known != groups_.end()) return **known;

  oshen_group_t* group = nullptr;
  const oshen_status_t status = oshen_group_create_from_list(arena_, pes.data(), size, &group);
  const char* why_unavailable =
      status == OSHEN_OK ? "another rank could not make the group" : oshen_status_text(status);
  if (!all_agree(comm, status == OSHEN_OK)) {
    oshen_group_destroy(group);
    group = nullptr;  // remembered as well, because a second attempt would fail too
  }
  groups_.push_back(std::make_unique<rank_group>(rank_group{std::move(pes), group, why_unavailable}));
  return *groups_.back();
}

void job::left_to_lammps(const char* what, const std::string& why, bool prints) {
  if (!why_left_.add(why) || !prints) return;
  const char* hint = why == oshen_status_text(OSHEN_NO_SPACE) ? " (see SHMEM_SYMMETRIC_SIZE)" : "";
  say("%s: %s%s", what, why.c_str(), hint);
}

void job::add_wait(int rank, double seconds) {
  const auto index = static_cast<std::size_t>(rank);
  if (waits_.size() <= index) waits_.resize(index + 1);
  waits_[index] += seconds;
}

void job::print_plan(const oshen_plan_t* plan) const {
  char text[600];
  if (world_rank() != 0) return;
  oshen_plan_describe(plan, text, sizeof text);
  say("plan: %s", text);
}

void job::report() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto n = static_cast<std::size_t>(size);
  waits_.resize(n);
  MPI_Allreduce(MPI_IN_PLACE, waits_.data(), size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  counts.awaited_seconds = waits_[static_cast<std::size_t>(world_rank())];

  std::vector<counters> ranks(n);
  constexpr int bytes = static_cast<int>(sizeof(counters));
  MPI_Gather(&counts, bytes, MPI_BYTE, ranks.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (world_rank() != 0) return;
  double budget = 0, lost = 0;
  oshen_exchange_trials(&budget, &lost);
  const summary all{mode_, ranks, strategies_.text(), why_left_.text(), budget, lost, choices.lines()};
  print(banner(all));
  advice_ = advice(all);
  const char* path = std::getenv(report_variable);
  if (path != nullptr && *path != '\0') write_report(path, json(all));
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF first, and the latest one before the others. So this one is
// deleted before that of oshen/mpi.h, whose communicator is still needed.
void job::start_late() {
  if (started_) return;
  start();
  int key = MPI_KEYVAL_INVALID;
  const auto at_finalize = [](MPI_Comm, int, void* self, void*) -> int {
    static_cast<job*>(self)->stop();
    return MPI_SUCCESS;
  };
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, this);
  MPI_Comm_free_keyval(&key);
}

void job::stop() {
  if (all_present_) report();
  all_present_ = false;
  if (arena_ == nullptr) return;
  for (const auto& c : groups_) oshen_group_destroy(c->group);
  groups_.clear();
  oshen_arena_destroy(arena_);
  arena_ = nullptr;
  shmem_finalize();
}

bool job::all_at_exit() const { return all_present_ && all_reach_end(); }

void job::print_advice() { print(advice_); }

}  // namespace oshen::lammps
