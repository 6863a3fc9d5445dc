/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts and gets of multidimensional arrays: std::mdspan of any rank and any strided layout, which may differ between
 * the two sides. Header-only, on the public C API. Needs the header <mdspan> of C++23.
 *
 *     const oshen::symmetric_array<double> field(10 * 12);
 *     const auto grid = field.mdspan(10, 12);
 *     const auto first = oshen::block(grid, {0, 0}, {10, 1}), last = oshen::block(grid, {0, 10}, {10, 1});
 *     oshen::put(first, last, right);  // of the right neighbour
 *
 * The arguments are in the order of the C calls: dest, source, pe. dest of a put and source of a get are symmetric.
 * Both have the same extents and the same type of elements, which are copied as bytes. Completion is as for the C
 * calls. `ctx` may be a context; PE numbers then count in its team. If the extents differ, std::invalid_argument is
 * thrown. Blocks that are contiguous on both sides are one putmem or getmem, others block-strided calls. */
#ifndef OSHEN_MDSPAN_HPP
#define OSHEN_MDSPAN_HPP

#include <oshen/oshen.hpp>

#ifndef __cpp_lib_mdspan
#error "oshen/mdspan.hpp needs <mdspan>: compile with oshc++ or -std=c++23, and libc++ 18, libstdc++ 16 or later"
#else

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

namespace oshen {
namespace detail {

template <class M>
inline constexpr bool is_mdspan = false;
template <class T, class Extents, class Layout, class Accessor>
inline constexpr bool is_mdspan<std::mdspan<T, Extents, Layout, Accessor> > = true;

template <class A, class B>
constexpr bool extents_may_agree() {
  if constexpr (A::rank() != B::rank()) {
    return false;
  } else {
    for (std::size_t i = 0; i < A::rank(); ++i) {
      const std::size_t a = A::static_extent(i), b = B::static_extent(i);
      if (a != b && a != std::dynamic_extent && b != std::dynamic_extent) return false;
    }
    return true;
  }
}

}  // namespace detail

/** An mdspan with a stride for each axis, whose elements lie in memory and may be copied as bytes. */
template <class M>
concept strided_mdspan =
    detail::is_mdspan<M> && M::is_always_strided() && std::is_trivially_copyable_v<typename M::value_type> &&
    std::is_same_v<typename M::data_handle_type, typename M::element_type*> &&
    std::is_same_v<typename M::reference, typename M::element_type&>;
/** One whose elements are not const. */
template <class M>
concept writable_mdspan = strided_mdspan<M> && !std::is_const_v<typename M::element_type>;
template <class A, class B>
concept same_elements = std::is_same_v<typename A::value_type, typename B::value_type>;
template <class M, std::size_t rank>
concept of_rank = M::rank() == rank;
/** The ranks agree, and the extents that the compiler knows. */
template <class A, class B>
concept same_shape = detail::extents_may_agree<A, B>();

namespace detail {

// A layout may begin elsewhere than at its first element.
template <class M>
typename M::element_type* first_element(const M& of) {
  if (of.empty()) return of.data_handle();
  return std::addressof(of[std::array<std::size_t, M::rank()>{}]);
}

// One axis of a copy: the number of elements, and the strides of both sides in elements.
struct copy_axis {
  std::size_t count;
  std::ptrdiff_t dest, source;

  // Both sides store this axis without a gap after `inner`.
  bool continues(const copy_axis& inner) const {
    const auto length = static_cast<std::ptrdiff_t>(inner.count);
    return dest == inner.dest * length && source == inner.source * length;
  }
};

// A copy from one mdspan to another: blocks of elements that are contiguous on both sides, along the other axes.
template <class Dest, class Source>
class strided_copy {
  static constexpr std::size_t rank = Dest::rank();

 public:
  using element = typename Dest::value_type;
  /** The unit of strided calls, in bytes. */
  static constexpr std::size_t word = std::min<std::size_t>(alignof(element), 8);

  strided_copy(const Dest& dest, const Source& source, const char* mistake)
      : dest_(first_element(dest)), source_(first_element(source)) {
    if constexpr (rank > 0) {
      for (std::size_t i = 0; i < rank; ++i) {
        const auto count = static_cast<std::size_t>(dest.extent(i));
        expect(count == static_cast<std::size_t>(source.extent(i)), mistake);
        if (count > 1)
          insert({count, static_cast<std::ptrdiff_t>(dest.stride(i)), static_cast<std::ptrdiff_t>(source.stride(i))});
      }
      merge();
    }
    if (dest.empty()) block_ = n_axes_ = 0;  // one call, which checks the PE
  }

