// Watching what goes to other nodes, over whatever transport: tests count messages, a trace draws them. A link without
// a hook pays one test of a pointer for each operation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::transport {

enum class traffic : std::uint8_t {
  put,
  get,
  put_signal,
  atomic,   // by the transport itself
  question  // an atomic as a message; its answer is another message, of the target
};

struct hook {
  // The operation towards PE `pe` of the job has been accepted. Called by any thread.
  void (*saw)(hook& self, traffic what, int pe, std::size_t bytes);
};

}  // namespace oshen::transport
