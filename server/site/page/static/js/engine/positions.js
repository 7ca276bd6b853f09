// The REST side of the position editor: a text becomes a position, and a position is judged.
import { toldDecision } from "./common.js";
import { Refusal } from "./core.js";

const PLACES = ["top", "middle", "bottom", "opponent_top", "opponent_middle", "opponent_bottom", "hand", "discards"];

const line = (text) => String(text ?? "").replace(/[\r\n]+/g, " ");

/** What the core makes of a position: {position, information, turn, button}; Refusal for one that play cannot reach. */
function known(engine, position) {
  const cards = PLACES.map((place) => line(Array.isArray(position[place]) ? position[place].join(" ") : position[place]));
  const button = position.button === null || position.button === undefined ? "" : Number(position.button);
  return engine.core.ask(
    "given_position", position.rules ?? engine.rules, ...cards, button, position.chips ?? "", position.opponent_chips ?? "", position.opponent_fantasyland ?? 0,
  );
}

export const POSITIONS = {
  "POST positions": async (engine, { body }) => {
    const written = engine.core.ask("read_position", engine.rules, body.text ?? "");
    let problem = null;
    try {
      known(engine, written.position);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem = error.message;
    }
    return { status: 200, body: { ...written, problem } };
  },

  "POST analyse": async (engine, { body }) => {
    const { information, ...rest } = known(engine, body);
    const decision = await engine.judged("analyse", rest.position.rules, information, line(body.played));
    return { status: 200, body: { ...rest, decision: toldDecision(decision) } };
  },
};
