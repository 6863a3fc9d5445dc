#include "fft/passes/wisdom.hpp"

#include <fftw3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <string>

#include "trials/user_cache.hpp"

namespace oshen::fft {
namespace {

namespace fs = std::filesystem;

std::mutex guard;
std::string kept[2];  // as read from the files: double, float

// FFTW's plans are valid for its version and instruction set, and fast on one type of CPU.
std::string name_of(const char* precision) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : fftw_version + trials::cpu_model())
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::ostringstream name;
  name << "fftw-" << precision << '-' << std::hex << hash;
  return name.str();
}

// Empty if the user has no cache folder.
fs::path path_of(const char* precision) {
  const std::string folder = trials::user_cache_folder();
  return folder.empty() ? fs::path() : fs::path(folder) / name_of(precision);
}

std::string text_of(const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || !fs::is_regular_file(path, ignored)) return "";
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string said(char* (*export_wisdom)()) {
  char* text = export_wisdom();
  std::string result = text != nullptr ? text : "";
  std::free(text);
  return result;
}

// Replaces the file atomically: a process that starts meanwhile reads the old or the new file. Errors are ignored.
void write(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  const fs::path fresh = path.string() + '.' + std::to_string(getpid());
  std::ofstream(fresh) << text;
  fs::rename(fresh, path, failed);
  if (failed) fs::remove(fresh, failed);
}

void keep(const char* precision, std::string& before, const std::string& now) {
  const fs::path path = path_of(precision);
  if (path.empty() || now == before || now.size() <= before.size()) return;
  write(path, now);
  before = now;
}

}  // namespace

void recall_wisdom() {
  static std::once_flag once;
  std::call_once(once, [] {
    const std::lock_guard hold(guard);
    const std::string texts[] = {text_of(path_of("double")), text_of(path_of("float"))};
    if (!texts[0].empty()) fftw_import_wisdom_from_string(texts[0].c_str());
    if (!texts[1].empty()) fftwf_import_wisdom_from_string(texts[1].c_str());
    kept[0] = said(fftw_export_wisdom_to_string);
    kept[1] = said(fftwf_export_wisdom_to_string);
  });
}

void keep_wisdom() {
  const std::lock_guard hold(guard);
  keep("double", kept[0], said(fftw_export_wisdom_to_string));
  keep("float", kept[1], said(fftwf_export_wisdom_to_string));
}

}  // namespace oshen::fft
