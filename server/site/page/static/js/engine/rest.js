// The REST side of the table in this browser: the same paths and bodies as the server's (docs/server.md), as far as they need none.
import { newWord, NO_GAME, Refused } from "./common.js";
import { Refusal } from "./core.js";
import { DRILLS } from "./drills.js";
import { exportLines, handBody, importLines, sessionBody } from "./games.js";
import { OPENINGS } from "./openings.js";
import { POSITIONS } from "./positions.js";
import { REVIEWS } from "./reviews.js";
import { Room } from "./room.js";
import { whyNot } from "./store.js";

const SESSIONS_A_PAGE = 20;
const MODES = ["ai", "practice", "watch"];
const UNCLOCKED = ["practice", "watch"]; // nobody is pressed there

const NEEDS_SERVER = "this needs a server: here you play against the machine in your own browser";

/** The answer to a request: {status, body} with data, or {status, text}. */
export async function answerRequest(engine, method, path, body) {
  const url = new URL(path, "http://site");
  const parts = url.pathname.split("/").filter(Boolean).slice(1).map(decodeURIComponent);
  const route = TRAINING[`${method} ${parts.slice(0, 2).join("/")}`] ?? ROUTES[`${method} ${parts[0]}${parts[1] === undefined ? "" : "/*"}${parts[2] === undefined ? "" : `/${parts[2]}`}`];
  try {
    if (!route) throw new Refused(501, NEEDS_SERVER);
    return await route(engine, { id: parts[1], name: parts[2], query: url.searchParams, body: body ?? {} });
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, body: { detail: error.message } };
    if (error instanceof Refusal) return { status: 422, body: { detail: error.message } };
    console.error(error);
    return { status: 500, body: { detail: whyNot(error).sentence } };
  }
}

const ok = (body) => ({ status: 200, body });
const cards = (names) => (names ?? []).join(" ");

async function roomOf(engine, id) {
  const room = await engine.room(id);
  if (!room) throw new Refused(404, "there is no such room in this browser: it may have been closed");
  return room;
}

async function rulesOf(engine, room) {
  return room ? (await roomOf(engine, room)).body.rules : engine.rules;
}

const TRAINING = { ...DRILLS, ...POSITIONS, ...OPENINGS };

