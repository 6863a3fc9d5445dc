// The variants of every transport that can be opened here. Each test of the contract runs on all of them.
#pragma once

#include <cstring>
#include <string>

#include "fleet.hpp"

namespace oshen::testing {

// Whether the filter may choose tests of a transport. ctest runs one case in a process, and libfabric and UCX take
// longer to say whether they are available than most cases take.
inline bool may_run(const transport::transport& t) {
  const std::string& filter = GTEST_FLAG_GET(filter);
  return filter.find_first_of("*?:") != filter.npos || filter.find(std::string("/") + t.name) != filter.npos;
}

inline std::vector<variant> find_variants() {
  std::vector<variant> all;
  char why[256];
  for (const transport::transport* const* t = transport::transports; *t != nullptr; ++t) {
    if (!may_run(**t) || !(*t)->available(options(), why, sizeof why)) continue;
    all.push_back({*t, 0});
    all.push_back({*t, 7});
    if ((*t)->stream_progress != nullptr) all.push_back({*t, 0, true});
    if ((*t)->direct != nullptr) all.push_back({*t, 0, true, true});
    if (strcmp((*t)->name, "tcp") != 0) continue;
    all.push_back({*t, 0, false, false, true});
    all.push_back({*t, 7, true, false, true});
  }
  return all;
}

inline const std::vector<variant>& variants() {
  static const std::vector<variant> all = find_variants();
  return all;
}

inline const auto name_of_variant = [](const auto& info) {
  return std::string(info.param.table->name) + (info.param.is_secure ? "_secure" : "") +
         (info.param.chaos_seed != 0 ? "_chaos" : "") +
         (info.param.is_direct     ? "_direct"
          : info.param.is_separate ? "_separate"
                                   : "");
};

}  // namespace oshen::testing
