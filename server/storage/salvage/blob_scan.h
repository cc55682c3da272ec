// The records of a blob file, without the tables that point into it. Internal to the folder.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"

namespace prequel {

// Calls `found` with family id, key and value of every record of the file whose value carries the
// checksum of our own that is right for its key (server/storage/bytes.h), behind damage too. The
// error is the first damage.
rocksdb::Status ScanBlobs(
    rocksdb::Env& env, const std::string& path,
    absl::FunctionRef<void(std::uint32_t family, std::string_view key, std::string_view value)>
        found);

}  // namespace prequel
