// A test double of libfabric.so.1. It runs over the real library's tcp;ofi_rxm, but presents and enforces the
// properties of another provider: FABRIC_ROW=cxi selects a row of the table below. What the row does not allow fails as
// it does there. Load it with LD_LIBRARY_PATH.
//
// Rows without message order deliver operations late and in random order: the double holds them, as a card with several
// paths does, and passes them on when the program reads completions. FABRIC_LOST=N: after N operations towards its
// first peer, a process reaches this peer no more. Operations fail then, and injected messages vanish. FABRIC_CARDS=N:
// the node has N cards, card0 and so on; each process says on standard error which one it opens.
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

// The library may finalize after the destructors of static objects have run, so such objects are never destroyed.
template <class T>
T& kept() {
  return *new T;
}

constexpr std::uint64_t full_order = FI_ORDER_WAW | FI_ORDER_WAS | FI_ORDER_SAW | FI_ORDER_SAS | FI_ORDER_RAW;
constexpr int basic_memory = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;

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
  int memory_mode;          // mr_mode
  bool late_completions;    // an operation is reported some time after it has taken effect
  bool counters;            // of operations
  bool card;                // a RoCE card: it cannot connect by its InfiniBand addresses, and its queues are short
};

constexpr std::size_t GiB = std::size_t{1} << 30;
constexpr row rows[] = {
    {"tcp", "tcp;ofi_rxm", true, true, full_order, SIZE_MAX, 64, 8, SIZE_MAX, 0, 0, false, true, false},
    {"cxi", "cxi", false, true, FI_ORDER_SAS | FI_ORDER_WAW, 4 * GiB - 1, 192, 4, SIZE_MAX, 16, FI_MR_ENDPOINT, true,
     true, false},
    {"verbs", "verbs;ofi_rxm", true, true, full_order, std::size_t{8} << 20, 192, 4, 32767, 16, basic_memory, true,
     true, true},
    {"efa", "efa", false, false, FI_ORDER_SAS, GiB, 32, 8, SIZE_MAX, 8, basic_memory, false, true, false},
    {"opx", "opx", true, false, 0, GiB, 8192, 8, SIZE_MAX, 8, FI_MR_VIRT_ADDR, false, true, false},
    {"psm3", "psm3", true, false, FI_ORDER_SAS, 4 * GiB - 1, 64, 8, SIZE_MAX, 8, 0, false, true, false},
    {"hostile", "hostile", false, false, 0, 8192, 0, 2, 512, 2, basic_memory | FI_MR_ENDPOINT, true, false, false},
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

// The real domain behind the cards that the double presents; "" without FABRIC_CARDS.
auto& real_interface = kept<std::string>();
std::uint32_t real_format = 0;

int cards() {
  const char* text = getenv("FABRIC_CARDS");
  return text != nullptr ? atoi(text) : 0;
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
    info_->domain_attr->mr_mode = 0;
    if (real_interface.empty()) return;
    free(info_->domain_attr->name);
    info_->domain_attr->name = strdup(real_interface.c_str());
    info_->addr_format = real_format;
  }
  ~real_info() { real<void (*)(fi_info*)>("fi_freeinfo")(info_); }
  real_info(const real_info&) = delete;
  real_info& operator=(const real_info&) = delete;
  fi_info* get() { return info_; }

 private:
  fi_info* info_;
};

// ---- refusals -------------------------------------------------------------------------------------------------

// Guards everything below, and the calls of the real library that move or read operations. Recursive: the real trywait
// reads the completion queue, by the double's own routine.
std::recursive_mutex lock;
std::minstd_rand randomness(1);
unsigned long refused = 0, held_back = 0;

std::uint64_t random_key(std::size_t key_bytes) {
  const std::lock_guard hold(lock);
  const std::uint64_t key = (std::uint64_t{randomness()} << 31) ^ randomness();
  return key_bytes < 8 ? key & ((std::uint64_t{1} << (8 * key_bytes)) - 1) : key;
}

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
  std::vector<char> copy;  // of an injected operation
};
auto& waiting = kept<std::vector<held>>();

fi_ops_rma rma_ops;
fi_ops_msg msg_ops;
const fi_ops_rma* real_rma = nullptr;
const fi_ops_msg* real_msg = nullptr;

bool is_injected(const held& h) { return (h.flags & FI_INJECT) != 0; }

