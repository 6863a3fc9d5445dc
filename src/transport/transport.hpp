// The contract for transport authors: a table of functions that move bytes between PEs on different nodes.
// docs/design/adding-a-transport.md is the introduction. transport/endpoint.hpp calls the table, and emulates the
// functions that a transport leaves out.
//
//   Names.    A PE is identified by its number in the job. Every PE exposes one *slice* of symmetric memory, which is
//             mapped before `open` and has the same size and layout on all PEs. A remote location is a PE and an offset
//             in its slice. A transport sees no address of another process, no OpenSHMEM type, no context and no team.
//   Blocking. No function blocks, except open, connect and close, which open_params::deadline_seconds bounds. If a
//             function cannot proceed (no credit, full queue), it returns `would_block` and has no effect. The caller
//             makes progress and calls again. op/remote.cpp holds all retry loops; they also notice dead peers and the
//             end of the job.
//   Errors.   `lost`: the peer, or the path to it, is gone. `failed`: any other permanent error. explain() then returns
//             the reason. A transport prints nothing and never ends the process.
//   Threads.  Any thread may call any function at any time. One exception: on a stream opened with `one_thread` one
//             thread of the program issues operations at a time, and a thread in progress() may start deferred ones.
//             Several threads call progress() at once; all but one of them may return 0 immediately.
//   Memory.   Unless stated otherwise, the caller may reuse buffers as soon as a function returns. The whole slice is a
//             target from `open` on. Most of it may be untouched address space, so a transport that pins memory
//             registers a region only when a peer first asks for its key. Local buffers may be anywhere.
//   Order.    Operations are ordered only within one stream, towards one PE, and across a fence. All others may be
//             delivered late, reordered and in chunks. An aligned delivery of 1, 2, 4 or 8 bytes is never seen in part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/settings.hpp"
#include "transport/atomic.hpp"
#include "transport/atomic_calls.hpp"
#include "transport/network_rank.hpp"

