// Transport "tcp": the kernel's TCP sockets, without a library.
//
// The first operation towards a PE makes a connection, which both PEs then use. A put is one frame (frame.hpp), which
// the target receives straight into its memory; a get is a request and a reply. TCP keeps the order of frames, so a
// fence costs nothing. Each frame tells the peer how many of its operations have been executed, which acknowledges them
// all. A frame that only acknowledges is sent if the peer has asked for it, and it asks when a flush waits.
//
//   tcp.cpp         the table        address.*, handshake.*   what a PE announces, and the proof of membership
//   congestion.*    how the kernel sends
//   connect.cpp     connections that this PE begins            accept.cpp     connections that arrive
//   send.cpp        frames leave, or wait in the queue of their connection
//   receive.cpp     frames arrive    replies.cpp   frames that answer them, collected while one call receives
//   progress.cpp    which connections to look at               sight.*   connections that wake no thread
//   operations.cpp  put, get, flush ...
//   separate.cpp    streams with connections of their own   records.*   authenticated streams
//   silence.cpp     peers that do not answer
//
// Locks, in the order in which they are taken: engine::receiving, tcp_instance::connecting, connection::sending,
// engine::listing.
#pragma once

#include "os/mutex.hpp"
#include "transport/epochs.hpp"
#include "transport/memory_region.hpp"
#include "transport/separate.hpp"
#include "transport/tcp/address.hpp"
#include "transport/tcp/congestion.hpp"
#include "transport/tcp/frame.hpp"
#include "transport/tcp/handshake.hpp"
#include "transport/tcp/records.hpp"
#include "transport/tcp/sight.hpp"

namespace oshen::transport::tcp {

struct tcp_instance;
struct tcp_connection;
struct engine;

inline constexpr std::size_t message_bytes = 32 * 1024;
inline constexpr std::size_t most_copied = 4096;        // longer payloads stay where they are while a frame is queued
inline constexpr std::size_t most_stashed = 256;        // longer payloads are received in parts
inline constexpr std::size_t least_long = 16 * 1024;    // a payload that costs more to copy than another call
inline constexpr std::size_t receive_room = 32 * 1024;  // of an engine
inline constexpr std::size_t reply_room = 8 * 1024;
inline constexpr int most_queued = 64;     // operations that wait in the queue of one connection
inline constexpr int most_gets = 256;      // without a reply, on one connection
inline constexpr int most_unproven = 256;  // connections in the handshake, at the PE that accepts
inline constexpr int most_looked_at = 16;  // connections that one call of progress finds readable

struct tcp_stream {
  tcp_instance* home;
  engine* via;
  bool is_ordered;
  bool has_direct = false;
  epochs own_operations{};
  // Not acknowledged, or of an ordered stream: not sent; and open gets. Those of a separate stream are its engine's.
  epochs* operations = &own_operations;
  std::atomic<bool> has_lost{false};
  direct_path direct{};
  direct_counts direct_ops{};
};

// ---- what waits at a connection -------------------------------------------------------------------------------------

// A frame, or the rest of it, that the socket has not taken. A copied payload follows this record.
struct queued_frame {
  queued_frame* next;
  frame preamble;
  std::size_t head_bytes;
  const char* payload;
  std::size_t payload_bytes;
  std::size_t sent;     // bytes of both
  completion* local;    // null: none, or already complete
  tcp_stream* of;       // an ordered stream whose buffer the frame borrows, or null
  std::uint32_t epoch;  // of the stream
  bool is_limited;      // counts towards most_queued
};

// Consecutive operations of one stream and epoch that the peer has not acknowledged.
struct unacknowledged {
  tcp_stream* of;            // null: it is closed
  std::uint64_t begin, end;  // the operations of the connection with these numbers
  std::uint32_t epoch;
};

struct pending_get {
  pending_get* next;
  char* to;
  std::size_t bytes;
  completion* local;
  tcp_stream* of;
  std::uint32_t epoch;
};

// Tells when a flush is likely to follow: after as many operations as last time. The last of them then asks for the
// acknowledgement, which saves a frame.
class flush_forecast {
 public:
  // Counts an operation. `n_flushes`: of the engine so far.
  bool is_due(std::uint32_t n_flushes) {
    if (n_flushes != n_flushes_) since_flush_ = 0;
    n_flushes_ = n_flushes;
    return ++since_flush_ == expected_;
  }
  // A flush waits, and the latest operation has not asked.
  void was_missed() { expected_ = since_flush_; }

