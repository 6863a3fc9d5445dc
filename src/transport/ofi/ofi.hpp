// What the files of this room share: an open endpoint of libfabric, and what is under way on it.
//
// Puts and gets are the provider's, complete when the target has the bytes (FI_DELIVERY_COMPLETE) and announced to it
// by an event (FI_REMOTE_CQ_DATA). Messages are short. A signal is one that takes along bytes that are few; it is
// acknowledged when the target has handled it, on the back of the next message that goes there. So a fence need not
// wait for puts where the provider keeps the order of what it sends, only for acknowledgements. Where the provider
// keeps the order, nothing of an `ordered` stream is acknowledged; the link's questions never are: they are answered.
// Memory is registered in pieces, when a peer asks for their keys.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include "os/mutex.hpp"
#include "transport/ofi/library.hpp"
#include "transport/window.hpp"

namespace oshen::transport {

struct ofi_instance;
struct ofi_stream;

namespace ofi {

inline constexpr std::size_t message_bytes = 128;  // that send() takes
// is copied, so that its source is free at once
inline constexpr std::size_t small_put = 256;
inline constexpr std::size_t carried_bytes = 4096;  // of a put that travel with its signal
inline constexpr int most_tasks = 1024;       // under way on a PE
inline constexpr int receives = 256;  // buffers for messages that come in

enum class packet_kind : std::uint8_t { message, signal, acknowledgement, key_wanted, key };

// In front of every message. `token`: of the receiver; who does not know it is a stranger. What a collective does most,
// a word and a few bytes of an ordered stream, is so short that TCP takes it without a completion.
struct packet {
  std::uint64_t token;
  std::int32_t from_pe;
  std::uint16_t bytes;    // of the body
  packet_kind kind;
  std::uint8_t marks;     // packet_marks
};
enum packet_marks : std::uint8_t { adds = 1, has_receipts = 2 };
// Behind it, before the body, where something is acknowledged or will be.
struct receipts {
  std::uint64_t from_stream;     // of the sender, to be acknowledged; 0: of none
  std::uint64_t acknowledged;    // a stream of the receiver ...
  std::uint32_t n_acknowledged;  // ... on which so many messages have been handled
  std::uint32_t address_bytes;   // behind the body: where the sender is, when it waits for an acknowledgement
};
struct signal_packet {
  std::uint64_t place, value;
  std::uint64_t data_place;  // of the bytes that come along
};
struct key_packet {
  std::int32_t piece;
  std::int32_t error;  // of registering it; 0: `key` is good
  std::uint64_t key;
};

// Where a PE is.
struct address {
  std::uint64_t token;
  std::uint64_t base;  // of remote addresses: where its window lies; 0: they count from the beginning of a piece
  std::uint32_t name_bytes;
  std::uint32_t reserved;
  char name[address_bytes - 24];
};

// To a piece of a peer's window.
struct held_key {
  std::uint64_t key;
  std::atomic<bool> asked, is_here;
};

struct peer {
  fi_addr_t where;
  std::uint64_t token, base;
  held_key* keys;  // most_pieces
  bool known;
};
inline constexpr std::size_t carried_address = 96;  // in a packet: longer ones are not
inline constexpr std::size_t longest_packet =
    sizeof(packet) + sizeof(receipts) + sizeof(signal_packet) + carried_bytes + carried_address;
static_assert(longest_packet + 256 <= room_for_message);

enum class task_kind : std::uint8_t { put, get, send, receive };

struct task {
  fi_context2 context;  // the provider's, while it is under way; first, for that is what completions show
  task* next;      // of the free ones, or of packets that wait to be sent
  ofi_stream* on;
  completion* left;
  task_kind kind;
  bool is_flag;         // of a message: a signal of an ordered stream, where nobody waits to hear what became of it
  std::int32_t pe;
  std::uint64_t place;  // put, get: in the peer's window
  char* local;
  std::uint32_t bytes;
  task* behind;         // of a put: the signal that follows when it is complete, where the provider keeps no order
  std::atomic<std::uint32_t> left_before;  // of a signal: such puts
  signal_change change;
  signal_packet signal;
  char buffer[longest_packet];
};

}  // namespace ofi

struct ofi_stream {
  ofi_instance* home;
  bool is_ordered;                               // nothing of it is acknowledged
  std::atomic<std::uint32_t> moving{0};          // puts and gets that are not complete
  std::atomic<std::uint32_t> unacknowledged{0};  // signals that the peer has not handled
};

struct ofi_instance {
  const ofi::library* lib = nullptr;
  opening how;
  window memory;
  fi_info* info = nullptr;
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_av* names = nullptr;
  fid_cq* completions = nullptr;
  fid_ep* endpoint = nullptr;
  fid_mr* pieces[most_pieces] = {};  // of the window; null: nobody has asked yet
  ofi::peer* peers = nullptr;
  std::size_t own_address_bytes = 0;
  char own_address[sizeof(ofi::address)] = {};
  ofi::task* tasks = nullptr;  // all of them
  int used_tasks = 0;          // the others have never been taken: no memory stands behind them
  ofi::task* free_tasks = nullptr;  // of those that have
  ofi::task* waiting = nullptr;            // packets that the provider did not take, in order
  ofi::task** waiting_end = &waiting;
  std::atomic<std::uint32_t> n_waiting{0};
  os::mutex pool;        // of the two lists
  os::mutex receiving;   // who reads completions
  std::uint64_t token = 0;
  bool in_order = false; // the provider keeps the order of what it sends to one peer
  int fd = -1;
  // Messages that have been handled and are not acknowledged yet: touched by who reads completions only.
  std::uint64_t due_stream = 0;
  std::uint32_t n_due = 0;
  int due_pe = 0;
  std::atomic<bool> refused{false};  // a peer cannot register what was asked for
  std::atomic<int> error{0};  // of something that failed; the endpoint is of no use any more
  char about[256] = "";
};

// The table's names are opaque: each transport has its own.
inline ofi_instance& own(instance* i) { return *reinterpret_cast<ofi_instance*>(i); }
inline ofi_stream* own(stream* s) { return reinterpret_cast<ofi_stream*>(s); }

namespace ofi {

task* take_task(ofi_instance& me);
void give_back(ofi_instance& me, task* t);

outcome put(stream*, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* left);
outcome get(stream*, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* left);
outcome put_signal(stream*, int pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                   std::uint64_t value, signal_change change, completion* left);

// A message, with what is due in acknowledgements. `keep`: where the provider cannot take it now it waits here.
enum class if_full { say_again, keep_copy };
outcome write_packet(ofi_instance& me, ofi_stream* s, int pe, packet_kind kind, signal_change change, const void* bytes,
                     std::size_t n, if_full full);
int send_waiting(ofi_instance& me);

// ---- keys.cpp ---------------------------------------------------------------------------------------------------

// `done`: all keys to a range of a peer's window are here. `again`: they have been asked for.
outcome have_keys(ofi_instance& me, int pe, std::uint64_t place, std::size_t bytes);
// Called by who reads completions.
void answer_key(ofi_instance& me, int to_pe, const char* body);
void take_key(ofi_instance& me, int from_pe, const char* body);
void close_pieces(ofi_instance& me);

// Makes PE `pe` known, once; `address` is what its local_address() wrote.
outcome introduce(ofi_instance& me, int pe, const void* address, std::size_t bytes);
int read_completions(ofi_instance& me);
bool post_receives(ofi_instance& me);
outcome outcome_of(ofi_instance& me, ssize_t code);

}  // namespace ofi
}  // namespace oshen::transport
