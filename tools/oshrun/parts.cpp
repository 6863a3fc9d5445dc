#include "oshrun/parts.hpp"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "oshrun/launchers.hpp"
#include "oshrun/secret.hpp"

namespace oshrun {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;  // what a pipe can hold for anybody
constexpr const char* first_word = "oshrun-part-1";

// Netstrings: "5:hello,".
void write_word(std::string& to, const std::string& word) { to += std::to_string(word.size()) + ':' + word + ','; }
void write_number(std::string& to, int number) { write_word(to, std::to_string(number)); }
void write_list(std::string& to, const words_t& list) {
  write_number(to, static_cast<int>(list.size()));
  for (const std::string& word : list) write_word(to, word);
}

[[noreturn]] void not_understood() {
  give_up(2, "%s is for oshrun itself: another release of it, or nobody, speaks on standard input", part_option);
}

char read_byte() {
  char byte = 0;
  if (uninterrupted([&] { return read(STDIN_FILENO, &byte, 1); }) != 1) not_understood();
  return byte;
}

std::string read_word() {
  std::size_t bytes = 0;
  for (char digit = read_byte(); digit != ':'; digit = read_byte()) {
    if (digit < '0' || digit > '9' || bytes > most_bytes) not_understood();
    bytes = bytes * 10 + static_cast<std::size_t>(digit - '0');
  }
  std::string word(bytes, '\0');
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = uninterrupted([&] { return read(STDIN_FILENO, word.data() + done, bytes - done); });
    if (got <= 0) not_understood();
    done += static_cast<std::size_t>(got);
  }
  if (read_byte() != ',') not_understood();
  return word;
}

int read_number() {
  const std::string text = read_word();
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || number < 0) not_understood();
  return number;
}

words_t read_list() {
  words_t list;
  for (int left = read_number(); left > 0; --left) list.push_back(read_word());
  return list;
}

std::string describe_part(const options& asked, const host& where, int first_pe, const words_t& variables) {
  const program& part = asked.programs.front();
  std::error_code ignored;
  std::string text;
  write_word(text, first_word);
  write_word(text, bare_name(where.name));
  write_number(text, first_pe);
  write_number(text, where.n_pes);
  write_number(text, asked.n_pes);
  write_number(text, static_cast<int>(asked.bind));
  write_number(text, asked.label ? 1 : 0);
  write_number(text, asked.verbose ? 1 : 0);
  write_word(text, asked.output_files);
  write_word(text,
             std::filesystem::absolute(std::filesystem::current_path(ignored) / part.directory, ignored).string());
  write_list(text, variables);
  write_list(text, part.command);
  return text;
}

words_t words_of(const std::string& text) {
  std::istringstream in(text);
  words_t words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string own_program() {
  char path[PATH_MAX];
  const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path);
  return bytes > 0 ? std::string(path, static_cast<std::size_t>(bytes)) : "oshrun";
}

words_t command_on(const host& where, const std::string& ssh) {
  if (is_here(where.name)) return {own_program(), part_option};
  // No question: nobody could answer it for many hosts at once.
  words_t command = ssh.empty() ? words_t{"ssh", "-x", "-T", "-o", "BatchMode=yes"} : words_of(ssh);
  command.push_back(where.name);
  command.push_back("exec " + quoted(own_program()) + ' ' + part_option);
  return command;
}

// A pipe that holds all of `text` already: nobody has to wait for its reader.
pipe_ends filled_pipe(const std::string& text) {
  pipe_ends out = make_pipe();
  const auto bytes = static_cast<int>(text.size());
  if (text.size() > most_bytes || (bytes > 65536 && fcntl(out.write.get(), F_SETPIPE_SZ, bytes) < bytes))
    give_up(1, "the command and its variables are %d bytes; a part of a job takes as many as a pipe of this system",
            bytes);
  write_all(out.write.get(), text.data(), text.size());
  return out;
}

// What the others call PE 0's host.
std::string address_of_pe_0(const std::vector<host>& hosts) {
  const std::string name = bare_name(hosts.front().name);
  if (hosts.size() == 1 || (name != "localhost" && name != "127.0.0.1")) return name;
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  return own;
}

}  // namespace

options over_ssh(const options& asked, std::vector<unique_fd>& leashes) {
  options out = asked;
  words_t variables = variables_of_job();
  const auto add = [&](const std::string& name, const std::string& value) { variables.push_back(name + '=' + value); };
  for (const std::string& one : asked.programs.front().variables) variables.push_back(one);
  add("OSHEN_N_PES", std::to_string(asked.n_pes));
  add("MASTER_ADDR", address_of_pe_0(asked.hosts));
  if (const char* port = std::getenv("OSHEN_JOB_PORT"); port == nullptr)
    add("OSHEN_JOB_PORT", std::to_string(make_port()));
  add("OSHEN_JOB_SECRET", make_secret());
  out.programs.clear();
  out.label = false;  // there
  out.output_files.clear();
  out.bind = binding::none;
  out.n_pes = static_cast<int>(asked.hosts.size());
  for (int first_pe = 0, node = 0; const host& where : asked.hosts) {
    words_t here = variables;
    here.push_back("OSHEN_NODE=" + std::to_string(node++));
    pipe_ends leash = filled_pipe(describe_part(asked, where, first_pe, here));
    program part;
    part.n_pes = 1;
    part.command = command_on(where, asked.ssh);
    part.host = where.name;
    part.input = leash.read.get();
    if (asked.verbose)
      say("PE %d to %d: %s", first_pe, first_pe + where.n_pes - 1, as_typed(part.command).c_str());
    out.programs.push_back(std::move(part));
    leashes.push_back(std::move(leash.read));
    leashes.push_back(std::move(leash.write));
    first_pe += where.n_pes;
  }
  return out;
}

options read_part_of_a_job() {
  if (read_word() != first_word) not_understood();
  options out;
  out.on_host = read_word();
  speak_for_host(out.on_host);
  out.first_pe = read_number();
  out.n_pes = read_number();
  out.n_pes_of_job = read_number();
  out.bind = static_cast<binding>(std::clamp(read_number(), 0, static_cast<int>(binding::core)));
  out.label = read_number() != 0;
  out.verbose = read_number() != 0;
  out.output_files = read_word();
  program part;
  part.directory = read_word();
  part.variables = read_list();
  part.command = read_list();
  part.n_pes = out.n_pes;
  if (part.command.empty() || out.n_pes < 1 || out.n_pes > most_pes) not_understood();
  out.programs.push_back(std::move(part));
  return out;
}

}  // namespace oshrun