 private:
  std::uint32_t n_flushes_ = 0, since_flush_ = 0, expected_ = 0;
};

// ---- connections ----------------------------------------------------------------------------------------------------

enum class connection_state : std::uint8_t { connecting, open, lost };

// An entry of an engine's poll set.
enum class polled_kind : std::uint8_t { listener, unproven, connection };
struct polled {
  polled_kind kind;
};

// The attempts of this PE to make a connection. engine::receiving guards it.
struct connection_attempt {
  enum step : std::uint8_t { waits, connects, greets, proves } now = waits;
  int fd = -1;
  int candidate = 0;  // index in the list of addresses
  std::uint64_t since_ns = 0, retry_ns = 0, deadline_ns = 0;
  greeting own{};
  stream_keys of_streams{};
  sip_sum refusal{};  // what the peer sends instead of the welcome if it has no descriptor
  std::size_t received = 0;
  union {
    char bytes[sizeof(challenge)];
    challenge given;
    sip_sum welcome;
  };
  connection_attempt() : bytes{} {}
};

// The frame that a connection receives. engine::receiving guards it.
struct incoming {
  frame preamble{};
  char* to = nullptr;         // for the next byte of the payload
  std::size_t missing = 0;    // bytes of the payload
  bool was_long = false;      // the latest payload
  char* assembled = nullptr;  // a message that came in parts
  std::size_t stashed = 0;    // bytes of an incomplete frame
  char stash[sizeof(frame) + most_stashed];
};

struct tcp_connection : polled {
  int pe = -1;
  engine* home = nullptr;
  purpose use = purpose::shared;
  std::atomic<connection_state> now{connection_state::connecting};
  std::atomic<bool> said_goodbye{false};  // the peer
  incoming in;
  connection_attempt* current_attempt = nullptr;
  bool wants_acknowledgement = false;      // the peer
  std::atomic<std::uint64_t> executed{0};  // operations of the peer
  std::atomic<std::uint64_t> told{0};      // the value of `executed` that the latest frame carried

  record_layer* records = nullptr;  // of an authenticated stream; set before `fd`

  os::mutex sending;      // guards the following
  int fd = -1;            // changed only under engine::receiving, too
  int abandoned_fd = -1;  // its stream was changed on the way; open until the instance closes
  bool polls_output = false;
  queued_frame* first = nullptr;
  queued_frame* last = nullptr;
  int n_limited = 0;
  std::uint64_t issued = 0;     // operations of this PE
  std::uint64_t requested = 0;  // an acknowledgement of all up to this one comes without being asked for again
  std::uint64_t confirmed = 0;  // acknowledged
  flush_forecast forecast;
  unacknowledged* runs = nullptr;  // a ring of `n_runs` entries from `first_run` on
  std::uint32_t runs_room = 0, first_run = 0, n_runs = 0;
  pending_get* first_get = nullptr;
  pending_get* last_get = nullptr;
  int n_gets = 0;

  tcp_connection* next = nullptr;             // of the instance
  tcp_connection* next_connecting = nullptr;  // of the engine
  tcp_connection* next_queued = nullptr;      // engine::listing guards both
  tcp_connection* next_unasked = nullptr;
  bool is_queued = false, is_unasked = false;  // in a list, or taken from it by a thread; `sending` guards both
};

// A connection that has arrived and not proven yet that it belongs to the job.
struct unproven : polled {
  int fd = -1;
  bool has_greeted = false;
  std::uint64_t since_ns = 0;
  std::uint64_t origin = 0;  // of os::origin_of_stream()
  int n_of_origin = 0;       // entries, when one is looked for
  greeting its{};
  challenge own{};
  sip_sum proof{};
  std::size_t received = 0;
};

// How long each step of a connection may take. Tests shorten it.
struct handshake_limits {
  std::uint64_t candidate_ns = 3000000000;  // for one address to accept
  std::uint64_t answer_ns = 5000000000;     // for the PE there to answer
  std::uint64_t unproven_ns = 5000000000;   // for a connection that arrives
  std::uint64_t deadline_ns = 20000000000;  // for all attempts, since the peer's latest sign
};

// Frames for the peer of the connection that is being received: they leave together.
struct reply_batch {
  tcp_connection* to = nullptr;
  std::size_t used = 0;
  char buffer[reply_room];
};

// Connections that are received together, by one thread at a time: those of all streams that share, or of one separate
// stream. The connections that peers begin belong to the shared one.
struct engine : separate_path<engine> {
  tcp_instance* home = nullptr;
  int fd = -1;                            // of the poll set
  epochs operations{};                    // of a separate stream
  std::atomic<std::uint32_t> n_calls{0};  // operations and waits of a separate stream
  using held = os::locked;
  os::mutex& guard() { return receiving; }
  int advance();
  blocking may_block();
  std::uint32_t calls() const { return n_calls.load(std::memory_order_relaxed); }
  bool has_operations() const { return !operations.is_idle() || n_connecting.load(std::memory_order_relaxed) != 0; }
  std::atomic<tcp_connection*>* by_pe = nullptr;  // those that streams of this engine use

