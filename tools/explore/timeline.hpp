// A replayed order as a timeline.
#pragma once

#include <string>

#include "account.hpp"

namespace explore {

// False: the file cannot be written; errno says why.
bool write_timeline(const std::string& file, const account& order);

}  // namespace explore
