// A test double of libfabric.so.1. It runs over the real library's tcp;ofi_rxm, but presents and enforces the
// properties of another provider: FABRIC_ROW=cxi selects a row of the table below. What the row does not allow fails as
// it does there. Load it with LD_LIBRARY_PATH.
//
// Rows without message order deliver operations late and in random order: the double holds them, as a card with several
// paths does, and passes them on when the program reads completions.
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t full_order = FI_ORDER_WAW | FI_ORDER_WAS | FI_ORDER_SAW | FI_ORDER_SAS | FI_ORDER_RAW;

struct row {
  const char* name;
  const char* provider;  // as fi_getinfo reports it
  bool remote_data;      // RMA accepts FI_REMOTE_CQ_DATA
  bool descriptor;       // completion queues have FI_WAIT_FD
  std::uint64_t order;
  std::size_t max_message;
  std::size_t inject;
  std::size_t key_bytes;
  std::size_t max_queue;    // of completions
  unsigned refuses_one_in;  // calls that return -FI_EAGAIN; 0: none
};

constexpr std::size_t GiB = std::size_t{1} << 30;
constexpr row rows[] = {
    {"tcp", "tcp;ofi_rxm", true, true, full_order, SIZE_MAX, 64, 8, SIZE_MAX, 0},
    {"cxi", "cxi", false, true, full_order, 4 * GiB - 1, 192, 4, SIZE_MAX, 16},
    {"verbs", "verbs;ofi_rxm", true, true, full_order, std::size_t{8} << 20, 64, 4, 32767, 16},
    {"efa", "efa", false, false, FI_ORDER_SAS, GiB, 32, 8, SIZE_MAX, 8},
    {"opx", "opx", true, false, 0, GiB, 8192, 8, SIZE_MAX, 8},
    {"psm3", "psm3", true, false, FI_ORDER_SAS, 4 * GiB - 1, 64, 8, SIZE_MAX, 8},
    {"hostile", "hostile", false, false, 0, 8192, 0, 2, 512, 2},
};

const row& chosen() {
  static const row* found = [] {
    const char* wanted = getenv("FABRIC_ROW");
    for (const row& r : rows)
      if (wanted != nullptr && strcmp(r.name, wanted) == 0) return &r;
    fprintf(stderr, "fabric double: FABRIC_ROW=%s names no row\n", wanted != nullptr ? wanted : "");
    abort();
  }();
  return *found;
}

// ---- the real library -----------------------------------------------------------------------------------------

constexpr char real_provider[] = "tcp;ofi_rxm";

template <class F>
F real(const char* name) {
  static void* library = dlopen(REAL_LIBFABRIC, RTLD_NOW | RTLD_LOCAL);
  void* routine = library != nullptr ? dlsym(library, name) : nullptr;
  if (routine == nullptr) fprintf(stderr, "fabric double: %s: %s\n", REAL_LIBFABRIC, dlerror()), abort();
  return reinterpret_cast<F>(routine);
}

// The real library knows its own provider and limits only, so calls get a copy of the info with these.
class real_info {
 public:
  explicit real_info(const fi_info* shown) : info_(real<fi_info* (*)(const fi_info*)>("fi_dupinfo")(shown)) {
    free(info_->fabric_attr->prov_name);
    info_->fabric_attr->prov_name = strdup(real_provider);
    info_->ep_attr->max_msg_size = info_->tx_attr->inject_size = 0;
    info_->tx_attr->msg_order = info_->rx_attr->msg_order = full_order;
    info_->domain_attr->mr_key_size = 8;
  }
  ~real_info() { real<void (*)(fi_info*)>("fi_freeinfo")(info_); }
  real_info(const real_info&) = delete;
  real_info& operator=(const real_info&) = delete;
  fi_info* get() { return info_; }

 private:
  fi_info* info_;
};

// ---- refusals -------------------------------------------------------------------------------------------------

std::mutex lock;  // guards everything below
std::minstd_rand randomness(1);
unsigned long refused = 0, held_back = 0;

bool refuses() {
  if (chosen().refuses_one_in == 0) return false;
  const std::lock_guard hold(lock);
  if (randomness() % chosen().refuses_one_in != 0) return false;
  ++refused;
  return true;
}

// ---- operations that are held back ------------------------------------------------------------------------------

enum class kind { write, read, send };

struct held {
  fid_ep* endpoint;
  kind what;
  std::uint64_t flags;
  iovec here;
  fi_rma_iov there;
  fi_addr_t peer;
  void* context;
  std::vector<char> copy;  // of an injected message
};
std::vector<held> waiting;

fi_ops_rma rma_ops;
fi_ops_msg msg_ops;
const fi_ops_rma* real_rma = nullptr;
const fi_ops_msg* real_msg = nullptr;

