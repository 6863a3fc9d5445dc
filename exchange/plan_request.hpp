// What the caller of oshen_plan_create asks for, and whether it can be meant.
#pragma once

#include <span>

#include "group.hpp"
#include "strategy.hpp"

namespace oshen::exchange {

using message_list = std::span<const oshen_message_t>;

message_list sends_of(const oshen_plan_attr_t& attr);
message_list receives_of(const oshen_plan_attr_t& attr);

// Whether the lists make sense and the strategy is known ("auto" is), with a line if not; local.
oshen_status_t examined(const oshen_group& group, const oshen_plan_attr_t& attr);

inline constexpr const char* auto_name = "auto";
bool wants_auto(const oshen_plan_attr_t& attr);

// Whether `attr` promises what `how` needs; the line that says what is missing.
bool has_what_it_needs(const oshen_plan_attr_t& attr, const strategy& how);
void name_what_is_needed(const oshen_plan_attr_t& attr, const strategy& how);

}  // namespace oshen::exchange
