#include "op/remote.hpp"

#include <shmem.h>

#include <algorithm>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/process.hpp"
#include "wait/backoff.hpp"
#include "world/network.hpp"
#include "world/performance.hpp"

namespace oshen::op::remote {
namespace {

using transport::completion;
using transport::far_op;
using transport::outcome;

constexpr std::uint64_t grace_ns = 2000000000;  // for the launcher to report the end of the job
constexpr std::uint64_t nap_ns = 10000000;
constexpr unsigned quick_polls = 64;  // of a separate stream; some tens of microseconds

network& network_of(call_site at) { return *at.ctx->home->beyond; }
transport::channel& channel_of(call_site at) {
  return at.ctx->channel != nullptr ? *at.ctx->channel : network_of(at).default_channel;
}

// True: in this session an operation of so many bytes travels packed. Another thread may end the session meanwhile, so
// a call asks once.
inline bool packs(const transport::channel& c, std::size_t bytes) {
  return c.is_packing() && bytes <= transport::most_packed_bytes;
}

// A peer is often unreachable because the job is ending; then this PE leaves without an error of its own.
[[noreturn]] void give_up(call_site at, int world_pe, outcome o) {
  world& w = *at.ctx->home;
  const char* why = w.beyond->endpoint.explain();
  if (world_pe < 0) world_pe = channel_of(at).failed_pe.load(std::memory_order_relaxed);
  int exit_status = 0;
  for (const std::uint64_t end = os::now_ns() + grace_ns; o == outcome::lost && os::now_ns() < end; os::nap(nap_ns))
    if (w.launcher->job_ending(exit_status)) os::leave_at_once(exit_status);
  if (world_pe >= 0)
    log::error("%s: PE %d on %s cannot be reached by transport %s: %s; ending the job", at.routine, world_pe,
               host_of(w, world_pe), w.beyond->endpoint.name(), why);
  else
    log::error("%s: transport %s: %s; ending the job", at.routine, w.beyond->endpoint.name(), why);
  end_job(&w, 1, false);
}

template <class Attempt>
[[gnu::noinline, gnu::cold]] void repeat(call_site at, int world_pe, outcome o, Attempt& attempt) {
  network_wait wait(at, world_pe, true);
  for (; o != outcome::done; o = attempt()) {
    if (o != outcome::would_block) give_up(at, world_pe, o);
    if (performance* p = at.ctx->home->counting.load(std::memory_order_relaxed); p != nullptr) ++p->retries;
    wait.step();
  }
}

// Makes an attempt again until it is done. Ends the job if no attempt can succeed.
template <class Attempt>
void persist(call_site at, int world_pe, Attempt attempt) {
  if (const outcome o = attempt(); o != outcome::done) [[unlikely]]
    repeat(at, world_pe, o, attempt);
}

// Waits until operations are complete locally. A flush reports a lost peer, whose operations never are.
template <class Complete>
void await_local(call_site at, int world_pe, Complete are_complete) {
  network_wait wait(at, world_pe, false);
  transport::flush_point point;
  while (!are_complete()) {
    const outcome o = network_of(at).endpoint.flush_sent(channel_of(at), point);
    if (are_complete()) return;
    if (o == outcome::lost || o == outcome::failed) give_up(at, world_pe, o);
    wait.step();
  }
}

}  // namespace

network_wait::network_wait(call_site at, int world_pe, bool retries)
    : world_(*at.ctx->home),
      channel_(channel_of(at)),
      info_{.routine = at.routine, .pe = world_pe, .is_far = true, .retries = retries},
      quick_polls_(world_.waiting.cpu_for_each ? quick_polls : 0),
      quick_yields_(world_.waiting.quick_yields) {}

// The stages of wait_long() (wait/backoff.hpp), one for each call. A wait on a separate stream begins with a stage of
// its own, in which it shares nothing with other threads.
void network_wait::step() {
  const int events = announced_ ? -1 : world_.beyond->endpoint.progress_of(channel_);
  if (events >= 0 && quick_polls_ > 0) {
    --quick_polls_;
    if (events == 0) os::pause();
    return;
  }
  if (quick_yields_ > 0 && world_.background.n_open.load(std::memory_order_relaxed) == 0) {
    --quick_yields_;
    return yield_to_others();
  }
  if (!backoff_) backoff_.emplace(world_, info_);
  if (announced_) {
    announced_ = false;
    if (!backoff_->served_others()) backoff_->sleep();
  } else if (!backoff_->spin()) {
    announced_ = true;
    world_.beyond->endpoint.hand_over(channel_);
    backoff_->announce();
  }
}

void make_progress(call_site at) {
  if (network_of(at).endpoint.progress_of(channel_of(at)) < 0) advance_network(*at.ctx->home);
}

remote_call::remote_call(call_site at, int world_pe)
    : at_(at),
      world_pe_(world_pe),
      endpoint_(network_of(at).endpoint),
      channel_(channel_of(at)),
      wake_requests_(endpoint_.wake_requests()) {
  persist(at, world_pe, [=] { return connect(*at.ctx->home, world_pe); });
}

// A packed operation has copied its operands, so nothing of it is awaited.
void remote_call::issue(far_op& op, completion_mode mode, bool is_packed) {
  const bool is_awaited = mode == completion_mode::blocking && !is_packed, may_defer = !is_awaited && channel_.defers;
  if (is_awaited) {
    op.local = &local_;
    local_.pending.fetch_add(1, std::memory_order_relaxed);
  }
  persist(at_, world_pe_, [&, this]() __attribute__((always_inline)) {
    if (is_packed) return endpoint_.packs().add(channel_, op);
    return may_defer ? endpoint_.issue_later(channel_, op) : endpoint_.issue(channel_, op);
  });
}

[[gnu::always_inline]] inline void remote_call::issue_in_chunks(far_op op, completion_mode mode, bool is_packed) {
  const std::size_t most = endpoint_.query().transfer_bytes;
  std::size_t left = op.args.bytes;
  for (; left > most; left -= most, op.advance()) {
    op.args.bytes = most;
    issue(op, mode, is_packed);
  }
  op.args.bytes = left;
  if (left != 0) issue(op, mode, is_packed);
}

void remote_call::put(std::uint64_t to, const void* from, std::size_t bytes, completion_mode mode) {
  issue_in_chunks(transport::put_of(world_pe_, to, from, bytes), mode, packs(channel_, bytes));
}

// A blocking get is not packed: it would wait until its pack leaves.
void remote_call::get(void* to, std::uint64_t from, std::size_t bytes, completion_mode mode) {
  const bool is_packed = mode == completion_mode::non_blocking && packs(channel_, bytes);
  issue_in_chunks(transport::get_of(world_pe_, to, from, bytes), mode, is_packed);
}

void remote_call::put_signal(const transport::put_signal_args& args, completion_mode mode, bool is_packed) {
  far_op signal = transport::put_signal_of(world_pe_, args);
  issue(signal, mode, is_packed);
}

void remote_call::atomic(std::uint64_t object, const transport::atomic_op& op, void* result, completion_mode mode) {
  const bool may_pack = mode == completion_mode::non_blocking && op.by == transport::agent::cpu;
  far_op change = transport::atomic_of(world_pe_, object, op, result);
  issue(change, mode, may_pack && packs(channel_, sizeof op.value));
}

void remote_call::await() {
  await_local(at_, world_pe_, [&] { return local_.pending.load(std::memory_order_acquire) == 0; });
}

std::uint64_t offset_in_slice(call_site at, const char* argument, const void* address, std::size_t bytes,
                              int world_pe) {
  const std::ptrdiff_t shift = check_object(at, argument, address, bytes, world_pe);
  return static_cast<std::uint64_t>(byte_offset(static_cast<const char*>(address), shift) -
                                    reinterpret_cast<const char*>(at.ctx->control));
}

void put(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes, completion_mode mode) {
  remote_call(at, world_pe).put(to, from, bytes, mode);
}

void get(call_site at, int world_pe, void* to, std::uint64_t from, std::size_t bytes, completion_mode mode) {
  remote_call(at, world_pe).get(to, from, bytes, mode);
}

std::uint64_t atomic(call_site at, int world_pe, std::uint64_t object, const transport::atomic_op& op) {
  std::uint64_t before = 0;
  if (op.fetches)
    remote_call(at, world_pe).atomic(object, op, &before, completion_mode::blocking);
  else
    remote_call(at, world_pe).atomic(object, op, nullptr, completion_mode::non_blocking);
  return before;
}

void atomic_nbi(call_site at, int world_pe, std::uint64_t object, const transport::atomic_op& op, void* fetch) {
  remote_call(at, world_pe).atomic(object, op, fetch, completion_mode::non_blocking);
}

void note_card_change_here(call_site at) { channel_of(at).note_card_change_here(); }

void put_signal(call_site at, int world_pe, const transport::put_signal_args& args, completion_mode mode) {
  const transport::channel& c = channel_of(at);
  const bool defers = mode == completion_mode::non_blocking && c.defers;
  const bool by_cpu = args.by == transport::agent::cpu, is_packed = by_cpu && packs(c, args.bytes);
  if (((by_cpu && network_of(at).endpoint.has_put_signal()) || defers || is_packed) &&
      args.bytes <= network_of(at).endpoint.query().transfer_bytes)
    return remote_call(at, world_pe).put_signal(args, mode, is_packed);
  if (args.bytes != 0) {
    put(at, world_pe, args.to, args.from, args.bytes, mode);
    fence(at);
  }
  const auto op = args.op == transport::signal_op::set ? transport::operation::set : transport::operation::add;
  atomic(
      at, world_pe, args.signal,
      {.op = op, .bytes = transport::width::eight, .fetches = false, .value = args.value, .compare = 0, .by = args.by});
}

bool try_put_signal(call_site at, int world_pe, const transport::put_signal_args& args, completion& lent) {
  network& n = network_of(at);
  const std::uint32_t wake_requests = n.endpoint.wake_requests();
  lent.pending.fetch_add(1, std::memory_order_relaxed);
  outcome o = connect(*at.ctx->home, world_pe);
  if (o == outcome::done) o = n.endpoint.issue_later(channel_of(at), transport::put_signal_of(world_pe, args, &lent));
  if (o != outcome::done) lent.pending.fetch_sub(1, std::memory_order_relaxed);
  if (n.endpoint.wake_requests() != wake_requests) call_network_thread(n);
  if (o != outcome::done && o != outcome::would_block) give_up(at, world_pe, o);
  return o == outcome::done;
}

void put_ordered_signal(call_site at, int world_pe, const transport::put_signal_args& args, completion_mode mode) {
  if (network_of(at).endpoint.query().signals_in_order && args.bytes <= network_of(at).endpoint.query().transfer_bytes)
    return put_signal(at, world_pe, args, mode);
  if (args.bytes != 0) put(at, world_pe, args.to, args.from, args.bytes, mode);
  fence(at);
  if (!network_of(at).endpoint.has_put_signal() && args.op == transport::signal_op::set)
    return put(at, world_pe, args.signal, &args.value, sizeof args.value, completion_mode::blocking);
  transport::put_signal_args signal = args;
  signal.bytes = 0;
  put_signal(at, world_pe, signal);
}

void await(call_site at, int pe, transport::direct_path& path, transport::direct_wait& wait) {
  await_local(at, at.ctx->members->world_pe(pe), [&] { return path.is_over(path, wait); });
}

void fence(call_site at) {
  transport::flush_point point{.handle = {.insists = true}};
  persist(at, -1, [&] { return network_of(at).endpoint.fence(channel_of(at), point); });
}

void quiet(call_site at) {
  transport::flush_point point{.handle = {.insists = true}};
  persist(at, -1, [&] { return network_of(at).endpoint.flush(channel_of(at), point); });
}

// A direct path that has lent sources without counting each has them back when it is complete. If several threads issue
// on it, only a flush that insists is sure to see that.
void quiet_local(call_site at) {
  transport::channel& c = channel_of(at);
  const std::uint32_t epoch = c.sources.now();
  transport::direct_path* lender = c.direct_ops->has_lent() ? c.direct : nullptr;
  if (lender != nullptr && lender->has_several_issuers && !lender->is_complete(*lender)) {
    transport::flush_point point{.handle = {.insists = true}};
    persist(at, -1, [&] { return network_of(at).endpoint.flush_sent(c, point); });
    lender = nullptr;
  }
  await_local(at, -1,
              [&] { return c.sources.have_passed(epoch) && (lender == nullptr || lender->is_complete(*lender)); });
}

bool start_packing(const context& c) {
  network& n = *c.home->beyond;
  // Without the thread no call would send the packs of a program that only computes.
  return n.has_thread.load(std::memory_order_acquire) && n.endpoint.packs().begin_session(*c.channel);
}

void stop_packing(call_site at) {
  network& n = network_of(at);
  transport::session_packs::end_session(channel_of(at));
  const std::uint32_t before = n.endpoint.wake_requests();
  persist(at, -1, [&] { return n.endpoint.packs().send(channel_of(at)); });
  if (n.endpoint.wake_requests() != before) call_network_thread(n);
}

void open_channel(context& c, long options) {
  network& n = *c.home->beyond;
  const unsigned wanted = (options & (SHMEM_CTX_PRIVATE | SHMEM_CTX_SERIALIZED)) != 0 ? transport::one_thread : 0u;
  transport::channel* own = make_channel(n, wanted);
  c.owns_channel = own != nullptr;
  c.channel = c.owns_channel ? own : &n.default_channel;
}

bool has_own_endpoint(const context& c) { return c.channel == nullptr || (c.owns_channel && c.channel->is_separate); }

void close_channel(context& c) {
  if (c.is_packing) transport::session_packs::end_session(*c.channel);
  c.is_packing = false;
  if (!c.owns_channel) return;
  drop_channel(*c.home->beyond, c.channel);
  c.owns_channel = false;
}

}  // namespace oshen::op::remote
