#include "client/learn_stream_call.h"

#include <utility>

namespace prequel::client {

LearnStream::Call::Call(std::shared_ptr<v1::LearningService::Stub> stub, const Access& access,
                        const std::string& name, const std::string& producer)
    : stub_(std::move(stub)), prepared_(access.Prepare(context_)) {
  if (!prepared_.ok()) Cancel();
  stub_->async()->LearnStream(&context_, this);
  AddHold();  // writes start outside of reactions
  auto hello = std::make_shared<v1::LearnStreamRequest>();
  hello->set_name(name);
  hello->set_producer(producer);
  Write(std::move(hello));
  StartRead(&response_);
  StartCall();
}

LearnStream::Call::~Call() {
  Cancel();
  Join();
}

void LearnStream::Call::Write(std::shared_ptr<const v1::LearnStreamRequest> request) {
  {
    std::lock_guard lock(mu_);
    writing_ = true;
  }
  request_ = std::move(request);
  StartWrite(request_.get());
}

void LearnStream::Call::WritesDone() { StartWritesDone(); }

std::vector<v1::LearnStreamResponse> LearnStream::Call::TakeAnswers() {
  std::lock_guard lock(mu_);
  return std::exchange(answers_, {});
}

bool LearnStream::Call::writing() const {
  std::lock_guard lock(mu_);
  return writing_;
}

bool LearnStream::Call::ended() const {
  std::lock_guard lock(mu_);
  return ended_ && answers_.empty();
}

std::uint64_t LearnStream::Call::version() const {
  std::lock_guard lock(mu_);
  return version_;
}

bool LearnStream::Call::WaitForChange(std::uint64_t version,
                                      std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mu_);
  return changed_.wait_for(lock, timeout, [&] { return version_ != version; });
}

grpc::Status LearnStream::Call::Join() {
  if (std::exchange(held_, false)) RemoveHold();
  std::unique_lock lock(mu_);
  changed_.wait(lock, [&] { return done_; });
  return status_;
}

void LearnStream::Call::OnReadDone(bool ok) {
  {
    std::lock_guard lock(mu_);
    if (ok) answers_.push_back(std::move(response_));
    ended_ = !ok;
    ++version_;
    changed_.notify_all();
  }
  if (!ok) return;
  response_.Clear();
  StartRead(&response_);
}

void LearnStream::Call::OnWriteDone(bool) {
  std::lock_guard lock(mu_);
  writing_ = false;
  ++version_;
  changed_.notify_all();
}

void LearnStream::Call::OnDone(const grpc::Status& status) {
  std::lock_guard lock(mu_);
  status_ = prepared_.ok() ? status
                           : grpc::Status(static_cast<grpc::StatusCode>(prepared_.code()),
                                          std::string(prepared_.message()));
  done_ = true;
  ++version_;
  // Under the lock: Join's caller may destroy this as soon as it is released.
  changed_.notify_all();
}

}  // namespace prequel::client
