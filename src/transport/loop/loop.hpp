// Transport "loop": datagrams on local sockets, between processes of one machine or threads of one process. It shares
// no memory: a PE sees only the messages of another PE, which arrive late and, under chaos, reordered. Virtual nodes
// (OSHEN_NODE_PES) are therefore as separate as hosts.
//
// A put is a number of datagrams, which the target applies and acknowledges; flush waits for the acknowledgements. A
// get is a request, to which the target replies with the bytes. A socket holds few datagrams (net.unix.max_dgram_qlen),
// so datagrams that do not fit are queued for that peer, and further operations towards it return `would_block`.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include "os/mutex.hpp"
#include "transport/epochs.hpp"
#include "transport/memory_region.hpp"

namespace oshen::transport {

struct loop_instance;
struct loop_stream;

enum class packet_kind : std::uint8_t { put, acknowledgement, get, get_reply, message };

inline constexpr std::size_t packet_bytes = 32 * 1024;  // of payload

struct packet_head {
  std::uint64_t key;       // the receiver's secret
  std::uint64_t from_key;  // the sender's secret and socket number, for replies
  std::uint64_t from_number;
  std::int32_t from_pe;
  std::uint32_t bytes;  // payload; get: bytes requested; acknowledgement: number of put datagrams
  packet_kind kind;
  bool on_stream;
  std::uint16_t counted_in;  // put, acknowledgement: the epoch of loop_stream::operations, modulo 2
  std::uint32_t epoch;       // fences of the stream so far
  std::uint64_t stream;      // the sender's stream; get: the requester's get_request
  std::uint64_t offset;      // put: in the receiver's slice; get: in the target's; get_reply: the requester's address
  std::uint64_t request;     // get: the requester's address for the bytes; get_reply: its get_request
};

// A get whose bytes have not all arrived.
struct get_request {
  loop_stream* from;
  std::uint32_t epoch;
  completion* local;
  std::uint64_t missing_bytes;
};

// An operation for one peer: one datagram, or several if the payload is long.
struct operation_packets {
  packet_head head;
  const char* data = nullptr;
  std::size_t left = 0;       // bytes of `data` to send
  loop_stream* of = nullptr;  // put: the stream that counts its acknowledgements
  completion* local = nullptr;
};

// The part of an operation that the peer's socket did not take, in order of issue. `data` is the program's buffer, or a
// copy behind this record.
struct queued {
  queued* next;
  operation_packets packets;
};

struct peer {
  sockaddr_un name;
  socklen_t name_bytes;  // 0: the address is unknown
  std::uint64_t key;
  queued* first;
  queued* last;
  peer* next;  // in loop_instance::queueing
  bool lost;
  bool has_own_fd;
  int own_fd;  // a socket that sends to this peer only
};

// A datagram that chaos delays.
struct held_packet {
  held_packet* next;
  std::uint64_t due_ns;
  packet_head head;
  // the payload follows
};

struct loop_stream {
  loop_instance* home;
  std::uint32_t epoch = 0;
  epochs operations{};  // unacknowledged put datagrams, puts that are being sent or queued, and open gets
};

struct loop_instance {
  open_params how;
  memory_regions memory;
  int fd = -1;
  int last_error = 0;  // errno of the last failed send
  std::uint64_t key = 0;
  std::uint64_t number = 0;  // names the socket
  peer* peers = nullptr;
  peer* queueing = nullptr;  // the peers with a queue. A retry visits only these, not every PE of the job
  os::mutex sending;         // guards `peers`, their queues and `queueing`
  std::atomic<int> n_queued{0};
  std::atomic<int> open_gets{0};
  os::mutex receiving;  // held by the thread that receives; taken before `sending`
  held_packet* held = nullptr;
  std::atomic<int> n_held{0};
  std::uint64_t random_state = 0;
  // Consecutive puts of one sender are acknowledged together.
  packet_head unsent_ack{};
  std::uint32_t n_unsent_acks = 0;
  char about[96] = "";
  char buffer[sizeof(packet_head) + packet_bytes];  // of the receiving thread
};

// The kernel orders everything before a send, including the read of its buffer, before everything after the receive.
// The thread sanitizer, for which PEs are threads of one process, sees only calls on two descriptors and must be told.
#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_release(void*);
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_read_range(void*, unsigned long);
extern "C" void AnnotateIgnoreReadsBegin(const char*, int);
extern "C" void AnnotateIgnoreReadsEnd(const char*, int);
inline char handovers[1024];  // one byte for each receiver, chosen by its secret
class kernel_handover {
 public:
  kernel_handover(std::uint64_t key, const void* data, std::size_t bytes) {
    if (bytes != 0) __tsan_read_range(const_cast<void*>(data), bytes);
    __tsan_release(&handovers[key % sizeof handovers]);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);  // the receiver may own the buffer before sendmsg returns
  }
  ~kernel_handover() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
};
inline void after_receive(std::uint64_t key) { __tsan_acquire(&handovers[key % sizeof handovers]); }
#else
struct kernel_handover {
  kernel_handover(std::uint64_t, const void*, std::size_t) {}
};
inline void after_receive(std::uint64_t) {}
#endif

// The table's types are opaque: each transport defines them.
inline loop_instance& own(instance* i) { return *reinterpret_cast<loop_instance*>(i); }
inline loop_stream* own(stream* s) { return reinterpret_cast<loop_stream*>(s); }

// ---- send.cpp --------------------------------------------------------------------------------------------------
// If the peer's socket does not take a datagram: return `would_block` (only for the first one), queue the rest with the
// caller's buffer, or queue it with a copy of the payload.
enum class if_full { refuse, queue, queue_copy };
outcome send_packets(loop_instance& me, int pe, operation_packets packets, if_full then);
// Sends queued datagrams; returns the number of operations that advanced.
int send_queued(loop_instance& me);
void drop_queued(loop_instance& me);

// Stores a peer's address unless it is known. The caller holds `sending`.
void learn_address(loop_instance& me, int pe, std::uint64_t number, std::uint64_t key);
socklen_t write_name(sockaddr_un& name, std::uint64_t number);

// ---- receive.cpp -----------------------------------------------------------------------------------------------
int receive(loop_instance& me);
void drop_held(loop_instance& me);

std::uint64_t random_of(loop_instance& me);

}  // namespace oshen::transport
