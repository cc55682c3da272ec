// Recognises one value in several spellings.
#pragma once

#include <string_view>

namespace prequel {

// Spelled returns what `text` says, however it is spelled: without blanks around; of a decimal
// number without a plus sign and without zeros that end its fraction, so that "1.0" and "+1" are
// "1"; "true" and "false", in any case, are "1" and "0". Digit by digit, so that integers beyond
// 2⁵³ stay apart. All other texts, "007" and "1e3" among them, are as they are. The view is of
// `text`, or lives for ever.
std::string_view Spelled(std::string_view text);

}  // namespace prequel
