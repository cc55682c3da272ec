// Linear models, and the calls that are made of them.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "prequel/v1/learning_service.grpc.pb.h"
#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

// Gaussian and static, of one feature with so many columns.
v1::ModelConfig Linear(int columns, const std::string& posterior = "full");

// Rows of zeros, in float32.
v1::Batch Zeros(int rows, int columns, bool targets);

grpc::Status Create(const Entrance& server, const std::string& id, const v1::ModelConfig& config);

// The same; aborts where it fails.
void MustCreate(const Entrance& server, const std::string& id, const v1::ModelConfig& config);

grpc::Status Delete(const Entrance& server, const std::string& id);

// Within a minute.
grpc::Status Learn(v1::LearningService::Stub& stub, const std::string& id, int rows, int columns);
// Four rows; so too.
grpc::Status Predict(v1::LearningService::Stub& stub, const std::string& id, int columns,
                     int samples);

}  // namespace prequel::accept
