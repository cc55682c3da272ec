// A server of this process with its client, and minibatches for it to learn.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "client/client.h"
#include "core/linalg/types.h"
#include "server/server.h"

namespace prequel {

inline constexpr Index kServedInputs = 16;
inline constexpr Index kServedRows = 256;

// A folder of its own on the disk of the build directory, removed with all it holds.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path() const { return path_ / "data"; }

 private:
  const std::filesystem::path path_;
};

// A linear model of kServedInputs inputs, diagonal posterior, bernoulli.
v1::ModelConfig ServedConfig();

// One of 64 distinct minibatches of kServedRows rows, as a producer would send it: float32 tensors.
const v1::Batch& ServedMinibatch(int index);

// Ends the process unless `status` is OK.
void MustBeOk(const absl::Status& status);

struct Served {
  // The addresses and the folder are its own.
  explicit Served(bool sync);

  void Create(const std::string& model, const v1::ModelConfig& config = ServedConfig());
  // Sends that many minibatches, one stream, and awaits the answers.
  void Stream(const std::string& model, int batches);

  ScratchFolder folder;
  std::unique_ptr<Server> server;
  std::unique_ptr<client::Client> client;
};

}  // namespace prequel
