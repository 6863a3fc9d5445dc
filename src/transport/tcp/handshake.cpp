#include "transport/tcp/handshake.hpp"

namespace oshen::transport::tcp {
namespace {

sip_sum sum(const sip_key& key, std::uint64_t use, const greeting& g, const sip_sum& number) {
  const struct {
    std::uint64_t use;
    greeting text;
    sip_sum number;
  } all{use, g, number};
  return sip(key, &all, sizeof all);
}

}  // namespace

sip_key key_of_acceptor(const sip_key& job_secret, const sip_key& announced) {
  return sip(job_secret, &announced, sizeof announced);
}

sip_sum prove(const sip_key& key, proof_of side, const greeting& g, const sip_sum& number_of_acceptor) {
  return sum(key, static_cast<std::uint64_t>(side), g, number_of_acceptor);
}

stream_keys derive_keys(const sip_key& key, const greeting& g, const sip_sum& number_of_acceptor) {
  return {sum(key, static_cast<std::uint64_t>(key_use::records_of_initiator), g, number_of_acceptor),
          sum(key, static_cast<std::uint64_t>(key_use::records_of_acceptor), g, number_of_acceptor)};
}

}  // namespace oshen::transport::tcp
