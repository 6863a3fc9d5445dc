// Translates options of other launchers into options of oshrun.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace oshrun {

enum class option_kind { none, flag, with_value, with_optional_value /* after "=" only */ };
// Returns the kind of an option of oshrun, such as "-n" or "--label".
using kind_of_option = std::function<option_kind(const std::string&)>;

// Returns `words` with all options before the program translated. Exits with status 2 and a line of advice if an option
// is not supported.
std::vector<std::string> translate_options(const std::vector<std::string>& words, const kind_of_option& kind_of);

}  // namespace oshrun
