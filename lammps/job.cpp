#include "job.hpp"

#include <sched.h>
#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "end_job.hpp"
#include "entry.hpp"
#include "originals.hpp"
#include "oshen/mpi.h"
#include "roll_call.hpp"

namespace oshen::lammps {
namespace {

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  oshen_strategy_info_t row;
  for (int i = 0; oshen_strategy_at(i, &row); i++) names.emplace_back(row.name);
  return names;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Collective over `comm`: does nobody say no?
bool agreed(MPI_Comm comm, bool mine) {
  int yes = mine ? 1 : 0, all = 0;
  MPI_Allreduce(&yes, &all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

// At the end of a process: the others may have ended by other ways.
bool all_arrive() {
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
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed)
    std::fprintf(stderr, "oshen-lammps: cannot write %s=%s\n", report_variable, path);
}

}  // namespace

job& this_job() {
  static job only;
  return only;
}

void job::read_mode() {
  const char* words = std::getenv(mode_variable);
  const std::string wrong = parse(words, strategy_names(), how_);
  if (wrong.empty()) return;
  std::fprintf(stderr, "oshen-lammps: %s=%s: %s\n", mode_variable, words, wrong.c_str());
  end_job();
}

void job::start() {
  started_ = true;
  come_together();
  prepare_for_the_end();
}

void job::come_together() {
  read_mode();
  const attendance present = roll_call();
  together_ = present.all();
  if (!together_) {
    if (present.present > 0) {
      std::fprintf(stderr,
                   "oshen-lammps: only %d of %d processes have loaded the accelerator: running "
                   "without it. Preload it in all of them, as oshen-lammps does\n",
                   present.present, present.expected);
    }
    return;
  }
  if (!agreed(MPI_COMM_WORLD, !lammps_is_unknown())) {
    if (world_rank() == 0) {
      std::fputs(
          "oshen-lammps: this version of LAMMPS has none of the remap functions that we know: "
          "running without the accelerator\n",
          stderr);
    }
    return;
  }
  if (how_.carries) open_arena();
}

// The arena is half of what the heap can give; pages are used only when touched.
void job::open_arena() {
  const bool started = shmemx_init_mpi(MPI_COMM_WORLD) == 0;
  if (!agreed(MPI_COMM_WORLD, started)) {
    if (world_rank() == 0)
      std::fputs("oshen-lammps: OpenSHMEM could not start: running without it\n", stderr);
    return;
  }
  shmemx_heap_info_t heap{};
  shmemx_heap_info(&heap);
  if (oshen_arena_create(heap.largest_free / 2, &arena_) == OSHEN_OK) return;
  arena_ = nullptr;
  if (world_rank() == 0) {
    std::fputs("oshen-lammps: no symmetric memory for remaps: running without it\n", stderr);
  }
}

crew& job::crew_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> pes(static_cast<std::size_t>(size));
  const int me = shmem_my_pe();
  MPI_Allgather(&me, 1, MPI_INT, pes.data(), 1, MPI_INT, comm);
  const auto known =
      std::find_if(crews_.begin(), crews_.end(), [&](const auto& c) { return c->pes == pes; });
  if (known != crews_.end()) return **known;

  oshen_group_t* group = nullptr;
  const oshen_status_t status = oshen_group_create_from_list(arena_, pes.data(), size, &group);
  const char* why_not = status == OSHEN_OK ? "another rank could not make their group" : oshen_status_text(status);
  if (!agreed(comm, status == OSHEN_OK)) {
    oshen_group_destroy(group);
    group = nullptr;  // remembered as well: the answer would be the same
  }
  crews_.push_back(std::make_unique<crew>(crew{std::move(pes), group, why_not, {}}));
  return *crews_.back();
}

void job::left_to_lammps(const char* what, const std::string& why, bool speaker) {
  if (!why_left_.add(why) || !speaker) return;
  const char* hint = why == oshen_status_text(OSHEN_NO_SPACE) ? " (see SHMEM_SYMMETRIC_SIZE)" : "";
  std::fprintf(stderr, "oshen-lammps: %s: %s%s\n", what, why.c_str(), hint);
}

void job::waited_for(int rank, double seconds) {
  const auto index = static_cast<std::size_t>(rank);
  if (waited_.size() <= index) waited_.resize(index + 1);
  waited_[index] += seconds;
}

std::string job::strategies_used() const {
  std::map<std::string, std::size_t> sum;
  for (const auto& c : crews_) {
    for (const auto& [name, plans] : c->chosen.used()) sum[name] += plans;
  }
  std::string text;
  for (const auto& [name, plans] : sum)
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(plans);
  return text;
}

void job::report() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto n = static_cast<std::size_t>(size);
  waited_.resize(n);
  MPI_Allreduce(MPI_IN_PLACE, waited_.data(), size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  counts.awaited_seconds = waited_[static_cast<std::size_t>(world_rank())];

  std::vector<ledger> ranks(n);
  constexpr int bytes = static_cast<int>(sizeof(ledger));
  MPI_Gather(&counts, bytes, MPI_BYTE, ranks.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (world_rank() != 0) return;
  const summary all{how_, ranks, strategies_used(), why_left_.text()};
  std::fputs(banner(all).c_str(), stderr);
  advice_ = advice(all);
  const char* path = std::getenv(report_variable);
  if (path != nullptr && *path != '\0') write_report(path, json(all));
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF first, the last one set before the others:
// ours before that of oshen/mpi.h, whose communicator we still need.
void job::start_late() {
  if (started_) return;
  start();
  int key = MPI_KEYVAL_INVALID;
  const auto at_finalize = [](MPI_Comm, int, void* self, void*) {
    static_cast<job*>(self)->stop();
    return MPI_SUCCESS;
  };
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, this);
  MPI_Comm_free_keyval(&key);
}

void job::stop() {
  if (together_) report();
  together_ = false;
  if (arena_ == nullptr) return;
  for (const auto& c : crews_) oshen_group_destroy(c->group);
  crews_.clear();
  oshen_arena_destroy(arena_);
  arena_ = nullptr;
  shmem_finalize();
}

bool job::all_have_ended() const {
  return together_ && all_arrive();
}

void job::give_advice() {
  std::fputs(advice_.c_str(), stderr);
}

}  // namespace oshen::lammps
