// What a caller may do.
#pragma once

#include <optional>
#include <string_view>

namespace prequel {

// Each of read, learn and admin may do what those before it may; metrics is apart.
enum class Role {
  kMetrics,  // see the metrics, and nothing else
  kRead,     // look at models and ask them
  kLearn,    // teach them
  kAdmin,    // make, copy, turn back and delete them; see the metrics
};

inline std::optional<Role> RoleNamed(std::string_view name) {
  if (name == "metrics") return Role::kMetrics;
  if (name == "read") return Role::kRead;
  if (name == "learn") return Role::kLearn;
  if (name == "admin") return Role::kAdmin;
  return std::nullopt;
}

inline std::string_view NameOf(Role role) {
  switch (role) {
    case Role::kMetrics:
      return "metrics";
    case Role::kRead:
      return "read";
    case Role::kLearn:
      return "learn";
    case Role::kAdmin:
      break;
  }
  return "admin";
}

// Whether whoever has `role` may do what needs `needed`.
inline bool Includes(Role role, Role needed) {
  if (role == Role::kMetrics || needed == Role::kMetrics) {
    return role == needed || role == Role::kAdmin;
  }
  return role >= needed;
}

// RoleFor is the role that a method takes, "Learn" for example; admin for a method that is not
// known.
Role RoleFor(std::string_view method);

}  // namespace prequel
