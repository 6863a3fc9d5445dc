#include "op/strided_nbi.hpp"

namespace oshen::op {
namespace {

// Calls visit(i) for each block, if the peer is on another node and the arguments are valid. Returns whether it was.
template <class Visit>
bool each_far_block(call_site at, const stride_args& b, int pe, Visit visit) {
  near_peer p;
  if (find_near(at, pe, p) || b.size == 0 || b.count == 0) return false;
  extent(at, "dst", b.dst, b.size, b.count);
  extent(at, "sst", b.sst, b.size, b.count);
  for (std::size_t i = 0; i < b.count; ++i) visit(static_cast<std::ptrdiff_t>(i));
  return true;
}

}  // namespace

// On the same node the blocks are copied at once. Towards another node each of them is a put of its own, so that quiet,
// quiet_local and fence cover them as any other.
template <class W>
void put_blocks_nbi(call_site at, W* dest, const W* source, const stride_args& b, int pe) {
  const auto block = [&](std::ptrdiff_t i) { put_nbi(at, dest + i * b.dst, source + i * b.sst, b.size, pe); };
  if (!each_far_block(at, b, pe, block)) ibput(at, dest, source, b, pe);
}

template <class W>
void get_blocks_nbi(call_site at, W* dest, const W* source, const stride_args& b, int pe) {
  const auto block = [&](std::ptrdiff_t i) { get_nbi(at, dest + i * b.dst, source + i * b.sst, b.size, pe); };
  if (!each_far_block(at, b, pe, block)) ibget(at, dest, source, b, pe);
}

template void put_blocks_nbi(call_site, std::uint8_t*, const std::uint8_t*, const stride_args&, int);
template void put_blocks_nbi(call_site, std::uint16_t*, const std::uint16_t*, const stride_args&, int);
template void put_blocks_nbi(call_site, std::uint32_t*, const std::uint32_t*, const stride_args&, int);
template void put_blocks_nbi(call_site, std::uint64_t*, const std::uint64_t*, const stride_args&, int);
template void put_blocks_nbi(call_site, word128*, const word128*, const stride_args&, int);
template void get_blocks_nbi(call_site, std::uint8_t*, const std::uint8_t*, const stride_args&, int);
template void get_blocks_nbi(call_site, std::uint16_t*, const std::uint16_t*, const stride_args&, int);
template void get_blocks_nbi(call_site, std::uint32_t*, const std::uint32_t*, const stride_args&, int);
template void get_blocks_nbi(call_site, std::uint64_t*, const std::uint64_t*, const stride_args&, int);
template void get_blocks_nbi(call_site, word128*, const word128*, const stride_args&, int);

}  // namespace oshen::op
