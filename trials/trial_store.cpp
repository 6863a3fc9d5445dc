#include "trials/trial_store.hpp"

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "oshen/exchange.h"
#include "trials/choice_file.hpp"
#include "trials/choice_source.hpp"

namespace {

std::atomic<double> lost_so_far{0}, reserved{0};

// Threads with arenas of their own share it.
struct learned_choices {
  std::mutex guard;
  std::map<std::uint64_t, std::string> by_key;
};
learned_choices& learned() {
  static learned_choices all;
  return all;
}

}  // namespace

void oshen_trials_lose(double seconds) { lost_so_far += seconds; }

void oshen_trials_reserve(double seconds) { reserved += seconds; }

double oshen_trials_remaining() {
  double budget = 0, lost = 0;
  oshen_exchange_trials(&budget, &lost);
  return budget - lost - reserved.load();
}

int oshen_trials_recall(std::uint64_t key, char name[oshen::trials::longest_choice]) {
  std::string found;
  {
    learned_choices& all = learned();
    const std::lock_guard hold(all.guard);
    const auto entry = all.by_key.find(key);
    if (entry != all.by_key.end()) found = entry->second;
  }
  auto source = oshen::trials::choice_source::memory;
  if (found.empty()) {
    source = oshen::trials::choice_source::file;
    found = oshen::trials::find_choice(oshen::trials::common_choice_file(), key);
  }
  if (found.empty() || found.size() >= oshen::trials::longest_choice) return -1;
  std::memcpy(name, found.c_str(), found.size() + 1);
  return static_cast<int>(source);
}

void oshen_trials_learn(std::uint64_t key, const char* name) {
  learned_choices& all = learned();
  const std::lock_guard hold(all.guard);
  all.by_key[key] = name;
}

void oshen_trials_store(std::uint64_t key, const char* name, double seconds) {
  oshen::trials::store_choice(oshen::trials::common_choice_file(), key, name, seconds, false);
}

// The library checked the format at its start.
void oshen_exchange_trials(double* budget, double* lost) {
  double milliseconds = 200;
  const char* text = std::getenv("OSHEN_EXCHANGE_TRIALS");
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), milliseconds);
  *budget = milliseconds / 1000;
  *lost = lost_so_far.load();
}
