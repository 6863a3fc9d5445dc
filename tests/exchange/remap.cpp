// Remaps of three-dimensional arrays, bit for bit. Every strategy runs with irregular decompositions, permutations,
// several fields, in place or not. There are many runs without a barrier between them, random delays, several plans
// under way, plans that are destroyed while others run, and poisoned scratch memory. OpenSHMEM 1.4 is enough.
//
//     exchange_remap [seed [strategy]]
#include <shmem.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "../support/check.h"
#include "oshen/exchange.h"
#ifdef WITH_MPI  // with the MPI strategies as well, in a program that MPI starts
#include "oshen/exchange_mpi.h"
#include "oshen/mpi.h"
#endif

namespace {

int me, n;

// Random numbers: those of `shared` are the same on all PEs, those of `own` differ.
std::mt19937 shared, own;

int below(std::mt19937& random, int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

void dawdle() {
  if (below(own, 4) == 0) usleep(static_cast<useconds_t>(below(own, 400)));
}

// ---- geometry

struct brick {
  int low[3], high[3];  // [low, high)
  std::size_t extent(int axis) const { return static_cast<std::size_t>(std::max(0, high[axis] - low[axis])); }
  std::size_t volume() const { return extent(0) * extent(1) * extent(2); }
};

brick common(const brick& a, const brick& b) {
  brick c{};
  for (int axis = 0; axis < 3; axis++) {
    c.low[axis] = std::max(a.low[axis], b.low[axis]);
    c.high[axis] = std::min(a.high[axis], b.high[axis]);
  }
  return c;
}

std::vector<int> cuts(int length, int parts) {
  std::vector<int> edges{0, length};
  for (int i = 1; i < parts; i++) edges.push_back(below(shared, length + 1));
  std::sort(edges.begin(), edges.end());
  return edges;
}

// A brick for each PE, in random order; some may be empty.
std::vector<brick> tiling(const int (&length)[3]) {
  int grid[3] = {1, 1, n};
  for (int axis = 0; axis < 2; axis++) {
    do {
      grid[axis] = 1 + below(shared, grid[2]);
    } while (grid[2] % grid[axis] != 0);
    grid[2] /= grid[axis];
  }
  std::vector<int> edges[3];
  for (int axis = 0; axis < 3; axis++) edges[axis] = cuts(length[axis], grid[axis]);
  std::vector<brick> bricks;
  for (int i = 0; i < n; i++) {
    const int at[3] = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
    brick b{};
    for (int axis = 0; axis < 3; axis++) {
      b.low[axis] = edges[axis][static_cast<std::size_t>(at[axis])];
      b.high[axis] = edges[axis][static_cast<std::size_t>(at[axis]) + 1];
    }
    bricks.push_back(b);
  }
  std::shuffle(bricks.begin(), bricks.end(), shared);
  return bricks;
}

// The box of `part` in the storage of a brick, whose axes are rotated by `permute`. Its axes are listed rotated by
// `listed`.
oshen_box_t box_of(const brick& whole, const brick& part, int permute, int listed, std::size_t element) {
  std::size_t stride[3], step = element, offset = 0;
  for (int i = 0; i < 3; i++) {
    const int axis = (i + permute) % 3;
    stride[axis] = step;
    step *= whole.extent(axis);
    offset += stride[axis] * static_cast<std::size_t>(part.low[axis] - whole.low[axis]);
  }
  oshen_box_t box{offset, element, {}, {}};
  for (int i = 0; i < 3; i++) {
    const int axis = (i + listed) % 3;
    box.extent[i] = part.extent(axis);
    box.stride[i] = stride[axis];
  }
  return box;
}

// ---- one remap

struct request {
  const char* strategy;
  int length[3];
  std::size_t element;
  int permute;
  int n_fields;
  bool in_place;
  const char* choices = nullptr;
  int expected_runs = 0;
  enum { random, kept, pencils, slabs, handed_on } bricks = random;
  std::size_t shift = 0;  // in place, but shifted by so many bytes
};

constexpr unsigned char untouched = 0xa5;
constexpr std::size_t guard = 64;  // bytes after each field that must not change

// Slices across one axis, one for each PE.
std::vector<brick> slices(const int (&length)[3], int axis) {
  std::vector<brick> bricks;
  for (int i = 0; i < n; i++) {
    brick b{{0, 0, 0}, {length[0], length[1], length[2]}};
    b.low[axis] = length[axis] * i / n;
    b.high[axis] = length[axis] * (i + 1) / n;
    bricks.push_back(b);
  }
  return bricks;
}

// The input bricks of LAMMPS' FFTs, where a third axis stays whole (pencils) or the slowest is cut (slabs). Otherwise
// every PE has at the end what it had before, in another order, or what the previous PE had.
std::vector<brick> bricks_of_in(const request& r) {
  if (r.bricks == request::pencils) return slices(r.length, 1);
  if (r.bricks == request::slabs || r.bricks == request::handed_on) return slices(r.length, 2);
  return tiling(r.length);
}
std::vector<brick> bricks_of_out(const request& r, std::vector<brick> in) {
  if (r.bricks == request::handed_on) std::rotate(in.begin(), in.end() - 1, in.end());
  if (r.bricks == request::kept || r.bricks == request::handed_on) return in;
  return r.bricks == request::random ? tiling(r.length) : slices(r.length, 0);
}

class remap {
 public:
  remap(oshen_arena_t* arena, oshen_group_t* group, const request& r)
      : arena_(arena), r_(r), in_bricks_(bricks_of_in(r)), out_bricks_(bricks_of_out(r, in_bricks_)) {
    std::snprintf(name_, sizeof name_, "%s, %dx%dx%d of %zu, permute %d, %d fields, %s", r.strategy, r.length[0],
                  r.length[1], r.length[2], r.element, r.permute, r.n_fields, r.in_place ? "in place" : "apart");
    const brick &mine = in_bricks_[at(me)], &wanted = out_bricks_[at(me)];
    for (int peer = 0; peer < n; peer++) {
      add(sends_, peer, mine, common(mine, out_bricks_[at(peer)]), 0);
      add(receives_, peer, wanted, common(in_bricks_[at(peer)], wanted), r.permute);
    }
    in_field_ = mine.volume() * r.element + guard;
    out_field_ = wanted.volume() * r.element + guard;
    if (r.in_place) in_field_ = out_field_ = std::max(in_field_, out_field_);
    in_ = buffer(in_field_);
    out_ = r.in_place ? in_ + r.shift : buffer(out_field_);
    status_ = create(group);
  }
  ~remap() {
    oshen_plan_destroy(plan_);
    oshen_arena_free(arena_, in_);
    if (!r_.in_place) oshen_arena_free(arena_, out_);
  }
  remap(const remap&) = delete;
  remap& operator=(const remap&) = delete;

  oshen_status_t status() const { return status_; }
  const char* name() const { return name_; }
  oshen_plan_t* plan() const { return plan_; }

  void fill(unsigned run) {
    run_ = run;
    if (!r_.in_place) std::memset(out_, untouched, out_field_ * fields());
    for (std::size_t f = 0; f < fields(); f++) std::memset(out_ + (f + 1) * out_field_ - guard, untouched, guard);
    each(in_bricks_[at(me)], 0, in_, in_field_, [](unsigned char* p, unsigned char v) { *p = v; });
  }
  void start() { oshen_plan_start(plan_, in_, out_); }
  void start_fields() {
    std::vector<const void*> in;
    std::vector<void*> out;
    for (std::size_t f = 0; f < fields(); f++) {
      in.push_back(in_ + f * in_field_);
      out.push_back(out_ + f * out_field_);
    }
    oshen_plan_start_fields(plan_, in.data(), out.data());
  }
  void verify() {
    if (!r_.in_place) {  // after the run `in` belongs to the caller again
      std::memset(in_, 0x5a, in_field_ * fields());
    }
    each(out_bricks_[at(me)], r_.permute, out_, out_field_,
         [this](const unsigned char* p, unsigned char v) { CHECK_DURING(*p == v, name_); });
    for (std::size_t f = 0; f < fields(); f++) {
      const unsigned char* end = out_ + (f + 1) * out_field_;
      CHECK_DURING(std::all_of(end - guard, end, [](unsigned char c) { return c == untouched; }), name_);
    }
  }

 private:
  static std::size_t at(int pe) { return static_cast<std::size_t>(pe); }
  std::size_t fields() const { return at(r_.n_fields); }

  void add(std::vector<oshen_message_t>& list, int peer, const brick& whole, const brick& part, int permute) const {
    oshen_message_t m{peer, part.volume() * r_.element, {}};
    if (m.bytes != 0) m.box = box_of(whole, part, permute, r_.permute, r_.element);
    list.push_back(m);  // including empty ones: peers without data are allowed
  }
  unsigned char* buffer(std::size_t field) const {
    auto* p = static_cast<unsigned char*>(oshen_arena_alloc(arena_, field * fields() + r_.shift));
    CHECK_DURING(p != nullptr, name_);
    return p;
  }
  oshen_status_t create(oshen_group_t* group) {
    oshen_plan_attr_t attr{};
    attr.size = sizeof attr;
    attr.strategy = r_.strategy;
    attr.sends = sends_.data();
    attr.n_sends = static_cast<int>(sends_.size());
    attr.receives = receives_.data();
    attr.n_receives = static_cast<int>(receives_.size());
    attr.choices = r_.choices;
    attr.expected_runs = r_.expected_runs;
    attr.n_fields = r_.n_fields;
    attr.in_field_stride = in_field_;
    attr.out_field_stride = out_field_;
    attr.buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC;
    if (!r_.in_place) attr.buffers |= OSHEN_BUFFERS_APART;
    return oshen_plan_create(group, &attr, &plan_);
  }
  // The value of byte b of element (i,j,k) of field f in this run.
  unsigned char value(int i, int j, int k, std::size_t f, std::size_t b) const {
    const auto place = static_cast<unsigned>((k * r_.length[1] + j) * r_.length[0] + i);
    const unsigned mixed =
        (place * 16 + static_cast<unsigned>(b)) * 2654435761u + static_cast<unsigned>(f) * 40503u + run_ * 97u;
    return static_cast<unsigned char>(mixed >> 13);
  }
  template <class Visit>
  void each(const brick& whole, int permute, unsigned char* base, std::size_t field, Visit visit) {
    for (std::size_t f = 0; f < fields(); f++) {
      unsigned char* p = base + f * field;
      const int slow = (2 + permute) % 3, mid = (1 + permute) % 3, fast = permute;
      int g[3];
      for (g[slow] = whole.low[slow]; g[slow] < whole.high[slow]; g[slow]++) {
        for (g[mid] = whole.low[mid]; g[mid] < whole.high[mid]; g[mid]++) {
          for (g[fast] = whole.low[fast]; g[fast] < whole.high[fast]; g[fast]++) {
            for (std::size_t b = 0; b < r_.element; b++) visit(p++, value(g[0], g[1], g[2], f, b));
          }
        }
      }
    }
  }

  oshen_arena_t* arena_;
  request r_;
  std::vector<brick> in_bricks_, out_bricks_;
  std::vector<oshen_message_t> sends_, receives_;
  std::size_t in_field_ = 0, out_field_ = 0;
  unsigned char *in_ = nullptr, *out_ = nullptr;
  oshen_plan_t* plan_ = nullptr;
  oshen_status_t status_ = OSHEN_OK;
  unsigned run_ = 0;
  char name_[160];
};

request random_request(const char* strategy) {
  const std::size_t elements[] = {4, 8, 16, 16, 12};
  request r{};
  r.strategy = strategy;
  for (int& length : r.length) length = 1 + below(shared, 14);
  r.element = elements[below(shared, 5)];
  r.permute = below(shared, 3);
  r.n_fields = 1 + below(shared, 3);
  r.in_place = below(shared, 2) == 0 && std::strcmp(strategy, "direct_get") != 0;
  return r;
}

// ---- the tests

constexpr std::size_t arena_bytes = std::size_t{16} << 20;

// Fills the memory that will be allocated later with bytes that no test writes.
void poison(oshen_arena_t* arena) {
  std::vector<void*> pieces;
  for (std::size_t size = arena_bytes; size >= 64; size /= 2) {
    while (void* p = oshen_arena_alloc(arena, size)) {
      std::memset(p, 0xee, size);
      pieces.push_back(p);
    }
  }
  for (void* p : pieces) oshen_arena_free(arena, p);
}

// Many runs in a row, synchronised only by the plan.
void back_to_back(remap& r, int runs) {
  for (int run = 0; run < runs; run++) {
    dawdle();
    r.fill(static_cast<unsigned>(run));
    r.start();
    oshen_plan_release(r.plan());
    r.verify();
  }
}

// Start, test, handle peers as their data arrives, release.
void in_parts(remap& r, int runs) {
  for (int run = 0; run < runs; run++) {
    r.fill(static_cast<unsigned>(1000 + run));
    r.start_fields();
    dawdle();
    if (below(own, 2) == 0) oshen_plan_test(r.plan());
    std::vector<int> times(static_cast<std::size_t>(n));
    for (int peer; (peer = oshen_plan_wait_any(r.plan())) >= 0; dawdle()) {
      CHECK_DURING(peer < n && oshen_plan_has_arrived(r.plan(), peer), r.name());
      CHECK_DURING(++times[static_cast<std::size_t>(peer)] == 1, r.name());
    }
    for (int peer = 0; peer < n; peer++) CHECK_DURING(oshen_plan_has_arrived(r.plan(), peer), r.name());
    oshen_plan_release(r.plan());
    CHECK_DURING(oshen_plan_in_is_free(r.plan()), r.name());
    r.verify();
  }
}

// Two plans under way; PEs release them in different orders.
void together(remap& a, remap& b, int runs) {
  for (int run = 0; run < runs; run++) {
    a.fill(static_cast<unsigned>(2000 + run));
    b.fill(static_cast<unsigned>(3000 + run));
    a.start();
    dawdle();
    b.start();
    const bool b_first = below(own, 2) == 0;
    while (below(own, 3) != 0) oshen_plan_test((b_first ? a : b).plan());
    oshen_plan_release((b_first ? b : a).plan());
    oshen_plan_release((b_first ? a : b).plan());
    a.verify();
    b.verify();
  }
}

void strategy_by_strategy(oshen_arena_t* arena, oshen_group_t* group, const char* only, int cases) {
  std::vector<std::unique_ptr<remap>> graveyard;  // each PE destroys them when it likes
  oshen_strategy_info_t row{};
  for (int index = 0; oshen_strategy_at(index, &row, sizeof row); index++) {
    if (only != nullptr && std::strcmp(only, row.name) != 0) continue;
    for (int i = 0; i < cases; i++) {
      auto a = std::make_unique<remap>(arena, group, random_request(row.name));
      auto b = std::make_unique<remap>(arena, group, random_request(row.name));
      CHECK_DURING(a->status() == OSHEN_OK && b->status() == OSHEN_OK, a->name());
      CHECK_DURING(std::strcmp(oshen_plan_strategy(a->plan()), row.name) == 0, a->name());
      back_to_back(*a, 6);
      in_parts(*a, 3);
      together(*a, *b, 3);
      if (below(own, 2) == 0) graveyard.push_back(std::move(a));
      b->fill(1);
      b->start();
      if (below(own, 2) == 0) a.reset();  // destroyed while b runs here and a may still run elsewhere
      oshen_plan_release(b->plan());
      b->verify();
    }
    if (below(own, 2) == 0) graveyard.clear();
  }
}

// The receiver sends nothing back. Slots must not be written too early even if the sender could be far ahead, nor the
// staging memory that two plans use in turn.
void one_way(oshen_arena_t* arena, oshen_group_t* group, const char* only) {
  const std::size_t bytes = 4096;
  auto* in = static_cast<unsigned char*>(oshen_arena_alloc(arena, bytes));
  auto* out = static_cast<unsigned char*>(oshen_arena_alloc(arena, bytes));
  const oshen_message_t to{n - 1, bytes, {0, bytes, {1, 1, 1}, {0, 0, 0}}},
      from{0, bytes, {0, bytes, {1, 1, 1}, {0, 0, 0}}};
  oshen_strategy_info_t row{};
  for (int index = 0; oshen_strategy_at(index, &row, sizeof row); index++) {
    if (only != nullptr && std::strcmp(only, row.name) != 0) continue;
    oshen_plan_attr_t attr{};
    attr.size = sizeof attr;
    attr.strategy = row.name;
    attr.sends = &to;
    attr.n_sends = me == 0 ? 1 : 0;
    attr.receives = &from;
    attr.n_receives = me == n - 1 ? 1 : 0;
    attr.buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC | OSHEN_BUFFERS_APART;
    oshen_plan_t* plans[2] = {};
    for (auto& plan : plans) CHECK_DURING(oshen_plan_create(group, &attr, &plan) == OSHEN_OK, row.name);
    for (int run = 0; run < 30; run++) {
      if (me == 0) std::memset(in, run + 1, bytes);
      if (me == n - 1) dawdle();
      oshen_plan_run(plans[run / 2 % 2], in, out);
      if (me != n - 1) continue;
      CHECK_DURING(std::all_of(out, out + bytes, [=](unsigned char c) { return c == run + 1; }), row.name);
    }
    for (auto* plan : plans) oshen_plan_destroy(plan);
  }
  oshen_arena_free(arena, in);
  oshen_arena_free(arena, out);
}

// Blocks that stay on their PE, larger than a cache: transposed in place.
void all_kept(oshen_arena_t* arena, oshen_group_t* group) {
  for (const int permute : {0, 1, 2}) {
    request r{"put_signal", {40, 48, 64}, 16, permute, permute, true};
    if (permute == 0) r.n_fields = 1;
    r.bricks = request::kept;
    remap a(arena, group, r);
    CHECK_DURING(a.status() == OSHEN_OK, a.name());
    back_to_back(a, 2);
  }
}

// Remaps that are cut into chunks, which are exchanged one after another if `out` is `in`.
void in_pieces(oshen_arena_t* arena, oshen_group_t* group, const char* strategy) {
  for (const auto bricks : {request::pencils, request::slabs}) {
    for (const int variant : {0, 1, 2, 3}) {
      request r{strategy, {16 * n, 32 * n, 64}, 16, 1, variant == 3 ? 2 : 1, variant != 1};
      if (bricks == request::slabs) r.length[1] = 64, r.length[2] = 32 * n;
      r.bricks = bricks;
      r.shift = variant == 2 ? 160 : 0;
      remap a(arena, group, r);
      CHECK_DURING(a.status() == OSHEN_OK, a.name());
      back_to_back(a, 2);
      if (variant == 0) in_parts(a, 1);
    }
  }
}

// Each PE sends all its data to the next, in 8 chunks and in place, and the last PE is late. The PEs before it
// continue until no buffer is free, and not a chunk further.
void round_the_ring(oshen_arena_t* arena, oshen_group_t* group) {
  request r{"pipeline", {64, 40, 64 * n}, 16, 0, 1, true};
  r.bricks = request::handed_on;
  remap a(arena, group, r);
  CHECK_DURING(a.status() == OSHEN_OK, a.name());
  for (unsigned run = 0; run < 2; run++) {
    a.fill(run);
    shmem_barrier_all();
    if (me == n - 1) usleep(20000);
    a.start();
    oshen_plan_release(a.plan());
    a.verify();
  }
}

bool source_is(const remap& r, const char* source) { return std::strcmp(oshen_plan_source(r.plan()), source) == 0; }

// With so many runs trials pay, whatever times a busy machine shows; otherwise a candidate may wait for many runs.
constexpr int many_runs = 1 << 20;

// Runs until the trials are over, which each PE notices after the same run. Some runs are deferred, because other PEs
// are late, and some of those are advanced by each of the calls.
void end_trials(remap& a, remap& b) {
  constexpr int most_runs = 3 * 9 * 2 + 1;  // candidates, runs of a block, rounds
  int runs = 0;
  for (; source_is(a, "trying"); runs++) {
    CHECK_DURING(runs < most_runs + 4, a.name());
    if (runs % 3 == 0) back_to_back(a, 1);
    if (runs % 3 == 1) in_parts(a, 1);
    if (runs % 3 == 2) together(a, b, 1);
  }
}

// "auto" tries strategies in the first runs and keeps one. Every run moves the data. A plan may end during its trials.
void by_itself(oshen_arena_t* arena, oshen_group_t* group) {
  request r = random_request("auto");
  r.expected_runs = many_runs;
  remap a(arena, group, r);
  remap b(arena, group, random_request("auto"));
  CHECK_DURING(a.status() == OSHEN_OK && b.status() == OSHEN_OK, a.name());
  oshen_strategy_info_t row{};
  if (source_is(a, "only choice")) {  // no PE sends anything
    oshen_strategy_at(0, &row, sizeof row);
    CHECK_DURING(std::strcmp(row.name, oshen_plan_strategy(a.plan())) == 0, a.name());
    back_to_back(a, 3);
    oshen_plan_stats_t stats{};
    oshen_plan_stats(a.plan(), &stats, sizeof stats);
    return CHECK_DURING(stats.bytes == 0, a.name());
  }
  CHECK_DURING(n > 1 && source_is(a, "trying"), oshen_plan_source(a.plan()));
  end_trials(a, b);
  CHECK_DURING(source_is(a, "measured"), a.name());
  double best = -1, chosen = -1;
  int tried = 0;
  for (int index = 0; oshen_strategy_at(index, &row, sizeof row); index++) {
    const double seconds = oshen_plan_measured(a.plan(), index);
    tried += seconds >= 0 ? 1 : 0;
    if (seconds >= 0 && (best < 0 || seconds < best)) best = seconds;
    if (std::strcmp(row.name, oshen_plan_strategy(a.plan())) == 0) chosen = seconds;
  }
  CHECK_DURING(tried >= 2 && tried <= 3 && chosen >= best && chosen <= best / 0.89 + 1e-9, a.name());
  back_to_back(a, 3);
  char text[600];
  CHECK_DURING(oshen_plan_describe(a.plan(), text, sizeof text) < sizeof text, a.name());
  CHECK_DURING(std::strncmp(text, oshen_plan_strategy(a.plan()), 3) == 0 && std::strstr(text, "(measured: ") != nullptr,
               text);
  double budget = 0, lost = -1;
  oshen_exchange_trials(&budget, &lost);
  CHECK_DURING(budget == 1000 && lost >= 0, "budget");
}

// A plan of a kind that was tried takes the result.
void learned(oshen_arena_t* arena, oshen_group_t* group) {
  request r{"auto", {12, 10, 14}, 16, 1, 1, false};
  r.bricks = request::slabs;
  r.expected_runs = many_runs;
  remap a(arena, group, r), other(arena, group, r);
  CHECK_DURING(source_is(a, "trying") && source_is(other, "trying"), a.name());
  end_trials(a, other);
  remap later(arena, group, r);
  CHECK_DURING(source_is(later, "earlier plan"), oshen_plan_source(later.plan()));
  CHECK_DURING(std::strcmp(oshen_plan_strategy(a.plan()), oshen_plan_strategy(later.plan())) == 0, a.name());
  back_to_back(later, 2);
}

// A plan that ends after the first round of its trials leaves what they have shown. One that ends earlier leaves
// nothing.
void ended_early(oshen_arena_t* arena, oshen_group_t* group) {
  request r{"auto", {14, 10, 12}, 16, 1, 1, false};
  r.bricks = request::slabs;
  r.expected_runs = many_runs;
  for (const int runs : {8, 30}) {
    remap a(arena, group, r);
    CHECK_DURING(source_is(a, "trying"), oshen_plan_source(a.plan()));
    back_to_back(a, runs);
  }
  const remap later(arena, group, r);
  CHECK_DURING(source_is(later, "earlier plan"), oshen_plan_source(later.plan()));
}

// Without time for trials every plan takes the choice of the model.
void without_time(oshen_arena_t* arena, oshen_group_t* group) {
  const std::string kept = std::getenv("OSHEN_EXCHANGE_TRIALS");
  setenv("OSHEN_EXCHANGE_TRIALS", "0", 1);
  for (int round = 0; round < 3; round++) {
    remap a(arena, group, random_request("auto"));
    CHECK_DURING(a.status() == OSHEN_OK && !source_is(a, "trying"), a.name());
    oshen_strategy_info_t row{};
    for (int index = 0; oshen_strategy_at(index, &row, sizeof row); index++)
      CHECK_DURING(oshen_plan_measured(a.plan(), index) < 0, row.name);
    back_to_back(a, 2);
  }
  setenv("OSHEN_EXCHANGE_TRIALS", kept.c_str(), 1);
}

// Trials need enough expected runs, about which all PEs agree.
void with_expected_runs(oshen_arena_t* arena, oshen_group_t* group) {
  request r{"auto", {22, 10, 14}, 16, 1, 1, false};
  r.bricks = request::slabs;
  for (const auto& [runs, source] : {std::pair{1, "model"}, {4, "model"}, {many_runs, "trying"}}) {
    r.expected_runs = runs;
    remap a(arena, group, r);
    CHECK_DURING(a.status() == OSHEN_OK && source_is(a, source), oshen_plan_source(a.plan()));
    back_to_back(a, 2);
  }
  r.expected_runs = me == n - 1 ? 5 : 6;
  CHECK_DURING(remap(arena, group, r).status() == OSHEN_MISMATCH, "different numbers");
  r.strategy = "put_signal";  // does not read it
  CHECK_DURING(remap(arena, group, r).status() == OSHEN_OK, "a strategy by name");
  r.expected_runs = me == n - 1 ? -1 : 6;
  CHECK_DURING(remap(arena, group, r).status() == OSHEN_INVALID, "a negative number");
}

// Makes a plan of the same kind each time, with a file of choices. Returns whether it was found there.
bool remembered(oshen_arena_t* arena, oshen_group_t* group, const char* file, const char* expected) {
  request r{"auto", {12, 10, 14}, 16, 1, 2, true};
  r.bricks = request::slabs;
  r.expected_runs = many_runs;
  r.choices = file;
  remap a(arena, group, r), other(arena, group, r);
  CHECK_DURING(a.status() == OSHEN_OK, a.name());
  const bool found = source_is(a, "file");
  end_trials(a, other);
  back_to_back(a, 2);
  CHECK_DURING(expected == nullptr || std::strcmp(expected, oshen_plan_strategy(a.plan())) == 0, a.name());
  return found;
}

// A file remembers the choice and can be edited; the kind of an invalid entry is tried again.
void by_file(oshen_arena_t* arena, oshen_group_t* group) {
  char file[64], key[32] = "";
  std::snprintf(file, sizeof file, "/tmp/oshen-choices-%ld", static_cast<long>(getpid()));
  const auto append = [&](const char* strategy) {
    if (me != 0) return;
    std::FILE* lines = std::fopen(file, "a");
    CHECK_DURING(lines != nullptr && std::fprintf(lines, "%s %s 1\n", key, strategy) > 0, file);
    CHECK_DURING(std::fclose(lines) == 0, file);
  };
  CHECK_DURING(!remembered(arena, group, file, nullptr), "no file yet");
  CHECK_DURING(remembered(arena, group, file, nullptr), "from the file");
  if (me == 0) {
    std::FILE* lines = std::fopen(file, "r");
    CHECK_DURING(lines != nullptr && std::fscanf(lines, "%31s", key) == 1, file);
    std::fclose(lines);
  }
  append("chkbuff");
  CHECK_DURING(remembered(arena, group, file, "chkbuff"), "pinned by hand");
  append("telepathy");
  CHECK_DURING(!remembered(arena, group, file, nullptr), "unknown name");
  append("direct_get");
  remembered(arena, group, file, nullptr);  // may need promises that the plan does not give
  if (me == 0) std::remove(file);
}

// The last PE starts after all others have been seen, and later: the statistics must name it.
void who_is_late(oshen_arena_t* arena, oshen_group_t* group) {
  auto* all = static_cast<unsigned char*>(oshen_arena_alloc(arena, static_cast<std::size_t>(n)));
  std::vector<oshen_message_t> messages;
  for (int peer = 0; peer < n; peer++)
    messages.push_back({peer, 1, {static_cast<std::size_t>(peer), 1, {1, 1, 1}, {0, 0, 0}}});
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.sends = attr.receives = messages.data();
  attr.n_sends = attr.n_receives = n;
  oshen_plan_t* plan = nullptr;
  CHECK_DURING(oshen_plan_create(group, &attr, &plan) == OSHEN_OK, "late");
  oshen_plan_stats_t s{};
  oshen_plan_stats(plan, &s, sizeof s);
  CHECK_DURING(s.runs == 0 && s.latest_peer == -1, "late");
  const int runs = 12;  // on a busy machine other PEs are late too, but rarely as often
  for (int run = 0; run < runs; run++) {
    shmem_barrier_all();
    if (me == n - 1) usleep(10000);
    oshen_plan_run(plan, all, all);
  }
  oshen_plan_stats(plan, &s, sizeof s);
  const auto others = static_cast<std::uint64_t>(n - 1);
  CHECK_DURING(s.runs == runs && s.messages == runs * others && s.bytes == runs * others, "late");
  CHECK_DURING(s.bytes_self == runs && s.pack_seconds > 0, "late");
  CHECK_DURING(s.unpack_seconds > 0 || n == 1, "late");  // data transposed in place is not unpacked
  if (me == 0 && n > 1)
    CHECK_DURING(s.latest_peer >= 1 && s.latest_runs >= 1 && s.wait_seconds >= s.latest_seconds, "late");
  if (me == 0 && n == 2) CHECK_DURING(s.latest_peer == 1 && s.latest_seconds > 0.001, "late");
  oshen_plan_destroy(plan);
  oshen_arena_free(arena, all);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("OSHEN_EXCHANGE_TRIALS", "1000000", 1);  // many plans are tried
  setenv("OSHEN_EXCHANGE_CHOICES", "none", 1);
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
  if (shmemx_init_mpi(MPI_COMM_WORLD) != 0) return 1;
  CHECK_DURING(oshen_exchange_use_mpi(MPI_COMM_WORLD) && !oshen_exchange_use_mpi(MPI_COMM_WORLD), "mpi");
#else
  shmem_init();
#endif
  me = shmem_my_pe();
  n = shmem_n_pes();
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
  const char* only = argc > 2 ? argv[2] : nullptr;
  shared.seed(seed);
  own.seed(seed * 1000 + static_cast<unsigned>(me));

  oshen_arena_t* arena = nullptr;
  oshen_group_t* group = nullptr;
  CHECK_DURING(oshen_arena_create(arena_bytes, &arena) == OSHEN_OK, "arena");
  poison(arena);
  std::vector<int> pes(static_cast<std::size_t>(n));
  for (int r = 0; r < n; r++) pes[static_cast<std::size_t>(r)] = (n - r + 1) % n;  // any order
  const auto mine = std::find(pes.begin(), pes.end(), me);
  CHECK_DURING(oshen_group_create_from_list(arena, pes.data(), n, &group) == OSHEN_OK, "group");
  me = static_cast<int>(mine - pes.begin());  // from here on the number in the group

  strategy_by_strategy(arena, group, only, 4);
  one_way(arena, group, only);
  if (only == nullptr) {
    all_kept(arena, group);
    if (n <= 3) in_pieces(arena, group, "pipeline");
    if (n == 5) round_the_ring(arena, group);  // closer PEs are never a whole slot ahead
    by_itself(arena, group);
    if (n > 1) learned(arena, group);
    if (n > 1) ended_early(arena, group);
    without_time(arena, group);
    if (n > 1) with_expected_runs(arena, group);
    if (n > 1) by_file(arena, group);
    who_is_late(arena, group);
  }
  oshen_group_destroy(group);
  CHECK_DURING(oshen_arena_alloc(arena, arena_bytes) != nullptr, "all memory has come back");
  oshen_arena_destroy(arena);
  if (me == 0) std::printf("exchange remap: all right (%d PEs, seed %u)\n", n, seed);
#ifdef WITH_MPI
  oshen_exchange_leave_mpi();
#endif
  shmem_finalize();
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
