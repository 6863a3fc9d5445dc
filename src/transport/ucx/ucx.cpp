// The transport ucx: PEs on other hosts, through UCX.
#include "transport/ucx/ucx.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "os/socket.hpp"

namespace oshen::transport {
namespace {

using namespace ucx;

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
bool allocate(ucx_instance& me) {
  const auto n_pes = static_cast<std::size_t>(me.how.n_pes);
  me.peers = static_cast<peer*>(calloc(n_pes, sizeof(peer)));
  me.shared.connections = static_cast<connection*>(calloc(n_pes, sizeof(connection)));
  me.shared.ops = static_cast<pending_op*>(calloc(max_pending_ops, sizeof(pending_op)));
  me.shared.n_ops = max_pending_ops;
  return me.peers != nullptr && me.shared.connections != nullptr && me.shared.ops != nullptr &&
         os::random_bytes(&me.token, sizeof me.token);
}

ucs_status_t open_context(worker& w) {
  const ucx_instance& me = *w.home;
  ucp_config_t* config = nullptr;
  ucs_status_t status = me.lib->config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return status;
  if (*me.chosen.transports != '\0') status = me.lib->config_modify(config, "TLS", me.chosen.transports);
  if (status == UCS_OK && *me.chosen.devices != '\0')
    status = me.lib->config_modify(config, "NET_DEVICES", me.chosen.devices);
  if (status == UCS_OK && me.card_atomics) status = me.lib->config_modify(config, "ATOMIC_MODE", "device");
  ucp_params_t what{};
  what.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  what.features = UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  if (me.card_atomics) what.features |= UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64;
  what.estimated_num_eps = static_cast<std::size_t>(me.how.n_pes);
  if (status == UCS_OK) status = me.lib->init(UCP_API_MAJOR, UCP_API_MINOR, &what, config, &w.context);
  me.lib->config_release(config);
  return status;
}

ucs_status_t open_worker(worker& w) {
  const library& lib = *w.home->lib;
  ucp_worker_params_t what{};
  what.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  what.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  if (const ucs_status_t status = lib.worker_create(w.context, &what, &w.handle); status != UCS_OK) return status;
  return lib.get_fd(w.handle, &w.fd);
}

// Messages arrive at the shared worker only.
ucs_status_t set_handler(ucx_instance& me) {
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = message_id;
  handler.cb = receive;
  handler.arg = &me;
  return me.lib->set_handler(me.shared.handle, &handler);
}

// The address that peers need a route to. Cards need none.
os::network_address internet_address(const choice& chosen) {
  os::network_address list[os::most_addresses] = {};
  if (chosen.only_tcp && *chosen.interface != '\0') os::own_addresses(list, chosen.interface);
  return list[0];
}

ucs_status_t store_own_address(ucx_instance& me) {
  ucp_worker_attr_t what{};
  what.field_mask =
      UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS | UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  what.address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY;
  if (const ucs_status_t status = me.lib->worker_query(me.shared.handle, &what); status != UCS_OK) return status;
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
  me.lib->release_address(me.shared.handle, what.address);
  return fits ? UCS_OK : UCS_ERR_BUFFER_TOO_SMALL;
}

// Opens the objects in the order of their dependencies. Returns the name of the one that failed, or null.
const char* open_all(ucx_instance& me, ucs_status_t& status) {
  if (const char* failed = open_objects(me.shared, status); failed != nullptr) return failed;
  if (status = set_handler(me); status != UCS_OK) return "message handler";
  if (status = store_own_address(me); status != UCS_OK) return "address";
  return nullptr;
}

// Over TCP every endpoint reports a dead peer. With error handling by peer, UCX would send puts over TCP as
// acknowledged messages of 8 KiB, since it cannot withdraw a put over TCP (openucx/ucx#11929).
ucp_err_handling_mode_t error_mode(const ucx_instance& me) {
  return me.chosen.only_tcp ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
}

// The end of a worker ends its connections. All PEs have passed a barrier, so peers need no notice.
void destroy(ucx_instance* me) {
  close_separate(*me);
  close_objects(me->shared);
  release_packed_keys(*me);
  while (me->arrivals != nullptr) {
    arrival* a = me->arrivals;
    me->arrivals = a->next;
    free(a);
  }
  free(me->peers);
  free(me->shared.connections);
  free(me->shared.ops);
  me->~ucx_instance();
  free(me);
}

bool open(const open_params& params, instance** made, attributes* properties, char* why, std::size_t room) {
  const library* lib = open_library(why, room);
  if (lib == nullptr) return false;
  void* memory = aligned_alloc(cache_line, sizeof(ucx_instance));
  if (memory == nullptr) return snprintf(why, room, "no memory"), false;
  auto* me = new (memory) ucx_instance;
  me->lib = lib;
  me->shared.home = me;
  me->how = params;
  me->memory = memory_regions(params);
  ucs_status_t status = UCS_ERR_NO_MEMORY;
  const bool asks_card = params.atomics == atomics_policy::by_card;
  const bool is_chosen = choose(*lib, {.options = params.options, .asks_atomics = asks_card}, me->chosen, why, room);
  me->card_atomics = asks_card && me->chosen.has_atomics;
  const char* failed = !is_chosen ? "device" : allocate(*me) ? open_all(*me, status) : "memory";
  if (failed != nullptr) {
    if (is_chosen) snprintf(why, room, "UCX, %.100s: %s: %s", me->chosen.about, failed, lib->status_string(status));
    destroy(me);
    return false;
  }
  snprintf(me->about, sizeof me->about, "UCX %s, %s", lib->version(), me->chosen.about);
  properties->message_bytes = ucx::message_bytes;
  properties->announces = me->chosen.only_tcp;
  properties->arrives_by_card = me->card_atomics && !me->chosen.only_tcp;  // signals are messages
  properties->signals_in_order = true;
  properties->atomics = me->card_atomics ? agent::card : agent::cpu;
  properties->about = me->about;
  *made = reinterpret_cast<instance*>(me);
  return true;
}

// ---- life -----------------------------------------------------------------------------------------------------

void close(instance* i) { destroy(&own(i)); }

std::size_t local_address(instance* i, void* address) {
  const ucx_instance& me = own(i);
  memcpy(address, me.own_address, me.own_address_bytes);
  return me.own_address_bytes;
}

void peer_failed(void* owner, ucp_ep_h, ucs_status_t status) { note_error(*static_cast<ucx_instance*>(owner), status); }

outcome connect(instance* i, int pe, const void* address, std::size_t bytes) {
  ucx_instance& me = own(i);
  ucx::address a{};
  memcpy(&a, address, bytes < sizeof a ? bytes : sizeof a);
  os::inline_locked hold(me.shared.call_lock);
  peer& p = me.peers[pe];
  if (p.name != nullptr) return connect_worker(me.shared, pe);
  p.token = a.token;
  p.base = a.base;
  p.name = reinterpret_cast<const ucp_address_t*>(static_cast<const char*>(address) + offsetof(ucx::address, name));
  return connect_worker(me.shared, pe);
}

// UCX has no question for this that sends nothing, so the routes of the kernel answer for TCP.
bool may_connect(instance* i, const void* address, std::size_t bytes, char* why, std::size_t room) {
  const ucx_instance& me = own(i);
  ucx::address its{};
  memcpy(&its, address, bytes < sizeof its ? bytes : sizeof its);
  if (!me.chosen.only_tcp || its.internet.family == 0 || os::has_route(its.internet)) return true;
  char text[64];
  os::write_address(its.internet, text, sizeof text);
  snprintf(why, room, "%.100s has no route to %s", me.chosen.about, text);
  return false;
}

const char* explain(instance* i) {
  const ucx_instance& me = own(i);
  if (me.refused.load(std::memory_order_relaxed))
    return "the target cannot register symmetric memory; raise its limit on locked memory (ulimit -l)";
  return me.lib->status_string(static_cast<ucs_status_t>(me.error.load(std::memory_order_relaxed)));
}

stream* stream_open(instance* i, unsigned options) {
  ucx_instance& me = own(i);
  const bool is_ordered = (options & ordered) != 0;
  void* memory = aligned_alloc(cache_line, sizeof(ucx_stream));
  auto* to = static_cast<ordered_target*>(
      is_ordered ? calloc(static_cast<std::size_t>(me.how.n_pes), sizeof(ordered_target)) : nullptr);
  if (memory == nullptr || (is_ordered && to == nullptr)) {
    free(memory);
    free(to);
    return nullptr;
  }
  worker* w = !is_ordered && (options & separate) != 0 ? take_separate(me) : nullptr;
  if (w == nullptr) w = &me.shared;
  auto* s = new (memory) ucx_stream{
      .home = &me, .rma = w, .is_ordered = is_ordered, .is_separate = w->is_separate(), .to = to, .targets = {}};
  open_direct(*s);
  return reinterpret_cast<stream*>(s);
}

void stream_close(stream* on) {
  const ucx_stream& s = stream_of(on);
  if (s.rma->is_separate()) s.home->separate.give(*s.rma);
  free(s.to);
  free(on);
}

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
  ucx_instance& me = own(i);
  packet head{};
  head.kind = packet_kind::message;
  if (s == nullptr) {
    const auto due = me.due.take(pe);
    head.acknowledged = due.stream;
    head.n_acknowledged = due.n;
  }
  os::inline_locked hold(me.shared.call_lock);
  const message m{pe, me.shared.connections[pe].endpoint, head, bytes, n, nullptr, true};
  return ucx::send(me, nullptr, m, s == nullptr ? if_full::allocate : if_full::refuse);
}

outcome atomic(stream* s, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local) {
  return ucx::atomic(stream_of(s), pe, at, op, result, local);
}

outcome flush(stream* s, stream_point& point) { return ucx::flush(stream_of(s), point); }

int progress(instance* i) {
  ucx_instance& me = own(i);
  int events = me.separate.is_empty() ? 0 : me.separate.advance();
  if (!me.receiving.try_lock()) return events;
  {
    os::inline_locked hold(me.shared.call_lock);
    events += progress_worker(me.shared);
    send_ready_signals(me);
  }
  events += handle_arrivals(me);
  me.receiving.unlock();
  return events == 0 && is_broken(me) ? -1 : events;
}

int wait_fd(instance* i) { return own(i).separate.wait_fd(own(i).shared.fd); }

bool owes_acks(instance* i) { return own(i).due.has_left(); }

blocking may_block(instance* i) {
  ucx_instance& me = own(i);
  if (me.due.has_left()) return blocking::not_now;  // the next progress() sends that
  blocking shared;
  {
    os::inline_locked hold(me.shared.call_lock);
    shared = me.arrivals == nullptr ? me.shared.may_block() : blocking::not_now;
  }
  return std::max(shared, me.separate.may_block());
}

}  // namespace

