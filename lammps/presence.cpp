#include "presence.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace oshen::lammps {
namespace {

constexpr int tag = 27182;  // below 32767, the largest tag that every MPI allows
// Rank 0 waits this long for the other ranks, which call shortly after the same MPI_Init. They wait longer for its
// answer than rank 0 needs.
constexpr std::chrono::seconds roll_time{10}, answer_time{60};

bool completed(std::vector<MPI_Request>& requests, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    sched_yield();
  }
}

// Cancels a receive that is still pending. Returns true if the message had arrived after all.
bool arrived_or_cancelled(MPI_Request& receive) {
  if (receive == MPI_REQUEST_NULL) return true;
  MPI_Status status;
  int cancelled = 0;
  MPI_Cancel(&receive);
  MPI_Wait(&receive, &status);
  MPI_Test_cancelled(&status, &cancelled);
  return cancelled == 0;
}

presence collect_answers(int size) {
  const auto others = static_cast<std::size_t>(size - 1);
  std::vector<MPI_Request> waiting(others);
  std::vector<int> word(others);
  for (int r = 1; r < size; r++) {
    const auto i = static_cast<std::size_t>(r - 1);
    MPI_Irecv(&word[i], 1, MPI_INT, r, tag, MPI_COMM_WORLD, &waiting[i]);
  }
  completed(waiting, roll_time);
  std::vector<int> here;
  for (int r = 1; r < size; r++) {
    if (arrived_or_cancelled(waiting[static_cast<std::size_t>(r - 1)])) here.push_back(r);
  }
  const presence result{static_cast<int>(here.size()) + 1, size};
  const int verdict = result.all() ? 1 : 0;
  for (const int r : here) MPI_Send(&verdict, 1, MPI_INT, r, tag, MPI_COMM_WORLD);
  return result;
}

presence send_answer(int size) {
  const int word = 1;
  int verdict = 0;
  std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
  MPI_Isend(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&verdict, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[1]);
  if (!completed(requests, answer_time)) {
    if (requests[0] != MPI_REQUEST_NULL) MPI_Request_free(&requests[0]);
    if (!arrived_or_cancelled(requests[1])) verdict = 0;
  }
  return {verdict != 0 ? size : 0, size};
}

}  // namespace

presence check_presence() {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) return {1, 1};
  return rank == 0 ? collect_answers(size) : send_answer(size);
}

}  // namespace oshen::lammps
