#include "server/inference/moment_texts.h"

#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/data/number.h"
#include "core/config/field_error.h"

namespace prequel {
namespace {

using client::MomentForm;

absl::Status Unread(const InputTensor& tensor, std::size_t row, const std::string& text,
                    const std::string& needed) {
  return tensor.Error("contents",
                      absl::StrCat("row ", row, ": ", Quoted(text), " is not ", needed));
}

std::optional<double> TimeOf(const std::string& text) {
  constexpr double kSecondsOfDay = 86'400;
  for (const MomentForm::Kind kind : {MomentForm::Kind::kDateTime, MomentForm::Kind::kDate}) {
    const std::optional<client::Moment> moment =
        client::ParseMoment(text, {kind, MomentForm::Order::kYearFirst});
    if (moment) return kSecondsOfDay * static_cast<double>(moment->day) + moment->seconds;
  }
  return client::ParseNumber(text);
}

}  // namespace

absl::StatusOr<std::vector<double>> ReadMoments(const InputTensor& tensor,
                                                const client::MomentForm& form, Index max_rows) {
  const absl::StatusOr<std::vector<std::string>> texts = ReadTexts(tensor, max_rows);
  if (!texts.ok()) return texts.status();
  const std::size_t width = client::MomentWidth(form);
  std::vector<double> values;
  values.reserve(width * texts->size());
  for (std::size_t row = 0; row < texts->size(); ++row) {
    const std::string& text = (*texts)[row];
    if (client::IsMissing(text)) {
      values.insert(values.end(), width, std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const std::optional<client::Moment> moment = client::ParseMoment(text, form);
    if (!moment) {
      return Unread(tensor, row, text,
                    absl::StrCat("written as the model learned it, such as ", ExampleOf(form)));
    }
    client::AppendMoment(*moment, form, &values);
  }
  return values;
}

absl::StatusOr<std::vector<double>> ReadTimes(const InputTensor& tensor, Index max_rows) {
  const absl::StatusOr<std::vector<std::string>> texts = ReadTexts(tensor, max_rows);
  if (!texts.ok()) return texts.status();
  std::vector<double> times;
  times.reserve(texts->size());
  for (std::size_t row = 0; row < texts->size(); ++row) {
    const std::optional<double> time = TimeOf((*texts)[row]);
    if (!time) {
      return Unread(tensor, row, (*texts)[row],
                    "a number or a date with the year first, such as 2024-01-31 10:15:00");
    }
    times.push_back(*time);
  }
  return times;
}

}  // namespace prequel
