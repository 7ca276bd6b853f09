// The REST side of drills: a question, what an answer is worth, mistakes that come back, and the progress. Questions, judging and
// the intervals are the core's; what was answered is kept in this browser.
import { NO_GAME, now, Refused, toldDecision, toldWords, wordsOf } from "./common.js";
import { replay } from "./games.js";

const MISTAKE = "mistake";
const SEED_BITS = 48;
const NO_MISTAKE = "there is no such mistake of yours: ask for the next one";
const NO_DRILL = "there is no such drill: ask for the next one";
const MINUTE = 60_000;

const ok = (body) => ({ status: 200, body });
const newSeed = () => crypto.getRandomValues(new BigUint64Array(1))[0] >> BigInt(64 - SEED_BITS);
const later = (minutes) => new Date(Date.now() + minutes * MINUTE).toISOString();
/** What has waited longest first. */
const byDue = (a, b) => (a.due_at < b.due_at ? -1 : a.due_at > b.due_at ? 1 : a.id - b.id);
const scheduled = ({ id, box, due_at }) => ({ id: `${MISTAKE}-${id}`, box, due_at });

/** The question of an id, with the mistake that it comes from: {drill, back}. */
async function asked(engine, name) {
  const [, kind, number] = /^([a-z]+)-(\d{1,18})$/.exec(name ?? "") ?? [];
  if (!kind) throw new Refused(404, NO_DRILL);
  if (kind !== MISTAKE) return { drill: engine.core.ask("drill", kind, number, engine.rules), back: null };
  const back = await engine.store.get("drill_mistakes", Number(number));
  if (!back) throw new Refused(404, NO_MISTAKE);
  return { drill: engine.core.ask("mistake", back.information), back };
}

/** A drill as the page is shown it. */
function question(id, { information, ...drill }) {
  return { id, ...drill, placement: drill.placement && toldWords(drill.placement) };
}

async function waiting(engine) {
  const dues = (await engine.store.all("drill_mistakes")).map(({ due_at }) => due_at).sort();
  const left = dues.filter((due) => due > now());
  return { mistakes: dues.length, due: dues.length - left.length, next_due: left[0] ?? null };
}

async function days(engine) {
  return engine.store.all("drill_days"); // in the order of their keys: day, then kind
}

/** Let a position come back; one that is there already begins anew. Null if there are as many as a player may have. */
async function addMistake(engine, ask, mistake, due_at) {
  const all = await ask("drill_mistakes", "getAll");
  const known = all.find(({ information }) => information === mistake.information);
  if (!known && all.length >= engine.most_mistakes) return null;
  const made = known ? { ...known, played: mistake.played, box: 0, due_at } : { ...mistake, added_at: now(), box: 0, due_at, answered: 0, correct: 0 };
  return { ...made, id: await ask("drill_mistakes", "put", made) };
}

/** When the position of an answer comes back; null if it does not. */
async function schedule(engine, ask, drill, back, judged, words) {
  const [box, minutes] = engine.core.ask("rest", back?.box ?? 0, Number(judged.right));
  if (back) {
    if (back.due_at > now()) return scheduled(back); // answered before its time, or twice: that proves nothing
    const moved = { ...back, box, due_at: later(minutes), answered: back.answered + 1, correct: back.correct + Number(judged.right) };
    await ask("drill_mistakes", "put", moved);
    return scheduled(moved);
  }
  if (!judged.comes_back) return null;
  const { information, kind } = drill;
  const made = await addMistake(engine, ask, { information, played: words, source: kind, link: null }, later(minutes));
  return made && scheduled(made);
}

/** Count an answer, and say when its position comes back. */
function keep(engine, drill, judged, words, think_time_ms) {
  return engine.store.change(["drill_days", "drill_mistakes"], async (ask) => {
    const day = now().slice(0, 10);
    const { kind } = drill;
    const before = (await ask("drill_days", "get", [day, kind])) ?? { day, kind, answered: 0, correct: 0, lost: 0, think_time_ms: 0 };
    await ask("drill_days", "put", {
      ...before,
      answered: before.answered + 1,
      correct: before.correct + Number(judged.right),
      lost: before.lost + (judged.cost ?? judged.foul?.off ?? 0),
      think_time_ms: before.think_time_ms + (think_time_ms ?? 0),
    });
    const back = drill.mistake === null ? null : await ask("drill_mistakes", "get", drill.mistake);
    return schedule(engine, ask, drill, back ?? null, judged, words);
  });
}

export const DRILLS = {
  "GET drills": async (engine) => ok({ days: await days(engine), ...(await waiting(engine)) }),

  "GET drills/next": async (engine, { query }) => {
    const { due, next_due } = await waiting(engine);
    const kind = query.get("kind");
    let id = `${kind}-${query.get("seed") ?? newSeed()}`;
    if (kind === MISTAKE) {
      const first = (await engine.store.all("drill_mistakes")).filter(({ due_at }) => due_at <= now()).sort(byDue)[0];
      if (!first) return ok({ drill: null, due, next_due });
      id = `${MISTAKE}-${first.id}`;
    }
    const { drill } = await asked(engine, id);
    return ok({ drill: question(id, drill), due, next_due });
  },

  "POST drills/answers": async (engine, { body }) => {
    const { drill, back } = await asked(engine, body.id);
    const words = body.placements ? wordsOf({ placements: body.placements, discards: body.discards ?? [] }) : "";
    const judged = await engine.judged("judge_drill", drill.rules, drill.information, drill.placement ?? "", words, body.band ?? "");
    const mistake = await keep(engine, { ...drill, mistake: back?.id ?? null }, judged, words, body.think_time_ms);
    const { right, cost, foul, decision } = judged;
    return ok({ right, cost, decision: toldDecision(decision), foul, played: back && toldWords(back.played), mistake });
  },

  "POST drills/mistakes": async (engine, { body }) => {
    const hand = await engine.store.get("hands", body.hand);
    if (!hand?.result) throw new Refused(404, NO_GAME);
    const { steps } = replay(engine.core, (await engine.store.session(hand.session_id)).rules, hand);
    const step = steps[body.decision];
    if (!step) throw new Refused(422, `the hand has no decision ${body.decision}: its decisions are 0 to ${steps.length - 1}`);
    const mistake = { information: step.information, played: hand.decisions[body.decision].placement, source: "hand", link: hand.hand_id };
    const made = await engine.store.change(["drill_mistakes"], (ask) => addMistake(engine, ask, mistake, now()));
    if (!made) throw new Refused(422, `${engine.most_mistakes} mistakes are enough: drop some of them before adding others`);
    return { status: 201, body: scheduled(made) };
  },

  "DELETE drills/mistakes": async (engine, { name }) => {
    const { back } = await asked(engine, name);
    if (!back) throw new Refused(404, NO_MISTAKE);
    await engine.store.remove("drill_mistakes", back.id);
    return { status: 204 };
  },

  "GET drills/export": async (engine) => {
    const mistakes = await engine.store.all("drill_mistakes");
    mistakes.sort(byDue);
    return ok({ days: await days(engine), mistakes });
  },
};
