#include "pass.hpp"

#include <algorithm>

#include "tile.hpp"

namespace oshen::fft {
namespace {

std::size_t real_or_complex(bool real, std::size_t real_bytes) {
  return real ? real_bytes : 2 * real_bytes;
}

// Strides of the elements in a tile, in bytes.
strides3 byte_strides(const tile_memory& memory, bool real, std::size_t real_bytes) {
  strides3 result{};
  for (int a = 0; a < 3; a++) {
    const bool packed = real && a == 0;
    result[a] =
        memory.stride[a] * static_cast<std::ptrdiff_t>(packed ? real_bytes : 2 * real_bytes);
  }
  return result;
}

strides3 byte_strides(const box& b, std::size_t element) {
  strides3 result = b.strides();
  for (auto& s : result) s *= static_cast<std::ptrdiff_t>(element);
  return result;
}

std::ptrdiff_t byte_offset(const strides3& stride, const axes3& low, const axes3& origin) {
  std::ptrdiff_t result = 0;
  for (int a = 0; a < 3; a++) result += stride[a] * (low[a] - origin[a]);
  return result;
}

}  // namespace

template <class T>
pass<T>::pass(const stage& stage, int me, direction way, const layout& next, const tuning& how)
    : before_(stage.before[static_cast<std::size_t>(me)]),
      after_(stage.after[static_cast<std::size_t>(me)]),
      axes_(stage.axes),
      way_(way),
      real_size_(0),
      before_bytes_(real_or_complex(stage.real_before, sizeof(T))),
      after_bytes_(real_or_complex(stage.real_after, sizeof(T))),
      at_once_(stage.at_once),
      how_(how) {
  if (stage.real_before != stage.real_after) {
    real_size_ = (stage.real_before ? before_ : after_).size[0];
  }
  const int n = static_cast<int>(next.size());
  for (int i = 1; i <= n; i++) {  // the next PE first, oneself last
    const int pe = (me + i) % n;
    const box& whole = next[static_cast<std::size_t>(pe)];
    const box part = overlap(after_, whole);
    if (part.empty()) continue;
    receivers_.push_back(pe);
    targets_.push_back({part, whole});
  }
  if (axes_.empty() || stage.at_once) return;
  const box& complex = stage.real_before ? after_ : before_;
  const axes3 order = tile_order(before_, real_size_ != 0);
  axes3 size = tile_size(complex, axes_, 2 * sizeof(T), how_.tile_bytes);
  if (real_size_ != 0) size[0] = before_.size[0];
  tiles_ = tiles_of(before_, size, order);
  fused_ = choose_fusion();
}

template <class T>
const typename pass<T>::target* pass<T>::only_target(const box& results) const {
  for (const target& t : targets_) {
    const box part = overlap(results, t.part);
    if (!part.empty()) return part.size == results.size ? &t : nullptr;
  }
  return nullptr;
}

// Every tile lies in one target, and all targets have the same strides.
template <class T>
bool pass<T>::writes_fused() const {
  return std::all_of(tiles_.begin(), tiles_.end(), [&](const box& tile) {
    const target* t = only_target(after(tile));
    return t != nullptr && t->whole.strides() == targets_[0].whole.strides();
  });
}

template <class T>
outside pass<T>::choose_fusion() const {
  outside ends;
  if (tiles_.empty() || targets_.empty()) return ends;
  // A transform to real numbers would destroy its source.
  const bool to_real = axes_[0] == 0 && real_size_ != 0 && way_ == direction::backward;
  ends.source = before_.strides();
  ends.target = targets_[0].whole.strides();
  ends.reads = !to_real && (how_.fuse || ends.source[axes_[0]] == 1);
  const bool apart = axes_.size() > 1 || !ends.reads;  // from source to scratch, then to target
  ends.writes = how_.fuse && apart && writes_fused();
  return ends;
}

template <class T>
box pass<T>::after(const box& tile) const {
  box result = tile;
  if (real_size_ != 0) result.size[0] = after_.size[0];
  return result;
}

template <class T>
typename pass<T>::shape pass<T>::make_shape(const box& tile) const {
  const axes3 complex_size =
      real_size_ != 0 && way_ == direction::forward ? after(tile).size : tile.size;
  return {lay_out_tile(complex_size, tile.order, 2 * sizeof(T)), nullptr, nullptr};
}

template <class T>
std::size_t pass<T>::scratch_elements() const {
  std::size_t most = 0;
  for (const box& tile : tiles_) most = std::max(most, make_shape(tile).memory.elements);
  return most;
}

template <class T>
void pass<T>::prepare(std::complex<T>* scratch) {
  scratch_ = scratch;
  if (at_once_ && !targets_.empty())
    whole_ =
        std::make_unique<box_transform<T>>(before_, targets_[0].whole, axes_, way_, how_.measure);
  for (const box& tile : tiles_) {
    if (shapes_.contains(tile.size)) continue;
    shape made = make_shape(tile);
    const auto make = [&](const outside& ends) {
      return std::make_unique<tile_transform<T>>(made.memory, axes_, way_, real_size_, ends,
                                                 how_.measure, scratch);
    };
    made.inside = make({});
    if (fused_.reads || fused_.writes) made.fused = make(fused_);
    shapes_.emplace(tile.size, std::move(made));
  }
}

template <class T>
void pass<T>::run(source_place from, std::span<const place> to, int fields, T scale) const {
  for (int f = 0; f < fields; f++) {
    const std::byte* field = from.base + static_cast<std::size_t>(f) * from.distance;
    if (axes_.empty()) {
      copy_all(field, to, f);
    } else if (whole_ != nullptr) {
      run_at_once(field, to[0], f, scale);
    } else {
      for (const box& tile : tiles_) run_tile(tile, field, to, f, scale);
    }
  }
}

template <class T>
void pass<T>::run_at_once(const std::byte* from, const place& to, int field, T scale) const {
  std::byte* target = to.base + static_cast<std::size_t>(field) * to.distance;
  whole_->run(from, target);
  if (scale == T{1}) return;
  auto* elements = reinterpret_cast<std::complex<T>*>(target);
  for (std::size_t i = 0; i < after_.volume(); i++) elements[i] *= scale;
}

template <class T>
void pass<T>::run_tile(const box& tile, const std::byte* from, std::span<const place> to, int field,
                       T scale) const {
  const shape& s = shapes_.at(tile.size);
  const box results = after(tile);
  const std::byte* source =
      from + byte_offset(byte_strides(before_, before_bytes_), tile.low, before_.low);
  std::byte* goal = nullptr;
  if (fused_.writes) {
    const target* t = only_target(results);
    const place& p = to[static_cast<std::size_t>(t - targets_.data())];
    goal = p.base + static_cast<std::size_t>(field) * p.distance +
           byte_offset(byte_strides(t->whole, after_bytes_), results.low, t->whole.low);
  }
  using transform = tile_transform<T>;
  const bool fused = s.fused != nullptr && (!fused_.reads || transform::aligned(source)) &&
                     (!fused_.writes || (transform::aligned(goal) && scale == T{1}));
  if (!fused || !fused_.reads) read(tile, s.memory, from);
  (fused ? s.fused : s.inside)->run(source, goal);
  if (fused && fused_.writes) return;
  if (scale != T{1}) multiply(s.memory, scale);
  for (std::size_t i = 0; i < targets_.size(); i++) {
    write(results, s.memory, targets_[i],
          to[i].base + static_cast<std::size_t>(field) * to[i].distance);
  }
}

template <class T>
void pass<T>::read(const box& tile, const tile_memory& memory, const std::byte* from) const {
  const bool real = real_size_ != 0 && way_ == direction::forward;
  const strides3 stride = byte_strides(before_, before_bytes_);
  copy_block({tile.size, stride, byte_strides(memory, real, sizeof(T))}, before_bytes_,
             from + byte_offset(stride, tile.low, before_.low),
             reinterpret_cast<std::byte*>(scratch_));
}

template <class T>
void pass<T>::write(const box& tile, const tile_memory& memory, const target& to,
                    std::byte* base) const {
  const box part = overlap(tile, to.part);
  if (part.empty()) return;
  const bool real = real_size_ != 0 && way_ == direction::backward;
  const strides3 near = byte_strides(memory, real, sizeof(T));
  const strides3 far = byte_strides(to.whole, after_bytes_);
  copy_block({part.size, near, far}, after_bytes_,
             reinterpret_cast<const std::byte*>(scratch_) + byte_offset(near, part.low, tile.low),
             base + byte_offset(far, part.low, to.whole.low));
}

template <class T>
void pass<T>::multiply(const tile_memory& memory, T scale) const {
  for (std::size_t i = 0; i < memory.elements; i++) scratch_[i] *= scale;
}

template <class T>
void pass<T>::copy_all(const std::byte* from, std::span<const place> to, int field) const {
  const strides3 near = byte_strides(before_, before_bytes_);
  for (std::size_t i = 0; i < targets_.size(); i++) {
    const target& t = targets_[i];
    const strides3 far = byte_strides(t.whole, after_bytes_);
    copy_block({t.part.size, near, far}, before_bytes_,
               from + byte_offset(near, t.part.low, before_.low),
               to[i].base + static_cast<std::size_t>(field) * to[i].distance +
                   byte_offset(far, t.part.low, t.whole.low));
  }
}

template class pass<double>;
template class pass<float>;

}  // namespace oshen::fft
