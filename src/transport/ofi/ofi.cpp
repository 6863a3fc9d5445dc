// The transport ofi: PEs on other hosts, through libfabric.
#include "transport/ofi/ofi.hpp"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "os/socket.hpp"
#include "transport/ofi/provider.hpp"
#include "transport/ofi/providers.hpp"

namespace oshen::transport {
namespace {

using namespace ofi;

constexpr std::size_t min_completion_queue = 64;
constexpr std::size_t chunks_at_once = 128;  // of one transfer
constexpr int last_idle_reads = 16;
constexpr int most_last_reads = 4096;

bool available(const char* options, char* why, std::size_t room) {
  const library* lib = open_library(1, why, room);
  if (lib == nullptr) return false;
  fi_info* info = choose(*lib, {.options = options}, why, room);
  if (info != nullptr) lib->freeinfo(info);
  return info != nullptr;
}

network_rank rank(const char* options, int n_pes) {
  if (*options == '\0' && !has_rdma_device()) return rank_of("tcp", "");
  char why[256];
  const library* lib = open_library(n_pes, why, sizeof why);
  fi_info* info = lib == nullptr ? nullptr : choose(*lib, {.options = options}, why, sizeof why);
  if (info == nullptr) return {0, ""};
  const network_rank found = rank_of_offer(*info);
  lib->freeinfo(info);
  return found;
}

struct report_to {
  offer_callback report;
  void* with;
};

void describe_offer(void* to, const fi_info& offer, const char* why_not) {
  const auto& r = *static_cast<report_to*>(to);
  char name[160];
  const char* protocol = offer.addr_format == FI_SOCKADDR_IN6  ? ", IPv6"
                         : offer.addr_format == FI_SOCKADDR_IN ? ", IPv4"
                                                               : "";
  const network_rank rank = rank_of_offer(offer);
  snprintf(name, sizeof name, "%.40s on %.40s%s, score %d (%.48s)", offer.fabric_attr->prov_name,
           offer.domain_attr->name, protocol, rank.score, rank.reason);
  r.report(r.with, name, why_not);
}

void offers(const char* options, offer_callback report, void* with) {
  char why[256];
  const library* lib = open_library(1, why, sizeof why);
  report_to to{report, with};
  fi_info* info = lib == nullptr ? nullptr : choose(*lib, {options, 0, describe_offer, &to}, why, sizeof why);
  if (info != nullptr) lib->freeinfo(info);
}

template <class T>
void close_one(T*& object) {
  if (object != nullptr) fi_close(&object->fid);
  object = nullptr;
}

void destroy(ofi_instance* me) {
  me->separate.close_poll_set();
  close_one(me->shared.endpoint);
  close_regions(*me);
  close_objects(me->shared);
  close_one(me->fabric);
  if (me->info != nullptr) me->lib->freeinfo(me->info);
  free(me->peers);
  free(me->shared.ops);
  me->~ofi_instance();
  free(me);
}

bool takes_long_messages(const fi_info& info) {
  return info.ep_attr->max_msg_size >= longest_packet && !splits_long_messages(info);
}

// Allocates everything that the provider does not own.
bool allocate(ofi_instance& me) {
  me.peers = static_cast<peer*>(calloc(static_cast<std::size_t>(me.how.n_pes), sizeof(peer)));
  me.shared.n_ops = max_pending_ops + receive_buffers;
  me.shared.ops = static_cast<pending_op*>(calloc(max_pending_ops + receive_buffers, sizeof(pending_op)));
  if (me.peers == nullptr || me.shared.ops == nullptr || !os::random_bytes(&me.token, sizeof me.token)) return false;
  return true;
}

// Halves the size until the provider accepts it. FI_RM_ENABLED protects a short queue from overflow.
int open_completion_queue(tx_endpoint& tx, fi_cq_attr wanted) {
  int code = -FI_EINVAL;
  for (; code != 0 && wanted.size >= min_completion_queue; wanted.size /= 2)
    code = fi_cq_open(tx.domain, &wanted, &tx.completions, nullptr);
  return code;
}

int open_queues(tx_endpoint& tx) {
  const fi_av_type wanted = tx.home->info->domain_attr->av_type;
  fi_av_attr addresses{};
  addresses.type = wanted == FI_AV_UNSPEC ? FI_AV_TABLE : wanted;
  fi_cq_attr completions{};
  completions.format = FI_CQ_FORMAT_DATA;
  completions.wait_obj = FI_WAIT_FD;
  completions.size = 4 * static_cast<std::size_t>(tx.is_separate() ? max_pending_separate_ops : max_pending_ops);
  if (const int code = fi_av_open(tx.domain, &addresses, &tx.addresses, nullptr); code != 0) return code;
  if (open_completion_queue(tx, completions) == 0) return 0;
  completions.wait_obj = FI_WAIT_NONE;  // waiters then poll
  return open_completion_queue(tx, completions);
}

int open_endpoint(tx_endpoint& tx) {
  if (const int code = fi_endpoint(tx.domain, tx.home->info, &tx.endpoint, nullptr); code != 0) return code;
  if (const int code = fi_ep_bind(tx.endpoint, &tx.addresses->fid, 0); code != 0) return code;
  // Operations of the direct path leave no completion.
  if (const int code = fi_ep_bind(tx.endpoint, &tx.completions->fid, FI_TRANSMIT | FI_SELECTIVE_COMPLETION); code != 0)
    return code;
  if (const int code = fi_ep_bind(tx.endpoint, &tx.completions->fid, FI_RECV); code != 0) return code;
  if (const int code = bind_counters(tx); code != 0) return code;
  return fi_enable(tx.endpoint);
}

// The Internet address in the name of an endpoint; family 0: the name has another form.
os::network_address internet_address(const ofi::address& a) {
  os::network_address out{};
  sockaddr_in6 a6;
  sockaddr_in a4;
  memcpy(&a4, a.name, sizeof a4);
  memcpy(&a6, a.name, sizeof a6);
  if (a.name_bytes == sizeof a4 && a4.sin_family == AF_INET) {
    out.family = 4;
    memcpy(out.bytes, &a4.sin_addr, 4);
  } else if (a.name_bytes == sizeof a6 && a6.sin6_family == AF_INET6) {
    out.family = 6;
    memcpy(out.bytes, &a6.sin6_addr, 16);
  }
  return out;
}

std::uint32_t number_of_provider(const fi_info& info, const ofi::address& own) {
  const int family = internet_address(own).family;
  std::uint32_t sum = family != 0 ? static_cast<std::uint32_t>(family) : info.addr_format;
  for (const char* p = info.fabric_attr->prov_name; *p != '\0'; ++p)
    sum = (sum ^ static_cast<unsigned char>(*p)) * 16777619u;  // FNV-1
  return sum;
}

// Messages carry this address to peers that must acknowledge them and may not know it.
bool store_own_address(ofi_instance& me) {
  ofi::address a{};
  a.token = me.token;
  a.base = (me.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<std::uint64_t>(me.memory.base) : 0;
  std::size_t bytes = sizeof a.name;
  if (fi_getname(&me.shared.endpoint->fid, a.name, &bytes) != 0) return false;
  a.name_bytes = static_cast<std::uint32_t>(bytes);
  a.provider = number_of_provider(*me.info, a);
  me.own_address_bytes = offsetof(ofi::address, name) + bytes;
  memcpy(me.own_address, &a, me.own_address_bytes);
  return me.own_address_bytes <= max_carried_address;
}

// Opens the objects in the order of their dependencies. Returns the name of the one that failed, or null.
const char* open_all(ofi_instance& me, int& code) {
  if (code = me.lib->fabric(me.info->fabric_attr, &me.fabric, nullptr); code != 0) return "fabric";
  if (const char* failed = open_objects(me.shared, code); failed != nullptr) return failed;
  if (!store_own_address(me)) return code = -FI_ETOOSMALL, "address";
  if (!post_receives(me)) return code = -FI_ENOMEM, "receive buffers";
  return nullptr;
}

bool wants_card_atomics(const ofi_instance& me) {
  return me.how.atomics == atomics_policy::by_card ||
         (me.how.atomics == atomics_policy::automatic && has_card_atomics(*me.info));
}

const char* atomics_note(const ofi_instance& me) {
  if (!me.card_atomics) return "";
  return me.how.atomics == atomics_policy::by_card ? ", atomics by the card"
                                                   : ", atomics of hinted objects by the card";
}

void describe(ofi_instance& me) {
  constexpr std::uint64_t needed = FI_ORDER_WAW | FI_ORDER_SAW | FI_ORDER_SAS;
  const fi_tx_attr& tx = *me.info->tx_attr;
  const fi_ep_attr& ep = *me.info->ep_attr;
  if (ep.max_msg_size < max_transfer_bytes) me.memory.max_chunk = ep.max_msg_size;
  // A card that pins no memory registers the whole slice at once.
  if ((me.info->domain_attr->mr_mode & FI_MR_ALLOCATED) == 0) me.memory.region_shift = memory_regions::whole;
  const std::size_t longest = ep.max_msg_size < max_transfer_bytes ? ep.max_msg_size : max_transfer_bytes;
  me.announces.store(has_remote_data(*me.info), std::memory_order_relaxed);
  me.card_atomics = wants_card_atomics(me) && has_atomics(me.shared);
  me.in_order = (tx.msg_order & needed) == needed && ep.max_order_waw_size >= longest;
  me.signals_by_writes = me.in_order && signals_by_writes(*me.info);
  const std::uint32_t v = me.lib->version();
  snprintf(me.about, sizeof me.about, "libfabric %u.%u, provider %.60s, domain %.60s%s%s", v >> 16, v & 0xffff,
           me.info->fabric_attr->prov_name, me.info->domain_attr->name, me.in_order ? ", in order" : "",
           atomics_note(me));
}

// A transfer must not need more operations than there are.
std::size_t transfer_limit(const ofi_instance& me) {
  const std::size_t most = me.memory.max_chunk < max_transfer_bytes ? me.memory.max_chunk * chunks_at_once : SIZE_MAX;
  return most < max_transfer_bytes ? most : max_transfer_bytes;
}

// ofi_rxm may crash if an endpoint is closed while its queue holds completions of receives (ofiwg/libfabric#11828).
void read_the_last_completions(ofi_instance& me) {
  for (int idle = 0, reads = 0; idle < last_idle_reads && reads < most_last_reads; ++reads)
    idle = read_completions(me.shared) == 0 ? idle + 1 : 0;
}

void close(instance* i) {
  close_separate(own(i));
  read_the_last_completions(own(i));
  destroy(&own(i));
}

bool open(const open_params& params, instance** made, attributes* properties, char* why, std::size_t room) {
  const library* lib = open_library(params.n_pes, why, room);
  void* memory = lib != nullptr ? aligned_alloc(cache_line, sizeof(ofi_instance)) : nullptr;
  if (memory == nullptr) return false;
  auto* me = new (memory) ofi_instance;
  me->lib = lib;
  me->shared.home = me;
  me->how = params;
  me->memory = memory_regions(params);
  int code = -FI_ENOMEM;
  const char* failed = nullptr;
  me->info = choose(*lib, {params.options, params.near_index}, why, room);
  if (me->info != nullptr && wants_card_atomics(*me)) me->info = with_atomics(*lib, me->info);
  if (me->info != nullptr) me->info->tx_attr->op_flags = FI_DELIVERY_COMPLETE;  // of the direct path
  if (me->info != nullptr) failed = allocate(*me) ? open_all(*me, code) : "memory";
  if (me->info == nullptr || failed != nullptr) {
    if (me->info != nullptr)
      snprintf(why, room, "provider %.60s: %s: %s", me->info->fabric_attr->prov_name, failed, lib->strerror(-code));
    destroy(me);
    return false;
  }
  describe(*me);
  open_routes(me->shared);
  properties->message_bytes = takes_long_messages(*me->info) ? long_message_bytes : message_bytes;
  properties->atomics = me->card_atomics ? agent::card : agent::cpu;
  // Atomic operations of a card come without notice.
  properties->announces = me->announces.load(std::memory_order_relaxed) && !me->card_atomics;
  const bool moves_by_itself = me->card_atomics && arrives_by_card(*me->info);
  properties->arrives_by_card = moves_by_itself;
  properties->signals_by_card = moves_by_itself && me->signals_by_writes;
  properties->transfer_bytes = transfer_limit(*me);
  properties->signals_in_order = me->in_order;
  properties->about = me->about;
  *made = reinterpret_cast<instance*>(me);
  return true;
}

std::size_t local_address(instance* i, void* address) {
  const ofi_instance* me = &own(i);
  memcpy(address, me->own_address, me->own_address_bytes);
  return me->own_address_bytes;
}

outcome connect(instance* i, int pe, const void* address, std::size_t bytes) {
  return learn_address(own(i), pe, address, bytes);
}

// Endpoints connect only to endpoints of the same provider. The routes of the kernel count for providers with Internet
// addresses on an interface of the kernel.
bool may_connect(instance* i, const void* address, std::size_t bytes, char* why, std::size_t room) {
  const ofi_instance& me = own(i);
  ofi::address mine{}, its{};
  memcpy(&mine, me.own_address, me.own_address_bytes);
  memcpy(&its, address, bytes < sizeof its ? bytes : sizeof its);
  const char* provider = me.info->fabric_attr->prov_name;
  if (mine.provider != its.provider) {
    snprintf(why, room, "libfabric chose %.60s here, and another provider or kind of address there", provider);
    return false;
  }
  const os::network_address to = internet_address(its);
  if (to.family == 0 || !is_of_the_kernel(*me.info) || os::has_route(to)) return true;
  char text[64];
  os::write_address(to, text, sizeof text);
  snprintf(why, room, "%.60s on %.60s has no route to %s", provider, me.info->domain_attr->name, text);
  return false;
}

const char* explain(instance* i) {
  const ofi_instance* me = &own(i);
  if (me->refused.load(std::memory_order_relaxed))
    return "the target cannot register symmetric memory; raise its limit on locked memory (ulimit -l)";
  return me->lib->strerror(me->error.load(std::memory_order_relaxed));
}

stream* stream_open(instance* i, unsigned options) {
  ofi_instance& me = own(i);
  void* memory = aligned_alloc(cache_line, sizeof(ofi_stream));
  if (memory == nullptr) return nullptr;
  const bool is_ordered = (options & ordered) != 0 && me.in_order;
  tx_endpoint* tx = (options & separate) != 0 ? take_separate(me) : nullptr;
  if (tx == nullptr) tx = &me.shared;
  auto* made = new (memory) ofi_stream{.direct = {}, .home = &me, .tx = tx, .is_ordered = is_ordered};
  open_direct(*made, options);
  return reinterpret_cast<stream*>(made);
}

void stream_close(stream* s) {
  close_direct(*own(s));
  // The provider may still send messages of the stream, whose replies have arrived; their completions name no stream.
  if (own(s)->tx->is_separate()) own(s)->home->separate.give(*own(s)->tx);
  free(s);
}

outcome send(instance* i, stream* s, int pe, const void* bytes, std::size_t n) {
  return send_message(own(i), own(s), pe, {packet_kind::message, signal_op::set, bytes, n},
                      s == nullptr ? if_full::queue : if_full::refuse);
}

// At the first call of a fence or flush, stores the epochs for which it waits, and the end of the queue.
void begin(ofi_stream& s, stream_point& point) {
  if (point.begun) return;
  point = {.insists = point.insists,
           .begun = true,
           .epochs = {s.transfers.now(), s.signals.now()},
           .position = s.tx->n_queued.load(std::memory_order_acquire)};
}

// True if the provider has accepted everything that was queued before `position`. The queue keeps its order.
bool has_sent(const tx_endpoint& tx, std::uint32_t position) {
  return static_cast<std::int32_t>(tx.n_sent.load(std::memory_order_acquire) - position) >= 0;
}

outcome fence(stream* on, stream_point& point) {
  ofi_stream& s = *own(on);
  if (is_broken(*s.home)) return outcome::lost;
  begin(s, point);
  if (!s.signals.have_passed(point.epochs[1])) return outcome::would_block;
  if (!has_sent(*s.tx, point.position)) return outcome::would_block;  // chunks of puts, perhaps
  if (s.home->in_order) return outcome::done;
  return s.transfers.have_passed(point.epochs[0]) && has_met(s, point) ? outcome::done : outcome::would_block;
}

outcome flush(stream* on, stream_point& point) {
  ofi_stream& s = *own(on);
  if (is_broken(*s.home)) return outcome::lost;
  begin(s, point);
  const bool is_complete = s.transfers.have_passed(point.epochs[0]) && s.signals.have_passed(point.epochs[1]);
  return is_complete && has_met(s, point) ? outcome::done : outcome::would_block;
}

int progress(instance* i) {
  ofi_instance& me = own(i);
  int events = send_waiting(me.shared);
  if (!me.separate.is_empty()) events += me.separate.advance();
  if (!me.shared.reading.try_lock()) return events;
  events += read_completions(me.shared);
  me.shared.reading.unlock();
  return events == 0 && is_broken(me) ? -1 : events;
}

int wait_fd(instance* i) { return own(i).separate.wait_fd(own(i).shared.fd); }

bool owes_acks(instance* i) { return own(i).due.has_left(); }

blocking may_block(instance* i) {
  ofi_instance& me = own(i);
  if (me.due.has_left()) return blocking::not_now;  // the next progress() sends that
  return std::max(me.shared.may_block(), me.separate.may_block());
}

}  // namespace

const char* ofi::open_objects(tx_endpoint& tx, int& code) {
  if (code = fi_domain(tx.home->fabric, tx.home->info, &tx.domain, nullptr); code != 0) return "domain";
  if (code = open_queues(tx); code != 0) return "completion queue";
  if (code = open_endpoint(tx); code != 0) return "endpoint";
  if (fi_control(&tx.completions->fid, FI_GETWAIT, &tx.fd) != 0) tx.fd = -1;
  return nullptr;
}

void ofi::close_objects(tx_endpoint& tx) {
  close_one(tx.endpoint);
  close_counters(tx);
  close_one(tx.completions);
  close_one(tx.addresses);
  close_one(tx.domain);
}

// Without a descriptor completions come without notice. Operations that wait for the provider must be tried again.
blocking ofi::tx_endpoint::may_block() {
  if (fd < 0) return has_operations() ? blocking::not_now : blocking::until_readable;
  fid* queue = &completions->fid;
  if (fi_trywait(home->fabric, &queue, 1) != FI_SUCCESS) return blocking::not_now;
  return has_waiting(*this) || !is_direct_complete(*this) ? blocking::for_a_moment : blocking::until_readable;
}

outcome ofi::learn_address(ofi_instance& me, int pe, const void* address, std::size_t bytes) {
  ofi::address a{};
  memcpy(&a, address, bytes < sizeof a ? bytes : sizeof a);
  os::locked hold(me.peers_lock);
  peer& p = me.peers[pe];
  if (p.known) return outcome::done;
  fi_addr_t where = FI_ADDR_NOTAVAIL;
  if (fi_av_insert(me.shared.addresses, a.name, 1, &where, 0, nullptr) != 1) return outcome_of(me, -FI_EADDRNOTAVAIL);
  p.keys = static_cast<remote_key*>(calloc(max_regions, sizeof(remote_key)));
  if (p.keys == nullptr) return outcome_of(me, -FI_ENOMEM);
  p.address = where;
  p.token = a.token;
  p.base = a.base;
  p.known = true;
  return outcome::done;
}

extern const transport ofi_transport;
constinit const transport ofi_transport{.size = sizeof(transport),
                                        .name = "ofi",
                                        .title = "between hosts, by libfabric, which is opened at run time",
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
                                        .fence = fence,
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
