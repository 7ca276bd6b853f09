// What the parts of the driver share.
#pragma once

#include <atomic>
#include <cstdio>
#include <functional>

extern std::atomic<int> failures;

void expect(bool fact, const char* what);
// Runs work that may refuse with a sentence; whether it did not.
bool refusable(const std::function<void()>& work);

void ask_the_face_of_the_site();
