// What happens to the files of a data directory, while no server has it open.
#pragma once

#include <string>

namespace prequel {

// Takes away what has been written to no table yet, as a disk that lies about syncs may. False:
// there was nothing.
bool LoseWriteAheadLog(const std::string& directory);

// Flips a bit of the record that holds `bytes`, of which there are more than 4 KiB: it lies in a
// blob file, where the blocks of no other record are damaged with it. False: there is none.
bool FlipBitIn(const std::string& directory, const std::string& bytes);

}  // namespace prequel
