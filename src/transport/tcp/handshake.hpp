// The handshake of a connection, in which both ends prove that they know the key of the PE that accepts:
//   initiator -> acceptor   greeting
//   acceptor  -> initiator  challenge: a number of its own, and its proof
//   initiator -> acceptor   proof
//   acceptor  -> initiator  welcome: it keeps the connection; or refusal: it has no descriptor for it
// A proof covers both random numbers, so it can be neither made without the key nor repeated. The key is made of the
// secret of the job, which no stream between PEs carries, and of the number that the PE announces with its address.
#pragma once

#include <cstdint>

#include "base/sip.hpp"

namespace oshen::transport::tcp {

enum class purpose : std::uint32_t {
  shared = 1,  // the connection of the pair; both ends issue on it
  separate,    // of one stream of the initiator
};

struct greeting {
  char protocol[8];
  std::int32_t from_pe;
  std::int32_t to_pe;
  purpose use;
  std::uint32_t unused;
  sip_sum number;  // random
};
inline constexpr char protocol_name[8] = {'O', 'S', 'H', 'E', 'N', 'T', '1', 0};

struct challenge {
  sip_sum number;  // random
  sip_sum proof;
};

enum class proof_of : std::uint64_t { acceptor = 1, initiator, welcome, refusal };
enum class key_use : std::uint64_t { records_of_initiator = 16, records_of_acceptor };

sip_key key_of_acceptor(const sip_key& job_secret, const sip_key& announced);
sip_sum prove(const sip_key& key, proof_of side, const greeting& g, const sip_sum& number_of_acceptor);

// The keys of the records that each end sends (transport/tcp/records.hpp).
struct stream_keys {
  sip_key of_initiator, of_acceptor;
};
stream_keys derive_keys(const sip_key& key, const greeting& g, const sip_sum& number_of_acceptor);

}  // namespace oshen::transport::tcp
