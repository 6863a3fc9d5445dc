// The list of all transports.
#include "transport/transports.hpp"

#include <string.h>

namespace oshen::transport {

extern const transport ofi_transport;
extern const transport ucx_transport;
extern const transport tcp_transport;
extern const transport loop_transport;

const transport* const transports[] = {
#if defined(OSHEN_HAVE_OFI)
    &ofi_transport,
#endif
#if defined(OSHEN_HAVE_UCX)
    &ucx_transport,
#endif
    &tcp_transport, &loop_transport, nullptr};

const transport* find(const char* text, const char*& options) {
  const std::size_t length = strcspn(text, ":");
  options = text[length] == ':' ? text + length + 1 : text + length;
  for (const transport* const* t = transports; *t != nullptr; ++t)
    if (strlen((*t)->name) == length && strncmp((*t)->name, text, length) == 0) return *t;
  return nullptr;
}

}  // namespace oshen::transport
