// What was played in this browser: as the page's history shows it, and as lines of JSONL, out and in (docs/data.md).
import { wordsOf } from "./common.js";
import { Refusal } from "./core.js";

const NOT_SHARED = { by_you: false, by_other: false };

/** A session and its finished hands, as GET /api/sessions/{id} has it. */
export function sessionBody(session, hands) {
  const { session_id, names, levels, seats, rules, mode, started_at, ended_at, winner, reason, final_chips } = session;
  return { link: session_id, names, levels, seats, rules, practice: mode === "practice", started_at, ended_at, winner, reason, final_chips, shared: NOT_SHARED, hands: hands.map(handSummary) };
}

function handSummary({ hand_id, hand_number, fantasyland, result }) {
  return { link: hand_id, hand_number, points: result.actual_score, busted: result.busted, fantasyland, shared: NOT_SHARED };
}

/** A hand decision by decision, as GET /api/hands/{id} has it. */
export function handBody(core, session, hands, hand) {
  const place = hands.findIndex(({ hand_id }) => hand_id === hand.hand_id);
  const { steps } = replay(core, session.rules, hand);
  const shown = steps.map(({ all_discards, discard, information, ...step }, index) => ({ ...step, discards: all_discards, think_time_ms: hand.decisions[index].think_time_ms }));
  return {
    ...handSummary(hand),
    session: session.session_id,
    previous: hands[place - 1]?.hand_id ?? null,
    next: hands[place + 1]?.hand_id ?? null,
    names: session.names,
    levels: session.levels,
    seats: session.seats,
    btn: hand.button,
    chips: hand.chips,
    started_at: hand.started_at,
    ended_at: hand.ended_at,
    steps: shown,
    result: hand.result,
    evaluations: shown.at(-1).evaluations,
    rules: core.ask("rules", session.rules),
  };
}

/** A finished hand as the core reads it. */
export function handLines(rules, { button, chips, fantasyland, decisions }) {
  const turns = decisions.flatMap(({ line, placement }) => [line.dealt_cards.join(" "), placement]);
  return [rules, button, ...chips, ...fantasyland, ...turns];
}

/** The same played again, decision by decision. */
export function replay(core, rules, hand) {
  return core.ask("replay", ...handLines(rules, hand));
}

/** Every turn and fantasyland setting of the finished hands, one JSON object a line; those of practice say so. */
export async function exportLines(store) {
  const lines = [];
  for (const { session_id, names, rules, mode } of await store.all("sessions"))
    for (const { hand_id, hand_number, decisions } of await store.hands(session_id))
      for (const { line, seat, fantasyland, think_time_ms, timestamp } of decisions) {
        const { turn, ...rest } = line;
        const setting = fantasyland ? { fantasyland } : {};
        const practice = mode === "practice" ? { practice: true } : {};
        const played = { session_id, hand_id, hand_number, turn: fantasyland ? null : turn, player: names[seat], ...rest };
        lines.push(`${JSON.stringify({ ...played, think_time_ms, timestamp, rules, ...setting, ...practice })}\n`);
      }
  return lines.join("");
}

/**
 * Take in lines of an export: {sessions, hands, known, left_out}. Every hand is played again by the core; one that is not
 * there whole is left out. So are hands with a fantasyland of an older export, which does not have their settings.
 */
export async function importLines(engine, text) {
  const found = { sessions: 0, hands: 0, known: 0, left_out: 0 };
  const sessions = new Map();
  for (const written of text.split("\n").filter((line) => line.trim())) {
    const line = parsed(written);
    const hands = sessions.get(line.session_id) ?? sessions.set(line.session_id, new Map()).get(line.session_id);
    if (!hands.has(line.hand_id)) hands.set(line.hand_id, []);
    hands.get(line.hand_id).push(line);
  }
  for (const [id, hands] of sessions) {
    const taken = [];
    for (const lines of hands.values()) {
      if (await engine.store.get("hands", lines[0].hand_id)) found.known += 1;
      else {
        const hand = handOf(engine.core, lines);
        if (hand) taken.push(hand);
        else found.left_out += 1;
      }
    }
    if (!taken.length) continue;
    const known = await engine.store.session(id);
    await engine.store.put({ sessions: known ? [] : [sessionOf(engine, id, [...hands.values()].flat())], hands: taken });
    found.sessions += known ? 0 : 1;
    found.hands += taken.length;
  }
  return found;
}

function parsed(text) {
  let line;
  try {
    line = JSON.parse(text);
  } catch {
    line = null;
  }
  if (typeof line?.session_id !== "string" || typeof line.hand_id !== "string" || !Array.isArray(line.dealt_cards) || !Array.isArray(line.action?.placements))
    throw new Refusal(`this is not a line of an export: ${text.slice(0, 60)}`);
  return line;
}

const seatOf = ({ btn, is_btn }) => (is_btn ? btn : 1 - btn);

/** The hand of its lines, played again; null if they do not make a whole one. */
function handOf(core, lines) {
  const [{ session_id, hand_id, hand_number, btn, chips, timestamp, rules }] = lines;
  const widths = [0, 0];
  const decisions = lines.map(({ player, think_time_ms, timestamp: at, session_id: s, hand_id: h, hand_number: n, rules: r, fantasyland = 0, practice, ...line }) => {
    const seat = seatOf(line);
    widths[seat] = fantasyland;
    return { placement: wordsOf(line.action), line, fantasyland, seat, think_time_ms, timestamp: at };
  });
  const hand = { session_id, hand_id, hand_number, button: btn, chips, fantasyland: widths, started_at: timestamp, ended_at: lines.at(-1).timestamp, decisions };
  try {
    const { finished, result } = replay(core, rules ?? "house", hand);
    return finished ? { ...hand, result } : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function sessionOf(engine, session_id, lines) {
  const names = [0, 1].map((seat) => lines.find((line) => seatOf(line) === seat)?.player ?? "");
  const levels = names.map((name) => Object.keys(engine.levels).find((level) => engine.levels[level][0] === name) ?? null);
  return {
    session_id,
    names,
    levels,
    mode: lines[0].practice ? "practice" : "ai",
    seats: levels.flatMap((level, seat) => (level === null ? [seat] : [])),
    rules: lines[0].rules ?? "house",
    started_at: lines[0].timestamp,
    ended_at: lines.at(-1).timestamp,
    winner: null,
    reason: null,
    final_chips: null,
  };
}
