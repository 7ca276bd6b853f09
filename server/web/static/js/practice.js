// A practice table: moves taken back, the deal again, hints, chances, and a question before a certain foul.
import { note, say } from "./announce.js";
import { ROWS } from "./cards.js";
import { listOf, onLanguageChange, percent, t, translatePage } from "./i18n.js";
import "./practice_strings.js";
import { groups, placementGroups } from "./review.js";
import { myTurn } from "./state.js";
import { useStyle } from "./style.js";

const WIDTHS = [14, 15, 16, 17]; // of a fantasyland, in the order of its chances
const SURE = 1.96; // standard errors to each side of a 95 % interval
const PATIENCE = 250; // milliseconds without another card before chances are asked for
const STORED_UNDER = "ofc.chances";
const BAR = `
  <div class="practice-bar" role="group" data-text-label="practice.title">
    <button type="button" class="quiet small" id="take-back" data-text="practice.takeBack" aria-keyshortcuts="K"></button>
    <button type="button" class="quiet small" id="deal-again" data-text="practice.again" aria-keyshortcuts="P"></button>
    <button type="button" class="quiet small" id="hint" aria-keyshortcuts="H"></button>
    <button type="button" class="quiet small" id="show-chances" data-text="practice.chances" aria-keyshortcuts="C"></button>
  </div>
  <p class="chances" id="chances" hidden></p>`;
const DIALOGS = `
  <dialog id="hint-box" aria-labelledby="hint-title">
    <h2 id="hint-title" data-text="practice.hintTitle"></h2>
    <ol class="hints" id="hint-list"></ol>
    <p class="small-print" data-text="practice.hintNote"></p>
    <form method="dialog"><button class="quiet" data-text="app.close"></button></form>
  </dialog>
  <dialog id="foul-box" aria-labelledby="foul-title">
    <h2 id="foul-title" data-text="practice.foulTitle"></h2>
    <p data-text="practice.foulText"></p>
    <form method="dialog" class="buttons">
      <button class="primary" value="change" data-text="practice.foulChange"></button>
      <button class="quiet" value="sure" data-text="practice.foulSure"></button>
    </form>
  </dialog>`;

const byId = (id) => document.getElementById(id);
const signed = (value, digits = 1) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;

export class Practice {
  /** Beside the game of a table, in `root`, an element of its own. */
  constructor(game, root) {
    this.game = game;
    this.root = root;
    this.wantsChances = localStorage.getItem(STORED_UNDER) === "on";
    this.reset();
    useStyle("practice");
    root.innerHTML = BAR;
    document.body.insertAdjacentHTML("beforeend", DIALOGS);
    const pressed = { "take-back": () => this.takeBack(), "deal-again": () => this.again(), hint: () => this.hint(), "show-chances": () => this.toggleChances() };
    for (const [id, action] of Object.entries(pressed)) byId(id).addEventListener("click", action);
    byId("foul-box").addEventListener("close", () => {
      if (byId("foul-box").returnValue === "sure") game.confirm(true);
      else byId("undo").focus();
    });
    for (const box of [root, byId("hint-box"), byId("foul-box")]) translatePage(box);
    onLanguageChange(() => this.render());
  }

  reset() {
    clearTimeout(this.timer);
    this.asking = null; // "hint" or "chances", while the server works one out
    this.known = null; // {key, chances}: the last answer
  }

  /** Whether there is something of this hand, or of the one just ended, to take back. */
  get canTakeBack() {
    const { phase, seat, boards } = this.game.state;
    if (phase === "hand_over" || phase === "session_over") return true;
    return phase === "playing" && ROWS.some((row) => boards[seat][row].length > 0);
  }

  // ---- what the player wants

  takeBack() {
    clearTimeout(this.timer); // what was to be asked is of a position that is left
    if (this.canTakeBack) this.game.connection.send({ type: "take_back" });
    else note(t("practice.nothing"), { bad: true });
  }

  again() {
    clearTimeout(this.timer);
    if (this.canTakeBack) this.game.connection.send({ type: "replay" });
    else note(t("practice.nothing"), { bad: true });
  }

  hint() {
    if (!this.game.canLayOut) note(t("error.not_now"), { bad: true });
    else this.ask("hint", {});
  }

  toggleChances() {
    this.wantsChances = !this.wantsChances;
    localStorage.setItem(STORED_UNDER, this.wantsChances ? "on" : "off");
    if (!this.wantsChances) say(t("practice.chancesOff"));
    this.render();
  }