// The provider below takes FI_INJECT for short writes only. The copy of a longer one is the context of its operation
// here.
constexpr std::size_t most_injected = 64;
auto& copies = kept<std::unordered_map<void*, std::vector<char>>>();

ssize_t write_from_copy(fi_msg_rma m, held& h) {
  m.context = h.copy.data();
  const ssize_t code = real_rma->writemsg(h.endpoint, &m, (h.flags & ~std::uint64_t{FI_INJECT}) | FI_COMPLETION);
  if (code == 0) copies.emplace(m.context, std::move(h.copy));
  return code;
}

ssize_t pass_on(held& h) {
  const iovec here{is_injected(h) ? const_cast<char*>(h.copy.data()) : h.here.iov_base, h.here.iov_len};
  if (h.what == kind::send) {
    if (is_injected(h)) return real_msg->inject(h.endpoint, here.iov_base, here.iov_len, h.peer);
    const fi_msg m{&here, nullptr, 1, h.peer, h.context, 0};
    return real_msg->sendmsg(h.endpoint, &m, h.flags);
  }
  fi_msg_rma m{};
  m.msg_iov = &here;
  m.iov_count = 1;
  m.addr = h.peer;
  m.rma_iov = &h.there;
  m.rma_iov_count = 1;
  m.context = h.context;
  if (is_injected(h) && here.iov_len > most_injected) return write_from_copy(m, h);
  return h.what == kind::write ? real_rma->writemsg(h.endpoint, &m, h.flags)
                               : real_rma->readmsg(h.endpoint, &m, h.flags);
}

// A random operation, or the first write to the same peer if the row keeps the order of writes.
std::vector<held>::iterator next_to_release() {
  const auto any = waiting.begin() + static_cast<std::ptrdiff_t>(randomness() % waiting.size());
  if (any->what != kind::write || (chosen().order & FI_ORDER_WAW) == 0) return any;
  return std::find_if(waiting.begin(), any, [&](const held& h) {
    return h.what == kind::write && h.endpoint == any->endpoint && h.peer == any->peer;
  });
}

// Passes on a random half of the operations.
void release_some() {
  const std::lock_guard hold(lock);
  for (std::size_t n = (waiting.size() + 1) / 2; n > 0; --n) {
    const auto next = next_to_release();
    if (pass_on(*next) != 0) return;
    waiting.erase(next);
  }
}

// Orders of sends that the row keeps are kept by passing sends on at once.
bool may_hold(kind what) {
  if (chosen().order == full_order) return false;
  return what != kind::send || (chosen().order & FI_ORDER_SAS) == 0;
}

// ---- completions ------------------------------------------------------------------------------------------------

struct completion {
  fid_ep* endpoint;
  fi_cq_data_entry entry;
};
auto& late = kept<std::vector<completion>>();                // they happened, but the program does not know it yet
auto& lost = kept<std::vector<completion>>();                // of operations towards a lost peer
auto& issuers = kept<std::unordered_map<void*, fid_ep*>>();  // by the context of an operation in progress
auto& in_progress = kept<std::unordered_map<fid_ep*, std::size_t>>();  // number of operations, without injected ones
constexpr std::size_t room_for_receives = 256, card_queue = 2048;

// An operation has an entry of the card's queue until it is reported.
bool has_room(fid_ep* endpoint) {
  if (chosen().late_completions && in_progress[endpoint] >= card_queue) return false;
  return chosen().max_queue == SIZE_MAX || in_progress[endpoint] + room_for_receives < chosen().max_queue;
}

// An operation without FI_COMPLETION leaves no entry.
bool leaves_entry(const held& h) { return (h.flags & FI_COMPLETION) != 0; }

void note_issue(const held& h) {
  if (!leaves_entry(h)) return;
  issuers[h.context] = h.endpoint;
  ++in_progress[h.endpoint];
}

// The endpoint whose operation is complete, or null: a receive.
fid_ep* end_operation(void* context) {
  const auto found = issuers.find(context);
  if (found == issuers.end()) return nullptr;
  fid_ep* endpoint = found->second;
  issuers.erase(found);
  --in_progress[endpoint];
  return endpoint;
}

