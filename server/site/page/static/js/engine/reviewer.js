// A worker of its own that looks at finished hands again, so that a table goes on meanwhile.
//
// From the engine: {rules, hand}, a hand as the store keeps it. To the engine: {review} as the server keeps it, told from seat 0, or
// {problem} in a sentence.
import { Refusal } from "./core.js";
import { Engine } from "./engine.js";
import { handLines } from "./games.js";

const starting = Engine.start(new URL(".", import.meta.url));

self.onmessage = async ({ data }) => {
  try {
    postMessage({ review: await reviewed(await starting, data) });
  } catch (error) {
    if (!(error instanceof Refusal)) console.error(error);
    postMessage({ problem: error instanceof Refusal ? error.message : "the hand could not be reviewed in this browser: ask again later" });
  }
};

async function reviewed(engine, { rules, hand }) {
  await engine.prepare("alphazero", rules);
  const lines = handLines(rules, hand);
  const judged = hand.decisions.map(({ think_time_ms: time }, number) => engine.core.ask("judged_decision", number, time < 0 ? 1 : 0, ...lines));
  const told = judged.flatMap(({ decision, luck }) => [JSON.stringify(decision), String(luck)]);
  return engine.core.ask("told_review", 0, judged.length, ...told, ...lines);
}
