// The direct path of a transport (transport::direct_path). The variant `direct` of transport_test.cpp runs the whole
// suite on it.
#include "fleet.hpp"

namespace oshen::testing {
namespace {

// The direct path refuses until the general form has prepared it. Afterwards it takes every operation that fits.
TEST(DirectPath, IsTakenOnceItIsPrepared) {
  char why[256];
  for (const transport::transport* const* t = transport::transports; *t != nullptr; ++t) {
    if ((*t)->direct == nullptr || !(*t)->available(options(), why, sizeof why)) continue;
    run_fleet({*t, 0, true, true}, 2, [](member& m, meeting_point& place) {
      constexpr unsigned long rounds = 50;
      const std::uint64_t value = 7;
      std::uint64_t back = 0;
      if (m.direct() == nullptr) return;  // a provider without counters
      EXPECT_FALSE(m.put_directly(1 - m.pe, 8, &value, sizeof value, true)) << "without a key";
      m.put(1 - m.pe, 8, &value, sizeof value);
      m.flush();
      place.meet(m);
      for (unsigned long i = 0; i < rounds; ++i) {
        m.put_nbi(1 - m.pe, 16, &value, sizeof value);
        m.get_nbi(1 - m.pe, &back, 8, sizeof back);
        m.flush();
        EXPECT_EQ(back, value);
      }
      EXPECT_GT(m.n_direct, rounds / 2);  // a provider may refuse some
      EXPECT_TRUE(m.channel.direct_ops->are_flushed());
      place.meet(m);
    });
  }
}

}  // namespace
}  // namespace oshen::testing
