// What the sanitizers are told, however a test is started. They look these functions up by name.

extern "C" const char* __asan_default_options() {
  return "detect_stack_use_after_return=1:strict_string_checks=1";
}

extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

extern "C" const char* __tsan_default_options() {
  return "second_deadlock_stack=1:suppressions=" PREQUEL_TSAN_SUPPRESSIONS;
}
