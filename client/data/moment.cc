#include "client/data/moment.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/data/number.h"

namespace prequel::client {
namespace {

using Kind = MomentForm::Kind;
using Order = MomentForm::Order;

constexpr double kSecondsOfDay = 86'400;
constexpr std::size_t kMaxBytes = 64;  // no moment is written longer

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes `least` to `most` digits off the front; −1 when there are fewer. More are left for what
// comes next to stumble over.
int TakeDigits(std::string_view* text, std::size_t least, std::size_t most) {
  std::size_t count = 0;
  int value = 0;
  for (; count < most && count < text->size() && IsDigit((*text)[count]); ++count) {
    value = 10 * value + ((*text)[count] - '0');
  }
  if (count < least) return -1;
  text->remove_prefix(count);
  return value;
}

bool TakeOneOf(std::string_view* text, std::string_view letters) {
  if (text->empty() || letters.find(text->front()) == letters.npos) return false;
  text->remove_prefix(1);
  return true;
}

std::optional<std::int64_t> TakeDate(std::string_view* text, Order order) {
  const bool year_first = order == Order::kYearFirst;
  const int a = TakeDigits(text, year_first ? 4 : 1, year_first ? 4 : 2);
  const std::string_view separator = text->substr(0, 1);
  if (a < 0 || !TakeOneOf(text, "-/.")) return std::nullopt;
  const int b = TakeDigits(text, 1, 2);
  if (b < 0 || !TakeOneOf(text, separator)) return std::nullopt;
  const int c = TakeDigits(text, year_first ? 1 : 4, year_first ? 2 : 4);
  if (c < 0) return std::nullopt;
  const int month = order == Order::kMonthFirst ? a : b;
  const int day = order == Order::kDayFirst ? a : order == Order::kMonthFirst ? b : c;
  const std::chrono::year_month_day date{std::chrono::year(year_first ? a : c),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// "AM" or "PM" after a time, or nothing: the hour that is meant, −1 when there is no such.
int TakeHalfOfDay(std::string_view* text, int hour) {
  std::string_view rest = *text;
  TakeOneOf(&rest, " ");
  const bool morning = TakeOneOf(&rest, "aA");
  if (!morning && !TakeOneOf(&rest, "pP")) return hour;
  if (!TakeOneOf(&rest, "mM")) return hour;
  *text = rest;
  if (hour < 1 || hour > 12) return -1;
  return hour % 12 + (morning ? 0 : 12);
}

std::optional<double> TakeTime(std::string_view* text) {
  int hour = TakeDigits(text, 1, 2);
  if (hour < 0 || !TakeOneOf(text, ":")) return std::nullopt;
  const int minute = TakeDigits(text, 2, 2);
  if (minute < 0) return std::nullopt;
  double second = 0;
  if (TakeOneOf(text, ":")) {
    second = TakeDigits(text, 2, 2);
    if (second < 0) return std::nullopt;
    if (TakeOneOf(text, ".,")) {
      double unit = 0.1;
      if (text->empty() || !IsDigit(text->front())) return std::nullopt;
      for (; !text->empty() && IsDigit(text->front()); text->remove_prefix(1), unit /= 10) {
        second += unit * (text->front() - '0');
      }
    }
  }
  hour = TakeHalfOfDay(text, hour);
  if (hour < 0 || hour > 23 || minute > 59 || second >= 61) return std::nullopt;  // leap seconds
  return std::min(3600.0 * hour + 60.0 * minute + second, kSecondsOfDay - 1e-6);
}

// The seconds of Z, +02:00, +0200, +02, or nothing (0). No value for a sign without an offset.
std::optional<double> TakeOffset(std::string_view* text) {
  if (TakeOneOf(text, "zZ")) return 0.0;
  const bool behind = text->starts_with('-');
  if (!TakeOneOf(text, "+-")) return 0.0;
  const int hours = TakeDigits(text, 2, 2);
  if (hours < 0) return std::nullopt;
  const bool colon = TakeOneOf(text, ":");
  const int minutes = TakeDigits(text, 2, 2);
  if (minutes < 0 && colon) return std::nullopt;
  const double seconds = 3600.0 * hours + 60.0 * std::max(minutes, 0);
  return behind ? -seconds : seconds;
}

void AppendAngle(double turns, std::vector<double>* out) {
  const double angle = 2 * std::numbers::pi * turns;
  out->push_back(std::sin(angle));
  out->push_back(std::cos(angle));
}

std::string_view WordOf(const MomentForm& form) {
  const std::size_t order = static_cast<std::size_t>(form.order);
  if (form.kind == Kind::kTime) return "time";
  if (form.kind == Kind::kDate) {
    return std::array<std::string_view, 3>{"date", "date-dmy", "date-mdy"}[order];
  }
  return std::array<std::string_view, 3>{"datetime", "datetime-dmy", "datetime-mdy"}[order];
}

// The part of the year that is over.
double PartOfYear(std::int64_t day, double part_of_day) {
  const std::chrono::sys_days date{std::chrono::days(day)};
  const std::chrono::year year = std::chrono::year_month_day(date).year();
  const std::chrono::sys_days first = year / std::chrono::January / 1;
  return (static_cast<double>((date - first).count()) + part_of_day) / (year.is_leap() ? 366 : 365);
}

bool HasMonthByName(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  const std::string lower = absl::AsciiStrToLower({text.data(), text.size()});
  for (std::size_t at = 0; at < lower.size();) {
    std::size_t end = at;
    while (end < lower.size() && absl::ascii_isalpha(static_cast<unsigned char>(lower[end]))) ++end;
    const std::string_view word(lower.data() + at, end - at);
    for (const std::string_view month : kMonths) {
      if (word.size() >= 3 && word.size() <= 4 && month.starts_with(word)) return true;
      if (word == month) return true;
    }
    at = end + 1;
  }
  return false;
}

}  // namespace

std::optional<Moment> ParseMoment(std::string_view text, const MomentForm& form) {
  text = Trim(text);
  if (text.size() > kMaxBytes) return std::nullopt;
  Moment moment;
  if (form.kind != Kind::kTime) {
    const std::optional<std::int64_t> day = TakeDate(&text, form.order);
    if (!day.has_value()) return std::nullopt;
    moment.day = *day;
  }
  const bool timed = form.kind == Kind::kTime || (form.kind == Kind::kDateTime && !text.empty());
  if (timed) {
    if (form.kind == Kind::kDateTime && !TakeOneOf(&text, "Tt ")) return std::nullopt;
    const std::optional<double> seconds = TakeTime(&text);
    if (!seconds.has_value()) return std::nullopt;
    moment.seconds = *seconds;
    if (form.kind == Kind::kDateTime) {
      const std::optional<double> offset = TakeOffset(&text);
      if (!offset.has_value()) return std::nullopt;
      moment.offset = *offset;
    }
  }
  if (!text.empty()) return std::nullopt;
  return moment;
}

double InstantOf(const Moment& moment) {
  return kSecondsOfDay * static_cast<double>(moment.day) + moment.seconds - moment.offset;
}

std::string ExampleOf(const MomentForm& form) {
  if (form.kind == Kind::kTime) return "10:15:00";
  const std::string date = form.order == Order::kYearFirst  ? "2024-01-31"
                           : form.order == Order::kDayFirst ? "31/1/2024"
                                                            : "1/31/2024";
  return form.kind == Kind::kDate ? date : date + " 10:15:00";
}

bool LooksLikeMoment(std::string_view text) {
  text = Trim(text);
  if (text.empty() || text.size() > kMaxBytes) return false;
  if (!std::any_of(text.begin(), text.end(), IsDigit)) return false;
  for (const MomentForm& form : kMomentForms) {
    if (ParseMoment(text, form).has_value()) return true;
  }
  if (HasMonthByName(text)) return true;
  // 3/4/24 or 2024-02-30, and what may follow it.
  const bool year_first = text.size() > 4 && IsDigit(text[2]) && IsDigit(text[3]);
  if (TakeDigits(&text, year_first ? 4 : 1, 4) < 0 || !TakeOneOf(&text, "/-")) return false;
  if (TakeDigits(&text, 1, 2) < 0 || !TakeOneOf(&text, "/-")) return false;
  if (TakeDigits(&text, year_first ? 1 : 2, year_first ? 2 : 4) < 0) return false;
  return text.empty() || text.front() == ' ' || text.front() == 'T';
}

std::size_t MomentWidth(const MomentForm& form) {
  return form.kind == Kind::kTime ? 2 : form.kind == Kind::kDate ? 5 : 7;
}

void AppendMoment(const Moment& moment, const MomentForm& form, std::vector<double>* out) {
  const double part_of_day = moment.seconds / kSecondsOfDay;
  if (form.kind != Kind::kTime) {
    out->push_back(static_cast<double>(moment.day) + part_of_day);
    AppendAngle(PartOfYear(moment.day, part_of_day), out);
    // 1970-01-01 was a Thursday.
    const double weekday = static_cast<double>(((moment.day + 3) % 7 + 7) % 7);
    AppendAngle((weekday + part_of_day) / 7, out);
  }
  if (form.kind != Kind::kDate) AppendAngle(part_of_day, out);
}

std::string MomentFeatureName(std::string_view column, const MomentForm& form) {
  return absl::StrCat(std::string(column), ":", std::string(WordOf(form)));
}

std::optional<MomentColumn> MomentColumnOf(std::string_view name, std::size_t width) {
  const std::size_t colon = name.rfind(':');
  if (colon == name.npos || colon == 0) return std::nullopt;
  for (const MomentForm& form : kMomentForms) {
    if (name.substr(colon + 1) != WordOf(form) || width != MomentWidth(form)) continue;
    return MomentColumn{std::string(name.substr(0, colon)), form};
  }
  return std::nullopt;
}

}  // namespace prequel::client
