// A parent in the tree that keeps the results (bootstrap/relay.hpp), as a stopped PE does. Its child, PE 3, is real.
// The test plays the parent, PE 1, and the other PEs. PE 0 sends to PEs 1 and 2, and PE 1 to PE 3.
#include "bootstrap/relay.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bootstrap/hub.hpp"
#include "bootstrap/hub_client.hpp"
#include "played_pe.hpp"

namespace oshen::bootstrap {
namespace {

constexpr int n_pes = 4, parent = 1, child = 3;

hub_address new_address() {
  hub_address at{};
  EXPECT_TRUE(os::random_bytes(&at.secret, sizeof at.secret) && os::random_bytes(&at.local, sizeof at.local));
  return at;
}

wire::hello hello_of(int pe) {
  wire::hello me{};
  memcpy(me.protocol_name, wire::protocol_name, sizeof me.protocol_name);
  me.pe = pe;
  me.n_pes = n_pes;
  gethostname(me.listens_at.host, sizeof me.listens_at.host - 1);
  return me;
}

player connected(const hub_address& to, const wire::hello& me) {
  wire::handshake h;
  const int fd = os::connect_local(to.local);
  EXPECT_TRUE(wire::authenticate(fd, to.secret, me, h, patience_milliseconds));
  return {fd, me.pe, to.secret, h};
}

// The job of a real child stays until the process ends: the end of its hub would end the process. Relays and doors free
// nothing by themselves.
template <class Part>
Part& kept(Part* part) {
  static auto& all = *new std::vector<std::unique_ptr<Part>>;
  return *all.emplace_back(part);
}

// The tree's part of PE 1. It admits its child and forwards nothing by itself.
class kept_results {
 public:
  explicit kept_results(const sip_key& secret) : secret_(secret), me_(hello_of(parent)) {
    EXPECT_TRUE(relay_.open(secret, me_.listens_at));
  }
  const wire::hello& hello() const { return me_; }
  void begin(const wire::referral& place) {
    EXPECT_FALSE(relay_.join(secret_, place, me_));  // the hub is its parent
    admits_ = std::jthread([this](std::stop_token ends) {
      for (; !ends.stop_requested(); usleep(1000)) relay_.serve();
    });
  }
  // As the PE does when it is continued.
  void forward_round(std::uint32_t round) {
    admits_ = {};
    relay_.forward({wire::message_kind::gather, 0, 0, 0, 0}, nullptr, round);
  }

 private:
  sip_key secret_;
  wire::hello me_;
  relay& relay_ = kept(new relay);
  std::jthread admits_;
};

// Gives PE 3 the address of its hub.
class known_address final : public process_manager {
 public:
  explicit known_address(const hub_address& at) : at_(at) {}
  bool open(job_rank&, char (&)[reason_bytes]) override { return true; }
  status prepare(hub_address&) override { return status::ok; }
  status share(hub_address& of_pe_0, const job_rank&) override {
    of_pe_0 = at_;
    return status::ok;
  }
  void end_job(int) override {}
  void finish() override {}

 private:
  hub_address at_;
};

// PE 3. Its thread never ends, so it stays until the process ends.
struct real_child {
  explicit real_child(const hub_address& at) : manager(at) {}
  status join() { return client.join(manager, {.pe = child, .n_pes = n_pes}); }
  // Joins the job, and gathers a number of each PE.
  std::array<int, n_pes> run() {
    std::array<int, n_pes> all{};
    EXPECT_FALSE(failed(join()));
    EXPECT_FALSE(failed(client.allgather(&mine, all.data(), sizeof mine)));
    return all;
  }
  known_address manager;
  hub_client client;
  int mine = 13;
};

// In a thread that the test leaves behind if it hangs.
template <class Function>
auto start(Function run) {
  std::packaged_task<decltype(run())()> task(run);
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  return result;
}

template <class Value>
bool comes(const std::future<Value>& awaited) {
  return awaited.wait_for(std::chrono::milliseconds(patience_milliseconds)) == std::future_status::ready;
}

// The error lines of this process.
class error_lines {
 public:
  error_lines() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    from_ = ends[0];
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
  }
  ~error_lines() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(from_);
  }
  error_lines(const error_lines&) = delete;
  error_lines& operator=(const error_lines&) = delete;

