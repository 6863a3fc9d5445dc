// Streams between processes of one job, on one node or on several.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::os {

// Where a process can be reached. Passed between PEs as it is.
struct network_address {
  std::uint8_t family;      // 4 or 6; 0 = none
  std::uint8_t bytes[16];   // of the address, in network order
  std::uint8_t reserved[3];
};
inline constexpr int most_addresses = 8;

// This host's addresses, without the loopback; `only` names one interface, or is null. How many were written.
int own_addresses(network_address (&list)[most_addresses], const char* only);
// The interface to which the default route leads, else the first that is up and no loopback, else "lo".
void routed_interface(char* name, std::size_t capacity);
// The addresses of a host by name or number; how many.
int look_up_host(const char* host, network_address (&list)[most_addresses]);

// Listens on all interfaces; `port` 0 is filled with the one that the kernel chose. -1 on failure (errno).
int listen_network(std::uint16_t& port, int backlog);
// Begins and ends a connection; -1 on failure (errno; ETIMEDOUT after `milliseconds`).
int connect_network(const network_address& to, std::uint16_t port, int milliseconds);
// The same in the abstract namespace: no file, and only processes of this network namespace can reach it.
int listen_local(std::uint64_t name, int backlog);
int connect_local(std::uint64_t name);
int accept_stream(int listener);
bool stream_pair(int (&ends)[2]);

// A peer whose host has gone is noticed within `seconds`, also when nothing is sent; small messages leave at once.
void watch_stream(int fd, int seconds);

// All bytes or false (errno; ETIMEDOUT after `milliseconds`, 0 at the end of the stream). For short messages.
bool send_all(int fd, const void* bytes, std::size_t count, int milliseconds);
bool receive_all(int fd, void* bytes, std::size_t count, int milliseconds);
// As many as go without waiting; -1: the stream is broken.
std::ptrdiff_t send_some(int fd, const void* bytes, std::size_t count);
std::ptrdiff_t receive_some(int fd, void* bytes, std::size_t count);

// Text such as "10.0.0.1".
void write_address(const network_address& address, char* text, std::size_t capacity);

bool random_bytes(void* bytes, std::size_t count);

}  // namespace oshen::os
