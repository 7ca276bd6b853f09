// The table in play: takes the server's messages and the player's wishes, and keeps the views true to both.
import { note, noteFailure, sayNow } from "./announce.js";
import { BoardView } from "./board.js";
import { ROWS } from "./cards.js";
import { Clock } from "./clock.js";
import { CardDrag } from "./drag.js";
import { byId } from "./elements.js";
import { evaluation } from "./hints.js";
import { t } from "./i18n.js";
import { Laying } from "./laying.js";
import { withMotion } from "./motion.js";
import { playerToken } from "./player.js";
import { api, Connection } from "./protocol.js";
import { renderResult } from "./result.js";
import { TableReview } from "./reviewing.js";
import { Staging } from "./staging.js";
import { afterMessage, initialState, lowerSeat, myTurn } from "./state.js";
import { TrayView } from "./tray.js";
import { errorText, playerNames, speak, statusText } from "./words.js";


const SHOWN_BY_BANNER = new Set(["replaced", "gone", "refused"]); // the connection ends with these

export class Game extends Laying {
  /** `shell` shows banners and the invitation: {connectionChanged(status, code), phaseChanged(state), leave()}. */
  constructor(shell) {
    super();
    this.shell = shell;
    this.root = byId("table");
    this.own = new BoardView(byId("own"), { own: true });
    this.other = new BoardView(byId("other"), { own: false });
    this.tray = new TrayView();
    this.clock = new Clock();
    this.staging = new Staging();
    this.state = initialState();
    this.connection = null;
    this.drag = new CardDrag(this.root, {
      refusal: (card, target) => this.staging.refusal(card, target),
      drop: (card, target) => this.dropped(card, target),
      tap: (element) => this.clicked({ target: element }),
      finished: () => this.render(),
    });
    this.root.addEventListener("click", (event) => this.clicked(event));
    setInterval(() => this.countDown(), 500);
  }

  // ---- connection

  enter(room, seat) {
    this.leave();
    this.state = initialState();
    this.staging = new Staging();
    this.turnKey = null;
    this.lastSession = null;
    this.review = null;
    this.connection = new Connection(room, seat, {
      onMessage: (message) => this.received(message),
      onStatus: (status, code) => this.shell.connectionChanged(status, code),
    });
  }

  /** What a practice table has beside others; loaded at the first one. */
  async offerPractice({ room, your_seat: seat }) {
    if (room.mode !== "practice" || seat === null) {
      this.practice?.reset();
      this.practice = null;
      byId("practice").hidden = true;
      this.root.classList.remove("practising");
      return;
    }
    const { Practice } = await import("./practice.js");
    this.lastPractice ??= new Practice(this, byId("practice"));
    this.practice = this.lastPractice;
    this.render();
  }

  leave() {
    this.connection?.close();
    this.connection = null;
  }

  get atTable() {
    return !this.root.hidden;
  }

  received(message) {
    if (message.type === "state") this.offerPractice(message);
    if (message.type === "error") {
      this.waitingForAnswer = false;
      this.practice?.received(message);
      if (!SHOWN_BY_BANNER.has(message.code)) note(errorText(message), { bad: true });
      this.render();
      return;
    }
    // A rematch loses nothing: the session before it is one link away.
    if (message.type === "session_start" && this.state.sessionResult) this.lastSession = this.state.sessionId;
    this.state = afterMessage(this.state, message);
    this.practice?.received(message);
    if (["session_start", "hand_start", "state"].includes(message.type)) this.review = null;
    if (message.type === "deal" || message.type === "state") this.beginTurn(message.type === "deal");
    else if (!this.state.hand.length && this.staging.cards.length) this.beginTurn(false);
    // A seat that was taken without saying whose it is becomes this player's.
    if (message.type === "state" && this.state.seat !== null) this.connection.send({ type: "identify", player_token: playerToken() });
    this.shell.phaseChanged(this.state);
    this.render();
    speak(message, this.state, this.staging);
    this.placeFocus(message.type);
  }

  /** Start laying out what is in hand; the same cards after a broken connection keep their layout. */
  beginTurn(freshDeal) {
    const { hand, boards, turn, seat, fantasyland, sequence } = this.state;
    const key = JSON.stringify([sequence, hand]);
    this.waitingForAnswer = false;
    if (hand.length && key === this.turnKey) return;
    this.turnKey = hand.length ? key : null;
    this.freshDeal = freshDeal;
    const board = seat === null ? { top: [], middle: [], bottom: [] } : boards[seat];
    this.staging.begin(hand, board, turn, seat !== null && fantasyland[seat] > 0);
  }

