// Exchange plans between real PEs: random messages, several teams and plans at once, equal buffers, growing memory,
// and every refusal. Run by oshrun.
#include <shmem.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "../support/check.h"
#include "oshen/exchange.h"

namespace {

int me, n;

constexpr unsigned char untouched = 0xa5;

// Strategies that need no promise, in turn; the last two do not support callbacks.
const char* strategy_for(unsigned number, bool callbacks) {
  constexpr const char* names[] = {"put_signal", "bulk_barrier", "hybrid_barrier", "chkbuff",          "advchkbuff",
                                   "get",        "nopack",       "nopack_nbi",     "advchkbuff_nopack"};
  return names[number % (callbacks ? 6 : 9)];
}

// One random message, the same on sender and receiver, with a box on each side.
struct parcel {
  int from, to;
  oshen_message_t send, receive;
};

// Appends a box of these extents to a buffer, with its axes in random order and gaps between them.
oshen_box_t place(std::mt19937& random, std::size_t& end, std::size_t element, const std::size_t (&extent)[3]) {
  oshen_box_t box{};
  box.offset = end;
  box.element = element;
  const std::size_t first = random() % 3, in_place_transpose = 1 + random() % 2;
  std::size_t step = element * (1 + random() % 2);
  for (std::size_t a = 0; a < 3; a++) {
    const std::size_t axis = (first + a * in_place_transpose) % 3;
    box.extent[axis] = extent[axis];
    box.stride[axis] = step;
    step *= extent[axis] + random() % 2;
  }
  end += step;
  return box;
}

// The messages from every PE to every other. All members of a group draw the same numbers.
struct pattern {
  std::vector<parcel> parcels;
  std::vector<std::size_t> in_bytes, out_bytes;

  pattern(unsigned seed, int size, std::size_t largest)
      : in_bytes(static_cast<std::size_t>(size)), out_bytes(static_cast<std::size_t>(size)) {
    std::mt19937 random(seed);
    for (int from = 0; from < size; from++) {
      for (int to = 0; to < size; to++) {
        for (auto messages = random() % 3; messages > 0; messages--) add(random, from, to, largest);
      }
    }
  }

  void add(std::mt19937& random, int from, int to, std::size_t largest) {
    const std::size_t sizes[] = {1, 4, 8, 16, 20};
    const std::size_t element = sizes[random() % 5];
    const std::size_t extent[3] = {random() % largest, 1 + random() % largest, 1 + random() % largest};
    const std::size_t bytes = element * extent[0] * extent[1] * extent[2];
    parcel p{from, to, {to, bytes, {}}, {from, bytes, {}}};
    p.send.box = place(random, in_bytes[static_cast<std::size_t>(from)], element, extent);
    p.receive.box = place(random, out_bytes[static_cast<std::size_t>(to)], element, extent);
    parcels.push_back(p);
  }
};

// The byte of message `m` at `index` in run `run`.
unsigned char value(std::size_t m, std::size_t index, int run) {
  return static_cast<unsigned char>((m + 1) * 31 + index * 7 + static_cast<std::size_t>(run) * 101 + (index >> 8));
}

template <class Visit>
void each_byte(const oshen_box_t& box, Visit visit) {
  std::size_t index = 0;
  for (std::size_t c = 0; c < box.extent[2]; c++) {
    for (std::size_t b = 0; b < box.extent[1]; b++) {
      for (std::size_t a = 0; a < box.extent[0]; a++) {
        const std::size_t at = box.offset + a * box.stride[0] + b * box.stride[1] + c * box.stride[2];
        for (std::size_t i = 0; i < box.element; i++) visit(at + i, index++);
      }
    }
  }
}

// A plan of a pattern in a group, with its buffers.
class trial {
 public:
  trial(oshen_group_t* group, int rank, int size, unsigned seed, std::size_t largest, bool callbacks)
      : rank_(rank),
        pattern_(seed, size, largest),
        in_(pattern_.in_bytes[static_cast<std::size_t>(rank)] + 1),
        out_(pattern_.out_bytes[static_cast<std::size_t>(rank)] + 1) {
    for (std::size_t m = 0; m < pattern_.parcels.size(); m++) {
      const parcel& p = pattern_.parcels[m];
      if (p.from == rank) sends_.push_back(p.send), sent_.push_back(m);
      if (p.to == rank) receives_.push_back(p.receive), received_.push_back(m);
    }
    oshen_plan_attr_t attr{};
    attr.size = sizeof attr;
    attr.strategy = strategy_for(seed, callbacks);
    attr.sends = sends_.data();
    attr.n_sends = static_cast<int>(sends_.size());
    attr.receives = receives_.data();
    attr.n_receives = static_cast<int>(receives_.size());
    if (callbacks) {
      attr.pack = [](void* self, int m, const void* in, void* wire) { static_cast<trial*>(self)->pack(m, in, wire); };
      attr.unpack = [](void* self, int m, const void* wire, void* out) {
        static_cast<trial*>(self)->unpack(m, wire, out);
      };
      attr.context = this;
    }
    CHECK(oshen_plan_create(group, &attr, &plan_) == OSHEN_OK);
  }
  ~trial() { oshen_plan_destroy(plan_); }
  trial(const trial&) = delete;
  trial& operator=(const trial&) = delete;

