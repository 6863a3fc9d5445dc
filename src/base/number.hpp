// Numbers in settings and files, read alike in every locale: in some, strtod expects 1,5 instead of 1.5.
#pragma once

namespace oshen {

// Reads a decimal number without a sign, such as 3, 0.25, .5 or 1e3, from the start of `text`. `end` points behind it.
// False if the text does not begin with a number.
bool read_decimal(const char* text, const char*& end, double& value);

// Reads an integer; false unless it is the whole text.
bool read_whole(const char* text, long& value);

}  // namespace oshen