  // ---- what the player wants

  get layoutComplete() {
    return myTurn(this.state) && this.staging.complete && !this.waitingForAnswer;
  }

  get canLayOut() {
    return myTurn(this.state) && !this.waitingForAnswer;
  }

  get shownCards() {
    return this.tray.shownCards(this.staging);
  }

  /** Place what is laid out; `sure` answers the question whether a certain foul is meant. */
  confirm(sure = false) {
    if (!this.canLayOut) return;
    if (!this.staging.complete) {
      note(t("say.notComplete", { count: this.staging.missing }), { bad: true });
      return;
    }
    const message = this.staging.message(this.state.sequence);
    this.waitingForAnswer = this.connection.send(sure ? { ...message, sure } : message);
    this.render();
  }

  async solve() {
    if (!this.canLayOut || this.solving || !(this.state.fantasyland[this.state.seat] > 0)) return;
    const { sequence, hand } = this.state;
    this.solving = true;
    this.render();
    try {
      const setting = await api.solve(hand, this.state.room.id);
      if (this.state.sequence === sequence && this.canLayOut) this.staging.moveAll(setting);
    } catch (error) {
      noteFailure(error);
    }
    this.solving = false;
    this.render();
    if (this.layoutComplete) byId("confirm").focus();
  }

  toggleSort() {
    this.tray.order = this.tray.order === "rank" ? "suit" : "rank";
    this.render();
  }

  /** Agree to what comes next: the session, the next hand or a rematch. */
  proceed() {
    const { phase, seat, ready, rematchOpen } = this.state;
    if (phase === "session_over" && !rematchOpen) return;
    if (seat === null || ready[seat] || !["ready", "hand_over", "session_over"].includes(phase)) return;
    this.connection.send({ type: "game_start" });
  }

  /** The host takes the other seat back from whoever sits there. */
  freeSeat() {
    this.connection.send({ type: "free_seat" });
  }

  /** Ask what the decisions of the hand, or of the session, that has just ended were worth. */
  askReview() {
    const { seat, result, phase } = this.state;
    if (seat === null || !result || phase === "playing" || this.review) return;
    this.holdNextHand();
    const review = new TableReview(this.state);
    this.review = review;
    review.make({
      changed: () => this.render(),
      failed: () => (this.review = null),
      gone: () => this.review !== review,
    });
  }

  /** Whoever reads about the hand has time for it: against a machine the next one comes when it is asked for. */
  holdNextHand() {
    if (this.state.nextHandAt !== null && this.state.room.mode === "ai") this.connection.send({ type: "wait" });
  }

  clicked(event) {
    const target = event.target;
    if (target.closest("#result a")) this.holdNextHand();
    const button = target.closest("button");
    const action = button && this.buttonActions[button.id];
    if (action) {
      action();
      return;
    }
    this.clickedCards(target);
  }

  buttonActions = {
    confirm: () => this.confirm(),
    undo: () => this.undo(),
    clear: () => this.clear(),
    solve: () => this.solve(),
    sort: () => this.toggleSort(),
    proceed: () => this.proceed(),
    review: () => this.askReview(),
    "free-other-seat": () => this.freeSeat(),
    "to-lobby": () => this.shell.leave(),
  };

  dropped(card, target) {
    if (target) this.put(card, target);
    else note(t("say.notPlaceable"), { bad: true });
  }

  // ---- focus

  /** Bring the keyboard to where it is needed next, unless it is busy elsewhere. */
  placeFocus(messageType) {
    const current = document.activeElement;
    if (current && current !== document.body && current.id !== "main" && !this.root.contains(current)) return;
    if (messageType === "deal") this.focusCard(this.shownCards[0]);
    else if (["hand_end", "session_end", "session_ended_awaiting_restart"].includes(messageType)) byId("proceed")?.focus({ preventScroll: true });
  }

  // ---- showing

  render() {
    if (this.root.hidden || this.drag.active) return;
    withMotion(this.root, () => this.renderCards());
    this.freshDeal = false;
    this.practice?.render();
    this.renderInfo();
  }

