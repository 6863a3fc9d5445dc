// A libucp.so.0 whose network takes no time: a put, get or atomic operation is complete when its call returns, and
// moves the bytes through memory that both processes map. Over it, instructions and calls of UCX of the library above
// are exact, and messages a second are that library's own limit. Load it with LD_LIBRARY_PATH. All processes must run
// on one machine, as one user. It has the routines that src/transport/ucx/library.hpp names.
//
// UCX_NULL holds words that change it, separated by commas:
//   awake       it never lets a thread sleep, so that no operation has to wake one by a system call
//   noatomics   the card executes no atomic operations
//   card        its atomic operations are atomic with each other, but not with those of CPUs, as on most cards
//   lost=N      puts, gets and atomic operations fail from the N-th on
//   late=N      every N-th put, get, atomic operation or message waits for progress, and reads its source only then
//   copied=N    every N-th put of up to 256 bytes is copied and reported complete, but moves only for a flush, or after
//               a thousand calls of progress
#include <fcntl.h>
#include <ucp/api/ucp.h>
#include <ucs/async/async_fwd.h>
#include <uct/api/uct.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <functional>
#include <string>

#include "../fabric_null/atomics.hpp"
#include "../fabric_null/mailbox.hpp"

namespace {

struct behaviour {
  bool atomics = true, card = false, awake = false;
  unsigned long late = 0, copied = 0, lost = 0;
};

const behaviour& chosen() {
  static const behaviour found = [] {
    behaviour b;
    const char* text = getenv("UCX_NULL");
    for (std::string rest = text != nullptr ? text : ""; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      const std::string word = rest.substr(0, comma);
      rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
      if (word == "noatomics")
        b.atomics = false;
      else if (word == "card")
        b.card = true;
      else if (word == "awake")
        b.awake = true;
      else if (word.rfind("late=", 0) == 0)
        b.late = strtoul(word.c_str() + 5, nullptr, 10);
      else if (word.rfind("lost=", 0) == 0)
        b.lost = strtoul(word.c_str() + 5, nullptr, 10);
      else if (word.rfind("copied=", 0) == 0)
        b.copied = strtoul(word.c_str() + 7, nullptr, 10);
      else
        fprintf(stderr, "ucx null: UCX_NULL has an unknown word '%s'\n", word.c_str()), abort();
    }
    return b;
  }();
  return found;
}

// ---- objects ----------------------------------------------------------------------------------------------------

// The address of a worker: its process, the descriptor of its mailbox, and the one that wakes it.
struct worker_name {
  std::int32_t pid, box, bell;
};

// A region, as its packed key describes it. In its own process it is used where it is.
struct region {
  std::int32_t pid, fd;
  std::uint64_t place, first, bytes;
};

struct null_key {
  region of;
  char* memory;
};

struct null_worker;
struct null_endpoint {
  null_worker* home;
  worker_name name;
  mailbox* box;
  int bell;
};

// An operation that waits for progress. `run` returns false if it must wait longer.
struct late_op {
  std::function<bool()> run;
  ucp_request_param_t how;
  void* request;
};

struct null_worker {
  own_box mine;
  int bell[2] = {-1, -1};  // a pipe
  unsigned long n_operations = 0, n_puts = 0, n_begun = 0;
  std::deque<std::function<void()>> copied;  // puts that were reported complete
  unsigned long copied_age = 0;              // in calls of progress
  std::deque<late_op> late;
  std::deque<null_endpoint> endpoints;  // also those of senders
  ucp_am_recv_callback_t handler = nullptr;
  void* handler_argument = nullptr;
};

template <class T, class Handle>
T& at(Handle h) {
  return *reinterpret_cast<T*>(h);
}

null_endpoint* endpoint_to(null_worker& w, const worker_name& name) {
  for (null_endpoint& e : w.endpoints)
    if (memcmp(&e.name, &name, sizeof name) == 0) return &e;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", name.pid, name.bell);
  auto* box = static_cast<mailbox*>(map_of_process(name.pid, name.box, 0, sizeof(mailbox)));
  const int bell = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (box == nullptr || bell < 0) return nullptr;
  return &w.endpoints.emplace_back(null_endpoint{&w, name, box, bell});
}

// ---- operations -------------------------------------------------------------------------------------------------

ucs_status_ptr_t postpone(null_worker& w, const ucp_request_param_t& how, std::function<bool()> run) {
  w.late.push_back({std::move(run), how, malloc(1)});
  return w.late.back().request;
}

bool is_late(null_worker& w) { return chosen().late != 0 && ++w.n_operations % chosen().late == 0; }

// Does it now, or later.
template <class Run>
ucs_status_ptr_t perform(null_worker& w, const ucp_request_param_t* how, Run run) {
  if (chosen().lost != 0 && ++w.n_begun >= chosen().lost) return UCS_STATUS_PTR(UCS_ERR_CONNECTION_RESET);
  if (is_late(w)) return postpone(w, *how, [run] { return run(), true; });
  run();
  return nullptr;
}

void copy(char* to, const char* from, std::size_t n) {
  if (n == 8 && (reinterpret_cast<std::uintptr_t>(to) & 7) == 0) {
    std::uint64_t bits;
    memcpy(&bits, from, 8);
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(to), bits, __ATOMIC_RELEASE);
    return;
  }
  memcpy(to, from, n);
  std::atomic_thread_fence(std::memory_order_release);
}

