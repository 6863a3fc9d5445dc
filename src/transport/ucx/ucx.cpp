// The transport ucx: PEs on other hosts, through UCX.
#include "transport/ucx/ucx.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "os/socket.hpp"

namespace oshen::transport {
namespace {

using namespace ucx;

constexpr int max_rounds = 8;  // of progress before arrived messages are handled

bool available(const char* options, char* why, std::size_t room) {
  const library* lib = open_library(why, room);
  choice made;
  return lib != nullptr && choose(*lib, {.options = options}, made, why, room);
}

network_rank rank(const char* options, int) {
  if (*options == '\0' && !has_rdma_device()) return rank_of("tcp", "");
  char why[256];
  const library* lib = open_library(why, sizeof why);
  choice made;
  const bool found = lib != nullptr && choose(*lib, {.options = options}, made, why, sizeof why);
  return found ? made.rank : network_rank{0, ""};
}

void offers(const char* options, offer_callback report, void* with) {
  char why[256];
  const library* lib = open_library(why, sizeof why);
  choice made;
  if (lib != nullptr) choose(*lib, {options, report, with}, made, why, sizeof why);
}

// ---- opening --------------------------------------------------------------------------------------------------

// Allocates everything that UCX does not own.
bool allocate(worker& me) {
  me.peers = static_cast<peer*>(calloc(static_cast<std::size_t>(me.how.n_pes), sizeof(peer)));
  me.ops = static_cast<pending_op*>(calloc(max_pending_ops, sizeof(pending_op)));
  if (me.peers == nullptr || me.ops == nullptr || !os::random_bytes(&me.token, sizeof me.token)) return false;
  for (int i = 0; i < max_pending_ops; ++i) {
    me.ops[i].home = &me;
    release_op(me, &me.ops[i]);
  }
  return true;
}

ucs_status_t open_context(worker& me) {
  ucp_config_t* config = nullptr;
  ucs_status_t status = me.lib->config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return status;
  if (*me.chosen.transports != '\0') status = me.lib->config_modify(config, "TLS", me.chosen.transports);
  if (status == UCS_OK && *me.chosen.devices != '\0')
    status = me.lib->config_modify(config, "NET_DEVICES", me.chosen.devices);
  ucp_params_t what{};
  what.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  what.features = UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  what.estimated_num_eps = static_cast<std::size_t>(me.how.n_pes);
  if (status == UCS_OK) status = me.lib->init(UCP_API_MAJOR, UCP_API_MINOR, &what, config, &me.context);
  me.lib->config_release(config);
  return status;
}

ucs_status_t open_worker(worker& me) {
  ucp_worker_params_t what{};
  what.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  what.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  if (const ucs_status_t status = me.lib->worker_create(me.context, &what, &me.handle); status != UCS_OK) return status;
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = message_id;
  handler.cb = receive;
  handler.arg = &me;
  if (const ucs_status_t status = me.lib->set_handler(me.handle, &handler); status != UCS_OK) return status;
  return me.lib->get_fd(me.handle, &me.fd);
}

// The address that peers need a route to. Cards need none.
os::network_address internet_address(const choice& chosen) {
  os::network_address list[os::most_addresses] = {};
  if (chosen.only_tcp && *chosen.interface != '\0') os::own_addresses(list, chosen.interface);
  return list[0];
}

ucs_status_t store_own_address(worker& me) {
  ucp_worker_attr_t what{};
  what.field_mask =
      UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS | UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  what.address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY;
  if (const ucs_status_t status = me.lib->worker_query(me.handle, &what); status != UCS_OK) return status;
  ucx::address a{};
  const bool fits = what.address_length <= sizeof a.name && what.max_am_header >= sizeof(packet);
  if (fits) {
    a.token = me.token;
    a.base = reinterpret_cast<std::uint64_t>(me.memory.base);
    a.internet = internet_address(me.chosen);
    memcpy(a.name, what.address, what.address_length);
    me.own_address_bytes = offsetof(ucx::address, name) + what.address_length;
    memcpy(me.own_address, &a, me.own_address_bytes);
  }
  me.lib->release_address(me.handle, what.address);
  return fits ? UCS_OK : UCS_ERR_BUFFER_TOO_SMALL;
}

// Opens the objects in the order of their dependencies. Returns the name of the one that failed, or null.
const char* open_all(worker& me, ucs_status_t& status) {
  if (status = open_context(me); status != UCS_OK) return "context";
  if (status = open_worker(me); status != UCS_OK) return "worker";
  if (status = store_own_address(me); status != UCS_OK) return "address";
  return nullptr;
}

// Over TCP every endpoint reports a dead peer. With error handling by peer, UCX would send puts over TCP as
// acknowledged messages of 8 KiB, since it cannot withdraw a put over TCP (openucx/ucx#11929).
ucp_err_handling_mode_t error_mode(const worker& me) {
  return me.chosen.only_tcp ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
}

// The worker's destruction ends its endpoints. All PEs have passed a barrier, so peers need no notice.
void destroy(worker* me) {
  release_keys(*me);
  if (me->handle != nullptr) me->lib->worker_destroy(me->handle);
  unmap_regions(*me);
  if (me->context != nullptr) me->lib->cleanup(me->context);
  while (me->arrivals != nullptr) {
    arrival* a = me->arrivals;
    me->arrivals = a->next;
    free(a);
  }
  free(me->peers);
  free(me->ops);
  me->~worker();
  free(me);
}

bool open(const open_params& params, instance** made, attributes* properties, char* why, std::size_t room) {
  const library* lib = open_library(why, room);
  if (lib == nullptr) return false;
  void* memory = malloc(sizeof(worker));
  if (memory == nullptr) return snprintf(why, room, "no memory"), false;
  auto* me = new (memory) worker;
  me->lib = lib;
  me->how = params;
  me->memory = memory_regions(params);
  ucs_status_t status = UCS_ERR_NO_MEMORY;
  const bool is_chosen = choose(*lib, {.options = params.options}, me->chosen, why, room);
  const char* failed = !is_chosen ? "device" : allocate(*me) ? open_all(*me, status) : "memory";
  if (failed != nullptr) {
    if (is_chosen) snprintf(why, room, "UCX, %.100s: %s: %s", me->chosen.about, failed, lib->status_string(status));
    destroy(me);
    return false;
  }
  snprintf(me->about, sizeof me->about, "UCX %s, %s", lib->version(), me->chosen.about);
  properties->message_bytes = ucx::message_bytes;
  properties->announces = me->chosen.only_tcp;
  properties->signals_in_order = true;
  properties->about = me->about;
  *made = reinterpret_cast<instance*>(me);
  return true;
}

// ---- life -----------------------------------------------------------------------------------------------------

void close(instance* i) { destroy(&own(i)); }

std::size_t local_address(instance* i, void* address) {
  const worker& me = own(i);
  memcpy(address, me.own_address, me.own_address_bytes);
  return me.own_address_bytes;
}

void peer_failed(void* owner, ucp_ep_h, ucs_status_t status) { note_error(*static_cast<worker*>(owner), status); }

outcome connect(instance* i, int pe, const void* address, std::size_t bytes) {
  worker& me = own(i);
  ucx::address a{};
  memcpy(&a, address, bytes < sizeof a ? bytes : sizeof a);
  ucp_ep_params_t what{};
  what.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  what.address = reinterpret_cast<const ucp_address_t*>(a.name);
  what.err_mode = error_mode(me);
  what.err_handler = {.cb = peer_failed, .arg = &me};
  os::locked hold(me.lock);
  peer& p = me.peers[pe];
  if (p.endpoint != nullptr) return outcome::done;
  p.token = a.token;
  p.base = a.base;
  const ucs_status_t status = me.lib->ep_create(me.handle, &what, &p.endpoint);
  if (status == UCS_OK) return outcome::done;
  p.endpoint = nullptr;
  return note_error(me, status), outcome::lost;
}

// UCX has no question for this that sends nothing, so the routes of the kernel answer for TCP.
bool may_connect(instance* i, const void* address, std::size_t bytes, char* why, std::size_t room) {
  const worker& me = own(i);
  ucx::address its{};
  memcpy(&its, address, bytes < sizeof its ? bytes : sizeof its);
  if (!me.chosen.only_tcp || its.internet.family == 0 || os::has_route(its.internet)) return true;
  char text[64];
  os::write_address(its.internet, text, sizeof text);
  snprintf(why, room, "%.100s has no route to %s", me.chosen.about, text);
  return false;
}

const char* explain(instance* i) {
  const worker& me = own(i);
  if (me.refused.load(std::memory_order_relaxed))
    return "the target cannot register symmetric memory; raise its limit on locked memory (ulimit -l)";
  return me.lib->status_string(static_cast<ucs_status_t>(me.error.load(std::memory_order_relaxed)));
}

stream* stream_open(instance* i, unsigned options) {
  void* memory = malloc(sizeof(ucx_stream));
  if (memory == nullptr) return nullptr;
  const bool is_ordered = (options & ordered) != 0;
  return reinterpret_cast<stream*>(new (memory) ucx_stream{.home = &own(i), .is_ordered = is_ordered, .targets = {}});
}
void stream_close(stream* s) { free(&stream_of(s)); }

// ---- operations -----------------------------------------------------------------------------------------------

outcome put(stream* s, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local) {
  return ucx::put(stream_of(s), pe, to, from, bytes, local);
}

outcome get(stream* s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local) {
  return ucx::get(stream_of(s), pe, to, from, bytes, local);
}

outcome put_signal(stream* s, int pe, const put_signal_args& args, completion* local) {
  return ucx::put_signal(stream_of(s), pe, args, local);
}

// A reply, which a handler sends without a stream, takes along the acknowledgements that are due.
outcome send(instance* i, stream* s, int pe, const void* bytes, std::size_t n) {
  worker& me = own(i);
  packet head{};
  head.kind = packet_kind::message;
  if (s == nullptr) {
    const auto due = me.due.take(pe);
    head.acknowledged = due.stream;
    head.n_acknowledged = due.n;
  }
  os::locked hold(me.lock);
  const message m{pe, me.peers[pe].endpoint, head, bytes, n, nullptr, true};
  return ucx::send(me, nullptr, m, s == nullptr ? if_full::allocate : if_full::refuse);
}

outcome flush(stream* s, stream_point& point) { return ucx::flush(stream_of(s), point); }

int progress(instance* i) {
  worker& me = own(i);
  if (!me.receiving.try_lock()) return 0;
  int events = 0;
  {
    os::locked hold(me.lock);
    for (int round = 0; round < max_rounds; ++round) {
      const auto n = static_cast<int>(me.lib->progress(me.handle));
      if (n == 0) break;
      events += n;
    }
    send_ready_signals(me);
  }
  events += handle_arrivals(me);
  me.receiving.unlock();
  return events == 0 && is_broken(me) ? -1 : events;
}

int wait_fd(instance* i) { return own(i).fd; }

blocking may_block(instance* i) {
  worker& me = own(i);
  if (me.due.has_left()) return blocking::not_now;  // the next progress() sends that
  os::locked hold(me.lock);
  const bool is_armed = me.arrivals == nullptr && me.lib->arm(me.handle) == UCS_OK;
  return is_armed ? blocking::until_readable : blocking::not_now;
}

}  // namespace

extern const transport ucx_transport;
constinit const transport ucx_transport{.size = sizeof(transport),
                                        .name = "ucx",
                                        .title = "between hosts, by UCX, which is opened at run time",
                                        .available = available,
                                        .rank = rank,
                                        .offers = offers,
                                        .open = open,
                                        .local_address = local_address,
                                        .connect = connect,
                                        .may_connect = may_connect,
                                        .explain = explain,
                                        .close = close,
                                        .stream_open = stream_open,
                                        .stream_close = stream_close,
                                        .put = put,
                                        .get = get,
                                        .send = send,
                                        .fence = nullptr,
                                        .flush = flush,
                                        .progress = progress,
                                        .wait_fd = wait_fd,
                                        .may_block = may_block,
                                        .put_signal = put_signal,
                                        .atomic = nullptr};

}  // namespace oshen::transport
