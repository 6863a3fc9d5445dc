#include <algorithm>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "fft/interface/request.hpp"
#include "fft/moves/agree.hpp"
#include "trials/sized_struct.hpp"

namespace oshen::fft {
namespace {

// The attributes of a member. `common` and `kept` must be equal on all members.
struct attr_record {
  oshen_fft_box_t in, out;
  int common[17], kept[3];
  std::uint64_t element;
  std::uint64_t in_distance, out_distance;
  std::size_t in_embed[3], out_embed[3];
  char strategy[32];
};

// Prints one line on the PE that found the error.
[[gnu::format(printf, 2, 3)]] oshen_status_t refuse(const char* routine, const char* format, ...) {
  char text[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  std::fprintf(stderr, "oshen: PE %d: %s: %s\n", shmem_my_pe(), routine, text);
  return OSHEN_INVALID;
}

constexpr std::size_t dense[3] = {0, 0, 0};

// `embed`: the array in memory.
box read_box(const oshen_fft_box_t& given, const std::size_t (&embed)[3] = dense) {
  box b;
  for (int a = 0; a < 3; a++) {
    b.low[a] = given.low[a];
    b.size[a] = std::max(given.size[a], 0);
    b.order[a] = given.order[a];
  }
  if (b.order == axes3{}) b.order = natural_order;
  if (b.empty()) {
    b.low = b.size = {};
    return b;
  }
  for (int a = 0; a < 3; a++) {
    const int room = static_cast<int>(embed[a]);
    b.room[a] = room == b.size[a] ? 0 : room;
  }
  return b;
}

oshen_status_t check_orders(const char* routine, const oshen_fft_box_t& in, const oshen_fft_box_t& out) {
  for (const auto* given : {&in, &out}) {
    if (is_permutation(read_box(*given).order)) continue;
    return refuse(routine, "attr.%s.order = {%d, %d, %d}: expected each axis 0, 1, 2 once", given == &in ? "in" : "out",
                  given->order[0], given->order[1], given->order[2]);
  }
  return OSHEN_OK;
}

oshen_status_t check_distance(const char* routine, const char* name, std::size_t distance, const box& b) {
  if (distance == 0 || distance >= b.span()) return OSHEN_OK;
  return refuse(routine, "attr.%s = %zu elements: expected 0 or at least %zu, the span of the box in memory", name,
                distance, b.span());
}

oshen_status_t check_embed(const char* routine, const char* name, const std::size_t (&embed)[3],
                           const oshen_fft_box_t& b) {
  for (int a = 0; a < 3; a++) {
    const auto least = static_cast<std::size_t>(std::max(b.size[a], 0));
    if (embed[a] == 0 || (embed[a] >= least && embed[a] <= INT_MAX)) continue;
    return refuse(routine, "attr.%s[%d] = %zu: expected 0 or at least %zu, the size of the box", name, a, embed[a],
                  least);
  }
  return OSHEN_OK;
}

oshen_status_t check_extent(const char* routine, const int (&extent)[3]) {
  for (int a = 0; a < 3; a++) {
    if (extent[a] < 1) return refuse(routine, "attr.extent[%d] = %d: expected at least 1", a, extent[a]);
  }
  return OSHEN_OK;
}

oshen_status_t check_strategy(const char* routine, const char* name) {
  if (name == nullptr || std::strcmp(name, "auto") == 0) return OSHEN_OK;
  oshen_strategy_info_t known;
  for (int i = 0; oshen_strategy_at(i, &known, sizeof known) != 0; i++)
    if (std::strcmp(name, known.name) == 0) return OSHEN_OK;
  return refuse(routine, "attr.strategy = \"%s\": expected a name from oshen_strategy_at or \"auto\"", name);
}

// Checks the attributes that transforms and remaps share.
template <class Attr>
oshen_status_t check_arrays(const char* routine, const Attr& a) {
  if (a.fields < 0) return refuse(routine, "attr.fields = %d: expected 0 or more", a.fields);
  oshen_status_t status = check_extent(routine, a.extent);
  if (status == OSHEN_OK) status = check_orders(routine, a.in, a.out);
  if (status == OSHEN_OK) status = check_strategy(routine, a.strategy);
  return status;
}

template <class Attr>
oshen_status_t check_distances(const char* routine, const Attr& a, const box& in, const box& out) {
  const oshen_status_t status = check_distance(routine, "in_distance", a.in_distance, in);
  return status == OSHEN_OK ? check_distance(routine, "out_distance", a.out_distance, out) : status;
}

// Copies the attributes of a program, which may know fewer fields.
oshen_status_t complete(const char* routine, const oshen_fft_attr_t* given, oshen_fft_attr_t* all) {
  constexpr std::size_t without_embed = offsetof(oshen_fft_attr_t, in_embed);
  constexpr std::size_t without_kept = offsetof(oshen_fft_attr_t, kept);
  const bool is_older = given->size == without_embed || given->size == without_kept;
  if (!is_older && (given->size < sizeof *all || !oshen::uses_only(*given, sizeof *all)))
    return refuse(routine, "attr.size = %zu: expected sizeof(oshen_fft_attr_t) = %zu", given->size, sizeof *all);
  std::memcpy(all, given, std::min(given->size, sizeof *all));
  all->size = sizeof *all;
  return OSHEN_OK;
}

// Checks the transform along each axis.
oshen_status_t check_axes(const char* routine, const oshen_fft_attr_t& a) {
  if (a.halved_axis < 0 || a.halved_axis > 2 || (a.halved_axis != 0 && a.kind != OSHEN_FFT_REAL))
    return refuse(routine, "attr.halved_axis = %d: expected 0, or 1 or 2 with OSHEN_FFT_REAL", a.halved_axis);
  bool any = false;
  for (int i = 0; i < 3; i++) {
    const int along = a.along[i];
    any = any || along != OSHEN_FFT_NOTHING;
    if (along < OSHEN_FFT_FOURIER || along > OSHEN_FFT_HC2R)
      return refuse(routine, "attr.along[%d] = %d: expected a value of oshen_fft_along_t", i, along);
    if (a.kind == OSHEN_FFT_REAL && i == a.halved_axis && along != OSHEN_FFT_FOURIER)
      return refuse(routine, "attr.along[%d] = %d: expected OSHEN_FFT_FOURIER along the halved axis", i, along);
    if (a.kind == OSHEN_FFT_REAL_TO_REAL && along == OSHEN_FFT_FOURIER)
      return refuse(routine, "attr.along[%d] = OSHEN_FFT_FOURIER: expected a real-to-real transform", i);
    if (along == OSHEN_FFT_DCT1 && a.extent[i] < 2)
      return refuse(routine, "attr.extent[%d] = %d: expected 2 or more for OSHEN_FFT_DCT1", i, a.extent[i]);
  }
  return any ? OSHEN_OK : refuse(routine, "attr.along: expected a transform along at least one axis");
}

// Modes along an axis if none is dropped.
int all_modes(const oshen_fft_attr_t& a, int axis) {
  const bool halved = a.kind == OSHEN_FFT_REAL && axis == a.halved_axis;
  return halved ? a.extent[axis] / 2 + 1 : a.extent[axis];
}

kept3 kept_of(const oshen_fft_attr_t& a) {
  kept3 kept{};
  for (int i = 0; i < 3; i++) {
    const bool halved = a.kind == OSHEN_FFT_REAL && i == a.halved_axis;
    kept[i] = lowest_modes(a.along[i], halved, all_modes(a, i), a.kept[i]);
  }
  return kept;
}

oshen_status_t check_kept(const char* routine, const oshen_fft_attr_t& a) {
  for (int i = 0; i < 3; i++) {
    const int all = all_modes(a, i);
    if (a.kept[i] < 0 || a.kept[i] > all)
      return refuse(routine, "attr.kept[%d] = %d: expected 0 to %d, the modes along the axis", i, a.kept[i], all);
    const bool has_modes = a.along[i] != OSHEN_FFT_NOTHING && a.along[i] != OSHEN_FFT_HC2R;
    if (!has_modes && a.kept[i] != 0 && a.kept[i] != all)
      return refuse(routine, "attr.kept[%d] = %d: expected 0 for an axis with OSHEN_FFT_NOTHING or OSHEN_FFT_HC2R", i,
                    a.kept[i]);
  }
  if (a.columns == 0 || !drops(kept_of(a))) return OSHEN_OK;
  return refuse(routine, "attr.columns = %d: expected 0 if attr.kept drops modes", a.columns);
}

oshen_status_t check_columns(const char* routine, const oshen_fft_attr_t& a) {
  if (a.columns == 0) return OSHEN_OK;
  fft_problem line;
  std::copy_n(a.extent, 3, line.extent.value);
  std::copy_n(a.along, 3, line.along.value);
  line.real_in = a.kind != OSHEN_FFT_COMPLEX;
  if (a.columns > 0 && is_line(line) && line.extent[axis_of_line(line)] % a.columns == 0) return OSHEN_OK;
  return refuse(routine, "attr.columns = %d: expected 0, or for complex numbers along one axis a divisor of its length",
                a.columns);
}

// Other efforts do not read the field.
int expected_runs(const oshen_fft_attr_t& a) { return a.effort == OSHEN_FFT_AUTO ? a.expected_runs : 0; }

oshen_status_t check(const char* routine, const oshen_fft_attr_t& a) {
  if (a.kind < OSHEN_FFT_COMPLEX || a.kind > OSHEN_FFT_REAL_TO_REAL)
    return refuse(routine, "attr.kind = %d: expected a value of oshen_fft_kind_t", a.kind);
  if (a.precision != OSHEN_FFT_DOUBLE && a.precision != OSHEN_FFT_FLOAT) {
    return refuse(routine, "attr.precision = %d: expected a value of oshen_fft_precision_t", a.precision);
  }
  if (a.effort < OSHEN_FFT_ESTIMATE || a.effort > OSHEN_FFT_AUTO)
    return refuse(routine, "attr.effort = %d: expected a value of oshen_fft_effort_t", a.effort);
  if (expected_runs(a) < 0) return refuse(routine, "attr.expected_runs = %d: expected 0 or more", a.expected_runs);
  if (a.decomposition < OSHEN_FFT_ANY || a.decomposition > OSHEN_FFT_BRICKS) {
    return refuse(routine, "attr.decomposition = %d: expected a value of oshen_fft_decomposition_t", a.decomposition);
  }
  if ((a.buffers & ~(OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC)) != 0) {
    return refuse(routine, "attr.buffers = %#x: expected 0, OSHEN_IN_SYMMETRIC or OSHEN_OUT_SYMMETRIC, or both",
                  a.buffers);
  }
  oshen_status_t status = check_axes(routine, a);
  if (status == OSHEN_OK) status = check_arrays(routine, a);
  if (status == OSHEN_OK) status = check_kept(routine, a);
  if (status == OSHEN_OK) status = check_embed(routine, "in_embed", a.in_embed, a.in);
  if (status == OSHEN_OK) status = check_embed(routine, "out_embed", a.out_embed, a.out);
  if (status == OSHEN_OK)
    status = check_distances(routine, a, read_box(a.in, a.in_embed), read_box(a.out, a.out_embed));
  return status == OSHEN_OK ? check_columns(routine, a) : status;
}

oshen_status_t check(const char* routine, const oshen_remap_attr_t& a) {
  if (a.size < sizeof a || !oshen::uses_only(a, sizeof a)) {
    return refuse(routine, "attr.size = %zu: expected sizeof(oshen_remap_attr_t) = %zu", a.size, sizeof a);
  }
  if (a.element == 0) return refuse(routine, "attr.element = 0: expected the bytes of an element");
  const oshen_status_t status = check_arrays(routine, a);
  return status == OSHEN_OK ? check_distances(routine, a, read_box(a.in), read_box(a.out)) : status;
}

// In elements. Contiguous fields are a whole array apart.
std::size_t distance_of(std::size_t asked, const box& b) {
  std::size_t whole = 1;
  for (int a = 0; a < 3; a++) whole *= static_cast<std::size_t>(b.room_along(a));
  return asked == 0 ? whole : asked;
}

// The boxes of all members. gather() checks that all other attributes are equal.
struct gathered {
  layout in, out;
  std::vector<distances> between;  // between fields, in elements
};

oshen_status_t gather(oshen_group_t* group, const char* routine, const attr_record& mine, oshen_status_t status,
                      gathered* all) {
  status = worst_status(group, status);
  if (status != OSHEN_OK) return status;
  std::vector<attr_record> records;
  status = allgather(group, mine, records);
  if (status != OSHEN_OK) return status;
  const bool first = oshen_group_rank(group) == 0;
  for (std::size_t r = 0; r < records.size(); r++) {
    const attr_record& t = records[r];
    if (std::memcmp(t.common, records[0].common, sizeof t.common) != 0 ||
        std::memcmp(t.kept, records[0].kept, sizeof t.kept) != 0 || t.element != records[0].element ||
        std::strcmp(t.strategy, records[0].strategy) != 0) {
      if (first)
        refuse(routine,
               "attr of member %zu differs from that of member 0: expected all but the boxes to be "
               "equal",
               r);
      return OSHEN_MISMATCH;
    }
    all->in.push_back(read_box(t.in, t.in_embed));
    all->out.push_back(read_box(t.out, t.out_embed));
    all->between.push_back({distance_of(t.in_distance, all->in.back()), distance_of(t.out_distance, all->out.back())});
  }
  return OSHEN_OK;
}

oshen_status_t check_cover(oshen_group_t* group, const char* routine, const char* name, const layout& boxes,
                           const axes3& extent) {
  if (covers(boxes, extent)) return OSHEN_OK;
  if (oshen_group_rank(group) == 0) {
    refuse(routine, "attr.%s of all members: expected boxes that cover %d x %d x %d without overlap", name, extent[0],
           extent[1], extent[2]);
  }
  return OSHEN_INVALID;
}

template <class Attr>
attr_record attr_record_of(const Attr& a, std::initializer_list<int> common) {
  attr_record mine{};
  mine.in = a.in;
  mine.out = a.out;
  std::copy(common.begin(), common.end(), mine.common);
  std::strncpy(mine.strategy, a.strategy == nullptr ? "" : a.strategy, sizeof mine.strategy - 1);
  return mine;
}

// Swaps the halved axis with axis 0: internally the halved axis is always axis 0. Boxes list their axes in any order,
// so renaming is enough.
void make_halved_axis_first(int halved, fft_problem& p) {
  std::swap(p.names[0], p.names[halved]);
  std::swap(p.extent[0], p.extent[halved]);
  std::swap(p.along[0], p.along[halved]);
  std::swap(p.kept[0], p.kept[halved]);
  for (layout* boxes : {&p.in, &p.out}) {
    for (box& b : *boxes) {
      std::swap(b.low[0], b.low[halved]);
      std::swap(b.size[0], b.size[halved]);
      std::swap(b.room[0], b.room[halved]);
      for (int& axis : b.order) axis = axis == 0 ? halved : axis == halved ? 0 : axis;
    }
  }
}

int owners(const layout& boxes) {
  return static_cast<int>(std::count_if(boxes.begin(), boxes.end(), [](const box& b) { return !b.empty(); }));
}

// Turns an array of one axis into a matrix if several PEs own it, or if its spectrum is to be left transposed, and if
// its length has a divisor. One PE transforms an array of which modes are dropped.
void convert_line(int asked, request& wanted) {
  fft_problem& problem = wanted.problem;
  if (!is_line(problem)) return;
  const int axis = axis_of_line(problem), length = problem.extent[axis];
  const bool transposed = asked > 1 && asked < length, shared = owners(problem.in) > 1 || owners(problem.out) > 1;
  const bool divided = shared && !problem.drops();
  const int columns = transposed ? asked : divided ? best_columns(length, problem.in, problem.out, axis) : 1;
  problem.undivided = shared && columns == 1 && length > 1;
  if (columns == 1) return;
  matrix found = matrix_of(problem, columns, transposed);
  problem = std::move(found.problem);
  wanted.line_in = std::move(found.in);
  wanted.line_out = std::move(found.out);
  wanted.line_distances = wanted.field_distances;
  for (std::size_t pe = 0; pe < wanted.field_distances.size(); pe++) {
    if (wanted.line_in.differ()) wanted.field_distances[pe].in = problem.in[pe].volume();
    if (wanted.line_out.differ()) wanted.field_distances[pe].out = problem.out[pe].volume();
  }
}

}  // namespace

oshen_status_t read_request(oshen_group_t* group, const char* routine, const oshen_fft_attr_t* attr, request* wanted) {
  oshen_fft_attr_t a{};
  oshen_status_t local = complete(routine, attr, &a);
  if (local == OSHEN_OK) local = check(routine, a);
  attr_record mine{};
  if (local == OSHEN_OK) {
    mine = attr_record_of(a, {a.extent[0], a.extent[1], a.extent[2], a.kind, a.precision, a.fields, a.effort,
                              a.decomposition, static_cast<int>(a.buffers), a.halved_axis, a.along[0], a.along[1],
                              a.along[2], a.workspace != nullptr, a.convolution, a.columns, expected_runs(a)});
    std::copy_n(a.kept, 3, mine.kept);
    mine.in_distance = a.in_distance;
    mine.out_distance = a.out_distance;
    std::copy_n(a.in_embed, 3, mine.in_embed);
    std::copy_n(a.out_embed, 3, mine.out_embed);
  }
  gathered all;
  oshen_status_t status = gather(group, routine, mine, local, &all);
  if (status != OSHEN_OK) return status;
  fft_problem& p = wanted->problem;
  p.extent = {a.extent[0], a.extent[1], a.extent[2]};
  p.real_in = a.kind != OSHEN_FFT_COMPLEX;
  p.real_out = a.kind == OSHEN_FFT_REAL_TO_REAL;
  std::copy_n(a.along, 3, p.along.value);
  p.kept = kept_of(a);
  p.in = std::move(all.in);
  p.out = std::move(all.out);
  p.fields = std::max(a.fields, 1);
  status = check_cover(group, routine, "in", p.in, p.extent);
  axes3 out_extent{};
  for (int i = 0; i < 3; i++) out_extent[i] = a.kept[i] != 0 ? a.kept[i] : all_modes(a, i);
  if (status == OSHEN_OK) status = check_cover(group, routine, "out", p.out, out_extent);
  if (status != OSHEN_OK) return status;
  make_halved_axis_first(a.halved_axis, p);
  wanted->single = a.precision == OSHEN_FFT_FLOAT;
  p.complex_bytes = wanted->single ? 8 : 16;
  p.direct = a.strategy == nullptr;
  p.symmetric_in = (a.buffers & OSHEN_IN_SYMMETRIC) != 0;
  p.symmetric_out = (a.buffers & OSHEN_OUT_SYMMETRIC) != 0;
  wanted->field_distances = std::move(all.between);
  wanted->effort = a.effort;
  wanted->expected_runs = expected_runs(a);
  wanted->kind = static_cast<decomposition>(a.decomposition);
  wanted->strategy = a.strategy;
  p.convolves = a.convolution != 0;
  wanted->workspace = static_cast<std::byte*>(a.workspace);
  wanted->workspace_bytes = a.workspace_bytes;
  convert_line(a.columns, *wanted);
  return OSHEN_OK;
}

oshen_status_t read_request(oshen_group_t* group, const oshen_remap_attr_t* attr, remap_request* wanted) {
  const char* routine = "oshen_remap_create";
  const oshen_remap_attr_t& a = *attr;
  const oshen_status_t local = check(routine, a);
  attr_record mine{};
  if (local == OSHEN_OK) {
    mine = attr_record_of(a, {a.extent[0], a.extent[1], a.extent[2], a.fields});
    mine.element = a.element;
  }
  gathered all;
  oshen_status_t status = gather(group, routine, mine, local, &all);
  if (status != OSHEN_OK) return status;
  const axes3 extent{a.extent[0], a.extent[1], a.extent[2]};
  wanted->in = std::move(all.in);
  wanted->out = std::move(all.out);
  status = check_cover(group, routine, "in", wanted->in, extent);
  if (status == OSHEN_OK) status = check_cover(group, routine, "out", wanted->out, extent);
  const auto me = static_cast<std::size_t>(oshen_group_rank(group));
  wanted->element = a.element;
  wanted->fields = std::max(a.fields, 1);
  wanted->in_distance = distance_of(a.in_distance, wanted->in[me]);
  wanted->out_distance = distance_of(a.out_distance, wanted->out[me]);
  return status;
}

}  // namespace oshen::fft