char* memory_of(ucp_rkey_h key, std::uint64_t remote) {
  const auto& k = at<null_key>(key);
  return k.memory + (remote - k.of.first);
}

template <class T>
T combine(ucp_atomic_op_t op, T now, T value, T compare) {
  switch (op) {
    case UCP_ATOMIC_OP_ADD: return now + value;
    case UCP_ATOMIC_OP_AND: return now & value;
    case UCP_ATOMIC_OP_OR: return now | value;
    case UCP_ATOMIC_OP_XOR: return now ^ value;
    case UCP_ATOMIC_OP_SWAP: return value;
    case UCP_ATOMIC_OP_CSWAP: return now == compare ? value : now;
    default: return now;
  }
}

// A compare-and-swap has its new value in the buffer of the result, and the value to compare in `buffer`.
template <class T>
void apply(null_endpoint& to, ucp_atomic_op_t op, const void* buffer, char* object, void* result) {
  T first{}, second{};
  memcpy(&first, buffer, sizeof first);
  if (op == UCP_ATOMIC_OP_CSWAP) memcpy(&second, result, sizeof second);
  const T value = op == UCP_ATOMIC_OP_CSWAP ? second : first;
  T* const cell = reinterpret_cast<T*>(object);
  const auto change = [&](T now) { return combine(op, now, value, first); };
  const T before = chosen().card ? apply_by_card(*to.box, cell, change) : apply_by_cpu(cell, change);
  if (result != nullptr) memcpy(result, &before, sizeof before);
}

// ---- messages ---------------------------------------------------------------------------------------------------

struct message_head {
  worker_name from;
  std::uint32_t header_bytes;
  bool wants_reply;
};

// False: the mailbox is full.
bool deliver(null_endpoint& to, const std::string& text) {
  mailbox& box = *to.box;
  std::uint64_t number = box.next_sender.load(std::memory_order_relaxed);
  slot* s = nullptr;
  for (;;) {
    s = &box.slots[number % n_slots];
    const auto ahead = static_cast<std::int64_t>(s->turn.load(std::memory_order_acquire) - number);
    if (ahead < 0) return false;
    if (ahead == 0 && box.next_sender.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) break;
    if (ahead > 0) number = box.next_sender.load(std::memory_order_relaxed);
  }
  s->bytes = static_cast<std::uint32_t>(text.size());
  memcpy(s->body, text.data(), text.size());
  s->turn.store(number + 1);
  if (box.is_armed.exchange(0) != 0 && write(to.bell, "", 1) < 0) return true;  // a full pipe rings as well
  return true;
}

