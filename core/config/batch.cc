#include "core/config/batch.h"

namespace prequel {
namespace {

void SelectValues(const std::vector<std::string>& from, const std::vector<Index>& kept,
                  std::vector<std::string>& to) {
  if (from.empty()) {
    to.clear();
    return;
  }
  to.resize(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) to[i] = from[static_cast<std::size_t>(kept[i])];
}

void SelectColumns(const Matrix& from, const std::vector<Index>& kept, Matrix& to) {
  if (from.size() == 0) {
    to.resize(from.rows(), 0);
    return;
  }
  to.resize(from.rows(), static_cast<Index>(kept.size()));
  for (Index i = 0; i < to.cols(); ++i) to.col(i) = from.col(kept[static_cast<std::size_t>(i)]);
}

}  // namespace

void SelectRows(const Batch& batch, const std::vector<Index>& kept, Batch& out) {
  SelectColumns(batch.inputs, kept, out.inputs);
  SelectColumns(batch.targets, kept, out.targets);
  SelectValues(batch.labels, kept, out.labels);
  out.times.resize(batch.times.size() == 0 ? 0 : static_cast<Index>(kept.size()));
  for (Index i = 0; i < out.times.size(); ++i) {
    out.times[i] = batch.times[kept[static_cast<std::size_t>(i)]];
  }
  out.text.resize(batch.text.size());
  for (std::size_t c = 0; c < batch.text.size(); ++c) {
    SelectValues(batch.text[c], kept, out.text[c]);
  }
}

}  // namespace prequel
