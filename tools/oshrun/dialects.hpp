// Options that users of other launchers type, in our words.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace oshrun {

enum class option_kind { none, flag, with_value };
// What "-n" or "--label" is among our own options.
using kind_of_option = std::function<option_kind(const std::string&)>;

// The options of `words`, up to the program, translated; the program and its arguments are left as they are. Leaves
// with status 2 and a line that names ours when an option cannot be honoured.
std::vector<std::string> in_our_words(const std::vector<std::string>& words, const kind_of_option& ours);

}  // namespace oshrun
