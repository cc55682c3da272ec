// Ctrl-C, asked for politely.
#pragma once

namespace prequel::cli {

// After CatchInterrupts the first SIGINT or SIGTERM only makes Interrupted() true (and ends a
// blocking read); the second ends the process.
void CatchInterrupts();

bool Interrupted();

}  // namespace prequel::cli
