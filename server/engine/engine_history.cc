// Engine: models as they were, and models made of them.
#include <future>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/engine_impl.h"
#include "server/engine/history.h"
#include "server/engine/ledger_codec.h"

namespace prequel {
namespace {

// A new model begins where `fold` is, with a log of its own.
LearnerFold Beginning(LearnerFold fold) {
  const std::shared_ptr<const Learner> learner = fold.learner();
  Restored restored = std::move(fold).Release();
  restored.snapshot.next_offset = 0;
  return LearnerFold(learner, std::move(restored));
}

}  // namespace

absl::StatusOr<Engine::Impl::Source> Engine::Impl::FindSource(std::string_view name) const {
  absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return model.status();
  absl::StatusOr<ModelActor::View> view = (*model)->Read();
  if (!view.ok()) return view.status();
  return Source{*std::move(model), *std::move(view)};
}

absl::StatusOr<LearnerFold> Engine::Impl::FoldAt(const Source& source,
                                                 std::optional<std::int64_t> revision,
                                                 const StillWanted& wanted) const {
  const Snapshot& newest = source.view.snapshot;
  const std::int64_t then = revision.value_or(newest.revision);
  const std::uint64_t next_offset = then == newest.revision ? newest.next_offset : 0;
  const History history = source.model->history();
  absl::StatusOr<LearnerFold> fold = history.At(then, next_offset, source.view.learner, wanted);
  // A snapshot that was committed meanwhile took the ground away: the next look finds it.
  for (int again = 0; again < 2 && absl::IsDataLoss(fold.status()); ++again) {
    fold = history.At(then, next_offset, source.view.learner, wanted);
  }
  return fold;
}

absl::StatusOr<Revisions> Engine::Impl::ListRevisions(std::string_view name) const {
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  return source->model->history().List();
}

absl::StatusOr<ModelInfo> Engine::Impl::Rollback(std::string_view name, std::int64_t revision,
                                                 const StillWanted& wanted) {
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return status;
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  const absl::StatusOr<LearnerFold> fold = FoldAt(*source, revision, wanted);
  if (!fold.ok()) return fold.status();
  auto batch = std::make_unique<PendingBatch>();
  batch->model = source->model;
  batch->request.rollback = true;
  batch->request.record = EncodeRollback(*fold->learner(), *fold->current().state);
  absl::StatusOr<Admission::Ticket> ticket =
      admission_.Admit(source->model->account(), batch->request.record.size());
  if (!ticket.ok()) return ticket.status();
  batch->ticket = *std::move(ticket);
  std::promise<absl::Status> done;
  batch->done = [&done](const absl::StatusOr<LearnOutcome>& outcome) {
    done.set_value(outcome.status());
  };
  committer_.Enqueue(std::move(batch));
  if (absl::Status status = done.get_future().get(); !status.ok()) return status;
  return source->model->Info();
}

// A fold of no record is the prior; revision 0 alone is not, for there may have been refusals.
Engine::Impl::Begins Engine::Impl::BeginsOf(const Source& source, const LearnerFold& fold) {
  const bool prior = fold.current().next_offset == 0 && !source.model->from_snapshot();
  return prior ? Begins::kWithPrior : Begins::kWithSnapshot;
}

absl::StatusOr<ModelInfo> Engine::Impl::Fork(std::string_view name,
                                             std::optional<std::int64_t> revision,
                                             std::string_view fork, const LearnerConfig* config,
                                             std::string_view config_bytes,
                                             const StillWanted& wanted) {
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  absl::StatusOr<LearnerFold> fold = FoldAt(*source, revision, wanted);
  if (!fold.ok()) return fold.status();
  if (config == nullptr) {
    const Begins begins = BeginsOf(*source, *fold);
    return AddModel(fork, begins, Beginning(*std::move(fold)), source->model->config_bytes());
  }
  absl::StatusOr<Learner> learner = Learner::Create(*config);
  if (!learner.ok()) return learner.status();
  absl::StatusOr<LearnerFold> refold =
      source->model->history().Refold(fold->current().next_offset, source->view.learner,
                                      std::make_shared<const Learner>(*std::move(learner)), wanted);
  if (!refold.ok()) return refold.status();
  const Begins begins = BeginsOf(*source, *refold);
  return AddModel(fork, begins, Beginning(*std::move(refold)), config_bytes);
}

absl::StatusOr<ModelFile> Engine::Impl::Export(std::string_view name,
                                               std::optional<std::int64_t> revision,
                                               const StillWanted& wanted) const {
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  const absl::StatusOr<LearnerFold> fold = FoldAt(*source, revision, wanted);
  if (!fold.ok()) return fold.status();
  ModelFile file{.revision = fold->current().revision,
                 .create_time_us = Microseconds(parts_.clock.Now()),
                 .build = options_.snapshots.build,
                 .config = source->model->config_bytes()};
  const Capture capture{.learner = fold->learner(),
                        .snapshot = fold->current(),
                        .ledger = EncodeLedger(fold->ledger())};
  const absl::Status written = WriteCapture(capture, [&file](std::string_view chunk) {
    file.body.append(chunk);
    return absl::OkStatus();
  });
  if (!written.ok()) return written;
  return file;
}

absl::StatusOr<ModelInfo> Engine::Impl::Import(std::string_view name, const ModelFile& file) {
  const absl::StatusOr<LearnerConfig> config = parts_.codec.DecodeConfig(file.config);
  if (!config.ok()) return config.status();
  absl::StatusOr<Learner> created = Learner::Create(*config);
  if (!created.ok()) return created.status();
  auto learner = std::make_shared<const Learner>(*std::move(created));
  absl::StatusOr<Restored> restored = DecodeCapture(file.body, *learner);
  if (!restored.ok()) return restored.status();
  if (restored->snapshot.revision != file.revision) {
    return absl::DataLossError("the model file holds another revision than it says");
  }
  return AddModel(name, Begins::kWithSnapshot, LearnerFold(learner, *std::move(restored)),
                  file.config);
}

}  // namespace prequel
