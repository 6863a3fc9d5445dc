// Shared by the files of this folder: an open libfabric endpoint and the operations in progress on it.
//
// The provider executes puts and gets. A put completes when the bytes are in the target's memory
// (FI_DELIVERY_COMPLETE), and it announces itself to the target (FI_REMOTE_CQ_DATA) if the provider supports that.
// Messages are short sends. A signal is a message that carries the bytes of a short put. The target acknowledges the
// signals that have arrived together, by one message for each stream or on a reply to the sender. If the provider keeps
// the order of its operations, a fence waits for acknowledgements but not for puts, and an `ordered` stream needs no
// acknowledgements. AM requests of the endpoint never need them, because they have replies. Memory regions are
// registered when a peer asks for their keys.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <algorithm>

#include "base/bits.hpp"
#include "os/mutex.hpp"
#include "transport/due_acks.hpp"
#include "transport/epochs.hpp"
#include "transport/memory_region.hpp"
#include "transport/ofi/library.hpp"
#include "transport/separate.hpp"

namespace oshen::transport {

struct ofi_instance;
struct ofi_stream;

namespace ofi {

inline constexpr std::size_t message_bytes = 4096;        // the longest message of send(), with every provider
inline constexpr std::size_t long_message_bytes = 32768;  // the same, if takes_long_messages()
inline constexpr std::size_t copied_bytes = 256;  // a put of up to this size is copied, so its source is free at once
inline constexpr std::size_t eager_bytes = 4096;  // a put of up to this size is part of its signal's message
inline constexpr int max_pending_ops = 1024;
inline constexpr int max_pending_separate_ops = 512;  // of a separate endpoint
inline constexpr int receive_buffers = 256;
// Signals towards one PE that it has not acknowledged. They bound the messages that the provider holds at the target.
inline constexpr std::uint32_t max_open_signals = 1024;

enum class packet_kind : std::uint8_t { message, signal, acknowledgement, key_request, key };

// The header of every message. `token` is the receiver's secret; a process that does not send it is foreign. The most
// frequent message of a collective, a flag and a few bytes on an ordered stream, is so short that TCP sends it without
// a completion.
struct packet {
  std::uint64_t token;
  std::int32_t from_pe;
  std::uint16_t bytes;  // of the body
  packet_kind kind;
  std::uint8_t marks;  // packet_marks
};
enum packet_marks : std::uint8_t { adds = 1, has_receipts = 2 };
// Follows the header in messages that acknowledge, or that expect an acknowledgement.
struct receipts {
  std::uint64_t from_stream;     // the sender's stream that expects an acknowledgement (ack_name); 0: none
  std::uint64_t acknowledged;    // the same of the receiver
  std::uint32_t n_acknowledged;  // number of its messages that have been handled
  std::uint32_t address_bytes;   // length of the sender's address, which follows the body; 0: omitted
};
struct no_route {};  // a peer that expects acknowledgements sends its address along
struct signal_packet {
  std::uint64_t signal, value;
  std::uint64_t data_offset;  // offset in the slice for the bytes that follow
};
struct key_packet {
  std::int32_t region;
  std::int32_t error;  // of the registration; 0: `key` is valid
  std::uint64_t key;
};

// The address of a PE, as local_address() writes it.
struct address {
  std::uint64_t token;
  std::uint64_t base;  // remote address of its slice; 0: remote addresses count from the start of a region
  std::uint32_t name_bytes;
  std::uint32_t provider;  // a number that two providers, or two kinds of address, do not share
  char name[address_bytes - 24];
};

struct remote_key {
  std::uint64_t key;
  std::uint64_t origin;  // plus an offset in the slice: the remote address
  std::atomic<bool> asked, is_here;
};

struct peer {
  fi_addr_t address;
  std::uint64_t token, base;
  remote_key* keys;  // max_regions
  bool known;
  turns signal_turns;
  std::atomic<std::uint32_t> open_signals;  // of streams that expect acknowledgements
};
inline constexpr std::size_t max_carried_address = 96;  // the longest address that fits in a packet
inline constexpr std::size_t longest_head =
    sizeof(packet) + sizeof(receipts) + sizeof(signal_packet) + max_carried_address;
inline constexpr std::size_t usual_packet = longest_head + std::max(eager_bytes, message_bytes);
inline constexpr std::size_t longest_packet = longest_head + long_message_bytes;
static_assert(usual_packet + 256 <= room_for_message);
static_assert(long_message_bytes <= UINT16_MAX);  // packet::bytes

enum class op_kind : std::uint8_t { put, get, atomic, send, receive, direct };

// Begins everything whose address a completion returns.
struct completion_target {
  fi_context2 context;  // for the provider; first
  op_kind kind;
};

// An operation between its first attempt and its completion.
struct pending_op : completion_target {
  pending_op* next;  // in the free list, or in the list of packets to send
  ofi_stream* on;
  std::uint32_t epoch;  // put, get: in ofi_stream::transfers; signal that waits for puts: in ofi_stream::signals
  completion* local_done;
  bool is_flag;  // a signal of an ordered stream that is a message: no completion is needed
  std::int32_t pe;
  std::uint64_t offset;  // put, get: in the peer's slice
  char* local;
  std::uint32_t bytes;
  pending_op* then_signal;                 // put: the signal that is sent after it, if the provider keeps no order
  std::atomic<std::uint32_t> puts_before;  // signal: incomplete puts that it waits for
  signal_op op;
  signal_packet signal;
  atomic_op change;  // atomic: `local` is the result, or null
  char buffer[longest_packet];
};

// What the direct path knows of a PE. An endpoint has a table of them.
struct direct_route {
  std::atomic<const remote_key*> keys;  // null: not ready
  fi_addr_t address;
  std::uint64_t key, origin;  // if the slice is one region
};

// An endpoint of libfabric, with the operations that leave by it. All streams share one, which also receives. A stream
// may have a separate one (separate.cpp). It has a domain of its own, because providers lock their domains.
struct tx_endpoint : separate_path<tx_endpoint> {
  // The lines of these are rarely written.
  ofi_instance* home = nullptr;
  fid_domain* domain = nullptr;
  fid_av* addresses = nullptr;
  fid_cq* completions = nullptr;
  fid_ep* endpoint = nullptr;
  pending_op* ops = nullptr;  // the pool
  int n_ops = 0;
  int fd = -1;  // readable when there are completions; -1: the provider has no descriptors

