// Reviews of finished hands, made one by one in the background and kept in this browser; and the rating that follows from them. The
// paths and bodies are the server's.
import { NO_GAME, Refused } from "./common.js";

const [MISSING, EARLIER, PRESENT] = ["missing", "earlier", "present"];

/** What is to be reviewed, and who makes it: whoever waits is served in turn, a hand each. */
class Reviews {
  constructor(engine) {
    this.engine = engine;
    this.asked = new Map(); // what was asked for -> ids of the hands that are still to be reviewed, the first one last
    this.problems = new Map(); // id of a hand -> why it could not be reviewed, in a sentence
    this.current = null;
    this.running = false;
  }

  /** Have the hands reviewed that the present judge has not; `hands` are [id, whose review it has], the first one first. */
  ask(name, hands) {
    const missing = hands.filter(([, whose]) => whose !== PRESENT).map(([id]) => id);
    if (missing.length && !this.asked.has(name)) {
      for (const id of missing) this.problems.delete(id);
      this.asked.set(name, missing.reverse());
      this.work();
    }
    return this.progress(hands);
  }

  progress(hands) {
    const missing = hands.filter(([, whose]) => whose !== PRESENT).map(([id]) => id);
    const waiting = new Set([...this.asked.values()].flat()).add(this.current);
    return {
      hands: hands.length,
      reviewed: hands.length - missing.length,
      earlier: hands.filter(([, whose]) => whose === EARLIER).length,
      running: missing.some((id) => waiting.has(id)),
      problem: missing.map((id) => this.problems.get(id)).find(Boolean) ?? null,
    };
  }

  close() {
    this.asked.clear();
  }

  async work() {
    if (this.running) return;
    this.running = true;
    const worker = new Worker(new URL("reviewer.js", import.meta.url), { type: "module" });
    while (this.asked.size) {
      const [name, hands] = this.asked.entries().next().value;
      this.asked.delete(name);
      this.current = hands.pop();
      if (hands.length) this.asked.set(name, hands); // the others' next hands come first
      try {
        await this.review(worker, this.current);
      } catch (error) {
        console.error(error);
        this.problems.set(this.current, "the hand could not be reviewed in this browser: ask again later");
      }
      this.current = null;
    }
    worker.terminate();
    this.running = false;
  }

  async review(worker, id) {
    const { store } = this.engine;
    const hand = await store.get("hands", id);
    if (!hand) return;
    const { rules } = await store.session(hand.session_id);
    if (whoseOf(this.engine, rules, (await store.get("reviews", id))?.review) === PRESENT) return; // it was asked for twice
    const { review, problem } = await answerOf(worker, { rules, hand });
    if (problem) this.problems.set(id, problem);
    else if (await store.get("hands", id)) await store.put({ reviews: [{ hand_id: id, session_id: hand.session_id, review }] });
  }
}

function answerOf(worker, question) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
    worker.postMessage(question);
  });
}

const reviewsOf = (engine) => (engine.reviews ??= new Reviews(engine));

/** Whose review it is: judges are the same if network and calibration are, however long they think. */
function whoseOf(engine, rules, review) {
  if (review?.version !== engine.review_version) return MISSING;
  const network = engine.networkOf(rules);
  const present = network ? [network.digest, ...(network.calibration.length ? ["calibrated"] : [])] : [];
  return review.judge.split(" ").slice(1).join(" ") === present.join(" ") ? PRESENT : EARLIER;
}

/** A session, or the session of a hand, and the finished hands that are meant. */
async function gameOf(engine, id) {
  const hand = await engine.store.get("hands", id);
  const session = await engine.store.session(hand?.session_id ?? id);
  if (!session || (hand && !hand.result)) throw new Refused(404, NO_GAME);
  return { session, hands: hand ? [hand] : await engine.store.hands(id) };
}

/** Of hands of one session: [id, whose review it has]. */
async function marked(engine, { session, hands }) {
  const kept = keptOf(engine, await engine.store.reviews(session.session_id));
  return hands.map(({ hand_id: id }) => [id, whoseOf(engine, session.rules, kept.get(id))]);
}

/** The reviews that can be read, by hand; one of another version is made again. */
function keptOf(engine, reviews) {
  return new Map(reviews.filter(({ review }) => review.version === engine.review_version).map(({ hand_id: id, review }) => [id, review]));
}

