// What the trials of a process share: the time that they may lose, and what they have learned. The functions have C
// linkage, because the library of exchange plans contains them, and shared libraries of a wheel export nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::trials {

// The longest name of a choice, with the final 0.
inline constexpr std::size_t longest_choice = 192;

}  // namespace oshen::trials

extern "C" {

// Adds seconds that trials have lost. oshen_exchange_trials returns the sum and the limit.
void oshen_trials_lose(double seconds);

// Seconds that further trials may plan to lose: the limit without what is lost, and without the shares of trials under
// way. Negative if more was lost than planned.
double oshen_trials_remaining(void);

// Adds to the shares of trials under way (trial_share below).
void oshen_trials_reserve(double seconds);

// The choice for a key: what this process has learned, else the common file (choice_file.hpp). Copies its name.
// Returns the choice_source, or -1 if there is none.
int oshen_trials_recall(std::uint64_t key, char name[oshen::trials::longest_choice]);

// Remembers a choice in this process.
void oshen_trials_learn(std::uint64_t key, const char* name);

// Appends a choice to the common file.
void oshen_trials_store(std::uint64_t key, const char* name, double seconds);
}

namespace oshen::trials {

// What the trials of one plan or transform may lose, as long as they are under way. Others cannot plan with it, so that
// all together plan no more than the limit.
class trial_share {
 public:
  explicit trial_share(double seconds) : seconds_(seconds) { oshen_trials_reserve(seconds_); }
  ~trial_share() { oshen_trials_reserve(-seconds_); }
  trial_share(const trial_share&) = delete;
  trial_share& operator=(const trial_share&) = delete;

 private:
  double seconds_;
};

}  // namespace oshen::trials
