// A table in this browser, against the machine or of two machines to watch: phases, messages and clocks as the server has
// them (docs/server.md). What concerns cards is asked of the core.
import { clocked, newSeed, newWord, NotNow, now, PERSON, timed, told, wordsOf } from "./common.js";
import { Refusal } from "./core.js";
import { practise } from "./practice.js";
import { whyNot } from "./store.js";

const SPECTATOR = -1; // to the core: who sees what is public
const READY_MESSAGES = { ready: "ready_to_start", hand_over: "hand_over", session_over: "session_ended_awaiting_restart" };
const RETRY_SECONDS = 5;
const EMPTY_BOARD = { top: [], middle: [], bottom: [] };

export class Room {
  /**
   * `body` is what the store keeps of it: id, created, mode ("ai", "practice" or "watch"), clock, levels and agents (by seat,
   * null for the person), rules (text), names, token (null where machines are watched), seed (of the next session, for
   * tests) and `game`: the session in play with its placements and the decisions of the hand in play.
   */
  constructor(engine, body) {
    this.engine = engine;
    this.core = engine.core;
    // A table that an earlier version kept has one machine's level and agent.
    this.body = { ...body, levels: body.levels ?? [null, body.level], agents: body.agents ?? [null, body.agent] };
    this.pauses = engine.pauses; // seconds: hand, rematch, watch
    this.rules = clocked(this.core.ask("rules", body.rules), engine.clocks[body.clock]);
    this.table = null; // the session in the core
    this.lastResult = null;
    this.send = null; // to the page, while it is connected
    this.ready = false;
    this.rematchOpen = true;
    this.timer = null;
    this.dealtAt = null; // when the turn in progress began, since the page was loaded; null while nobody plays on
    this.turns = Promise.resolve(); // what was asked, one after the other
    if (body.game) this.replay();
  }

  replay() {
    const { game } = this.body;
    this.table = this.core.ask("open", game.seed, this.body.rules);
    for (const placement of game.placements) this.lastResult = this.core.ask("place", this.table, placement).result ?? this.lastResult;
  }

  get phase() {
    if (!this.body.game) return "ready";
    if (this.view().finished) return "session_over";
    return this.body.game.hand ? "playing" : "hand_over";
  }

  /** Who looks: the person's seat, or null for somebody who watches machines. */
  get seat() {
    return this.body.mode === "watch" ? null : PERSON;
  }

  get isPractice() {
    return this.body.mode === "practice";
  }

  /** Whether the next hand comes by itself: nobody is pressed at a table without a clock. */
  get goesOnAlone() {
    return this.seat === null || (!this.isPractice && this.body.clock !== "none");
  }

  /** How often a deal of the session was begun again: every try has a number of its own. */
  get retries() {
    return this.body.game.retries ?? 0;
  }

  view() {
    return this.core.ask("view", this.table, this.seat ?? SPECTATOR);
  }

  get spectators() {
    return this.seat === null && this.send ? 1 : 0;
  }

  summary() {
    const view = this.body.game ? this.view() : null;
    return {
      id: this.body.id,
      mode: this.body.mode,
      clock: this.body.clock,
      level: this.body.levels[1],
      levels: this.body.levels,
      agent: this.body.agents[1],
      rules: this.body.rules,
      private: true,
      phase: this.phase,
      names: this.body.names,
      seats_free: 0,
      session_id: this.body.game?.session_id ?? null,
      hand_number: view ? view.hands_played + this.retries + (this.phase === "playing") : 0,
      chips: view ? view.chips : [this.rules.chips, this.rules.chips],
      spectators: this.spectators,
      created: this.body.created,
    };
  }

  // ---- the door

  connect(send) {
    this.send = send;
    this.tell(this.state());
    const { phase, seat } = this;
    if (phase === "playing") {
      if (this.dealtAt === null) this.deal(); // after a reload the whole time again; machines were waiting
      else if (seat !== null) {
        if (this.view().player === seat) this.tell(this.dealMessage());
        this.tell(this.timerMessage());
      }
      return;
    }
    if (seat === null && phase === "ready") this.queue(() => this.startSession());
    if (seat !== null && (phase === "hand_over" || this.rematchOpen)) this.tell(this.readyMessage());
    if (phase === "hand_over" && !this.deadline && this.goesOnAlone) this.after(this.pauses.hand, () => this.pauseIsOver());
  }

  disconnect() {
    this.send = null;
    this.ready = false;
  }

  /** Leave the table for good; what was played stays. */
  close() {
    this.stop();
    this.disconnect();
    if (this.table !== null) this.core.ask("close", this.table);
    this.table = null;
  }