bool has_arrivals(const mailbox& box) {
  const std::uint64_t number = box.next_receiver.load(std::memory_order_relaxed);
  return box.slots[number % n_slots].turn.load() == number + 1;
}

unsigned receive(null_worker& w) {
  mailbox& box = *w.mine.box;
  unsigned n = 0;
  for (; w.handler != nullptr && has_arrivals(box); ++n) {
    const std::uint64_t number = box.next_receiver.load(std::memory_order_relaxed);
    slot& s = box.slots[number % n_slots];
    message_head head;
    memcpy(&head, s.body, sizeof head);
    ucp_am_recv_param_t how{};
    if (head.wants_reply) {
      how.recv_attr = UCP_AM_RECV_ATTR_FIELD_REPLY_EP;
      how.reply_ep = reinterpret_cast<ucp_ep_h>(endpoint_to(w, head.from));
    }
    char* const header = s.body + sizeof head;
    w.handler(w.handler_argument, header, head.header_bytes, header + head.header_bytes,
              s.bytes - sizeof head - head.header_bytes, &how);
    box.next_receiver.store(number + 1, std::memory_order_relaxed);
    s.turn.store(number + n_slots, std::memory_order_release);
  }
  return n;
}

void move_copied(null_worker& w) {
  for (const auto& move : w.copied) move();
  w.copied.clear();
  w.copied_age = 0;
}

unsigned run_late(null_worker& w) {
  unsigned n = 0;
  for (; !w.late.empty() && w.late.front().run(); ++n) {
    const late_op op = w.late.front();
    w.late.pop_front();
    op.how.cb.send(op.request, UCS_OK, op.how.user_data);
  }
  return n;
}

}  // namespace

#define NULL_UCX extern "C" [[gnu::visibility("default")]]

// ---- life -------------------------------------------------------------------------------------------------------

NULL_UCX const char* ucp_get_version_string() { return "null"; }
NULL_UCX const char* ucs_status_string(ucs_status_t) { return "error of ucx null"; }

NULL_UCX ucs_status_t ucp_config_read(const char*, const char*, ucp_config_t** made) { return *made = nullptr, UCS_OK; }
NULL_UCX ucs_status_t ucp_config_modify(ucp_config_t*, const char*, const char*) { return UCS_OK; }
NULL_UCX void ucp_config_release(ucp_config_t*) {}

NULL_UCX ucs_status_t ucp_init_version(unsigned, unsigned, const ucp_params_t*, const ucp_config_t*,
                                       ucp_context_h* made) {
  return *made = reinterpret_cast<ucp_context_h>(malloc(1)), UCS_OK;
}
NULL_UCX void ucp_cleanup(ucp_context_h context) { free(context); }

NULL_UCX ucs_status_t ucp_worker_create(ucp_context_h, const ucp_worker_params_t*, ucp_worker_h* made) {
  auto* w = new null_worker;
  if (!w->mine.open() || pipe2(w->bell, O_NONBLOCK | O_CLOEXEC) != 0) return UCS_ERR_NO_RESOURCE;
  return *made = reinterpret_cast<ucp_worker_h>(w), UCS_OK;
}

NULL_UCX void ucp_worker_destroy(ucp_worker_h h) {
  auto* w = &at<null_worker>(h);
  for (const late_op& op : w->late) op.how.cb.send(op.request, UCS_ERR_CANCELED, op.how.user_data);
  for (const null_endpoint& e : w->endpoints) close(e.bell), munmap(e.box, sizeof(mailbox));
  munmap(w->mine.box, sizeof(mailbox));
  for (const int fd : {w->mine.fd, w->bell[0], w->bell[1]}) close(fd);
  delete w;
}

