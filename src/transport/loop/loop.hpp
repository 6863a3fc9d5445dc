// Transport "loop": between processes of one machine (or threads of one process), by datagrams on local sockets. It
// shares no memory: what one PE sees of another has been in a message, was late, and under chaos came in another order.
// So virtual nodes (OSHEN_NODE_PES) are apart as hosts are.
//
// A put is datagrams with bytes, which the target applies and counts back (acknowledgements complete a flush); a get is
// a question that the target answers with bytes. A socket takes few datagrams (net.unix.max_dgram_qlen): what does not
// fit is kept as *work* for that peer, and whoever wants to send more to it is told `again`.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include "os/mutex.hpp"
#include "transport/window.hpp"

namespace oshen::transport {

struct loop_instance;
struct loop_stream;

enum class packet_kind : std::uint8_t { put, counted, get, bytes, message };

inline constexpr std::size_t packet_bytes = 32 * 1024;  // of payload

struct packet_head {
  std::uint64_t key;       // the receiver's secret
  std::uint64_t from_key;  // that of the sender, and the number in its name: so it can be answered
  std::uint64_t from_number;
  std::int32_t from_pe;
  std::uint32_t bytes;     // of payload (get: wanted; counted: how many puts)
  packet_kind kind;
  bool on_stream;
  std::uint16_t unused = 0;
  std::uint32_t epoch;     // fences of the stream so far
  std::uint64_t stream;    // of the sender; a name for it
  std::uint64_t place;     // put: offset in the receiver's window; get: in the target's; bytes: an address of the asker
  std::uint64_t question;  // get, bytes: the asker's record
};

// A get that has not been answered in full.
struct question {
  loop_stream* from;
  completion* left;
  std::uint64_t missing;  // bytes
};

// What could not be sent at once, in order. `data` is the program's, or `copied` behind this record.
struct work {
  work* next;
  packet_head head;
  const char* data;
  std::size_t left;       // bytes
  loop_stream* of;             // put: whose
  completion* completes;
};

struct peer {
  sockaddr_un name;
  socklen_t name_bytes;           // 0: nothing is known of it yet
  std::uint64_t key;
  work* first;
  work* last;
  bool lost;
};

// A datagram that chaos holds back.
struct held_packet {
  held_packet* next;
  std::uint64_t due_ns;
  packet_head head;
  // the payload follows
};

struct loop_stream {
  loop_instance* home;
  std::uint32_t epoch = 0;
  std::atomic<std::uint64_t> uncounted{0};  // put datagrams that were sent or are work, and questions open
};

struct loop_instance {
  opening how;
  window memory;
  int fd = -1;
  int last_error = 0;             // of sending
  std::uint64_t key = 0;
  std::uint64_t number = 0;       // of which the socket's name is made
  peer* peers = nullptr;
  os::mutex sending;              // peers and work
  std::atomic<int> works{0};
  std::atomic<int> questions{0};
  os::mutex receiving;            // one thread at a time hears; taken before `sending`
  held_packet* held = nullptr;
  std::atomic<int> n_held{0};
  std::uint64_t dice = 0;
  // Puts of one sender in a row are counted back together.
  packet_head counting{};
  std::uint32_t counted = 0;
  char about[96] = "";
  char buffer[sizeof(packet_head) + packet_bytes];  // of who hears
};

// What a sender did before a datagram, and that the kernel reads what is in it, is before all that its hearer does
// afterwards. The thread sanitizer, for which PEs are threads of one process, sees no more of it than calls on two
// descriptors: it is told.
#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_release(void*);
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_read_range(void*, unsigned long);
extern "C" void AnnotateIgnoreReadsBegin(const char*, int);
extern "C" void AnnotateIgnoreReadsEnd(const char*, int);
inline char in_the_kernel[1024];  // a byte for each hearer, by its secret
class handing_over {
 public:
  handing_over(std::uint64_t key, const void* data, std::size_t bytes) {
    if (bytes != 0) __tsan_read_range(const_cast<void*>(data), bytes);
    __tsan_release(&in_the_kernel[key % sizeof in_the_kernel]);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);  // by then it may be the hearer's again
  }
  ~handing_over() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
};
inline void has_heard(std::uint64_t key) { __tsan_acquire(&in_the_kernel[key % sizeof in_the_kernel]); }
#else
struct handing_over {
  handing_over(std::uint64_t, const void*, std::size_t) {}
};
inline void has_heard(std::uint64_t) {}
#endif

// The table's names are opaque: each transport has its own.
inline loop_instance& own(instance* i) { return *reinterpret_cast<loop_instance*>(i); }
inline loop_stream* own(stream* s) { return reinterpret_cast<loop_stream*>(s); }

// ---- sending (sending.cpp) ------------------------------------------------------------------------------------
// With `keep`, what cannot go now becomes work (with a copy of the payload if `copies`) and the outcome is `done`.
enum class if_full { say_again, keep, keep_copy };
outcome send_packets(loop_instance& me, int pe, packet_head head, const void* data, std::size_t bytes, loop_stream* of,
                     completion* completes, if_full then);
// Goes on with work; how much was done.
int send_work(loop_instance& me);
void drop_work(loop_instance& me);

// Notes where a PE is, if that is not known. Under the lock `sending`.
void know(loop_instance& me, int pe, std::uint64_t number, std::uint64_t key);
socklen_t write_name(sockaddr_un& name, std::uint64_t number);

// ---- hearing (hearing.cpp) ------------------------------------------------------------------------------------
int hear(loop_instance& me);
void drop_held(loop_instance& me);

std::uint64_t random_of(loop_instance& me);

}  // namespace oshen::transport
