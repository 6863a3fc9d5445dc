// A libfabric for separate_test.cpp, and a PE that uses it. An operation is complete at once, but its thread learns of
// it from the completion queue only.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "support/watched_pages.hpp"
#include "transport/ofi/ofi.hpp"

namespace oshen::transport {

extern const transport ofi_transport;

namespace fake_ofi {

// One object of each kind for each endpoint, as the provider opens them.
struct fake_objects {
  fid_domain domain{};
  fid_av addresses{};
  fid_cq queue{};
  fid_ep endpoint{};
  std::deque<void*> complete;
  bool has_lost_peer = false;  // the present operations fail
  int reads = 0;
};

inline std::vector<std::unique_ptr<fake_objects>> opened;
inline constexpr int unused_descriptor = 1000000;
inline bool has_room = true;  // for further endpoints

template <class Fid>
fake_objects& objects_of(Fid* object) {
  for (const auto& o : opened)
    if (&o->domain.fid == &object->fid || &o->addresses.fid == &object->fid || &o->queue.fid == &object->fid ||
        &o->endpoint.fid == &object->fid)
      return *o;
  abort();
}

inline int close_object(fid*) { return 0; }
inline int bind_object(fid*, fid*, std::uint64_t) { return 0; }
inline bool has_descriptors = true;
inline int control_object(fid*, int command, void* to) {
  if (command == FI_ENABLE) return 0;
  if (command != FI_GETWAIT || !has_descriptors) return -FI_ENOSYS;
  return *static_cast<int*>(to) = unused_descriptor, 0;
}
inline fi_ops object_calls{.size = sizeof(fi_ops),
                           .close = close_object,
                           .bind = bind_object,
                           .control = control_object,
                           .ops_open = nullptr,
                           .tostr = nullptr,
                           .ops_set = nullptr};

inline ssize_t complete_later(fid_ep* by, void* context) {
  objects_of(by).complete.push_back(context);
  return 0;
}

inline fi_ops_cq queue_calls{};
inline fi_ops_rma rma_calls{};
inline fi_ops_msg message_calls{};
inline fi_ops_av address_calls{};
inline fi_ops_domain domain_calls{};
inline fi_ops_fabric fabric_calls{};

inline void fill_calls() {
  queue_calls.read = [](fid_cq* queue, void* to, std::size_t room) -> ssize_t {
    fake_objects& o = objects_of(queue);
    ++o.reads;
    if (o.has_lost_peer && !o.complete.empty()) return -FI_EAVAIL;
    std::size_t n = 0;
    for (; n < room && !o.complete.empty(); ++n) {
      static_cast<fi_cq_data_entry*>(to)[n] = {o.complete.front(), FI_WRITE | FI_RMA, 0, nullptr, 0};
      o.complete.pop_front();
    }
    return n != 0 ? static_cast<ssize_t>(n) : -FI_EAGAIN;
  };
  queue_calls.readerr = [](fid_cq* queue, fi_cq_err_entry* to, std::uint64_t) -> ssize_t {
    fake_objects& o = objects_of(queue);
    *to = {};
    to->op_context = o.complete.front();
    to->err = FI_ETIMEDOUT;
    o.complete.pop_front();
    return 1;
  };
  rma_calls.writemsg = [](fid_ep* by, const fi_msg_rma* m, std::uint64_t) { return complete_later(by, m->context); };
  rma_calls.readmsg = rma_calls.writemsg;
  message_calls.sendmsg = [](fid_ep* by, const fi_msg* m, std::uint64_t) { return complete_later(by, m->context); };
  address_calls.insert = [](fid_av*, const void*, std::size_t n, fi_addr_t* to, std::uint64_t, void*) {
    return *to = 5, static_cast<int>(n);
  };
  address_calls.lookup = [](fid_av*, fi_addr_t, void*, std::size_t*) { return 0; };
  domain_calls.av_open = [](fid_domain* d, fi_av_attr*, fid_av** made, void*) {
    return *made = &objects_of(d).addresses, 0;
  };
  domain_calls.cq_open = [](fid_domain* d, fi_cq_attr*, fid_cq** made, void*) {
    return *made = &objects_of(d).queue, 0;
  };
  domain_calls.cntr_open = [](fid_domain*, fi_cntr_attr*, fid_cntr**, void*) { return -FI_ENOSYS; };
  domain_calls.endpoint = [](fid_domain* d, fi_info*, fid_ep** made, void*) {
    return *made = &objects_of(d).endpoint, 0;
  };
  fabric_calls.domain = [](fid_fabric*, fi_info*, fid_domain** made, void*) {
    if (!has_room) return -FI_ENOMEM;
    opened.push_back(std::make_unique<fake_objects>());
    fake_objects& o = *opened.back();
    for (fid* f : {&o.domain.fid, &o.addresses.fid, &o.queue.fid, &o.endpoint.fid}) f->ops = &object_calls;
    o.domain.ops = &domain_calls;
    o.addresses.ops = &address_calls;
    o.queue.ops = &queue_calls;
    o.endpoint.rma = &rma_calls;
    o.endpoint.msg = &message_calls;
    return *made = &o.domain, 0;
  };
  fabric_calls.trywait = [](fid_fabric*, fid**, int) {
    EXPECT_TRUE(has_descriptors) << "libfabric crashes";
    return 0;
  };
}

class requester {
 public:
  static constexpr const transport& table = ofi_transport;
  static constexpr int most_operations = ofi::max_pending_separate_ops;
  // A put takes its operation from the pool; its quiet reads the queue and returns the operation.
  static constexpr std::size_t locks_of_put = 3, locks_of_shared_put = 3, separate_locks = 2, shared_locks = 2;