  // Of the direct path (direct.cpp). The provider counts the completed operations of all paths.
  direct_route* routes = nullptr;  // of each PE; null: the endpoint has no direct path
  fid_cntr* writes_done = nullptr;
  fid_cntr* reads_done = nullptr;
  std::size_t copied_by_provider = 0;  // the longest put whose source it copies
  std::size_t longest_direct = 0;
  std::atomic<bool> tells_target{false};  // puts carry remote CQ data
  bool has_one_issuer = true;             // on the direct path
  int region_shift = 0;
  std::atomic<bool> has_direct_stream{false};  // one that is not ordered

  // Of a separate endpoint:
  std::atomic<fi_addr_t>* known = nullptr;  // 1 + the address of each PE in `addresses`; 0: not inserted yet.

  alignas(cache_line) os::mutex pool;     // guards the members up to `reading`.
  int used_ops = 0;                       // ops[used_ops] and later were never used, so no memory backs them.
  pending_op* free_ops = nullptr;         // unused operations among the first `used_ops`.
  std::atomic<std::uint32_t> n_taken{0};  // operations that ever left the pool.
  std::atomic<std::uint32_t> n_free{0};   // those of them that have returned to it
  pending_op* waiting = nullptr;          // packets that the provider did not accept, in order
  pending_op** waiting_end = &waiting;
  std::atomic<std::uint32_t> n_queued{0};  // packets that ever waited.
  std::atomic<std::uint32_t> n_sent{0};    // those of them that the provider has accepted since
  os::mutex reading;                       // held by the thread that reads completions
  std::atomic<std::uint32_t> n_reads{0};   // calls of stream_progress()

  // Written by the thread that issues on the direct path.
  alignas(cache_line) direct_counts direct_ops;
  std::atomic<std::uint64_t> direct_reads{0};   // of these
  std::atomic<std::uint64_t> reads_flushed{0};  // direct reads that the latest flush covered
  std::uint64_t reads_seen = 0;                 // of all paths, when the counter was last read
  // With several issuers: operations that were counted and then refused, and flushes that hold up all operations.
  std::atomic<std::uint64_t> n_withdrawn{0};
  std::atomic<int> n_holding{0};
  // Operations of the other path that the provider has accepted; any thread.
  alignas(cache_line) std::atomic<std::uint64_t> posted_writes{0};
  std::atomic<std::uint64_t> posted_reads{0};
  std::atomic<std::uint64_t> n_refused{0};  // operations of ordered streams that the provider has not accepted

