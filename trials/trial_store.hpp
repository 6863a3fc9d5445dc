// What the trials of a process share: the time that they have lost, and what they have learned. The functions have C
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

// The choice for a key: what this process has learned, else the common file (choice_file.hpp). Copies its name.
// Returns the choice_source, or -1 if there is none.
int oshen_trials_recall(std::uint64_t key, char name[oshen::trials::longest_choice]);

// Remembers a choice in this process.
void oshen_trials_learn(std::uint64_t key, const char* name);

// Appends a choice to the common file.
void oshen_trials_store(std::uint64_t key, const char* name, double seconds);
}
