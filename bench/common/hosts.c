#define _GNU_SOURCE
#include "hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_pes = 64, most_addresses = 8, patience_s = 60, connect_ms = 3000 };

// What process 0 tells all through the library: where it listens, and what to say there.
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

typedef enum { ask_get, ask_set, ask_add, ask_deliver, ask_barrier } question;

typedef struct {
  uint32_t what, bytes;
  uint64_t offset, value;
} request;

static int me, pes, line;  // of this process to the thread that answers
static char* page;
static size_t page_bytes;
static int lines[most_pes];  // process 0's, to all, also to itself

static _Noreturn void fail(const char* what) {
  fprintf(stderr, "bench: process %d: %s\n", me, what);
  exit(2);
}

// ---- bytes

static bool give(int socket, const void* data, size_t bytes) {
  for (const char* at = data; bytes > 0;) {
    const ssize_t done = send(socket, at, bytes, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= (size_t)done;
  }
  return true;
}

static bool take(int socket, void* data, size_t bytes) {
  for (char* at = data; bytes > 0;) {
    const ssize_t done = recv(socket, at, bytes, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= (size_t)done;
  }
  return true;
}

// ---- process 0 answers

static void meet(int* arrived) {
  const uint64_t nothing = 0;
  if (++*arrived < pes) return;
  *arrived = 0;
  for (int pe = pes - 1; pe >= 0; --pe) give(lines[pe], &nothing, sizeof nothing);  // those farther away first
}

// False: this process has ended.
static bool answer(int pe, int* arrived) {
  request asked;
  if (!take(lines[pe], &asked, sizeof asked)) return false;
  if (asked.what == ask_barrier) return meet(arrived), true;
  if (asked.offset > page_bytes || asked.bytes > page_bytes - asked.offset) return false;
  uint64_t* const word = (uint64_t*)(void*)(page + asked.offset);
  uint64_t old = 0;
  switch ((question)asked.what) {
    case ask_deliver: return take(lines[pe], word, asked.bytes);
    case ask_set: __atomic_store_n(word, asked.value, __ATOMIC_RELEASE); break;
    case ask_add: old = __atomic_fetch_add(word, asked.value, __ATOMIC_ACQ_REL); break;
    default: old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  }
  return give(lines[pe], &old, sizeof old);
}

static void* serve(void* unused) {
  struct pollfd ready[most_pes];
  int arrived = 0;
  for (int pe = 0; pe < pes; ++pe) ready[pe] = (struct pollfd){.fd = lines[pe], .events = POLLIN};
  for (;;) {
    poll(ready, (nfds_t)pes, -1);
    for (int pe = 0; pe < pes; ++pe)
      if (ready[pe].revents != 0 && !answer(pe, &arrived)) ready[pe].fd = -1;
  }
  return unused;
}

// ---- they find each other

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
  if (getifaddrs(&all) != 0) fail("getifaddrs: the addresses of this host are not to be had");
  for (const struct ifaddrs* i = all; i != NULL && to->addresses < most_addresses; i = i->ifa_next) {
    if (i->ifa_addr == NULL || (i->ifa_flags & IFF_UP) == 0) continue;
    const int family = i->ifa_addr->sa_family;
    const socklen_t length = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    if (family != AF_INET && family != AF_INET6) continue;
    char* const text = to->address[to->addresses];
    if (getnameinfo(i->ifa_addr, length, text, INET6_ADDRSTRLEN, NULL, 0, NI_NUMERICHOST) != 0) continue;
    if (strchr(text, '%') == NULL) ++to->addresses;  // with a scope: of this link only
  }
  freeifaddrs(all);
}

// For both versions of IP, or for the older one where there is no other.
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
      fail("bind: no socket for the processes of other hosts");
  }
  socklen_t length = sizeof at;
  if (listen(socket_, most_pes) != 0 || getsockname(socket_, (struct sockaddr*)&at, &length) != 0)
    fail("listen: no socket for the processes of other hosts");
  *port = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6*)(void*)&at)->sin6_port
                                         : ((struct sockaddr_in*)(void*)&at)->sin_port);
  return socket_;
}

static void prompt(int socket_) {
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// Waits at most `ms`; strangers are shown the door.
static int accept_one(int listener, const invitation* to, greeting* from, int ms) {
  struct pollfd ready = {.fd = listener, .events = POLLIN};
  if (poll(&ready, 1, ms) <= 0) return -1;
  const int socket_ = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  const struct timeval shortly = {.tv_sec = 5}, forever = {0};
  if (socket_ < 0) return -1;
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &shortly, sizeof shortly);
  if (!take(socket_, from, sizeof *from) || memcmp(from->secret, to->secret, sizeof to->secret) != 0 || from->me < 1 ||
      from->me >= pes || lines[from->me] != 0) {
    close(socket_);
    return -1;
  }
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  prompt(socket_);
  return socket_;
}