const char* ucx::open_objects(worker& w, ucs_status_t& status) {
  w.lib = w.home->lib;
  w.region_shift = w.home->memory.region_shift;
  prepare_calls(w);
  if (status = open_context(w); status != UCS_OK) return "context";
  if (status = open_worker(w); status != UCS_OK) return "worker";
  return nullptr;
}

void ucx::close_objects(worker& w) {
  const library& lib = *w.home->lib;
  w.is_closing = true;
  release_keys(w);
  release_spare(w);
  if (w.handle != nullptr) lib.worker_destroy(w.handle);
  if (!w.is_separate()) unmap_regions(*w.home);
  if (w.context != nullptr) lib.cleanup(w.context);
}

outcome ucx::connect_worker(worker& w, int pe) {
  connection& c = w.connections[pe];
  if (c.endpoint != nullptr) return outcome::done;
  ucx_instance& me = *w.home;
  ucp_ep_params_t what{};
  what.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  what.address = me.peers[pe].name;
  what.err_mode = error_mode(me);
  what.err_handler = {.cb = peer_failed, .arg = &me};
  const ucs_status_t status = me.lib->ep_create(w.handle, &what, &c.endpoint);
  c.base = me.peers[pe].base;
  if (status == UCS_OK) return outcome::done;
  c.endpoint = nullptr;
  note_error(me, status);
  return outcome::lost;
}

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
                                        .owes_acks = owes_acks,
                                        .put_signal = put_signal,
                                        .atomic = atomic,
                                        .direct = direct,
                                        .stream_progress = stream_progress,
                                        .stream_hand_over = stream_hand_over,
                                        .watch_streams = watch_streams};

}  // namespace oshen::transport
