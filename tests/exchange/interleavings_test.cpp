// Every strategy of exchange plans, in every order in which puts may become visible and PEs may run.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "interleavings_programs.hpp"
#include "oshen/exchange.h"

namespace oshen::model {
namespace {

void expect_sound(const one_sided_program& program, const std::string& what) {
  if (::testing::Test::HasFailure()) return;  // one defect has many traces
  const finding f = explore(program);
  EXPECT_EQ(f.trouble, "") << what << (program.mapped ? ", mapped" : "");
  ::testing::Test::RecordProperty(what + (program.mapped ? ", mapped" : ""), static_cast<int>(f.states));
}

template <class Visit>
void for_each_strategy(Visit visit) {
  oshen_strategy_info_t info;
  for (int i = 0; oshen_strategy_at(i, &info, sizeof info) != 0; i++)
    for (const bool mapped : {false, true}) visit(info.name, mapped);
}

bool is(const char* strategy, const char* name) { return std::strcmp(strategy, name) == 0; }

TEST(ExchangeModel, TwoPes) {
  for_each_strategy([](const char* strategy, bool mapped) {
    expect_sound(back_to_back({.strategy = strategy, .who = pairwise(2), .runs = 3, .mapped = mapped}), strategy);
  });
}

// PE 0 sends nothing back, so that ready flags replace its parcels.
TEST(ExchangeModel, Sink) {
  for_each_strategy([](const char* strategy, bool mapped) {
    for (const int pes : {2, 3})
      expect_sound(
          back_to_back({.strategy = strategy, .who = sink(pes), .runs = 3, .mapped = mapped, .parks_to_test = false}),
          strategy + (" " + std::to_string(pes)));
  });
}

TEST(ExchangeModel, Ring) {
  for_each_strategy([](const char* strategy, bool mapped) {
    const int runs = 2;
    expect_sound(
        back_to_back({.strategy = strategy, .who = ring(3), .runs = runs, .mapped = mapped, .parks_to_test = false}),
        strategy);
  });
}

// Several puts for a parcel, if the strategy does not pack.
TEST(ExchangeModel, InPlace) {
  for_each_strategy([](const char* strategy, bool mapped) {
    if (is(strategy, "direct_get")) return;  // is refused
    expect_sound(back_to_back({.strategy = strategy,
                               .who = pairwise(2, 2),
                               .runs = 3,
                               .mapped = mapped,
                               .in_place = true,
                               .parks_to_test = false}),
                 strategy);
  });
}

TEST(ExchangeModel, Chunks) {
  for (const bool mapped : {false, true}) {
    for (const bool in_place : {false, true}) {
      plan_case one{.strategy = "pipeline",
                    .who = transpose(2, 2),
                    .runs = 3,
                    .mapped = mapped,
                    .in_place = in_place,
                    .parks_to_test = false,
                    .chunks = 2};
      expect_sound(back_to_back(one), "2 chunks");
      one.who = transpose(2, 3);
      one.chunks = 3;
      one.runs = 2;
      expect_sound(back_to_back(one), "3 chunks");
    }
  }
}

TEST(ExchangeModel, Halo) {
  for_each_strategy([](const char* strategy, bool mapped) { expect_sound(halo(strategy, 2, 3, mapped), strategy); });
}

TEST(ExchangeModel, RunsUnderWayTogether) {
  for_each_strategy([](const char* strategy, bool mapped) {
    expect_sound(
        under_way_together(
            {.strategy = strategy, .who = pairwise(2), .runs = 2, .mapped = mapped, .parks_to_test = false}, sink(2)),
        strategy);
  });
}

TEST(ExchangeModel, PlansOneAfterAnother) {
  for_each_strategy([](const char* strategy, bool mapped) {
    for (const bool trial : {false, true})
      expect_sound(
          one_after_another({.strategy = strategy, .who = sink(2), .runs = 2, .mapped = mapped, .parks_to_test = false},
                            "put_signal", trial),
          std::string(strategy) + (trial ? ", tried out" : ", destroyed"));
  });
}

}  // namespace
}  // namespace oshen::model
