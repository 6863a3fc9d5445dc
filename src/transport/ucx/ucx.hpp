// Shared by the files of this folder: workers of UCX and the operations in progress on them.
//
// UCX executes puts and gets, which are complete at the target after a flush of its endpoint. Messages and signals are
// active messages of UCX. The target acknowledges the signals that have arrived together, by one message for each
// stream or on a reply to the sender. AM requests of Oshen's endpoint have replies instead. A signal carries the bytes
// of a short put. The signal of a long put is sent after a flush. A fence is a flush. An `ordered` stream needs no
// acknowledgements: messages keep their order, and a signal waits until earlier puts to its target have been flushed.
//
// UCX may be built without locks, so our own lock protects each worker. UCX's callbacks only record events. Message
// handlers run after the lock has been released, because they send.
#pragma once

#include "base/bits.hpp"
#include "os/inline_mutex.hpp"
#include "os/mutex.hpp"
#include "os/socket.hpp"
#include "transport/due_acks.hpp"
#include "transport/epochs.hpp"
#include "transport/memory_region.hpp"
#include "transport/separate.hpp"
#include "transport/ucx/devices.hpp"
#include "transport/ucx/library.hpp"

namespace oshen::transport::ucx {

inline constexpr std::size_t message_bytes = 32768;  // the longest message of send()
inline constexpr std::size_t body_bytes = 128;       // a message of up to this size needs no memory of its own
inline constexpr std::size_t eager_bytes = 16384;    // a put of up to this size is part of its signal's message
inline constexpr int max_pending_ops = 1024;         // on the shared worker
inline constexpr int max_pending_separate_ops = 512;
inline constexpr int max_targets = 8;      // peers that a stream flushes one by one; beyond, it flushes all
inline constexpr unsigned message_id = 0;  // the id of our active messages in UCX

struct ucx_instance;
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

// The key of a region of a peer, packed. Each worker unpacks it for itself.
struct packed_key {
  std::size_t bytes;
  char text[];
};
struct remote_key {
  packed_key* key;  // null: unknown
  bool asked;
};

// Guarded by the lock of the shared worker. The first three do not change after connect().
struct peer {
  std::uint64_t token, base;
  const ucp_address_t* name;  // null: unknown
  remote_key* keys;           // max_regions; null: none was requested
  turns signal_turns;
};

// The connection of a worker to a PE.
struct connection {
  ucp_ep_h endpoint;   // null: not connected
  ucp_rkey_h* keys;    // max_regions, null if not unpacked yet; null: none was unpacked
  std::uint64_t base;  // of the PE's slice
};

// The other end of a put, get or atomic operation in one region.
struct remote_end {
  ucp_ep_h endpoint;
  ucp_rkey_h key;
  std::uint64_t at;
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

// A worker of UCX and its operations. All streams share one, which also receives. A stream may have a separate one for
// its puts and gets (separate.cpp). It has a context of its own, because UCX may be built without locks for contexts.
struct worker : separate_path<worker> {
  // The lines of these are rarely written.
  ucx_instance* home = nullptr;
  const library* lib = nullptr;  // of the instance, as is the next
  int region_shift = 0;
  ucp_context_h context = nullptr;
  ucp_worker_h handle = nullptr;
  connection* connections = nullptr;  // to each PE; the lock guards them
  pending_op* ops = nullptr;          // the pool
  int n_ops = 0;
  int fd = -1;
  bool is_closing = false;

  alignas(cache_line) os::inline_mutex call_lock;  // guards all calls of UCX and what follows.
  // An unused operation, which stands for the next call of UCX if that is not complete at once; null: not taken yet.
  pending_op* spare = nullptr;
  // The parameters of that call: of puts, gets and flushes, of atomic operations on 4 and 8 bytes, and of signals.
  ucp_request_param_t spare_how{}, atomic_how[2]{}, signal_how{};
  int used_ops = 0;                       // ops[used_ops] and later were never used, so no memory backs them.
  pending_op* free_ops = nullptr;         // unused operations among the first `used_ops`.
  pending_op* ready_signals = nullptr;    // on the shared worker only
  std::atomic<std::uint32_t> n_taken{0};  // operations that ever left the pool.
  std::atomic<std::uint32_t> n_free{0};   // those of them that have returned to it
  std::atomic<std::uint32_t> n_reads{0};  // calls of stream_progress()
  // Of the stream of a separate worker: operations on its direct path, and how many of them a flush has covered.
  std::atomic<std::uint32_t> n_direct{0};
  std::atomic<std::uint32_t> n_flushed{0};

