// A UCX for separate_test.cpp, and a PE that uses it. An operation is complete at once, but its worker learns of it
// from progress only.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "support/watched_pages.hpp"
#include "transport/ucx/ucx.hpp"

namespace oshen::transport {

extern const transport ucx_transport;

namespace fake_ucx {

// A worker with its context and its endpoint, which leads to PE 1.
struct fake_worker {
  std::deque<ucp_request_param_t> complete, in_flight;
  bool is_slow = false;        // operations stay in flight
  bool has_lost_peer = false;  // the present operations fail
  bool is_armed = false;
  bool is_closed = false;
  int reads = 0;
  int keys = 0;
};

inline std::vector<std::unique_ptr<fake_worker>> opened;
inline constexpr int unused_descriptor = 1000000;
inline bool has_room = true;  // for further workers
inline int key_requests = 0;

// Each object of UCX is its worker.
template <class Handle>
fake_worker& worker_of(Handle h) {
  return *reinterpret_cast<fake_worker*>(h);
}

inline ucs_status_ptr_t complete_later(ucp_ep_h by, const ucp_request_param_t* how) {
  fake_worker& w = worker_of(by);
  w.is_armed = w.is_armed && w.is_slow;
  (w.is_slow ? w.in_flight : w.complete).push_back(*how);
  return &w;  // a request in progress
}

inline unsigned finish_all(std::deque<ucp_request_param_t>& list, ucs_status_t status) {
  unsigned n = 0;
  for (; !list.empty(); ++n) {
    const ucp_request_param_t how = list.front();
    list.pop_front();
    how.cb.send(nullptr, status, how.user_data);
  }
  return n;
}

inline void open_and_close(ucx::library& l) {
  l.config_read = [](const char*, const char*, ucp_config_t** made) { return *made = nullptr, UCS_OK; };
  l.config_release = [](ucp_config_t*) {};
  l.init = [](unsigned, unsigned, const ucp_params_t*, const ucp_config_t*, ucp_context_h* made) {
    if (!has_room) return UCS_ERR_NO_RESOURCE;
    opened.push_back(std::make_unique<fake_worker>());
    return *made = reinterpret_cast<ucp_context_h>(opened.back().get()), UCS_OK;
  };
  l.cleanup = [](ucp_context_h) {};
  l.worker_create = [](ucp_context_h c, const ucp_worker_params_t*, ucp_worker_h* made) {
    return *made = reinterpret_cast<ucp_worker_h>(c), UCS_OK;
  };
  l.worker_destroy = [](ucp_worker_h h) {
    EXPECT_EQ(worker_of(h).keys, 0);
    worker_of(h).is_closed = true;
    for (auto* list : {&worker_of(h).complete, &worker_of(h).in_flight}) finish_all(*list, UCS_ERR_CANCELED);
  };
  l.get_fd = [](ucp_worker_h, int* fd) { return *fd = unused_descriptor, UCS_OK; };
  l.ep_create = [](ucp_worker_h h, const ucp_ep_params_t*, ucp_ep_h* made) {
    return *made = reinterpret_cast<ucp_ep_h>(h), UCS_OK;
  };
  l.rkey_unpack = [](ucp_ep_h by, const void*, ucp_rkey_h* made) {
    ++worker_of(by).keys;
    return *made = reinterpret_cast<ucp_rkey_h>(by), UCS_OK;
  };
  l.rkey_destroy = [](ucp_rkey_h key) { --worker_of(key).keys; };
  l.status_string = [](ucs_status_t) { return "lost"; };
}

inline ucx::library fake_library() {
  ucx::library l{};
  open_and_close(l);
  l.progress = [](ucp_worker_h h) {
    fake_worker& w = worker_of(h);
    ++w.reads;
    return finish_all(w.complete, w.has_lost_peer ? UCS_ERR_ENDPOINT_TIMEOUT : UCS_OK);
  };
  l.arm = [](ucp_worker_h h) {
    fake_worker& w = worker_of(h);
    w.is_armed = w.complete.empty();
    return w.is_armed ? UCS_OK : UCS_ERR_BUSY;
  };
  l.put = [](ucp_ep_h by, const void*, std::size_t, std::uint64_t, ucp_rkey_h key, const ucp_request_param_t* how) {
    EXPECT_EQ(&worker_of(by), &worker_of(key)) << "a key of another worker";
    return complete_later(by, how);
  };
  l.ep_flush = complete_later;
  l.am_send = [](ucp_ep_h, unsigned, const void*, std::size_t, const void*, std::size_t, const ucp_request_param_t*) {
    ++key_requests;
    return ucs_status_ptr_t{nullptr};  // it is complete
  };
  l.request_free = [](void*) {};
  return l;
}

class requester {
 public:
  static constexpr const transport& table = ucx_transport;
  static constexpr int most_operations = ucx::max_pending_separate_ops;
  // A put, its flush and progress take the lock of the worker, which is inlined and not seen here. Progress of the
  // shared one takes another lock for the thread that handles messages.
  static constexpr std::size_t locks_of_put = 0, locks_of_shared_put = 1, separate_locks = 0, shared_locks = 1;

