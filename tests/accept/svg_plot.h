// A line plot with logarithmic axes, as SVG.
#pragma once

#include <string>
#include <vector>

namespace prequel::accept {

// Points that are not positive are left out: they have no logarithm.
class SvgPlot {
 public:
  SvgPlot(std::string title, std::string x_label, std::string y_label);

  void Line(const std::string& name, const std::vector<double>& x, const std::vector<double>& y);
  // A dashed line across, at y.
  void Level(const std::string& name, double y);

  std::string ToString() const;

 private:
  struct Curve {
    std::string name;
    std::vector<double> x, y;  // logarithms to base 10
  };
  struct Axis {
    double low = 0, high = 1;  // whole decades
    double Place(double value) const { return (value - low) / (high - low); }
  };
  Axis AxisOf(std::vector<double> Curve::*values) const;
  std::string Ticks(const Axis& x, const Axis& y) const;
  std::string Path(const Curve& curve, const Axis& x, const Axis& y) const;

  std::string title_, x_label_, y_label_;
  std::vector<Curve> curves_;
  std::vector<Curve> levels_;  // of one y each
};

}  // namespace prequel::accept
