// The binary form of the encoders' states.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/archive.h"
#include "core/encoding/encoder.h"
#include "core/encoding/target_encoder.h"

namespace prequel {

template <class A>
void Archive(A& a, Field<A, RunningMoments>& s) {
  a.Value("count", s.count);
  a.Value("mean", s.mean);
  a.Value("m2", s.m2);
  a.Value("far", s.far);
  a.Value("rare", s.rare);
}

// Its values, in slot order.
template <class A>
void Archive(A& a, Field<A, SharedTable>& s) {
  if constexpr (A::kReading) {
    std::vector<std::string> values;
    a.Value("values", values);
    absl::StatusOr<CategoryTable> table = CategoryTable::FromValues(values);
    if (!table.ok()) a.Fail("values", std::string(table.status().message()));
    s = std::make_shared<const CategoryTable>(table.ok() ? *std::move(table) : CategoryTable());
  } else {
    a.Value("values", s->values());
  }
}

template <class A>
void Archive(A& a, Field<A, EncoderState>& s) {
  a.Value("moments", s.moments);
  a.Value("units", s.units);
  a.Value("tables", s.tables);
}

template <class A>
void Archive(A& a, Field<A, TargetState>& s) {
  a.Value("moments", s.moments);
  a.Value("units", s.units);
  a.Value("largest", s.largest);
  a.Value("labels", s.labels);
  a.Value("integers", s.integers);
}

}  // namespace prequel
