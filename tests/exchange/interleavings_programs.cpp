#include "interleavings_programs.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "exchange/copy/chunked_remap.hpp"
#include "exchange/plan/plan_setup.hpp"
#include "exchange/strategies/table.hpp"

namespace oshen::model {
namespace {

constexpr std::size_t element = sizeof(std::uint64_t);
constexpr std::uint64_t poison = 0xdead;
constexpr std::size_t arena_bytes = 2560, heap_bytes = 4096;

using arenas = std::shared_ptr<std::vector<oshen_arena_t*>>;

oshen_arena_t*& arena_of(const arenas& all, int me) { return (*all)[static_cast<std::size_t>(me)]; }

oshen_group_t* make_group(oshen_arena_t*& arena, int pes) {
  oshen_arena_create(arena_bytes, &arena);
  std::vector<int> list;
  for (int pe = 0; pe < pes; pe++) list.push_back(pe);
  oshen_group_t* group = nullptr;
  oshen_group_create_from_list(arena, list.data(), pes, &group);
  return group;
}

std::uint64_t* make_buffer(oshen_group_t* group, std::size_t words) {
  auto* made = static_cast<std::uint64_t*>(
      oshen_arena_alloc(oshen_group_arena(group), std::max(words, std::size_t{1}) * element));
  if (made == nullptr) fail("the arena is too small");
  return made;
}

// Statistics do not matter, but they would tell apart states that are the same otherwise.
void forget_statistics(oshen_plan_t& plan) {
  plan.stats = {};
  std::ranges::fill(plan.late, exchange::lateness{});
}

// A program of these bodies. The search owns a copy of their captures.
one_sided_program program_of(const plan_case& one, const std::function<void(int, const arenas&)>& body) {
  const auto all = std::make_shared<std::vector<oshen_arena_t*>>(static_cast<std::size_t>(one.who.pes));
  exchange::chunked_remap::limits = {};
  if (one.chunks > 1) {
    const std::size_t of_one_pe = one.who.receivers[0].size() * static_cast<std::size_t>(one.who.elements) * element;
    exchange::chunked_remap::limits = {of_one_pe / static_cast<std::size_t>(one.chunks), 1};
  }
  return {.pes = one.who.pes,
          .mapped = one.mapped,
          .parks_to_test = one.parks_to_test,
          .heap_bytes = heap_bytes,
          .body = [body, all](int me) { body(me, all); },
          .forget =
              [all](int me) {
                if (arena_of(all, me) == nullptr) return;
                for (oshen_plan_t* plan : arena_of(all, me)->active) forget_statistics(*plan);
              }};
}

// ---- a plan of one PE

std::vector<int> senders_to(const pattern& who, int me) {
  std::vector<int> senders;
  for (int pe = 0; pe < who.pes; pe++)
    if (std::ranges::count(who.receivers[static_cast<std::size_t>(pe)], me) != 0) senders.push_back(pe);
  return senders;
}

// Message i is column i of a buffer with a column for each peer. Strides are those of a remap that "pipeline" can cut.
std::vector<oshen_message_t> messages(const std::vector<int>& peers, bool sent, int elements) {
  std::vector<oshen_message_t> list;
  const std::size_t along = static_cast<std::size_t>(elements), row = peers.size() * element;
  for (std::size_t i = 0; i < peers.size(); i++)
    list.push_back(
        {peers[i], along * element, {i * element, element, {1, 1, along}, {element, sent ? element : row, row}}});
  return list;
}

class plan_user {
 public:
  plan_user(const plan_case& one, const pattern& who, int me, oshen_group_t* group)
      : one_(one),
        me_(me),
        elements_(who.elements),
        to_(who.receivers[static_cast<std::size_t>(me)]),
        from_(senders_to(who, me)),
        group_(group) {
    const std::size_t words = std::max(to_.size(), from_.size()) * static_cast<std::size_t>(elements_);
    in_ = make_buffer(group, words);
    out_ = one.in_place ? in_ : make_buffer(group, words);
  }

  void make(const char* strategy) {
    request wanted(*this, strategy);
    if (oshen_plan_create(group_, &wanted.attr, &plan_) != OSHEN_OK) fail("no plan");
  }
  void destroy() { oshen_plan_destroy(plan_); }

  // As "auto" makes a plan, runs it and frees its memory.
  void try_out(const char* strategy, int runs) {
    request wanted(*this, strategy);
    std::unique_ptr<oshen_plan> made;
    const exchange::strategy& candidate = *exchange::find_strategy(strategy);
    if (exchange::make_plan(*group_, wanted.attr, candidate, made) != OSHEN_OK) return fail("no plan to try out");
    plan_ = made.get();
    run(0, runs);
    group_->agree(OSHEN_OK);
    if (candidate.close != nullptr) candidate.close(*made);
    exchange::discard_plan(std::move(made));
  }

  void run(int first, int runs) {
    for (int number = first; number < first + runs; number++) {
      start(number);
      end(number);
    }
  }
  void start(int number) {
    for (std::size_t c = 0; c < to_.size(); c++)
      for (int i = 0; i < elements_; i++) in_[at(c, to_.size(), i)] = value_of(number, me_, to_[c], i);
    oshen_plan_start(plan_, in_, out_);
  }
  void end(int number) {
    oshen_plan_release(plan_);
    forget_statistics(*plan_);
    for (std::size_t c = 0; c < from_.size(); c++) {
      for (int i = 0; i < elements_; i++) {
        std::uint64_t& got = out_[at(c, from_.size(), i)];
        if (got != value_of(number, from_[c], me_, i)) fail("a wrong value after a run");
        got = poison;
      }
    }
  }