// True: the operation goes to the lost peer, and this function has disposed of it.
bool lose(const held& h) {
  static const char* const text = getenv("FABRIC_LOST");
  static long rest = text != nullptr ? atol(text) : -1;
  if (rest < 0 || h.peer != 0) return false;
  if (rest > 0) return --rest, false;
  lost.push_back({h.endpoint, {.op_context = h.context, .flags = 0, .len = 0, .buf = nullptr, .data = 0}});
  return true;
}

ssize_t issue(held h) {
  if (refuses()) return -FI_EAGAIN;
  const std::lock_guard hold(lock);
  if (lose(h)) return 0;
  if (!has_room(h.endpoint)) return -FI_EAGAIN;
  if (!may_hold(h.what)) {
    note_issue(h);  // first, because another thread may read the completion at once
    const ssize_t code = pass_on(h);
    if (code != 0 && leaves_entry(h)) end_operation(h.context);
    return code;
  }
  if (waiting.size() >= 64) return -FI_EAGAIN;
  note_issue(h);
  waiting.push_back(std::move(h));
  ++held_back;
  return 0;
}

// ---- the provider's functions -----------------------------------------------------------------------------------

held operation(fid_ep* ep, kind what, std::uint64_t flags, const void* local, std::size_t bytes, fi_addr_t peer) {
  held h{ep, what, flags, {const_cast<void*>(local), bytes}, {}, peer, nullptr, {}};
  const auto* begin = static_cast<const char*>(local);
  if ((flags & FI_INJECT) != 0) h.copy.assign(begin, begin + bytes);
  return h;
}

ssize_t rma(held h, fi_rma_iov there, void* context) {
  if ((h.flags & FI_REMOTE_CQ_DATA) != 0 && !chosen().remote_data) return -FI_EBADFLAGS;
  if (h.here.iov_len > chosen().max_message) return -FI_EMSGSIZE;
  if (is_injected(h) && h.here.iov_len > chosen().inject) return -FI_EINVAL;
  h.there = there;
  h.context = context;
  return issue(std::move(h));
}

// The calls without flags complete as the endpoint's op_flags say.
constexpr std::uint64_t usual = FI_DELIVERY_COMPLETE;

ssize_t message(fid_ep* ep, kind what, const fi_msg_rma* m, std::uint64_t flags) {
  return rma(operation(ep, what, flags, m->msg_iov[0].iov_base, m->msg_iov[0].iov_len, m->addr), m->rma_iov[0],
             m->context);
}
ssize_t writemsg(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags) { return message(ep, kind::write, m, flags); }
ssize_t readmsg(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags) { return message(ep, kind::read, m, flags); }
ssize_t read(fid_ep* ep, void* to, std::size_t n, void*, fi_addr_t from, std::uint64_t at, std::uint64_t key, void* c) {
  return rma(operation(ep, kind::read, 0, to, n, from), {at, n, key}, c);
}
ssize_t write(fid_ep* ep, const void* from, std::size_t n, void*, fi_addr_t to, std::uint64_t at, std::uint64_t key,
              void* c) {
  return rma(operation(ep, kind::write, usual, from, n, to), {at, n, key}, c);
}
ssize_t writedata(fid_ep* ep, const void* from, std::size_t n, void*, std::uint64_t, fi_addr_t to, std::uint64_t at,
                  std::uint64_t key, void* c) {
  return rma(operation(ep, kind::write, usual | FI_REMOTE_CQ_DATA, from, n, to), {at, n, key}, c);
}
ssize_t inject_write(fid_ep* ep, const void* from, std::size_t n, fi_addr_t to, std::uint64_t at, std::uint64_t key) {
  return rma(operation(ep, kind::write, usual | FI_INJECT, from, n, to), {at, n, key}, nullptr);
}
ssize_t inject_writedata(fid_ep* ep, const void* from, std::size_t n, std::uint64_t, fi_addr_t to, std::uint64_t at,
                         std::uint64_t key) {
  return rma(operation(ep, kind::write, usual | FI_INJECT | FI_REMOTE_CQ_DATA, from, n, to), {at, n, key}, nullptr);
}

ssize_t sendmsg(fid_ep* ep, const fi_msg* m, std::uint64_t flags) {
  if (m->msg_iov[0].iov_len > chosen().max_message) return -FI_EMSGSIZE;
  held h = operation(ep, kind::send, flags, m->msg_iov[0].iov_base, m->msg_iov[0].iov_len, m->addr);
  h.context = m->context;
  return issue(std::move(h));
}