  tell(...messages) {
    for (const message of messages) this.send?.(message);
  }

  state() {
    const { phase, body, secondsLeft: left } = this;
    const message = {
      type: "state",
      phase,
      room: { id: body.id, mode: body.mode, clock: body.clock, level: body.levels[1], levels: body.levels, names: body.names, private: true },
      rules: this.rules,
      your_seat: this.seat,
      connected: [true, true],
      ready: this.agreed,
      spectators: this.spectators,
      session_id: body.game?.session_id ?? null,
      hand_id: body.game?.hand?.hand_id ?? null,
      seconds: phase === "playing" ? left : null,
      limit: phase === "playing" ? this.limit : null,
      next_hand_seconds: phase === "hand_over" ? left : null,
      session_result: phase === "session_over" ? this.sessionEnd() : null,
    };
    if (!body.game) return message;
    const view = this.view();
    const shown = phase === "playing";
    return {
      ...message,
      hand_number: view.hands_played + this.retries + (shown ? 1 : 0),
      btn: shown ? view.button : body.game.last.button,
      chips: view.chips,
      fantasyland: shown ? view.fantasyland : body.game.last.fantasyland,
      turn: shown ? view.turn : null,
      boards: shown ? view.boards : [EMPTY_BOARD, EMPTY_BOARD],
      set: shown ? view.set : [false, false],
      hand: shown ? view.hand : [],
      discards: shown ? view.discards : [],
      to_act: shown ? view.player : null,
      sequence: body.game.placements.length,
      last_result: this.lastResult,
    };
  }

  // ---- what the page may ask

  receive(message) {
    const arrived = performance.now();
    this.queue(() => this.answer(message, arrived));
  }

  /** One after the other; what goes wrong holds nobody up. */
  queue(work) {
    this.turns = this.turns.then(work).catch((error) => this.report(error));
  }

  /** Have the table do something at a placement by itself; what could not be kept is tried again, since nobody can ask for it. */
  byItself(sequence, work) {
    this.queue(async () => {
      if (!this.isAt(sequence)) return;
      try {
        await work();
      } catch (error) {
        setTimeout(() => this.byItself(sequence, work), 1000 * RETRY_SECONDS);
        throw error;
      }
    });
  }

  report(error) {
    console.error(error);
    const { code, sentence } = whyNot(error);
    this.tell({ type: "error", message: sentence, code });
  }

  async answer(message, arrived) {
    try {
      if (this.seat === null) throw new NotNow("spectators watch: open a table to play", "refused");
      if (message.type === "game_start") await this.consent();
      else if (message.type === "wait") this.wait();
      else if (message.type === "place") await this.place(message, arrived);
      else if (message.type === "identify") this.tell({ type: "identified" });
      else if (["hint", "chances", "take_back", "replay"].includes(message.type)) await practise(this, message);
      else throw new NotNow(`unknown message type ${message.type}: send game_start, place or identify`, "bad_message");
    } catch (error) {
      if (error instanceof NotNow) this.tell({ type: "error", message: error.message, code: error.code });
      else if (error instanceof Refusal) this.tell({ type: "error", message: error.message, code: "illegal" });
      else this.report(error);
    }
  }

  async consent() {
    const { phase } = this;
    if (phase === "playing") throw new NotNow("a hand is being played: there is nothing to start", "not_now");
    if (phase === "hand_over") return this.startHand();
    if (!this.rematchOpen) throw new NotNow("the session has just ended: wait for session_ended_awaiting_restart to ask for a rematch", "not_now");
    return this.startSession();
  }

  /** Have the next hand come only when it is asked for. */
  wait() {
    if (this.phase !== "hand_over") throw new NotNow("the next hand waits only after a hand with a machine", "not_now");
    this.stop();
    this.tell(this.readyMessage());
  }

  async place(message, arrived) {
    if (this.phase !== "playing") throw new NotNow("no hand is being played: there is nothing to place", "not_now");
    if (this.view().player !== PERSON) throw new NotNow("it is not your turn: wait for a deal", "not_now");
    const wanted = this.body.game.placements.length + 1;
    const { sequence } = message;
    if (sequence !== undefined && sequence !== wanted) throw new NotNow(`placement ${sequence} is not the one waited for, which is ${wanted}: it was meant for another position`, "stale");
    const placement = wordsOf(message);
    if (this.isPractice && !message.sure && this.core.ask("certain_foul", this.table, placement)) this.tell({ type: "certain_foul", sequence: sequence ?? null });
    else await this.play(placement, Math.max(0, Math.round(arrived - this.dealtAt)));
  }