 private:
  struct request {
    std::vector<oshen_message_t> sends, receives;
    oshen_plan_attr_t attr{};
    request(const plan_user& of, const char* strategy)
        : sends(messages(of.to_, true, of.elements_)), receives(messages(of.from_, false, of.elements_)) {
      attr.size = sizeof attr;
      attr.strategy = strategy;
      attr.sends = sends.data();
      attr.receives = receives.data();
      attr.n_sends = static_cast<int>(sends.size());
      attr.n_receives = static_cast<int>(receives.size());
      attr.buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC | (of.one_.in_place ? 0u : OSHEN_BUFFERS_APART);
    }
  };

  static std::uint64_t value_of(int run, int from, int to, int i) {
    return static_cast<std::uint64_t>(((run * 8 + from) * 8 + to) * 8 + i);
  }
  static std::size_t at(std::size_t column, std::size_t columns, int i) {
    return column + columns * static_cast<std::size_t>(i);
  }

  const plan_case& one_;
  int me_, elements_;
  std::vector<int> to_, from_;
  oshen_group_t* group_;
  oshen_plan_t* plan_ = nullptr;
  std::uint64_t *in_ = nullptr, *out_ = nullptr;
};

}  // namespace

// ---- patterns

pattern transpose(int pes, int elements) {
  pattern p{pes, std::vector<std::vector<int>>(static_cast<std::size_t>(pes)), elements};
  for (std::vector<int>& to : p.receivers)
    for (int pe = 0; pe < pes; pe++) to.push_back(pe);
  return p;
}

pattern pairwise(int pes, int elements) {
  pattern p = transpose(pes, elements);
  for (int me = 0; me < pes; me++) std::erase(p.receivers[static_cast<std::size_t>(me)], me);
  return p;
}

pattern ring(int pes, int elements) {
  pattern p{pes, {}, elements};
  for (int me = 0; me < pes; me++) p.receivers.push_back({(me + 1) % pes});
  return p;
}

pattern sink(int pes, int elements) {
  pattern p{pes, {{}}, elements};
  for (int me = 1; me < pes; me++) p.receivers.push_back({0});
  return p;
}

// ---- programs

one_sided_program back_to_back(const plan_case& one) {
  return program_of(one, [one](int me, const arenas& all) {
    plan_user user(one, one.who, me, make_group(arena_of(all, me), one.who.pes));
    user.make(one.strategy);
    explore_from_here();
    user.run(0, one.runs);
  });
}

one_sided_program under_way_together(const plan_case& one, const pattern& second) {
  return program_of(one, [one, second](int me, const arenas& all) {
    oshen_group_t* group = make_group(arena_of(all, me), one.who.pes);
    plan_user a(one, one.who, me, group), b(one, second, me, group);
    a.make(one.strategy);
    b.make(one.strategy);
    explore_from_here();
    for (int run = 0; run < one.runs; run++) {
      a.start(run);
      b.start(run);
      b.end(run);
      a.end(run);
    }
  });
}

one_sided_program one_after_another(const plan_case& one, const char* second_strategy, bool trial) {
  return program_of(one, [=](int me, const arenas& all) {
    plan_user user(one, one.who, me, make_group(arena_of(all, me), one.who.pes));
    explore_from_here();
    if (trial) {
      user.try_out(one.strategy, one.runs);
    } else {
      user.make(one.strategy);
      user.run(0, one.runs);
      user.destroy();
    }
    user.make(second_strategy);
    user.run(one.runs, one.runs);
  });
}

one_sided_program halo(const char* strategy, int pes, int runs, bool mapped) {
  const plan_case one{.strategy = strategy, .who = ring(pes), .runs = runs, .mapped = mapped, .parks_to_test = false};
  return program_of(one, [=](int me, const arenas& all) {
    oshen_group_t* group = make_group(arena_of(all, me), pes);
    std::uint64_t* cells = make_buffer(group, 3);  // a ghost element on either side
    oshen_halo_t wanted{};
    wanted.size = sizeof wanted;
    wanted.extent[0] = pes, wanted.extent[1] = wanted.extent[2] = 1;
    wanted.dims[0] = pes, wanted.dims[1] = wanted.dims[2] = 1;
    wanted.below[0] = wanted.above[0] = 1;
    wanted.periodic = 1;
    wanted.element = element;
    oshen_plan_attr_t attr{};
    attr.size = sizeof attr;
    attr.strategy = strategy;
    attr.buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC;
    oshen_plan_t* plan = nullptr;
    if (oshen_halo_create(group, &wanted, &attr, &plan) != OSHEN_OK) return fail("no halo");
    explore_from_here();
    const auto value = [](int run, int pe) { return static_cast<std::uint64_t>(run * 8 + pe + 1); };
    for (int run = 0; run < runs; run++) {
      cells[1] = value(run, me);
      oshen_plan_run(plan, cells, cells);
      forget_statistics(*plan);
      if (cells[0] != value(run, (me + pes - 1) % pes) || cells[2] != value(run, (me + 1) % pes))
        fail("a wrong ghost element");
      cells[0] = cells[2] = poison;
    }
  });
}

}  // namespace oshen::model