  using held = os::inline_locked;
  bool is_separate() const;
  std::uint32_t calls() const {
    return n_taken.load(std::memory_order_relaxed) + n_reads.load(std::memory_order_relaxed) +
           n_direct.load(std::memory_order_relaxed);
  }
  bool has_operations() const { return n_taken.load() != n_free.load() || n_direct.load() != n_flushed.load(); }
  os::inline_mutex& guard() { return call_lock; }
  int advance();
  blocking may_block();
};

// The open operations of an ordered stream towards one PE. The lock of the shared worker guards it.
struct ordered_target {
  std::uint32_t n_open;  // operations in progress
  bool has_puts;         // that no flush of this PE covers
};

// A stream of the table.
struct alignas(cache_line) ucx_stream {
  direct_path direct{};  // first
  ucx_instance* home;
  worker* rma;                   // of its puts, gets and atomic operations: the shared one, or its own.
  bool is_ordered;               // no acknowledgements.
  bool is_separate = false;      // `rma` is its own
  ordered_target* to = nullptr;  // of each PE; null unless ordered.
  epochs in_progress{};          // incomplete puts, gets and flushes.
  // Not sent yet, or not acknowledged by the target. On an ordered stream: those whose bodies UCX may still read.
  epochs signals{};
  std::atomic<int> n_targets{0};  // peers with puts that have not been flushed
  int targets[max_targets];       // guarded by the lock of `rma`; more targets: flush all
  direct_counts direct_ops{};     // the lock of `rma` guards changes
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
struct ucx_instance {
  const library* lib = nullptr;
  open_params how;
  memory_regions memory;
  choice chosen;
  std::uint64_t token = 0;
  bool card_atomics = false;  // the card executes the atomic operations of the program
  peer* peers = nullptr;
  local_region regions[max_regions];  // the lock of the shared worker guards them
  std::size_t own_address_bytes = 0;
  char own_address[sizeof(address)];
  std::atomic<bool> refused{false};  // a peer could not register its memory
  std::atomic<int> error{0};         // a ucs_status_t; after it the workers are unusable
  char about[256] = "";

  // Threads with separate workers only read what is above.
  alignas(cache_line) worker shared;
  arrival* arrivals = nullptr;  // in order; the lock of the shared worker guards them
  arrival** arrivals_end = &arrivals;

  os::mutex receiving;        // held by the thread that handles messages; taken before the lock of a worker
  due_acks<reply_route> due;  // of signals; the thread that holds `receiving` uses it

