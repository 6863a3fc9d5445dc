// A libfabric.so.1 whose network takes no time: a put, get or atomic operation is complete when its call returns, and
// moves the bytes through memory that both processes map. Over it, instructions and provider calls of the library above
// are exact, and messages a second are that library's own limit. Load it with LD_LIBRARY_PATH. All processes must run
// on one machine, as one user.
//
// FABRIC_NULL holds words that change the provider, separated by commas:
//   nocounters   it has no counters
//   nodata       RMA refuses FI_REMOTE_CQ_DATA, so a target is not told of a put
//   noatomics    it executes no atomic operations
//   unordered    it promises no order
//   inject=N     the longest operation whose source it copies (192)
//   card         its atomic operations are atomic with each other, but not with those of CPUs, as on most cards
//   late         puts and atomic operations without a result happen one at a time, when the process asks for
//                completions. A put whose source is not copied reads it then. With `unordered` they come in another
//                order
//   rate=N       a card that executes N million operations a second: its counters grow at that rate, and it refuses
//                what its queue does not hold
//   queue=N      the operations in that queue (256)
// FABRIC_NULL_CALLS=1: each process prints at its end how often it called each kind of operation.
#include <dlfcn.h>
#include <fcntl.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "atomics.hpp"
#include "behaviour.hpp"
#include "calls.hpp"
#include "mailbox.hpp"
#include "pace.hpp"

namespace {

constexpr std::size_t GiB = std::size_t{1} << 30;

template <class F>
F real(const char* name) {
  static void* library = dlopen(REAL_LIBFABRIC, RTLD_NOW | RTLD_LOCAL);
  void* routine = library != nullptr ? dlsym(library, name) : nullptr;
  if (routine == nullptr) fprintf(stderr, "fabric null: %s: %s\n", REAL_LIBFABRIC, dlerror()), abort();
  return reinterpret_cast<F>(routine);
}

// ---- objects of this process ------------------------------------------------------------------------------------

struct peer {
  int pid;
  mailbox* box;
  std::atomic<char*> memory[max_shared_regions];

