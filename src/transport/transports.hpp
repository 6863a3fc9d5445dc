// Finds a transport by its name.
#pragma once

#include "transport/transport.hpp"

namespace oshen::transport {

// `text` is "name" or "name:options", as in OSHEN_TRANSPORT. Sets `options` to the text behind the colon. Null: unknown
// name.
const transport* find(const char* text, const char*& options);

}  // namespace oshen::transport
