// Shared by the files of this folder: a UCX worker and the operations in progress on it.
//
// UCX executes puts and gets, which are complete at the target after a flush of its endpoint. Messages and signals are
// active messages of UCX. The target acknowledges the signals that have arrived together, by one message for each
// stream or on a reply to the sender. AM requests of Oshen's endpoint have replies instead. A signal carries the bytes
// of a short put. The signal of a long put is sent after a flush. A fence is a flush. An `ordered` stream needs no
// acknowledgements: messages keep their order, and a signal waits until earlier puts have been flushed.
//
// UCX may be built without locks, so our own lock protects the worker. UCX's callbacks only record events. Message
// handlers run after the lock has been released, because they send.
#pragma once

#include "os/mutex.hpp"
#include "os/socket.hpp"
#include "transport/due_acks.hpp"
#include "transport/epochs.hpp"
#include "transport/memory_region.hpp"
#include "transport/ucx/devices.hpp"
#include "transport/ucx/library.hpp"

namespace oshen::transport::ucx {

inline constexpr std::size_t message_bytes = 32768;  // the longest message of send()
inline constexpr std::size_t body_bytes = 128;       // a message of up to this size needs no memory of its own
inline constexpr std::size_t eager_bytes = 16384;    // a put of up to this size is part of its signal's message
inline constexpr int max_pending_ops = 1024;         // on a PE
inline constexpr int max_targets = 8;                // peers that a stream flushes one by one; beyond, it flushes all
inline constexpr unsigned message_id = 0;            // the id of our active messages in UCX

struct worker;
struct ucx_stream;

enum class packet_kind : std::uint8_t { message, signal, acknowledgement, key_request, key };

// The header of every message. `token` is the receiver's secret; a process that does not send it is foreign. The
// sender's token lets a target reply to a peer that it does not know.
struct packet {
  std::uint64_t token, from_token;
  std::uint64_t from_stream;     // the sender's stream that expects an acknowledgement (ack_name); 0: none
  std::uint64_t acknowledged;    // the same of the receiver
  std::uint32_t n_acknowledged;  // number of its messages that have been handled
  std::int32_t from_pe;
  packet_kind kind;
  signal_op op;
  std::uint16_t unused;
  std::int32_t region;   // key_request, key
  std::uint64_t offset;  // signal: offset in the slice for the bytes that follow
  std::uint64_t signal;  // signal: offset of the object to update
  std::uint64_t value;
};

// The address of a PE, as local_address() writes it.
struct address {
  std::uint64_t token;
  std::uint64_t base;            // of its slice
  os::network_address internet;  // if it uses TCP alone; family 0: unknown
  char name[address_bytes - 40];
};
static_assert(sizeof(address) <= address_bytes);

// A registered region of this PE's slice, and its packed key.
struct local_region {
  ucp_mem_h memory = nullptr;  // null: not registered
  void* key = nullptr;
  std::size_t key_bytes = 0;
};

struct remote_key {
  ucp_rkey_h key;  // null: unknown
  bool asked;
};

struct peer {
  ucp_ep_h endpoint;  // null: not connected
  std::uint64_t token, base;
  remote_key* keys;  // max_regions; null: none was requested
  turns signal_turns;
};

enum class op_kind : std::uint8_t { transfer, flush, flush_for_signal, message };

// An operation that UCX has not completed.
struct pending_op {
  pending_op* next;  // in the free list, or in the list of signals to send
  worker* home;
  ucx_stream* on;  // counts it in `in_progress`; null: none
  std::uint32_t epoch;
  completion* local_done;
  int pe;
  op_kind kind;
  packet head;
  char body[body_bytes];
};

// A message that has not been handled yet.
struct arrival {
  arrival* next;
  ucp_ep_h reply;
  packet head;
  std::size_t bytes;  // of the body, which follows
};

// A stream of the table.
struct ucx_stream {
  worker* home;
  bool is_ordered;                // no acknowledgements
  epochs in_progress{};           // incomplete puts, gets and flushes
  epochs signals{};               // not sent yet, or not acknowledged by the target
  std::atomic<int> n_targets{0};  // peers with puts that have not been flushed
  int targets[max_targets];       // guarded by the worker's lock; more targets: flush all
};

// The name of a stream and of an epoch of its `signals` in acknowledgements: its address, and the epoch modulo 2.
inline std::uint64_t ack_name(const ucx_stream* s, std::uint32_t epoch) {
  return s == nullptr ? 0 : reinterpret_cast<std::uint64_t>(s) | (epoch & 1);
}
inline void take_acks(std::uint64_t name, std::uint32_t n) {
  reinterpret_cast<ucx_stream*>(name & ~std::uint64_t{1})->signals.leave(name & 1, n);
}

// The way back to the sender of a message.
struct reply_route {
  std::uint64_t token;
  ucp_ep_h endpoint;
};

// An instance of the table.
struct worker {
  const library* lib = nullptr;
  open_params how;
  memory_regions memory;
  choice chosen;
  ucp_context_h context = nullptr;
  ucp_worker_h handle = nullptr;
  int fd = -1;
  std::uint64_t token = 0;
  peer* peers = nullptr;
  local_region regions[max_regions];
  std::size_t own_address_bytes = 0;
  char own_address[sizeof(address)];