ssize_t pass_on(const held& h) {
  if (h.what == kind::send) {
    if (!h.copy.empty()) return real_msg->inject(h.endpoint, h.copy.data(), h.copy.size(), h.peer);
    return real_msg->send(h.endpoint, h.here.iov_base, h.here.iov_len, nullptr, h.peer, h.context);
  }
  fi_msg_rma m{};
  m.msg_iov = &h.here;
  m.iov_count = 1;
  m.addr = h.peer;
  m.rma_iov = &h.there;
  m.rma_iov_count = 1;
  m.context = h.context;
  return h.what == kind::write ? real_rma->writemsg(h.endpoint, &m, h.flags)
                               : real_rma->readmsg(h.endpoint, &m, h.flags);
}

// Passes on a random half of the operations in random order.
void release_some() {
  const std::lock_guard hold(lock);
  for (std::size_t n = (waiting.size() + 1) / 2; n > 0; --n) {
    std::swap(waiting[randomness() % waiting.size()], waiting.back());
    if (pass_on(waiting.back()) != 0) return;
    waiting.pop_back();
  }
}

// Orders that the row keeps are kept by passing sends on at once.
bool may_hold(kind what) {
  if (chosen().order == full_order) return false;
  return what != kind::send || (chosen().order & FI_ORDER_SAS) == 0;
}

ssize_t issue(held h) {
  if (refuses()) return -FI_EAGAIN;
  if (!may_hold(h.what)) return pass_on(h);
  const std::lock_guard hold(lock);
  if (waiting.size() >= 64) return -FI_EAGAIN;
  waiting.push_back(std::move(h));
  ++held_back;
  return 0;
}

// ---- the provider's functions -----------------------------------------------------------------------------------

ssize_t rma(fid_ep* ep, kind what, const fi_msg_rma* m, std::uint64_t flags) {
  if ((flags & FI_REMOTE_CQ_DATA) != 0 && !chosen().remote_data) return -FI_EBADFLAGS;
  if (m->msg_iov[0].iov_len > chosen().max_message) return -FI_EMSGSIZE;
  return issue({ep, what, flags, m->msg_iov[0], m->rma_iov[0], m->addr, m->context, {}});
}

ssize_t writemsg(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags) { return rma(ep, kind::write, m, flags); }
ssize_t readmsg(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags) { return rma(ep, kind::read, m, flags); }

ssize_t send(fid_ep* ep, const void* from, std::size_t bytes, void*, fi_addr_t to, void* context) {
  if (bytes > chosen().max_message) return -FI_EMSGSIZE;
  return issue({ep, kind::send, 0, {const_cast<void*>(from), bytes}, {}, to, context, {}});
}

ssize_t inject(fid_ep* ep, const void* from, std::size_t bytes, fi_addr_t to) {
  if (bytes > chosen().inject) return -FI_EINVAL;
  const auto* begin = static_cast<const char*>(from);
  return issue({ep, kind::send, 0, {}, {}, to, nullptr, {begin, begin + bytes}});
}

ssize_t recv(fid_ep* ep, void* to, std::size_t bytes, void* descriptor, fi_addr_t from, void* context) {
  return refuses() ? -FI_EAGAIN : real_msg->recv(ep, to, bytes, descriptor, from, context);
}

fi_ops_cq cq_ops;
const fi_ops_cq* real_cq = nullptr;

ssize_t cq_read(fid_cq* cq, void* to, std::size_t n) {
  release_some();
  return real_cq->read(cq, to, n);
}

fi_ops_domain domain_ops;
const fi_ops_domain* real_domain = nullptr;

int cq_open(fid_domain* domain, fi_cq_attr* attr, fid_cq** cq, void* context) {
  if (attr->wait_obj == FI_WAIT_FD && !chosen().descriptor) return -FI_ENOSYS;
  if (attr->size > chosen().max_queue) return -FI_EINVAL;
  const int code = real_domain->cq_open(domain, attr, cq, context);
  if (code != 0) return code;
  real_cq = (*cq)->ops;
  cq_ops = *real_cq;
  cq_ops.read = cq_read;
  (*cq)->ops = &cq_ops;
  return 0;
}

int endpoint(fid_domain* domain, fi_info* info, fid_ep** ep, void* context) {
  real_info mine(info);
  const int code = real_domain->endpoint(domain, mine.get(), ep, context);
  if (code != 0) return code;
  real_rma = (*ep)->rma;
  rma_ops = *real_rma;
  rma_ops.writemsg = writemsg;
  rma_ops.readmsg = readmsg;
  (*ep)->rma = &rma_ops;
  real_msg = (*ep)->msg;
  msg_ops = *real_msg;
  msg_ops.send = send;
  msg_ops.inject = inject;
  msg_ops.recv = recv;
  (*ep)->msg = &msg_ops;
  return 0;
}

fi_ops_mr mr_ops;
const fi_ops_mr* real_mr = nullptr;

