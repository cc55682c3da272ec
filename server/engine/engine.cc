#include "server/engine/engine.h"

#include <utility>

#include "server/engine/engine_impl.h"

namespace prequel {

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options, Parts parts) {
  if (absl::Status status = CheckEngineOptions(options); !status.ok()) return status;
  auto impl = std::make_unique<Impl>(options, parts);
  if (absl::Status status = impl->StartReplay(); !status.ok()) return status;
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

bool Engine::ready() const { return impl_->ready(); }
void Engine::AwaitReady() const { impl_->AwaitReady(); }

absl::StatusOr<ModelInfo> Engine::CreateModel(std::string_view name, const LearnerConfig& config,
                                              std::string_view config_bytes) {
  return impl_->CreateModel(name, config, config_bytes);
}

absl::StatusOr<ModelInfo> Engine::GetModel(std::string_view name) const {
  const absl::StatusOr<Registry::Entry> model = impl_->models_.Find(name);
  if (!model.ok()) return model.status();
  return (*model)->Info();
}

std::vector<ModelInfo> Engine::ListModels(std::string_view after, int limit) const {
  std::vector<ModelInfo> infos;
  if (limit <= 0) return infos;
  for (const Registry::Entry& model : impl_->models_.List(after, static_cast<std::size_t>(limit))) {
    infos.push_back(model->Info());
  }
  return infos;
}

absl::Status Engine::DeleteModel(std::string_view name) { return impl_->DeleteModel(name); }

void Engine::Submit(std::string_view name, LearnRequest request, LearnCallback done) {
  impl_->Submit(name, std::move(request), std::move(done));
}

void Engine::CreateSnapshot(std::string_view name, SnapshotCallback done) {
  impl_->CreateSnapshot(name, std::move(done));
}

absl::StatusOr<Snapshot> Engine::GetSnapshot(std::string_view name) const {
  const absl::StatusOr<Registry::Entry> model = impl_->models_.Find(name);
  if (!model.ok()) return model.status();
  const absl::StatusOr<ModelActor::View> view = (*model)->Read();
  if (!view.ok()) return view.status();
  return view->snapshot;
}

absl::StatusOr<PredictOutcome> Engine::Predict(std::string_view name, const Batch& batch,
                                               const PredictOptions& options,
                                               std::optional<std::int64_t> revision,
                                               const StillWanted& wanted) const {
  return impl_->Predict(name, batch, options, revision, wanted);
}

absl::StatusOr<Revisions> Engine::ListRevisions(std::string_view name) const {
  return impl_->ListRevisions(name);
}

absl::StatusOr<ModelInfo> Engine::Rollback(std::string_view name, std::int64_t revision,
                                           const StillWanted& wanted) {
  return impl_->Rollback(name, revision, wanted);
}

absl::StatusOr<ModelInfo> Engine::Fork(std::string_view name, std::optional<std::int64_t> revision,
                                       std::string_view fork, const LearnerConfig* config,
                                       std::string_view config_bytes, const StillWanted& wanted) {
  return impl_->Fork(name, revision, fork, config, config_bytes, wanted);
}

absl::StatusOr<ModelFile> Engine::Export(std::string_view name,
                                         std::optional<std::int64_t> revision,
                                         const StillWanted& wanted) const {
  return impl_->Export(name, revision, wanted);
}

absl::StatusOr<ModelInfo> Engine::Import(std::string_view name, const ModelFile& file) {
  return impl_->Import(name, file);
}

void Engine::Shutdown(TimePoint deadline) { impl_->Shutdown(deadline); }

}  // namespace prequel