  void run(int number) {
    for (std::size_t i = 0; i < sends_.size(); i++) {
      each_byte(sends_[i].box, [&](std::size_t at, std::size_t index) { in_[at] = value(sent_[i], index, number); });
    }
    std::vector<unsigned char> expected(out_.size(), untouched);
    for (std::size_t i = 0; i < receives_.size(); i++) {
      each_byte(receives_[i].box,
                [&](std::size_t at, std::size_t index) { expected[at] = value(received_[i], index, number); });
    }
    out_.assign(out_.size(), untouched);
    oshen_plan_run(plan_, in_.data(), out_.data());
    std::fill(in_.begin(), in_.end(), untouched);  // `in` may be changed at once
    CHECK(out_ == expected);
  }

  void check_stats(std::uint64_t runs) const {
    oshen_plan_stats_t s{};
    oshen_plan_stats(plan_, &s, sizeof s);
    std::uint64_t others = 0, own = 0;
    for (const auto& m : sends_) (m.peer == rank_ ? own : others) += m.bytes;
    CHECK(s.runs == runs);
    CHECK(s.bytes == runs * others && s.bytes_self == runs * own);
    CHECK(s.bytes_direct <= s.bytes);
  }

 private:
  void pack(int m, const void* in, void* wire) const {
    each_byte(sends_[static_cast<std::size_t>(m)].box, [&](std::size_t at, std::size_t index) {
      static_cast<unsigned char*>(wire)[index] = static_cast<const unsigned char*>(in)[at];
    });
  }
  void unpack(int m, const void* wire, void* out) const {
    each_byte(receives_[static_cast<std::size_t>(m)].box, [&](std::size_t at, std::size_t index) {
      static_cast<unsigned char*>(out)[at] = static_cast<const unsigned char*>(wire)[index];
    });
  }

  int rank_;
  pattern pattern_;
  std::vector<oshen_message_t> sends_, receives_;
  std::vector<std::size_t> sent_, received_;  // numbers of those messages in the pattern
  std::vector<unsigned char> in_, out_;
  oshen_plan_t* plan_ = nullptr;
};

oshen_message_t run_of(int peer, std::size_t offset, std::size_t bytes) {
  return {peer, bytes, {offset, bytes, {1, 1, 1}, {0, 0, 0}}};
}

oshen_status_t try_plan(oshen_group_t* group, const std::vector<oshen_message_t>& sends,
                        const std::vector<oshen_message_t>& receives, oshen_plan_t** plan,
                        const char* strategy = nullptr) {
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.strategy = strategy;
  attr.sends = sends.data();
  attr.n_sends = static_cast<int>(sends.size());
  attr.receives = receives.data();
  attr.n_receives = static_cast<int>(receives.size());
  return oshen_plan_create(group, &attr, plan);
}

// Plans of growing size over all PEs and over every second one, run in turn.
void many_plans(oshen_group_t* world, oshen_group_t* half, int half_rank, int half_size) {
  std::vector<trial*> trials;
  for (unsigned seed = 1; seed <= 12; seed++) {
    trials.push_back(new trial(world, me, n, seed, 2 + seed, seed % 2 == 0));
    if (half != nullptr) {
      trials.push_back(new trial(half, half_rank, half_size, 100 + seed, 14 - seed, seed % 3 == 0));
    }
    for (int run = 0; run < 3; run++) {
      for (trial* t : trials) t->run(run);
    }
  }
  trials[0]->check_stats(12 * 3);
  for (const trial* t : trials) delete t;
}

// All to all within one buffer: `in` is `out`.
void in_place(oshen_group_t* world) {
  constexpr std::size_t chunk = 1000;
  std::vector<oshen_message_t> messages;
  for (int r = 0; r < n; r++) messages.push_back(run_of(r, static_cast<std::size_t>(r) * chunk, chunk));
  oshen_plan_t* plan = nullptr;
  CHECK(try_plan(world, messages, messages, &plan) == OSHEN_OK);
  std::vector<unsigned char> buffer(static_cast<std::size_t>(n) * chunk);
  for (int run = 0; run < 50; run++) {
    for (std::size_t i = 0; i < buffer.size(); i++) {
      buffer[i] = value(static_cast<std::size_t>(me), i, run);
    }
    oshen_plan_run(plan, buffer.data(), buffer.data());
    for (std::size_t i = 0; i < buffer.size(); i++) {
      const std::size_t sent_from = static_cast<std::size_t>(me) * chunk + i % chunk;
      CHECK(buffer[i] == value(i / chunk, sent_from, run));
    }
  }
  oshen_plan_destroy(plan);
}

// ---- elements at arbitrary offsets

// Two messages of equal length between every two PEs. A list gives their elements on one side or on both, in
// contiguous blocks of one to three. The messages from a to b have number a * n + b.
class scattered {
 public:
  static constexpr std::size_t count = 60, element = 8;

