// What a transport is: a table of functions that move bytes between the PEs of different nodes. Written for who writes
// one (docs/adding-a-transport.md); called by op/remote.* through a link (transport/link.hpp), which supplies what a
// transport leaves out.
//
// The rules for all of it.
//
//   Names.    A PE is its number in the job. Every PE has one *window*: its slice of the node segment, mapped where
//             `open` is told, of the same size and layout on all PEs. A remote place is (PE, offset in its window). A
//             transport never sees an address of another process, an OpenSHMEM type, a context or a team.
//   Waiting.  Nothing waits, except open, connect and close (each bounded, by the deadline that `opening` gives). What
//             cannot go on now - no credit, a full queue - returns `again` and has had no effect; the caller makes
//             progress and calls once more. So the loops that retry stand in one place above, which also sees that a
//             peer died or that the job ends.
//   Failure.  `lost`: the peer is gone, or the way to it; `failed`: anything else that another try will not mend.
//             explain() then has the reason in words. The transport prints nothing and never ends the process.
//   Threads.  Any function may be called by any thread at any time, beside any other, with one exception: a stream that
//             was opened with `one_thread` has one caller at a time. progress() is called by several threads at once;
//             all but one may return 0 at once.
//   Memory.   What is not said to be kept may be reused when a function returns. The whole window is a target from open
//             on; much of it may be address space without memory behind it, so a transport whose card pins what it
//             registers does that for a part when a peer first asks for it. A local buffer may lie anywhere.
//   Order.    Within one stream, towards one PE, and only across a fence. Nothing else is ordered; a transport may
//             deliver late, reordered and in pieces. Deliveries of 1, 2, 4 or 8 bytes to a place that is a multiple of
//             their size are seen whole.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/atomic.hpp"

namespace oshen::transport {

enum class outcome : int {
  done = 0,  // accepted, or true
  again,     // not now, and nothing has happened
  lost,      // the peer cannot be reached any more
  failed,
};

// How many operations somebody still waits for. The caller counts up before it begins an operation, and down again if
// that was not accepted; the transport counts down, with release order, when the operation is complete *here*: the
// bytes of a put have left `from`, those of a get have come, an atomic's result is written. It lies where it is until
// then.
struct completion {
  std::atomic<std::uint32_t> left{0};
};

// A message for this PE (see send). Called inside progress(), by one thread at a time for messages of one PE; must not
// wait; may call send, put and nothing else. `bytes` are gone when it returns.
using message_handler = void (*)(void* owner, int from_pe, const void* bytes, std::size_t n);

// What an instance is made of; the same on all PEs but `pe`, `window` and `owner`.
struct opening {
  std::size_t size = sizeof(opening);
  int pe = 0;
  int n_pes = 0;
  char* window = nullptr;          // of this PE; mapped until close() has returned
  std::size_t window_bytes = 0;
  const char* options = "";        // what stands behind the colon of OSHEN_TRANSPORT=ofi:tcp
  std::uint64_t chaos_seed = 0;    // not 0: deliver late and in another order wherever the rules allow it
  unsigned deadline_seconds = 20;  // of everything that waits
  message_handler on_message = nullptr;
  void* owner = nullptr;           // the handler's first argument
};

// What an instance can do; filled in by open.
struct facts {
  std::size_t size = sizeof(facts);
  // The longest message that send() takes; at least `least_message`.
  std::size_t message_bytes = 0;
  // Puts, atomics and messages that come in are noticed by progress(), which then returns more than 0, on this PE.
  // False: a network card writes memory by itself, and whoever sleeps has to look from time to time.
  bool announces = true;
  // The transport moves on by itself, without anybody calling progress() or a thread blocked on wait_fd().
  bool moves_itself = false;
  // On a stream that was opened `ordered`, put_signal comes behind everything that the stream has put and signalled to
  // that PE before.
  bool signals_in_order = false;
  // What a stream does behind a message and a fence is seen after the message's handler has returned. False: the link
  // waits for the answers to its questions at each fence.
  bool messages_in_order = false;
  // One line for people: provider, device, address. Lives as long as the instance.
  const char* about = "";
};
inline constexpr std::size_t least_message = 128;

inline constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of one operation; the caller cuts what is longer
inline constexpr std::size_t address_bytes = 1024;  // no local address is longer

struct instance;  // of one transport in one PE: each transport has its own
struct stream;    // independent operations on an instance: a context has one

enum stream_options : unsigned {
  one_thread = 1,  // SHMEM_CTX_PRIVATE and SERIALIZED: one caller at a time
  ordered = 2,     // only the order of its operations matters, not when they are complete at the target: flush need
                   // not speak of that, so nothing need be acknowledged
};

enum class signal_change : std::uint8_t { set, add };

// One of the things that a transport could open here, and why it does not take it (null: it does).
using offer_seen = void (*)(void* with, const char* what, const char* why_not);

struct transport {
  std::size_t size;   // sizeof(transport) of who fills it in
  const char* name;   // as in OSHEN_TRANSPORT
  const char* title;  // one sentence, for oshinfo

