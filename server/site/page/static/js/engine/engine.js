// What a table in this browser has: the core, the networks it has learned, the levels, the store, and the open rooms.
import { Core, Refusal } from "./core.js";
import { Room } from "./room.js";
import { Store } from "./store.js";

export class Engine {
  /** `base` is the address of the folder that holds core.wasm and engine.json. */
  static async start(base) {
    const engine = new Engine();
    const [core, store, description] = await Promise.all([
      fetch(new URL("core.wasm", base)).then((answer) => Core.load(answer)),
      Store.open(),
      fetch(new URL("engine.json", base)).then((answer) => answer.json()),
    ]);
    // `pauses`: seconds by name; `clocks`: times what the rules give, null for any time, by name; `levels`: names of agents by level, best first; `networks`: files with the rules and reward they were trained for.
    return Object.assign(engine, { base, core, store, ...description, rooms: new Map(), learned: new Map() });
  }

  /** Have the network loaded that an agent needs by these rules, if there is one; the core says whether it can play. */
  async prepare(agent, rules) {
    if (!agent.startsWith("alphazero")) return;
    const network = this.networkOf(rules);
    if (!network) return;
    if (!this.learned.has(network.file)) this.learned.set(network.file, this.learn(network));
    try {
      await this.learned.get(network.file);
    } catch (error) {
      this.learned.delete(network.file); // perhaps it can be fetched later
      throw error;
    }
  }

  /** The network that was trained for the hands of these rules, if there is one. */
  networkOf(rules) {
    return this.networks.find((each) => this.core.ask("same_hand", each.rules, rules));
  }

  async learn(network) {
    const answer = await fetch(new URL(network.file, this.base));
    if (!answer.ok) throw new Refusal(`the network ${network.file} could not be fetched: go online once`);
    this.core.learn(await answer.arrayBuffer(), network);
  }

  /** The first agent of a level that can play by these rules; null if there is none. */
  agentOf(level, rules) {
    return this.firstOf(this.levels[level], rules);
  }

  /** The answer to a question to the judge of these rules, who plays by their network if there is one. */
  async judged(question, rules, ...words) {
    await this.prepare("alphazero", rules);
    return this.core.ask(question, ...words);
  }

  async firstOf(agents, rules) {
    for (const agent of agents) {
      try {
        await this.prepare(agent, rules);
        this.core.ask("can_play", agent, rules);
        return agent;
      } catch (error) {
        if (!(error instanceof Refusal) && !(error instanceof TypeError)) throw error; // fetch fails with a TypeError
      }
    }
    return null;
  }

  /** The room of this id, or null. */
  async room(id) {
    if (!this.rooms.has(id)) {
      const body = await this.store.get("rooms", id);
      if (!body) return null;
      this.rooms.set(id, new Room(this, body));
    }
    return this.rooms.get(id);
  }

  /** Everything of the player is gone. */
  async forget() {
    for (const room of this.rooms.values()) room.close();
    this.rooms.clear();
    this.reviews?.close();
    await this.store.clear();
  }
}