  // The memory of a region; null: it has not been registered.
  char* find(std::uint64_t key) {
    if (key >= max_shared_regions) return nullptr;
    char* at = memory[key].load(std::memory_order_acquire);
    return at != nullptr ? at : map(key);
  }
  [[gnu::noinline]] char* map(std::uint64_t key) {
    const shared_region& r = box->regions[key];
    if (!r.is_there.load(std::memory_order_acquire)) return nullptr;
    char* at = static_cast<char*>(map_of_process(pid, r.fd, r.place, r.bytes));
    memory[key].store(at, std::memory_order_release);
    return at;
  }
};

struct null_av {
  fid_av base{};
  std::deque<peer> peers;
  std::vector<endpoint_name> names;
  std::mutex lock;
  std::atomic<peer*> fast[4096];
};

struct null_ep;
struct null_cntr {
  fid_cntr base{};
  std::atomic<std::uint64_t> value{0};
  std::atomic<std::uint64_t> reported{0};
  null_ep* counts = nullptr;
};

struct null_cq {
  fid_cq base{};
  std::mutex lock;
  std::deque<fi_cq_data_entry> entries;
  null_ep* receiver = nullptr;  // the endpoint of the process that posts receives: all share its mailbox
};

struct posted_receive {
  void* to;
  std::size_t bytes;
  void* context;
};

struct null_domain;
struct null_ep {
  fid_ep base{};
  null_domain* home = nullptr;
  null_av* av = nullptr;
  null_cq* cq = nullptr;
  null_cntr* writes = nullptr;
  null_cntr* reads = nullptr;
  bool selective = false;
  bool completes = true;  // op_flags have FI_COMPLETION
  pace card;
  std::mutex lock;  // guards the receives
  std::deque<posted_receive> receives;
};

struct null_domain {
  fid_domain base{};
  mailbox* box = nullptr;
  int fd = -1;
};

struct null_fabric {
  fid_fabric base{};
};

// ---- completions and arrivals -----------------------------------------------------------------------------------

void complete(null_ep& ep, void* context, std::uint64_t flags) {
  const std::lock_guard hold(ep.cq->lock);
  ep.cq->entries.push_back({.op_context = context, .flags = flags, .len = 0, .buf = nullptr, .data = 0});
}

// One sender's slot, or null: the mailbox is full.
slot* take_slot(mailbox& box, std::uint64_t& number) {
  number = box.next_sender.load(std::memory_order_relaxed);
  for (;;) {
    slot& s = box.slots[number % n_slots];
    const auto ahead = static_cast<std::int64_t>(s.turn.load(std::memory_order_acquire) - number);
    if (ahead < 0) return nullptr;
    if (ahead == 0 && box.next_sender.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) return &s;
    if (ahead > 0) number = box.next_sender.load(std::memory_order_relaxed);
  }
}

bool deliver(mailbox& box, const void* bytes, std::size_t n, bool is_data, std::uint64_t data) {
  std::uint64_t number = 0;
  slot* s = take_slot(box, number);
  if (s == nullptr) return false;
  s->bytes = static_cast<std::uint32_t>(n);
  s->is_data = is_data;
  s->data = data;
  if (n != 0) memcpy(s->body, bytes, n);
  s->turn.store(number + 1, std::memory_order_release);
  return true;
}

void catch_up();           // the operations that are late
void catch_up_in_order();  // the same, if the provider keeps the order

// Moves arrivals into posted buffers, in order. The caller holds the lock of the queue.
void receive(null_cq& cq) {
  null_ep& ep = *cq.receiver;
  mailbox& box = *ep.home->box;
  const std::lock_guard hold(ep.lock);
  for (;;) {
    const std::uint64_t number = box.next_receiver.load(std::memory_order_relaxed);
    slot& s = box.slots[number % n_slots];
    if (s.turn.load(std::memory_order_acquire) != number + 1) return;
    if (s.is_data) {
      cq.entries.push_back({nullptr, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, 0, nullptr, s.data});
    } else {
      if (ep.receives.empty()) return;
      const posted_receive r = ep.receives.front();
      ep.receives.pop_front();
      const std::size_t n = s.bytes < r.bytes ? s.bytes : r.bytes;
      memcpy(r.to, s.body, n);
      cq.entries.push_back({r.context, FI_MSG | FI_RECV, n, nullptr, 0});
    }
    box.next_receiver.store(number + 1, std::memory_order_relaxed);
    s.turn.store(number + n_slots, std::memory_order_release);
  }
}

ssize_t cq_read(fid_cq* f, void* to, std::size_t n) {
  note(call::cq_read);
  catch_up();
  auto& cq = *reinterpret_cast<null_cq*>(f);
  const std::lock_guard hold(cq.lock);
  if (cq.receiver != nullptr) receive(cq);
  auto* entries = static_cast<fi_cq_data_entry*>(to);
  std::size_t read = 0;
  for (; read < n && !cq.entries.empty(); ++read) {
    entries[read] = cq.entries.front();
    cq.entries.pop_front();
  }
  return read != 0 ? static_cast<ssize_t>(read) : -FI_EAGAIN;
}
ssize_t cq_readerr(fid_cq*, fi_cq_err_entry*, std::uint64_t) { return -FI_EAGAIN; }

// Of the operations in the card's queue, any may be of this counter.
std::uint64_t counter_read(fid_cntr* f) {
  note(call::counter_read);
  catch_up();
  auto& c = *reinterpret_cast<null_cntr*>(f);
  const std::uint64_t value = c.value.load(std::memory_order_acquire);
  if (chosen().interval_ns == 0) return value;
  const std::uint64_t now = value - std::min(value, c.counts->card.n_queued());
  std::uint64_t before = c.reported.load();
  while (before < now && !c.reported.compare_exchange_weak(before, now)) {
  }
  return std::max(before, now);
}

// ---- operations -------------------------------------------------------------------------------------------------

peer* peer_of(const null_ep& ep, fi_addr_t to) { return ep.av->fast[to].load(std::memory_order_acquire); }

void finish(null_ep& ep, null_cntr* counter, void* context, std::uint64_t flags, std::uint64_t kind) {
  if (counter != nullptr) counter->value.fetch_add(1, std::memory_order_release);
  if ((flags & FI_COMPLETION) == 0 && (ep.selective || (flags & FI_INJECT) != 0)) return;
  ++n_reports_of_thread;
  complete(ep, context, kind);
}

void copy(char* to, const char* from, std::size_t n) {
  if (n == 8 && (reinterpret_cast<std::uintptr_t>(to) & 7) == 0) {
    std::uint64_t bits;
    memcpy(&bits, from, 8);
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(to), bits, __ATOMIC_RELEASE);
    return;
  }
  memcpy(to, from, n);
  std::atomic_thread_fence(std::memory_order_release);
}

struct put_operation {
  null_ep* ep;
  peer* to;
  char* at;
  const void* from;
  std::size_t n;
  void* context;
  std::uint64_t data, flags;
};

