// What the PEs of a job and its hub say to each other over a stream, once each has proved to know the job's secret.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/sip.hpp"

namespace oshen::boot::wire {

enum class kind : std::uint32_t {
  gather = 1,   // PE -> hub: my part; hub -> PE: the parts of all, in order
  state = 2,    // PE -> hub: my pe_state, in `value`
  end = 3,      // both: the job ends; `value` = exit status, `flag` = on request of the program, `pe` = who says so
  lost = 4,     // hub -> PE: PE `pe` is gone without a word; its host follows
};

inline constexpr int lost_after_seconds = 3;  // silence of a host, at which it is given up

struct header {
  kind what;
  std::int32_t pe;
  std::int32_t value;
  std::uint32_t flag;
  std::uint64_t bytes;  // that follow
};

// Who connects introduces itself with this.
struct greeting {
  char magic[8];
  std::int32_t pe;
  std::int32_t n_pes;
  std::int32_t pid;
  std::uint32_t reserved;
  char host[64];
  sip_sum nonce;
};
inline constexpr char magic[8] = {'O', 'S', 'H', 'E', 'N', 'W', '1', 0};

// A stranger who connects to the hub sees a random number; one who is connected to sees a random number and a sum that
// fits this one conversation. Neither can go on: each side's sum is over both numbers, and needs the secret.
//   hub -> PE   nonce
//   PE  -> hub  greeting, sum("PE", nonce, greeting)
//   hub -> PE   sum("hub", nonce, greeting)
struct proof {
  sip_sum nonce;
  greeting from;
};
sip_sum sum_of_pe(const sip_key& secret, const proof& p);
sip_sum sum_of_hub(const sip_key& secret, const proof& p);

// The PE's side, whole; false: not our hub, or it does not answer.
bool introduce(int fd, const sip_key& secret, greeting mine, int milliseconds);

}  // namespace oshen::boot::wire