  explicit scattered(std::mt19937& random) {
    for (int peer = 0; peer < n; peer++) {
      lists_[0].push_back(shuffled(random, peer));
      lists_[1].push_back(shuffled(random, peer));
    }
    for (int peer = 0; peer < n; peer++) {
      add(peer, 0, (me + peer) % 3 != 0);  // the sender has a list or a box,
      add(peer, 1, (me + peer) % 3 != 1);  // the receiver has a list if the sender has none
    }
  }

  void check_runs(oshen_group_t* group, const char* strategy, unsigned buffers, bool apart) {
    oshen_arena_t* arena = oshen_group_arena(group);
    const std::size_t bytes = static_cast<std::size_t>(n) * 2 * count * element;
    auto* in = static_cast<unsigned char*>(oshen_arena_alloc(arena, bytes));
    auto* out = apart ? static_cast<unsigned char*>(oshen_arena_alloc(arena, bytes)) : in;
    CHECK(in != nullptr && out != nullptr);
    oshen_plan_t* plan = nullptr;
    CHECK(oshen_plan_create(group, &attributes(strategy, buffers), &plan) == OSHEN_OK);
    for (int run = 0; run < 3; run++) {
      for (int peer = 0; peer < n; peer++) fill(in, peer, run);
      oshen_plan_run(plan, in, out);
      for (int peer = 0; peer < n; peer++) check_part(out, peer, run);
      shmem_barrier_all();  // `in` is written again
    }
    oshen_plan_destroy(plan);
    oshen_arena_free(arena, in);
    if (apart) oshen_arena_free(arena, out);
  }

  void check_refusal(oshen_group_t* group) {
    oshen_plan_attr_t attr = attributes("put_signal", 0);
    attr.pack = [](void*, int, const void*, void*) {};
    attr.unpack = [](void*, int, const void*, void*) {};
    oshen_plan_t* plan = nullptr;
    CHECK(oshen_plan_create(group, &attr, &plan) == OSHEN_INVALID && plan == nullptr);
  }

 private:
  // The range of a buffer that belongs to a peer has room for twice as many elements.
  static std::size_t part(int peer) { return static_cast<std::size_t>(peer) * 2 * count * element; }

  static std::vector<std::size_t> shuffled(std::mt19937& random, int peer) {
    std::vector<std::size_t> starts(2 * count / 4), places;
    for (std::size_t i = 0; i < starts.size(); i++) starts[i] = i * 4;
    std::shuffle(starts.begin(), starts.end(), random);
    for (std::size_t i = 0; places.size() < count; i++) {
      for (std::size_t k = 0; k < 1 + i % 3 && places.size() < count; k++)
        places.push_back(part(peer) + (starts[i] + k) * element);
    }
    return places;
  }

  void add(int peer, int side, bool list) {
    constexpr std::size_t half = count / 2, far = 2 * count * element;
    std::vector<std::size_t>& places = lists_[side][static_cast<std::size_t>(peer)];
    for (std::size_t first = 0; first < count; first += half) {
      const std::size_t offset = list ? 0 : part(peer) + first * 2 * element;
      messages_[side].push_back({peer, half * element, {offset, element, {half, 1, 1}, {2 * element, far, far}}});
      given_[side].push_back(list ? places.data() + first : nullptr);
    }
    for (std::size_t i = 0; !list && i < count; i++) places[i] = part(peer) + i * 2 * element;
  }

