// Vector clocks for one-sided operations. A put returns before it is delivered, so one number for each PE is not
// enough: a PE that learns of a put by a flag may still not read its data.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace races {

// How an access becomes visible to others. `program`: when it returns. `put`: when a fence or quiet of its PE has
// delivered it. `signal`: the data of a put with signal, delivered with the signal. `context`: as put, on any context
// but the default one.
enum class channel : std::uint8_t { program, put, signal, context };

// Threads of a PE that have clocks of their own, and parts of OpenMP regions (sections and tasks). Further ones take
// their numbers in turn, which only hides races.
inline constexpr std::uint32_t most_threads = 16, most_parts = 16, most_strands = most_threads + most_parts;

// What is known of all PEs, in memory that the caller owns and that is zero at first. Entries are clocks of a PE, which
// its threads share: all accesses up to that clock are ordered before the present of the owner of the table.
//
// Each PE has a row of a few words. Clocks of its other threads, and those that differ between its targets, are in two
// tables that have a row for a PE only if one of its clocks is not 0. Memory without such a row is never touched, so
// that it takes no pages.
class knowledge {
 public:
  knowledge(std::uint32_t* words, std::uint32_t pes) : words_(words), pes_(pes) {}

  static std::size_t words_for(std::uint32_t pes) { return target_row_at(pes, pes); }

  // Operations of `pe` to PE `target` on channel `how`, which is not the program, are delivered up to this clock.
  std::uint32_t clock(std::uint32_t pe, channel how, std::uint32_t target) const {
    const std::uint32_t all = row(pe)[index(how)];
    return has(targets, pe) ? std::max(all, target_row(pe)[index(how) * pes_ + target]) : all;
  }
  void raise_clock(std::uint32_t pe, channel how, std::uint32_t target, std::uint32_t clock) const {
    if (clock > this->clock(pe, how, target)) made_target_row(pe)[index(how) * pes_ + target] = clock;
  }
  // A quiet of `pe`: its operations on this channel up to `clock` are delivered.
  void deliver_all(std::uint32_t pe, channel puts, std::uint32_t clock) const {
    for (const channel how : {puts, channel::signal}) raise(row(pe)[index(how)], clock);
  }

  std::uint32_t program(std::uint32_t pe, std::uint32_t strand) const { return of_strand(pe, strand, 0); }
  void raise_program(std::uint32_t pe, std::uint32_t strand, std::uint32_t clock) const {
    raise_strand(pe, strand, 0, clock);
  }
  // Stores of a thread to the memory of its PE, in strict mode; others of its accesses return when they are done.
  std::uint32_t stores(std::uint32_t pe, std::uint32_t strand) const { return of_strand(pe, strand, 1); }
  void raise_stores(std::uint32_t pe, std::uint32_t strand, std::uint32_t clock) const {
    raise_strand(pe, strand, 1, clock);
  }

  std::uint32_t last_release(std::uint32_t pe) const { return row(pe)[3]; }
  // Where `pe` released what is known of it, and the PE to which it did; all_pes for a barrier or a collective.
  std::uint32_t release_site(std::uint32_t pe) const { return row(pe)[4]; }
  std::uint32_t release_target(std::uint32_t pe) const { return row(pe)[5]; }
  void set_release(std::uint32_t pe, std::uint32_t clock, std::uint32_t site, std::uint32_t target) const {
    std::uint32_t* const r = row(pe);
    r[3] = clock;
    r[4] = site;
    r[5] = target;
  }

  void clear() const { std::fill_n(words_, strand_row_at(pes_, 0), 0); }

  void copy_from(const knowledge& other) const {
    std::copy_n(other.words_, strand_row_at(pes_, 0), words_);
    for (std::uint32_t pe = 0; pe < pes_; ++pe) {
      if (has(strands, pe)) std::copy_n(other.strand_row(pe), strand_words, strand_row(pe));
      if (has(targets, pe)) std::copy_n(other.target_row(pe), target_words(pes_), target_row(pe));
    }
  }

  void join(const knowledge& other) const {
    for (std::uint32_t pe = 0; pe < pes_; ++pe) {
      std::uint32_t* const mine = row(pe);
      const std::uint32_t* const theirs = other.row(pe);
      if (theirs[3] > mine[3]) std::copy_n(theirs + 3, 3, mine + 3);
      for (const std::uint32_t i : {0u, 1u, 2u, 6u, 7u}) raise(mine[i], theirs[i]);
      if (other.has(strands, pe)) raise_all(made_strand_row(pe), other.strand_row(pe), strand_words);
      if (other.has(targets, pe)) raise_all(made_target_row(pe), other.target_row(pe), target_words(pes_));
    }
  }