static hosts_map place(const uint64_t* machine, int pe) {
  hosts_map map = {0, 0, 0};
  for (int i = 0; i < pes; ++i) {
    int like = 0, before = 0;
    for (int k = 0; k < pes; ++k) {
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
  const time_t end = time(NULL) + patience_s;
  int here = 1, both[2];
  while (here < pes && time(NULL) < end) {
    greeting from;
    const int socket_ = accept_one(listener, to, &from, 1000);
    if (socket_ < 0) continue;
    lines[from.me] = socket_;
    machine[from.me] = from.machine;
    ++here;
  }
  close(listener);
  if (here < pes) {
    fprintf(stderr, "bench: of %d processes only %d have found process 0 by its addresses:", pes, here);
    for (int i = 0; i < to->addresses; ++i) fprintf(stderr, " %s", to->address[i]);
    fprintf(stderr, ", port %d\n", to->port);
    exit(2);
  }
  for (int pe = 1; pe < pes; ++pe) {
    const hosts_map map = place(machine, pe);
    give(lines[pe], &map, sizeof map);
  }
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) fail("socketpair: no socket");
  lines[0] = both[0];
  line = both[1];
  return place(machine, 0);
}

static hosts_map host_all(hosts_tell* tell) {
  invitation to = {.addresses = 0};
  pthread_t thread;
  const int listener = listen_anywhere(&to.port);
  list_addresses(&to);
  if (getrandom(to.secret, sizeof to.secret, 0) != (ssize_t)sizeof to.secret) fail("getrandom: no secret");
  tell(&to, sizeof to);
  const hosts_map map = gather(listener, &to);
  if (pthread_create(&thread, NULL, serve, NULL) != 0) fail("pthread_create: no thread for the page");
  pthread_detach(thread);
  return map;
}

// Within some seconds, or not at all: many addresses of a host are of networks that others do not see.
static int try_address(const char* address, uint16_t port) {
  char service[8];
  struct addrinfo *found = NULL, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(address, service, &hints, &found) != 0) return -1;
  const int socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const struct timeval patience = {.tv_sec = connect_ms / 1000}, forever = {0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
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
  greeting mine = {.me = me, .machine = machine_number()};
  memcpy(mine.secret, to.secret, sizeof mine.secret);
  for (int i = 0; i < to.addresses; ++i) {
    line = try_address(to.address[i], to.port);
    if (line < 0) continue;
    if (give(line, &mine, sizeof mine) && take(line, &map, sizeof map)) return map;
    close(line);
  }
  fail("process 0 is at none of its addresses: is there a firewall between the hosts?");
}

hosts_map hosts_open(int my_number, int processes, void* at, size_t bytes, hosts_tell* tell) {
  me = my_number;
  pes = processes;
  page = at;
  page_bytes = bytes;
  if (pes > most_pes) fail("at most 64 processes can share a page");
  return me == 0 ? host_all(tell) : join(tell);
}

// ---- questions

static void ask(question what, const void* part, size_t bytes, uint64_t value) {
  const uint64_t offset = part != NULL ? (uint64_t)((const char*)part - page) : 0;
  const request asked = {(uint32_t)what, (uint32_t)bytes, offset, value};
  if (!give(line, &asked, sizeof asked)) fail("process 0 has gone");
}

static uint64_t hear(void) {
  uint64_t value;
  if (!take(line, &value, sizeof value)) fail("process 0 has gone");
  return value;
}

uint64_t hosts_get(const uint64_t* word) {
  if (me == 0) return __atomic_load_n(word, __ATOMIC_ACQUIRE);
  ask(ask_get, word, sizeof *word, 0);
  return hear();
}

// When it returns the value is there: whom this process meets next, by a library's barrier, finds it.
void hosts_set(uint64_t* word, uint64_t value) {
  if (me == 0) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    return;
  }
  ask(ask_set, word, sizeof *word, value);
  hear();
}

uint64_t hosts_add(uint64_t* word, uint64_t value) {
  if (me == 0) return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
  ask(ask_add, word, sizeof *word, value);
  return hear();
}

void hosts_deliver(const void* part, size_t bytes) {
  if (me == 0) return;
  ask(ask_deliver, part, bytes, 0);
  if (!give(line, part, bytes)) fail("process 0 has gone");
}

void hosts_barrier(void (*pastime)(void), bool may_sleep) {
  ask(ask_barrier, NULL, 0, 0);
  struct pollfd ready = {.fd = line, .events = POLLIN};
  while (!may_sleep && poll(&ready, 1, 0) == 0) {
    if (pastime != NULL) pastime();
    sched_yield();  // the thread that answers may need this CPU
  }
  hear();
}
