#include "remap.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

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

class stopwatch {
 public:
  explicit stopwatch(double& seconds) : seconds_(seconds) {}
  ~stopwatch() { seconds_ += std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  double& seconds_;
  clock::time_point start_ = clock::now();
};

// A copy of what is in a user's buffer.
class snapshot {
 public:
  snapshot(const void* from, std::size_t bytes) : bytes_(bytes) {
    if (bytes != 0) std::memcpy(bytes_.data(), from, bytes);
  }
  void restore(void* to) const {
    if (!bytes_.empty()) std::memcpy(to, bytes_.data(), bytes_.size());
  }
  // Offset of the first byte that differs, or size() if none does.
  std::size_t difference(const void* with) const {
    const auto* other = static_cast<const unsigned char*>(with);
    const auto at = std::mismatch(bytes_.begin(), bytes_.end(), other).first;
    return static_cast<std::size_t>(at - bytes_.begin());
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<unsigned char> bytes_;
};

}  // namespace

remap::remap(job& owner, MPI_Comm comm, const request& r) : owner_(owner), request_(r) {
  const share mine = share_of(r);
  how_ = {static_cast<std::size_t>(mine.element), mine.permute};
  owner_.counts.plans++;
  if (owner_.carrying()) {
    ours_ = plan_over(comm);
    if (ours_ == nullptr) owner_.counts.plans_refused++;
  }
  if (ours_ == nullptr || owner_.how() == mode::check) original_ = original_create(comm, r);
}

remap::~remap() {
  settle();
  oshen_plan_destroy(ours_);
  if (original_ != nullptr) original_destroy(original_);
}

// Null on all ranks of `comm` when one of them cannot.
oshen_plan_t* remap::plan_over(MPI_Comm comm) const {
  const std::vector<share> all = gather_shares(comm, share_of(request_));
  if (!same_everywhere(all)) return nullptr;
  oshen_group_t* group = owner_.group_of(comm);
  if (group == nullptr) return nullptr;

  int me = 0;
  MPI_Comm_rank(comm, &me);
  std::vector<block> in, out;
  for (const share& s : all) {
    in.push_back(s.in);
    out.push_back(s.out);
  }
  const auto sending = sends(in, out, me, how_);
  const auto receiving = receives(in, out, me, how_);
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.sends = sending.data();
  attr.n_sends = static_cast<int>(sending.size());
  attr.receives = receiving.data();
  attr.n_receives = static_cast<int>(receiving.size());
  oshen_plan_t* plan = nullptr;
  const oshen_status_t status = oshen_plan_create(group, &attr, &plan);
  if (status != OSHEN_OK && me == 0) {
    std::fprintf(stderr, "oshen-lammps: a remap is left to MPI: %s (see SHMEM_SYMMETRIC_SIZE)\n",
                 oshen_status_text(status));
  }
  return plan;
}

template <class Scalar>
void remap::run(Scalar* in, Scalar* out, Scalar* scratch) {
  if (ours_ == nullptr) {
    owner_.counts.forwarded++;
    const stopwatch timed(owner_.counts.seconds);
    return original_remap(in, out, scratch, original_);
  }
  owner_.counts.carried++;
  if (owner_.how() == mode::check) return run_both(in, out, scratch);
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
    PMPI_Abort(MPI_COMM_WORLD, 1);
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
}

}  // namespace oshen::lammps
