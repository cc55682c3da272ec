#include "client/unique_id.h"

#include <random>

#include "absl/strings/str_format.h"

namespace prequel::client {

std::string UniqueId() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) absl::StrAppendFormat(&id, "%08x", random());
  return id;
}

}  // namespace prequel::client