ssize_t inject(fid_ep* ep, const void* from, std::size_t bytes, fi_addr_t to) {
  if (bytes > chosen().inject) return -FI_EINVAL;
  return issue(operation(ep, kind::send, FI_INJECT, from, bytes, to));
}

ssize_t recv(fid_ep* ep, void* to, std::size_t bytes, void* descriptor, fi_addr_t from, void* context) {
  if (refuses()) return -FI_EAGAIN;
  const std::lock_guard hold(lock);
  return real_msg->recv(ep, to, bytes, descriptor, from, context);
}

fi_ops_cq cq_ops;
const fi_ops_cq* real_cq = nullptr;

auto& queue_of = kept<std::unordered_map<fid_ep*, fid_cq*>>();

// Removes the first completion of this queue from a list.
bool take_completion(std::vector<completion>& from, const fid_cq* cq, completion& taken) {
  const auto mine = [&](const completion& c) { return queue_of[c.endpoint] == cq; };
  const auto found = std::find_if(from.begin(), from.end(), mine);
  if (found == from.end()) return false;
  taken = *found;
  from.erase(found);
  return true;
}

// The completions of a row with late ones are shown in random order after those of the next calls.
ssize_t cq_read(fid_cq* cq, void* to, std::size_t n) {
  release_some();
  auto* entries = static_cast<fi_cq_data_entry*>(to);
  std::vector<fi_cq_data_entry> arrived(n);
  const std::lock_guard hold(lock);
  for (const completion& c : lost)
    if (queue_of[c.endpoint] == cq) return -FI_EAVAIL;
  const ssize_t read = real_cq->read(cq, arrived.data(), n);
  if (read < 0 && read != -FI_EAGAIN) return read;
  std::size_t shown = 0;
  for (ssize_t i = 0; i < read; ++i) {
    const fi_cq_data_entry& e = arrived[static_cast<std::size_t>(i)];
    if (copies.erase(e.op_context) != 0) continue;
    fid_ep* endpoint = end_operation(e.op_context);
    if (endpoint != nullptr && chosen().late_completions && randomness() % 4 != 0) {
      late.push_back({endpoint, e});
      ++in_progress[endpoint];
    } else {
      entries[shown++] = e;
    }
  }
  if (late.size() > 1) std::swap(late[randomness() % late.size()], late.back());
  completion c;
  const bool is_filling = late.size() >= std::min(card_queue, chosen().max_queue) / 4;
  while (shown < n && (is_filling || randomness() % 4 == 0) && take_completion(late, cq, c)) {
    entries[shown++] = c.entry;
    --in_progress[c.endpoint];
  }
  return shown != 0 ? static_cast<ssize_t>(shown) : -FI_EAGAIN;
}

ssize_t cq_readerr(fid_cq* cq, fi_cq_err_entry* to, std::uint64_t flags) {
  const std::lock_guard hold(lock);
  completion c;
  if (!take_completion(lost, cq, c)) return real_cq->readerr(cq, to, flags);
  to->op_context = c.entry.op_context;
  to->err = FI_EIO;
  return 1;
}

fi_ops_domain domain_ops;
const fi_ops_domain* real_domain = nullptr;

int cq_open(fid_domain* domain, fi_cq_attr* attr, fid_cq** cq, void* context) {
  if (attr->wait_obj == FI_WAIT_FD && !chosen().descriptor) return -FI_ENOSYS;
  if (attr->size > chosen().max_queue || attr->format != FI_CQ_FORMAT_DATA) return -FI_EINVAL;
  const int code = real_domain->cq_open(domain, attr, cq, context);
  if (code != 0) return code;
  real_cq = (*cq)->ops;
  cq_ops = *real_cq;
  cq_ops.read = cq_read;
  cq_ops.readerr = cq_readerr;
  (*cq)->ops = &cq_ops;
  return 0;
}

int cntr_open(fid_domain* domain, fi_cntr_attr* attr, fid_cntr** counter, void* context) {
  return chosen().counters ? real_domain->cntr_open(domain, attr, counter, context) : -FI_ENOSYS;
}

fi_ops fid_ops;  // of endpoints
int (*real_bind)(fid*, fid*, std::uint64_t) = nullptr;