NULL_UCX ucs_status_t ucp_worker_query(ucp_worker_h h, ucp_worker_attr_t* attributes) {
  const auto& w = at<null_worker>(h);
  auto* name = static_cast<worker_name*>(malloc(sizeof(worker_name)));
  *name = {getpid(), w.mine.fd, w.bell[1]};
  attributes->address = reinterpret_cast<ucp_address_t*>(name);
  attributes->address_length = sizeof *name;
  attributes->max_am_header = 512;
  return UCS_OK;
}
NULL_UCX void ucp_worker_release_address(ucp_worker_h, ucp_address_t* address) { free(address); }

NULL_UCX ucs_status_t ucp_worker_set_am_recv_handler(ucp_worker_h h, const ucp_am_handler_param_t* what) {
  auto& w = at<null_worker>(h);
  w.handler = what->cb;
  w.handler_argument = what->arg;
  return UCS_OK;
}

NULL_UCX ucs_status_t ucp_ep_create(ucp_worker_h h, const ucp_ep_params_t* what, ucp_ep_h* made) {
  worker_name name;
  memcpy(&name, what->address, sizeof name);
  null_endpoint* e = endpoint_to(at<null_worker>(h), name);
  if (e == nullptr) return UCS_ERR_UNREACHABLE;
  return *made = reinterpret_cast<ucp_ep_h>(e), UCS_OK;
}

// ---- progress ---------------------------------------------------------------------------------------------------

NULL_UCX unsigned ucp_worker_progress(ucp_worker_h h) {
  auto& w = at<null_worker>(h);
  if (!w.copied.empty() && ++w.copied_age > 1000) move_copied(w);
  return run_late(w) + receive(w);
}

NULL_UCX ucs_status_t ucp_worker_get_efd(ucp_worker_h h, int* fd) { return *fd = at<null_worker>(h).bell[0], UCS_OK; }

NULL_UCX ucs_status_t ucp_worker_arm(ucp_worker_h h) {
  const auto& w = at<null_worker>(h);
  if (chosen().awake) return UCS_ERR_BUSY;
  char rings[64];
  while (read(w.bell[0], rings, sizeof rings) > 0) {
  }
  w.mine.box->is_armed.store(1);
  return has_arrivals(*w.mine.box) || !w.late.empty() || !w.copied.empty() ? UCS_ERR_BUSY : UCS_OK;
}

NULL_UCX ucs_status_ptr_t ucp_worker_flush_nbx(ucp_worker_h h, const ucp_request_param_t* how) {
  auto& w = at<null_worker>(h);
  if (w.late.empty() && w.copied.empty()) return nullptr;
  return postpone(w, *how, [&w] { return move_copied(w), true; });
}
NULL_UCX ucs_status_ptr_t ucp_ep_flush_nbx(ucp_ep_h h, const ucp_request_param_t* how) {
  return ucp_worker_flush_nbx(reinterpret_cast<ucp_worker_h>(at<null_endpoint>(h).home), how);
}
NULL_UCX void ucp_request_free(void* request) { free(request); }

// ---- memory -----------------------------------------------------------------------------------------------------

NULL_UCX ucs_status_t ucp_mem_map(ucp_context_h, const ucp_mem_map_params_t* what, ucp_mem_h* made) {
  auto* r = new region{getpid(), -1, 0, reinterpret_cast<std::uint64_t>(what->address), what->length};
  if (!find_file(what->address, r->fd, r->place)) r->fd = -1;  // only this process can use it
  return *made = reinterpret_cast<ucp_mem_h>(r), UCS_OK;
}
NULL_UCX ucs_status_t ucp_mem_unmap(ucp_context_h, ucp_mem_h memory) {
  delete reinterpret_cast<region*>(memory);
  return UCS_OK;
}
NULL_UCX ucs_status_t ucp_rkey_pack(ucp_context_h, ucp_mem_h memory, void** key, size_t* bytes) {
  *key = malloc(*bytes = sizeof(region));
  memcpy(*key, memory, sizeof(region));
  return UCS_OK;
}
NULL_UCX void ucp_rkey_buffer_release(void* key) { free(key); }

