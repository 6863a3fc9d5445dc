#include "trials/choice_file.hpp"

#include <fcntl.h>
#include <shmem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>

#include "trials/trial_store.hpp"
#include "trials/user_cache.hpp"

namespace oshen::trials {
namespace {

namespace fs = std::filesystem;

// A file that is longer is replaced by its latest lines, which then fill half of this at most.
constexpr std::size_t longest_file = 64 << 10;

// The last bytes of a regular file, from the start of a line on. Empty if it cannot be read.
std::string text_of(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  struct stat about{};
  std::string text;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
    const auto bytes = static_cast<std::size_t>(about.st_size);
    const std::size_t from = bytes > 2 * longest_file ? bytes - 2 * longest_file : 0;
    text.resize(bytes - from);
    const ssize_t n = pread(fd, text.data(), text.size(), static_cast<off_t>(from));
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    if (from != 0) text.erase(0, text.find('\n') + 1);
  }
  close(fd);
  return text;
}

struct choice_line {
  std::uint64_t key = 0;
  std::string_view name;
};

// `key name seconds` and nothing else.
bool parse(std::string_view line, choice_line& found) {
  const char* const end = line.data() + line.size();
  const auto [after, error] = std::from_chars(line.data(), end, found.key, 16);
  if (error != std::errc() || after == end || *after != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(after - line.data()) + 1);
  const std::size_t space = line.find(' ');
  if (space == 0 || space == std::string_view::npos) return false;
  found.name = line.substr(0, space);
  double seconds = 0;
  const auto [last, wrong] = std::from_chars(line.data() + space + 1, end, seconds);
  return wrong == std::errc() && last == end && seconds >= 0;
}

template <class Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    choice_line found;
    if (parse(text.substr(0, end), found)) visit(found, text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

bool append(const std::string& file, const char* line, std::size_t length) {
  const int fd = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0) return false;
  struct stat about{};
  const bool regular = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  const bool written = regular && write(fd, line, length) == static_cast<ssize_t>(length);
  close(fd);
  return written;
}

// Keeps the last line of each of the latest keys. Another job may store a line meanwhile; that line is lost and will be
// learned again.
void shorten(const std::string& file) {
  std::error_code failed;
  const auto bytes = fs::file_size(file, failed);
  if (failed || bytes <= longest_file) return;
  const std::string text = text_of(file);
  std::map<std::uint64_t, std::size_t> last;  // position of the last line of each key
  each_line(text, [&](const choice_line& c, std::string_view line) {
    last[c.key] = static_cast<std::size_t>(line.data() - text.data());
  });
  std::string kept;
  each_line(text, [&](const choice_line& c, std::string_view line) {
    if (last[c.key] == static_cast<std::size_t>(line.data() - text.data())) kept.append(line) += '\n';
  });
  if (kept.size() > longest_file / 2) kept.erase(0, kept.find('\n', kept.size() - longest_file / 2) + 1);
  const std::string fresh = file + '.' + std::to_string(getpid());
  if (append(fresh, kept.data(), kept.size())) fs::rename(fresh, file, failed);
  fs::remove(fresh, failed);
}

}  // namespace

std::string common_choice_file() {
  const char* wanted = std::getenv("OSHEN_EXCHANGE_CHOICES");
  if (wanted == nullptr || *wanted == '\0' || std::strcmp(wanted, "auto") == 0)
    return user_cache_file("exchange", release_of_library());
  return std::strcmp(wanted, "none") == 0 ? "" : wanted;
}

std::string find_choice(const std::string& file, std::uint64_t key) {
  std::string found;
  if (file.empty()) return found;
  const std::string text = text_of(file);
  each_line(text, [&](const choice_line& c, std::string_view) {
    if (c.key == key) found = c.name;
  });
  return found;
}

void store_choice(const std::string& file, std::uint64_t key, const std::string& name, double seconds, bool speaks) {
  if (file.empty() || name.size() >= longest_choice) return;
  char number[32] = "", line[longest_choice + 64];  // to_chars writes a decimal point in every locale
  std::to_chars(number, number + sizeof number - 1, seconds, std::chars_format::general, 3);
  const int length = std::snprintf(line, sizeof line, "%016" PRIx64 " %s %s\n", key, name.c_str(), number);
  std::error_code failed;
  if (!speaks) fs::create_directories(fs::path(file).parent_path(), failed);
  if (append(file, line, static_cast<std::size_t>(length))) return shorten(file);
  if (speaks)
    std::fprintf(stderr, "oshen exchange: PE %d: cannot write strategy choices to %s\n", shmem_my_pe(), file.c_str());
}

}  // namespace oshen::trials