  // Calls move(dest, source, bytes) for each block.
  template <class Move>
  void by_blocks(Move move) const {
    visit(n_axes_, [&](element* to, const element* from) { move(to, from, block_ * sizeof(element)); });
  }

  // The same if there is one block. Otherwise calls move_many(dest, source, dst, sst, bsize, nblocks), in words, with
  // the blocks along the longest axis, for each position on the others.
  template <class Move, class MoveMany>
  void by_axes(Move move, MoveMany move_many) {
    if (!move_longest_to_end()) return by_blocks(move);
    const copy_axis& along = axes_[n_axes_ - 1];
    constexpr std::size_t words = sizeof(element) / word;
    constexpr auto step = static_cast<std::ptrdiff_t>(words);
    visit(n_axes_ - 1, [&](element* to, const element* from) {
      move_many(to, from, along.dest * step, along.source * step, block_ * words, along.count);
    });
  }

 private:
  // Keeps the axes in the order of the strides of dest.
  void insert(const copy_axis& axis) {
    std::size_t at = n_axes_++;
    for (; at > 0 && axes_[at - 1].dest > axis.dest; --at) axes_[at] = axes_[at - 1];
    axes_[at] = axis;
  }

  // Takes the innermost axes without gaps for the block, and makes one axis of others without a gap between them.
  void merge() {
    std::size_t i = 0, kept = 0;
    for (; i < n_axes_ && axes_[i].continues({block_, 1, 1}); ++i) block_ *= axes_[i].count;
    for (; i < n_axes_; ++i) {
      if (kept > 0 && axes_[i].continues(axes_[kept - 1]))
        axes_[kept - 1].count *= axes_[i].count;
      else
        axes_[kept++] = axes_[i];
    }
    n_axes_ = kept;
  }

  // Of the axes that a strided call can take: their blocks do not overlap. False if there is none.
  bool move_longest_to_end() {
    const auto length = static_cast<std::ptrdiff_t>(block_);
    std::size_t longest = n_axes_;
    for (std::size_t i = 0; i < n_axes_; ++i) {
      if (axes_[i].dest < length || axes_[i].source < length) continue;
      if (longest == n_axes_ || axes_[i].count > axes_[longest].count) longest = i;
    }
    if (longest == n_axes_) return false;
    std::swap(axes_[longest], axes_[n_axes_ - 1]);
    return true;
  }

  // Calls at(dest, source) for each position on the first `n` axes.
  template <class At>
  void visit(std::size_t n, At at) const {
    std::array<std::size_t, rank + 1> index{};
    std::ptrdiff_t to = 0, from = 0;
    while (true) {
      at(dest_ + to, source_ + from);
      std::size_t i = 0;
      for (; i < n; ++i) {
        to += axes_[i].dest;
        from += axes_[i].source;
        if (++index[i] < axes_[i].count) break;
        to -= axes_[i].dest * static_cast<std::ptrdiff_t>(axes_[i].count);
        from -= axes_[i].source * static_cast<std::ptrdiff_t>(axes_[i].count);
        index[i] = 0;
      }
      if (i == n) return;
    }
  }

