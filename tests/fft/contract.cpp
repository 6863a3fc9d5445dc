// Tests the guarantees of oshen/fft.h other than correct numbers: every refusal, factors, costs, memory.
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "program.hpp"

namespace {

constexpr int edge = 12, points = edge * edge * edge;

template <class Attr>
std::size_t own_points(const Attr& a) {
  return volume(a.in);
}

oshen_status_t made(oshen_group_t* group, const oshen_fft_attr_t& a) {
  oshen_fft_t* fft = nullptr;
  const oshen_status_t status = oshen_fft_create(group, &a, &fft);
  CHECK((fft != nullptr) == (status == OSHEN_OK));
  oshen_fft_destroy(fft);
  return status;
}

oshen_status_t made(oshen_group_t* group, const oshen_remap_attr_t& a) {
  oshen_remap_t* remap = nullptr;
  const oshen_status_t status = oshen_remap_create(group, &a, &remap);
  CHECK((remap != nullptr) == (status == OSHEN_OK));
  oshen_remap_destroy(remap);
  return status;
}

// Requests something with one error on the last member only; all members must get the status.
template <class Attr, class Spoil>
void expect(oshen_group_t* group, Attr good, oshen_status_t status, const char* what, Spoil spoil) {
  if (oshen_group_rank(group) == oshen_group_size(group) - 1) spoil(good);
  const oshen_status_t got = made(group, good);
  if (got == status) return;
  failures++;
  std::printf("PE %d: %s: \"%s\", expected \"%s\"\n", shmem_my_pe(), what, oshen_status_text(got),
              oshen_status_text(status));
}

template <class Attr>
void refuse_what_both_have(oshen_group_t* group, const Attr& good) {
  CHECK(made(group, good) == OSHEN_OK);
  expect(group, good, OSHEN_INVALID, "size", [](Attr& a) { a.size--; });
  expect(group, good, OSHEN_INVALID, "extent", [](Attr& a) { a.extent[1] = 0; });
  expect(group, good, OSHEN_INVALID, "fields", [](Attr& a) { a.fields = -1; });
  expect(group, good, OSHEN_INVALID, "order", [](Attr& a) { a.out.order[0] = 2; });
  expect(group, good, OSHEN_INVALID, "in_distance", [](Attr& a) { a.in_distance = own_points(a) - 1; });
  expect(group, good, OSHEN_INVALID, "out_distance", [](Attr& a) { a.out_distance = 1; });
  expect(group, good, OSHEN_INVALID, "a gap", [](Attr& a) { a.in.size[0]--; });
  expect(group, good, OSHEN_INVALID, "out of the array", [](Attr& a) { a.out.low[1]++; });
  expect(group, good, OSHEN_INVALID, "no such strategy", [](Attr& a) { a.strategy = "no such strategy"; });
  if (oshen_group_size(group) == 1) return;
  expect(group, good, OSHEN_MISMATCH, "fields differ", [](Attr& a) { a.fields = 2; });
  expect(group, good, OSHEN_MISMATCH, "strategies differ", [](Attr& a) { a.strategy = "get"; });
  expect(group, good, OSHEN_INVALID, "overlap", [](Attr& a) {
    a.in.low[2]--;
    a.in.size[2]++;
  });
}

// A value that a C program may store in an enumeration.
template <class Enumeration>
void set_any(Enumeration& to, int value) {
  static_assert(sizeof to == sizeof value);
  std::memcpy(&to, &value, sizeof to);
}

void refuse_axes(oshen_group_t* group, const oshen_fft_attr_t& good) {
  using attr = oshen_fft_attr_t;
  expect(group, good, OSHEN_INVALID, "halved axis of complex numbers", [](attr& a) { a.halved_axis = 1; });
  expect(group, good, OSHEN_INVALID, "along", [](attr& a) { set_any(a.along[2], 13); });
  expect(group, good, OSHEN_INVALID, "nothing at all", [](attr& a) {
    for (auto& along : a.along) along = OSHEN_FFT_NOTHING;
  });
  expect(group, good, OSHEN_INVALID, "DCT1 of one element", [](attr& a) {
    a.extent[0] = 1;
    a.along[0] = OSHEN_FFT_DCT1;
  });
  auto cosines = good;
  cosines.kind = OSHEN_FFT_REAL_TO_REAL;
  for (auto& along : cosines.along) along = OSHEN_FFT_DCT2;
  CHECK(made(group, cosines) == OSHEN_OK);
  expect(group, cosines, OSHEN_INVALID, "FOURIER from real to real", [](attr& a) { a.along[1] = OSHEN_FFT_FOURIER; });
  auto real = good;
  real.kind = OSHEN_FFT_REAL;
  real.halved_axis = 1;
  real.out.size[1] = edge / 2 + 1;
  CHECK(made(group, real) == OSHEN_OK);
  expect(group, real, OSHEN_INVALID, "halved axis 3", [](attr& a) { a.halved_axis = 3; });
  expect(group, real, OSHEN_INVALID, "halved axis not FOURIER", [](attr& a) { a.along[1] = OSHEN_FFT_DST4; });
  if (oshen_group_size(group) == 1) return;
  expect(group, good, OSHEN_MISMATCH, "axes differ", [](attr& a) { a.along[0] = OSHEN_FFT_HARTLEY; });
  expect(group, good, OSHEN_MISMATCH, "only one convolves", [](attr& a) { a.convolution = 1; });
}

void refuse_workspaces(oshen_group_t* group, oshen_fft_attr_t good) {
  using attr = oshen_fft_attr_t;
  oshen_fft_need_t need{};
  CHECK(oshen_fft_need(group, &good, &need, sizeof need) == OSHEN_OK && need.symmetric > need.workspace);
  CHECK((need.workspace == 0) == (oshen_group_size(group) == 1));
  const std::size_t bytes = need.workspace + 64;
  void* lent = oshen_arena_alloc(oshen_group_arena(group), bytes);
  good.workspace = lent;
  good.workspace_bytes = bytes;
  CHECK(made(group, good) == OSHEN_OK);
  if (oshen_group_size(group) > 1) {
    std::vector<std::byte> ordinary(bytes);
    expect(group, good, OSHEN_NO_SPACE, "workspace too small", [](attr& a) { a.workspace_bytes = 0; });
    expect(group, good, OSHEN_INVALID, "workspace not symmetric", [&](attr& a) { a.workspace = ordinary.data(); });
    expect(group, good, OSHEN_MISMATCH, "only some lend", [](attr& a) { a.workspace = nullptr; });
  }
  oshen_arena_free(oshen_group_arena(group), lent);
  struct {
    attr known;
    std::size_t unknown;
  } newer{good, 0};
  newer.known.workspace = nullptr;
  newer.known.size = sizeof newer;
  oshen_fft_need_t asked{77, 77, 77};
  CHECK(oshen_fft_need(group, &newer.known, &asked, 2 * sizeof(std::size_t)) == OSHEN_OK);
  CHECK(asked.symmetric == need.symmetric && asked.workspace == need.workspace && asked.ordinary == 77);
  newer.unknown = 1;
  CHECK(oshen_fft_need(group, &newer.known, &asked, sizeof asked) == OSHEN_INVALID);
  auto bad = good;
  bad.extent[0] = 0;
  CHECK(oshen_fft_need(group, &bad, &need, sizeof need) == OSHEN_INVALID && need.symmetric == 0);
}

void refuse(oshen_group_t* group) {
  const auto fft = slabs<oshen_fft_attr_t>(group, edge);
  using attr = oshen_fft_attr_t;
  refuse_what_both_have(group, fft);
  expect(group, fft, OSHEN_INVALID, "kind", [](attr& a) { set_any(a.kind, 3); });
  expect(group, fft, OSHEN_INVALID, "precision", [](attr& a) { set_any(a.precision, -1); });
  expect(group, fft, OSHEN_INVALID, "effort", [](attr& a) { set_any(a.effort, 4); });
  expect(group, fft, OSHEN_INVALID, "expected runs", [](attr& a) {
    a.effort = OSHEN_FFT_AUTO;
    a.expected_runs = -1;
  });
  expect(group, fft, OSHEN_INVALID, "decomposition", [](attr& a) { set_any(a.decomposition, 4); });
  expect(group, fft, OSHEN_INVALID, "buffers", [](attr& a) { a.buffers = OSHEN_BUFFERS_APART; });
  if (oshen_group_size(group) > 1) {
    expect(group, fft, OSHEN_MISMATCH, "promises differ", [](attr& a) { a.buffers = OSHEN_OUT_SYMMETRIC; });
  }
  expect(group, fft, OSHEN_INVALID, "in_embed", [](attr& a) { a.in_embed[1] = edge - 1; });
  expect(group, fft, OSHEN_INVALID, "out_embed", [](attr& a) { a.out_embed[0] = std::size_t{1} << 40; });
  expect(group, fft, OSHEN_OK, "a program without the last fields", [](attr& a) {
    a.size = offsetof(attr, in_embed);
    a.in_embed[0] = 1;  // not read
  });
  auto real = fft;
  real.kind = OSHEN_FFT_REAL;
  CHECK(made(group, real) == OSHEN_INVALID);  // its output is half as long
  refuse_axes(group, fft);
  refuse_workspaces(group, fft);
  auto remap = slabs<oshen_remap_attr_t>(group, edge);
  remap.element = 8;
  refuse_what_both_have(group, remap);
  expect(group, remap, OSHEN_INVALID, "element", [](oshen_remap_attr_t& a) { a.element = 0; });
}

void check_factors(oshen_group_t* group) {
  const auto attr = slabs<oshen_fft_attr_t>(group, edge);
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
  const std::vector<std::complex<double>> ones(own_points(attr), 1.0);
  struct {
    oshen_fft_scale_t scale;
    double sum;
  } const rows[] = {
      {OSHEN_FFT_SCALE_NONE, points}, {OSHEN_FFT_SCALE_SYMMETRIC, std::sqrt(points)}, {OSHEN_FFT_SCALE_FULL, 1}};
  for (const auto& row : rows) {
    for (const auto transform : {oshen_fft_forward, oshen_fft_backward}) {
      auto out = ones;
      transform(fft, ones.data(), out.data(), row.scale);
      double error = 0;
      for (std::size_t i = 0; i < out.size(); i++) {
        const bool first = i == 0 && attr.in.low[2] == 0;
        error = std::max(error, std::abs(out[i] - (first ? row.sum : 0)));
      }
      CHECK(error < 1e-12 * points);
    }
  }
  oshen_fft_destroy(fft);
}

// With a symmetric output there is neither a last copy nor a work array.
void check_promise(oshen_group_t* group, std::uint64_t passes_before) {
  auto attr = slabs<oshen_fft_attr_t>(group, edge);
  attr.buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC;
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
  oshen_fft_cost_t cost;
  oshen_fft_cost(fft, &cost, sizeof cost);
  CHECK(cost.bytes_pass <= passes_before);
  oshen_fft_workspace_t memory;
  oshen_fft_workspace(fft, &memory, sizeof memory);
  CHECK(memory.symmetric < own_points(attr) * 16);
  oshen_fft_destroy(fft);
}

// Statistics of two forward runs and a backward one. Exchange plans carry out passes that would only copy.
void check_stats(oshen_fft_t* fft, const oshen_fft_attr_t& attr, const oshen_fft_cost_t& forward) {
  std::vector<std::complex<double>> data(own_points(attr) * static_cast<std::size_t>(attr.fields), 1.0);
  oshen_fft_stats_t before, two, three;
  oshen_fft_stats(fft, &before, sizeof before);
  CHECK(before.runs == 0 && before.transform_bytes == 0 && before.transform_seconds == 0 && before.wait_seconds == 0);
  for (int run = 0; run < 2; run++) oshen_fft_forward(fft, data.data(), data.data(), OSHEN_FFT_SCALE_NONE);
  oshen_fft_stats(fft, &two, sizeof two);
  char text[200];
  oshen_fft_describe(fft, text, sizeof text);
  const bool planned = std::strstr(text, "shared work arrays") == nullptr;
  const std::uint64_t passes = two.transform_bytes + two.copy_bytes;
  CHECK(two.runs == 2 && two.exchange_bytes == 2 * forward.bytes);
  CHECK(planned ? passes <= 2 * forward.bytes_pass : passes == 2 * forward.bytes_pass);
  CHECK(planned || two.exchange_seconds == 0);
  CHECK(two.wait_seconds >= 0 && (own_points(attr) == 0 || (two.transform_seconds > 0 && two.transform_bytes > 0)));
  oshen_fft_backward(fft, data.data(), data.data(), OSHEN_FFT_SCALE_NONE);
  oshen_fft_stats(fft, &three, sizeof three);
  CHECK(three.runs == 3 && three.transform_bytes > two.transform_bytes - (own_points(attr) == 0));
  CHECK(three.transform_seconds >= two.transform_seconds && three.exchange_bytes >= two.exchange_bytes);
}

void check_costs(oshen_group_t* group) {
  auto attr = slabs<oshen_fft_attr_t>(group, edge);
  oshen_fft_cost_t cost[2];
  for (const int fields : {1, 2}) {
    attr.fields = fields;
    oshen_fft_t* fft = nullptr;
    if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
    oshen_fft_cost_t& c = cost[fields - 1];
    oshen_fft_cost(fft, &c, sizeof c);
    const auto n = static_cast<std::uint64_t>(oshen_group_size(group));
    const std::uint64_t mine = own_points(attr) * 16 * static_cast<std::uint64_t>(fields);
    CHECK(c.passes >= 1 && c.bytes_pass >= 2 * mine);
    // Slabs cannot be transformed in place: all data but a PE's own part moves, forward and back.
    CHECK((c.bytes == 0) == (n == 1) && (c.messages == 0) == (n == 1));
    CHECK(c.messages <= static_cast<std::uint64_t>(c.exchanges) * (n - 1));
    CHECK(n == 1 || (c.exchanges >= 2 && c.bytes >= mine * (n - 1) / n));
    check_stats(fft, attr, c);
    oshen_fft_workspace_t memory{~std::size_t{0}, ~std::size_t{0}};
    oshen_fft_workspace(fft, &memory, sizeof memory);
    CHECK(memory.symmetric < std::size_t{1} << 24 && memory.ordinary < std::size_t{1} << 24);
    CHECK(n == 1 || memory.symmetric + memory.ordinary >= mine / 2);
    char text[200];
    CHECK(oshen_fft_describe(fft, text, sizeof text) == std::strlen(text) && text[0] != '\0');
    oshen_fft_destroy(fft);
  }
  check_promise(group, cost[0].bytes_pass);
  // Fields travel together: twice the bytes in as many messages.
  CHECK(cost[1].messages == cost[0].messages && cost[1].bytes == 2 * cost[0].bytes);
}

// Several fields in place, whose distances differ before and after: the result of one must not overwrite the next.
void check_fields_in_place(oshen_group_t* group, bool forward) {
  using number = std::complex<double>;
  auto attr = slabs<oshen_fft_attr_t>(group, edge);
  const std::size_t dense = own_points(attr), wide = dense + 5, fields = 3;
  attr.fields = static_cast<int>(fields);
  attr.out_distance = wide;
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
  const std::size_t from = forward ? dense : wide, to = forward ? wide : dense;
  std::vector<number> both(fields * wide), in(fields * wide), out(fields * wide);
  for (std::size_t i = 0; i < in.size(); i++)
    both[i] = in[i] = {std::sin(0.37 * static_cast<double>(i)), static_cast<double>(i % 7)};
  const auto transform = forward ? oshen_fft_forward : oshen_fft_backward;
  transform(fft, in.data(), out.data(), OSHEN_FFT_SCALE_NONE);
  transform(fft, both.data(), both.data(), OSHEN_FFT_SCALE_NONE);
  for (std::size_t f = 0; f < fields; f++) CHECK(std::memcmp(&both[f * to], &out[f * to], dense * sizeof(number)) == 0);
  CHECK(from != to);
  oshen_fft_destroy(fft);
}

// Two transforms that use one workspace in turn.
void check_sharing(oshen_group_t* group) {
  auto attr = slabs<oshen_fft_attr_t>(group, edge);
  oshen_fft_need_t need{};
  CHECK(oshen_fft_need(group, &attr, &need, sizeof need) == OSHEN_OK);
  attr.workspace_bytes = need.workspace + 64;
  attr.workspace = oshen_arena_alloc(oshen_group_arena(group), attr.workspace_bytes);
  oshen_fft_t* fft[2];
  for (auto& one : fft) {
    if (oshen_fft_create(group, &attr, &one) != OSHEN_OK) shmem_global_exit(1);
    oshen_fft_workspace_t held;
    oshen_fft_workspace(one, &held, sizeof held);
    CHECK(held.symmetric <= 64u * static_cast<std::size_t>(oshen_group_size(group)));
  }
  std::vector<std::complex<double>> before(own_points(attr));
  for (std::size_t i = 0; i < before.size(); i++) before[i] = {std::sin(double(i)), std::cos(3.0 * double(i))};
  auto data = before;
  for (int turn = 0; turn < 40; turn++) {
    oshen_fft_forward(fft[turn % 2], data.data(), data.data(), OSHEN_FFT_SCALE_NONE);
    oshen_fft_backward(fft[turn / 2 % 2], data.data(), data.data(), OSHEN_FFT_SCALE_FULL);
  }
  for (std::size_t i = 0; i < data.size(); i++) CHECK(std::abs(data[i] - before[i]) < 1e-12);
  for (auto* one : fft) oshen_fft_destroy(one);
  oshen_arena_free(oshen_group_arena(group), attr.workspace);
}

// A convolution has fewer passes and waits than a forward and a backward transform; its factors are its own.
void check_convolution(oshen_group_t* group) {
  auto attr = slabs<oshen_fft_attr_t>(group, edge);
  oshen_fft_cost_t apart, together;
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
  oshen_fft_cost(fft, &apart, sizeof apart);
  const std::vector<std::complex<double>> twos(own_points(attr), 2.0);
  CHECK(oshen_fft_set_factors(fft, twos.data()) == OSHEN_INVALID);
  oshen_fft_destroy(fft);
  attr.convolution = 1;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
  oshen_fft_cost(fft, &together, sizeof together);
  CHECK(together.bytes_pass < 2 * apart.bytes_pass || own_points(attr) == 0);
  CHECK(oshen_group_size(group) == 1 || (together.exchanges < 2 * apart.exchanges && together.bytes < 2 * apart.bytes));
  auto data = twos;
  oshen_fft_convolve(fft, twos.data(), data.data(), OSHEN_FFT_SCALE_FULL);  // multiplies by ones
  for (const auto& x : data) CHECK(std::abs(x - 2.0) < 1e-13);
  CHECK(oshen_fft_set_factors(fft, twos.data()) == OSHEN_OK);
  oshen_fft_convolve(fft, twos.data(), data.data(), OSHEN_FFT_SCALE_FULL);
  for (const auto& x : data) CHECK(std::abs(x - 4.0) < 1e-13);
  oshen_fft_destroy(fft);
}

// Along one axis only: lines that are not contiguous.
void check_one_axis(oshen_group_t* group) {
  auto attr = slabs<oshen_fft_attr_t>(group, edge);
  attr.along[0] = attr.along[1] = OSHEN_FFT_NOTHING;
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
  std::vector<std::complex<double>> data(own_points(attr), 1.0);
  oshen_fft_forward(fft, data.data(), data.data(), OSHEN_FFT_SCALE_FULL);
  for (std::size_t i = 0; i < data.size(); i++) {
    const bool first = attr.in.low[2] == 0 && i < edge * edge;
    CHECK(std::abs(data[i] - (first ? 1.0 : 0.0)) < 1e-13);
  }
  oshen_fft_destroy(fft);
}

// An array of one axis in blocks: cut evenly, or the blocks that oshen_fft_line recommends.
oshen_fft_attr_t line(oshen_group_t* group, int length) {
  oshen_fft_attr_t a{};
  a.size = sizeof a;
  const int me = oshen_group_rank(group), n = oshen_group_size(group);
  a.extent[0] = length;
  a.extent[1] = a.extent[2] = 1;
  a.in = {{length * me / n, 0, 0}, {length * (me + 1) / n - length * me / n, 1, 1}, {}};
  a.out = a.in;
  return a;
}

std::string description(const oshen_fft_t* fft) {
  char text[300];
  oshen_fft_describe(fft, text, sizeof text);
  return text;
}

// A wave becomes one number, at the index that the order defines.
void check_wave(oshen_group_t* group, const oshen_fft_attr_t& attr, const char* says, bool natural) {
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
  const bool shared = oshen_group_size(group) > 1 || !natural;
  if (shared) CHECK(description(fft).find(says) != std::string::npos);
  const int n = attr.extent[0], number = n / 3, c = natural ? n : attr.columns;
  std::vector<std::complex<double>> in(own_points(attr)), out(volume(attr.out));
  for (std::size_t i = 0; i < in.size(); i++) {
    const long long at = attr.in.low[0] + static_cast<long long>(i);
    in[i] = std::polar(1.0, 2 * std::acos(-1.0) * static_cast<double>(at * number % n) / n);
  }
  oshen_fft_forward(fft, in.data(), out.data(), OSHEN_FFT_SCALE_FULL);
  for (std::size_t i = 0; i < out.size(); i++) {
    const int place = attr.out.low[0] + static_cast<int>(i), k = place / c + place % c * (n / c);
    CHECK(std::abs(out[i] - (k == number ? 1.0 : 0.0)) < 1e-13);
  }
  oshen_fft_destroy(fft);
}

void check_line(oshen_group_t* group, int length) {
  const int me = oshen_group_rank(group), n = oshen_group_size(group);
  auto attr = line(group, length);
  check_wave(group, attr, "rows of", true);
  const int columns = oshen_fft_line(length, n, me, &attr.in, &attr.out);
  CHECK(columns > 1 && length % columns == 0 && attr.in.low[0] % columns == 0);
  check_wave(group, attr, "rows of", true);
  oshen_fft_t* natural = nullptr;
  oshen_fft_t* transposed = nullptr;
  CHECK(oshen_fft_create(group, &attr, &natural) == OSHEN_OK);
  CHECK(description(natural).find("moved") == std::string::npos);
  attr.out = attr.in;
  attr.columns = columns;
  check_wave(group, attr, "rows of", false);
  CHECK(oshen_fft_create(group, &attr, &transposed) == OSHEN_OK);
  oshen_fft_cost_t all, less;
  oshen_fft_cost(natural, &all, sizeof all);
  oshen_fft_cost(transposed, &less, sizeof less);
  const bool saves = less.bytes < all.bytes && less.exchanges < all.exchanges;
  CHECK(n == 1 || length < 1000 || saves);  // for lengths that are worth it
  oshen_fft_destroy(natural);
  oshen_fft_destroy(transposed);
}

void check_lines(oshen_group_t* group) {
  check_line(group, 1 << 14);
  check_line(group, 3 * 5 * 7 * 11 * 13);
  check_line(group, 6);  // more PEs than rows
  check_wave(group, line(group, 509), "prime", true);
  oshen_fft_box_t box;
  CHECK(oshen_fft_line(509, 2, 0, &box, nullptr) == 1 && box.size[0] == 254);
  CHECK(oshen_fft_line(0, 2, 0, &box, nullptr) == 0 && oshen_fft_line(8, 2, 2, &box, nullptr) == 0);
  using attr = oshen_fft_attr_t;
  const auto good = line(group, 12);
  CHECK(made(group, good) == OSHEN_OK);
  expect(group, good, OSHEN_INVALID, "columns below 0", [](attr& a) { a.columns = -1; });
  expect(group, good, OSHEN_INVALID, "columns do not divide", [](attr& a) { a.columns = 5; });
  expect(group, slabs<attr>(group, edge), OSHEN_INVALID, "columns of a cube", [](attr& a) { a.columns = 2; });
  if (oshen_group_size(group) > 1)
    expect(group, good, OSHEN_MISMATCH, "columns differ", [](attr& a) { a.columns = 3; });
}

void check_group(oshen_group_t* group) {
  const int n = oshen_group_size(group), me = oshen_group_rank(group);
  CHECK(n == shmem_n_pes() && me == shmem_my_pe());
  for (int m = 0; m < n; m++) CHECK(oshen_group_pe(group, m) == m);
  oshen_arena_t* arena = oshen_group_arena(group);
  const auto* base = static_cast<const std::byte*>(oshen_arena_base(arena));
  auto* buffer = static_cast<std::byte*>(oshen_arena_alloc(arena, 100));
  CHECK(buffer >= base && buffer + 100 <= base + (16 << 20));
  CHECK(reinterpret_cast<std::uintptr_t>(buffer) % 64 == 0);
  oshen_arena_free(arena, buffer);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, [](oshen_group_t* group, random_source&, random_source&) {
    check_group(group);
    refuse(group);
    check_factors(group);
    check_costs(group);
    check_fields_in_place(group, true);
    check_fields_in_place(group, false);
    check_sharing(group);
    check_convolution(group);
    check_one_axis(group);
    check_lines(group);
  });
}
