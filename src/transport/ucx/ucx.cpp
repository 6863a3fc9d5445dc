// The transport ucx: PEs of other hosts by UCX.
#include "transport/ucx/ucx.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "os/socket.hpp"

namespace oshen::transport {
namespace {

using namespace ucx;

constexpr int most_rounds = 8;  // of progress at once, before what has come is handled

bool available(const char* options, char* why, std::size_t room) {
  const library* lib = open_library(why, room);
  choice made;
  return lib != nullptr && choose(*lib, options, nullptr, nullptr, made, why, room);
}

void offers(const char* options, offer_seen seen, void* with) {
  char why[256];
  const library* lib = open_library(why, sizeof why);
  choice made;
  if (lib != nullptr) choose(*lib, options, seen, with, made, why, sizeof why);
}

// ---- opening --------------------------------------------------------------------------------------------------

// Memory for everything that does not belong to UCX.
bool furnish(worker& me) {
  me.peers = static_cast<peer*>(calloc(static_cast<std::size_t>(me.how.n_pes), sizeof(peer)));
  me.tasks = static_cast<task*>(calloc(most_tasks, sizeof(task)));
  if (me.peers == nullptr || me.tasks == nullptr || !os::random_bytes(&me.token, sizeof me.token)) return false;
  for (int i = 0; i < most_tasks; ++i) {
    me.tasks[i].home = &me;
    give_back(me, &me.tasks[i]);
  }
  return true;
}

ucs_status_t open_context(worker& me) {
  ucp_config_t* config = nullptr;
  ucs_status_t status = me.lib->config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return status;
  if (*me.chosen.ways != '\0') status = me.lib->config_modify(config, "TLS", me.chosen.ways);
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
  handler.cb = hear;
  handler.arg = &me;
  if (const ucs_status_t status = me.lib->set_handler(me.handle, &handler); status != UCS_OK) return status;
  return me.lib->get_fd(me.handle, &me.fd);
}

ucs_status_t note_own_address(worker& me) {
  ucp_worker_attr_t what{};
  what.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS |
                    UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  what.address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY;
  if (const ucs_status_t status = me.lib->worker_query(me.handle, &what); status != UCS_OK) return status;
  ucx::address a{};
  const bool fits = what.address_length <= sizeof a.name && what.max_am_header >= sizeof(packet);
  if (fits) {
    a.token = me.token;
    a.base = reinterpret_cast<std::uint64_t>(me.memory.base);
    memcpy(a.name, what.address, what.address_length);
    me.own_address_bytes = offsetof(ucx::address, name) + what.address_length;
    memcpy(me.own_address, &a, me.own_address_bytes);
  }
  me.lib->release_address(me.handle, what.address);
  return fits ? UCS_OK : UCS_ERR_BUFFER_TOO_SMALL;
}

// In the order in which one needs the other; what could not be done is named.
const char* open_all(worker& me, ucs_status_t& status) {
  if (status = open_context(me); status != UCS_OK) return "context";
  if (status = open_worker(me); status != UCS_OK) return "worker";
  if (status = note_own_address(me); status != UCS_OK) return "address";
  return nullptr;
}

// TCP says that a peer has gone however an endpoint was made. One that is made to survive that would get puts as
// messages of 8 KiB, each acknowledged, since UCX cannot withdraw a put over TCP (openucx/ucx#11929).
ucp_err_handling_mode_t error_mode(const worker& me) {
  return me.chosen.only_tcp ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
}

// The endpoints end with the worker: all have met, nothing is under way, and nobody need be told.
void close_worker(worker* me) {
  drop_keys(*me);
  if (me->handle != nullptr) me->lib->worker_destroy(me->handle);
  drop_pieces(*me);
  if (me->context != nullptr) me->lib->cleanup(me->context);
  while (me->arrivals != nullptr) {
    arrival* a = me->arrivals;
    me->arrivals = a->next;
    free(a);
  }
  free(me->peers);
  free(me->tasks);
  me->~worker();
  free(me);
}

bool open(const opening& how, instance** made, facts* what, char* why, std::size_t room) {
  const library* lib = open_library(why, room);
  if (lib == nullptr) return false;
  void* memory = malloc(sizeof(worker));
  if (memory == nullptr) return snprintf(why, room, "no memory"), false;
  auto* me = new (memory) worker;
  me->lib = lib;
  me->how = how;
  me->memory = window(how);
  ucs_status_t status = UCS_ERR_NO_MEMORY;
  const bool is_chosen = choose(*lib, how.options, nullptr, nullptr, me->chosen, why, room);
  const char* failed = !is_chosen ? "device" : furnish(*me) ? open_all(*me, status) : "memory";
  if (failed != nullptr) {
    if (is_chosen) snprintf(why, room, "UCX, %.100s: %s: %s", me->chosen.about, failed, lib->status_string(status));
    close_worker(me);
    return false;
  }
  snprintf(me->about, sizeof me->about, "UCX %s, %s", lib->version(), me->chosen.about);
  what->message_bytes = ucx::message_bytes;
  what->announces = me->chosen.only_tcp;
  what->signals_in_order = true;
  what->about = me->about;
  *made = reinterpret_cast<instance*>(me);
  return true;
}

// ---- life -----------------------------------------------------------------------------------------------------

void close(instance* i) { close_worker(&worker_of(i)); }

std::size_t local_address(instance* i, void* address) {
  const worker& me = worker_of(i);
  memcpy(address, me.own_address, me.own_address_bytes);
  return me.own_address_bytes;
}

void peer_failed(void* owner, ucp_ep_h, ucs_status_t status) { note_error(*static_cast<worker*>(owner), status); }

outcome connect(instance* i, int pe, const void* address, std::size_t bytes) {
  worker& me = worker_of(i);
  ucx::address a{};
  memcpy(&a, address, bytes < sizeof a ? bytes : sizeof a);
  ucp_ep_params_t what{};
  what.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                    UCP_EP_PARAM_FIELD_ERR_HANDLER;
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

const char* explain(instance* i) {
  const worker& me = worker_of(i);
  if (me.refused.load(std::memory_order_relaxed))
    return "the target cannot register symmetric memory; raise its limit on locked memory (ulimit -l)";
  return me.lib->status_string(static_cast<ucs_status_t>(me.error.load(std::memory_order_relaxed)));
}

stream* stream_open(instance* i, unsigned options) {
  void* memory = malloc(sizeof(channel));
  if (memory == nullptr) return nullptr;
  const bool is_ordered = (options & ordered) != 0;
  return reinterpret_cast<stream*>(new (memory)
                                       channel{.home = &worker_of(i), .is_ordered = is_ordered, .touched = {}});
}
void stream_close(stream* s) { free(&channel_of(s)); }

// ---- operations -----------------------------------------------------------------------------------------------

outcome put(stream* s, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* left) {
  return move(channel_of(s), direction::put, pe, to, const_cast<void*>(from), bytes, left);
}

outcome get(stream* s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* left) {
  return move(channel_of(s), direction::get, pe, from, to, bytes, left);
}

outcome put_signal(stream* s, int pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                   std::uint64_t value, signal_change change, completion* left) {
  return ucx::put_signal(channel_of(s), pe, to, from, bytes, signal, value, change, left);
}

// An answer, from inside a handler, takes with it what is due in acknowledgements.
outcome send(instance* i, stream* s, int pe, const void* bytes, std::size_t n) {
  worker& me = worker_of(i);
  packet head{};
  head.kind = packet_kind::message;
  if (s == nullptr && me.n_due != 0 && me.due.from_pe == pe) {
    head.acknowledged = me.due.from_channel;
    head.n_acknowledged = me.n_due;
    me.n_due = 0;
  }
  os::locked hold(me.lock);
  return ucx::send(me, nullptr, pe, me.peers[pe].endpoint, head, bytes, n, nullptr,
                   s == nullptr ? if_full::keep : if_full::say_again);
}

outcome flush(stream* s) { return ucx::flush(channel_of(s)); }

int progress(instance* i) {
  worker& me = worker_of(i);
  if (!me.hearing.try_lock()) return 0;
  int events = 0;
  {
    os::locked hold(me.lock);
    for (int round = 0; round < most_rounds; ++round) {
      const auto n = static_cast<int>(me.lib->progress(me.handle));
      if (n == 0) break;
      events += n;
    }
    send_ready_signals(me);
  }
  events += handle_arrivals(me);
  me.hearing.unlock();
  return events;
}

int wait_fd(instance* i) { return worker_of(i).fd; }

bool may_block(instance* i) {
  worker& me = worker_of(i);
  os::locked hold(me.lock);
  return me.arrivals == nullptr && me.lib->arm(me.handle) == UCS_OK;
}

}  // namespace

extern const transport ucx_transport;
constinit const transport ucx_transport{.size = sizeof(transport),
                                        .name = "ucx",
                                        .title = "between hosts, by UCX, which is opened at run time",
                                        .available = available,
                                        .offers = offers,
                                        .open = open,
                                        .local_address = local_address,
                                        .connect = connect,
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
