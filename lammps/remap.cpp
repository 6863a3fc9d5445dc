#include "remap.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "end_job.hpp"
#include "snapshot.hpp"
#include "stopwatch.hpp"

namespace oshen::lammps {
namespace {

// What every rank must know of every other to see who sends what to whom.
struct share {
  block in;
  block out;
  int element;  // bytes; 0 when the arguments are none that we know
  int permute;
};

share share_of(const request& r) {
  const bool known =
      r.nqty > 0 && (r.precision == 1 || r.precision == 2) && r.permute >= 0 && r.permute <= 2;
  return {r.in, r.out, known ? r.nqty * r.precision * 4 : 0, r.permute};
}

std::vector<share> gather_shares(MPI_Comm comm, const share& mine) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<share> all(static_cast<std::size_t>(size));
  constexpr int bytes = static_cast<int>(sizeof(share));
  MPI_Allgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm);
  return all;
}

bool same_everywhere(const std::vector<share>& all) {
  return all[0].element != 0 && std::all_of(all.begin(), all.end(), [&](const share& s) {
           return s.element == all[0].element && s.permute == all[0].permute;
         });
}

// All that tells one plan of a crew from another.
std::string kind_of(const std::vector<share>& all) {
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(share)};
}

}  // namespace

remap::remap(job& owner, MPI_Comm comm, const request& r) : owner_(owner), request_(r) {
  const share mine = share_of(r);
  how_ = {static_cast<std::size_t>(mine.element), mine.permute};
  owner_.counts.plans++;
  if (owner_.carrying()) {
    ours_ = plan_over(comm);
    if (ours_ == nullptr) owner_.counts.plans_refused++;
  }
  if (ours_ == nullptr || owner_.how().checks) original_ = original_create(comm, r);
}

remap::~remap() {
  settle();
  oshen_plan_destroy(ours_);
  if (original_ != nullptr) original_destroy(original_);
}

// Null on all ranks of `comm` when one of them cannot.
oshen_plan_t* remap::plan_over(MPI_Comm comm) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  const auto left = [&](const char* why) {
    owner_.left_to_lammps("a remap is left to MPI", why, me == 0);
    return nullptr;
  };
  const std::vector<share> all = gather_shares(comm, share_of(request_));
  if (!same_everywhere(all)) return left("its elements or its order are none that we know, or differ between ranks");
  crew_ = &owner_.crew_of(comm);
  if (crew_->group == nullptr) return left(crew_->why_not);

  std::vector<block> in, out;
  for (const share& s : all) {
    in.push_back(s.in);
    out.push_back(s.out);
  }
  const auto sending = sends(in, out, me, how_);
  const auto receiving = receives(in, out, me, how_);
  const std::string kind = kind_of(all);
  const std::string& wanted = owner_.how().strategy;
  const std::string strategy = wanted == "auto" ? crew_->chosen.find(kind) : wanted;
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.strategy = strategy.c_str();
  attr.sends = sending.data();
  attr.n_sends = static_cast<int>(sending.size());
  attr.receives = receiving.data();
  attr.n_receives = static_cast<int>(receiving.size());
  oshen_plan_t* plan = nullptr;
  const oshen_status_t status = oshen_plan_create(crew_->group, &attr, &plan);
  if (status == OSHEN_OK) crew_->chosen.remember(kind, oshen_plan_strategy(plan));
  return status == OSHEN_OK ? plan : left(oshen_status_text(status));
}

template <class Scalar>
void remap::run(Scalar* in, Scalar* out, Scalar* scratch) {
  const outermost_stopwatch part_of_fft(owner_.transforming, owner_.counts.transform_seconds);
  if (ours_ == nullptr) {
    owner_.counts.forwarded++;
    const stopwatch timed(owner_.counts.seconds);
    return original_remap(in, out, scratch, original_);
  }
  owner_.counts.carried++;
  if (owner_.how().checks) return run_both(in, out, scratch);
  const stopwatch timed(owner_.counts.seconds);
  oshen_plan_run(ours_, in, out);
}
template void remap::run(double*, double*, double*);
template void remap::run(float*, float*, float*);

// First ours, then, from the same state of both buffers, LAMMPS' own, whose result stays.
template <class Scalar>
void remap::run_both(Scalar* in, Scalar* out, Scalar* scratch) {
  const std::size_t out_bytes = request_.out.elements() * how_.element;
  const snapshot in_before(in, request_.in.elements() * how_.element);
  const snapshot out_before(out, out_bytes);
  {
    const stopwatch timed(owner_.counts.seconds);
    oshen_plan_run(ours_, in, out);
  }
  const snapshot result(out, out_bytes);
  out_before.restore(out);
  in_before.restore(in);
  original_remap(in, out, scratch, original_);
  const std::size_t at = result.difference(out);
  if (at != result.size()) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(
        stderr,
        "oshen-lammps: check failed: rank %d, remap %llu: byte %zu of %zu differs (permute %d)\n",
        rank, static_cast<unsigned long long>(owner_.counts.carried), at, result.size(),
        how_.permute);
    end_job();
  }
  owner_.counts.checked++;
}

// Enters what the plan has done into the books.
void remap::settle() {
  if (ours_ == nullptr) return;
  oshen_plan_stats_t s{};
  oshen_plan_stats(ours_, &s);
  auto& c = owner_.counts;
  c.bytes += s.bytes;
  c.bytes_direct += s.bytes_direct;
  c.pack_seconds += s.pack_seconds;
  c.wait_seconds += s.wait_seconds;
  c.unpack_seconds += s.unpack_seconds;
  if (s.latest_peer >= 0)
    owner_.waited_for(crew_->pes[static_cast<std::size_t>(s.latest_peer)], s.latest_seconds);
}

}  // namespace oshen::lammps
