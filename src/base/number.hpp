// Numbers in settings and files, read the same in every locale: a program that has called setlocale may write 1,5 where
// we write 1.5.
#pragma once

namespace oshen {

// A decimal number without a sign, such as 3, 0.25, .5 or 1e3, at the start of `text`. `end` is what follows it. False
// when there is none.
bool read_decimal(const char* text, const char*& end, double& value);

// The whole text is an integer.
bool read_whole(const char* text, long& value);

}  // namespace oshen
