// Put with signal: one signal per message, two slots, no credit ever waited for before sending.
//
// The signal carries the number of the run, so nothing is reset. A PE sends in run n + 2 when its run n + 1 is over,
// for which it has got the receiver's parcel of run n + 1, which is sent after run n has been unpacked: the slot is
// free. Where no parcel goes back an empty one does, a word: ending::greetings. Memory: 2 slots per parcel at the
// receiver. Messages: one put with signal per peer, where mapped only a word. Copies of a byte: 2 (pack, unpack); by
// puts 3.
#include "../parcels.hpp"

namespace oshen::exchange {

constinit const strategy put_signal = {
    .name = "put_signal", .about = "one signal per message with the number of the run, two slots, no credits",
    .slots = 2,
    .ends = ending::greetings,
    .send = send_with_signal, .take = unpack_slot,
};

}  // namespace oshen::exchange