// False: the mailbox is full. A notice comes after the bytes, and both or none.
bool execute(const put_operation& p) {
  std::uint64_t number = 0;
  const bool tells = (p.flags & FI_REMOTE_CQ_DATA) != 0;
  slot* const s = tells ? take_slot(*p.to->box, number) : nullptr;
  if (tells && s == nullptr) return false;
  copy(p.at, static_cast<const char*>(p.from), p.n);
  if (tells) {
    s->bytes = 0;
    s->is_data = true;
    s->data = p.data;
    s->turn.store(number + 1, std::memory_order_release);
  }
  finish(*p.ep, p.ep->writes, p.context, p.flags, FI_RMA | FI_WRITE);
  return true;
}

void postpone(const put_operation& p);

ssize_t write_to(null_ep& ep, const void* from, std::size_t n, fi_addr_t to, std::uint64_t at, std::uint64_t key,
                 void* context, std::uint64_t data, std::uint64_t flags) {
  note(call::write);
  if ((flags & FI_REMOTE_CQ_DATA) != 0 && !chosen().data) return -FI_EBADFLAGS;
  if ((flags & FI_INJECT) != 0 && n > chosen().inject) return -FI_EINVAL;
  peer* p = peer_of(ep, to);
  char* memory = p->find(key);
  if (memory == nullptr || !ep.card.accept()) return -FI_EAGAIN;
  const put_operation put{&ep, p, memory + at, from, n, context, data, flags};
  if (!chosen().late) return execute(put) ? 0 : -FI_EAGAIN;
  postpone(put);
  return 0;
}

ssize_t writemsg(fid_ep* f, const fi_msg_rma* m, std::uint64_t flags) {
  return write_to(*reinterpret_cast<null_ep*>(f), m->msg_iov[0].iov_base, m->msg_iov[0].iov_len, m->addr,
                  m->rma_iov[0].addr, m->rma_iov[0].key, m->context, m->data, flags);
}

ssize_t inject_write(fid_ep* f, const void* from, std::size_t n, fi_addr_t to, std::uint64_t at, std::uint64_t key) {
  return write_to(*reinterpret_cast<null_ep*>(f), from, n, to, at, key, nullptr, 0, FI_INJECT);
}
ssize_t inject_writedata(fid_ep* f, const void* from, std::size_t n, std::uint64_t data, fi_addr_t to, std::uint64_t at,
                         std::uint64_t key) {
  return write_to(*reinterpret_cast<null_ep*>(f), from, n, to, at, key, nullptr, data, FI_INJECT | FI_REMOTE_CQ_DATA);
}

// The calls without flags: those of the endpoint.
std::uint64_t usual_flags(const null_ep& ep) {
  return ep.selective && !ep.completes ? 0 : std::uint64_t{FI_COMPLETION};
}
ssize_t plain_write(fid_ep* f, const void* from, std::size_t n, void*, fi_addr_t to, std::uint64_t at,
                    std::uint64_t key, void* context) {
  auto& ep = *reinterpret_cast<null_ep*>(f);
  return write_to(ep, from, n, to, at, key, context, 0, usual_flags(ep));
}
ssize_t writedata(fid_ep* f, const void* from, std::size_t n, void*, std::uint64_t data, fi_addr_t to, std::uint64_t at,
                  std::uint64_t key, void* context) {
  auto& ep = *reinterpret_cast<null_ep*>(f);
  return write_to(ep, from, n, to, at, key, context, data, FI_REMOTE_CQ_DATA | usual_flags(ep));
}

ssize_t read_from(null_ep& ep, void* to, std::size_t n, fi_addr_t from, std::uint64_t at, std::uint64_t key,
                  void* context, std::uint64_t flags) {
  note(call::read);
  catch_up_in_order();
  char* memory = peer_of(ep, from)->find(key);
  if (memory == nullptr || !ep.card.accept()) return -FI_EAGAIN;
  copy(static_cast<char*>(to), memory + at, n);
  finish(ep, ep.reads, context, flags, FI_RMA | FI_READ);
  return 0;
}
ssize_t plain_read(fid_ep* f, void* to, std::size_t n, void*, fi_addr_t from, std::uint64_t at, std::uint64_t key,
                   void* context) {
  auto& ep = *reinterpret_cast<null_ep*>(f);
  return read_from(ep, to, n, from, at, key, context, usual_flags(ep));
}
ssize_t readmsg(fid_ep* f, const fi_msg_rma* m, std::uint64_t flags) {
  return read_from(*reinterpret_cast<null_ep*>(f), m->msg_iov[0].iov_base, m->msg_iov[0].iov_len, m->addr,
                   m->rma_iov[0].addr, m->rma_iov[0].key, m->context, flags);
}