  const oshen_plan_attr_t& attributes(const char* strategy, unsigned buffers) {
    attr_ = {};
    attr_.size = sizeof attr_;
    attr_.strategy = strategy;
    attr_.sends = messages_[0].data();
    attr_.receives = messages_[1].data();
    attr_.n_sends = attr_.n_receives = 2 * n;
    attr_.send_offsets = given_[0].data();
    attr_.receive_offsets = given_[1].data();
    attr_.buffers = buffers;
    return attr_;
  }

  void fill(unsigned char* in, int peer, int run) const {
    const auto& places = lists_[0][static_cast<std::size_t>(peer)];
    for (std::size_t i = 0; i < count * element; i++)
      in[places[i / element] + i % element] = value(static_cast<std::size_t>(me * n + peer), i, run);
  }
  void check_part(const unsigned char* out, int peer, int run) const {
    const auto& places = lists_[1][static_cast<std::size_t>(peer)];
    for (std::size_t i = 0; i < count * element; i++)
      CHECK(out[places[i / element] + i % element] == value(static_cast<std::size_t>(peer * n + me), i, run));
  }

  std::vector<oshen_message_t> messages_[2];        // sends, receives
  std::vector<std::vector<std::size_t>> lists_[2];  // offsets of the elements, by list or by box
  std::vector<const std::size_t*> given_[2];        // the lists given to the plan
  oshen_plan_attr_t attr_{};
};

// Every strategy, with two buffers and with one. Unsupported combinations are refused.
void anywhere(oshen_group_t* world) {
  std::mt19937 random(static_cast<unsigned>(me) + 7);
  scattered pattern(random);
  constexpr unsigned symmetric = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC;
  for (const char* name : {"pipeline", "put_signal", "bulk_barrier", "hybrid_barrier", "nopack", "nopack_nbi",
                           "chkbuff", "advchkbuff", "advchkbuff_nopack", "get", "direct", "auto"}) {
    pattern.check_runs(world, name, symmetric, false);
    pattern.check_runs(world, name, symmetric | OSHEN_BUFFERS_APART, true);
  }
  pattern.check_runs(world, "direct_get", symmetric | OSHEN_BUFFERS_APART, true);
  pattern.check_refusal(world);
}

// A box of two axes travels in its memory order, which a list cannot follow.
void order_of_sender(oshen_group_t* world) {
  const std::size_t places[] = {0, 8, 16, 24};
  const std::size_t* lists[] = {places};
  const oshen_message_t send{(me + 1) % n, 32, {0, 8, {2, 2, 1}, {16, 8, 32}}};
  const oshen_message_t receive{(me + n - 1) % n, 32, {0, 8, {4, 1, 1}, {8, 32, 32}}};
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.sends = &send;
  attr.receives = &receive;
  attr.n_sends = attr.n_receives = 1;
  attr.receive_offsets = lists;
  oshen_plan_t* plan = nullptr;
  for (const char* name : {"nopack", "put_signal"}) {
    attr.strategy = name;
    const bool refused = n > 1 && std::strcmp(name, "nopack") == 0;  // messages of a PE to itself are packed
    CHECK(oshen_plan_create(world, &attr, &plan) == (refused ? OSHEN_UNSUPPORTED : OSHEN_OK));
    oshen_plan_destroy(plan);
  }
}

// Both sides list the same elements in the same order, in boxes of different extents. No chunk of one box is a chunk
// of the other, so the parcel is sent whole.
void cut_differently(oshen_group_t* world) {
  constexpr std::size_t x = 64, y = 48, z = 32, element = 16, bytes = x * y * z * element;
  const int next = (me + 1) % n, previous = (me + n - 1) % n;
  const oshen_message_t send{next, bytes, {0, element, {x, y, z}, {element, x * z * element, x * element}}};
  const oshen_message_t receive{previous, bytes, {0, element, {x, z, y}, {element, x * element, x * z * element}}};
  oshen_plan_t* plan = nullptr;
  CHECK(try_plan(world, {send}, {receive}, &plan, "pipeline") == OSHEN_OK);
  std::vector<unsigned char> in(bytes), out(bytes);
  for (int run = 0; run < 2; run++) {
    each_byte(send.box, [&](std::size_t at, std::size_t i) { in[at] = value(static_cast<std::size_t>(me), i, run); });
    oshen_plan_run(plan, in.data(), out.data());
    each_byte(receive.box, [&](std::size_t at, std::size_t i) {
      CHECK(out[at] == value(static_cast<std::size_t>(previous), i, run));
    });
  }
  oshen_plan_destroy(plan);
}

// All PEs get the status of a mistake on one PE, and the group remains usable.
void refusals(oshen_group_t* world) {
  oshen_plan_t* plan = nullptr;
  const int next = (me + 1) % n, previous = (me + n - 1) % n, last = n - 1;
  const std::vector<oshen_message_t> none, to_next{run_of(next, 0, 64)}, from_previous{run_of(previous, 0, 64)};

  const auto wrong_size = me == last ? std::vector{run_of(previous, 0, 65)} : from_previous;
  CHECK(try_plan(world, to_next, wrong_size, &plan) == OSHEN_MISMATCH && plan == nullptr);
  CHECK(try_plan(world, me == last ? none : to_next, from_previous, &plan) == OSHEN_MISMATCH);
  CHECK(try_plan(world, to_next, me == last ? none : from_previous, &plan) == OSHEN_MISMATCH);

  const auto no_such_peer = me == last ? std::vector{run_of(n, 0, 64)} : to_next;
  CHECK(try_plan(world, no_such_peer, from_previous, &plan) == OSHEN_INVALID && plan == nullptr);
  auto crooked = to_next;
  if (me == last) crooked[0].box.extent[2] = 2;  // more than `bytes` says
  CHECK(try_plan(world, crooked, from_previous, &plan) == OSHEN_INVALID);
  CHECK(try_plan(world, to_next, from_previous, &plan, me == last ? "telepathy" : nullptr) == OSHEN_INVALID);

  const std::vector<oshen_message_t> too_much{run_of(me, 0, std::size_t{1} << 62)};
  CHECK(try_plan(world, me == last ? too_much : none, me == last ? too_much : none, &plan) == OSHEN_NO_SPACE);
  const std::vector<oshen_message_t> much_to_next{run_of(next, 0, std::size_t{1} << 40)},
      much_from_previous{run_of(previous, 0, std::size_t{1} << 40)};
  if (n > 1) CHECK(try_plan(world, much_to_next, much_from_previous, &plan) == OSHEN_NO_SPACE);

  CHECK(try_plan(world, to_next, from_previous, &plan, me == last && n > 1 ? "chkbuff" : "put_signal") ==
        (n > 1 ? OSHEN_MISMATCH : OSHEN_OK));
  oshen_plan_destroy(plan);
  for (const char* needy : {"direct", "direct_get"})
    CHECK(try_plan(world, to_next, from_previous, &plan, needy) == OSHEN_UNSUPPORTED);

  CHECK(try_plan(world, to_next, from_previous, &plan) == OSHEN_OK);
  std::vector<unsigned char> out(64), in(64, static_cast<unsigned char>(me));
  oshen_plan_run(plan, in.data(), out.data());
  CHECK(out == std::vector<unsigned char>(64, static_cast<unsigned char>(previous)));
  oshen_plan_destroy(plan);
}

void nobody_sends(oshen_group_t* world) {
  oshen_plan_t* plan = nullptr;
  CHECK(try_plan(world, {}, {}, &plan) == OSHEN_OK);
  oshen_plan_run(plan, nullptr, nullptr);
  oshen_plan_destroy(plan);
}

// An arena of exactly the size that the neediest PE needs is enough; one that is smaller by a cache line is not.
void needs(oshen_group_t* world) {
  std::vector<oshen_message_t> sends, receives;
  for (int peer = 0; peer < n; peer++) {  // PE r receives r times as much from each PE
    sends.push_back(run_of(peer, 0, static_cast<std::size_t>(500 * peer)));
    receives.push_back(run_of(peer, static_cast<std::size_t>(500 * me * peer), static_cast<std::size_t>(500 * me)));
  }
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.sends = sends.data();
  attr.receives = receives.data();
  attr.n_sends = attr.n_receives = n;
  oshen_need_t* need = static_cast<oshen_need_t*>(shmem_malloc(2 * sizeof *need));
  for (const char* name : {"put_signal", "chkbuff", "get", "nopack", "pipeline", "auto"}) {
    attr.strategy = name;
    CHECK(oshen_plan_need(world, &attr, need, sizeof *need) == OSHEN_OK);
    CHECK(n == 1 || need->symmetric > 0);
    shmem_size_max_reduce(SHMEM_TEAM_WORLD, &need[1].symmetric, &need[0].symmetric, 1);
    for (const bool enough : {true, false}) {
      if (!enough && (n == 1 || std::strcmp(name, "auto") == 0)) continue;  // "auto" skips strategies that do not fit
      oshen_arena_t* arena = nullptr;
      oshen_group_t* group = nullptr;
      oshen_plan_t* plan = nullptr;
      CHECK(oshen_arena_create(std::max<std::size_t>(need[1].symmetric, 128) - (enough ? 0 : 64), &arena) == OSHEN_OK);
      CHECK(oshen_group_create(arena, SHMEM_TEAM_WORLD, &group) == OSHEN_OK);
      CHECK(oshen_plan_create(group, &attr, &plan) == (enough ? OSHEN_OK : OSHEN_NO_SPACE));
      oshen_plan_destroy(plan);
      oshen_group_destroy(group);
      oshen_arena_destroy(arena);
    }
  }
  attr.strategy = "direct";
  CHECK(oshen_plan_need(world, &attr, need, sizeof *need) == OSHEN_UNSUPPORTED);
  attr.buffers = OSHEN_OUT_SYMMETRIC;
  CHECK(oshen_plan_need(world, &attr, need, sizeof *need) == OSHEN_OK);
  attr.size--;
  CHECK(oshen_plan_need(world, &attr, need, sizeof *need) == OSHEN_INVALID && need->symmetric == 0);
  shmem_free(need);
}

// A program that was compiled with more members of each struct, or with fewer.
void sizes(oshen_group_t* world) {
  struct {
    oshen_plan_attr_t known;
    std::size_t unknown;
  } asked{};
  asked.known.size = sizeof asked;
  asked.known.strategy = "put_signal";
  struct {
    oshen_need_t known;
    std::size_t unknown, behind;
  } need{{1, 1}, 77, 77};
  CHECK(oshen_plan_need(world, &asked.known, &need.known, sizeof need.known + sizeof need.unknown) == OSHEN_OK);
  CHECK(need.known.ordinary != 1 && need.unknown == 0 && need.behind == 77);
  need.known = {1, 1};
  CHECK(oshen_plan_need(world, &asked.known, &need.known, sizeof need.known.symmetric) == OSHEN_OK);
  CHECK(need.known.symmetric != 1 && need.known.ordinary == 1);
  asked.unknown = 1;
  CHECK(oshen_plan_need(world, &asked.known, &need.known, sizeof need.known) == OSHEN_INVALID);
  struct {
    const char* name;
    int behind;
  } row{nullptr, 77};
  CHECK(oshen_strategy_at(0, reinterpret_cast<oshen_strategy_info_t*>(&row), sizeof row.name) != 0);
  CHECK(row.name != nullptr && row.behind == 77);
}

void the_table() {
  oshen_strategy_info_t row{};
  CHECK(oshen_strategy_at(0, &row, sizeof row) && row.name != nullptr && row.about != nullptr);
  CHECK(!oshen_strategy_at(-1, &row, sizeof row) && !oshen_strategy_at(1000, &row, sizeof row));
  for (int s = OSHEN_OK; s <= OSHEN_MISMATCH; s++) {
    CHECK(std::strlen(oshen_status_text(static_cast<oshen_status_t>(s))) > 0);
  }
}

}  // namespace

int main() {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  oshen_arena_t* arena = nullptr;
  oshen_group_t *world = nullptr, *half = nullptr;
  CHECK(oshen_arena_create(0, &arena) == OSHEN_INVALID);
  CHECK(oshen_arena_create(std::size_t{16} << 20, &arena) == OSHEN_OK);
  CHECK(oshen_group_create(arena, SHMEM_TEAM_INVALID, &world) == OSHEN_INVALID && world == nullptr);
  CHECK(oshen_group_create(arena, SHMEM_TEAM_WORLD, &world) == OSHEN_OK);

  shmem_team_t evens = SHMEM_TEAM_INVALID;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, nullptr, 0, &evens) == 0);
  if (me % 2 == 0) CHECK(oshen_group_create(arena, evens, &half) == OSHEN_OK);

  many_plans(world, half, me / 2, (n + 1) / 2);
  in_place(world);
  anywhere(world);
  order_of_sender(world);
  cut_differently(world);
  refusals(world);
  nobody_sends(world);
  needs(world);
  sizes(world);
  the_table();

  oshen_group_destroy(half);
  oshen_group_destroy(world);
  oshen_arena_destroy(arena);
  if (me == 0) std::puts("exchange plans: all right");
  shmem_finalize();
  return 0;
}