NULL_UCX ucs_status_t ucp_ep_rkey_unpack(ucp_ep_h, const void* packed, ucp_rkey_h* made) {
  auto* k = new null_key{};
  memcpy(&k->of, packed, sizeof k->of);
  k->memory = k->of.pid == getpid() ? reinterpret_cast<char*>(k->of.first)
                                    : static_cast<char*>(map_of_process(k->of.pid, k->of.fd, k->of.place, k->of.bytes));
  if (k->memory == nullptr) return delete k, UCS_ERR_UNREACHABLE;
  return *made = reinterpret_cast<ucp_rkey_h>(k), UCS_OK;
}
NULL_UCX void ucp_rkey_destroy(ucp_rkey_h key) {
  auto* k = &at<null_key>(key);
  if (k->of.pid != getpid()) munmap(k->memory, k->of.bytes);
  delete k;
}

// ---- operations -------------------------------------------------------------------------------------------------

NULL_UCX ucs_status_ptr_t ucp_put_nbx(ucp_ep_h h, const void* from, size_t n, std::uint64_t to, ucp_rkey_h key,
                                      const ucp_request_param_t* how) {
  null_worker& w = *at<null_endpoint>(h).home;
  if (chosen().copied == 0 || n > 256 || ++w.n_puts % chosen().copied != 0)
    return perform(w, how, [=] { copy(memory_of(key, to), static_cast<const char*>(from), n); });
  const std::string text(static_cast<const char*>(from), n);
  w.copied.push_back([=] { copy(memory_of(key, to), text.data(), n); });
  return nullptr;
}
NULL_UCX ucs_status_ptr_t ucp_get_nbx(ucp_ep_h h, void* to, size_t n, std::uint64_t from, ucp_rkey_h key,
                                      const ucp_request_param_t* how) {
  return perform(*at<null_endpoint>(h).home, how, [=] { copy(static_cast<char*>(to), memory_of(key, from), n); });
}

NULL_UCX ucs_status_ptr_t ucp_atomic_op_nbx(ucp_ep_h h, ucp_atomic_op_t op, const void* buffer, size_t,
                                            std::uint64_t object, ucp_rkey_h key, const ucp_request_param_t* how) {
  const bool fetches = (how->op_attr_mask & UCP_OP_ATTR_FIELD_REPLY_BUFFER) != 0;
  if (!fetches && (op == UCP_ATOMIC_OP_SWAP || op == UCP_ATOMIC_OP_CSWAP)) return UCS_STATUS_PTR(UCS_ERR_INVALID_PARAM);
  if ((how->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE) == 0) return UCS_STATUS_PTR(UCS_ERR_INVALID_PARAM);
  auto& to = at<null_endpoint>(h);
  void* const result = fetches ? how->reply_buffer : nullptr;
  char* const cell = memory_of(key, object);
  const bool is_long = how->datatype == ucp_dt_make_contig(8);
  return perform(*to.home, how, [&to, op, buffer, cell, result, is_long] {
    is_long ? apply<std::uint64_t>(to, op, buffer, cell, result) : apply<std::uint32_t>(to, op, buffer, cell, result);
  });
}

// Messages to one peer keep their order, so a late one holds up those behind it.
NULL_UCX ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h h, unsigned, const void* header, size_t header_bytes,
                                          const void* bytes, size_t n, const ucp_request_param_t* how) {
  auto& to = at<null_endpoint>(h);
  null_worker& w = *to.home;
  const bool wants_reply =
      (how->op_attr_mask & UCP_OP_ATTR_FIELD_FLAGS) != 0 && (how->flags & UCP_AM_SEND_FLAG_REPLY) != 0;
  const message_head head{{getpid(), w.mine.fd, w.bell[1]}, static_cast<std::uint32_t>(header_bytes), wants_reply};
  if (sizeof head + header_bytes + n > max_message) return UCS_STATUS_PTR(UCS_ERR_EXCEEDS_LIMIT);
  const auto send = [=, &to, text = std::string(static_cast<const char*>(header), header_bytes)] {
    std::string all(reinterpret_cast<const char*>(&head), sizeof head);
    all += text;
    if (n != 0) all.append(static_cast<const char*>(bytes), n);
    return deliver(to, all);
  };
  if (w.late.empty() && !is_late(w) && send()) return nullptr;
  return postpone(w, *how, send);
}