const ROUTES = {
  ...REVIEWS,

  "GET levels": async (engine) => {
    const names = Object.keys(engine.levels);
    const levels = names.map((name) => ({ name, agent: engine.levels[name][0] }));
    return ok({ levels, default: engine.level, agents: [] });
  },

  "GET rules": async (engine) => ok({ rules: engine.core.ask("presets").map((name) => engine.core.ask("rules", name)), default: engine.rules }),

  "GET rooms": async (engine) => {
    const bodies = await engine.store.all("rooms");
    const rooms = await Promise.all(bodies.map(({ id }) => engine.room(id)));
    return ok({ rooms: rooms.map((room) => room.summary()).sort((a, b) => b.created - a.created) });
  },

  "GET rooms/*": async (engine, { id }) => ok((await roomOf(engine, id)).summary()),

  "POST rooms/*/join": async () => {
    throw new Refused(409, "this room has no free seat: open one of your own");
  },

  "POST rooms": async (engine, { body }) => {
    const mode = body.mode ?? "ai";
    verifyOptions(engine, mode, body);
    const watched = mode === "watch";
    const { text: rules } = engine.core.ask("rules", body.rules ?? engine.rules);
    const person = { name: (body.name ?? "").trim().slice(0, engine.longest_name) || "Player 1", level: null, agent: null };
    const seats = [watched ? await machine(engine, body.level, rules) : person, await machine(engine, body.opponent_level ?? body.level, rules)];
    const made = {
      id: newWord(8),
      created: Date.now() / 1000,
      mode,
      clock: body.clock ?? (UNCLOCKED.includes(mode) ? "none" : "standard"),
      levels: seats.map(({ level }) => level),
      agents: seats.map(({ agent }) => agent),
      names: seats.map(({ name }) => name),
      rules,
      token: watched ? null : newWord(24),
      game: null,
    };
    if (body.seed !== undefined) made.seed = String(body.seed);
    // One table at a time to play at, and one to watch: the one before can be seen again in the history.
    for (const old of await engine.store.all("rooms")) if ((old.mode === "watch") === watched) await closeRoom(engine, old.id);
    await engine.store.put({ rooms: [made] });
    const room = new Room(engine, made);
    engine.rooms.set(made.id, room);
    const seat = watched ? { player_id: null, token: null, seat: null } : { player_id: "p0", token: made.token, seat: 0 };
    return { status: 201, body: { room_id: made.id, ...seat, ws_path: `/ws/${made.id}`, room: room.summary() } };
  },

  "POST evaluate": async (engine, { body }) =>
    ok(engine.core.ask("evaluate", await rulesOf(engine, body.room), cards(body.top), cards(body.middle), cards(body.bottom))),

  "POST solve": async (engine, { body }) => ok(engine.core.ask("solve", await rulesOf(engine, body.room), cards(body.cards))),

  "GET player": async (engine) => {
    const sessions = await engine.store.all("sessions");
    const hands = (await engine.store.all("hands")).filter(({ result }) => result);
    return ok({ since: sessions[0]?.started_at ?? null, sessions: sessions.length, hands: hands.length });
  },

  "DELETE player": async (engine) => {
    await engine.forget();
    return { status: 204 };
  },

  "GET history": async (engine, { query }) => {
    const before = query.get("before") ? (await engine.store.session(query.get("before")))?.number ?? 0 : Infinity;
    const found = [];
    for (const session of (await engine.store.all("sessions")).reverse()) {
      if (session.number >= before) continue;
      const hands = await engine.store.hands(session.session_id);
      if (hands.length) found.push(sessionBody(session, hands));
      if (found.length > SESSIONS_A_PAGE) break;
    }
    return ok({ sessions: found.slice(0, SESSIONS_A_PAGE), more: found.length > SESSIONS_A_PAGE });
  },

  "GET sessions/*": async (engine, { id }) => {
    const session = await engine.store.session(id);
    if (!session) throw new Refused(404, NO_GAME);
    return ok(sessionBody(session, await engine.store.hands(id)));
  },

  "GET hands/*": async (engine, { id }) => {
    const hand = await engine.store.get("hands", id);
    if (!hand?.result) throw new Refused(404, NO_GAME);
    const session = await engine.store.session(hand.session_id);
    return ok(handBody(engine.core, session, await engine.store.hands(hand.session_id), hand));
  },

  "GET export": async (engine) => ({ status: 200, text: await exportLines(engine.store) }),

  "POST import": async (engine, { body }) => ok(await importLines(engine, body.text ?? "")),
};

/** Refuse what does not go together in a new room. */
function verifyOptions({ clocks }, mode, { clock, opponent_level }) {
  if (mode === "friend") throw new Refused(501, NEEDS_SERVER);
  if (!MODES.includes(mode)) throw new Refused(422, `there is no mode '${mode}': use one of ${MODES.join(", ")}`);
  if (clock !== undefined && !(clock in clocks)) throw new Refused(422, `there is no clock '${clock}': use one of ${Object.keys(clocks).join(", ")}`);
  if (UNCLOCKED.includes(mode) && (clock ?? "none") !== "none") throw new Refused(422, `a table of mode '${mode}' has no clock: leave out \`clock\``);
  if (opponent_level !== undefined && mode !== "watch") throw new Refused(422, `a table of mode '${mode}' has one level: leave out \`opponent_level\``);
}

/** Who sits down for a level: {name, level, agent}. */
async function machine(engine, wanted, rules) {
  const level = wanted ?? engine.level;
  if (!engine.levels[level]) throw new Refused(422, `there is no level '${level}': use one of ${Object.keys(engine.levels).join(", ")}`);
  const agent = await engine.agentOf(level, rules);
  if (!agent) throw new Refused(422, `nobody plays the level ${level} by the rules '${rules}' here`);
  return { name: agent === engine.levels[level][0] ? `AI (${level})` : `AI (${level}: ${agent})`, level, agent };
}

async function closeRoom(engine, id) {
  engine.rooms.get(id)?.close();
  engine.rooms.delete(id);
  await engine.store.remove("rooms", id);
}
