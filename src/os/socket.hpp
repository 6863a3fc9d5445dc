// Streams between processes of one job, on one node or on several.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::os {

// An address of a host. PEs exchange it in this layout.
struct network_address {
  std::uint8_t family;     // 4 or 6; 0 = none
  std::uint8_t bytes[16];  // of the address, in network order
  std::uint8_t reserved[3];
};
inline constexpr int most_addresses = 8;

// Writes this host's addresses except loopback, and returns their number. `only` names one interface, or is null.
int own_addresses(network_address (&list)[most_addresses], const char* only);
// The interface of the default route; without one, the first interface that is up and not a loopback; else "lo".
void routed_interface(char* name, std::size_t capacity);
bool has_interface(const char* name);
// Writes the addresses of a host, given by name or number, and returns their number.
int look_up_host(const char* host, network_address (&list)[most_addresses]);

// Listens on all interfaces. If `port` is 0 the kernel chooses one, which is stored there. -1 on failure (errno).
// `congestion_control`: of tcp(7), for the connections that arrive; null: that of the kernel.
int listen_network(std::uint16_t& port, int backlog, const char* congestion_control = nullptr);
// The same for the first port of a range that is free; 0 to 0: the kernel chooses.
struct port_range {
  std::uint16_t first, last;
};
int listen_network(const port_range& ports, std::uint16_t& port, int backlog, const char* congestion_control = nullptr);
// Reads "40000-40100" or "40000". False: the text has another form.
bool read_ports(const char* text, port_range& ports);
// Connects; -1 on failure (errno; ETIMEDOUT after `milliseconds`).
int connect_network(const network_address& to, std::uint16_t port, int milliseconds);
// Begins to connect; -1 on failure (errno). The descriptor becomes writable when the outcome is known.
int begin_connect(const network_address& to, std::uint16_t port, const char* congestion_control = nullptr);
// The outcome: 0, or the errno of the failure.
int error_of_connect(int fd);
// To listen and to connect in the abstract namespace of Unix sockets. It needs no file, and only processes of this
// network namespace can reach it.
int listen_local(std::uint64_t name, int backlog);
int connect_local(std::uint64_t name);
int accept_stream(int listener);
// The address of the peer of a stream; without a family if the stream is local or broken.
network_address peer_of_stream(int fd);
// A number for the origin of an accepted stream: the IPv4 address, the network part (64 bits) of the IPv6 address, or
// the user on this machine. Streams of one origin have the same number.
std::uint64_t origin_of_stream(int fd);
bool stream_pair(int (&ends)[2]);

// Makes the stream fail within `seconds` after its peer's host stops answering, even if nothing is sent. Disables
// Nagle's algorithm.
void watch_stream(int fd, int seconds);

// Sends or receives all bytes; false on failure (errno; ETIMEDOUT after `milliseconds`, 0 at the end of the stream).
bool send_all(int fd, const void* bytes, std::size_t count, int milliseconds);
bool receive_all(int fd, void* bytes, std::size_t count, int milliseconds);
// Sends or receives as many bytes as possible without waiting, and returns their number; -1: the stream is broken.
std::ptrdiff_t send_some(int fd, const void* bytes, std::size_t count);
std::ptrdiff_t receive_some(int fd, void* bytes, std::size_t count);

// False if the kernel has no route to the address. Sends nothing.
bool has_route(const network_address& to);

// Text such as "10.0.0.1".
void write_address(const network_address& address, char* text, std::size_t capacity);

bool random_bytes(void* bytes, std::size_t count);

}  // namespace oshen::os
