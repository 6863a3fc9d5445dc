// Channels of contexts: the first ones have separate streams, up to a limit (world/network.hpp).
#include <gtest/gtest.h>

#include <vector>

#include "world/network.hpp"

namespace oshen {
namespace {

struct played_stream {
  bool is_separate;
};
bool has_room = true;  // for further separate streams

played_stream& played(transport::stream* s) { return *reinterpret_cast<played_stream*>(s); }

transport::transport played_transport() {
  transport::transport t{};
  t.size = sizeof t;
  t.name = "played";
  t.open = [](const transport::open_params& how, transport::instance** made, transport::attributes*, char*,
              std::size_t) {
    *made = static_cast<transport::instance*>(how.owner);  // anything but null
    return true;
  };
  t.close = [](transport::instance*) {};
  t.stream_open = [](transport::instance*, unsigned options) {
    return reinterpret_cast<transport::stream*>(
        new played_stream{.is_separate = has_room && (options & transport::separate) != 0});
  };
  t.stream_close = [](transport::stream* s) { delete &played(s); };
  t.stream_progress = [](transport::stream* s) { return played(s).is_separate ? 0 : -1; };
  return t;
}

TEST(Channels, HaveSeparateStreamsUpToALimit) {
  const transport::transport table = played_transport();
  network n;
  char why[64];
  ASSERT_TRUE(n.endpoint.open(table, {.n_pes = 2}, why, sizeof why));
  n.most_separate = 3;
  const auto make = [&](bool is_separate) {
    transport::channel* c = make_channel(n, 0);
    EXPECT_EQ(c->is_separate, is_separate);
    EXPECT_EQ(played(c->handle).is_separate, is_separate);
    return c;
  };
  std::vector<transport::channel*> all{make(true), make(true)};
  has_room = false;
  all.push_back(make(false));
  has_room = true;
  all.push_back(make(true));  // a stream that could not be separate does not count
  all.push_back(make(false));
  drop_channel(n, all[1]);
  drop_channel(n, all[2]);
  all[1] = make(true);
  all[2] = make(false);
  for (transport::channel* c : all) drop_channel(n, c);
  EXPECT_EQ(n.n_separate, 0);
  n.endpoint.close();
}

}  // namespace
}  // namespace oshen