namespace oshen::transport {

enum class outcome : int {
  done = 0,     // accepted, or true
  would_block,  // not now; the call had no effect
  lost,         // the peer cannot be reached any more
  failed,
};

// Counts operations that are not yet complete locally. The caller adds 1 before it begins an operation, and subtracts 1
// if the operation was not accepted. The transport subtracts 1, with release order, at local completion: the source of
// a put may be reused, the bytes of a get have arrived, the result of an atomic is written. The object must not move
// before that.
struct completion {
  std::atomic<std::uint32_t> pending{0};
};

// Handles a message for this PE (see send). progress() calls it, from one thread at a time. It must not block. It may
// call send and put, and nothing else. `bytes` is valid only until it returns.
using message_handler = void (*)(void* owner, int from_pe, const void* bytes, std::size_t n);

// The arguments of `open`. All PEs pass the same values, except for `pe`, `near_index`, `slice` and `owner`.
struct open_params {
  std::size_t size = sizeof(open_params);
  int pe = 0;
  int n_pes = 0;
  int near_index = 0;     // the number of this PE among those of its node
  char* slice = nullptr;  // of this PE; stays mapped until close() has returned
  std::size_t slice_bytes = 0;
  const char* options = "";        // the text behind the colon of OSHEN_TRANSPORT=ofi:tcp
  std::uint64_t chaos_seed = 0;    // not 0: deliver late and reordered wherever the rules allow it
  unsigned deadline_seconds = 20;  // for every function that may block
  bool one_issuer = false;         // one thread at a time issues operations, whatever their stream
  bool uses_direct = true;         // false: all operations take the general form
  atomics_policy atomics = atomics_policy::automatic;
  message_handler on_message = nullptr;
  void (*request_wake)(void* owner) = nullptr;  // see transport::watch_streams
  void* owner = nullptr;                        // first argument of both
};

inline constexpr std::size_t max_transfer_bytes = std::size_t{1} << 30;

// The properties of an open instance; `open` fills them in.
struct attributes {
  std::size_t size = sizeof(attributes);
  // The longest message that send() accepts; at least `min_message_bytes`.
  std::size_t message_bytes = 0;
  // The longest put or get; the caller splits longer ones.
  std::size_t transfer_bytes = max_transfer_bytes;
  // progress() on the target returns more than 0 for every put, atomic and message that arrives there. False: a network
  // card writes memory without notice, so a waiter must poll memory.
  bool announces = true;
  // Puts of peers, and operations of the card, reach memory without progress() here. So a waiter for an object on which
  // CPUs execute nothing needs few calls of it. The same for signals that are set.
  bool arrives_by_card = false;
  bool signals_by_card = false;
  // The transport needs no thread that calls progress() or blocks on wait_fd().
  bool progresses_itself = false;
  // On an `ordered` stream, a put_signal is seen after everything that the stream put or signalled to that PE before.
  bool signals_in_order = false;
  // Operations that follow a message and a fence are seen after the handler of that message has returned. False: at
  // each fence the endpoint waits for the replies to its requests.
  bool messages_in_order = false;
  // Card: `atomic` of the table takes operations whose agent is the card. These are the operations on all objects of
  // the program with atomics_policy::by_card, and otherwise on those that the program gives to the card.
  agent atomics = agent::cpu;
  // `atomic` also takes operations whose agent is the CPU: a CPU of the target's node executes them, in the order of
  // the stream. False: the endpoint makes AM requests of them.
  bool has_cpu_atomics = false;
  // One line for messages and oshinfo: provider, device, address. Valid as long as the instance.
  const char* about = "";
};
inline constexpr std::size_t min_message_bytes = 128;

inline constexpr std::size_t address_bytes = 1024;  // the longest local address

struct instance;  // an open transport on one PE; each transport defines its own
struct stream;    // a sequence of operations that is independent of others; each context has one

enum stream_options : unsigned {
  one_thread = 1,  // one caller at a time: SHMEM_CTX_PRIVATE and SERIALIZED
  ordered = 2,     // flush need not wait for completion at the target, so nothing need be acknowledged
  separate = 4,    // threads on other streams should share nothing with this one (transport::stream_progress)
};

// Whether a thread may block in the descriptor of progress(). The strictest comes last.
enum class blocking : std::uint8_t {
  until_readable,  // the descriptor reports everything that comes next
  for_a_moment,    // it does, except that an operation must be tried again
  not_now,         // there is work already
};

enum class signal_op : std::uint8_t { set, add };

struct put_signal_args {
  std::uint64_t to;  // offset in the target's slice
  const void* from;
  std::size_t bytes;     // may be 0
  std::uint64_t signal;  // offset of an 8-byte object in the target's slice
  std::uint64_t value;
  signal_op op;
  agent by = agent::cpu;  // the card: the endpoint makes an atomic operation of the update
};

// Reports a device or provider that a transport found. `why_not` is the reason for not using it; null: it is used.
using offer_callback = void (*)(void* with, const char* name, const char* why_not);

// The operations for which one flush or fence of a stream waits, through its repeated calls. The transport fills it in.
struct stream_point {
  // The caller repeats the call until it is done, so the transport may hold up operations that begin meanwhile.
  bool insists = false;
  bool begun = false;
  std::uint32_t epochs[2] = {};
  std::uint32_t position = 0;  // in a queue of the transport
  // Of a direct path: calls for which it was not complete, whether this flush holds up others, and whether it is over.
  std::uint32_t attempts = 0;
  bool holds = false, has_met = false;
};

// The number of operations that ever began on a direct path, and of those that the latest flush has covered.
struct direct_counts {
  std::atomic<std::uint64_t> issued{0};
  std::atomic<std::uint64_t> flushed{0};
  // For a transport that learns only when all operations are complete: a number that grows with each put that lends its
  // source, and its value before the latest flush.
  std::atomic<std::uint64_t> n_lent{0};
  std::atomic<std::uint64_t> n_returned{0};
  // Operations that the network refused because it had no room.
  std::atomic<std::uint64_t> n_full{0};