  // ---- the course of play

  async startSession() {
    const { body } = this;
    const seed = body.seed ?? newSeed();
    const table = this.core.ask("open", seed, body.rules);
    const session = {
      session_id: newWord(9),
      names: body.agents.map((agent, seat) => agent ?? body.names[seat]),
      levels: body.levels,
      seats: [PERSON],
      mode: body.mode,
      rules: body.rules,
      started_at: now(),
      ended_at: null,
      winner: null,
      reason: null,
      final_chips: null,
    };
    const game = { session_id: session.session_id, seed, placements: [], hand: null, last: null };
    const next = { ...body, game, seed: body.seed === undefined ? undefined : String(BigInt(body.seed) + 1n) };
    await this.engine.store.put({ sessions: this.seat === null ? [] : [session], rooms: [next] }); // what is watched is nobody's
    if (this.table !== null) this.core.ask("close", this.table);
    Object.assign(this, { table, body: next, lastResult: null });
    this.tell({ type: "session_start", session_id: game.session_id, chips: this.view().chips, rules: body.rules, your_seat: this.seat, names: body.names });
    await this.startHand();
  }

  async startHand() {
    this.stop();
    const { game } = this.body;
    const view = this.view();
    const number = view.hands_played + 1 + this.retries;
    const hand = {
      hand_id: `${game.session_id}-${number}`,
      session_id: game.session_id,
      hand_number: number,
      button: view.button,
      chips: view.chips,
      fantasyland: view.fantasyland,
      started_at: now(),
      decisions: [],
    };
    await this.save({ ...game, hand });
    this.ready = false;
    this.placedItself = false;
    this.tell({ type: "hand_start", hand_id: hand.hand_id, hand_number: number, btn: view.button, your_seat: this.seat, chips: view.chips, fantasyland: view.fantasyland });
    this.deal();
  }

  /** Give the seat to act its cards and start its clock. */
  deal() {
    const { player, in_fantasyland: setting } = this.view();
    this.limit = setting ? this.rules.fantasyland_seconds : this.rules.turn_seconds;
    this.dealtAt = performance.now();
    const sequence = this.body.game.placements.length;
    if (this.limit === null) this.stop();
    else this.after(this.limit, () => this.playAutomatic(sequence));
    if (player === this.seat) this.tell(this.dealMessage());
    this.tell(this.timerMessage());
    if (this.body.agents[player] !== null) setTimeout(() => this.think(sequence)); // the messages go out first
  }

  dealMessage() {
    const view = this.view();
    return {
      type: "deal",
      turn: view.turn,
      cards: view.hand,
      board: view.boards[PERSON],
      opponent_board: view.boards[1 - PERSON],
      is_btn: view.button === PERSON,
      chips_self: view.chips[PERSON],
      chips_opponent: view.chips[1 - PERSON],
      fantasyland: view.fantasyland[PERSON],
      sequence: this.body.game.placements.length + 1,
    };
  }

  timerMessage() {
    const seconds = this.deadline && Math.max(0, Math.round((this.deadline - performance.now()) / 10) / 100);
    return { type: "timer_start", seat: this.view().player, seconds, limit: this.limit };
  }

  readyMessage() {
    const { phase } = this;
    const ready = { type: READY_MESSAGES[phase], ready: this.agreed };
    return phase === "hand_over" ? { ...ready, next_hand_seconds: this.secondsLeft } : ready;
  }

  /** Who has agreed to go on; a machine always has. */
  get agreed() {
    return this.body.agents.map((agent) => agent !== null || this.ready);
  }

  sessionEnd() {
    const view = this.view();
    return { type: "session_end", winner: view.winner, final_chips: view.chips, hands_played: view.hands_played, reason: view.reason };
  }

  think(sequence) {
    this.byItself(sequence, async () => {
      const agent = this.body.agents[this.view().player];
      let placement;
      let substitute = null;
      try {
        await this.engine.prepare(agent, this.body.rules);
        placement = this.core.ask("choose", this.table, timed(agent, this.engine.search_seconds), 0);
      } catch (error) {
        console.error(error);
        placement = this.core.ask("automatic", this.table);
        substitute = "automatic";
      }
      const choice = () => this.play(placement, Math.round(performance.now() - this.dealtAt), { substitute });
      if (this.seat === null) this.showWatched(sequence, choice);
      else await choice();
    });
  }