  using held = os::locked;
  bool is_separate() const { return known != nullptr; }
  std::uint64_t n_direct() const { return direct_ops.n_issued(); }
  std::uint32_t calls() const {
    return n_taken.load(std::memory_order_relaxed) + n_reads.load(std::memory_order_relaxed) +
           static_cast<std::uint32_t>(n_direct());
  }
  bool has_operations() const { return n_taken.load() != n_free.load() || !direct_ops.are_flushed(); }
  os::mutex& guard() { return reading; }
  int advance();
  blocking may_block();
};

}  // namespace ofi

struct alignas(cache_line) ofi_stream {
  direct_path direct{};  // first
  ofi_instance* home;
  ofi::tx_endpoint* tx;  // the shared one, or its own
  bool is_ordered;       // no acknowledgements
  bool has_direct = false;
  epochs transfers{};  // incomplete puts and gets
  epochs signals{};    // not sent yet, or not acknowledged by the target
};

// The name of a stream and of an epoch of its `signals` in acknowledgements: its address, and the epoch modulo 2.
inline std::uint64_t ack_name(const ofi_stream* s, std::uint32_t epoch) {
  return s == nullptr ? 0 : reinterpret_cast<std::uint64_t>(s) | (epoch & 1);
}
inline void take_acks(std::uint64_t name, std::uint32_t n) {
  reinterpret_cast<ofi_stream*>(name & ~std::uint64_t{1})->signals.leave(name & 1, n);
}

struct ofi_instance {
  const ofi::library* lib = nullptr;
  open_params how;
  memory_regions memory;
  fi_info* info = nullptr;
  fid_fabric* fabric = nullptr;
  fid_mr* regions[max_regions] = {};  // of the slice; null: not registered
  ofi::peer* peers = nullptr;
  std::size_t own_address_bytes = 0;
  char own_address[sizeof(ofi::address)] = {};
  std::atomic<bool> announces{true};  // puts carry remote CQ data, so the target learns of them
  std::uint64_t token = 0;
  bool in_order = false;             // the provider keeps the order of operations towards one peer
  bool card_atomics = false;         // the card executes atomic operations of the program
  bool signals_by_writes = false;    // a signal is set by a write behind the put; false: by a message
  std::atomic<bool> refused{false};  // a peer could not register its memory
  std::atomic<int> error{0};         // an errno of libfabric; after it the endpoints are unusable
  char about[256] = "";
  os::mutex peers_lock;  // guards new peers, and new addresses of separate endpoints

