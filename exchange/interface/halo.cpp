// Halos: lists the messages that fill the ghost elements around the parts of an array.
//
// The ghost elements of a PE form one box around its part, or six slabs. Along a periodic axis the array repeats, so
// that each part has images, shifted by multiples of the extent. A message is what a box of ghost elements has in
// common with an image. Sender and receiver enumerate these pieces in the same order.
#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <vector>

#include "exchange/interface/plan_create.hpp"
#include "exchange/plan/diagnostics.hpp"
#include "oshen/exchange.h"
#include "trials/sized_struct.hpp"

namespace oshen::exchange {
namespace {

using index3 = std::array<std::int64_t, 3>;

// Elements of the array and its images: [low, high) along each axis.
struct cells {
  index3 low, high;
  bool empty() const { return low[0] >= high[0] || low[1] >= high[1] || low[2] >= high[2]; }
  std::int64_t count() const { return empty() ? 0 : (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]); }
};

cells common(const cells& x, const cells& y) {
  cells both;
  for (std::size_t a = 0; a < 3; a++)
    both.low[a] = std::max(x.low[a], y.low[a]), both.high[a] = std::min(x.high[a], y.high[a]);
  return both;
}

cells shifted(cells x, const index3& by) {
  for (std::size_t a = 0; a < 3; a++) x.low[a] += by[a], x.high[a] += by[a];
  return x;
}

cells cells_of(const oshen_part_t& part) {
  cells all;
  for (std::size_t a = 0; a < 3; a++) all.low[a] = part.low[a], all.high[a] = std::int64_t{part.low[a]} + part.size[a];
  return all;
}

cells part_of(const oshen_halo_t& halo, int member) {
  if (halo.parts != nullptr) return cells_of(halo.parts[member]);
  oshen_part_t part;
  oshen_grid_box(halo.extent, halo.dims, member, part.low, part.size);
  return cells_of(part);
}

// ---- the pieces

// The boxes of ghost elements around a part. The only box of a whole halo contains the part as well.
std::vector<cells> ghosts_around(const oshen_halo_t& halo, const cells& part) {
  if (part.empty()) return {};
  cells whole = part;
  for (std::size_t a = 0; a < 3; a++) whole.low[a] -= halo.below[a], whole.high[a] += halo.above[a];
  if (halo.faces_only == 0) return {whole};
  std::vector<cells> slabs;
  for (std::size_t a = 0; a < 3; a++) {
    slabs.insert(slabs.end(), 2, part);
    slabs[2 * a].low[a] = whole.low[a], slabs[2 * a].high[a] = part.low[a];
    slabs[2 * a + 1].low[a] = part.high[a], slabs[2 * a + 1].high[a] = whole.high[a];
  }
  return slabs;
}

// The shifts of all images that can lie within the width of a halo.
std::vector<index3> images(const oshen_halo_t& halo) {
  const auto repeats = [&](std::size_t a, int width) -> std::int64_t {
    return (halo.periodic >> a & 1) == 0 ? 0 : (std::int64_t{width} + halo.extent[a] - 1) / halo.extent[a];
  };
  std::vector<index3> all;
  for (auto k = -repeats(2, halo.below[2]); k <= repeats(2, halo.above[2]); k++)
    for (auto j = -repeats(1, halo.below[1]); j <= repeats(1, halo.above[1]); j++)
      for (auto i = -repeats(0, halo.below[0]); i <= repeats(0, halo.above[0]); i++)
        all.push_back({i * halo.extent[0], j * halo.extent[1], k * halo.extent[2]});
  return all;
}

// Calls visit(piece, shift) for each box that ghost elements and an image of the part `owner` have in common. `same`:
// the owner is the part inside the ghost elements, which is no image of itself.
template <class Visit>
void for_each_piece(const std::vector<cells>& ghosts, const cells& owner, bool same, const std::vector<index3>& shifts,
                    Visit visit) {
  for (const cells& box : ghosts) {
    for (const index3& shift : shifts) {
      if (same && shift == index3{}) continue;
      const cells piece = common(box, shifted(owner, shift));
      if (!piece.empty()) visit(piece, shift);
    }
  }
}

// ---- the messages

// Where this PE's buffer has its part: the element at `low` is at `offset`.
struct placement {
  index3 low;
  std::size_t offset, element;
  std::array<std::size_t, 3> stride;
};

placement place(const oshen_halo_t& halo, const cells& part) {
  placement at{part.low, halo.offset, halo.element, {halo.stride[0], halo.stride[1], halo.stride[2]}};
  if (at.stride[0] != 0) return at;
  at.offset = 0;
  std::size_t step = halo.element;
  for (std::size_t a = 0; a < 3; a++) {
    at.stride[a] = step;
    at.offset += step * static_cast<std::size_t>(halo.below[a]);
    step *= static_cast<std::size_t>(part.high[a] - part.low[a] + halo.below[a] + halo.above[a]);
  }
  return at;
}

oshen_message_t message_for(int peer, const placement& at, const cells& piece) {
  oshen_message_t m{peer, at.element * static_cast<std::size_t>(piece.count()), {at.offset, at.element, {}, {}}};
  for (std::size_t a = 0; a < 3; a++) {
    m.box.offset += static_cast<std::size_t>(piece.low[a] - at.low[a]) * at.stride[a];  // wraps for ghosts below
    m.box.extent[a] = static_cast<std::size_t>(piece.high[a] - piece.low[a]);
    m.box.stride[a] = at.stride[a];
  }
  return m;
}

struct halo_messages {
  std::vector<oshen_message_t> sends, receives;
};

halo_messages list_messages(const oshen_group_t& group, const oshen_halo_t& halo) {
  halo_messages lists;
  const cells mine = part_of(halo, group.me);
  const placement at = place(halo, mine);
  const std::vector<cells> ghosts = ghosts_around(halo, mine);
  const std::vector<index3> shifts = images(halo);
  for (int peer = 0; peer < group.size(); peer++) {
    const cells theirs = part_of(halo, peer);
    const bool same = peer == group.me;
    for_each_piece(ghosts, theirs, same, shifts,
                   [&](const cells& piece, const index3&) { lists.receives.push_back(message_for(peer, at, piece)); });
    for_each_piece(ghosts_around(halo, theirs), mine, same, shifts, [&](const cells& piece, const index3& shift) {
      lists.sends.push_back(message_for(peer, at, shifted(piece, {-shift[0], -shift[1], -shift[2]})));
    });
  }
  return lists;
}

// ---- the arguments

bool valid_parts(const char* routine, const oshen_halo_t& halo, int n) {
  std::int64_t left = std::int64_t{halo.extent[0]} * halo.extent[1] * halo.extent[2];
  const cells array{{}, {halo.extent[0], halo.extent[1], halo.extent[2]}};
  for (int i = 0; i < n; i++) {
    const cells part = cells_of(halo.parts[i]);
    left -= part.count();
    if (part.empty()) continue;
    bool apart = common(part, array).count() == part.count();
    for (int j = 0; j < i && apart; j++) apart = common(part, cells_of(halo.parts[j])).empty();
    if (apart) continue;
    report_error_of(routine, "halo.parts[%d] overlaps another part or leaves the array: expected each element once", i);
    return false;
  }
  if (left != 0) report_error_of(routine, "halo.parts lack %lld elements of the array", static_cast<long long>(left));
  return left == 0;
}

bool valid_grid(const char* routine, const oshen_halo_t& halo, int n) {
  const int* dims = halo.dims;
  if (dims[0] > 0 && dims[1] > 0 && dims[2] > 0 && std::int64_t{dims[0]} * dims[1] * dims[2] == n) return true;
  report_error_of(routine, "halo.dims = %d x %d x %d: expected a product of %d, the group's size", dims[0], dims[1],
                  dims[2], n);
  return false;
}

bool valid_axis(const char* routine, const oshen_halo_t& halo, std::size_t a) {
  if (halo.extent[a] < 1)
    report_error_of(routine, "halo.extent[%zu] = %d: expected at least 1", a, halo.extent[a]);
  else if (halo.below[a] < 0 || halo.above[a] < 0)
    report_error_of(routine, "halo.below[%zu] = %d and above[%zu] = %d: expected numbers of layers", a, halo.below[a],
                    a, halo.above[a]);
  else if (halo.stride[0] != 0 && halo.stride[a] < halo.element)
    report_error_of(routine, "halo.stride[%zu] = %zu: expected at least %zu bytes, an element", a, halo.stride[a],
                    halo.element);
  else
    return true;
  return false;
}

bool valid_memory(const char* routine, const oshen_halo_t& halo) {
  if (halo.element == 0) {
    report_error_of(routine, "halo.element = 0: expected the bytes of an element");
    return false;
  }
  if (halo.stride[0] == 0 && (halo.stride[1] != 0 || halo.stride[2] != 0)) {
    report_error_of(routine, "halo.stride[0] = 0: expected three strides, or none");
    return false;
  }
  std::size_t ghosts = 0;
  for (std::size_t a = 0; a < 3; a++) ghosts += halo.stride[a] * static_cast<std::size_t>(halo.below[a]);
  if (halo.offset >= ghosts || halo.stride[0] == 0) return true;
  report_error_of(routine, "halo.offset = %zu: expected at least %zu bytes, where the ghost elements before it fit",
                  halo.offset, ghosts);
  return false;
}

bool valid_attributes(const char* routine, const oshen_plan_attr_t& attr) {
  if (attr.n_sends == 0 && attr.n_receives == 0 && attr.pack == nullptr && attr.unpack == nullptr &&
      attr.send_offsets == nullptr && attr.receive_offsets == nullptr)
    return true;
  report_error_of(routine, "attr has messages or callbacks: expected none, since the halo lists the messages");
  return false;
}

// Whether everything is valid on this PE; prints a line if not.
bool valid(const char* routine, const oshen_group_t& group, const oshen_halo_t& halo, const oshen_plan_attr_t& attr) {
  if (halo.size < sizeof halo || !oshen::uses_only(halo, sizeof halo)) {
    report_error_of(routine, "halo.size = %zu: expected sizeof(oshen_halo_t), %zu", halo.size, sizeof halo);
    return false;
  }
  for (std::size_t a = 0; a < 3; a++)
    if (!valid_axis(routine, halo, a)) return false;
  return valid_memory(routine, halo) && valid_attributes(routine, attr) &&
         (halo.parts != nullptr ? valid_parts(routine, halo, group.size()) : valid_grid(routine, halo, group.size()));
}

// A halo as the attributes of a plan.
struct halo_request {
  oshen_plan_attr_t attr{};
  halo_messages lists;
  oshen_status_t status = OSHEN_OK;

