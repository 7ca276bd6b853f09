// Words that a table, its practice and the REST side share.

export const PERSON = 0; // seat of who sits at this browser

export const now = () => new Date().toISOString();

export function newWord(bytes) {
  const word = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))));
  return word.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "").replace(/^-/, "_");
}

export const newSeed = () => crypto.getRandomValues(new BigUint64Array(1))[0].toString();

/** What cannot be done at the moment; the page is told why. */
export class NotNow extends Error {
  constructor(sentence, code) {
    super(sentence);
    this.code = code;
  }
}

const discardsOf = ({ discard, discards }) => discards ?? (discard ? [discard] : []);

/** A placement of a message as the core reads it. */
export function wordsOf(message) {
  const words = message.placements.map(([card, row]) => `${card}>${row[0]}`);
  return [...words, ...discardsOf(message).map((card) => `${card}>x`)].join(" ");
}

/** A placement as messages have it. */
export const told = (action) => ({ placements: action.placements, discards: discardsOf(action) });

const ROW_OF_LETTER = { t: "top", m: "middle", b: "bottom" };

/** The same from the core's words. */
export function toldWords(words) {
  const parts = words.split(" ").filter(Boolean).map((part) => part.split(">"));
  return {
    placements: parts.filter(([, place]) => place !== "x").map(([card, place]) => [card, ROW_OF_LETTER[place]]),
    discards: parts.filter(([, place]) => place === "x").map(([card]) => card),
  };
}

/** A decision of the judge with its placements as the page has them, cards by row, instead of words. */
export function toldDecision(decision) {
  const options = decision.options.map((option) => ({ ...option, placement: toldWords(option.placement) }));
  return { ...decision, played: toldWords(decision.played), best: toldWords(decision.best), options };
}

export const NO_GAME = "there is no such session or hand in this browser";

/** What a request is refused with. */
export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** The rules with the time that a clock gives: `share` times what they give, null for any time. */
export function clocked(rules, share) {
  const limit = (seconds) => (share === null ? null : seconds * share);
  return { ...rules, turn_seconds: limit(rules.turn_seconds), fantasyland_seconds: limit(rules.fantasyland_seconds) };
}

/** A search by its name that ends after so many seconds on a slow machine, whatever its budget. */
export function timed(agent, seconds) {
  return /^alphazero:.*sims=[1-9]/.test(agent) || agent.startsWith("pimc") ? `${agent},seconds=${seconds}` : agent;
}
