// What the files of this room share: a worker of UCX, and what is under way on it.
//
// Puts and gets are UCX's, complete at the target when a flush of its endpoint says so. Messages and signals are its
// active messages. A signal is acknowledged when the target has handled it, on the back of the next message that goes
// there; the link's questions are answered anyway. A signal whose bytes are few takes them along in one message;
// otherwise it follows when they have been flushed. There is no fence but waiting. On an `ordered` stream nothing is
// acknowledged: messages keep their order, and a signal waits until the puts before it have been flushed.
//
// UCX is built with and without locks; one of ours stands round the worker. Its callbacks only write down what has
// happened: handlers of messages run when the lock has been given back, since they send.
#pragma once

#include "os/mutex.hpp"
#include "transport/window.hpp"
#include "transport/ucx/devices.hpp"
#include "transport/ucx/library.hpp"

namespace oshen::transport::ucx {

inline constexpr std::size_t message_bytes = 128;   // that send() takes
inline constexpr std::size_t carried_bytes = 16384;  // of a put that travel with its signal: more is flushed first
inline constexpr int most_tasks = 1024;             // under way on a PE
inline constexpr int most_touched = 8;              // peers that a stream remembers: more are flushed with all others
inline constexpr unsigned message_id = 0;           // of UCX's active messages

struct worker;
struct channel;

enum class packet_kind : std::uint8_t { message, signal, acknowledgement, key_wanted, key };

// In front of every message. `token`: of the receiver; who does not know it is a stranger. The sender's comes along,
// since who answers may never have heard of it.
struct packet {
  std::uint64_t token, from_token;
  std::uint64_t from_channel;    // of the sender, to be acknowledged; 0: of none
  std::uint64_t acknowledged;    // a channel of the receiver ...
  std::uint32_t n_acknowledged;  // ... on which so many messages have been handled
  std::int32_t from_pe;
  packet_kind kind;
  signal_change change;
  std::uint16_t unused;
  std::int32_t piece;            // key_wanted, key: of the window
  std::uint64_t place;           // signal: of the bytes that come with it ...
  std::uint64_t word;            // ... and of the word to be changed
  std::uint64_t value;
};

// Where a PE is.
struct address {
  std::uint64_t token;
  std::uint64_t base;  // where its window lies
  char name[address_bytes - 16];
};

// Of our window, and its key, for who asks.
struct piece {
  ucp_mem_h memory = nullptr;  // null: nobody has asked yet
  void* key = nullptr;
  std::size_t key_bytes = 0;
};

// To a piece of a peer's window.
struct held_key {
  ucp_rkey_h key;  // null: not here yet
  bool asked;
};

struct peer {
  ucp_ep_h endpoint;  // null: not connected
  std::uint64_t token, base;
  held_key* keys;  // most_pieces; null: nothing has been asked for
};

enum class task_kind : std::uint8_t { move, flush, flush_for_signal, message };

// Something that UCX has begun and not ended.
struct task {
  task* next;        // of the free ones, or of signals that may go
  worker* home;
  channel* on;       // whose `moving` counts it; null: nobody's
  completion* left;
  int pe;
  task_kind kind;
  packet head;
  char body[message_bytes];
};

// A message that waits to be handled.
struct arrival {
  arrival* next;
  ucp_ep_h reply;
  packet head;
  std::size_t bytes;  // that follow
};

// A stream of the table.
struct channel {
  worker* home;
  bool is_ordered;                               // its messages are not acknowledged
  std::atomic<std::uint32_t> moving{0};          // puts, gets and flushes that are not complete here
  std::atomic<std::uint32_t> unacknowledged{0};  // signals that the peer has not handled
  std::atomic<int> n_touched{0};                 // peers that have been put to since they were flushed
  int touched[most_touched];                     // under the worker's lock; beyond most_touched: anybody
};

// An instance of the table.
struct worker {
  const library* lib = nullptr;
  opening how;
  window memory;
  choice chosen;
  ucp_context_h context = nullptr;
  ucp_worker_h handle = nullptr;
  int fd = -1;
  std::uint64_t token = 0;
  peer* peers = nullptr;
  piece pieces[most_pieces];
  std::size_t own_address_bytes = 0;
  char own_address[sizeof(address)];

  os::mutex lock;               // of everything that UCX does, and of what stands above and below
  task* tasks = nullptr;        // all of them
  task* free_tasks = nullptr;
  task* ready_signals = nullptr;
  arrival* arrivals = nullptr;  // in order
  arrival** arrivals_end = &arrivals;

  os::mutex hearing;  // who handles messages; taken before `lock`
  // Messages that have been handled and are not acknowledged yet: touched by who handles messages only.
  packet due{};  // from_pe, from_channel
  ucp_ep_h due_reply = nullptr;
  std::uint32_t n_due = 0;

  std::atomic<bool> refused{false};  // a peer cannot register what was asked for
  std::atomic<int> error{0};  // a ucs_status_t: something failed, and the worker is of no use any more
  char about[256] = "";
};

// The table's names are opaque: each transport has its own.
inline worker& worker_of(instance* i) { return *reinterpret_cast<worker*>(i); }
inline channel& channel_of(stream* s) { return *reinterpret_cast<channel*>(s); }

inline bool is_broken(const worker& me) { return me.error.load(std::memory_order_relaxed) != 0; }
inline void note_error(worker& me, ucs_status_t status) { me.error.store(status, std::memory_order_relaxed); }

// ---- moving.cpp; `move` and `put_signal` take the lock, the others are called under it ------------------------

enum class direction : std::uint8_t { put, get };
outcome move(channel& c, direction d, int pe, std::uint64_t place, void* local, std::size_t bytes, completion* left);
outcome put_signal(channel& c, int pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                   std::uint64_t value, signal_change change, completion* left);
outcome flush(channel& c);

// Without a token in `head` it is that of the peer. `body` is copied if it is short, and otherwise stays until `left`
// is counted down. With `keep` it is never refused.
enum class if_full : std::uint8_t { say_again, keep };
outcome send(worker& me, channel* c, int pe, ucp_ep_h to, packet head, const void* body, std::size_t bytes,
             completion* left, if_full full);
void send_ready_signals(worker& me);
void give_back(worker& me, task* t);

// ---- keys.cpp: under the lock ---------------------------------------------------------------------------------

// `done`: all keys to a range of a peer's window are here. `again`: they have been asked for.
outcome have_keys(worker& me, int pe, std::uint64_t place, std::size_t bytes);
void answer_key(worker& me, const packet& head, ucp_ep_h reply);
void take_key(worker& me, const packet& head, const void* bytes, std::size_t n);
void drop_keys(worker& me);
void drop_pieces(worker& me);

// ---- hearing.cpp ----------------------------------------------------------------------------------------------

// UCX's callback.
ucs_status_t hear(void* me, const void* header, std::size_t header_bytes, void* data, std::size_t bytes,
                  const ucp_am_recv_param_t* how);
// Handles what has arrived; under `hearing` and not under `lock`. How many there were.
int handle_arrivals(worker& me);

}  // namespace oshen::transport::ucx
