// The predictive of one number: an output of an example.
#pragma once

#include <cmath>
#include <concepts>

namespace prequel {

// A DistributionType that is of counts is kDiscrete: all mass is on whole numbers, and LogDensity
// is the log of a mass.
template <class D>
concept DistributionType = std::copyable<D> && requires(const D& d, double x) {
  { D::kDiscrete } -> std::convertible_to<bool>;
  { d.LogDensity(x) } -> std::same_as<double>;
  { d.Cdf(x) } -> std::same_as<double>;       // P(Y ≤ x)
  { d.Quantile(x) } -> std::same_as<double>;  // least y with P(Y ≤ y) ≥ x; 0 < x < 1
  { d.Crps(x) } -> std::same_as<double>;      // ∫ (Cdf(y) − 1{y ≥ x})² dy
  { d.Mean() } -> std::same_as<double>;
  // The two variances add up to the variance: of not knowing the weights, and of the noise.
  { d.EpistemicVariance() } -> std::same_as<double>;
  { d.AleatoricVariance() } -> std::same_as<double>;
};

// Distribution is any of them, in the units of the targets: location + scale · Y for a Y as the
// model learns it. Queries and scores see this alone.
class Distribution {
 public:
  virtual ~Distribution() = default;

  virtual bool discrete() const = 0;
  virtual double LogDensity(double y) const = 0;
  virtual double Cdf(double y) const = 0;
  virtual double Quantile(double p) const = 0;
  virtual double Crps(double y) const = 0;
  // AddCrps adds share · Crps(y) to `sum`, rounded once where the machine can.
  virtual void AddCrps(double y, double share, double& sum) const = 0;
  virtual double Mean() const = 0;
  // Residual is y − Mean(), without the rounding of a location that is large beside it.
  virtual double Residual(double y) const = 0;
  virtual double EpistemicVariance() const = 0;
  virtual double AleatoricVariance() const = 0;

 protected:
  Distribution() = default;
  Distribution(const Distribution&) = default;
  Distribution& operator=(const Distribution&) = default;
};

template <DistributionType D>
class InUnits final : public Distribution {
 public:
  void Assign(const D& d, double location, double scale) {
    d_ = d;
    location_ = location;
    scale_ = scale;
  }

  bool discrete() const override { return D::kDiscrete; }
  double LogDensity(double y) const override { return d_.LogDensity(Own(y)) - std::log(scale_); }
  double Cdf(double y) const override { return d_.Cdf(Own(y)); }
  double Quantile(double p) const override { return location_ + scale_ * d_.Quantile(p); }
  double Crps(double y) const override { return scale_ * d_.Crps(Own(y)); }
  void AddCrps(double y, double share, double& sum) const override {
    sum += share * scale_ * d_.Crps(Own(y));
  }
  double Mean() const override { return location_ + scale_ * d_.Mean(); }
  double Residual(double y) const override { return scale_ * (Own(y) - d_.Mean()); }
  double EpistemicVariance() const override { return scale_ * scale_ * d_.EpistemicVariance(); }
  double AleatoricVariance() const override { return scale_ * scale_ * d_.AleatoricVariance(); }

 private:
  double Own(double y) const { return (y - location_) / scale_; }

  D d_;
  double location_ = 0, scale_ = 1;
};

}  // namespace prequel