  os::mutex receiving;
  std::atomic<bool> has_part{false};     // of a payload whose rest has not come yet
  tcp_connection* attempting = nullptr;  // connections with an attempt
  tcp_connection* newest = nullptr;      // the latest ones; tcp_instance::connecting guards it
  std::atomic<int> n_connecting{0};
  tcp_connection* recent = nullptr;             // the latest one that brought something
  std::atomic<tcp_connection*> owing{nullptr};  // the latest one that owes this PE a frame
  unsigned n_advances = 0;
  sight in_sight;  // of the shared engine

  os::mutex listing;
  std::atomic<tcp_connection*> queued{nullptr};   // connections with queued frames
  std::atomic<tcp_connection*> unasked{nullptr};  // connections with operations for which no acknowledgement will come
  std::atomic<std::uint32_t> n_flushes{0};

  reply_batch batch;
  char buffer[receive_room + sizeof(incoming::stash)];
};

struct tcp_instance {
  open_params how;
  separate_paths<engine> separate{how};
  memory_regions memory;
  pe_address own{};
  sip_key job_secret{};
  congestion_control congestion{};
  bool authenticates = false;  // the frames of every connection (OSHEN_SECURE)
  int listener = -1;
  polled listening{polled_kind::listener};
  const void** peer_addresses = nullptr;  // of each PE, as given to connect(); null: not yet
  std::size_t address_bytes = 0;
  os::mutex connecting;  // guards the lists of connections
  tcp_connection* all_connections = nullptr;
  engine shared;
  handshake_limits limits{};
  unproven arriving[most_unproven];
  // Entries in use.
  std::atomic<int> n_arriving{0};
  // Its number serves a connection that arrives at the limit of descriptors.
  int spare_fd = -1;
  // The listener has had no descriptor since then. 0: it has one.
  std::uint64_t starved_since_ns = 0;
  // When the poll set watches the listener again. 0: it does now.
  std::atomic<std::uint64_t> accept_again_ns{0};
  std::atomic<std::uint64_t> random_state{0};  // of chaos
  std::atomic<std::uint64_t> looked_for_silence_ns{0};
  std::atomic<bool> is_broken{false};  // operations that no flush will ask about are lost
  os::mutex explaining;                // guards `reason`
  char reason[256] = "";
  char about[192] = "";
};

// The table's types are opaque: each transport defines them.
inline tcp_instance& own(instance* i) { return *reinterpret_cast<tcp_instance*>(i); }
inline tcp_stream* own(stream* s) { return reinterpret_cast<tcp_stream*>(s); }

inline bool is_separate(const tcp_stream& s) { return s.via != &s.home->shared; }

// An operation of the stream has begun, or waits for its connection.
inline outcome note_begun(tcp_stream& s, outcome o) {
  if (!is_separate(s)) return o;
  if (o == outcome::done) s.via->n_calls.fetch_add(1, std::memory_order_relaxed);
  s.home->separate.note_begun();
  return o;
}

inline void complete(completion* local) {
  if (local != nullptr) local->pending.fetch_sub(1, std::memory_order_release);
}

// ---- connect.cpp ----------------------------------------------------------------------------------------------------
// The connection of the engine to a PE; the first call begins to make it. Null: there is no memory, or no address.
tcp_connection* connection_to(engine& e, int pe);
tcp_connection* new_connection(engine& e, int pe, purpose use);
// Continues the attempts; returns the number of connections that are ready or lost now. The caller holds `receiving`.
int advance_attempts(engine& e);
// The connection goes on with this descriptor, whose handshake has succeeded. The keys are those of the records that
// this PE sends and receives. The caller holds `receiving`.
void become_open(tcp_connection& c, int fd, const sip_key& of_sent, const sip_key& of_received);
void end_attempt(tcp_connection& c);
void free_connection(tcp_connection* c);

// ---- accept.cpp -----------------------------------------------------------------------------------------------------
// Called with `receiving` held.
void accept_connections(tcp_instance& me);
void continue_handshake(tcp_instance& me, unproven& u);
// Takes the steps for which the time has come.
void tend_arriving(tcp_instance& me);
// Opens the spare descriptor unless it is open; false: none is free.
bool keep_spare(tcp_instance& me);
void drop_arriving(tcp_instance& me);

// ---- send.cpp -------------------------------------------------------------------------------------------------------
struct outgoing {
  frame preamble;
  const char* payload = nullptr;
  completion* local = nullptr;
  tcp_stream* of = nullptr;   // of an operation
  bool is_limited = true;     // may be refused
  bool keeps_source = false;  // until the operation is complete, or until `local` is
};
// Sends a frame, or queues what the socket does not take. The caller holds `sending`.
outcome submit(tcp_connection& c, outgoing& o);
// The same for bytes that consist of whole frames. They are copied.
void submit_batch(tcp_connection& c, const char* frames, std::size_t bytes);
// Whether something waits until the socket takes it. The caller holds `sending`.
inline bool has_unsent_record(const tcp_connection& c) {
  return c.records != nullptr && c.records->out.n_unsent() != 0;
}
inline bool has_unsent(const tcp_connection& c) { return c.first != nullptr || has_unsent_record(c); }
// Sends queued frames; more than 0: bytes have left. The caller holds `sending`.
int send_queued(tcp_connection& c);
frame_head head_of(frame_kind kind, std::size_t bytes, std::uint64_t at);
// The frame acknowledges what has been executed so far. It must leave.
void acknowledge_in(tcp_connection& c, frame_head& head);
// The connection has failed. `what` is the reason, `code` an errno or 0. The caller holds `sending`.
void lose(tcp_connection& c, const char* what, int code);
// The peer has executed so many operations, modulo 2^32.
void confirm(tcp_connection& c, std::uint32_t executed);
// Asks for the acknowledgements that nothing else will bring. `again`: unless another request is on its way.
void ask_for_acknowledgements(engine& e, bool again);
void drop_queue(tcp_connection& c);
// The stream is closed, perhaps before all of its puts are acknowledged.
void forget(tcp_instance& me, tcp_stream& s);

// ---- silence.cpp ----------------------------------------------------------------------------------------------------
// Gives up connections whose peer does not answer any more. At most once in a second.
void lose_silent_peers(tcp_instance& me);

// ---- receive.cpp ----------------------------------------------------------------------------------------------------
// Receives what has arrived; more than 0: bytes have. The caller holds `receiving`.
int receive(tcp_connection& c);
void close_descriptor(tcp_connection& c);

// ---- replies.cpp ----------------------------------------------------------------------------------------------------
// Sends a frame without `of` to the peer: with the batch, if the calling thread is receiving from it.
outcome reply(tcp_connection& to, outgoing& o);
void begin_replies(tcp_connection& c);
void end_replies(tcp_connection& c);

// ---- operations.cpp -------------------------------------------------------------------------------------------------
outcome put(stream* on, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local);
outcome get(stream* on, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local);
outcome put_signal(stream* on, int pe, const put_signal_args& args, completion* local);
outcome atomic(stream* on, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local);
outcome send(instance* i, stream* on, int pe, const void* bytes, std::size_t n);
outcome fence(stream* on, stream_point& point);
outcome flush(stream* on, stream_point& point);
void open_direct(tcp_stream& s);
bool is_complete(tcp_stream& s);

// ---- separate.cpp ---------------------------------------------------------------------------------------------------
bool open_engine(engine& e, tcp_instance& me);
void close_engine(engine& e);
engine* take_separate(tcp_instance& me);  // null: none is available
void close_separate(tcp_instance& me);
int stream_progress(stream* on);
void stream_hand_over(stream* on);
bool watch_streams(instance* i);

// ---- progress.cpp ---------------------------------------------------------------------------------------------------
int advance_if_free(engine& e);
bool leave_out(instance* i, bool at_once);
void watch_all(instance* i);
bool poll_for(engine& e, int fd, polled& what, unsigned events);
// For a connection in the poll set. The caller holds `sending`.
bool poll_again_for(tcp_connection& c, unsigned events);
void poll_output(tcp_connection& c, bool polls);  // beside input
void note_queued(tcp_connection& c);
void note_unasked(tcp_connection& c);

std::uint64_t random_of(tcp_instance& me);
// Under chaos: a random part of the bytes, at least one.
std::size_t some_of(tcp_instance& me, std::size_t bytes);

}  // namespace oshen::transport::tcp
