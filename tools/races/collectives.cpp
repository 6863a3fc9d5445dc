// Collectives: what they order, and which PE writes where. The detector meets the other PEs before the operation. That
// changes no result, because order is found by clocks and not by time.
#include "calls.h"
#include "detector.hpp"
#include "group.hpp"
#include "settings.hpp"

using races::channel;
using races::chosen;
using races::detector;
using races::meet;
using races::members;
using races::members_of;
using races::of_this_pe;
using races::operation;
using races::region_header;

namespace {

// One collective of this PE.
struct call {
  std::uint32_t at;
  int flow;
  const members& all;
  void* dest;
  const void* source;
  races_shape shape;
  int root;
  bool active_set;
  std::size_t place, all_bytes;  // of a collect: where this PE's block begins in dest, and the bytes of all

  bool is_root() const { return root == static_cast<int>(all.mine); }

  std::size_t source_blocks() const { return flow == races_alltoall ? all.pes.size() : 1; }

  // The part of dest on PE `pe` that this PE's block fills.
  void write_on(detector& d, int pe) const {
    const operation arrives{.site = at, .writes = true};
    const std::size_t bytes = shape.bsize * shape.nblocks;
    auto* at_dest = static_cast<char*>(dest);
    if (flow == races_broadcast) {
      d.check(d.find_at(at_dest, pe), bytes, arrives);
    } else if (flow == races_collect) {
      d.check(d.find_at(at_dest + place, pe), bytes, arrives);
    } else if (flow == races_fcollect || shape.dst == static_cast<std::ptrdiff_t>(shape.bsize)) {
      d.check(d.find_at(at_dest + all.mine * bytes, pe), bytes, arrives);
    } else {
      at_dest += static_cast<std::ptrdiff_t>(all.mine * shape.nblocks) * shape.dst;
      for (std::size_t i = 0; i < shape.nblocks; ++i)
        d.check(d.find_at(at_dest + static_cast<std::ptrdiff_t>(i) * shape.dst, pe), shape.bsize, arrives);
    }
  }

  void read_source(detector& d) const {
    if (source == nullptr || (flow == races_broadcast && !is_root())) return;
    const auto* from = static_cast<const char*>(source);
    const std::size_t blocks = shape.nblocks * source_blocks();
    if (shape.sst == static_cast<std::ptrdiff_t>(shape.bsize)) {
      d.check(d.find(from), shape.bsize * blocks, {.site = at});
    } else {
      for (std::size_t i = 0; i < blocks; ++i)
        d.check(d.find(from + static_cast<std::ptrdiff_t>(i) * shape.sst), shape.bsize, {.site = at});
    }
  }

  // The part of this PE's dest that the others fill.
  void write_own(detector& d) const {
    if (flow == races_collect) return d.check(d.find(dest), all_bytes, {.site = at, .writes = true});
    std::size_t blocks = flow == races_alltoall || flow == races_fcollect ? all.pes.size() : 1;
    if (flow == races_broadcast && active_set && is_root()) blocks = 0;
    const bool dense = flow == races_fcollect || shape.dst == static_cast<std::ptrdiff_t>(shape.bsize);
    const std::size_t bytes = dense ? shape.bsize * shape.nblocks * blocks : shape.bsize;
    auto* at_dest = static_cast<char*>(dest);
    for (std::size_t i = 0, n = dense ? blocks != 0 : shape.nblocks * blocks; i < n; ++i, at_dest += shape.dst)
      d.check(d.find(at_dest), bytes, {.site = at, .writes = true});
  }

  bool is_meeting() const { return flow == races_barrier || flow == races_sync; }
  // In strict mode data tells nothing of what its sender did before.
  bool tells() const { return is_meeting() || !chosen().strict; }

  void before(detector& d) const {
    if (flow == races_barrier) d.quiet(channel::put);
    read_source(d);
    if (!tells()) return;
    if (flow == races_alltoall || flow == races_fcollect || flow == races_collect)
      for (const int pe : all.pes) write_on(d, pe);
    if (flow == races_broadcast && is_root())
      for (const int pe : all.pes)
        if (!active_set || pe != static_cast<int>(d.me())) write_on(d, pe);
    d.publish(at);
  }

  // Learns from the PEs whose data came here.
  void between(detector& d) const {
    if (!tells()) {
      write_own(d);
      return;
    }
    for (std::size_t i = 0; i < all.pes.size(); ++i) {
      if (flow == races_broadcast && static_cast<int>(i) != root) continue;
      if (flow == races_scan && i > all.mine) continue;
      d.learn_from(static_cast<std::uint32_t>(all.pes[i]));
    }
    if (flow == races_reduce || flow == races_scan)
      d.check(d.find(dest), shape.bsize * shape.nblocks, {.site = at, .writes = true});
  }
};

// Learns from the others how many bytes each adds to a collect. That orders nothing.
void find_place(call& now, const races_group& group) {
  std::uint32_t hash = 0;
  for (const int pe : now.all.pes) hash = (hash ^ static_cast<std::uint32_t>(pe + 1)) * 0x9e3779b1u;
  auto& collected = of_this_pe.shared().fixed().collected[(hash >> 16) % region_header::groups];
  collected[of_this_pe.me()] = now.shape.bsize;
  meet(group);
  for (std::size_t i = 0; i < now.all.pes.size(); ++i) {
    const std::uint64_t bytes = collected[now.all.pes[i]];
    if (i < now.all.mine) now.place += bytes;
    now.all_bytes += bytes;
  }
}

}  // namespace

void races_collective(uint32_t at, int flow, races_group group, void* dest, const void* source, races_shape shape,
                      int root) {
  if (!of_this_pe.active()) return;
  if (flow != races_barrier && flow != races_sync && flow != races_collect && shape.bsize * shape.nblocks == 0) return;
  const members all = members_of(group);
  if (all.mine == all.pes.size()) return;
  call now{at, flow, all, dest, source, shape, root, group.team == nullptr, 0, 0};
  if (flow == races_collect) find_place(now, group);
  {
    const std::scoped_lock lock(of_this_pe.mutex());
    now.before(of_this_pe);
  }
  meet(group);
  {
    const std::scoped_lock lock(of_this_pe.mutex());
    now.between(of_this_pe);
  }
  meet(group);
}
