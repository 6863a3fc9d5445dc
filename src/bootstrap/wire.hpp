// The protocol between the PEs of a job and its hub: the hub's address, the handshake in which both sides prove that
// they know the job's secret, and the messages after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/sip.hpp"
#include "os/socket.hpp"

namespace oshen::bootstrap {

// The addresses at which a PE listens.
struct pe_endpoint {
  std::uint64_t local;  // name of its socket in the abstract namespace of its host
  std::uint16_t port;
  std::uint16_t n_addresses;
  std::uint32_t reserved;
  char host[64];  // for messages
  os::network_address addresses[os::most_addresses];
};

// The address of PE 0's hub. The process manager carries it to all PEs, once.
struct hub_address : pe_endpoint {
  sip_key secret;  // of the job: it proves membership
};

namespace wire {

enum class message_kind : std::uint32_t {
  gather = 1,   // PE -> hub: the PE's block, `flag` = 1 if its parent sends it the result; hub -> PE, and parent ->
                // child: the blocks of all PEs, in order
  state = 2,    // PE -> hub: the PE's pe_state, in `value`
  end = 3,      // both ways: PE `pe` ends the job; `value` = exit status, `flag` = 1 if the program requested the end
  lost = 4,     // hub -> PE: PE `pe` has ended without shmem_finalize; the name of its host follows
  orphan = 5,   // PE -> hub: the PE's parent has left, so the hub must send the result of the current round
  overdue = 6,  // PE -> hub: the PE's parent has not sent the result of round `value`; hub -> PE: the round is complete
};

inline constexpr int lost_after_seconds = 3;  // a host that is silent for this long counts as lost

struct header {
  message_kind kind;
  std::int32_t pe;
  std::int32_t value;
  std::uint32_t flag;
  std::uint64_t bytes;  // that follow
  sip_sum body{};       // of the bytes that follow; 0: none follow
  sip_sum tag{};        // of the fields above and the number of the message (signer)
};

// The first message of a PE.
struct hello {
  char protocol_name[8];
  std::int32_t pe;
  std::int32_t n_pes;
  std::int32_t pid;
  std::uint32_t reserved;
  pe_endpoint listens_at;  // for its children in the tree
  sip_sum nonce;
};
inline constexpr char protocol_name[8] = {'O', 'S', 'H', 'E', 'N', 'W', '3', 0};

// The result of the first round: the place of a PE in the tree (tree.hpp).
struct referral {
  std::int32_t parent;  // -1: the hub sends the results
  std::int32_t n_children;
  pe_endpoint listens_at;  // of the parent
};

// The handshake authenticates both sides. A PE that listens for its children in the tree acts like the hub. Each sum
// covers both nonces and needs the secret, so a foreign process can neither produce nor replay a sum.
//   hub -> PE   nonce
//   PE  -> hub  hello, sum("PE", nonce, hello)
//   hub -> PE   sum("hub", nonce, hello)
struct handshake {
  sip_sum hub_nonce;
  hello pe_hello;
};
sip_sum sum_of_pe(const sip_key& secret, const handshake& h);
sip_sum sum_of_hub(const sip_key& secret, const handshake& h);

// The PE's side of the handshake, which is stored in `h`; false if the other side is not this job's hub, or does not
// answer.
bool authenticate(int fd, const sip_key& secret, hello mine, handshake& h, int milliseconds);

enum class stream_direction : std::uint64_t { to_hub = 3, to_pe = 4, to_children = 5 };

// Signs or checks the headers of one direction of a stream. The key depends on the handshake, and a tag covers the
// number of its message. So a changed, repeated, swapped or inserted message is found when its header arrives, and a
// missing one when the next header arrives. The sum in the header covers the body.
class signer {
 public:
  void begin(const sip_key& secret, const handshake& h, stream_direction way);
  // All streams to children use one key: the messages of a round are equal, and `round` is their number.
  void set_number(std::uint64_t round) { number_ = round; }
  void sign(header& head) { head.tag = next_tag(head); }
  bool check(const header& head) { return same_sum(head.tag, next_tag(head)); }

 private:
  sip_sum next_tag(const header& head);

  sip_key key_{};
  std::uint64_t number_ = 0;
};

sip_sum sum_of_body(const sip_key& secret, const void* body, std::size_t bytes);

}  // namespace wire
}  // namespace oshen::bootstrap