// Short keys collide, as they do where all processes of a node share a card's key space.
int mr_reg(fid* domain, const void* at, std::size_t bytes, std::uint64_t access, std::uint64_t offset,
           std::uint64_t key, std::uint64_t flags, fid_mr** mr, void* context) {
  if (chosen().key_bytes < 8 && key >> (8 * chosen().key_bytes) != 0) return -FI_EKEYREJECTED;
  if (chosen().key_bytes < 8 && refuses()) return -FI_ENOKEY;
  return real_mr->reg(domain, at, bytes, access, offset, key, flags, mr, context);
}

fi_ops_fabric fabric_ops;
const fi_ops_fabric* real_fabric = nullptr;

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void* context) {
  real_info mine(info);
  const int code = real_fabric->domain(fabric, mine.get(), domain, context);
  if (code != 0) return code;
  real_domain = (*domain)->ops;
  domain_ops = *real_domain;
  domain_ops.endpoint = endpoint;
  domain_ops.cq_open = cq_open;
  (*domain)->ops = &domain_ops;
  real_mr = (*domain)->mr;
  mr_ops = *real_mr;
  mr_ops.reg = mr_reg;
  (*domain)->mr = &mr_ops;
  return 0;
}

// While operations are held back there is something to do.
int trywait(fid_fabric* fabric, fid** fids, int n) {
  {
    const std::lock_guard hold(lock);
    if (!waiting.empty()) return -FI_EAGAIN;
  }
  return real_fabric->trywait(fabric, fids, n);
}

void present(fi_info& info) {
  const row& r = chosen();
  free(info.fabric_attr->prov_name);
  info.fabric_attr->prov_name = strdup(r.provider);
  info.tx_attr->msg_order = info.rx_attr->msg_order = r.order;
  info.tx_attr->inject_size = r.inject;
  if (info.ep_attr->max_msg_size > r.max_message) info.ep_attr->max_msg_size = r.max_message;
  info.domain_attr->mr_key_size = r.key_bytes;
  info.domain_attr->cq_data_size = 8;  // cxi reports it too, although it refuses the flag
}

struct report {
  ~report() {
    if (getenv("FABRIC_DOUBLE_COUNTS") != nullptr)
      fprintf(stderr, "fabric double: %lu refused, %lu held back\n", refused, held_back);
  }
} at_end;

}  // namespace

// ---- exported -------------------------------------------------------------------------------------------------

extern "C" {

#undef fi_getinfo
#undef fi_dupinfo
#undef fi_freeinfo
#undef fi_fabric

// Of the real offers the first one for each domain remains, as that of the row's provider.
[[gnu::visibility("default")]] int fi_getinfo(std::uint32_t version, const char* node, const char* service,
                                              std::uint64_t flags, const fi_info* hints, fi_info** offers) {
  using routine = int (*)(std::uint32_t, const char*, const char*, std::uint64_t, const fi_info*, fi_info**);
  const char* wanted = hints != nullptr ? hints->fabric_attr->prov_name : nullptr;
  if (wanted != nullptr && strcmp(wanted, chosen().provider) != 0 && strcmp(wanted, chosen().name) != 0)
    return -FI_ENODATA;
  fi_info* mine = real<fi_info* (*)(const fi_info*)>("fi_dupinfo")(hints);
  free(mine->fabric_attr->prov_name);
  mine->fabric_attr->prov_name = strdup(real_provider);
  const int code = real<routine>("fi_getinfo")(version, node, service, flags, mine, offers);
  real<void (*)(fi_info*)>("fi_freeinfo")(mine);
  for (fi_info* i = code == 0 ? *offers : nullptr; i != nullptr; i = i->next) present(*i);
  return code;
}

[[gnu::visibility("default")]] void fi_freeinfo(fi_info* info) { real<void (*)(fi_info*)>("fi_freeinfo")(info); }

[[gnu::visibility("default")]] fi_info* fi_dupinfo(const fi_info* info) {
  return real<fi_info* (*)(const fi_info*)>("fi_dupinfo")(info);
}

[[gnu::visibility("default")]] int fi_fabric(fi_fabric_attr* attr, fid_fabric** fabric, void* context) {
  fi_fabric_attr mine = *attr;
  std::string provider = real_provider;
  mine.prov_name = provider.data();
  const int code = real<int (*)(fi_fabric_attr*, fid_fabric**, void*)>("fi_fabric")(&mine, fabric, context);
  if (code != 0) return code;
  real_fabric = (*fabric)->ops;
  fabric_ops = *real_fabric;
  fabric_ops.domain = open_domain;
  fabric_ops.trywait = trywait;
  (*fabric)->ops = &fabric_ops;
  return 0;
}

[[gnu::visibility("default")]] const char* fi_strerror(int error) {
  return real<const char* (*)(int)>("fi_strerror")(error);
}

[[gnu::visibility("default")]] std::uint32_t fi_version() { return real<std::uint32_t (*)()>("fi_version")(); }

}  // extern "C"
