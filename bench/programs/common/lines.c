#define _GNU_SOURCE
#include "lines.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_addresses = 8, meeting_s = 60, connect_ms = 3000 };

// Distributed by process 0 through the library: the address of its socket, and a token to present there.
typedef struct {
  char address[most_addresses][INET6_ADDRSTRLEN];
  int addresses;
  uint16_t port;
  unsigned char secret[16];
} invitation;

typedef struct {
  unsigned char secret[16];
  int32_t me;
  uint64_t machine;
} greeting;

static host_lines* mine;

_Noreturn void line_fail(const char* what) {
  fprintf(stderr, "bench: process %d: %s\n", mine->me, what);
  exit(2);
}

bool line_give(int socket, const void* data, size_t bytes) {
  for (const char* at = data; bytes > 0;) {
    const ssize_t done = send(socket, at, bytes, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= (size_t)done;
  }
  return true;
}

bool line_take(int socket, void* data, size_t bytes) {
  for (char* at = data; bytes > 0;) {
    const ssize_t done = recv(socket, at, bytes, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= (size_t)done;
  }
  return true;
}

// ---- connecting

static uint64_t machine_number(void) {
  char text[64] = "";
  FILE* const file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (file != NULL && fgets(text, sizeof text, file) == NULL) text[0] = '\0';
  if (file != NULL) fclose(file);
  uint64_t hash = 14695981039346656037u;
  for (const char* at = text; *at != '\0'; ++at) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  return hash;
}

static void list_addresses(invitation* to) {
  struct ifaddrs* all = NULL;
  if (getifaddrs(&all) != 0) line_fail("getifaddrs: the addresses of this host are not to be had");
  for (const struct ifaddrs* i = all; i != NULL && to->addresses < most_addresses; i = i->ifa_next) {
    if (i->ifa_addr == NULL || (i->ifa_flags & IFF_UP) == 0) continue;
    const int family = i->ifa_addr->sa_family;
    const socklen_t length = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    if (family != AF_INET && family != AF_INET6) continue;
    char* const text = to->address[to->addresses];
    if (getnameinfo(i->ifa_addr, length, text, INET6_ADDRSTRLEN, NULL, 0, NI_NUMERICHOST) != 0) continue;
    if (strchr(text, '%') == NULL) ++to->addresses;  // with a scope: valid on this link only
  }
  freeifaddrs(all);
}

// For both versions of IP, or for IPv4 alone.
static int listen_anywhere(uint16_t* port) {
  struct sockaddr_storage at = {.ss_family = AF_INET6};
  const int no = 0;
  int socket_ = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ >= 0) setsockopt(socket_, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (socket_ < 0 || bind(socket_, (struct sockaddr*)&at, sizeof(struct sockaddr_in6)) != 0) {
    if (socket_ >= 0) close(socket_);
    at.ss_family = AF_INET;
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || bind(socket_, (struct sockaddr*)&at, sizeof(struct sockaddr_in)) != 0)
      line_fail("bind: no socket for the processes of other hosts");
  }
  socklen_t length = sizeof at;
  if (listen(socket_, most_pes) != 0 || getsockname(socket_, (struct sockaddr*)&at, &length) != 0)
    line_fail("listen: no socket for the processes of other hosts");
  *port = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6*)(void*)&at)->sin6_port
                                         : ((struct sockaddr_in*)(void*)&at)->sin_port);
  return socket_;
}

static void prompt(int socket_) {
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// Waits at most `ms`; rejects connections without the token.
static int accept_one(int listener, const invitation* to, greeting* from, int ms) {
  struct pollfd ready = {.fd = listener, .events = POLLIN};
  if (poll(&ready, 1, ms) <= 0) return -1;
  const int socket_ = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  const struct timeval shortly = {.tv_sec = 5}, forever = {0};
  if (socket_ < 0) return -1;
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &shortly, sizeof shortly);
  const bool is_ours = line_take(socket_, from, sizeof *from) &&
                       memcmp(from->secret, to->secret, sizeof to->secret) == 0 && from->me >= 1 &&
                       from->me < mine->pes && mine->to[from->me] == 0;
  if (!is_ours) {
    close(socket_);
    return -1;
  }
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  prompt(socket_);
  return socket_;
}

static hosts_map place(const uint64_t* machine, int pe) {
  hosts_map map = {0, 0, 0};
  for (int i = 0; i < mine->pes; ++i) {
    int like = 0, before = 0;
    for (int k = 0; k < mine->pes; ++k) {
      like += machine[k] == machine[i];
      before += k < i && machine[k] == machine[i];
    }
    if (i == pe) map.local = before;
    if (like > map.most_local) map.most_local = like;
    map.machines += before == 0;
  }
  return map;
}

static hosts_map gather(int listener, const invitation* to) {
  uint64_t machine[most_pes] = {machine_number()};
  const time_t end = time(NULL) + meeting_s;
  int here = 1, both[2];
  while (here < mine->pes && time(NULL) < end) {
    greeting from;
    const int socket_ = accept_one(listener, to, &from, 1000);
    if (socket_ < 0) continue;
    mine->to[from.me] = socket_;
    machine[from.me] = from.machine;
    ++here;
  }
  close(listener);
  if (here < mine->pes) {
    fprintf(stderr, "bench: of %d processes only %d have found process 0 by its addresses:", mine->pes, here);
    for (int i = 0; i < to->addresses; ++i) fprintf(stderr, " %s", to->address[i]);
    fprintf(stderr, ", port %d\n", to->port);
    exit(2);
  }
  for (int pe = 1; pe < mine->pes; ++pe) {
    const hosts_map map = place(machine, pe);
    line_give(mine->to[pe], &map, sizeof map);
  }
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) line_fail("socketpair: no socket");
  mine->to[0] = both[0];
  mine->home = both[1];
  return place(machine, 0);
}

static hosts_map host_all(hosts_tell* tell) {
  invitation to = {.addresses = 0};
  const int listener = listen_anywhere(&to.port);
  list_addresses(&to);
  if (getrandom(to.secret, sizeof to.secret, 0) != (ssize_t)sizeof to.secret) line_fail("getrandom: no secret");
  tell(&to, sizeof to);
  return gather(listener, &to);
}

// Gives up after some seconds, because other hosts cannot reach every address of a host.
static int try_address(const char* address, uint16_t port) {
  char service[8];
  struct addrinfo *found = NULL, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(address, service, &hints, &found) != 0) return -1;
  const int socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const struct timeval limit = {.tv_sec = connect_ms / 1000}, forever = {0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const bool connected = socket_ >= 0 && connect(socket_, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (!connected) {
    if (socket_ >= 0) close(socket_);
    return -1;
  }
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &forever, sizeof forever);
  prompt(socket_);
  return socket_;
}

static hosts_map join(hosts_tell* tell) {
  invitation to;
  hosts_map map;
  tell(&to, sizeof to);
  greeting hello = {.me = mine->me, .machine = machine_number()};
  memcpy(hello.secret, to.secret, sizeof hello.secret);
  for (int i = 0; i < to.addresses; ++i) {
    mine->home = try_address(to.address[i], to.port);
    if (mine->home < 0) continue;
    if (line_give(mine->home, &hello, sizeof hello) && line_take(mine->home, &map, sizeof map)) return map;
    close(mine->home);
  }
  line_fail("process 0 is at none of its addresses: is there a firewall between the hosts?");
}

hosts_map lines_open(host_lines* all, hosts_tell* tell) {
  mine = all;
  if (mine->pes > most_pes) line_fail("at most 64 processes can share a page");
  return mine->me == 0 ? host_all(tell) : join(tell);
}