  requester() {
    opened.clear();
    has_room = true;
    fill_calls();
    fabric.ops = &fabric_calls;
    fabric_attributes.prov_name = name;
    info.fabric_attr = &fabric_attributes;
    info.domain_attr = &domain_attributes;
    info.tx_attr = &tx_attributes;
    for (ofi::peer& p : peers) {
      p.known = true;
      p.keys = &key;
    }
    key.is_here.store(true);
    lib.strerror = [](int) { return "lost"; };
    me.lib = &lib;
    me.how.n_pes = static_cast<int>(peers.size());
    me.how.request_wake = [](void* owner) { ++static_cast<requester*>(owner)->wakes; };
    me.how.owner = this;
    me.memory.base = slice.data();
    me.memory.bytes = slice.size();
    me.info = &info;
    me.fabric = &fabric;
    me.peers = peers.data();
    me.shared.home = &me;
    me.shared.ops = ops.data();
    me.shared.n_ops = static_cast<int>(ops.size());
    int code = 0;
    EXPECT_EQ(ofi::open_objects(me.shared, code), nullptr);
  }
  ~requester() {
    ofi::close_separate(me);
    ofi::close_objects(me.shared);
    me.~ofi_instance();
  }
  requester(const requester&) = delete;
  requester& operator=(const requester&) = delete;

  instance* self() { return reinterpret_cast<instance*>(&me); }
  static auto& path_of(stream* s) { return *own(s)->tx; }
  static os::mutex& first_lock_of(stream* s) { return own(s)->tx->pool; }
  static int reads_of(stream* s) { return objects_of(own(s)->tx->completions).reads; }
  static std::size_t opened_paths() { return opened.size(); }
  static void refuse_paths() { has_room = false; }
  static void hold(stream*) {}  // this fabric gives no notice of completions that are there
  static void deliver(stream*) {}
  void close_paths() { ofi::close_separate(me); }
  static void lose_peer(stream* s) { objects_of(own(s)->tx->completions).has_lost_peer = true; }

  int wakes = 0;
  char name[16] = "tcp;ofi_rxm";
  fi_fabric_attr fabric_attributes{};
  fi_domain_attr domain_attributes{};
  fi_tx_attr tx_attributes{};
  fi_info info{};
  fid_fabric fabric{};
  ofi::library lib{};
  ofi::remote_key key{};
  std::array<ofi::peer, 2> peers{};
  std::vector<char> slice = std::vector<char>(4096);
  std::vector<ofi::pending_op> ops{64};
  testing::watched_pages pages{sizeof(ofi_instance)};
  ofi_instance& me = *new (pages.begin()) ofi_instance;
};

}  // namespace fake_ofi
}  // namespace oshen::transport
