// Work of one decision on several threads.
#pragma once

#if !defined(__wasm__)
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#endif

#include "game/poll.hpp"

namespace ofc {

#if defined(__wasm__)
// It has no threads, and no work depends on them.
template <class Work>
void spread(int count, int, Work&& work) {
    for (int i = 0; i < count; ++i) work(i);
}
#else

// Calls work(0), ..., work(count - 1), on the calling thread and on `threads` - 1 others. Where a call throws, no other
// begins, those under way end at their next poll(), and the exception comes out here. Only the calling thread asks
// whether to stop at all.
template <class Work>
void spread(int count, int threads, Work&& work) {
    threads = std::min(threads, count);
    if (threads <= 1) {
        for (int i = 0; i < count; ++i) work(i);
        return;
    }
    struct Stopped {};
    std::atomic<int> next{0}, running{threads - 1};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable ended;
    const auto guarded = [&](auto&& step) {
        try {
            step();
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            stop = true;
        }
    };
    const auto work_on = [&] {
        for (int i = next++; i < count && !stop; i = next++) work(i);
    };
    static thread_local const std::atomic<bool>* told_to_stop = nullptr;
    {
        std::vector<std::jthread> helpers;
        for (int i = 1; i < threads; ++i)
            helpers.emplace_back([&] {
                told_to_stop = &stop;
                poll_hook = [] {
                    if (*told_to_stop) throw Stopped{};
                };
                guarded(work_on);
                const std::lock_guard lock(mutex);
                --running;
                ended.notify_one();
            });
        guarded(work_on);
        while (running) {
            guarded([] { poll(); });
            std::unique_lock lock(mutex);
            ended.wait_for(lock, std::chrono::milliseconds(20), [&] { return !running; });
        }
    }
    if (failure) std::rethrow_exception(failure);
}
#endif

}  // namespace ofc