  /** Have a machine place when there was time to see the placement before; without somebody who watches, it waits. */
  showWatched(sequence, choice) {
    const rest = 1000 * this.pauses.watch - (performance.now() - this.dealtAt);
    this.timer = setTimeout(() => {
      this.byItself(sequence, async () => {
        if (this.send) await choice();
        else this.dealtAt = null;
      });
    }, rest);
  }

  isAt(sequence) {
    return this.table !== null && this.phase === "playing" && this.body.game.placements.length === sequence;
  }

  pauseIsOver() {
    this.queue(async () => {
      this.stop();
      if (this.send && this.phase === "hand_over") await this.startHand();
    });
  }

  playAutomatic(sequence) {
    this.byItself(sequence, () => this.play(this.core.ask("automatic", this.table), -1, { timedOut: true, substitute: "automatic" }));
  }

  /** Make a placement true, durable and known; one that the core refuses changes nothing. */
  async play(placement, thinkTime, { timedOut = false, substitute = null } = {}) {
    const { game } = this.body;
    const played = this.core.ask("place", this.table, placement);
    const sequence = game.placements.length + 1;
    const decision = { placement: played.placement, line: played.line, fantasyland: played.fantasyland, seat: played.seat, think_time_ms: substitute ? -1 : thinkTime, timestamp: now() };
    const hand = { ...game.hand, decisions: [...game.hand.decisions, decision] };
    const after = { ...game, placements: [...game.placements, played.placement], hand };
    try {
      await (played.result ? this.saveHand(after, hand, played.result) : this.save(after));
    } catch (error) {
      this.core.ask("close", this.table); // go back to where it was
      this.replay();
      throw error;
    }
    this.stop();
    if (!substitute && played.seat === this.seat) this.placedItself = true;
    this.tellPlaced(played, sequence, timedOut, substitute);
    if (played.result) this.endHand(hand, played);
    else this.deal();
  }

  tellPlaced(played, sequence, timedOut, substitute) {
    const { seat, turn } = played;
    const own = seat === this.seat;
    const hidden = !own && played.fantasyland > 0;
    const board = hidden ? EMPTY_BOARD : played.board;
    const shared = { seat, sequence, turn, hidden, timeout: timedOut, substitute };
    if (timedOut && own) this.tell({ type: "timeout", seat, auto_placement: told(played.line.action) });
    if (own || this.seat === null) this.tell({ type: "placed", board, hand: [], discards: own ? played.discards : [], ...shared });
    else this.tell({ type: "opponent_placed", opponent_board: board, ...shared });
  }

  endHand(hand, played) {
    const { result } = played;
    this.lastResult = result;
    const view = this.view();
    const awake = this.send && (this.seat === null || this.placedItself);
    const pause = awake && !view.finished && this.goesOnAlone ? this.pauses.hand : null;
    played.fantasylands.forEach((width, seat) => {
      if (width) this.tell({ type: "fantasyland_result", player: seat, board: result.boards[seat], fl_stay: result.fl_stay[seat] });
    });
    this.tell({ type: "hand_end", result, hand_id: hand.hand_id, hand_number: hand.hand_number, next_hand_seconds: pause });
    if (view.finished) {
      this.tell(this.sessionEnd());
      this.rematchOpen = false;
      this.after(this.pauses.rematch, () => {
        this.stop();
        this.rematchOpen = true;
        this.tell(this.readyMessage());
      });
    } else if (pause !== null) this.after(pause, () => this.pauseIsOver());
  }

  // ---- what is kept

  async save(game) {
    const body = { ...this.body, game };
    await this.engine.store.put({ rooms: [body] });
    this.body = body;
  }

  async saveHand(game, hand, result) {
    const view = this.view();
    const { store } = this.engine;
    const body = { ...this.body, game: { ...game, hand: null, last: { button: hand.button, fantasyland: hand.fantasyland, hand } } };
    const ended = view.finished ? { ended_at: now(), winner: view.winner, reason: view.reason, final_chips: view.chips } : {};
    const session = await store.session(game.session_id);
    const kept = session ? { sessions: [{ ...session, ...ended }], hands: [{ ...hand, ended_at: now(), result }] } : {};
    await store.put({ rooms: [body], ...kept });
    this.body = body;
  }

  // ---- one deadline at a time

  after(seconds, then) {
    this.stop();
    this.deadline = performance.now() + seconds * 1000;
    this.timer = setTimeout(then, seconds * 1000);
  }

  get secondsLeft() {
    return this.deadline ? Math.max(0, this.deadline - performance.now()) / 1000 : null;
  }

  stop() {
    clearTimeout(this.timer);
    this.deadline = null;
  }
}