  requester() {
    opened.clear();
    has_room = true;
    key_requests = 0;
    me.lib = &lib;
    me.how.n_pes = static_cast<int>(peers.size());
    me.how.request_wake = [](void* owner) { ++static_cast<requester*>(owner)->wakes; };
    me.how.owner = this;
    me.memory.base = slice.data();
    me.memory.bytes = slice.size();
    me.peers = peers.data();
    for (ucx::peer& p : peers) p.name = reinterpret_cast<const ucp_address_t*>(slice.data());
    me.shared.home = &me;
    me.shared.connections = connections.data();
    me.shared.ops = ops.data();
    me.shared.n_ops = static_cast<int>(ops.size());
    ucs_status_t status = UCS_OK;
    EXPECT_EQ(ucx::open_objects(me.shared, status), nullptr);
    static_cast<void>(ask_for_key());
    take_key();
  }
  ~requester() {
    ucx::close_separate(me);
    ucx::close_objects(me.shared);
    ucx::release_packed_keys(me);
    for (const auto& w : opened) EXPECT_TRUE(w->is_closed);
    me.~ucx_instance();
  }
  requester(const requester&) = delete;
  requester& operator=(const requester&) = delete;

  instance* self() { return reinterpret_cast<instance*>(&me); }
  static ucx::worker& path_of(stream* s) { return *ucx::stream_of(s).rma; }
  static os::inline_mutex& first_lock_of(stream* s) { return path_of(s).call_lock; }
  static fake_worker& fake_of(stream* s) { return worker_of(path_of(s).handle); }
  static int reads_of(stream* s) { return fake_of(s).reads; }
  static std::size_t opened_paths() { return opened.size(); }
  static void refuse_paths() { has_room = false; }
  static void hold(stream* s) { fake_of(s).is_slow = true; }
  static void deliver(stream* s) {
    fake_worker& w = fake_of(s);
    std::swap(w.complete, w.in_flight);
    w.is_armed = false;
  }
  void close_paths() { ucx::close_separate(me); }
  static void lose_peer(stream* s) { fake_of(s).has_lost_peer = true; }

  // The key of the only region.
  outcome ask_for_key() { return ucx::have_keys(me.shared, 1, 64, 8); }
  void take_key() {
    ucx::packet head{};
    head.from_pe = 1;
    ucx::take_key(me, head, "key", 3);
  }

  int wakes = 0;
  const ucx::library lib = fake_library();
  std::array<ucx::peer, 2> peers{};
  std::array<ucx::connection, 2> connections{};
  std::vector<char> slice = std::vector<char>(4096);
  std::vector<ucx::pending_op> ops{64};
  testing::watched_pages pages{sizeof(ucx::ucx_instance)};
  ucx::ucx_instance& me = *new (pages.begin()) ucx::ucx_instance;
};

}  // namespace fake_ucx
}  // namespace oshen::transport