const ownSeat = ({ seats }) => (seats.length ? Math.min(...seats) : 0);

/** A review from the side of a seat. */
function fromSide(core, review, seat, result) {
  if (review.seat === seat) return review;
  const outcome = { points: result.raw_score, next_fantasyland: result.fl_card_count, fouled: result.busted, royalties: result.royalties.map(({ total }) => total) };
  return core.ask("review_from_side", JSON.stringify(review), seat, JSON.stringify(outcome));
}

/** Finished hands of whoever sits at this browser but those of practice, the newest first: {session, hand, review}; no review is null. */
async function ownHands(engine) {
  const rated = (await engine.store.all("sessions")).filter(({ seats, mode }) => seats.length && mode !== "practice");
  const sessions = new Map(rated.map((each) => [each.session_id, each]));
  const kept = keptOf(engine, await engine.store.all("reviews"));
  return (await engine.store.all("hands"))
    .filter(({ result, session_id: id }) => result && sessions.has(id))
    .map((hand) => ({ hand, session: sessions.get(hand.session_id), review: kept.get(hand.hand_id) ?? null }))
    .sort((a, b) => b.session.number - a.session.number || b.hand.hand_number - a.hand.hand_number);
}

const markedOwn = (engine, found) => found.map(({ hand, session, review }) => [hand.hand_id, whoseOf(engine, session.rules, review)]);
const toldOwn = (core, { hand, session, review }) => fromSide(core, review, ownSeat(session), hand.result);

const ok = (body) => ({ status: 200, body });
const begun = (body) => ({ status: 202, body });

export const REVIEWS = {
  "POST reviews/*": async (engine, { id }) => begun(reviewsOf(engine).ask(`game ${id}`, await marked(engine, await gameOf(engine, id)))),

  "GET reviews/*/progress": async (engine, { id }) => ok(reviewsOf(engine).progress(await marked(engine, await gameOf(engine, id)))),

  "GET reviews/*": async (engine, { id, query }) => {
    const { session, hands } = await gameOf(engine, id);
    const seat = Number(query.get("seat") ?? ownSeat(session));
    const kept = keptOf(engine, await engine.store.reviews(session.session_id));
    const reviews = hands.map(({ hand_id: hand, hand_number, result }) => {
      const review = kept.has(hand) ? fromSide(engine.core, kept.get(hand), seat, result) : null;
      const positions = (review?.decisions ?? []).map(({ information }) => engine.core.ask("position_body", information));
      return { hand, hand_number, review, positions };
    });
    const whole = reviews.length > 0 && reviews.every(({ review }) => review);
    const account = whole ? engine.core.ask("session_account", ...reviews.map(({ review }) => JSON.stringify(review))) : null;
    const progress = reviewsOf(engine).progress(await marked(engine, { session, hands }));
    return ok({ seat, reviews, account, progress });
  },

  "POST rating": async (engine) => begun(reviewsOf(engine).ask("player", markedOwn(engine, await ownHands(engine)))),

  "GET rating": async (engine) => {
    const found = await ownHands(engine);
    const newest = found.slice(0, engine.most_rated).filter(({ review }) => review);
    const reviews = newest.reverse().map((each) => JSON.stringify(toldOwn(engine.core, each)));
    const levels = Object.entries(engine.level_loss);
    const { rating, statistics } = engine.core.ask("rate", levels.length, ...levels.flat(), ...reviews);
    const progress = reviewsOf(engine).progress(markedOwn(engine, found));
    return ok({ rated: reviews.length, rating: { ...rating, levels: engine.level_loss }, statistics, progress });
  },

  /** How far the reviews are, or all of them as JSONL. */
  "GET rating/*": async (engine, { id }) => {
    const found = await ownHands(engine);
    if (id === "progress") return ok(reviewsOf(engine).progress(markedOwn(engine, found)));
    if (id !== "export") throw new Refused(404, `there is no rating/${id}: use progress or export`);
    const lines = found.filter(({ review }) => review).map((each) => {
      const { hand_id, session_id, hand_number, started_at } = each.hand;
      return `${JSON.stringify({ hand_id, session_id, hand_number, started_at, review: toldOwn(engine.core, each) })}\n`;
    });
    return { status: 200, text: lines.join("") };
  },
};
