#include "oshrun/proxies.hpp"

#include <fcntl.h>
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

constexpr std::size_t most_bytes = std::size_t{1} << 20;  // limit of a pipe for unprivileged users
constexpr const char* first_word = "oshrun-proxy-1";

// Netstrings: "5:hello,".
void write_word(std::string& to, const std::string& word) { to += std::to_string(word.size()) + ':' + word + ','; }
void write_number(std::string& to, int number) { write_word(to, std::to_string(number)); }
void write_list(std::string& to, const words_t& list) {
  write_number(to, static_cast<int>(list.size()));
  for (const std::string& word : list) write_word(to, word);
}

[[noreturn]] void bad_message() {
  give_up(2, "%s: cannot read a job from standard input: only an oshrun of the same release uses this option",
          proxy_option);
}

char read_byte() {
  char byte = 0;
  if (uninterrupted([&] { return read(STDIN_FILENO, &byte, 1); }) != 1) bad_message();
  return byte;
}

std::string read_word() {
  std::size_t bytes = 0;
  for (char digit = read_byte(); digit != ':'; digit = read_byte()) {
    if (digit < '0' || digit > '9' || bytes > most_bytes) bad_message();
    bytes = bytes * 10 + static_cast<std::size_t>(digit - '0');
  }
  std::string word(bytes, '\0');
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = uninterrupted([&] { return read(STDIN_FILENO, word.data() + done, bytes - done); });
    if (got <= 0) bad_message();
    done += static_cast<std::size_t>(got);
  }
  if (read_byte() != ',') bad_message();
  return word;
}

int read_number() {
  const std::string text = read_word();
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || number < 0) bad_message();
  return number;
}

words_t read_list() {
  words_t list;
  for (int left = read_number(); left > 0; --left) list.push_back(read_word());
  return list;
}

std::string proxy_message(const options& asked, const host& where, int first_pe, const words_t& variables) {
  const program& prog = asked.programs.front();
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
             std::filesystem::absolute(std::filesystem::current_path(ignored) / prog.directory, ignored).string());
  write_list(text, variables);
  write_list(text, prog.command);
  return text;
}

words_t words_of(const std::string& text) {
  std::istringstream in(text);
  words_t words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

words_t command_on(const host& where, const std::string& ssh) {
  if (is_here(where.name)) return {own_program(), proxy_option};
  // BatchMode: ssh must not ask questions, because questions of many hosts at once cannot be answered.
  words_t command = ssh.empty() ? words_t{"ssh", "-x", "-T", "-o", "BatchMode=yes"} : words_of(ssh);
  command.push_back(where.name);
  command.push_back("exec " + shell_quoted(own_program()) + ' ' + proxy_option);
  return command;
}

// A pipe with all of `text` in its buffer, so that no process has to wait for the reader.
pipe_ends filled_pipe(const std::string& text) {
  pipe_ends out = make_pipe();
  const auto bytes = static_cast<int>(text.size());
  if (text.size() > most_bytes || (bytes > 65536 && fcntl(out.write.get(), F_SETPIPE_SZ, bytes) < bytes))
    give_up(1, "the command and its variables have %d bytes: more than a pipe holds; see /proc/sys/fs/pipe-max-size",
            bytes);
  write_all(out.write.get(), text.data(), text.size());
  return out;
}

// The address of the host of PE 0, for the other hosts.
std::string address_of_pe_0(const std::vector<host>& hosts) {
  const std::string name = bare_name(hosts.front().name);
  if (hosts.size() == 1 || (name != "localhost" && name != "127.0.0.1")) return name;
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  return own;
}

}  // namespace

options job_over_ssh(const options& asked, std::vector<unique_fd>& control_pipes) {
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
  out.label = false;  // the proxies do it
  out.output_files.clear();
  out.bind = binding::none;
  out.n_pes = static_cast<int>(asked.hosts.size());
  for (int first_pe = 0, node = 0; const host& where : asked.hosts) {
    words_t here = variables;
    here.push_back("OSHEN_NODE=" + std::to_string(node++));
    pipe_ends control_pipe = filled_pipe(proxy_message(asked, where, first_pe, here));
    program prog;
    prog.n_pes = 1;
    prog.command = command_on(where, asked.ssh);
    prog.host = where.name;
    prog.input = control_pipe.read.get();
    if (asked.verbose) say("PEs %d to %d: %s", first_pe, first_pe + where.n_pes - 1, shell_line(prog.command).c_str());
    out.programs.push_back(std::move(prog));
    control_pipes.push_back(std::move(control_pipe.read));
    control_pipes.push_back(std::move(control_pipe.write));
    first_pe += where.n_pes;
  }
  return out;
}

options read_proxy_options() {
  if (read_word() != first_word) bad_message();
  options out;
  out.on_host = read_word();
  name_host_in_messages(out.on_host);
  out.first_pe = read_number();
  out.n_pes = read_number();
  out.n_pes_of_job = read_number();
  out.bind = static_cast<binding>(std::clamp(read_number(), 0, static_cast<int>(binding::core)));
  out.label = read_number() != 0;
  out.verbose = read_number() != 0;
  out.output_files = read_word();
  program prog;
  prog.directory = read_word();
  prog.variables = read_list();
  prog.command = read_list();
  prog.n_pes = out.n_pes;
  if (prog.command.empty() || out.n_pes < 1 || out.n_pes > most_pes) bad_message();
  out.programs.push_back(std::move(prog));
  return out;
}

}  // namespace oshrun