  halo_request(const char* routine, const oshen_group_t& group, const oshen_halo_t& halo,
               const oshen_plan_attr_t* wanted) {
    if (wanted != nullptr) attr = *wanted;
    const bool is_known = wanted == nullptr || knows_all(*wanted);
    attr.size = sizeof attr;
    if (!is_known || !valid(routine, group, halo, attr)) {
      status = OSHEN_INVALID;
      return;
    }
    try {
      lists = list_messages(group, halo);
    } catch (const std::bad_alloc&) {
      status = OSHEN_NO_SPACE;
      return;
    }
    attr.sends = lists.sends.data();
    attr.receives = lists.receives.data();
    attr.n_sends = static_cast<int>(lists.sends.size());
    attr.n_receives = static_cast<int>(lists.receives.size());
    attr.buffers |= OSHEN_BUFFERS_APART;  // sends are in the part, and receives outside
    status = check_attributes(group, attr);
  }
};

}  // namespace
}  // namespace oshen::exchange

oshen_status_t oshen_halo_create(oshen_group_t* group, const oshen_halo_t* halo, const oshen_plan_attr_t* attr,
                                 oshen_plan_t** plan) {
  using namespace oshen::exchange;
  const halo_request request("oshen_halo_create", *group, *halo, attr);
  return create_plan(*group, request.attr, request.status, plan);
}

oshen_status_t oshen_halo_need(oshen_group_t* group, const oshen_halo_t* halo, const oshen_plan_attr_t* attr,
                               oshen_need_t* need, std::size_t size) {
  using namespace oshen::exchange;
  oshen::fill_struct(need, size, oshen_need_t{});
  const halo_request request("oshen_halo_need", *group, *halo, attr);
  return request.status != OSHEN_OK ? request.status : oshen_plan_need(group, &request.attr, need, size);
}
