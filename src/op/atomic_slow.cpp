// Atomic operations on PEs that are not near, and all that cards execute.
#include "op/direct.hpp"
#include "op/general_way.hpp"
#include "op/remote.hpp"
#include "op/slow_path.hpp"
#include "wait/backoff.hpp"

namespace oshen::op {

using transport::operation;

std::uint64_t cpu_atomic(call_site at, const char* argument, const void* object, const transport::atomic_op& op,
                         int pe) {
  const peer_location to = locate(at, pe);
  const auto width = static_cast<std::size_t>(op.bytes);
  check_alignment(at, argument, object, width);
  if (!to.is_near)
    return remote::atomic(at, to.world_pe, remote::offset_in_slice(at, argument, object, width, to.world_pe), op);
  if (at.ctx->is_counting) [[unlikely]]
    count_near(at, counted::atomic, to.world_pe, width);
  char* target = object_of(at, to, argument, object, width);
  const std::uint64_t before = transport::apply(target, op);
  if (op.op != operation::fetch)
    wake(to.mapped.wakeup(), target, width);
  else if (to.mapped.peer_offset == 0)
    give_way_if_same(*at.ctx->home, object, before);  // programs wait by fetching their own object
  return before;
}

std::uint64_t card_atomic(call_site at, const char* argument, const void* object, transport::atomic_op op, int pe) {
  const peer_location to = locate(at, pe);
  const auto width = static_cast<std::size_t>(op.bytes);
  check_alignment(at, argument, object, width);
  op.by = to.is_near ? transport::agent::card_here : transport::agent::card;
  const std::uint64_t offset = remote::offset_in_slice(at, argument, object, width, to.world_pe);
  const std::uint64_t before = remote::atomic(at, to.world_pe, offset, op);
  if (to.is_near) remote::note_card_change_here(at);
  return before;
}

namespace {

const char* argument_of(const transport::atomic_op& op) { return op.op == operation::fetch ? "source" : "dest"; }

std::uint64_t atomic_generally(call_site at, const void* object, const transport::atomic_op& op, int pe) {
  if (is_of_card(*at.ctx, object)) return card_atomic(at, argument_of(op), object, op, pe);
  return cpu_atomic(at, argument_of(op), object, op, pe);
}

// True if the card executes operations on static data, which belongs to the CPUs where objects have agents of their
// own.
bool may_try_data(const context& c) { return c.home->card_begin == heap::nowhere; }

}  // namespace

void add_in_session(call_site at, const void* object, transport::width width, std::uint64_t value, int pe) {
  const auto bytes = static_cast<std::size_t>(width);
  const transport::atomic_op change{operation::add, width, false, value, 0};
  const bool is_aligned = (reinterpret_cast<std::uintptr_t>(object) & (bytes - 1)) == 0;
  std::uint64_t offset = 0;
  if (at.ctx->by_card || !is_aligned || !find_cpu_offset(*at.ctx, object, bytes, offset)) [[unlikely]] {
    atomic_generally(at, object, change, pe);
    return;
  }
  if (const int world_pe = packing_target(at, pe); world_pe >= 0) {
    const transport::packed_op add = transport::packed_change(offset, operation::add, width, false, value);
    if (add.is_small && transport::session_packs::add_quickly(*at.ctx->channel, world_pe, add)) return;
  }
  cpu_atomic(at, "dest", object, change, pe);
}

namespace {

// The arguments that an operation keeps while it goes directly.
struct kept_change {
  call_site at;
  const void* object;
  std::uint64_t value;
  int pe;
  operation op;
};
struct kept_fetch {
  call_site at;
  const void* object;
  transport::atomic_operands with;
  int pe;
  operation op;
};

template <class Word>
transport::atomic_op fetch_of(const kept_fetch& t) {
  return {t.op, static_cast<transport::width>(sizeof(Word)), true, t.with.value, t.with.compare};
}

// The other ways of an open path: on static data, and when the network has room.
template <class Word>
[[gnu::noinline, gnu::cold]] bool change_directly(const kept_change& t) {
  const auto go = [&] { return direct::change<Word>(t.at, t.object, t.value, t.pe, t.op); };
  return (may_try_data(*t.at.ctx) && direct::change<Word, direct::area::data>(t.at, t.object, t.value, t.pe, t.op)) ||
         direct::goes_when_there_is_room(t.at, go);
}
template <class Word>
[[gnu::noinline, gnu::cold]] bool fetch_directly(const kept_fetch& t, void* result, transport::direct_wait* wait) {
  const auto go = [&] { return direct::fetch<Word>(t.at, t.object, t.with, t.pe, t.op, result, wait); };
  return (may_try_data(*t.at.ctx) &&
          direct::fetch<Word, direct::area::data>(t.at, t.object, t.with, t.pe, t.op, result, wait)) ||
         direct::goes_when_there_is_room(t.at, go);
}

template <class Word>
[[gnu::noinline, gnu::cold]] void change_elsewhere(const kept_change& t) {
  if (direct::path_of(*t.at.ctx) != nullptr && change_directly<Word>(t)) return;
  atomic_generally(t.at, t.object, {t.op, static_cast<transport::width>(sizeof(Word)), false, t.value, 0}, t.pe);
}

template <class Word>
[[gnu::noinline, gnu::cold]] Word fetch_elsewhere(const kept_fetch& t) {
  Word before{};
  transport::direct_wait wait;
  if (direct::path_of(*t.at.ctx) != nullptr && fetch_directly<Word>(t, &before, &wait)) return before;
  return static_cast<Word>(atomic_generally(t.at, t.object, fetch_of<Word>(t), t.pe));
}

void fetch_nbi_generally(call_site at, void* fetch, const void* object, transport::atomic_op op, int pe) {
  const peer_location to = locate(at, pe);
  const auto width = static_cast<std::size_t>(op.bytes);
  if (is_of_card(*at.ctx, object)) {
    op.by = to.is_near ? transport::agent::card_here : transport::agent::card;
  } else if (to.is_near) {
    const std::uint64_t before = cpu_atomic(at, argument_of(op), object, op, pe);
    memcpy(fetch, &before, width);
    return;
  }
  check_private(at, "fetch", fetch);
  check_alignment(at, argument_of(op), object, width);
  remote::atomic_nbi(at, to.world_pe, remote::offset_in_slice(at, argument_of(op), object, width, to.world_pe), op,
                     fetch);
  if (op.by == transport::agent::card_here) remote::note_card_change_here(at);
}

}  // namespace

template <class Word>
void change_slow(call_site at, const void* object, Word value, int pe, operation op) {
  kept_change t{at, object, value, pe, op};
  keep_in_memory(t);
  if (!direct::change<Word>(at, object, t.value, pe, op)) [[unlikely]]
    change_elsewhere<Word>(t);
}

template <class Word>
Word fetch_slow(call_site at, const void* object, Word value, int pe, operation op) {
  kept_fetch t{at, object, {value, 0}, pe, op};
  transport::direct_wait wait;
  Word before;
  keep_in_memory(t);
  if (!direct::fetch<Word>(at, object, t.with, pe, op, &before, &wait)) [[unlikely]]
    return fetch_elsewhere<Word>(t);
  return before;
}

template <class Word>
Word compare_swap_slow(call_site at, const void* object, Word value, Word compare, int pe) {
  kept_fetch t{at, object, {value, compare}, pe, operation::compare_swap};
  transport::direct_wait wait;
  Word before;
  keep_in_memory(t);
  if (!direct::fetch<Word>(at, object, t.with, pe, operation::compare_swap, &before, &wait)) [[unlikely]]
    return fetch_elsewhere<Word>(t);
  return before;
}

template <class Word>
void fetch_nbi_slow(call_site at, void* fetch, const void* object, transport::atomic_operands with, int pe,
                    operation op) {
  const kept_fetch t{at, object, with, pe, op};
  if (direct::fetch<Word>(at, object, t.with, pe, op, fetch, nullptr)) return;
  if (direct::path_of(*at.ctx) != nullptr && fetch_directly<Word>(t, fetch, nullptr)) return;
  fetch_nbi_generally(at, fetch, object, fetch_of<Word>(t), pe);
}

template <class Word>
struct atomic_instances {
  static constexpr auto change = change_slow<Word>;
  static constexpr auto fetch = fetch_slow<Word>;
  static constexpr auto compare_swap = compare_swap_slow<Word>;
  static constexpr auto fetch_nbi = fetch_nbi_slow<Word>;
};
template struct atomic_instances<std::uint32_t>;
template struct atomic_instances<std::uint64_t>;

}  // namespace oshen::op
