#include "pass.hpp"

#include <algorithm>

#include "tile.hpp"

namespace oshen::fft {
namespace {

std::size_t real_or_complex(bool real, std::size_t real_bytes) {
  return real ? real_bytes : 2 * real_bytes;
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

// Bytes from the beginning of the array to a point.
std::ptrdiff_t offset_in(const piece& p, std::size_t element, const axes3& point) {
  return byte_offset(byte_strides(p.whole, element), point, p.whole.low);
}

template <class Place>
auto field_of(const Place& at, int field) {
  return at.base + static_cast<std::size_t>(field) * at.distance;
}

// The one piece that contains all points of the box; null if they lie in several.
const piece* only_piece(const std::vector<piece>& pieces, const box& points) {
  for (const piece& p : pieces) {
    const box part = overlap(points, p.part);
    if (!part.empty()) return part.size == points.size ? &p : nullptr;
  }
  return nullptr;
}

// Every tile lies in one piece, and all arrays have the same strides.
bool tiles_in_one(const std::vector<piece>& pieces, const std::vector<box>& tiles) {
  return std::all_of(tiles.begin(), tiles.end(), [&](const box& tile) {
    const piece* p = only_piece(pieces, tile);
    return p != nullptr && p->whole.strides() == pieces[0].whole.strides();
  });
}

}  // namespace

box factors_box(const stage& turning, int pe) {
  box result = turning.spectrum[static_cast<std::size_t>(pe)];
  result.order = tile_order(turning.before[static_cast<std::size_t>(pe)], turning.halves());
  return result;
}

template <class T>
pass<T>::pass(const stage& stage, int me, direction way, std::vector<piece> sources,
              std::vector<piece> targets, const tuning& how)
    : before_(stage.before[static_cast<std::size_t>(me)]),
      after_(stage.after[static_cast<std::size_t>(me)]),
      axes_(stage.axes),
      along_(stage.along),
      way_(way),
      turns_(stage.turns()),
      real_(stage.real_before && stage.real_after && !stage.halves()),
      real_size_(0),
      before_bytes_(real_or_complex(stage.real_before, sizeof(T))),
      after_bytes_(real_or_complex(stage.real_after, sizeof(T))),
      tile_bytes_(real_or_complex(real_, sizeof(T))),
      at_once_(stage.at_once),
      twiddles_(stage.twiddles),
      how_(how),
      sources_(std::move(sources)),
      targets_(std::move(targets)) {
  if (stage.halves() || stage.real_before != stage.real_after)
    real_size_ = (stage.real_before ? before_ : after_).size[0];
  if (turns_) factors_box_ = factors_box(stage, me);
  source_of_ = sources_of_targets();
  if (axes_.empty()) copies_ = copies_between();
  if (axes_.empty() || stage.at_once) return;
  const box& complex = turns_ ? factors_box_ : stage.real_before ? after_ : before_;
  const axes3 order = tile_order(before_, real_size_ != 0);
  axes3 size = tile_size(complex, axes_, tile_bytes_, how_.tile_bytes);
  if (real_size_ != 0) size[0] = before_.size[0];
  tiles_ = tiles_of(before_, size, order);
  fused_ = choose_fusion();
}

template <class T>
std::vector<int> pass<T>::sources_of_targets() const {
  std::vector<int> result;
  for (const piece& target : targets_) {
    const auto same = [&](const piece& source) { return source.pe == target.pe; };
    const auto found = std::find_if(sources_.begin(), sources_.end(), same);
    result.push_back(found == sources_.end() ? -1 : static_cast<int>(found - sources_.begin()));
  }
  return result;
}

template <class T>
outside pass<T>::choose_fusion() const {
  outside ends;
  if (tiles_.empty()) return ends;
  // A transform to real numbers would destroy its source.
  const bool to_real = axes_[0] == 0 && real_size_ != 0 && way_ == direction::backward;
  ends.source = sources_[0].whole.strides();
  ends.target = targets_[0].whole.strides();
  // Twiddles come between the columns' transforms and what others have before or after them.
  const bool before = twiddles_ != 0 && way_ == direction::backward, behind = twiddles_ != 0 && !before;
  ends.reads =
      !to_real && !before && (how_.fuse || ends.source[axes_[0]] == 1) && tiles_in_one(sources_, tiles_);
  const bool apart = axes_.size() > 1 || !ends.reads;  // from source to scratch, then to target
  if (!how_.fuse || !apart || turns_ || behind) return ends;
  std::vector<box> results;
  for (const box& tile : tiles_) results.push_back(after(tile));
  ends.writes = tiles_in_one(targets_, results);
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
  axes3 size = tile.size;
  if (real_size_ != 0 && goes(direction::forward)) size[0] = (turns_ ? factors_box_ : after_).size[0];
  return {lay_out_tile(size, tile.order, tile_bytes_), nullptr, nullptr, nullptr};
}

template <class T>
std::size_t pass<T>::scratch_elements() const {
  std::size_t most = 0;
  for (const box& tile : tiles_) most = std::max(most, make_shape(tile).memory.elements);
  return (most * tile_bytes_ + sizeof(std::complex<T>) - 1) / sizeof(std::complex<T>);
}

// Of the elements in a tile, in bytes; packed: real ones in the rows of complex ones.
template <class T>
strides3 pass<T>::strides_in(const tile_memory& memory, bool packed) const {
  strides3 result = memory.stride;
  for (int a = 0; a < 3; a++) result[a] *= static_cast<std::ptrdiff_t>(packed && a == 0 ? sizeof(T) : tile_bytes_);
  return result;
}

template <class T>
void pass<T>::prepare(std::complex<T>* scratch) {
  scratch_ = scratch;
  if (twiddles_ != 0) roots_ = std::make_unique<twiddles<T>>(twiddles_, way_);
  if (at_once_ && !targets_.empty())
    whole_ =
        std::make_unique<box_transform<T>>(before_, targets_[0].whole, axes_, way_, how_.effort);
  for (const box& tile : tiles_) {
    if (shapes_.contains(tile.size)) continue;
    shape made = make_shape(tile);
    const auto make = [&](const tile_work& what, const outside& ends) {
      return std::make_unique<tile_transform<T>>(made.memory, what, ends, how_.effort, scratch);
    };
    const tile_work there{axes_, along_, way_, real_, real_size_};
    made.inside = make(there, {});
    if (fused_.reads || fused_.writes) made.fused = make(there, fused_);
    if (turns_) made.home = make({{axes_.rbegin(), axes_.rend()}, along_, direction::backward, real_, real_size_}, {});
    shapes_.emplace(tile.size, std::move(made));
  }
  for (const box& tile : tiles_) tasks_.push_back(make_task(tile));
}

template <class T>
typename pass<T>::task pass<T>::make_task(const box& tile) const {
  task made;
  made.with = &shapes_.at(tile.size);
  made.tile = tile;
  const box results = after(tile);
  made.reads = reads_of(tile, made.with->memory);
  made.writes = writes_of(results, made.with->memory);
  if (turns_) made.factors_at = factors_box_.offset(tile.low);
  if (fused_.reads) {
    const piece* p = only_piece(sources_, tile);
    made.source = static_cast<std::size_t>(p - sources_.data());
    made.read_at = offset_in(*p, before_bytes_, tile.low);
  }
  if (fused_.writes) {
    const piece* p = only_piece(targets_, results);
    made.target = static_cast<std::size_t>(p - targets_.data());
    made.write_at = offset_in(*p, after_bytes_, results.low);
  }
  return made;
}

template <class T>
auto pass<T>::reads_of(const box& tile, const tile_memory& memory) const -> std::vector<part_copy> {
  const bool real = real_size_ != 0 && goes(direction::forward);
  const strides3 near = strides_in(memory, real);
  std::vector<part_copy> reads;
  for (std::size_t i = 0; i < sources_.size(); i++) {
    const box part = overlap(tile, sources_[i].part);
    if (part.empty()) continue;
    const strides3 far = byte_strides(sources_[i].whole, before_bytes_);
    reads.push_back({i, 0, offset_in(sources_[i], before_bytes_, part.low),
                     byte_offset(near, part.low, tile.low),
                     make_ready({part.size, far, near}, before_bytes_)});
  }
  return reads;
}

template <class T>
auto pass<T>::writes_of(const box& results, const tile_memory& memory) const
    -> std::vector<part_copy> {
  const bool real = real_size_ != 0 && goes(direction::backward);
  const strides3 near = strides_in(memory, real);
  std::vector<part_copy> writes;
  for (std::size_t i = 0; i < targets_.size(); i++) {
    const box part = overlap(results, targets_[i].part);
    if (part.empty()) continue;
    const strides3 far = byte_strides(targets_[i].whole, after_bytes_);
    writes.push_back({0, i, byte_offset(near, part.low, results.low),
                      offset_in(targets_[i], after_bytes_, part.low),
                      make_ready({part.size, near, far}, after_bytes_)});
  }
  return writes;
}

template <class T>
auto pass<T>::copies_between() const -> std::vector<part_copy> {
  std::vector<part_copy> copies;
  for (std::size_t i = 0; i < sources_.size(); i++) {
    for (std::size_t j = 0; j < targets_.size(); j++) {
      const piece &source = sources_[i], &target = targets_[j];
      const box part = overlap(source.part, target.part);
      if (part.empty()) continue;
      const block_copy block{part.size, byte_strides(source.whole, before_bytes_),
                             byte_strides(target.whole, before_bytes_)};
      copies.push_back({i, j, offset_in(source, before_bytes_, part.low),
                        offset_in(target, before_bytes_, part.low),
                        make_ready(block, before_bytes_)});
    }
  }
  return copies;
}

template <class T>
void pass<T>::run(std::span<const const_array_view> from, std::span<const array_view> to, int fields,
                  T scale) const {
  for (int f = 0; f < fields; f++) {
    if (axes_.empty()) {
      for (const part_copy& c : copies_) {
        const std::byte* near = field_of(from[c.source], f) + c.from;
        const std::byte* far = field_of(to[c.target], f) + c.to;
        const bool there = near == far && c.how.block.from == c.how.block.to;
        if (!there) put(c, near, from, to, f);
      }
    } else if (whole_ != nullptr) {
      run_at_once(field_of(from[0], f), field_of(to[0], f), scale);
    } else {
      for (const task& now : tasks_) run_task(now, from, to, f, scale);
    }
  }
  if (how_.stream) settle();
}

// Into a target; lines that were just read are in the caches and stay there.
template <class T>
void pass<T>::put(const part_copy& what, const std::byte* from, std::span<const const_array_view> sources,
                  std::span<const array_view> targets, int field) const {
  std::byte* to = field_of(targets[what.target], field) + what.to;
  const int same = source_of_[what.target];
  const bool apart = same < 0 || sources[static_cast<std::size_t>(same)].base != targets[what.target].base;
  (how_.stream && apart ? stream : copy)(what.how, from, to);
}

template <class T>
void pass<T>::run_at_once(const std::byte* from, std::byte* to, T scale) const {
  whole_->run(from, to);
  if (scale == T{1}) return;
  auto* elements = reinterpret_cast<std::complex<T>*>(to);
  for (std::size_t i = 0; i < after_.volume(); i++) elements[i] *= scale;
}

template <class T>
void pass<T>::run_task(const task& now, std::span<const const_array_view> from,
                       std::span<const array_view> to, int field, T scale) const {
  const shape& s = *now.with;
  const std::byte* source = nullptr;
  std::byte* goal = nullptr;
  if (fused_.reads) source = field_of(from[now.source], field) + now.read_at;
  if (fused_.writes) goal = field_of(to[now.target], field) + now.write_at;
  using transform = tile_transform<T>;
  const bool fused = s.fused != nullptr && (!fused_.reads || transform::aligned(source)) &&
                     (!fused_.writes || (transform::aligned(goal) && scale == T{1}));
  auto* tile = reinterpret_cast<std::byte*>(scratch_);
  if (!fused || !fused_.reads) {
    for (const part_copy& r : now.reads)
      copy(r.how, field_of(from[r.source], field) + r.from, tile + r.to);
  }
  if (roots_ != nullptr && way_ == direction::backward) roots_->multiply(now.tile, s.memory, scratch_);
  (fused ? s.fused : s.inside)->run(source, goal);
  if (fused && fused_.writes) return;
  if (roots_ != nullptr && way_ == direction::forward) roots_->multiply(now.tile, s.memory, scratch_);
  if (turns_) {
    multiply_by_factors(now);
    s.home->run(nullptr, nullptr);
  }
  if (scale != T{1}) multiply(s.memory, scale);
  for (const part_copy& w : now.writes) put(w, tile + w.from, from, to, field);
}

template <class T>
void pass<T>::multiply(const tile_memory& memory, T scale) const {
  T* numbers = reinterpret_cast<T*>(scratch_);
  const std::size_t n = memory.elements * (tile_bytes_ / sizeof(T));
  for (std::size_t i = 0; i < n; i++) numbers[i] *= scale;
}

// Rows of a tile and of the factors have the same order.
template <class T>
void pass<T>::multiply_by_factors(const task& now) const {
  const tile_memory& tile = now.with->memory;
  const axes3& order = factors_box_.order;
  const strides3 step = factors_box_.strides();
  const int parts = static_cast<int>(tile_bytes_ / sizeof(T)), row = tile.size[order[0]];
  const auto* first = reinterpret_cast<const T*>(factors_) + now.factors_at * parts;
  for (int k = 0; k < tile.size[order[2]]; k++) {
    for (int j = 0; j < tile.size[order[1]]; j++) {
      T* numbers = reinterpret_cast<T*>(scratch_) + (j * tile.stride[order[1]] + k * tile.stride[order[2]]) * parts;
      const T* by = first + (j * step[order[1]] + k * step[order[2]]) * parts;
      if (real_) {
        for (int i = 0; i < row; i++) numbers[i] *= by[i];
        continue;
      }
      for (int i = 0; i < 2 * row; i += 2) {
        const T re = numbers[i], im = numbers[i + 1];
        numbers[i] = re * by[i] - im * by[i + 1];
        numbers[i + 1] = re * by[i + 1] + im * by[i];
      }
    }
  }
}

template class pass<double>;
template class pass<float>;

}  // namespace oshen::fft