  os::mutex lock;             // guards all calls of UCX and all fields but `due`
  pending_op* ops = nullptr;  // the pool
  pending_op* free_ops = nullptr;
  pending_op* ready_signals = nullptr;
  arrival* arrivals = nullptr;  // in order
  arrival** arrivals_end = &arrivals;

  os::mutex receiving;        // held by the thread that handles messages; taken before `lock`
  due_acks<reply_route> due;  // of signals; the thread that holds `receiving` uses it

  std::atomic<bool> refused{false};  // a peer could not register its memory
  std::atomic<int> error{0};         // a ucs_status_t; after it the worker is unusable
  char about[256] = "";
};

// The table's types are opaque: each transport defines them.
inline worker& own(instance* i) { return *reinterpret_cast<worker*>(i); }
inline ucx_stream& stream_of(stream* s) { return *reinterpret_cast<ucx_stream*>(s); }

inline bool is_broken(const worker& me) { return me.error.load(std::memory_order_relaxed) != 0; }
inline void note_error(worker& me, ucs_status_t status) { me.error.store(status, std::memory_order_relaxed); }

// ---- rma.cpp: put, get, put_signal and flush take the lock; the caller holds it for the others ------------------

outcome put(ucx_stream& s, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local);
outcome get(ucx_stream& s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local);
outcome put_signal(ucx_stream& s, int pe, const put_signal_args& args, completion* local);
outcome flush(ucx_stream& s, stream_point& point);

struct message {
  int to_pe;
  ucp_ep_h endpoint;
  packet head;  // token 0: the peer's
  const void* body = nullptr;
  std::size_t bytes = 0;             // of the body; a short body is copied
  completion* local_done = nullptr;  // a long body must stay unchanged until this is counted down
  bool copies = false;               // a long body is copied, too
};
// If all operations are in use: return `would_block`, or allocate one.
enum class if_full : std::uint8_t { refuse, allocate };
// A null stream: no acknowledgement is wanted.
outcome send(worker& me, ucx_stream* s, const message& m, if_full full);
void send_ready_signals(worker& me);
void release_op(worker& me, pending_op* op);

// ---- keys.cpp: the caller holds the lock ------------------------------------------------------------------------

// Done: all keys for a range of the peer's slice are known. `would_block`: they have been requested.
outcome have_keys(worker& me, int pe, std::uint64_t offset, std::size_t bytes);
void reply_key(worker& me, const packet& request, ucp_ep_h reply);
void take_key(worker& me, const packet& head, const void* bytes, std::size_t n);
void release_keys(worker& me);
void unmap_regions(worker& me);

// ---- receive.cpp ------------------------------------------------------------------------------------------------

// UCX's callback for active messages.
ucs_status_t receive(void* me, const void* header, std::size_t header_bytes, void* data, std::size_t bytes,
                     const ucp_am_recv_param_t* how);
// Handles the messages that have arrived and returns their number. The caller holds `receiving` and not `lock`.
int handle_arrivals(worker& me);

}  // namespace oshen::transport::ucx
