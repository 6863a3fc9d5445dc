#include "transport/tcp/handshake.hpp"

namespace oshen::transport::tcp {

sip_sum prove(const sip_key& key, proof_of side, const greeting& g, const sip_sum& number_of_acceptor) {
  const struct {
    proof_of side;
    greeting text;
    sip_sum number;
  } all{side, g, number_of_acceptor};
  return sip(key, &all, sizeof all);
}

}  // namespace oshen::transport::tcp