 private:
  // The start: bits of the PEs that have a row in each of the two tables, then the rows of all PEs:
  //   delivered puts, data of signals, puts of contexts | last release, its place, its target | program and stores of
  //   strand 0
  enum table : std::uint32_t { strands, targets };
  static constexpr std::uint32_t row_words = 8, strand_words = 2 * (most_strands - 1);
  static std::uint32_t target_words(std::uint32_t pes) { return 3 * pes; }
  static std::uint32_t bitmap_words(std::uint32_t pes) { return (pes + 31) / 32; }
  static std::size_t row_at(std::uint32_t pes, std::uint32_t pe) { return 2 * bitmap_words(pes) + pe * row_words; }
  static std::size_t strand_row_at(std::uint32_t pes, std::uint32_t pe) { return row_at(pes, pes) + pe * strand_words; }
  static std::size_t target_row_at(std::uint32_t pes, std::uint32_t pe) {
    return strand_row_at(pes, pes) + std::size_t{pe} * target_words(pes);
  }
  static std::uint32_t index(channel how) { return static_cast<std::uint32_t>(how) - 1; }
  static void raise(std::uint32_t& clock, std::uint32_t to) { clock = std::max(clock, to); }
  static void raise_all(std::uint32_t* mine, const std::uint32_t* theirs, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) raise(mine[i], theirs[i]);
  }

  std::uint32_t* row(std::uint32_t pe) const { return words_ + row_at(pes_, pe); }
  std::uint32_t* strand_row(std::uint32_t pe) const { return words_ + strand_row_at(pes_, pe); }
  std::uint32_t* target_row(std::uint32_t pe) const { return words_ + target_row_at(pes_, pe); }
  std::uint32_t& bits(table which, std::uint32_t pe) const { return words_[which * bitmap_words(pes_) + pe / 32]; }
  bool has(table which, std::uint32_t pe) const { return (bits(which, pe) >> pe % 32 & 1) != 0; }
  // A row that was not there may hold what was there before clear().
  std::uint32_t* made(table which, std::uint32_t pe, std::uint32_t* row, std::uint32_t words) const {
    if (!has(which, pe)) std::fill_n(row, words, 0);
    bits(which, pe) |= 1u << pe % 32;
    return row;
  }
  std::uint32_t* made_strand_row(std::uint32_t pe) const { return made(strands, pe, strand_row(pe), strand_words); }
  std::uint32_t* made_target_row(std::uint32_t pe) const {
    return made(targets, pe, target_row(pe), target_words(pes_));
  }
  std::uint32_t of_strand(std::uint32_t pe, std::uint32_t strand, std::uint32_t which) const {
    if (strand == 0) return row(pe)[6 + which];
    return has(strands, pe) ? strand_row(pe)[2 * (strand - 1) + which] : 0;
  }
  void raise_strand(std::uint32_t pe, std::uint32_t strand, std::uint32_t which, std::uint32_t clock) const {
    if (strand == 0) {
      raise(row(pe)[6 + which], clock);
    } else if (clock > of_strand(pe, strand, which)) {
      made_strand_row(pe)[2 * (strand - 1) + which] = clock;
    }
  }

  std::uint32_t* words_;
  std::uint32_t pes_;
};

inline constexpr std::uint32_t all_pes = ~std::uint32_t{0};

// The clocks of the PE up to which fences and quiets of this PE have ordered, as far as a thread knows of them. `of` is
// a channel.
struct completions {
  std::array<std::uint32_t, 4> fenced{};    // the last fence
  std::array<std::uint32_t, 4> released{};  // the last quiet_local
  std::uint32_t stores = 0;                 // the last fence of any context

  std::uint32_t& fenced_of(channel of) { return fenced[static_cast<std::size_t>(of)]; }
  std::uint32_t& released_of(channel of) { return released[static_cast<std::size_t>(of)]; }
  void join(const completions& other) {
    for (std::size_t i = 0; i < fenced.size(); ++i) {
      fenced[i] = std::max(fenced[i], other.fenced[i]);
      released[i] = std::max(released[i], other.released[i]);
    }
    stores = std::max(stores, other.stores);
  }
};

// The knowledge of a thread, or an object by which threads of one PE tell each other. It owns its memory.
class thread_knowledge {
 public:
  bool is_empty() const { return words_ == nullptr; }
  void begin(std::uint32_t pes) {
    if (is_empty())
      words_.reset(static_cast<std::uint32_t*>(std::calloc(knowledge::words_for(pes), sizeof(std::uint32_t))));
    if (words_ == nullptr) std::abort();
    all = knowledge(words_.get(), pes);
    all.clear();
    done = {};
  }
  void join(const thread_knowledge& other) {
    all.join(other.all);
    done.join(other.done);
  }

  knowledge all{nullptr, 0};
  completions done;

 private:
  struct free_words {
    void operator()(std::uint32_t* words) const { std::free(words); }
  };
  std::unique_ptr<std::uint32_t, free_words> words_;
};

}  // namespace races