  bool has_lent() const { return n_returned.load(std::memory_order_acquire) != n_lent.load(std::memory_order_relaxed); }
  std::uint64_t n_issued() const { return issued.load(std::memory_order_acquire); }
  bool are_flushed() const { return flushed.load(std::memory_order_acquire) == n_issued(); }
};

// The direct path of a stream: an operation is one call of the network and one count. A function that returns false has
// done nothing: the peer is not connected, its key is not here, the operation is too long, or the network has no room.
// The caller then uses the general form of the operation, which prepares what is missing.
//
// A stream offers one only if its operations may come from as many threads as the stream has. Operations on it are
// ordered like the others of the stream, and flush and fence of the stream cover them. Arguments come in the order of
// the calls of libfabric and UCX, so that registers need not be moved. An `ordered` stream has puts and
// signals that are set, and null pointers for the rest.
struct direct_path {
  // A put of at least one byte. Without `keeps_source` the source may be reused when it returns; with it, after flush.
  bool (*put)(direct_path&, const void* from, std::size_t bytes, int pe, std::uint64_t to, bool keeps_source);
  // Without `wait`, the bytes are in `to` after flush; with it, when the wait is over.
  bool (*get)(direct_path&, void* to, std::size_t bytes, int pe, std::uint64_t from, struct direct_wait* wait);
  // By the card, or with attributes::has_cpu_atomics by a CPU of the target's node; null: by AM requests only.
  const atomic_calls* amo_calls;
  // A put of at most one transfer, and the set of a signal that the target sees after it. Null: the general form is
  // shorter.
  bool (*put_signal)(direct_path&, int pe, const struct put_signal_args& args, bool keeps_source);
  // True if the operation with this wait is complete. The caller makes progress and asks again.
  bool (*is_over)(direct_path&, struct direct_wait& wait);
  // True if all operations so far are complete, as after flush.
  bool (*is_complete)(direct_path&);
  // Null for an ordered stream, which has `n_issued`: a number that grows with each operation.
  const direct_counts* direct_ops = nullptr;
  std::uint64_t (*n_issued)(const direct_path&) = nullptr;
  bool has_several_issuers = false;  // so `is_complete` may stay false while others go on, unlike a flush that insists
  bool keeps_order = false;          // of puts towards one PE, so that a fence has nothing to wait for
  // Not 0 while operations must take the general form. The endpoint sets it.
  const std::atomic<std::uint64_t>* detours = nullptr;
  // Counts puts whose sources the transport may still read; the endpoint sets it. A path that learns of no local
  // completion counts them in direct_counts::n_lent instead.
  class epochs* sources = nullptr;
};

// A blocking operation on a direct path, in the frame of its caller.
struct direct_wait {
  alignas(16) unsigned char of_transport[112];
  std::uint64_t expected;  // of a counter; 0: a completion sets `is_over`
  std::atomic<bool> is_over{false};
};

struct transport {
  std::size_t size;   // sizeof(transport) in the author's build
  const char* name;   // as in OSHEN_TRANSPORT
  const char* title;  // one sentence, for oshinfo

  // True if `open` can succeed here. It may load libraries, but makes no connection. False: the reason is in `why`,
  // which holds `room` bytes including the terminating 0.
  bool (*available)(const char* options, char* why, std::size_t room);
  // Ranks the best network that the transport finds here; score 0: there is none. Null: the transport is used only if
  // OSHEN_TRANSPORT names it, or if no other transport opens. `n_pes`: the size of the job.
  network_rank (*rank)(const char* options, int n_pes);
  // Optional, for oshinfo: reports every device that the transport chooses from, the chosen one first.
  void (*offers)(const char* options, offer_callback report, void* with);

  // ---- life cycle ---------------------------------------------------------------------------------------------
  // Creates the instance of this PE. Local: the PEs need not call it at the same time. False: the reason is in `why`.
  bool (*open)(const open_params& params, instance** made, attributes* properties, char* why, std::size_t room);
  // Writes the address of this PE, at most address_bytes bytes, and returns its length. The launcher gathers the
  // addresses of all PEs.
  std::size_t (*local_address)(instance*, void* address);
  // Called once for each PE, by one thread at a time, before the first operation towards it. It may connect lazily. A
  // message handler calls it before its first reply to an unknown PE. `address` stays valid until close().
  outcome (*connect)(instance*, int pe, const void* address, std::size_t bytes);
  // False, with the reason in `why`, if this host knows without sending anything that it cannot connect to the address.
  // Null: it never knows.
  bool (*may_connect)(instance*, const void* address, std::size_t bytes, char* why, std::size_t room) = nullptr;
  // The reason why the last call of this thread returned `lost` or `failed`. It names no PE; the caller does.
  const char* (*explain)(instance*);
  // Destroys the instance. All streams are flushed and closed, and all PEs have passed a barrier since then, so nothing
  // arrives any more.
  void (*close)(instance*);

  // ---- streams ------------------------------------------------------------------------------------------------
  // Null: no further stream is available; the caller shares an existing one.
  stream* (*stream_open)(instance*, unsigned options);
  // The caller has flushed the stream.
  void (*stream_close)(stream*);

