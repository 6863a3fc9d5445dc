// The address of a PE: a port, the addresses of its host, and the key by which both ends of a connection prove that
// they belong to the job. The launcher carries it to all PEs.
#pragma once

#include "base/sip.hpp"
#include "os/socket.hpp"
#include "transport/tcp/congestion.hpp"

namespace oshen::transport::tcp {

// The longest list: the loopback address, if both PEs share a network namespace, and those of the host.
inline constexpr int most_candidates = os::most_addresses + 1;

struct pe_address {
  std::uint64_t network_namespace;  // PEs with the same number reach each other by loopback; 0: unknown
  sip_key key;
  std::uint16_t port;
  std::uint16_t n_addresses;
  std::uint32_t unused;
  os::network_address addresses[os::most_addresses];
};

// The length of an address with the entries that are in use.
std::size_t used_bytes(const pe_address& a);
// False: the bytes are no address.
bool read_address(pe_address& to, const void* from, std::size_t bytes);

// False, with the reason in `why`, if `options` or OSHEN_INTERFACE names an interface that this host does not have.
bool has_wanted_interface(const char* options, char* why, std::size_t room);
// Fills in the addresses of this host; false: the reason is in `why`.
bool find_addresses(pe_address& own, const char* options, char* why, std::size_t room);
// Listens at a port of OSHEN_TCP_PORTS, and fills in everything but the key. -1: the reason is in `why`.
int listen_at(pe_address& own, const char* options, const congestion_control& how, char* why, std::size_t room);

// The addresses at which `own` tries to reach `peer`, the best first; returns their number.
int list_candidates(const pe_address& own, const pe_address& peer, os::network_address (&list)[most_candidates]);

}  // namespace oshen::transport::tcp
