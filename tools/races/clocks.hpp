// Vector clocks for one-sided operations. A put returns before it is delivered, so one number for each PE is not
// enough: a PE that learns of a put by a flag may still not read its data.
#pragma once

#include <algorithm>
#include <cstdint>

namespace races {

// How an access becomes visible to others. `program`: when it returns. `put`: when a fence or quiet of its PE has
// delivered it. `signal`: the data of a put with signal, delivered with the signal. `context`: as put, on any context
// but the default one.
enum class channel : std::uint8_t { program, put, signal, context };

// Threads of a PE that have clocks of their own. Further threads take their numbers in turn, which only hides races.
inline constexpr std::uint32_t most_threads = 16;

inline constexpr std::uint32_t all_pes = ~std::uint32_t{0};

// The knowledge of one thread has a row for each PE, in memory that the caller owns. Entries are clocks of that PE,
// which its threads share: all accesses up to that clock are ordered before the present of the thread that owns the
// table.
//   row: delivered puts to each PE | delivered data of signals | delivered puts of contexts |
//        last release | its place | its target | program of each thread | stores of each thread
class knowledge {
 public:
  knowledge(std::uint32_t* words, std::uint32_t pes) : words_(words), pes_(pes) {}

  static std::uint32_t words_for(std::uint32_t pes) { return pes * row_words(pes); }

  std::uint32_t* row(std::uint32_t pe) const { return words_ + pe * std::size_t{row_words(pes_)}; }
  // The clock of operations of `pe` to PE `target` on channel `how`, which is not the program.
  std::uint32_t& clock(std::uint32_t pe, channel how, std::uint32_t target) const {
    return row(pe)[(static_cast<std::uint32_t>(how) - 1) * pes_ + target];
  }
  std::uint32_t& program(std::uint32_t pe, std::uint32_t thread) const { return row(pe)[channels * pes_ + 3 + thread]; }
  // Stores of a thread to the memory of its PE; others of its accesses return when they are done.
  std::uint32_t& stores(std::uint32_t pe, std::uint32_t thread) const {
    return row(pe)[channels * pes_ + 3 + most_threads + thread];
  }
  std::uint32_t& last_release(std::uint32_t pe) const { return row(pe)[channels * pes_]; }
  // Where `pe` released what is known of it, and the PE to which it did; all_pes for a barrier or a collective.
  std::uint32_t& release_site(std::uint32_t pe) const { return row(pe)[channels * pes_ + 1]; }
  std::uint32_t& release_target(std::uint32_t pe) const { return row(pe)[channels * pes_ + 2]; }

  void copy_from(const knowledge& other) const { std::copy_n(other.words_, words_for(pes_), words_); }

  void join(const knowledge& other) const {
    for (std::uint32_t pe = 0; pe < pes_; ++pe) {
      std::uint32_t* mine = row(pe);
      const std::uint32_t* theirs = other.row(pe);
      const std::uint32_t n = channels * pes_;
      if (theirs[n] > mine[n]) std::copy_n(theirs + n, 3, mine + n);
      for (std::uint32_t i = 0; i < n; ++i) mine[i] = std::max(mine[i], theirs[i]);
      for (std::uint32_t i = n + 3, end = row_words(pes_); i < end; ++i) mine[i] = std::max(mine[i], theirs[i]);
    }
  }

  // A quiet of `pe`: its operations up to `clock` on the default context, or on the other ones, are delivered.
  void deliver_all(std::uint32_t pe, channel puts, std::uint32_t clock) const {
    std::fill_n(&this->clock(pe, puts, 0), pes_, clock);
    std::fill_n(&this->clock(pe, channel::signal, 0), pes_, clock);
  }

 private:
  static constexpr std::uint32_t channels = 3;  // beside channel::program
  static constexpr std::uint32_t row_words(std::uint32_t pes) { return channels * pes + 3 + 2 * most_threads; }

  std::uint32_t* words_;
  std::uint32_t pes_;
};

}  // namespace races
