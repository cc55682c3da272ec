#include "tests/accept/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"

namespace prequel::accept {
namespace {

constexpr double kWidth = 720, kHeight = 440;                       // of the picture
constexpr double kLeft = 70, kTop = 40, kInner = 480, kTall = 340;  // of the frame in it
// Distinguishable with deficient colour vision (Okabe and Ito 2008).
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#E69F00", "#56B4E9", "#000000"};

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
                         text);
}

std::string Segment(double x1, double y1, double x2, double y2, const char* stroke) {
  return absl::StrFormat("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
                         x1, y1, x2, y2, stroke);
}

}  // namespace

SvgPlot::SvgPlot(std::string title, std::string x_label, std::string y_label)
    : title_(std::move(title)), x_label_(std::move(x_label)), y_label_(std::move(y_label)) {}

void SvgPlot::Line(const std::string& name, const std::vector<double>& x,
                   const std::vector<double>& y) {
  Curve curve{name, {}, {}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0 && y[i] > 0)) continue;
    curve.x.push_back(std::log10(x[i]));
    curve.y.push_back(std::log10(y[i]));
  }
  curves_.push_back(std::move(curve));
}

void SvgPlot::Level(const std::string& name, double y) {
  levels_.push_back({name, {}, {std::log10(y)}});
}

SvgPlot::Axis SvgPlot::AxisOf(std::vector<double> Curve::*values) const {
  double low = 1e300, high = -1e300;
  for (const std::vector<Curve>* some : {&curves_, &levels_}) {
    for (const Curve& curve : *some) {
      for (const double value : curve.*values) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
  }
  if (low > high) return {};
  return {std::floor(low), std::max(std::ceil(high), std::floor(low) + 1)};
}

std::string SvgPlot::Ticks(const Axis& x, const Axis& y) const {
  std::string out;
  for (double tick = x.low; tick <= x.high; ++tick) {
    const double at = kLeft + kInner * x.Place(tick);
    out += Segment(at, kTop, at, kTop + kTall, "#ddd");
    out += Text(at, kTop + kTall + 18, "middle", absl::StrFormat("%g", std::pow(10, tick)));
  }
  for (double tick = y.low; tick <= y.high; ++tick) {
    const double at = kTop + kTall * (1 - y.Place(tick));
    out += Segment(kLeft, at, kLeft + kInner, at, "#ddd");
    out += Text(kLeft - 6, at + 4, "end", absl::StrFormat("%g", std::pow(10, tick)));
  }
  return out;
}

std::string SvgPlot::Path(const Curve& curve, const Axis& x, const Axis& y) const {
  std::string points;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    points += absl::StrFormat("%.1f,%.1f ", kLeft + kInner * x.Place(curve.x[i]),
                              kTop + kTall * (1 - y.Place(curve.y[i])));
  }
  return points;
}

std::string SvgPlot::ToString() const {
  const Axis x = AxisOf(&Curve::x), y = AxisOf(&Curve::y);
  std::string out = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
      "fill=\"white\"/>\n",
      kWidth, kHeight);
  out += Ticks(x, y);
  out += Text(kLeft + kInner / 2, kTop - 16, "middle", title_);
  out += Text(kLeft + kInner / 2, kTop + kTall + 40, "middle", x_label_);
  out += absl::StrFormat("<g transform=\"translate(16 %.0f) rotate(-90)\">", kTop + kTall / 2) +
         Text(0, 0, "middle", y_label_) + "</g>\n";
  double key = kTop + 10;
  for (std::size_t i = 0; i < curves_.size(); ++i, key += 20) {
    const char* colour = kColours[i % std::size(kColours)];
    out += absl::StrFormat(
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"%s\"/>\n", colour,
        Path(curves_[i], x, y));
    out += Segment(kLeft + kInner + 12, key - 4, kLeft + kInner + 36, key - 4, colour);
    out += Text(kLeft + kInner + 42, key, "start", curves_[i].name);
  }
  for (const Curve& level : levels_) {
    const double at = kTop + kTall * (1 - y.Place(level.y[0]));
    out += absl::StrFormat("<g stroke-dasharray=\"5 4\">%s</g>\n",
                           Segment(kLeft, at, kLeft + kInner, at, "#444"));
    out += Text(kLeft + kInner + 6, at + 4, "start", level.name);
  }
  return out + "</svg>\n";
}

}  // namespace prequel::accept