template <class T>
T combine(fi_op op, T now, T value, T compare) {
  switch (op) {
    case FI_SUM: return now + value;
    case FI_BAND: return now & value;
    case FI_BOR: return now | value;
    case FI_BXOR: return now ^ value;
    case FI_ATOMIC_WRITE: return value;
    case FI_CSWAP: return now == compare ? value : now;
    default: return now;
  }
}

template <class T>
void apply(peer& p, char* at, fi_op op, const void* value, const void* compare, void* result) {
  T v{}, c{};
  if (value != nullptr) memcpy(&v, value, sizeof v);
  if (compare != nullptr) memcpy(&c, compare, sizeof c);
  T* object = reinterpret_cast<T*>(at);
  const auto change = [&](T now) { return combine(op, now, v, c); };
  const T before = chosen().card ? apply_by_card(*p.box, object, change) : apply_by_cpu(object, change);
  if (result != nullptr) memcpy(result, &before, sizeof before);
}

void apply_to_type(fi_datatype type, peer& p, char* at, fi_op op, const void* value, const void* compare,
                   void* result) {
  if (type == FI_UINT64)
    apply<std::uint64_t>(p, at, op, value, compare, result);
  else
    apply<std::uint32_t>(p, at, op, value, compare, result);
}

// ---- late operations --------------------------------------------------------------------------------------------

constexpr std::size_t most_late = 64;
std::mutex late_lock;
std::deque<std::function<bool()>> late_ones;  // false: not yet
std::atomic<bool> has_late{false};

// Executes `most` of them.
void execute_late(std::size_t most) {
  if (!has_late.load(std::memory_order_acquire)) return;
  const std::lock_guard hold(late_lock);
  if (!chosen().ordered) std::reverse(late_ones.begin(), late_ones.end());
  for (; most > 0 && !late_ones.empty() && late_ones.front()(); --most) late_ones.pop_front();
  has_late.store(!late_ones.empty(), std::memory_order_release);
}
void catch_up() { execute_late(1); }
void catch_up_in_order() {
  if (chosen().ordered) execute_late(SIZE_MAX);
}

void postpone(std::function<bool()> operation) {
  std::size_t n = 0;
  {
    const std::lock_guard hold(late_lock);
    late_ones.push_back(std::move(operation));
    n = late_ones.size();
    has_late.store(true, std::memory_order_release);
  }
  if (n > most_late) execute_late(n);
}

void postpone(const put_operation& p) {
  std::string copied;
  if ((p.flags & FI_INJECT) != 0) copied.assign(static_cast<const char*>(p.from), p.n);
  postpone([p, copied] {
    put_operation now = p;
    if (!copied.empty()) now.from = copied.data();
    return execute(now);
  });
}

void postpone_atomic(null_ep& ep, peer& p, char* at, const fi_msg_atomic& m, const void* value, std::uint64_t flags) {
  std::uint64_t kept = 0;
  memcpy(&kept, value, m.datatype == FI_UINT64 ? 8 : 4);
  postpone([&ep, &p, at, type = m.datatype, op = m.op, context = m.context, kept, flags] {
    apply_to_type(type, p, at, op, &kept, nullptr, nullptr);
    finish(ep, ep.writes, context, flags, FI_ATOMIC);
    return true;
  });
}