  layOut({ placements }) {
    const rows = Object.fromEntries(ROWS.map((row) => [row, placements.filter(([, place]) => place === row).map(([card]) => card)]));
    byId("hint-box").close();
    if (!this.game.canLayOut) return;
    this.game.staging.moveAll(rows);
    this.game.render();
    byId("confirm").focus();
  }

  /** Ask one thing at a time; a hint is asked for as soon as chances are there. */
  ask(what, body) {
    if (this.asking === "hint") return;
    this.wantsHint = what === "hint" && this.asking !== null;
    if (!this.asking && this.game.connection.send({ type: what, sequence: this.game.state.sequence, ...body })) this.asking = what;
    this.render();
  }

  // ---- what the server says

  received(message) {
    if (message.type === "state" || message.type === "error") this.reset();
    if (message.type === "hint" || message.type === "chances") {
      const wantsHint = this.wantsHint;
      this.asking = null;
      this.wantsHint = false;
      if (message.type === "hint") this.showHint(message.options);
      else this.known = { key: this.askedKey, chances: message.chances };
      if (wantsHint) this.ask("hint", {});
    }
    if (message.type === "certain_foul") {
      this.game.waitingForAnswer = false;
      byId("foul-box").returnValue = "";
      byId("foul-box").showModal();
    }
    if (message.type === "taken_back") note(t(message.whole_hand ? "practice.dealtAgain" : "practice.takenBack", { number: message.hand_number }));
  }

  showHint(options) {
    byId("hint-list").replaceChildren(...options.map((option) => this.hintLine(option)));
    if (!byId("hint-box").open) byId("hint-box").showModal();
    byId("hint-list").querySelector("button").focus();
  }

  hintLine({ placement, value, error, chances }) {
    const item = document.createElement("li");
    const worth = Object.assign(document.createElement("strong"), { textContent: t("practice.worth", { value: signed(value), error: (SURE * error).toFixed(1) }) });
    const likely = Object.assign(document.createElement("p"), { textContent: chancesText(chances) });
    const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet small", textContent: t("practice.layOut") });
    button.addEventListener("click", () => this.layOut(placement));
    item.append(worth, groups("", placementGroups(placement)), likely, button);
    return item;
  }

  // ---- showing

  render() {
    const { state, canLayOut } = this.game;
    this.root.hidden = state.room.mode !== "practice" || state.seat === null || state.phase === "ready";
    byId("table").classList.toggle("practising", !this.root.hidden);
    byId("take-back").disabled = byId("deal-again").disabled = !this.canTakeBack;
    byId("hint").textContent = t(this.asking === "hint" ? "practice.thinking" : "practice.hint");
    byId("hint").disabled = !canLayOut || this.asking === "hint";
    byId("show-chances").setAttribute("aria-pressed", String(this.wantsChances));
    this.renderChances();
  }

  /** Chances of what is laid out, or of the best placement while it is not; asked for when they are not known. */
  renderChances() {
    const { state, staging } = this.game;
    const line = byId("chances");
    line.hidden = !this.wantsChances || !myTurn(state);
    if (line.hidden) return;
    const { type, sequence, ...laidOut } = staging.message(state.sequence);
    const body = staging.complete ? laidOut : {};
    const key = JSON.stringify([sequence, state.handNumber, body]);
    if (this.known?.key === key) {
      line.textContent = `${t(staging.complete ? "practice.ofThis" : "practice.ofBest")}: ${chancesText(this.known.chances)}`;
      return;
    }
    line.textContent = t("practice.thinking");
    clearTimeout(this.timer);
    if (this.asking) return; // the answer comes here again
    this.timer = setTimeout(() => {
      this.askedKey = key;
      if (this.game.canLayOut) this.ask("chances", body);
    }, PATIENCE);
  }
}

/** Chances of one's own board in a line. */
function chancesText({ foul, fantasyland, royalties }) {
  const any = fantasyland.reduce((sum, share) => sum + share, 0);
  const wide = WIDTHS.map((width, index) => [width, fantasyland[index]]).filter(([, share]) => share >= 0.005);
  const widths = wide.length > 1 ? ` (${listOf(wide.map(([width, share]) => `${width}: ${percent(share)}`))})` : "";
  const parts = { foul: percent(foul), fantasyland: percent(any) + widths, royalties: royalties.toFixed(1) };
  return t("practice.line", parts);
}