  element* dest_;
  const element* source_;
  std::size_t block_ = 1, n_axes_ = 0;
  std::array<copy_axis, rank + 1> axes_;
};

// The calls of one direction. Strided ones are in words of 1, 2, 4 and 8 bytes.
struct calls {
  decltype(&shmem_ctx_putmem) block, block_nbi;
  decltype(&shmem_ctx_ibput8) strided[4];
};
inline constexpr calls puts{shmem_ctx_putmem,
                            shmem_ctx_putmem_nbi,
                            {shmem_ctx_ibput8, shmem_ctx_ibput16, shmem_ctx_ibput32, shmem_ctx_ibput64}};
inline constexpr calls gets{shmem_ctx_getmem,
                            shmem_ctx_getmem_nbi,
                            {shmem_ctx_ibget8, shmem_ctx_ibget16, shmem_ctx_ibget32, shmem_ctx_ibget64}};

template <class Dest, class Source>
void transfer(const calls& by, strided_copy<Dest, Source> copy, int pe, shmem_ctx_t ctx) {
  copy.by_axes([&](auto... block) { by.block(ctx, block..., pe); },
               [&](auto... blocks) { by.strided[std::countr_zero(copy.word)](ctx, blocks..., pe); });
}
template <class Dest, class Source>
void transfer_nbi(const calls& by, const strided_copy<Dest, Source>& copy, int pe, shmem_ctx_t ctx) {
  copy.by_blocks([&](auto... block) { by.block_nbi(ctx, block..., pe); });
}

}  // namespace detail

/** The part of `whole` that begins at index `first` and has these extents. Throws std::out_of_range if it does not lie
 * within. */
template <strided_mdspan M, std::size_t rank>
  requires of_rank<M, rank>
auto block(const M& whole, const std::size_t (&first)[rank], const std::size_t (&extents)[rank]) {
  using shape = std::dextents<std::size_t, rank>;
  std::ptrdiff_t offset = 0;
  std::array<std::size_t, rank> strides;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto extent = static_cast<std::size_t>(whole.extent(i));
    if (first[i] > extent || extents[i] > extent - first[i])
      throw std::out_of_range("oshen::block: past the end of an axis");
    offset += static_cast<std::ptrdiff_t>(first[i]) * static_cast<std::ptrdiff_t>(whole.stride(i));
    strides[i] = std::max<std::size_t>(1, static_cast<std::size_t>(whole.stride(i)));  // 0 in an empty mdspan
  }
  const std::layout_stride::mapping<shape> mapping(shape(std::to_array(extents)), strides);
  return std::mdspan<typename M::element_type, shape, std::layout_stride>(detail::first_element(whole) + offset,
                                                                          mapping);
}

/** Puts `source` into `dest` of PE `pe`. */
template <writable_mdspan Dest, strided_mdspan Source>
  requires same_elements<Dest, Source> && same_shape<Dest, Source>
void put(const Dest& dest, const Source& source, int pe, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
  const detail::strided_copy copy(dest, source, "oshen::put: dest and source need the same extents");
  detail::transfer(detail::puts, copy, pe, ctx);
}
/** The same, non-blocking, by one call for each contiguous block: do not change `source` before quiet. */
template <writable_mdspan Dest, strided_mdspan Source>
  requires same_elements<Dest, Source> && same_shape<Dest, Source>
void put_nbi(const Dest& dest, const Source& source, int pe, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
  const detail::strided_copy copy(dest, source, "oshen::put_nbi: dest and source need the same extents");
  detail::transfer_nbi(detail::puts, copy, pe, ctx);
}
/** Begins such a put; its completion is that of the result. */
template <writable_mdspan Dest, strided_mdspan Source>
  requires same_elements<Dest, Source> && same_shape<Dest, Source>
pending put_async(const Dest& dest, const Source& source, int pe, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
  put_nbi(dest, source, pe, ctx);
  return pending(ctx);
}

/** Gets `source` of PE `pe` into `dest`. */
template <writable_mdspan Dest, strided_mdspan Source>
  requires same_elements<Dest, Source> && same_shape<Dest, Source>
void get(const Dest& dest, const Source& source, int pe, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
  const detail::strided_copy copy(dest, source, "oshen::get: dest and source need the same extents");
  detail::transfer(detail::gets, copy, pe, ctx);
}
/** The same, non-blocking, by one call for each contiguous block: `dest` is valid after quiet. */
template <writable_mdspan Dest, strided_mdspan Source>
  requires same_elements<Dest, Source> && same_shape<Dest, Source>
void get_nbi(const Dest& dest, const Source& source, int pe, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
  const detail::strided_copy copy(dest, source, "oshen::get_nbi: dest and source need the same extents");
  detail::transfer_nbi(detail::gets, copy, pe, ctx);
}
/** Begins such a get; `dest` is valid when the result is complete. */
template <writable_mdspan Dest, strided_mdspan Source>
  requires same_elements<Dest, Source> && same_shape<Dest, Source>
pending get_async(const Dest& dest, const Source& source, int pe, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
  get_nbi(dest, source, pe, ctx);
  return pending(ctx);
}

}  // namespace oshen
#endif
#endif