  // Waits for a line that has these words, in this order.
  void expect(const std::string& first, const std::string& then) {
    for (pollfd one{from_, POLLIN, 0}; said_.find(then, said_.find(first)) == std::string::npos;) {
      char part[256];
      ASSERT_EQ(poll(&one, 1, patience_milliseconds), 1) << "not " << first << "..." << then << ", but " << said_;
      said_.append(part, static_cast<std::size_t>(read(from_, part, sizeof part)));
    }
  }

 private:
  int before_ = dup(STDERR_FILENO), from_ = -1;
  std::string said_;
};

std::vector<char> bytes_of(int number) {
  std::vector<char> bytes(sizeof number);
  memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

TEST(Relay, AChildAsksForResultsThatItsParentKeeps) {
  hub_address at = new_address();
  auto& its_hub = *new hub;  // its thread never ends
  int own_end = -1;
  ASSERT_FALSE(failed(its_hub.open(at, n_pes, own_end)));
  kept_results tree(at.secret);
  auto& pe_3 = *new real_child(at);
  pe_3.client.warn_seconds = 1;
  error_lines lines;
  std::future<std::array<int, n_pes>> found = start([&pe_3] { return pe_3.run(); });

  player& pe_0 = kept(new player(own_end, 0, at.secret, {}));
  player& pe_1 = kept(new player(connected(at, tree.hello())));
  player& pe_2 = kept(new player(connected(at, hello_of(2))));
  for (player* pe : {&pe_0, &pe_1, &pe_2}) pe->send(wire::message_kind::gather);
  received place;
  ASSERT_TRUE(pe_1.read(place));
  wire::referral where;
  ASSERT_EQ(place.body.size(), sizeof where);
  memcpy(&where, place.body.data(), sizeof where);
  EXPECT_EQ(where.n_children, 1);
  tree.begin(where);
  for (player* pe : {&pe_0, &pe_2}) pe->expect(wire::message_kind::gather, sizeof where);

  for (player* pe : {&pe_0, &pe_1, &pe_2}) pe->send(wire::message_kind::gather);
  for (player* pe : {&pe_0, &pe_1, &pe_2}) pe->expect(wire::message_kind::gather, 0);
  int number = 10;
  for (player* pe : {&pe_0, &pe_1, &pe_2}) pe->send(wire::message_kind::gather, 0, false, bytes_of(number++));
  lines.expect("shmem_init: PE 1 on ", " s; PE 0 sends them\n");
  ASSERT_TRUE(comes(found)) << "PE 3 waits";
  EXPECT_EQ(found.get(), (std::array{10, 11, 12, 13}));
}

// PE 0 as PE 3 sees it: it has a hub, which ends before the parent has forwarded the last result.
TEST(Relay, AChildNamesItsParentWhenTheHubHasEnded) {
  hub_address at = new_address();
  door& entrance = kept(new door);
  ASSERT_TRUE(entrance.open(at.secret, at.local, at.port));
  kept_results tree(at.secret);
  auto& pe_3 = *new real_child(at);
  pe_3.client.warn_seconds = 1;
  error_lines lines;
  std::future<status> joined = start([&pe_3] { return pe_3.join(); });

  door::guest one{};
  while (!entrance.next(one)) usleep(1000);
  ASSERT_TRUE(entrance.welcome(one));
  tree.begin({.parent = -1, .n_children = 1, .listens_at = {}});
  const wire::referral where{.parent = parent, .n_children = 0, .listens_at = tree.hello().listens_at};
  wire::header head{wire::message_kind::gather, 0, 0, 0, sizeof where};
  head.body = wire::sum_of_body(at.secret, &where, sizeof where);
  wire::signer to_pe;
  to_pe.begin(at.secret, one.handshake, wire::stream_direction::to_pe);
  to_pe.sign(head);
  ASSERT_TRUE(os::send_all(one.fd, &head, sizeof head, patience_milliseconds));
  ASSERT_TRUE(os::send_all(one.fd, &where, sizeof where, patience_milliseconds));
  for (int round = 0; round < 2; ++round)  // PE 3 has begun the round that its parent will end
    ASSERT_TRUE(os::receive_all(one.fd, &head, sizeof head, patience_milliseconds));
  pe_3.client.set_state(pe_state::finalized);
  close(one.fd);
  lines.expect("shmem_finalize: waiting for PE 1 on ", ", which forwards the last result, for ");
  tree.forward_round(0);
  ASSERT_TRUE(comes(joined)) << "PE 3 waits";
  EXPECT_FALSE(failed(joined.get()));
}

}  // namespace
}  // namespace oshen::bootstrap
