#include "transport/tcp/address.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/settings.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr int backlog = 1024;

const char* value_of(const char* name) {
  const char* text = setting_text(name);
  return text == nullptr || *text == '\0' || strcmp(text, "auto") == 0 ? nullptr : text;
}

// A number for the network namespace of this process, made of the kernel's boot id and the namespace's inode.
std::uint64_t own_network_namespace() {
  struct {
    char boot[40];
    std::uint64_t inode;
  } text{};
  struct stat network;
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const bool has_boot = fd >= 0 && read(fd, text.boot, sizeof text.boot) > 0;
  if (fd >= 0) close(fd);
  if (!has_boot || stat("/proc/self/ns/net", &network) != 0) return 0;
  text.inode = network.st_ino;
  return sip({}, &text, sizeof text).word[0];
}

int listen_in_range(std::uint16_t& port, const char* congestion, char* why, std::size_t room) {
  const char* wanted = value_of("OSHEN_TCP_PORTS");
  os::port_range ports{};
  if (wanted != nullptr && !os::read_ports(wanted, ports)) {
    snprintf(why, room, "OSHEN_TCP_PORTS = %.40s: expected auto, a port, or a range such as 40000-40100", wanted);
    return -1;
  }
  const int fd = os::listen_network(ports, port, backlog, congestion);
  if (fd < 0 && wanted == nullptr) snprintf(why, room, "cannot listen: %s", strerror(errno));
  if (fd < 0 && wanted != nullptr)
    snprintf(why, room,
             "OSHEN_TCP_PORTS = %.40s: cannot listen at any of these ports: %s; each PE of a host needs one, and PE 0 "
             "under most launchers another",
             wanted, strerror(errno));
  return fd;
}

// Null: all interfaces.
const char* wanted_interface(const char* options) { return *options != '\0' ? options : value_of("OSHEN_INTERFACE"); }

bool has_entry(const pe_address& own, const os::network_address& a) {
  for (int i = 0; i < own.n_addresses; ++i)
    if (memcmp(&own.addresses[i], &a, sizeof a) == 0) return true;
  return false;
}

// Addresses of the interface of the default route come first: others may lead to containers of this host only.
void list_own_addresses(pe_address& own, const char* interface) {
  char routed[64];
  os::network_address all[os::most_addresses];
  os::routed_interface(routed, sizeof routed);
  own.n_addresses =
      static_cast<std::uint16_t>(os::own_addresses(own.addresses, interface != nullptr ? interface : routed));
  const int n = interface != nullptr ? 0 : os::own_addresses(all, nullptr);
  for (int i = 0; i < n && own.n_addresses < os::most_addresses; ++i)
    if (!has_entry(own, all[i])) own.addresses[own.n_addresses++] = all[i];
}

}  // namespace

std::size_t used_bytes(const pe_address& a) {
  return offsetof(pe_address, addresses) + a.n_addresses * sizeof(os::network_address);
}

bool read_address(pe_address& to, const void* from, std::size_t bytes) {
  if (bytes < offsetof(pe_address, addresses)) return false;
  memcpy(&to, from, offsetof(pe_address, addresses));
  if (to.n_addresses > os::most_addresses || used_bytes(to) > bytes) return false;
  memcpy(&to, from, used_bytes(to));
  return true;
}

bool has_wanted_interface(const char* options, char* why, std::size_t room) {
  const char* interface = wanted_interface(options);
  if (interface == nullptr || os::has_interface(interface)) return true;
  snprintf(why, room, "%s%.63s: this host has no such network interface", *options == '\0' ? "OSHEN_INTERFACE = " : "",
           interface);
  return false;
}

bool find_addresses(pe_address& own, const char* options, char* why, std::size_t room) {
  const char* announced = value_of("OSHEN_TCP_ADDRESS");
  if (announced == nullptr) {
    list_own_addresses(own, wanted_interface(options));
    return true;
  }
  own.n_addresses = static_cast<std::uint16_t>(os::look_up_host(announced, own.addresses));
  if (own.n_addresses == 0) snprintf(why, room, "OSHEN_TCP_ADDRESS = %.63s: no such host", announced);
  return own.n_addresses != 0;
}

int listen_at(pe_address& own, const char* options, const congestion_control& how, char* why, std::size_t room) {
  own.network_namespace = own_network_namespace();
  if (!find_addresses(own, options, why, room)) return -1;
  return listen_in_range(own.port, how.wanted(), why, room);
}

int list_candidates(const pe_address& own, const pe_address& peer, os::network_address (&list)[most_candidates]) {
  int n = 0;
  if (own.network_namespace != 0 && own.network_namespace == peer.network_namespace)
    list[n++] = {.family = 4, .bytes = {127, 0, 0, 1}, .reserved = {}};
  for (int i = 0; i < peer.n_addresses; ++i) list[n++] = peer.addresses[i];
  return n;
}

}  // namespace oshen::transport::tcp
