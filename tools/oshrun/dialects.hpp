// Options that users of other launchers type, in our words.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace oshrun {

// The options of `words`, up to the program, translated; the program and its arguments are left as
// they are. `takes_value`: is this one of our options, with a value in the next word? Leaves with
// status 2 and a line that names ours when an option cannot be honoured.
std::vector<std::string> in_our_words(const std::vector<std::string>& words,
                                      const std::function<bool(const std::string&)>& takes_value);

}  // namespace oshrun