// Objects of the provider may lie where closed ones were, which leave nothing behind.
void forget(const fid_ep* closed) {
  const auto is_theirs = [&](const auto& x) { return x.endpoint == closed; };
  std::erase_if(late, is_theirs);
  std::erase_if(lost, is_theirs);
  std::erase_if(waiting, is_theirs);
  std::erase_if(issuers, [&](const auto& x) { return x.second == closed; });
}

int bind_endpoint(fid* to, fid* what, std::uint64_t flags) {
  const std::lock_guard hold(lock);
  if (what->fclass == FI_CLASS_CQ) {
    auto* endpoint = reinterpret_cast<fid_ep*>(to);
    auto* queue = reinterpret_cast<fid_cq*>(what);
    for (const auto& [known, its_queue] : queue_of)
      if (known == endpoint || its_queue == queue) forget(known);
    std::erase_if(queue_of, [&](const auto& x) { return x.second == queue; });
    queue_of[endpoint] = queue;
    in_progress[endpoint] = 0;
  }
  return real_bind(to, what, flags);
}

std::size_t number_in(const char* variable, std::size_t otherwise) {
  const char* text = getenv(variable);
  return text != nullptr ? strtoull(text, nullptr, 10) : otherwise;
}

// ofi_rxm over verbs asks the card for one queue for all peers.
bool fits_card() {
  const std::size_t for_peer = 128 + number_in("FI_OFI_RXM_MSG_RX_SIZE", 128);
  return number_in("FI_UNIVERSE_SIZE", 256) * for_peer <= chosen().max_queue;
}

int endpoint(fid_domain* domain, fi_info* info, fid_ep** ep, void* context) {
  if (chosen().card && !fits_card()) return -FI_EINVAL;
  real_info mine(info);
  const int code = real_domain->endpoint(domain, mine.get(), ep, context);
  if (code != 0) return code;
  fid_ops = *(*ep)->fid.ops;
  real_bind = fid_ops.bind;
  fid_ops.bind = bind_endpoint;
  (*ep)->fid.ops = &fid_ops;
  real_rma = (*ep)->rma;
  rma_ops = *real_rma;
  rma_ops.writemsg = writemsg;
  rma_ops.readmsg = readmsg;
  rma_ops.read = read;
  rma_ops.write = write;
  rma_ops.writedata = writedata;
  rma_ops.inject = inject_write;
  rma_ops.injectdata = inject_writedata;
  (*ep)->rma = &rma_ops;
  real_msg = (*ep)->msg;
  msg_ops = *real_msg;
  msg_ops.sendmsg = sendmsg;
  msg_ops.inject = inject;
  msg_ops.recv = recv;
  (*ep)->msg = &msg_ops;
  return 0;
}

fi_ops_mr mr_ops;
const fi_ops_mr* real_mr = nullptr;

// A region of a row with FI_MR_ENDPOINT. It has no key before it is bound and enabled.
struct unusable_region {
  fid_mr* region;
  std::uint64_t key;
  bool bound;
};
auto& unusable = kept<std::vector<unusable_region>>();
fi_ops region_ops;

unusable_region* find_unusable(const fid* region) {
  for (unusable_region& u : unusable)
    if (&u.region->fid == region) return &u;
  return nullptr;
}

int bind_region(fid* region, fid* to, std::uint64_t) {
  const std::lock_guard hold(lock);
  unusable_region* u = find_unusable(region);
  if (u == nullptr || to->fclass != FI_CLASS_EP) return -FI_EINVAL;
  u->bound = true;
  return 0;
}

int control_region(fid* region, int command, void*) {
  const std::lock_guard hold(lock);
  unusable_region* u = find_unusable(region);
  if (u == nullptr || command != FI_ENABLE || !u->bound) return -FI_EINVAL;
  u->region->key = u->key;
  unusable.erase(unusable.begin() + (u - unusable.data()));
  return 0;
}

void hide_key(fid_mr* region) {
  const std::lock_guard hold(lock);
  unusable.push_back({region, region->key, false});
  region->key = FI_KEY_NOTAVAIL;
  region_ops = *region->fid.ops;
  region_ops.bind = bind_region;
  region_ops.control = control_region;
  region->fid.ops = &region_ops;
}

