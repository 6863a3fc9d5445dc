#include "op/subarray.hpp"

#include <algorithm>
#include <utility>

#include "op/strided_nbi.hpp"

namespace oshen::op {
namespace {

constexpr int most_axes = 8;

// One axis of a copy: the number of positions, and the distance between them on both sides, in bytes.
struct copy_axis {
  std::size_t count, dest, source;
};

// A copy: blocks that are contiguous on both sides, along the other axes, of which the last is the innermost.
struct strided_copy {
  char* dest;
  const char* source;
  std::size_t block;  // bytes
  int n_axes = 0;
  copy_axis axes[most_axes];
};

void check_axis(call_site at, const char* name, const array_block& of, std::size_t extent, int i) {
  if (of.starts[i] > of.sizes[i] || extent > of.sizes[i] - of.starts[i])
    bad_argument(at, "%s_starts[%d] = %zu and extents[%d] = %zu: the block ends behind %s_sizes[%d] = %zu", name, i,
                 of.starts[i], i, extent, name, i, of.sizes[i]);
}

std::size_t times(call_site at, const char* name, std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > PTRDIFF_MAX)
    bad_argument(at, "%s_sizes: the array exceeds the address space", name);
  return product;
}

// Adds an axis outside of those that the copy has: into the block, or into the outermost axis, if there is no gap on
// both sides.
void add_axis(strided_copy& c, const copy_axis& axis) {
  if (axis.count == 1) return;
  if (c.n_axes == 0 && axis.dest == c.block && axis.source == c.block) {
    c.block *= axis.count;
    return;
  }
  copy_axis* const last = c.n_axes > 0 ? &c.axes[c.n_axes - 1] : nullptr;
  if (last != nullptr && axis.dest == last->dest * last->count && axis.source == last->source * last->count)
    last->count *= axis.count;
  else
    c.axes[c.n_axes++] = axis;
}

// False: the block is empty.
bool plan(call_site at, const subarray_args& args, strided_copy& c) {
  if (args.axes < 1 || args.axes > most_axes) bad_argument(at, "axes = %d: expected 1 .. %d", args.axes, most_axes);
  if (args.element_bytes == 0) bad_argument(at, "element_size = 0: expected the bytes of an element");
  c.dest = static_cast<char*>(args.dest);
  c.source = static_cast<const char*>(args.source);
  c.block = args.element_bytes;
  bool is_empty = false;
  copy_axis axis{0, args.element_bytes, args.element_bytes};
  for (int i = args.axes - 1; i >= 0; --i) {
    axis.count = args.extents[i];
    check_axis(at, "dest", args.to, axis.count, i);
    check_axis(at, "source", args.from, axis.count, i);
    const std::size_t dest_bytes = times(at, "dest", axis.dest, args.to.sizes[i]);
    const std::size_t source_bytes = times(at, "source", axis.source, args.from.sizes[i]);
    c.dest += args.to.starts[i] * axis.dest;
    c.source += args.from.starts[i] * axis.source;
    is_empty = is_empty || axis.count == 0;
    if (!is_empty) add_axis(c, axis);
    axis = {0, dest_bytes, source_bytes};
  }
  return !is_empty;
}

// Calls move(dest, source, axis) for each position on the other axes; the axis with the most blocks is left to `move`.
template <class Move>
void for_each_line(strided_copy c, Move move) {
  copy_axis along{1, c.block, c.block};
  if (c.n_axes > 0) {
    copy_axis* const longest = std::max_element(
        c.axes, c.axes + c.n_axes, [](const copy_axis& a, const copy_axis& b) { return a.count < b.count; });
    along = *longest;
    std::move(longest + 1, c.axes + c.n_axes, longest);
    --c.n_axes;
  }
  std::size_t index[most_axes] = {};
  while (true) {
    move(c.dest, c.source, along);
    int i = 0;
    for (; i < c.n_axes; ++i) {
      c.dest += c.axes[i].dest;
      c.source += c.axes[i].source;
      if (++index[i] < c.axes[i].count) break;
      c.dest -= c.axes[i].dest * c.axes[i].count;
      c.source -= c.axes[i].source * c.axes[i].count;
      index[i] = 0;
    }
    if (i == c.n_axes) return;
  }
}

// The largest unit of 1, 2, 4 or 8 bytes to which all addresses and lengths of the copy are aligned.
std::size_t unit_of(const strided_copy& c) {
  std::uintptr_t bits =
      reinterpret_cast<std::uintptr_t>(c.dest) | reinterpret_cast<std::uintptr_t>(c.source) | c.block | 8;
  for (int i = 0; i < c.n_axes; ++i) bits |= c.axes[i].dest | c.axes[i].source;
  return bits & (~bits + 1);
}

template <class W>
stride_args in_words(const copy_axis& along, std::size_t block) {
  return {static_cast<std::ptrdiff_t>(along.dest / sizeof(W)), static_cast<std::ptrdiff_t>(along.source / sizeof(W)),
          block / sizeof(W), along.count};
}

// Calls move(dest, source, blocks) for each line, in words of the unit.
template <class W, class Move>
void in_lines(const strided_copy& c, Move move) {
  for_each_line(c, [&](char* dest, const char* source, const copy_axis& along) {
    move(reinterpret_cast<W*>(dest), reinterpret_cast<const W*>(source), in_words<W>(along, c.block));
  });
}
template <class Move>
void in_units(const strided_copy& c, Move move) {
  switch (unit_of(c)) {
    case 8: return in_lines<word_of_bits<64>::type>(c, move);
    case 4: return in_lines<word_of_bits<32>::type>(c, move);
    case 2: return in_lines<word_of_bits<16>::type>(c, move);
    default: return in_lines<word_of_bits<8>::type>(c, move);
  }
}

void check_empty(call_site at, int pe) {
  near_peer p;
  check_pe(at, pe, find_near(at, pe, p));
}

}  // namespace

void subarray_put(call_site at, const subarray_args& args, issue by, int pe) {
  strided_copy c;
  if (!plan(at, args, c)) return check_empty(at, pe);
  if (by == issue::blocking)
    in_units(c, [&](auto* dest, auto* source, const stride_args& blocks) { ibput(at, dest, source, blocks, pe); });
  else
    in_units(c, [&](auto* dest, auto* source, const stride_args& blocks) { ibput_nbi(at, dest, source, blocks, pe); });
}

void subarray_get(call_site at, const subarray_args& args, issue by, int pe) {
  strided_copy c;
  if (!plan(at, args, c)) return check_empty(at, pe);
  if (by == issue::blocking)
    in_units(c, [&](auto* dest, auto* source, const stride_args& blocks) { ibget(at, dest, source, blocks, pe); });
  else
    in_units(c, [&](auto* dest, auto* source, const stride_args& blocks) { ibget_nbi(at, dest, source, blocks, pe); });
}

}  // namespace oshen::op