  // Threads with separate endpoints only read what is above.
  alignas(cache_line) ofi::tx_endpoint shared;
  ofi::pending_op* unposted_receives = nullptr;  // the provider had no room; only the receiving thread uses them
  due_acks<ofi::no_route> due;                   // of signals; the thread that holds shared.reading uses it
  alignas(cache_line) separate_paths<ofi::tx_endpoint> separate{how};
};

// The table's types are opaque: each transport defines them.
inline ofi_instance& own(instance* i) { return *reinterpret_cast<ofi_instance*>(i); }
inline ofi_stream* own(stream* s) { return reinterpret_cast<ofi_stream*>(s); }
inline bool is_broken(const ofi_instance& me) { return me.error.load(std::memory_order_relaxed) != 0; }

namespace ofi {

inline bool has_waiting(const tx_endpoint& tx) {
  return tx.n_sent.load(std::memory_order_relaxed) != tx.n_queued.load(std::memory_order_relaxed);
}

// ---- rma.cpp ----------------------------------------------------------------------------------------------------

pending_op* take_op(tx_endpoint& tx);
// The same, or an operation beyond the pool; null: there is no memory.
pending_op* take_any_op(tx_endpoint& tx);
void release_op(tx_endpoint& tx, pending_op* op);
// Translates a return code of libfabric, and stores errors.
outcome outcome_of(ofi_instance& me, ssize_t code);
// Passes a put or get to the provider, and returns the provider's return code.
ssize_t post_rma(tx_endpoint& tx, pending_op* op);

outcome put(stream*, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local);
outcome get(stream*, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local);
outcome put_signal(stream*, int pe, const put_signal_args& args, completion* local);
outcome atomic(stream*, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local);

// ---- atomics.cpp ------------------------------------------------------------------------------------------------

// True if the provider executes every operation of OpenSHMEM on 4 and 8 bytes.
bool has_atomics(const tx_endpoint& tx);
// Passes an atomic operation to the provider, and returns the provider's return code.
ssize_t post_atomic(tx_endpoint& tx, pending_op* op);
// ---- counters.cpp -----------------------------------------------------------------------------------------------

// Binds counters to a new endpoint, before it is enabled. Without counters it has no direct path, and nothing is wrong.
int bind_counters(tx_endpoint& tx);
void close_counters(tx_endpoint& tx);
// Before a stream begins: whether one thread at a time will issue on the direct path. Nothing is in progress.
void count_for(tx_endpoint& tx, bool one_issuer);
// True if all operations of the direct path are complete: with one issuer, and with several (direct_path::is_complete).
bool has_met_by_counts(direct_path& d);
bool has_met_by_sums(direct_path& d);
// The same of an endpoint, with or without a direct path.
bool is_direct_complete(tx_endpoint& tx);
// The same for a flush of the stream, which may hold up operations that begin meanwhile.
bool has_met(ofi_stream& s, stream_point& point);

// ---- direct.cpp -------------------------------------------------------------------------------------------------

// Gives the stream a direct path, if its endpoint has one that this stream may use.
void open_direct(ofi_stream& s, unsigned options);
void close_direct(ofi_stream& s);
// An operation of the general form has found the PE connected, and a key of it.
void note_route(tx_endpoint& tx, int pe);
// After the limits of the provider are known.
void open_routes(tx_endpoint& tx);
void finish_direct(completion_target* of_wait);
direct_path* direct(stream* s);

// ---- messages.cpp -----------------------------------------------------------------------------------------------

struct message {
  packet_kind kind;
  signal_op op;      // of a signal
  const void* body;  // copied
  std::size_t bytes;
  const std::uint32_t* counted_epoch = nullptr;  // of a signal that is counted already
};
// If the provider does not accept a message now: return `would_block`, or queue it.
enum class if_full { refuse, queue };
// A null stream: no acknowledgement is wanted, and the caller holds shared.reading or is alone. The message takes along
// due acknowledgements, as a signal on the shared endpoint does.
outcome send_message(ofi_instance& me, ofi_stream* s, int pe, const message& m, if_full full);
// Passes an operation of any kind to the provider, and returns the provider's return code.
ssize_t post(tx_endpoint& tx, pending_op* op);
// Queues an operation that the provider did not accept, behind the operations that wait already.
void queue_op(tx_endpoint& tx, pending_op* op);
int send_waiting(tx_endpoint& tx);

// ---- keys.cpp ---------------------------------------------------------------------------------------------------

// Done: all keys for a range of the peer's slice are known. `would_block`: they have been requested.
outcome have_keys(ofi_instance& me, int pe, std::uint64_t offset, std::size_t bytes);
// Called by the thread that reads completions.
void reply_key(ofi_instance& me, int to_pe, const char* body);
void take_key(ofi_instance& me, int from_pe, const char* body);
void close_regions(ofi_instance& me);

// ---- completions.cpp, ofi.cpp -----------------------------------------------------------------------------------

// The caller holds tx.reading.
int read_completions(tx_endpoint& tx);
bool post_receives(ofi_instance& me);
// Opens the domain, the queues and the endpoint. Returns the name of the object that failed, or null.
const char* open_objects(tx_endpoint& tx, int& code);
void close_objects(tx_endpoint& tx);
// Adds PE `pe` to the peers, unless it is there. `address` was written by its local_address().
outcome learn_address(ofi_instance& me, int pe, const void* address, std::size_t bytes);

// ---- separate.cpp -----------------------------------------------------------------------------------------------

// An endpoint for one stream. Null: the provider gives none, and the stream shares the endpoint of all.
tx_endpoint* take_separate(ofi_instance& me);
void close_separate(ofi_instance& me);
// Inserts the address of a PE before the first operation towards it.
outcome meet_peer(tx_endpoint& tx, int pe);
inline fi_addr_t address_of(const tx_endpoint& tx, int pe) {
  return tx.is_separate() ? tx.known[pe].load(std::memory_order_acquire) - 1 : tx.home->peers[pe].address;
}
// Called when an operation begins.
[[gnu::always_inline]] inline void note_begun(tx_endpoint& tx) {
  if (tx.is_separate()) [[unlikely]]
    tx.home->separate.note_begun();
}
// For a thread of the stream.
int read_own_completions(tx_endpoint& tx);
int stream_progress(stream* on);
void stream_hand_over(stream* s);
bool watch_streams(instance* i);

}  // namespace ofi
}  // namespace oshen::transport