// Without FI_MR_PROV_KEY short keys collide, as they do where all processes of a node share a card's key space. With
// FI_MR_VIRT_ADDR remote addresses are virtual ones: offsets in a region that begins at address 0.
int mr_reg(fid* domain, const void* at, std::size_t bytes, std::uint64_t access, std::uint64_t offset,
           std::uint64_t key, std::uint64_t flags, fid_mr** mr, void* context) {
  const row& r = chosen();
  const bool has_own_keys = (r.memory_mode & FI_MR_PROV_KEY) != 0, is_virtual = (r.memory_mode & FI_MR_VIRT_ADDR) != 0;
  if (!has_own_keys && r.key_bytes < 8 && key >> (8 * r.key_bytes) != 0) return -FI_EKEYREJECTED;
  if (!has_own_keys && r.key_bytes < 8 && refuses()) return -FI_ENOKEY;
  int code = -FI_ENOKEY;
  do {
    if (has_own_keys) key = random_key(r.key_bytes);
    code = real_mr->reg(domain, is_virtual ? nullptr : at, is_virtual ? SIZE_MAX : bytes, access, offset, key, flags,
                        mr, context);
  } while (code == -FI_ENOKEY && has_own_keys);
  if (code == 0 && (r.memory_mode & FI_MR_ENDPOINT) != 0) hide_key(*mr);
  return code;
}

fi_ops_fabric fabric_ops;
const fi_ops_fabric* real_fabric = nullptr;

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void* context) {
  if (chosen().card && info->addr_format == FI_SOCKADDR_IB) return -FI_ENODATA;
  real_info mine(info);
  const int code = real_fabric->domain(fabric, mine.get(), domain, context);
  if (code != 0) return code;
  if (cards() > 0) fprintf(stderr, "fabric double: %s\n", info->domain_attr->name);
  real_domain = (*domain)->ops;
  domain_ops = *real_domain;
  domain_ops.endpoint = endpoint;
  domain_ops.cq_open = cq_open;
  domain_ops.cntr_open = cntr_open;
  (*domain)->ops = &domain_ops;
  real_mr = (*domain)->mr;
  mr_ops = *real_mr;
  mr_ops.reg = mr_reg;
  (*domain)->mr = &mr_ops;
  return 0;
}

// While operations or completions are held back there is something to do.
int trywait(fid_fabric* fabric, fid** fids, int n) {
  const std::lock_guard hold(lock);
  if (!waiting.empty() || !late.empty() || !lost.empty()) return -FI_EAGAIN;
  return real_fabric->trywait(fabric, fids, n);
}

void present(fi_info& info) {
  const row& r = chosen();
  free(info.fabric_attr->prov_name);
  info.fabric_attr->prov_name = strdup(r.provider);
  info.tx_attr->msg_order = info.rx_attr->msg_order = r.order;
  info.tx_attr->inject_size = r.inject;
  if (info.ep_attr->max_msg_size > r.max_message) info.ep_attr->max_msg_size = r.max_message;
  if (info.ep_attr->max_order_waw_size > r.max_message) info.ep_attr->max_order_waw_size = r.max_message;
  info.domain_attr->mr_key_size = r.key_bytes;
  info.domain_attr->mr_mode = r.memory_mode;
  info.domain_attr->cq_data_size = 8;  // cxi reports it too, although it refuses the flag
}

// Replaces the offers by one for each card. The interface of the first one carries them all.
void present_cards(fi_info* offers) {
  real_interface = offers->domain_attr->name;
  real_format = offers->addr_format;
  real<void (*)(fi_info*)>("fi_freeinfo")(std::exchange(offers->next, nullptr));
  fi_info* last = offers;
  for (int i = 0; i < cards(); ++i) {
    if (i > 0) last = last->next = real<fi_info* (*)(const fi_info*)>("fi_dupinfo")(offers);
    free(last->domain_attr->name);
    last->domain_attr->name = strdup(("card" + std::to_string(i)).c_str());
    last->addr_format = FI_ADDR_EFA;
  }
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
  if (code != 0) return code;
  fi_info* last = *offers;
  for (fi_info* i = *offers; i != nullptr; i = i->next) {
    present(*i);
    last = i;
  }
  if (cards() > 0) present_cards(*offers);
  if (!chosen().card) return 0;
  last->next = real<fi_info* (*)(const fi_info*)>("fi_dupinfo")(*offers);
  last->next->addr_format = FI_SOCKADDR_IB;
  return 0;
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
