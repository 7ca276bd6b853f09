// The REST side of the opening explorer. The table is fetched when somebody first asks, and the service worker keeps it.
import { Refused } from "./common.js";

const FILE = "openings.bin";
const PAGE = 20;

let loading = null;

async function load(engine) {
  let answer;
  try {
    answer = await fetch(new URL(FILE, engine.base));
  } catch {
    throw new Refused(503, "the table of openings could not be fetched: go online once, then it is kept");
  }
  if (!answer.ok) throw new Refused(404, "this site has no table of openings");
  engine.core.loadOpenings(await answer.arrayBuffer());
}

export const OPENINGS = {
  "GET openings": async (engine, { query }) => {
    loading ??= load(engine);
    try {
      await loading;
    } catch (error) {
      loading = null; // perhaps it can be fetched later
      throw error;
    }
    const { cards = "", suits = "", order = "ranks", first = "0" } = Object.fromEntries(query);
    return { status: 200, body: engine.core.ask("openings", cards.replace(/\s+/g, " "), suits, order, first, PAGE) };
  },
};