  // ---- operations ---------------------------------------------------------------------------------------------
  // Between 1 and attributes::transfer_bytes bytes. Without `local`, the caller keeps `from` unchanged until flush. The
  // bytes are in the target's memory after flush.
  outcome (*put)(stream*, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local);
  // Without `local`, the bytes are in `to` after flush.
  outcome (*get)(stream*, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local);
  // Delivers a message of up to attributes::message_bytes to the handler of PE `pe`, once. flush does not wait for it.
  // The handler sees all puts of the stream before the last fence; attributes::messages_in_order covers operations that
  // follow the message. A null stream: no order with any stream. Within a message handler it never returns
  // `would_block`: the transport queues replies in memory. Their number is bounded by the requests that peers have open
  // (am_requests.hpp: max_requests for each peer).
  outcome (*send)(instance*, stream*, int pe, const void* bytes, std::size_t n);
  // Optional. The target sees the stream's earlier puts, messages and atomics before its later operations towards the
  // same PE; attributes::messages_in_order restricts this for messages. Gets are not ordered. `would_block`: call again
  // after progress, until `done`, with the same `point` as for flush. Null: the endpoint waits for flush and for the
  // replies to its requests.
  outcome (*fence)(stream*, stream_point& point);
  // Done when all operations of this stream, except messages, are complete: puts and atomics are visible in the
  // targets' memory, gets have arrived. `would_block`: not yet. The caller repeats the call with the same `point`,
  // which is new at the first call. A flush waits only for operations from before its first call, so that it ends even
  // if other threads keep adding operations to the stream. transport/epochs.hpp counts the operations.
  outcome (*flush)(stream*, stream_point& point);
  // Advances operations that began here and operations of peers that arrive here. Returns the number of events; more
  // than 0 means that waiters of this PE should test their condition. Less than 0: an operation without a completion,
  // such as a flag, has failed; explain() returns the reason.
  int (*progress)(instance*);

  // ---- sleeping -----------------------------------------------------------------------------------------------
  // A descriptor that poll(2) reports readable when progress() has work; -1: none.
  int (*wait_fd)(instance*);
  // Called before each poll of wait_fd. Null: always until_readable.
  blocking (*may_block)(instance*);
  // Optional, both or none; for a thread that calls progress() again and again. After `leave_out`, wait_fd need not
  // become readable for arrivals that each call of progress() looks for anyway, until `watch_all` or may_block(). True
  // if it becomes so for less than before. `at_once`: a thread blocks in it now, which should not wake for them.
  bool (*leave_out)(instance*, bool at_once) = nullptr;
  void (*watch_all)(instance*) = nullptr;

  // Optional, cheap: whether an acknowledgement has been left due, which the next calls of progress() send. A thread
  // that blocks in wait_fd() need not wake for it, so the caller of progress() wakes that thread.
  bool (*owes_acks)(instance*) = nullptr;

  // ---- optional: null functions are emulated by the endpoint ---------------------------------------------------
  // A put followed by an update of the signal. The target sees the update after the bytes. The update is atomic with
  // the CPUs of the target's node.
  outcome (*put_signal)(stream*, int pe, const put_signal_args& args, completion* local);
  // An atomic operation on the object at offset `at`. If its agent is the card, `at` may be of this PE too, and
  // attributes::atomics is agent::card. It is called for operations of CPUs only with attributes::has_cpu_atomics. All
  // others become AM requests, which the target's handler executes. `result` may be null; otherwise it points to
  // storage of the operand's width that stays valid until completion.
  outcome (*atomic)(stream*, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local);

  // ---- optional: the direct path -------------------------------------------------------------------------------
  // Null, or a null result: the stream has none.
  direct_path* (*direct)(stream*) = nullptr;

  // ---- optional: separate streams ------------------------------------------------------------------------------
  // A `separate` stream has an endpoint of its own, if one can be had. Its operations and the following call then take
  // no lock and write no line that operations on other streams use.
  // Advances operations of the stream, for the thread that waits for them. Returns the number of events; -1: the stream
  // shares its endpoint, or waits for acknowledgements, for which progress() is needed, too.
  int (*stream_progress)(stream*) = nullptr;
  // The thread is about to sleep. Until its next stream_progress(), progress() advances the stream, and wait_fd()
  // becomes readable for it.
  void (*stream_hand_over)(stream*) = nullptr;
  // A thread calls this before it blocks. True: a separate stream has operations that progress() does not advance yet,
  // so the thread should call it again within a millisecond. It takes over a stream that has not been used meanwhile.
  // False: when an operation begins, the transport calls open_params::request_wake.
  bool (*watch_streams)(instance*) = nullptr;
};

// All transports, in order of preference between equal ranks; a null pointer ends the list.
extern const transport* const transports[];

}  // namespace oshen::transport