ssize_t atomic_on(fid_ep* f, const fi_msg_atomic* m, const void* compare, void* result, std::uint64_t flags) {
  note(call::atomic);
  auto& ep = *reinterpret_cast<null_ep*>(f);
  if (!chosen().atomics) return -FI_EOPNOTSUPP;
  peer& p = *peer_of(ep, m->addr);
  char* memory = p.find(m->rma_iov[0].key);
  if (m->datatype != FI_UINT64 && m->datatype != FI_UINT32) return -FI_EOPNOTSUPP;
  if (memory == nullptr || !ep.card.accept()) return -FI_EAGAIN;
  const void* value = m->msg_iov != nullptr ? m->msg_iov[0].addr : nullptr;
  char* at = memory + m->rma_iov[0].addr;
  if (chosen().late && result == nullptr) {
    postpone_atomic(ep, p, at, *m, value, flags);
    return 0;
  }
  catch_up_in_order();
  apply_to_type(m->datatype, p, at, m->op, value, compare, result);
  finish(ep, result != nullptr ? ep.reads : ep.writes, m->context, flags, FI_ATOMIC);
  return 0;
}
ssize_t atomic_msg(fid_ep* f, const fi_msg_atomic* m, std::uint64_t flags) {
  return atomic_on(f, m, nullptr, nullptr, flags);
}
ssize_t fetch_msg(fid_ep* f, const fi_msg_atomic* m, fi_ioc* results, void**, std::size_t, std::uint64_t flags) {
  return atomic_on(f, m, nullptr, results[0].addr, flags);
}
ssize_t compare_msg(fid_ep* f, const fi_msg_atomic* m, const fi_ioc* compares, void**, std::size_t, fi_ioc* results,
                    void**, std::size_t, std::uint64_t flags) {
  return atomic_on(f, m, compares[0].addr, results[0].addr, flags);
}
// The same without a message.
ssize_t simple_atomic(fid_ep* f, const void* value, const void* compare, void* result, fi_addr_t to, std::uint64_t at,
                      std::uint64_t key, fi_datatype type, fi_op op, void* context, std::uint64_t flags) {
  fi_ioc operand{const_cast<void*>(value), 1};
  const fi_rma_ioc target{at, 1, key};
  const fi_msg_atomic m{&operand, nullptr, 1, to, &target, 1, type, op, context, 0};
  return atomic_on(f, &m, compare, result, flags);
}
ssize_t inject_atomic(fid_ep* f, const void* value, std::size_t, fi_addr_t to, std::uint64_t at, std::uint64_t key,
                      fi_datatype type, fi_op op) {
  return simple_atomic(f, value, nullptr, nullptr, to, at, key, type, op, nullptr, FI_INJECT);
}
ssize_t plain_fetch(fid_ep* f, const void* value, std::size_t, void*, void* result, void*, fi_addr_t to,
                    std::uint64_t at, std::uint64_t key, fi_datatype type, fi_op op, void* context) {
  const std::uint64_t flags = usual_flags(*reinterpret_cast<null_ep*>(f));
  return simple_atomic(f, value, nullptr, result, to, at, key, type, op, context, flags);
}
ssize_t plain_compare(fid_ep* f, const void* value, std::size_t, void*, const void* compare, void*, void* result, void*,
                      fi_addr_t to, std::uint64_t at, std::uint64_t key, fi_datatype type, fi_op op, void* context) {
  const std::uint64_t flags = usual_flags(*reinterpret_cast<null_ep*>(f));
  return simple_atomic(f, value, compare, result, to, at, key, type, op, context, flags);
}
int query_atomic(fid_domain*, fi_datatype type, fi_op, fi_atomic_attr* attr, std::uint64_t) {
  if (!chosen().atomics || (type != FI_UINT64 && type != FI_UINT32)) return -FI_EOPNOTSUPP;
  attr->count = 1;
  attr->size = type == FI_UINT64 ? 8 : 4;
  return 0;
}
int atomic_valid(fid_ep*, fi_datatype type, fi_op, std::size_t* count) {
  if (!chosen().atomics || (type != FI_UINT64 && type != FI_UINT32)) return -FI_EOPNOTSUPP;
  *count = 1;
  return 0;
}

ssize_t send_to(null_ep& ep, const void* from, std::size_t n, fi_addr_t to) {
  note(call::send);
  catch_up_in_order();
  if (n > max_message) return -FI_EMSGSIZE;
  return deliver(*peer_of(ep, to)->box, from, n, false, 0) ? 0 : -FI_EAGAIN;
}
ssize_t send(fid_ep* f, const void* from, std::size_t n, void*, fi_addr_t to, void* context) {
  auto& ep = *reinterpret_cast<null_ep*>(f);
  const ssize_t code = send_to(ep, from, n, to);
  if (code == 0 && (ep.completes || !ep.selective)) complete(ep, context, FI_MSG | FI_SEND);
  return code;
}
ssize_t sendmsg(fid_ep* f, const fi_msg* m, std::uint64_t flags) {
  auto& ep = *reinterpret_cast<null_ep*>(f);
  const ssize_t code = send_to(ep, m->msg_iov[0].iov_base, m->msg_iov[0].iov_len, m->addr);
  if (code == 0 && (!ep.selective || (flags & FI_COMPLETION) != 0)) complete(ep, m->context, FI_MSG | FI_SEND);
  return code;
}
ssize_t inject(fid_ep* f, const void* from, std::size_t n, fi_addr_t to) {
  if (n > chosen().inject) return -FI_EINVAL;
  return send_to(*reinterpret_cast<null_ep*>(f), from, n, to);
}
ssize_t recv(fid_ep* f, void* to, std::size_t n, void*, fi_addr_t, void* context) {
  auto& ep = *reinterpret_cast<null_ep*>(f);
  {
    const std::lock_guard hold(ep.cq->lock);
    ep.cq->receiver = &ep;
  }
  const std::lock_guard hold(ep.lock);
  ep.receives.push_back({to, n, context});
  return 0;
}

