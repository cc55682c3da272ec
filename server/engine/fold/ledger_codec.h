// The ledger as bytes, for snapshots.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/engine/fold/ledger.h"

namespace prequel {

// Versioned, checksummed, and the same bytes for the same ledger.
std::string EncodeLedger(const Ledger& ledger);

// DATA_LOSS for damage, FAILED_PRECONDITION for another version.
absl::StatusOr<Ledger> DecodeLedger(std::string_view bytes);

}  // namespace prequel
