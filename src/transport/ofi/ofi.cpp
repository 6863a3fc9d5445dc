// The transport ofi: PEs of other hosts by libfabric.
#include "transport/ofi/ofi.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "os/socket.hpp"
#include "transport/ofi/provider.hpp"

namespace oshen::transport {
namespace {

using namespace ofi;

bool available(const char* options, char* why, std::size_t room) {
  const library* lib = open_library(why, room);
  if (lib == nullptr) return false;
  fi_info* info = choose(*lib, options, nullptr, nullptr, why, room);
  if (info != nullptr) lib->freeinfo(info);
  return info != nullptr;
}

struct showing {
  offer_seen seen;
  void* with;
};

void show(void* to, const fi_info& offer, const char* why_not) {
  const auto& s = *static_cast<showing*>(to);
  char what[160];
  snprintf(what, sizeof what, "%.60s on %.60s%s", offer.fabric_attr->prov_name, offer.domain_attr->name,
           offer.addr_format == FI_SOCKADDR_IN6 ? ", IPv6" : offer.addr_format == FI_SOCKADDR_IN ? ", IPv4" : "");
  s.seen(s.with, what, why_not);
}

void offers(const char* options, offer_seen seen, void* with) {
  char why[256];
  const library* lib = open_library(why, sizeof why);
  showing s{seen, with};
  fi_info* info = lib == nullptr ? nullptr : choose(*lib, options, show, &s, why, sizeof why);
  if (info != nullptr) lib->freeinfo(info);
}

template <class T>
void close_one(T*& what) {
  if (what != nullptr) fi_close(&what->fid);
  what = nullptr;
}

void close_own(ofi_instance* me) {
  close_one(me->endpoint);
  close_pieces(*me);
  close_one(me->completions);
  close_one(me->names);
  close_one(me->domain);
  close_one(me->fabric);
  if (me->info != nullptr) me->lib->freeinfo(me->info);
  free(me->peers);
  free(me->tasks);
  me->~ofi_instance();
  free(me);
}

// Memory for everything that does not belong to the provider.
bool furnish(ofi_instance& me) {
  me.peers = static_cast<peer*>(calloc(static_cast<std::size_t>(me.how.n_pes), sizeof(peer)));
  me.tasks = static_cast<task*>(calloc(most_tasks + receives, sizeof(task)));
  if (me.peers == nullptr || me.tasks == nullptr || !os::random_bytes(&me.token, sizeof me.token)) return false;
  return true;
}

int open_names_and_completions(ofi_instance& me) {
  fi_av_attr names{};
  names.type = me.info->domain_attr->av_type == FI_AV_UNSPEC ? FI_AV_TABLE : me.info->domain_attr->av_type;
  fi_cq_attr completions{};
  completions.format = FI_CQ_FORMAT_DATA;
  completions.wait_obj = FI_WAIT_FD;
  completions.size = 4 * most_tasks;
  if (const int code = fi_av_open(me.domain, &names, &me.names, nullptr); code != 0) return code;
  if (const int code = fi_cq_open(me.domain, &completions, &me.completions, nullptr); code == 0) return 0;
  completions.wait_obj = FI_WAIT_NONE;  // then whoever waits has to look
  return fi_cq_open(me.domain, &completions, &me.completions, nullptr);
}

int open_endpoint(ofi_instance& me) {
  if (const int code = fi_endpoint(me.domain, me.info, &me.endpoint, nullptr); code != 0) return code;
  if (const int code = fi_ep_bind(me.endpoint, &me.names->fid, 0); code != 0) return code;
  if (const int code = fi_ep_bind(me.endpoint, &me.completions->fid, FI_TRANSMIT | FI_RECV); code != 0) return code;
  return fi_enable(me.endpoint);
}

// Kept, because messages carry it to who does not know us yet and has to acknowledge them.
bool note_own_address(ofi_instance& me) {
  ofi::address a{};
  a.token = me.token;
  a.base = (me.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<std::uint64_t>(me.memory.base) : 0;
  std::size_t bytes = sizeof a.name;
  if (fi_getname(&me.endpoint->fid, a.name, &bytes) != 0) return false;
  a.name_bytes = static_cast<std::uint32_t>(bytes);
  me.own_address_bytes = offsetof(ofi::address, name) + bytes;
  memcpy(me.own_address, &a, me.own_address_bytes);
  return me.own_address_bytes <= carried_address;
}

// In the order in which one needs the other; what could not be done is named.
const char* open_all(ofi_instance& me, int& code) {
  if (code = me.lib->fabric(me.info->fabric_attr, &me.fabric, nullptr); code != 0) return "fabric";
  if (code = fi_domain(me.fabric, me.info, &me.domain, nullptr); code != 0) return "domain";
  if (code = open_names_and_completions(me); code != 0) return "completion queue";
  if (code = open_endpoint(me); code != 0) return "endpoint";
  if (!note_own_address(me)) return code = -FI_ETOOSMALL, "address";
  if (!post_receives(me)) return code = -FI_ENOMEM, "receive buffers";
  return nullptr;
}

void describe(ofi_instance& me) {
  constexpr std::uint64_t needed = FI_ORDER_WAW | FI_ORDER_SAW | FI_ORDER_SAS;
  const fi_tx_attr& tx = *me.info->tx_attr;
  me.in_order = (tx.msg_order & needed) == needed && me.info->ep_attr->max_order_waw_size >= most_bytes;
  const std::uint32_t v = me.lib->version();
  snprintf(me.about, sizeof me.about, "libfabric %u.%u, provider %.60s, domain %.60s%s", v >> 16, v & 0xffff,
           me.info->fabric_attr->prov_name, me.info->domain_attr->name, me.in_order ? ", in order" : "");
}

void close(instance* i) { close_own(&own(i)); }

bool open(const opening& how, instance** made, facts* what, char* why, std::size_t room) {
  const library* lib = open_library(why, room);
  void* memory = lib != nullptr ? malloc(sizeof(ofi_instance)) : nullptr;
  if (memory == nullptr) return false;
  auto* me = new (memory) ofi_instance;
  me->lib = lib;
  me->how = how;
  me->memory = window(how);
  int code = -FI_ENOMEM;
  const char* failed = nullptr;
  me->info = choose(*lib, how.options, nullptr, nullptr, why, room);
  if (me->info != nullptr) failed = furnish(*me) ? open_all(*me, code) : "memory";
  if (me->info == nullptr || failed != nullptr) {
    if (me->info != nullptr)
      snprintf(why, room, "provider %.60s: %s: %s", me->info->fabric_attr->prov_name, failed, lib->strerror(-code));
    close_own(me);
    return false;
  }
  if (fi_control(&me->completions->fid, FI_GETWAIT, &me->fd) != 0) me->fd = -1;
  describe(*me);
  what->message_bytes = message_bytes;
  what->signals_in_order = me->in_order;
  what->about = me->about;
  *made = reinterpret_cast<instance*>(me);
  return true;
}

std::size_t local_address(instance* i, void* address) {
  const ofi_instance* me = &own(i);
  memcpy(address, me->own_address, me->own_address_bytes);
  return me->own_address_bytes;
}

outcome connect(instance* i, int pe, const void* address, std::size_t bytes) {
  return introduce(own(i), pe, address, bytes);
}

const char* explain(instance* i) {
  const ofi_instance* me = &own(i);
  if (me->refused.load(std::memory_order_relaxed))
    return "the target cannot register symmetric memory; raise its limit on locked memory (ulimit -l)";
  return me->lib->strerror(me->error.load(std::memory_order_relaxed));
}

stream* stream_open(instance* i, unsigned options) {
  void* memory = malloc(sizeof(ofi_stream));
  if (memory == nullptr) return nullptr;
  const bool is_ordered = (options & ordered) != 0 && own(i).in_order;
  return reinterpret_cast<stream*>(new (memory) ofi_stream{.home = &own(i), .is_ordered = is_ordered});
}
void stream_close(stream* s) { free(s); }

outcome send(instance* i, stream* s, int pe, const void* bytes, std::size_t n) {
  return write_packet(own(i), own(s), pe, packet_kind::message, signal_change::set, bytes, n,
                      s == nullptr ? if_full::keep_copy : if_full::say_again);
}

bool is_broken(const ofi_stream* s) { return s->home->error.load(std::memory_order_relaxed) != 0; }

outcome fence(stream* on) {
  const ofi_stream* s = own(on);
  if (is_broken(s)) return outcome::lost;
  if (s->unacknowledged.load(std::memory_order_acquire) != 0) return outcome::again;
  if (s->home->n_waiting.load(std::memory_order_relaxed) != 0) return outcome::again;  // parts of puts may be among it
  return s->home->in_order || s->moving.load(std::memory_order_acquire) == 0 ? outcome::done : outcome::again;
}

outcome flush(stream* on) {
  const ofi_stream* s = own(on);
  if (is_broken(s)) return outcome::lost;
  return s->moving.load(std::memory_order_acquire) == 0 && s->unacknowledged.load(std::memory_order_acquire) == 0
             ? outcome::done
             : outcome::again;
}

int progress(instance* i) {
  ofi_instance& me = own(i);
  int events = send_waiting(me);
  if (!me.receiving.try_lock()) return events;
  events += read_completions(me);
  me.receiving.unlock();
  return events;
}

int wait_fd(instance* i) { return own(i).fd; }

bool may_block(instance* i) {
  const ofi_instance* me = &own(i);
  fid* what = &me->completions->fid;
  return me->n_waiting.load(std::memory_order_relaxed) == 0 && fi_trywait(me->fabric, &what, 1) == FI_SUCCESS;
}

}  // namespace

outcome ofi::introduce(ofi_instance& me, int pe, const void* address, std::size_t bytes) {
  ofi::address a{};
  memcpy(&a, address, bytes < sizeof a ? bytes : sizeof a);
  os::locked hold(me.pool);
  peer& p = me.peers[pe];
  if (p.known) return outcome::done;
  fi_addr_t where = FI_ADDR_NOTAVAIL;
  if (fi_av_insert(me.names, a.name, 1, &where, 0, nullptr) != 1) return outcome_of(me, -FI_EADDRNOTAVAIL);
  p.keys = static_cast<held_key*>(calloc(most_pieces, sizeof(held_key)));
  if (p.keys == nullptr) return outcome_of(me, -FI_ENOMEM);
  p.where = where;
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
                                        .fence = fence,
                                        .flush = flush,
                                        .progress = progress,
                                        .wait_fd = wait_fd,
                                        .may_block = may_block,
                                        .put_signal = put_signal,
                                        .atomic = nullptr};

}  // namespace oshen::transport
