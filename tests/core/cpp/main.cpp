// Runs every test, or those whose names are given; the exit code says whether all held.
#include <algorithm>
#include <string_view>

#include "check.hpp"

int main(int count, char** arguments) {
  for (const Test& test : tests()) {
    const auto wanted = [&](const char* name) { return std::string_view(name) == test.name; };
    if (count > 1 && std::none_of(arguments + 1, arguments + count, wanted)) continue;
    const int before = failures;
    test.run();
    std::printf("%s %s\n", failures == before ? "ok  " : "FAIL", test.name);
  }
  return failures > 0;
}