  os::mutex opening;  // held by the thread that opens a separate worker
  alignas(cache_line) separate_paths<worker> separate{how};
};

// The table's types are opaque: each transport defines them.
inline ucx_instance& own(instance* i) { return *reinterpret_cast<ucx_instance*>(i); }
inline ucx_stream& stream_of(stream* s) { return *reinterpret_cast<ucx_stream*>(s); }

inline bool is_broken(const ucx_instance& me) { return me.error.load(std::memory_order_relaxed) != 0; }
inline void note_error(ucx_instance& me, ucs_status_t status) { me.error.store(status, std::memory_order_relaxed); }
inline bool worker::is_separate() const { return this != &home->shared; }

// If all operations are in use: return `would_block`, or allocate one.
enum class if_full : std::uint8_t { refuse, allocate };

// ---- rma.cpp: put, get, put_signal and flush take the lock of a worker; the caller holds it for the others ------

outcome put(ucx_stream& s, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local);
outcome get(ucx_stream& s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local);
outcome put_signal(ucx_stream& s, int pe, const put_signal_args& args, completion* local);
outcome flush(ucx_stream& s, stream_point& point);

struct message {
  int to_pe;
  ucp_ep_h endpoint;
  packet head;  // token 0: the peer's
  const void* body = nullptr;
  std::size_t bytes = 0;  // of the body; a short body is copied
  // A long body must stay unchanged until this is counted down. Null: until a flush of the stream.
  completion* local_done = nullptr;
  bool copies = false;  // a long body is copied, too
};
// A null stream: no acknowledgement is wanted.
outcome send(ucx_instance& me, ucx_stream* s, const message& m, if_full full);
void send_ready_signals(ucx_instance& me);
// A signal takes along what an earlier call left due to its target. If another thread receives just now, it finds
// that, too.
void take_due(ucx_instance& me, packet& head, int to_pe);
// A put or an atomic operation towards the PE has begun, which a flush must cover. The stream is not ordered.
void add_target(ucx_stream& s, int pe);
inline void note_target(ucx_stream& s, int pe) {
  const int n = s.n_targets.load(std::memory_order_relaxed);
  if (n != 0 && s.targets[0] == pe) return;
  if (n != 0) return add_target(s, pe);
  s.targets[0] = pe;
  s.n_targets.store(1, std::memory_order_release);
}
// The same for every stream.
inline void note_change(ucx_stream& s, int pe) {
  if (s.to != nullptr) s.to[pe].has_puts = true;
  note_target(s, pe);
}
// Starts flushes of all targets of the stream.
outcome start_flushes(ucx_stream& s);

// ---- pool.cpp: the caller holds the lock of the worker ----------------------------------------------------------

pending_op* take_op(worker& w);                         // null: all are in use
pending_op* take_ops(worker& w, std::uint32_t n);       // a list, or null
pending_op* allocate_op(worker& w, std::size_t bytes);  // beyond the pool, with `bytes` behind it
void release_op(worker& w, pending_op* op);
void release_ops(worker& w, pending_op* list);
inline constexpr int every_pe = -1;
void prepare(pending_op* op, op_kind kind, ucx_stream& s, int pe, completion* local);
// Ends an operation of a stream. The counter of the stream comes last: afterwards the stream may be closed.
void leave(ucx_stream& s, int pe, std::uint32_t epoch);
// Handles the three results of a UCX call: completed, started, refused. A refused operation was never started, and `op`
// is free again.
outcome started(pending_op* op, ucs_status_ptr_t result);

inline constexpr std::uint32_t usual_fields =
    UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
ucp_request_param_t parameters_for(pending_op* op);
void prepare_calls(worker& w);  // of a spare operation; once
// Makes sure that the worker has a spare operation. False: all are in use.
bool find_spare(worker& w, if_full full);
inline bool has_spare(worker& w) { return w.spare != nullptr || find_spare(w, if_full::refuse); }
// UCX has not completed the call that stood for the spare operation. Counts it in the stream, or notes the error.
outcome begin_spare(ucx_stream& s, op_kind kind, int pe, ucs_status_ptr_t result, completion* local);
void release_spare(worker& w);

// ---- direct.cpp, atomics.cpp: the caller holds the lock of the worker, except for direct() and atomic() ----------

// False: the range is not in one region, or its key is not here.
inline bool find_end(const worker& w, int pe, std::uint64_t offset, std::size_t bytes, remote_end& found) {
  const connection& c = w.connections[pe];
  const int shift = w.region_shift;
  const std::uint64_t region = offset >> shift;
  if (c.keys == nullptr || (offset + bytes - 1) >> shift != region) [[unlikely]]
    return false;
  found = {c.endpoint, c.keys[region], c.base + offset};
  return found.key != nullptr;
}
// All operations of the direct path are complete; the caller holds no lock.
void note_flushed(ucx_stream& s);
direct_path* direct(stream* s);
void open_direct(ucx_stream& s);

outcome atomic(ucx_stream& s, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local);

// ---- keys.cpp: the caller holds the lock of the shared worker; for have_keys, the lock of `w` -------------------

// Done: the worker has all keys for a range of the peer's slice. `would_block`: they have been requested.
outcome have_keys(worker& w, int pe, std::uint64_t offset, std::size_t bytes);
void reply_key(ucx_instance& me, const packet& request, ucp_ep_h reply);
void take_key(ucx_instance& me, const packet& head, const void* bytes, std::size_t n);
void release_keys(worker& w);
void release_packed_keys(ucx_instance& me);
void unmap_regions(ucx_instance& me);

// ---- ucx.cpp ----------------------------------------------------------------------------------------------------

// Opens the context and the worker. Returns the name of the object that failed, or null.
const char* open_objects(worker& w, ucs_status_t& status);
void close_objects(worker& w);
// Connects a worker to a PE whose address is known, unless it is connected. The caller holds its lock.
outcome connect_worker(worker& w, int pe);
// Advances the operations of a worker and returns the number of events. The caller holds its lock.
int progress_worker(worker& w);

// ---- separate.cpp -----------------------------------------------------------------------------------------------

// A worker for one stream. Null: UCX gives none, and the stream shares the worker of all.
worker* take_separate(ucx_instance& me);
void close_separate(ucx_instance& me);
// Called when an operation begins.
inline void note_begun(worker& w) {
  if (w.is_separate()) w.home->separate.note_begun();
}
int stream_progress(stream* s);
void stream_hand_over(stream* s);
bool watch_streams(instance* i);

// ---- receive.cpp ------------------------------------------------------------------------------------------------

// UCX's callback for active messages.
ucs_status_t receive(void* me, const void* header, std::size_t header_bytes, void* data, std::size_t bytes,
                     const ucp_am_recv_param_t* how);
// Handles the messages that have arrived and returns their number. The caller holds `receiving` and no other lock.
int handle_arrivals(ucx_instance& me);

}  // namespace oshen::transport::ucx
