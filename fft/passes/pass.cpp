#include "fft/passes/pass.hpp"

#include <algorithm>
#include <cstring>

#include "fft/geometry/tile.hpp"

namespace oshen::fft {
namespace {

std::size_t real_or_complex(bool real, std::size_t real_bytes) { return real ? real_bytes : 2 * real_bytes; }

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

// Bytes from the start of the array to a point.
std::ptrdiff_t offset_in(const chunk& p, std::size_t element, const axes3& point) {
  return byte_offset(byte_strides(p.array_box, element), point, p.array_box.low);
}

template <class Place>
auto field_of(const Place& at, int field) {
  return at.base + static_cast<std::size_t>(field) * at.distance;
}

// The chunk that contains all points of the box; null if they lie in several chunks.
const chunk* only_chunk(const std::vector<chunk>& chunks, const box& wanted) {
  for (const chunk& p : chunks) {
    const box points = overlap(wanted, p.points);
    if (!points.empty()) return points.size == wanted.size ? &p : nullptr;
  }
  return nullptr;
}

// Whether every tile lies in one chunk, and all arrays have the same strides.
bool tiles_in_one(const std::vector<chunk>& chunks, const std::vector<box>& tiles) {
  return std::all_of(tiles.begin(), tiles.end(), [&](const box& tile) {
    const chunk* p = only_chunk(chunks, tile);
    return p != nullptr && p->array_box.strides() == chunks[0].array_box.strides();
  });
}

}  // namespace

box factors_box(const stage& turning, int pe) {
  box result = turning.spectrum[static_cast<std::size_t>(pe)];
  result.order = tile_order(turning.before[static_cast<std::size_t>(pe)], turning.halves());
  result.room = {};
  return result;
}

local_stage::local_stage(const stage& whole, int me, std::size_t real_bytes)
    : before(whole.before[static_cast<std::size_t>(me)]),
      after(whole.after[static_cast<std::size_t>(me)]),
      axes(whole.axes),
      along(whole.along),
      kept(whole.kept),
      drops(fft::drops(whole.kept)),
      turns(whole.turns()),
      real(whole.real_before && whole.real_after && !whole.halves()),
      real_size(0),
      before_bytes(real_or_complex(whole.real_before, real_bytes)),
      after_bytes(real_or_complex(whole.real_after, real_bytes)),
      tile_bytes(real_or_complex(real, real_bytes)),
      at_once(whole.at_once),
      twiddles(whole.twiddles) {
  if (whole.halves() || whole.real_before != whole.real_after) real_size = (whole.real_before ? before : after).size[0];
  if (turns) factors = factors_box(whole, me);
}

template <class T>
pass<T>::pass(const stage& stage, int me, direction dir, std::vector<chunk> sources, std::vector<chunk> targets,
              const tuning& options)
    : stage_(stage, me, sizeof(T)),
      dir_(dir),
      options_(options),
      sources_(std::move(sources)),
      targets_(std::move(targets)) {
  source_of_ = sources_of_targets();
  if (stage_.axes.empty()) copies_ = copies_between();
  if (stage_.axes.empty() || stage_.at_once) return;
  box spectrum = stage_.turns ? stage_.factors : stage.real_before ? stage_.after : stage_.before;
  for (int a = 0; a < 3; a++)
    if (stage_.kept[a].drops()) spectrum.size[a] = stage_.kept[a].all;
  const axes3 order = tile_order(stage_.before, stage_.real_size != 0);
  axes3 size = tile_size(spectrum, stage_.axes, stage_.tile_bytes, options_.tile_bytes);
  for (const int a : stage_.axes) size[a] = stage_.before.size[a];
  tiles_ = tiles_of(stage_.before, size, order);
  fused_ = choose_fusion();
}

template <class T>
std::vector<int> pass<T>::sources_of_targets() const {
  std::vector<int> result;
  for (const chunk& target : targets_) {
    const auto same = [&](const chunk& source) { return source.pe == target.pe; };
    const auto found = std::find_if(sources_.begin(), sources_.end(), same);
    result.push_back(found == sources_.end() ? -1 : static_cast<int>(found - sources_.begin()));
  }
  return result;
}

template <class T>
outside pass<T>::choose_fusion() const {
  outside ends;
  if (tiles_.empty()) return ends;
  // A complex-to-real transform would destroy its source.
  const bool to_real = stage_.axes[0] == 0 && stage_.real_size != 0 && dir_ == direction::backward;
  ends.source = sources_[0].array_box.strides();
  ends.target = targets_[0].array_box.strides();
  // Twiddles are multiplied in scratch, between the transforms of columns and the copy before or after them.
  const bool before = stage_.twiddles != 0 && dir_ == direction::backward, behind = stage_.twiddles != 0 && !before;
  ends.reads = !to_real && !before && !reads_kept() && (options_.fuse || ends.source[stage_.axes[0]] == 1) &&
               tiles_in_one(sources_, tiles_);
  const bool apart =
      stage_.axes.size() > 1 || !ends.reads;  // one transform reads the source, another writes the target
  if (!options_.fuse || !apart || stage_.turns || behind || writes_kept()) return ends;
  std::vector<box> results;
  for (const box& tile : tiles_) results.push_back(after(tile));
  ends.writes = tiles_in_one(targets_, results);
  return ends;
}

template <class T>
box pass<T>::after(const box& tile) const {
  box result = tile;
  for (const int a : stage_.axes) result.size[a] = stage_.after.size[a];
  return result;
}

template <class T>
typename pass<T>::tile_plan pass<T>::make_tile_plan(const box& tile) const {
  axes3 size = tile.size;
  if (stage_.real_size != 0 && goes_through(direction::forward))
    size[0] = (stage_.turns ? stage_.factors : stage_.after).size[0];
  for (int a = 0; a < 3; a++)
    if (stage_.kept[a].drops()) size[a] = stage_.kept[a].all;
  const std::vector<box> dropped = dropped_parts({{}, size, tile.order}, stage_.kept);
  return {lay_out_tile(size, tile.order, stage_.tile_bytes), dropped, nullptr, nullptr, nullptr};
}

template <class T>
std::size_t pass<T>::scratch_elements() const {
  std::size_t most = 0;
  for (const box& tile : tiles_) most = std::max(most, make_tile_plan(tile).memory.elements);
  return (most * stage_.tile_bytes + sizeof(std::complex<T>) - 1) / sizeof(std::complex<T>);
}

// Strides of the elements in a tile, in bytes. packed: real elements in the rows of complex ones.
template <class T>
strides3 pass<T>::strides_in(const tile_memory& memory, bool packed) const {
  strides3 result = memory.stride;
  for (int a = 0; a < 3; a++)
    result[a] *= static_cast<std::ptrdiff_t>(packed && a == 0 ? sizeof(T) : stage_.tile_bytes);
  return result;
}

template <class T>
void pass<T>::prepare(std::complex<T>* scratch) {
  scratch_ = scratch;
  if (stage_.twiddles != 0) roots_ = std::make_unique<twiddles<T>>(stage_.twiddles, dir_);
  if (stage_.at_once && !targets_.empty())
    whole_ =
        std::make_unique<box_transform<T>>(stage_.before, targets_[0].array_box, stage_.axes, dir_, options_.effort);
  for (const box& tile : tiles_) {
    if (tile_plans_.contains(tile.size)) continue;
    tile_plan made = make_tile_plan(tile);
    const auto make = [&](const tile_work& work, const outside& ends) {
      return std::make_unique<tile_transform<T>>(made.memory, work, ends, options_.effort, scratch);
    };
    const tile_work there{stage_.axes, stage_.along, dir_, stage_.real, stage_.real_size, stage_.kept};
    made.in_scratch = make(there, {});
    if (fused_.reads || fused_.writes) made.fused = make(there, fused_);
    if (stage_.turns)
      made.inverse = make({{stage_.axes.rbegin(), stage_.axes.rend()},
                           stage_.along,
                           direction::backward,
                           stage_.real,
                           stage_.real_size,
                           stage_.kept},
                          {});
    tile_plans_.emplace(tile.size, std::move(made));
  }
  for (const box& tile : tiles_) tile_passes_.push_back(make_tile_pass(tile));
}

template <class T>
typename pass<T>::tile_pass pass<T>::make_tile_pass(const box& tile) const {
  tile_pass made;
  made.plan = &tile_plans_.at(tile.size);
  made.tile = tile;
  const box results = after(tile);
  made.reads = reads_of(tile, made.plan->memory);
  made.writes = writes_of(results, made.plan->memory);
  if (stage_.turns) {
    box spectrum = tile;
    for (const int a : stage_.axes) spectrum.size[a] = stage_.factors.size[a];
    made.factors = contiguous_parts(spectrum, stage_.kept);
  }
  if (fused_.reads) {
    const chunk* p = only_chunk(sources_, tile);
    made.source = static_cast<std::size_t>(p - sources_.data());
    made.source_offset = offset_in(*p, stage_.before_bytes, tile.low);
  }
  if (fused_.writes) {
    const chunk* p = only_chunk(targets_, results);
    made.target = static_cast<std::size_t>(p - targets_.data());
    made.target_offset = offset_in(*p, stage_.after_bytes, results.low);
  }
  return made;
}

template <class T>
auto pass<T>::reads_of(const box& tile, const tile_memory& memory) const -> std::vector<chunk_copy> {
  const bool real = stage_.real_size != 0 && goes_through(direction::forward);
  const strides3 tile_stride = strides_in(memory, real);
  const kept3 kept = reads_kept() ? stage_.kept : kept3{};
  std::vector<chunk_copy> reads;
  for (std::size_t i = 0; i < sources_.size(); i++) {
    const box points = overlap(tile, sources_[i].points);
    if (points.empty()) continue;
    const strides3 array_stride = byte_strides(sources_[i].array_box, stage_.before_bytes);
    for (const box& part : contiguous_parts(points, kept))
      reads.push_back({i, 0, offset_in(sources_[i], stage_.before_bytes, part.low),
                       byte_offset(tile_stride, position_of(part.low, kept), tile.low),
                       prepare_copy({part.size, array_stride, tile_stride}, stage_.before_bytes)});
  }
  return reads;
}

template <class T>
auto pass<T>::writes_of(const box& results, const tile_memory& memory) const -> std::vector<chunk_copy> {
  const bool real = stage_.real_size != 0 && goes_through(direction::backward);
  const strides3 tile_stride = strides_in(memory, real);
  const kept3 kept = writes_kept() ? stage_.kept : kept3{};
  std::vector<chunk_copy> writes;
  for (std::size_t i = 0; i < targets_.size(); i++) {
    const box points = overlap(results, targets_[i].points);
    if (points.empty()) continue;
    const strides3 array_stride = byte_strides(targets_[i].array_box, stage_.after_bytes);
    for (const box& part : contiguous_parts(points, kept))
      writes.push_back({0, i, byte_offset(tile_stride, position_of(part.low, kept), results.low),
                        offset_in(targets_[i], stage_.after_bytes, part.low),
                        prepare_copy({part.size, tile_stride, array_stride}, stage_.after_bytes)});
  }
  return writes;
}

template <class T>
auto pass<T>::copies_between() const -> std::vector<chunk_copy> {
  std::vector<chunk_copy> copies;
  for (std::size_t i = 0; i < sources_.size(); i++) {
    for (std::size_t j = 0; j < targets_.size(); j++) {
      const chunk &source = sources_[i], &target = targets_[j];
      const box points = overlap(source.points, target.points);
      if (points.empty()) continue;
      const block_copy block{points.size, byte_strides(source.array_box, stage_.before_bytes),
                             byte_strides(target.array_box, stage_.before_bytes)};
      copies.push_back({i, j, offset_in(source, stage_.before_bytes, points.low),
                        offset_in(target, stage_.before_bytes, points.low), prepare_copy(block, stage_.before_bytes)});
    }
  }
  return copies;
}

template <class T>
void pass<T>::run(std::span<const const_array_view> from, std::span<const array_view> to, int fields, T scale) const {
  for (int f = 0; f < fields; f++) {
    if (stage_.axes.empty()) {
      for (const chunk_copy& c : copies_) {
        const std::byte* source = field_of(from[c.source], f) + c.from;
        const std::byte* target = field_of(to[c.target], f) + c.to;
        const bool in_place = source == target && c.copy.block.from == c.copy.block.to;
        if (!in_place) put(c, source, from, to, f);
      }
    } else if (whole_ != nullptr) {
      run_at_once(field_of(from[0], f), field_of(to[0], f), scale);
    } else {
      for (const tile_pass& now : tile_passes_) run_tile_pass(now, from, to, f, scale);
    }
  }
  if (options_.stream) stream_fence();
}

// Writes into a target. Lines that were just read are in the caches and are not streamed.
template <class T>
void pass<T>::put(const chunk_copy& moved, const std::byte* from, std::span<const const_array_view> sources,
                  std::span<const array_view> targets, int field) const {
  std::byte* to = field_of(targets[moved.target], field) + moved.to;
  const int same = source_of_[moved.target];
  const bool apart = same < 0 || sources[static_cast<std::size_t>(same)].base != targets[moved.target].base;
  (options_.stream && apart ? stream : copy)(moved.copy, from, to);
}

template <class T>
void pass<T>::run_at_once(const std::byte* from, std::byte* to, T scale) const {
  whole_->run(from, to);
  if (scale == T{1}) return;
  auto* elements = reinterpret_cast<std::complex<T>*>(to);
  for (std::size_t i = 0; i < stage_.after.volume(); i++) elements[i] *= scale;
}

template <class T>
void pass<T>::run_tile_pass(const tile_pass& now, std::span<const const_array_view> from,
                            std::span<const array_view> to, int field, T scale) const {
  const tile_plan& plan = *now.plan;
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  if (fused_.reads) source = field_of(from[now.source], field) + now.source_offset;
  if (fused_.writes) target = field_of(to[now.target], field) + now.target_offset;
  using transform = tile_transform<T>;
  const bool fused = plan.fused != nullptr && (!fused_.reads || transform::aligned(source)) &&
                     (!fused_.writes || (transform::aligned(target) && scale == T{1}));
  auto* tile = reinterpret_cast<std::byte*>(scratch_);
  if (!fused || !fused_.reads) {
    if (reads_kept()) clear_dropped(plan);
    for (const chunk_copy& r : now.reads) copy(r.copy, field_of(from[r.source], field) + r.from, tile + r.to);
  }
  if (roots_ != nullptr && dir_ == direction::backward) roots_->multiply(now.tile, plan.memory, scratch_);
  (fused ? plan.fused : plan.in_scratch)->run(source, target);
  if (fused && fused_.writes) return;
  if (roots_ != nullptr && dir_ == direction::forward) roots_->multiply(now.tile, plan.memory, scratch_);
  if (stage_.turns) {
    clear_dropped(plan);
    multiply_by_factors(now);
    plan.inverse->run(nullptr, nullptr);
  }
  if (scale != T{1}) multiply(plan.memory, scale);
  for (const chunk_copy& w : now.writes) put(w, tile + w.from, from, to, field);
}

template <class T>
void pass<T>::multiply(const tile_memory& memory, T scale) const {
  T* numbers = reinterpret_cast<T*>(scratch_);
  const std::size_t n = memory.elements * (stage_.tile_bytes / sizeof(T));
  for (std::size_t i = 0; i < n; i++) numbers[i] *= scale;
}

// Sets the dropped modes in a tile to zero.
template <class T>
void pass<T>::clear_dropped(const tile_plan& plan) const {
  const strides3 step = strides_in(plan.memory, false);
  auto* tile = reinterpret_cast<std::byte*>(scratch_);
  for (const box& part : plan.dropped) {
    const axes3& order = part.order;
    std::byte* first = tile + byte_offset(step, part.low, {});
    const std::size_t row = static_cast<std::size_t>(part.size[order[0]]) * stage_.tile_bytes;
    for (int k = 0; k < part.size[order[2]]; k++)
      for (int j = 0; j < part.size[order[1]]; j++)
        std::memset(first + j * step[order[1]] + k * step[order[2]], 0, row);
  }
}

template <class T>
void pass<T>::multiply_by_factors(const tile_pass& now) const {
  for (const box& part : now.factors) multiply_part(now, part);
}

// The rows of a tile and of the factors have the same order.
template <class T>
void pass<T>::multiply_part(const tile_pass& now, const box& part) const {
  const tile_memory& tile = now.plan->memory;
  const axes3& order = stage_.factors.order;
  const strides3 step = stage_.factors.strides();
  const int parts = static_cast<int>(stage_.tile_bytes / sizeof(T)), row = part.size[order[0]];
  const std::ptrdiff_t corner = byte_offset(tile.stride, position_of(part.low, stage_.kept), now.tile.low);
  T* tile_first = reinterpret_cast<T*>(scratch_) + corner * parts;
  const auto* first = reinterpret_cast<const T*>(factors_) + stage_.factors.offset(part.low) * parts;
  for (int k = 0; k < part.size[order[2]]; k++) {
    for (int j = 0; j < part.size[order[1]]; j++) {
      T* numbers = tile_first + (j * tile.stride[order[1]] + k * tile.stride[order[2]]) * parts;
      const T* by = first + (j * step[order[1]] + k * step[order[2]]) * parts;
      if (stage_.real) {
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