  // Can it be opened here at all? Looks, and loads libraries, but connects to nothing. False: the reason is in `why`,
  // up to `room` bytes with the 0.
  bool (*available)(const char* options, char* why, std::size_t room);
  // Optional, for people: calls seen() for everything between which it chooses, the chosen one first.
  void (*offers)(const char* options, offer_seen seen, void* with);

  // ---- life ---------------------------------------------------------------------------------------------------
  // Makes this PE's instance. Local: no other PE needs to do it at the same time. False: the reason is in `why`.
  bool (*open)(const opening& how, instance** made, facts* what, char* why, std::size_t room);
  // This PE's address in at most address_bytes bytes; returns how many. All PEs' addresses are gathered by the
  // launcher.
  std::size_t (*local_address)(instance*, void* address);
  // Called once for each PE, before the first operation towards it (from any thread, one at a time): here is its
  // address. May set up nothing yet and connect at first use. Also called inside a message handler, before its answer.
  outcome (*connect)(instance*, int pe, const void* address, std::size_t bytes);
  // Why the last call of this thread returned `lost` or `failed`, in words; names no PE (the caller does).
  const char* (*explain)(instance*);
  // Ends the instance. All streams have been flushed and closed, and all PEs have met since: nothing will come any
  // more.
  void (*close)(instance*);

  // ---- streams ------------------------------------------------------------------------------------------------
  // Null: no more can be had; the caller then shares another.
  stream* (*stream_open)(instance*, unsigned options);
  // The stream has been flushed.
  void (*stream_close)(stream*);

  // ---- operations ---------------------------------------------------------------------------------------------
  // From 1 to most_bytes. With `left`, see completion; without it, `from` stays as it is until flush. Complete at
  // the target at flush.
  outcome (*put)(stream*, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* left);
  // Without `left`: the bytes are in `to` at flush.
  outcome (*get)(stream*, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* left);
  // A message of up to facts.message_bytes to the handler of PE `pe`: delivered once. It is gone when this returns;
  // flush does not speak of it (whoever asks something gets an answer). What `stream` put before a fence is there when
  // it is handled; for what follows see facts.messages_in_order. Null: outside all streams. Inside a message handler it
  // never returns `again`: answers wait in memory, bounded by the questions that askers have open (transport/link.hpp:
  // most_questions for each PE).
  outcome (*send)(instance*, stream*, int pe, const void* bytes, std::size_t n);
  // Optional. What this stream has put, sent and changed before is seen by the target before what it does afterwards
  // towards the same PE, of whatever kind; messages as facts.messages_in_order says. Gets are not concerned. `again`:
  // call once more, after progress, until `done`. Null: the link waits for flush, and for the answers to its questions.
  outcome (*fence)(stream*);
  // Everything that this stream has begun, messages excepted, is complete: puts and changes are in the targets' memory
  // and visible to all, gets have come. `again`: not yet.
  outcome (*flush)(stream*);
  // Moves what can be moved: operations that were begun here, and those of others that come in. Returns how many events
  // there were; more than 0 means that somebody on this PE who waits for memory should look.
  int (*progress)(instance*);

  // ---- sleeping -----------------------------------------------------------------------------------------------
  // A descriptor that poll(2) finds readable when progress() has something to do; -1: there is none.
  int (*wait_fd)(instance*);
  // Called before each poll of it. False: do not block, there is something to do already. Null: always true.
  bool (*may_block)(instance*);

  // ---- optional: null is allowed and the link emulates it -----------------------------------------------------
  // The put, and after it, seen by the target not before its bytes, the change of the 8 bytes at `signal`, which is
  // atomic with the CPUs of the target's node. `bytes` may be 0.
  outcome (*put_signal)(stream*, int pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                        std::uint64_t value, signal_change change, completion* left);
  // An atomic operation on the object at `at`, which is atomic with what the CPUs of the target's node do to the same
  // object: so only where CPUs carry it out, or where a card's atomics are proven coherent with them. Null (usual): the
  // link sends a message, and the target's handler does it. `result` (may be null) is a place of its width that stays
  // until the operation is complete; `left` as for get.
  outcome (*atomic)(stream*, int pe, std::uint64_t at, const change& what, void* result, completion* left);
};

// The transports that there are, best first; ends with a null pointer.
extern const transport* const transports[];

}  // namespace oshen::transport
