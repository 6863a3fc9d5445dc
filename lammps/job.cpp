#include "job.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "oshen/mpi.h"
#include "roll_call.hpp"

namespace oshen::lammps {
namespace {

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

void job::start() {
  started_ = true;
  const char* word = std::getenv(mode_variable);
  if (!parse(word, how_)) {
    std::fprintf(stderr, "oshen-lammps: %s=%s is not %s\n", mode_variable, word, mode_words);
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  const attendance present = roll_call();
  together_ = present.all();
  if (together_ && carries(how_)) open_arena();
  if (!together_ && present.present > 0) {
    std::fprintf(stderr,
                 "oshen-lammps: only %d of %d processes have loaded the accelerator: running "
                 "without it. Preload it in all of them, as oshen-lammps does\n",
                 present.present, present.expected);
  }
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

oshen_group_t* job::group_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> pes(static_cast<std::size_t>(size));
  const int me = shmem_my_pe();
  MPI_Allgather(&me, 1, MPI_INT, pes.data(), 1, MPI_INT, comm);
  const auto known =
      std::find_if(groups_.begin(), groups_.end(), [&](const auto& g) { return g.pes == pes; });
  if (known != groups_.end()) return known->group;

  shmem_team_t team = SHMEM_TEAM_INVALID;
  oshen_group_t* group = nullptr;
  const bool made = shmemx_team_create_from_list(pes.data(), size, &team) == 0 &&
                    oshen_group_create(arena_, team, &group) == OSHEN_OK;
  if (!agreed(comm, made)) {
    oshen_group_destroy(group);
    group = nullptr;  // remembered as well: the answer would be the same
  }
  groups_.push_back({std::move(pes), group});
  return group;
}

void job::report() const {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<ledger> ranks(static_cast<std::size_t>(size));
  constexpr int bytes = static_cast<int>(sizeof(ledger));
  MPI_Gather(&counts, bytes, MPI_BYTE, ranks.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (world_rank() != 0) return;
  std::fputs(banner(how_, ranks).c_str(), stderr);
  const char* path = std::getenv(report_variable);
  if (path != nullptr && *path != '\0') write_report(path, json(how_, ranks));
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
  for (const auto& g : groups_) oshen_group_destroy(g.group);
  groups_.clear();
  oshen_arena_destroy(arena_);
  arena_ = nullptr;
  shmem_finalize();  // ends the teams as well
}

}  // namespace oshen::lammps
