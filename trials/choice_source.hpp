// Where a choice of "auto" comes from.
#pragma once

namespace oshen::trials {

enum class choice_source { requested, only, model, memory, file, trying, measured };

inline const char* text_of(choice_source source) {
  switch (source) {
    case choice_source::requested: return "requested";
    case choice_source::only: return "only choice";
    case choice_source::model: return "model";
    case choice_source::memory: return "earlier plan";
    case choice_source::file: return "file";
    case choice_source::trying: return "trying";
    case choice_source::measured: return "measured";
  }
  return "unknown";
}

}  // namespace oshen::trials