// ---- the device -------------------------------------------------------------------------------------------------

NULL_UCX ucs_status_t uct_query_components(uct_component_h** made, unsigned* n) {
  *made = static_cast<uct_component_h*>(calloc(1, sizeof(uct_component_h)));
  return *n = 1, UCS_OK;
}
NULL_UCX void uct_release_component_list(uct_component_h* list) { free(list); }
NULL_UCX ucs_status_t uct_component_query(uct_component_h, uct_component_attr_t* attributes) {
  if ((attributes->field_mask & UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT) != 0) attributes->md_resource_count = 1;
  if ((attributes->field_mask & UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES) != 0)
    snprintf(attributes->md_resources[0].md_name, sizeof attributes->md_resources[0].md_name, "null");
  return UCS_OK;
}
NULL_UCX ucs_status_t uct_md_config_read(uct_component_h, const char*, const char*, uct_md_config_t** made) {
  return *made = nullptr, UCS_OK;
}
NULL_UCX void uct_config_release(void*) {}
NULL_UCX ucs_status_t uct_md_open(uct_component_h, const char*, const uct_md_config_t*, uct_md_h* made) {
  return *made = nullptr, UCS_OK;
}
NULL_UCX void uct_md_close(uct_md_h) {}
NULL_UCX ucs_status_t uct_md_query_tl_resources(uct_md_h, uct_tl_resource_desc_t** made, unsigned* n) {
  *made = static_cast<uct_tl_resource_desc_t*>(calloc(1, sizeof(uct_tl_resource_desc_t)));
  snprintf((*made)->tl_name, sizeof(*made)->tl_name, "null");
  snprintf((*made)->dev_name, sizeof(*made)->dev_name, "null0");
  (*made)->dev_type = UCT_DEVICE_TYPE_NET;
  return *n = 1, UCS_OK;
}
NULL_UCX void uct_release_tl_resource_list(uct_tl_resource_desc_t* list) { free(list); }

NULL_UCX ucs_status_t ucs_async_context_create(ucs_async_mode_t, ucs_async_context_t** made) {
  return *made = nullptr, UCS_OK;
}
NULL_UCX void ucs_async_context_destroy(ucs_async_context_t*) {}
NULL_UCX ucs_status_t uct_worker_create(ucs_async_context_t*, ucs_thread_mode_t, uct_worker_h* made) {
  return *made = nullptr, UCS_OK;
}
NULL_UCX void uct_worker_destroy(uct_worker_h) {}
NULL_UCX ucs_status_t uct_md_iface_config_read(uct_md_h, const char*, const char*, const char*,
                                               uct_iface_config_t** made) {
  return *made = nullptr, UCS_OK;
}
NULL_UCX ucs_status_t uct_iface_open(uct_md_h, uct_worker_h, const uct_iface_params_t*, const uct_iface_config_t*,
                                     uct_iface_h* made) {
  return *made = nullptr, UCS_OK;
}
NULL_UCX void uct_iface_close(uct_iface_h) {}
NULL_UCX ucs_status_t uct_iface_query(uct_iface_h, uct_iface_attr_t* attributes) {
  *attributes = {};
  attributes->cap.flags = UCT_IFACE_FLAG_PUT_SHORT | UCT_IFACE_FLAG_GET_BCOPY;
  if (!chosen().atomics) return UCS_OK;
  attributes->cap.flags |= UCT_IFACE_FLAG_ATOMIC_DEVICE;
  constexpr std::uint64_t all = UCS_BIT(UCT_ATOMIC_OP_LAST) - 1;
  attributes->cap.atomic32.op_flags = attributes->cap.atomic64.op_flags = all;
  attributes->cap.atomic32.fop_flags = attributes->cap.atomic64.fop_flags = all;
  return UCS_OK;
}
