#include "allocation/node_memory.hpp"

#include <algorithm>

#include "os/memory.hpp"

namespace oshen {
namespace {

constexpr std::size_t least_growth = std::size_t{64} << 10;

// Page tables have 8 bytes for each page, in every process that maps the page. They are counted for a PE's own slice
// and for the slices of a few peers.
constexpr std::size_t mapping_pes = 8, bytes_per_entry = 512;

// The blocks of teams of all PEs of this node.
std::size_t team_bytes_on_node(const world& w) {
  std::size_t bytes = 0;
  for (int slice = 0; slice < w.near.n_pes; ++slice)
    bytes += w.control(w.near.pe_at(slice)).team_heap_used.load(std::memory_order_relaxed);
  return bytes;
}

}  // namespace

std::size_t checked_growth(const world& w) {
  return std::max(unchecked_bytes / static_cast<std::size_t>(w.n_pes), least_growth);
}

std::size_t with_page_tables(const world& w, std::size_t bytes) {
  return bytes + bytes / bytes_per_entry * std::min(static_cast<std::size_t>(w.near.n_pes), mapping_pes);
}

std::size_t room_left(const world& w, std::size_t heap_used) {
  const auto here = static_cast<std::size_t>(w.near.n_pes), on_host = static_cast<std::size_t>(w.pes_on_host);
  // Static data is in the segment, too.
  const std::size_t allocated = (heap_used + w.statics.range().bytes) * here + team_bytes_on_node(w);
  const std::size_t touched = os::backed_bytes(w.segment.descriptor());
  const std::size_t untouched = allocated > touched ? allocated - touched : 0;
  const std::size_t available = os::available_memory() / on_host * here;  // virtual nodes share a machine
  const std::size_t taken = with_page_tables(w, untouched) + unchecked_bytes;
  return available > taken ? available - taken : 0;
}

std::size_t missing_bytes(const world& w, std::size_t offset, std::size_t bytes, std::size_t high_water) {
  const std::size_t fresh = offset + bytes > high_water ? offset + bytes - high_water : 0;
  if (fresh >= bytes) return bytes;
  return fresh + os::missing_bytes(w.segment.heap(w.near.mine) + offset, bytes - fresh);
}

}  // namespace oshen
