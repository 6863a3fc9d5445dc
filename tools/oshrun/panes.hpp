// Panes of tmux for `oshrun --gdb=tmux`.
#pragma once

#include <string>
#include <vector>

namespace oshrun {

// Opens a pane for each command of the shell, in new windows of the session of tmux in which this process runs. False
// after a message of tmux if it refuses one; the windows are closed again.
bool open_panes(const std::vector<std::string>& commands);

}  // namespace oshrun