// ---- opening and closing ----------------------------------------------------------------------------------------

template <class T>
int close_object(fid* f) {
  delete reinterpret_cast<T*>(f);
  return 0;
}
int no_bind(fid*, fid*, std::uint64_t) { return -FI_ENOSYS; }
int no_control(fid*, int, void*) { return -FI_ENOSYS; }

template <class T>
fi_ops ops_of() {
  fi_ops o{};
  o.size = sizeof o;
  o.close = close_object<T>;
  o.bind = no_bind;
  o.control = no_control;
  return o;
}

int bind_endpoint(fid* f, fid* what, std::uint64_t flags) {
  auto& ep = *reinterpret_cast<null_ep*>(f);
  if (what->fclass == FI_CLASS_AV) ep.av = reinterpret_cast<null_av*>(what);
  if (what->fclass == FI_CLASS_CQ) {
    ep.cq = reinterpret_cast<null_cq*>(what);
    if ((flags & FI_SELECTIVE_COMPLETION) != 0) ep.selective = true;
  }
  if (what->fclass == FI_CLASS_CNTR) {
    auto* counter = reinterpret_cast<null_cntr*>(what);
    counter->counts = &ep;
    if ((flags & FI_WRITE) != 0) ep.writes = counter;
    if ((flags & FI_READ) != 0) ep.reads = counter;
  }
  return 0;
}

int get_name(fid* f, void* name, std::size_t* n) {
  const auto& ep = *reinterpret_cast<null_ep*>(f);
  endpoint_name own{};
  memcpy(own.magic, magic, sizeof magic);
  own.pid = getpid();
  own.fd = ep.home->fd;
  if (*n < sizeof own) return *n = sizeof own, -FI_ETOOSMALL;
  memcpy(name, &own, *n = sizeof own);
  return 0;
}

int control_endpoint(fid*, int command, void*) { return command == FI_ENABLE ? 0 : -FI_ENOSYS; }

template <class T>
T sized() {
  T calls{};
  calls.size = sizeof calls;
  return calls;
}

fi_ops_msg message_calls() {
  auto o = sized<fi_ops_msg>();
  o.recv = recv;
  o.send = send;
  o.sendmsg = sendmsg;
  o.inject = inject;
  return o;
}

fi_ops_rma transfer_calls() {
  auto o = sized<fi_ops_rma>();
  o.read = plain_read;
  o.write = plain_write;
  o.writedata = writedata;
  o.writemsg = writemsg;
  o.readmsg = readmsg;
  o.inject = inject_write;
  o.injectdata = inject_writedata;
  return o;
}

fi_ops_atomic atomic_calls() {
  auto o = sized<fi_ops_atomic>();
  o.writemsg = atomic_msg;
  o.inject = inject_atomic;
  o.readwrite = plain_fetch;
  o.compwrite = plain_compare;
  o.readwritemsg = fetch_msg;
  o.compwritemsg = compare_msg;
  o.writevalid = o.readwritevalid = o.compwritevalid = atomic_valid;
  return o;
}

int open_endpoint(fid_domain* d, fi_info* info, fid_ep** made, void*) {
  static fi_ops fids = [] {
    fi_ops o = ops_of<null_ep>();
    o.bind = bind_endpoint;
    o.control = control_endpoint;
    return o;
  }();
  static fi_ops_ep options = sized<fi_ops_ep>();
  static fi_ops_cm connections = [] {
    auto o = sized<fi_ops_cm>();
    o.getname = get_name;
    return o;
  }();
  static fi_ops_msg messages = message_calls();
  static fi_ops_rma transfers = transfer_calls();
  static fi_ops_atomic atomics = atomic_calls();
  auto* ep = new null_ep;
  ep->home = reinterpret_cast<null_domain*>(d);
  ep->completes = (info->tx_attr->op_flags & FI_COMPLETION) != 0;
  ep->base.fid = {FI_CLASS_EP, nullptr, &fids};
  ep->base.ops = &options;
  ep->base.cm = &connections;
  ep->base.msg = &messages;
  ep->base.rma = &transfers;
  ep->base.atomic = &atomics;
  *made = &ep->base;
  return 0;
}

