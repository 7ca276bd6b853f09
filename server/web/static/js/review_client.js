// Reviews as the server makes them: asked for, waited for, read.
import { ask } from "./api.js";

const PAUSE = 700; // milliseconds between two questions how far it is
const ROW_OF_LETTER = { t: "top", m: "middle", b: "bottom" };

const pathOf = (game) => `/api/reviews/${encodeURIComponent(game)}`;

/** What there is of the reviews of a session or hand, from one's own side. */
export function reviewsOf(game) {
  return ask("GET", pathOf(game));
}

/** Have a session or hand reviewed, and read what was said of it; null if `stopped()` before the end. */
export async function makeReviews(game, onProgress, stopped) {
  await follow(pathOf(game), onProgress, stopped);
  return stopped() ? null : reviewsOf(game);
}

/** Begin reviews at a path, and tell how far they are until none is under way or `stopped()` says that nobody waits. */
export async function follow(path, onProgress, stopped) {
  for (let progress = await ask("POST", path); !stopped(); progress = await ask("GET", `${path}/progress`)) {
    onProgress(progress);
    if (!progress.running) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** A placement as a step of a hand has it, from its text: "Ah>t Kd>b 2c>x". */
export function readPlacement(text) {
  const parts = text.split(" ").map((part) => part.split(">"));
  return {
    placements: parts.filter(([, place]) => place !== "x").map(([card, place]) => [card, ROW_OF_LETTER[place]]),
    discards: parts.filter(([, place]) => place === "x").map(([card]) => card),
  };
}

/** Give a decision to the drills, to come back until it sticks; `hand` is its link or id. */
export function practise(hand, decision) {
  return ask("POST", "/api/drills/mistakes", { hand, decision });
}
