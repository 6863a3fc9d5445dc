/* libfabric itself: fi_write, complete when the target has the bytes, and fi_read, with their completions and nothing
 * else. Run "fabric PROVIDER serve PORT [quick]" on one host and "fabric PROVIDER ADDRESS PORT [quick]" on the other.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "moves.h"

typedef struct {
  char name[64];
  uint64_t name_bytes, base, key;
} card;

static struct fid_ep* endpoint;
static struct fid_cq* completions;
static struct fid_av* names;
static struct fid_mr *window_registered, *local_registered;
static fi_addr_t peer;
static card theirs;
static char *window, *local;
static uint64_t base;  // of the memory region, in the address mode of the provider
static int line;       // the connection to the other process

static void must(long code, const char* what) {
  if (code >= 0) return;
  fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-code));
  exit(1);
}

static void await(void) {
  struct fi_cq_entry entry;
  for (;;) {
    const ssize_t n = fi_cq_read(completions, &entry, 1);
    if (n == 1) return;
    if (n != -FI_EAGAIN) must(n == -FI_EAVAIL ? -FI_EIO : n, "fi_cq_read");
  }
}

static void transfer(size_t bytes, int is_put) {
  struct iovec here = {local, bytes};
  struct fi_rma_iov there = {theirs.base, bytes, theirs.key};
  void* described = local_registered != NULL ? fi_mr_desc(local_registered) : NULL;
  static struct fi_context2 context;
  struct fi_msg_rma what = {.msg_iov = &here,
                            .desc = &described,
                            .iov_count = 1,
                            .addr = peer,
                            .rma_iov = &there,
                            .rma_iov_count = 1,
                            .context = &context};
  ssize_t code;
  do {
    code = is_put ? fi_writemsg(endpoint, &what, FI_DELIVERY_COMPLETE | FI_COMPLETION)
                  : fi_readmsg(endpoint, &what, FI_COMPLETION);
    if (code == -FI_EAGAIN) fi_cq_read(completions, NULL, 0);
  } while (code == -FI_EAGAIN);
  must(code, is_put ? "fi_writemsg" : "fi_readmsg");
  await();
}
static void put(size_t bytes, long number) {
  stamp(local, bytes, number);
  transfer(bytes, 1);
}
static void get(size_t bytes, long number) {
  stamp(local, bytes, -number);  // what the last get brought is gone
  transfer(bytes, 0);
}

// Serves the other process until it comes here too.
static void meet(void) {
  char byte = 0;
  if (write(line, &byte, 1) != 1) must(-errno, "the other side");
  ssize_t n;
  while ((n = recv(line, &byte, 1, MSG_DONTWAIT)) < 0 && errno == EAGAIN) fi_cq_read(completions, NULL, 0);
  if (n != 1) must(n < 0 ? -errno : -ECONNRESET, "the other side");
}

static void open_endpoint(const char* provider) {
  struct fi_info *hints = fi_allocinfo(), *info = NULL;
  struct fid_fabric* fabric;
  struct fid_domain* domain;
  hints->caps = FI_MSG | FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->addr_format = FI_SOCKADDR_IN;
  hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->name = strdup("eth0");
  hints->fabric_attr->prov_name = strdup(provider);
  must(fi_getinfo(FI_VERSION(1, 14), NULL, NULL, 0, hints, &info), "fi_getinfo");
  base = (info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? (uint64_t)window : 0;
  struct fi_cq_attr queue = {.format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_NONE};
  struct fi_av_attr table = {.type = FI_AV_TABLE};
  must(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
  must(fi_domain(fabric, info, &domain, NULL), "fi_domain");
  must(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
  must(fi_cq_open(domain, &queue, &completions, NULL), "fi_cq_open");
  must(fi_av_open(domain, &table, &names, NULL), "fi_av_open");
  must(fi_ep_bind(endpoint, &names->fid, 0), "fi_ep_bind");
  must(fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
  must(fi_enable(endpoint), "fi_enable");
  must(fi_mr_reg(domain, window, most_bytes, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 7, 0, &window_registered, NULL),
       "fi_mr_reg");
  must(fi_mr_reg(domain, local, most_bytes, FI_READ | FI_WRITE, 0, 8, 0, &local_registered, NULL), "fi_mr_reg");
}

static int joined(const char* with, int port) {
  struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  if (strcmp(with, "serve") == 0) {
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr*)&where, sizeof where) != 0 || listen(fd, 1) != 0) must(-errno, "listen");
    return accept(fd, NULL, NULL);
  }
  inet_pton(AF_INET, with, &where.sin_addr);
  for (int tries = 0; connect(fd, (struct sockaddr*)&where, sizeof where) != 0; ++tries) {
    if (tries == 500) must(-errno, "connect");
    usleep(10000);
  }
  return fd;
}

int main(int argc, char** argv) {
  if (argc < 4) return fprintf(stderr, "usage: fabric PROVIDER serve|ADDRESS PORT [quick]\n"), 2;
  is_quick = argc > 4 && strcmp(argv[4], "quick") == 0;
  const int me = strcmp(argv[2], "serve") == 0;
  window = aligned_alloc(4096, most_bytes);
  local = aligned_alloc(4096, most_bytes);
  memset(window, 0, most_bytes);
  memset(local, 0, most_bytes);
  expect_up_to(most_bytes);
  open_endpoint(argv[1]);
  line = joined(argv[2], atoi(argv[3]));
  card mine = {.base = base, .key = fi_mr_key(window_registered), .name_bytes = sizeof mine.name};
  size_t name_bytes = sizeof mine.name;
  must(fi_getname(&endpoint->fid, mine.name, &name_bytes), "fi_getname");
  if (write(line, &mine, sizeof mine) != sizeof mine ||
      recv(line, &theirs, sizeof theirs, MSG_WAITALL) != sizeof theirs)
    must(-EIO, "the other side");
  if (fi_av_insert(names, theirs.name, 1, &peer, 0, NULL) != 1) must(-EADDRNOTAVAIL, "fi_av_insert");
  measure_moves(&(world){.me = me, .size = 2, .source = local, .target = window, .put = put, .get = get, .meet = meet});
  return ending;
}

// ---- A fault (see engine.h), in the operations of the endpoint, which libfabric calls through tables

// Fault: writes and reads drop their middle.
// Noticed by: put, get
#ifdef BENCH_FAULT
#define _GNU_SOURCE
#include <dlfcn.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <stdlib.h>
static struct fi_ops_rma right;
static ssize_t with_ends(struct fid_ep* e, const struct fi_msg_rma* m, uint64_t flags,
                         __typeof__(right.writemsg) call) {
  const size_t n = m->msg_iov[0].iov_len;
  if (n < 24) return call(e, m, flags);
  char* at = m->msg_iov[0].iov_base;
  const struct fi_rma_iov there = m->rma_iov[0];
  struct fi_msg_rma ends = *m;
  ends.msg_iov = (struct iovec[]){{at, 8}, {at + n - 8, 8}};
  ends.rma_iov = (struct fi_rma_iov[]){{there.addr, 8, there.key}, {there.addr + n - 8, 8, there.key}};
  ends.desc = m->desc != NULL ? (void*[]){m->desc[0], m->desc[0]} : NULL;
  ends.iov_count = ends.rma_iov_count = 2;
  return call(e, &ends, flags);
}
static ssize_t faulty_write(struct fid_ep* e, const struct fi_msg_rma* m, uint64_t flags) {
  return with_ends(e, m, flags, right.writemsg);
}
static ssize_t faulty_read(struct fid_ep* e, const struct fi_msg_rma* m, uint64_t flags) {
  return with_ends(e, m, flags, right.readmsg);
}
static void* copied(const void* table, size_t size) { return memcpy(malloc(size), table, size); }
static int (*domain_of)(struct fid_fabric*, struct fi_info*, struct fid_domain**, void*);
static int (*endpoint_of)(struct fid_domain*, struct fi_info*, struct fid_ep**, void*);
static int faulty_endpoint(struct fid_domain* d, struct fi_info* i, struct fid_ep** e, void* context) {
  const int status = endpoint_of(d, i, e, context);
  if (status != 0) return status;
  struct fi_ops_rma* rma = copied((*e)->rma, sizeof *rma);
  right = *rma;
  rma->writemsg = faulty_write;
  rma->readmsg = faulty_read;
  (*e)->rma = rma;
  return 0;
}
static int faulty_domain(struct fid_fabric* f, struct fi_info* i, struct fid_domain** d, void* context) {
  const int status = domain_of(f, i, d, context);
  if (status != 0) return status;
  struct fi_ops_domain* ops = copied((*d)->ops, sizeof *ops);
  endpoint_of = ops->endpoint;
  ops->endpoint = faulty_endpoint;
  (*d)->ops = ops;
  return 0;
}
int fi_fabric(struct fi_fabric_attr* attributes, struct fid_fabric** f, void* context) {
  int (*const call)(struct fi_fabric_attr*, struct fid_fabric**, void*) = dlsym(RTLD_NEXT, "fi_fabric");
  static int depth;  // ofi_rxm calls it for its inner provider
  ++depth;
  const int status = call(attributes, f, context);
  if (--depth > 0 || status != 0) return status;
  struct fi_ops_fabric* ops = copied((*f)->ops, sizeof *ops);
  domain_of = ops->domain;
  ops->domain = faulty_domain;
  (*f)->ops = ops;
  return 0;
}
#endif