int insert(fid_av* f, const void* addresses, std::size_t n, fi_addr_t* numbers, std::uint64_t, void*) {
  auto& av = *reinterpret_cast<null_av*>(f);
  const std::lock_guard hold(av.lock);
  for (std::size_t i = 0; i < n; ++i) {
    endpoint_name name;
    memcpy(&name, static_cast<const char*>(addresses) + i * sizeof name, sizeof name);
    void* box =
        memcmp(name.magic, magic, sizeof magic) == 0 ? map_of_process(name.pid, name.fd, 0, sizeof(mailbox)) : nullptr;
    if (box == nullptr || av.peers.size() == std::size(av.fast)) return static_cast<int>(i);
    peer& p = av.peers.emplace_back();
    p.pid = name.pid;
    p.box = static_cast<mailbox*>(box);
    av.names.push_back(name);
    numbers[i] = av.peers.size() - 1;
    av.fast[numbers[i]].store(&p, std::memory_order_release);
  }
  return static_cast<int>(n);
}

int lookup(fid_av* f, fi_addr_t number, void* name, std::size_t* n) {
  auto& av = *reinterpret_cast<null_av*>(f);
  const std::lock_guard hold(av.lock);
  const std::size_t copied = *n < sizeof(endpoint_name) ? *n : sizeof(endpoint_name);
  memcpy(name, &av.names[number], copied);
  *n = sizeof(endpoint_name);
  return 0;
}

int open_av(fid_domain*, fi_av_attr*, fid_av** made, void*) {
  static fi_ops fids = ops_of<null_av>();
  static fi_ops_av ops = [] {
    fi_ops_av o{};
    o.size = sizeof o;
    o.insert = insert;
    o.lookup = lookup;
    return o;
  }();
  auto* av = new null_av;
  av->base.fid = {FI_CLASS_AV, nullptr, &fids};
  av->base.ops = &ops;
  *made = &av->base;
  return 0;
}

int open_cq(fid_domain*, fi_cq_attr* wanted, fid_cq** made, void*) {
  if (wanted->wait_obj != FI_WAIT_NONE) return -FI_ENOSYS;
  if (wanted->format != FI_CQ_FORMAT_DATA) return -FI_EINVAL;
  static fi_ops fids = ops_of<null_cq>();
  static fi_ops_cq ops = [] {
    fi_ops_cq o{};
    o.size = sizeof o;
    o.read = cq_read;
    o.readerr = cq_readerr;
    return o;
  }();
  auto* cq = new null_cq;
  cq->base.fid = {FI_CLASS_CQ, nullptr, &fids};
  cq->base.ops = &ops;
  *made = &cq->base;
  return 0;
}

int open_counter(fid_domain*, fi_cntr_attr*, fid_cntr** made, void*) {
  if (!chosen().counters) return -FI_ENOSYS;
  static fi_ops fids = ops_of<null_cntr>();
  static fi_ops_cntr ops = [] {
    fi_ops_cntr o{};
    o.size = sizeof o;
    o.read = counter_read;
    return o;
  }();
  auto* counter = new null_cntr;
  counter->base.fid = {FI_CLASS_CNTR, nullptr, &fids};
  counter->base.ops = &ops;
  *made = &counter->base;
  return 0;
}

int reg(fid*, const void* at, std::size_t bytes, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
        fid_mr** made, void*) {
  static fi_ops fids = ops_of<fid_mr>();
  const int key = mine().next_key.fetch_add(1);
  if (key >= max_shared_regions) return -FI_ENOMEM;
  shared_region& r = mine().box->regions[key];
  if (!find_file(at, r.fd, r.place)) return -FI_EINVAL;
  r.bytes = bytes;
  r.is_there.store(true, std::memory_order_release);
  auto* mr = new fid_mr{};
  mr->fid = {FI_CLASS_MR, nullptr, &fids};
  mr->key = static_cast<std::uint64_t>(key);
  *made = mr;
  return 0;
}

