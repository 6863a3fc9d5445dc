#include "remap.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "lines.hpp"
#include "snapshot.hpp"
#include "stopwatch.hpp"

namespace oshen::lammps {
namespace {

// The data that every rank needs from every other to compute its messages.
struct rank_request {
  block in;
  block out;
  int element;  // bytes; 0 if the arguments are unknown
  int permute;
};

rank_request rank_request_of(const request& r) {
  const bool known = r.nqty > 0 && (r.precision == 1 || r.precision == 2) && r.permute >= 0 && r.permute <= 2;
  return {r.in, r.out, known ? r.nqty * r.precision * 4 : 0, r.permute};
}

std::vector<rank_request> gather_requests(MPI_Comm comm, const rank_request& mine) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<rank_request> all(static_cast<std::size_t>(size));
  constexpr int bytes = static_cast<int>(sizeof(rank_request));
  MPI_Allgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm);
  return all;
}

bool same_on_all_ranks(const std::vector<rank_request>& all) {
  return all[0].element != 0 && std::all_of(all.begin(), all.end(), [&](const rank_request& s) {
           return s.element == all[0].element && s.permute == all[0].permute;
         });
}

}  // namespace

remap::remap(job& owner, MPI_Comm comm, const request& r) : owner_(owner), request_(r) {
  const rank_request mine = rank_request_of(r);
  storage_ = {static_cast<std::size_t>(mine.element), mine.permute};
  owner_.counts.plans++;
  if (owner_.carrying()) {
    plan_ = make_plan(comm);
    if (plan_ == nullptr) owner_.counts.plans_refused++;
  }
  if (plan_ == nullptr || owner_.mode().checks) original_ = original_create(comm, r);
}

remap::~remap() {
  collect_stats();
  oshen_plan_destroy(plan_);
  if (original_ != nullptr) original_destroy(original_);
}

// Returns null on all ranks of `comm` if one of them fails.
oshen_plan_t* remap::make_plan(MPI_Comm comm) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  const auto left = [&](const char* why) {
    owner_.left_to_lammps("a remap is left to MPI", why, me == 0);
    return nullptr;
  };
  const std::vector<rank_request> all = gather_requests(comm, rank_request_of(request_));
  if (!same_on_all_ranks(all)) return left("unknown element size or storage order, or different ones between ranks");
  group_ = &owner_.group_of(comm);
  if (group_->group == nullptr) return left(group_->why_unavailable);

  std::vector<block> in, out;
  for (const rank_request& s : all) {
    in.push_back(s.in);
    out.push_back(s.out);
  }
  const auto sending = sends(in, out, me, storage_);
  const auto receiving = receives(in, out, me, storage_);
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.strategy = owner_.mode().strategy.c_str();
  attr.sends = sending.data();
  attr.n_sends = static_cast<int>(sending.size());
  attr.receives = receiving.data();
  attr.n_receives = static_cast<int>(receiving.size());
  oshen_plan_t* plan = nullptr;
  const oshen_status_t status = oshen_plan_create(group_->group, &attr, &plan);
  return status == OSHEN_OK ? plan : left(oshen_status_text(status));
}

template <class Scalar>
void remap::run(Scalar* in, Scalar* out, Scalar* scratch) {
  const outermost_stopwatch part_of_fft(owner_.transforming, owner_.counts.transform_seconds);
  if (plan_ == nullptr) {
    owner_.counts.forwarded++;
    const stopwatch timed(owner_.counts.seconds);
    return original_remap(in, out, scratch, original_);
  }
  owner_.counts.carried++;
  if (owner_.mode().checks) return run_both(in, out, scratch);
  const stopwatch timed(owner_.counts.seconds);
  oshen_plan_run(plan_, in, out);
}
template void remap::run(double*, double*, double*);
template void remap::run(float*, float*, float*);

// Runs the exchange plan and then, from the same state of both buffers, LAMMPS' own remap, whose result is kept.
template <class Scalar>
void remap::run_both(Scalar* in, Scalar* out, Scalar* scratch) {
  const std::size_t out_bytes = request_.out.elements() * storage_.element;
  const snapshot in_before(in, request_.in.elements() * storage_.element);
  const snapshot out_before(out, out_bytes);
  {
    const stopwatch timed(owner_.counts.seconds);
    oshen_plan_run(plan_, in, out);
  }
  const snapshot result(out, out_bytes);
  out_before.restore(out);
  in_before.restore(in);
  original_remap(in, out, scratch, original_);
  const std::size_t at = result.difference(out);
  if (at != result.size()) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    say("check failed: rank %d, remap %llu: byte %zu of %zu differs (permute %d)", rank,
        static_cast<unsigned long long>(owner_.counts.carried), at, result.size(), storage_.permute);
    end_job();
  }
  owner_.counts.checked++;
}

// Adds the plan's statistics to the counters.
void remap::collect_stats() {
  if (plan_ == nullptr) return;
  oshen_plan_stats_t s{};
  oshen_plan_stats(plan_, &s, sizeof s);
  owner_.count_strategy(plan_);
  if (owner_.mode().stats && s.runs != 0) owner_.print_plan(plan_);
  auto& c = owner_.counts;
  c.bytes += s.bytes;
  c.bytes_direct += s.bytes_direct;
  c.pack_seconds += s.pack_seconds;
  c.wait_seconds += s.wait_seconds;
  c.unpack_seconds += s.unpack_seconds;
  if (s.latest_peer >= 0) owner_.add_wait(group_->pes[static_cast<std::size_t>(s.latest_peer)], s.latest_seconds);
}

}  // namespace oshen::lammps
