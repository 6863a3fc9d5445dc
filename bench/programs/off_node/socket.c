/* One TCP connection and nothing else: the floor of every library that uses TCP. Both processes poll their socket. Run
 * "socket serve PORT [quick]" on one host and "socket ADDRESS PORT [quick]" on the other.
 *
 * A put is answered when its bytes are in the memory of the target, a get and a fetch_add by their result. The target
 * serves them while it is in meet(), and while it computes by a thread that blocks until something comes. A message is
 * a head and its bytes, without an answer. A flag is a message of 8 bytes, a barrier a head both ways, and a broadcast
 * a message. The other collectives are a message both ways at once; a long sum has two, of a half each.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cases.h"

enum { op_put = 1, op_get, op_fetch_add, op_message, op_barrier, op_meet };
enum { least_halved = 4096 };  // bytes of a sum

typedef struct {
  unsigned op, bytes;
} head;

static int line;  // the connection
static char *source, *target;
static long counter;  // of this process
static int is_origin;
static int has_come;  // the origin, to its next meet()

static void must(int is_right, const char* what) {
  if (is_right) return;
  perror(what);
  exit(1);
}

// The bytes of a call that failed because the socket was not ready are 0.
static size_t done(ssize_t n, const char* what) {
  must(n > 0 || (n < 0 && errno == EAGAIN), what);
  return n > 0 ? (size_t)n : 0;
}

// A head and a payload, or what is left of them.
typedef struct {
  head first;
  struct iovec parts[2];
} frame;

static int has_more(const frame* f) { return f->parts[0].iov_len + f->parts[1].iov_len > 0; }

// One system call as long as the socket takes all.
static void send_some(frame* f) {
  const struct msghdr message = {.msg_iov = f->parts, .msg_iovlen = 2};
  size_t sent = done(sendmsg(line, &message, MSG_DONTWAIT | MSG_NOSIGNAL), "sendmsg");
  for (int i = 0; i < 2; ++i) {
    const size_t of_part = sent < f->parts[i].iov_len ? sent : f->parts[i].iov_len;
    f->parts[i].iov_base = (char*)f->parts[i].iov_base + of_part;
    f->parts[i].iov_len -= of_part;
    sent -= of_part;
  }
}

#define FRAME(name, op, payload, bytes)                           \
  frame name = {{op, (unsigned)(bytes)}, {}};                     \
  name.parts[0] = (struct iovec){&name.first, sizeof name.first}; \
  name.parts[1] = (struct iovec) { (void*)(payload), bytes }

static void send_frame(unsigned op, const void* payload, size_t bytes) {
  FRAME(f, op, payload, bytes);
  while (has_more(&f)) send_some(&f);
}

static void send_bytes(const void* bytes, size_t n) {
  for (const char* at = bytes; n > 0;) {
    const size_t sent = done(send(line, at, n, MSG_DONTWAIT | MSG_NOSIGNAL), "send");
    at += sent;
    n -= sent;
  }
}

static void receive_bytes(void* bytes, size_t n) {
  for (char* at = bytes; n > 0;) {
    const size_t received = done(recv(line, at, n, MSG_DONTWAIT), "recv");
    at += received;
    n -= received;
  }
}

static head receive_head(void) {
  head first;
  receive_bytes(&first, sizeof first);
  return first;
}

static void put(size_t bytes, long number) {
  char answer;
  stamp(source, bytes, number);
  send_frame(op_put, source, bytes);
  receive_bytes(&answer, 1);
}

static void get(size_t bytes, long number) {
  const head request = {op_get, (unsigned)bytes};
  stamp(source, bytes, -number);  // what the last get brought is gone
  send_bytes(&request, sizeof request);
  receive_bytes(source, bytes);
}

static long add(unsigned amount) {
  const head request = {op_fetch_add, amount};
  long before;
  send_bytes(&request, sizeof request);
  receive_bytes(&before, sizeof before);
  return before;
}
static long fetch_add(void) { return add(1); }
static long counted(void) { return add(0); }

static void send_message(size_t bytes, long number) {
  stamp(source, bytes, number);
  send_frame(op_message, source, bytes);
}
static void receive_message(size_t bytes) {
  const head first = receive_head();
  must(first.op == op_message && first.bytes == bytes, "another message");
  receive_bytes(target, bytes);
}
static const message_form forms[] = {{"pp_socket", send_message, receive_message}};

// Executes one operation of the origin; false if the origin has come to meet().
static int serve_one(void) {
  const head request = receive_head();
  switch (request.op) {
    case op_put:
      receive_bytes(target, request.bytes);
      send_bytes("", 1);
      return 1;
    case op_get: send_bytes(target, request.bytes); return 1;
    case op_fetch_add:
      counter += request.bytes;
      send_bytes(&(long){counter - request.bytes}, sizeof counter);
      return 1;
    default: must(request.op == op_meet, "an unknown operation"); return 0;
  }
}

static void meet(void) {
  if (is_origin) {
    send_frame(op_meet, NULL, 0);
    must(receive_head().op == op_meet, "the other side");
  } else {
    while (!has_come) has_come = !serve_one();
    send_frame(op_meet, NULL, 0);
    has_come = 0;
  }
}

static void* serve_until_it_comes(void* unused) {
  struct pollfd readable = {.fd = line, .events = POLLIN};
  while (!has_come) {
    must(poll(&readable, 1, -1) == 1, "poll");
    has_come = !serve_one();
  }
  return unused;
}

static void compute_and_serve(double seconds) {
  pthread_t server;
  must(pthread_create(&server, NULL, serve_until_it_comes, NULL) == 0, "pthread_create");
  compute(seconds);
  pthread_join(server, NULL);
}

static void barrier(size_t bytes, long number) {
  (void)bytes, (void)number;
  send_frame(op_barrier, NULL, 0);
  must(receive_head().op == op_barrier, "another barrier");
}

static void broadcast(size_t bytes, long number) {
  (void)number;
  if (is_origin)
    send_frame(op_message, source, bytes);
  else
    receive_message(bytes);
}

static void raise_flag(long value) { send_frame(op_message, &value, sizeof value); }
static long await_flag(long value) {
  long found;
  do {
    receive_head();
    receive_bytes(&found, sizeof found);
  } while (found < value);
  return found;
}

// A message both ways at once: neither socket waits until the other one is read.
static void exchange(const void* from, void* to, size_t bytes) {
  FRAME(f, op_message, from, bytes);
  head its;
  for (size_t got = 0; has_more(&f) || got < sizeof its + bytes;) {
    if (has_more(&f)) send_some(&f);
    if (got < sizeof its)
      got += done(recv(line, (char*)&its + got, sizeof its - got, MSG_DONTWAIT), "recv");
    else if (got < sizeof its + bytes)
      got += done(recv(line, (char*)to + got - sizeof its, sizeof its + bytes - got, MSG_DONTWAIT), "recv");
  }
}

// Blocks of this process and of the other one.
static char* mine_of(char* blocks, size_t bytes) { return is_origin ? blocks : blocks + bytes; }
static char* other_of(char* blocks, size_t bytes) { return is_origin ? blocks + bytes : blocks; }

static void fcollect(size_t bytes, long number) {
  (void)number;
  memcpy(mine_of(target, bytes), source, bytes);
  exchange(source, other_of(target, bytes), bytes);
}

static void alltoall(size_t bytes, long number) {
  (void)number;
  memcpy(mine_of(target, bytes), mine_of(source, bytes), bytes);
  exchange(other_of(source, bytes), other_of(target, bytes), bytes);
}

static void add_terms(size_t first, size_t bytes) {
  const unsigned long* terms = (const unsigned long*)(source + first);
  unsigned long* sums = (unsigned long*)(target + first);
  for (size_t i = 0; i < bytes / sizeof *sums; ++i) sums[i] += terms[i];
}

static void sum(size_t bytes, long number) {
  const size_t half = bytes / 2, mine = is_origin ? 0 : half;
  (void)number;
  if (bytes < least_halved) {
    exchange(source, target, bytes);
    add_terms(0, bytes);
    return;
  }
  exchange(source + half - mine, target + mine, half);
  add_terms(mine, half);
  exchange(target + mine, target + half - mine, half);
}

// A connection that takes another congestion control than bbr from its beginning sends without pauses.
static void send_at_once(int fd) {
  if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5) != 0)
    must(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4) == 0, "TCP_CONGESTION");
}

static int joined(const char* with, int port) {
  struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  send_at_once(fd);
  if (strcmp(with, "serve") == 0) {
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    must(bind(fd, (struct sockaddr*)&where, sizeof where) == 0 && listen(fd, 1) == 0, "listen");
    return accept(fd, NULL, NULL);
  }
  inet_pton(AF_INET, with, &where.sin_addr);
  for (int tries = 0; connect(fd, (struct sockaddr*)&where, sizeof where) != 0; ++tries) {
    must(tries < 500, "connect");
    usleep(10000);
  }
  return fd;
}

int main(int argc, char** argv) {
  if (argc < 3) return fprintf(stderr, "usage: socket serve|ADDRESS PORT [quick]\n"), 2;
  is_quick = is_given(argc, argv, "quick");
  is_origin = strcmp(argv[1], "serve") != 0;
  line = joined(argv[1], atoi(argv[2]));
  setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  source = malloc(room_for(2));
  target = malloc(room_for(2));
  counter = first_count;
  return measure_all(&(world){.me = !is_origin,
                              .size = 2,
                              .source = source,
                              .target = target,
                              .put = put,
                              .get = get,
                              .meet = meet,
                              .fetch_add = fetch_add,
                              .counted = counted,
                              .barrier = barrier,
                              .raise = raise_flag,
                              .await = await_flag,
                              .broadcast = broadcast,
                              .sum = sum,
                              .fcollect = fcollect,
                              .alltoall = alltoall,
                              .result_of_root = source,
                              .compute_and_serve = compute_and_serve,
                              .forms = forms,
                              .n_forms = COUNT(forms)},
                     0);
}

// ---- A fault (see engine.h), in a routine of the C library

// Fault: the middle of a long payload changes on its way.
// Noticed by: put, pp_socket, broadcast, sum, fcollect, alltoall
#ifdef BENCH_FAULT
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/types.h>
typedef ssize_t send_call(int fd, const struct msghdr* m, int flags);
ssize_t sendmsg(int fd, const struct msghdr* m, int flags) {
  send_call* const call = (send_call*)dlsym(RTLD_NEXT, "sendmsg");
  const size_t n = m->msg_iovlen == 2 ? m->msg_iov[1].iov_len : 0;
  if (n < 64) return call(fd, m, flags);
  char* const middle = (char*)m->msg_iov[1].iov_base + n / 2;
  *middle = (char)~*middle;
  const ssize_t sent = call(fd, m, flags);
  *middle = (char)~*middle;
  return sent;
}
#endif

// Fault: a result of 8 bytes has another last byte.
// Noticed by: get, fetch_add
#ifdef BENCH_FAULT
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/types.h>
typedef ssize_t send_call(int fd, const void* from, size_t n, int flags);
ssize_t send(int fd, const void* from, size_t n, int flags) {
  send_call* const call = (send_call*)dlsym(RTLD_NEXT, "send");
  const unsigned first = n == 8 ? *(const unsigned*)from : 2;
  if (first == 2 || first == 3) return call(fd, from, n, flags);  // a request
  unsigned char changed[8];
  for (size_t i = 0; i < n; ++i) changed[i] = ((const unsigned char*)from)[i];
  changed[7] ^= 1;
  return call(fd, changed, n, flags);
}
#endif
