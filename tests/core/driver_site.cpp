// The face that the core shows to WebAssembly, compiled for this machine: questions of a session, and nonsense.
#include <string>
#include <vector>

#include "driver.hpp"
#include "game/random.hpp"
#include "network/features.hpp"

extern "C" {
char* input(int size);
float* floats(int count);
const char* ask(int size);
int answer_size();
}

namespace {

using ofc::Rng;

std::string answer_to(const std::vector<std::string>& words) {
    std::string question;
    for (const std::string& word : words) question += (question.empty() ? "" : "\n") + word;
    question.copy(input(static_cast<int>(question.size())), question.size());
    const char* text = ask(static_cast<int>(question.size()));
    return {text, static_cast<std::size_t>(answer_size())};
}

std::string unquoted(const std::string& text) { return text.substr(1, text.size() - 2); }

// The numbers of a small network, and the question that hands it over.
std::vector<std::string> network_question(const std::string& rules, Rng& rng) {
    constexpr int kHidden = 64, kSecond = 16, kHeads = 5;
    const int sizes[]{kHidden * ofc::kFeatures, kHidden, kSecond * kHidden, kSecond, kHeads * kSecond, kHeads};
    std::vector<std::string> words{"network", rules, "equity"};
    int count = 0;
    for (const int size : sizes) {
        words.push_back(std::to_string(size));
        count += size;
    }
    float* numbers = floats(count);
    for (int i = 0; i < count; ++i) numbers[i] = static_cast<float>(rng.uniform() - 0.5);
    return words;
}

void play_session(const std::string& rules, const std::string& player, Rng& rng) {
    const std::string at = answer_to({"open", std::to_string(rng.next()), rules});
    for (int turn = 0; turn < 24; ++turn) {
        if (answer_to({"view", at, "0"}).find("\"finished\":true") != std::string::npos) break;
        for (const char* viewer : {"-1", "1"}) answer_to({"view", at, viewer});
        const std::string information = unquoted(answer_to({"information", at}));
        const std::string seed = std::to_string(turn);
        refusable([&] { answer_to({"rank", information, player, seed}); });
        if (turn == 0) refusable([&] { answer_to({"hint", information}); });  // a review's effort, so once
        std::string placement = unquoted(answer_to({turn % 2 ? "automatic" : "choose", at, player, seed}));
        if (turn == 1) refusable([&] { answer_to({"chances", information, placement}); });
        answer_to({"place", at, placement});
    }
    answer_to({"close", at});
}

}  // namespace

void ask_the_face_of_the_site() {
    Rng rng(19);
    const std::string rules = "house";
    answer_to(network_question(rules, rng));
    for (const char* player :
         {"random", "heuristic:careless=0.4,temperature=0.6", "pimc:rollouts=20", "alphazero:sims=8"})
        play_session(rules, player, rng);
    answer_to({"evaluate", rules, "Qs Qh", "2c 3d", "X1"});
    answer_to({"solve", rules, "Ah Kd 2c 3c 4c 5c 6c 7d 8d 9d Td Js Qs Kh"});
    const char* names[]{"rules",  "same_hand", "presets",   "evaluate", "solve",       "open", "close",
                        "view",   "place",     "automatic", "choose",   "can_play",    "rank", "network",
                        "replay", "playouts",  "chances",   "hint",     "information", "none"};
    const char* parts[]{"house",
                        "standard",
                        "0",
                        "1",
                        "-1",
                        "99999999999999999999",
                        "",
                        "Ah Kd",
                        "Ah>t",
                        "X1 X1",
                        "heuristic",
                        "turn=0 hand=Ah,Kd,7c,7s,2h button=on chips=200 opponent_chips=200",
                        "alphazero:sims=x",
                        "\xff="};
    int refused = 0;
    for (int number = 0; number < 4000; ++number) {
        std::vector<std::string> words{names[rng.below(std::size(names))]};
        for (std::uint32_t n = rng.below(6); n > 0; --n) words.emplace_back(parts[rng.below(std::size(parts))]);
        refused += !refusable([&] { answer_to(words); });
    }
    expect(0 < refused && refused < 4000, "some nonsense is refused");
}