  renderCards() {
    const { state, staging } = this;
    const lower = lowerSeat(state);
    const names = playerNames(this.state);
    const playing = state.phase === "playing";
    Object.assign(this.root.dataset, { phase: state.phase, sequence: state.sequence, acting: myTurn(state) ? "own" : "other" });
    this.root.classList.toggle("own-fantasyland", playing && state.fantasyland[lower] > 0 && myTurn(state));
    for (const [view, seat] of [[this.own, lower], [this.other, 1 - lower]]) {
      view.renderPlate({
        name: names[seat],
        chips: state.chips[seat],
        buttonActs: state.button === seat ? state.rules?.button_acts : null,
        fantasyland: playing ? state.fantasyland[seat] : 0,
        connected: state.connected[seat] || Boolean(state.room.levels[seat]),
        active: playing && state.toAct === seat,
      });
      const laying = seat === lower && myTurn(state);
      view.renderRows({
        board: state.boards[seat],
        staged: laying ? Object.fromEntries(ROWS.map((row) => [row, staging.cardsAt(row)])) : null,
        fresh: seat === state.seat ? [] : state.fresh,
        hidden: state.hidden[seat],
        targets: laying && this.canLayOut && !staging.complete,
      });
    }
    const active = myTurn(state);
    this.tray.render({ staging, discards: state.discards, active, freshDeal: this.freshDeal, solving: this.solving });
    byId("confirm").disabled = !this.layoutComplete;
    this.root.classList.toggle("has-pick", Boolean(staging.selected));
    const over = Boolean(state.result) && !playing;
    byId("tray").hidden = over || state.seat === null;
    byId("result").hidden = !over;
    const clockSeat = state.clock?.seat;
    const [holder, rest] = clockSeat === 1 - lower ? [this.other, this.own] : [this.own, this.other];
    this.clock.show(holder.find(".clock"), [rest.find(".clock")], state.clock, clockSeat === state.seat);
    byId("status").textContent = statusText(state, staging, this.waitingForAnswer, names);
    document.title = `${active ? "● " : ""}${t("app.title")}`; // seen from another tab
  }

  /** The parts that wait for the server's evaluation; called again when one arrives. */
  renderInfo() {
    const { state, staging } = this;
    const lower = lowerSeat(state);
    const finished = Boolean(state.result) && state.phase !== "playing";
    const evaluations = [null, null];
    for (const [view, seat] of [[this.own, lower], [this.other, 1 - lower]]) {
      const board = seat === lower && myTurn(state) ? staging.boardWithStaged() : state.boards[seat];
      evaluations[seat] = evaluation(state.room.id, board, () => this.renderInfo());
      const danger = view.renderInfo({
        evaluation: evaluations[seat],
        points: finished ? state.result.line_results[seat] : null,
        busted: finished ? state.result.busted[seat] : undefined,
        fantasyland: state.fantasyland[seat],
        finished,
        hidden: state.hidden[seat],
        setting: seat !== lower && state.fantasyland[seat] > 0 && state.toAct === seat,
      });
      if (seat === state.seat && danger !== this.lastDanger) {
        this.lastDanger = danger;
        if (danger && !finished) sayNow(danger);
      }
    }
    if (finished) this.renderResult(evaluations);
  }

  renderResult(evaluations) {
    const root = byId("result");
    const hadFocus = root.contains(document.activeElement) ? document.activeElement.id : "";
    renderResult(root, {
      state: this.state,
      lower: lowerSeat(this.state),
      names: playerNames(this.state),
      evaluations,
      proceed: this.proceedButton(),
      review: this.review?.element(),
      lastSession: this.lastSession,
    });
    if (hadFocus) byId(hadFocus)?.focus({ preventScroll: true });
  }

  proceedButton() {
    const { seat, ready, phase, nextHandAt, room, rematchOpen } = this.state;
    if (seat === null) return null;
    const waiting = ready[seat] && room.mode === "friend";
    if (phase === "session_over") return { text: t(waiting ? "session.rematchWaiting" : "session.rematch"), disabled: ready[seat] || !rematchOpen };
    if (waiting) return { text: t("result.nextWaiting", { name: playerNames(this.state)[1 - seat] }), disabled: true };
    const seconds = nextHandAt === null ? 0 : Math.ceil((nextHandAt - performance.now()) / 1000);
    return { text: seconds > 0 ? t("result.nextIn", { seconds }) : t("result.next"), disabled: ready[seat] };
  }

  countDown() {
    const button = byId("proceed");
    const wanted = button && this.state.nextHandAt !== null && this.proceedButton();
    if (wanted) button.textContent = wanted.text;
  }
}