int open_domain(fid_fabric*, fi_info*, fid_domain** made, void*) {
  static fi_ops fids = ops_of<null_domain>();
  static fi_ops_domain ops = [] {
    fi_ops_domain o{};
    o.size = sizeof o;
    o.av_open = open_av;
    o.cq_open = open_cq;
    o.endpoint = open_endpoint;
    o.cntr_open = open_counter;
    o.query_atomic = query_atomic;
    return o;
  }();
  static fi_ops_mr memory = [] {
    fi_ops_mr o{};
    o.size = sizeof o;
    o.reg = reg;
    return o;
  }();
  if (!mine().open()) return -FI_ENOMEM;
  auto* domain = new null_domain;
  domain->box = mine().box;
  domain->fd = mine().fd;
  domain->base.fid = {FI_CLASS_DOMAIN, nullptr, &fids};
  domain->base.ops = &ops;
  domain->base.mr = &memory;
  *made = &domain->base;
  return 0;
}

int trywait(fid_fabric*, fid**, int) { return -FI_EAGAIN; }

void present(fi_info& info) {
  constexpr std::uint64_t order = FI_ORDER_WAW | FI_ORDER_WAS | FI_ORDER_SAW | FI_ORDER_SAS | FI_ORDER_RAW;
  const behaviour& b = chosen();
  const std::uint64_t atomics = b.atomics ? FI_ATOMIC : 0;
  info.caps = FI_MSG | FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_SEND | FI_RECV | atomics;
  info.mode = 0;
  info.addr_format = FI_ADDR_STR;
  info.fabric_attr->prov_name = strdup(provider_name());
  info.fabric_attr->name = strdup("null");
  info.domain_attr->name = strdup("null0");
  info.domain_attr->threading = FI_THREAD_SAFE;
  info.domain_attr->resource_mgmt = FI_RM_ENABLED;
  info.domain_attr->av_type = FI_AV_TABLE;
  info.domain_attr->mr_mode = FI_MR_PROV_KEY;
  info.domain_attr->mr_key_size = 8;
  info.domain_attr->cq_data_size = b.data ? 8 : 0;
  info.ep_attr->type = FI_EP_RDM;
  info.ep_attr->max_msg_size = GiB;
  info.ep_attr->max_order_waw_size = b.ordered ? GiB : 0;
  info.tx_attr->inject_size = b.inject;
  info.tx_attr->msg_order = info.rx_attr->msg_order = b.ordered ? order : 0;
}

}  // namespace

extern "C" {

#undef fi_getinfo
#undef fi_dupinfo
#undef fi_freeinfo
#undef fi_fabric

// For programs of the tests: calls of the provider by this thread so far, with FABRIC_NULL_CALLS.
[[gnu::visibility("default")]] unsigned long fabric_null_calls_of_thread() { return n_calls_of_thread; }
// The completion entries that its puts, gets and atomic operations asked for.
[[gnu::visibility("default")]] unsigned long fabric_null_reports_of_thread() { return n_reports_of_thread; }

[[gnu::visibility("default")]] void fi_freeinfo(fi_info* info) { real<void (*)(fi_info*)>("fi_freeinfo")(info); }

[[gnu::visibility("default")]] fi_info* fi_dupinfo(const fi_info* info) {
  return real<fi_info* (*)(const fi_info*)>("fi_dupinfo")(info);
}

[[gnu::visibility("default")]] int fi_getinfo(std::uint32_t, const char*, const char*, std::uint64_t,
                                              const fi_info* hints, fi_info** offers) {
  const char* wanted = hints != nullptr && hints->fabric_attr != nullptr ? hints->fabric_attr->prov_name : nullptr;
  if (wanted != nullptr && strcmp(wanted, "null") != 0 && strcmp(wanted, provider_name()) != 0) return -FI_ENODATA;
  if (hints != nullptr && (hints->caps & FI_ATOMIC) != 0 && !chosen().atomics) return -FI_ENODATA;
  *offers = fi_dupinfo(nullptr);
  if (*offers == nullptr) return -FI_ENOMEM;
  present(**offers);
  return 0;
}

[[gnu::visibility("default")]] int fi_fabric(fi_fabric_attr*, fid_fabric** made, void*) {
  static fi_ops fids = ops_of<null_fabric>();
  static fi_ops_fabric ops = [] {
    fi_ops_fabric o{};
    o.size = sizeof o;
    o.domain = open_domain;
    o.trywait = trywait;
    return o;
  }();
  auto* fabric = new null_fabric;
  fabric->base.fid = {FI_CLASS_FABRIC, nullptr, &fids};
  fabric->base.ops = &ops;
  *made = &fabric->base;
  return 0;
}

[[gnu::visibility("default")]] const char* fi_strerror(int error) {
  return real<const char* (*)(int)>("fi_strerror")(error);
}

[[gnu::visibility("default")]] std::uint32_t fi_version() { return real<std::uint32_t (*)()>("fi_version")(); }

}  // extern "C"
