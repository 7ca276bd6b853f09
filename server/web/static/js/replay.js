// A finished hand, decision by decision: both boards, what was dealt, what was played. The positions are the server's.
import { noteFailure, say } from "./announce.js";
import { BoardView } from "./board.js";
import { cardWords } from "./cards.js";
import { byId, element } from "./elements.js";
import { listOf, onLanguageChange, t } from "./i18n.js";
import { shortcutsOn } from "./keyboard.js";
import { api } from "./protocol.js";
import { resultTable, resultTitle } from "./result.js";
import { groups, placementGroups } from "./review.js";
import { HandReviewPart } from "./review_hand.js";
import { pageLink, renderShare } from "./share.js";
import { loggedNames } from "./words.js";

const SWIPE = 45; // pixels; less is a tap
const KEYS = { ArrowLeft: (at) => at - 1, ArrowRight: (at) => at + 1, Home: () => 0, End: () => Infinity };

export class ReplayPage {
  constructor() {
    this.root = byId("replay");
    this.own = new BoardView(byId("replay-own"), { own: false });
    this.other = new BoardView(byId("replay-other"), { own: false });
    this.review = new HandReviewPart(byId("replay-verdict"), byId("replay-review"), (at) => this.step(at));
    this.hand = null;
    this.at = 0; // the decision shown; after the last one the result
    for (const [id, move] of [["first", "Home"], ["back", "ArrowLeft"], ["on", "ArrowRight"], ["last", "End"]]) {
      byId(`step-${id}`).addEventListener("click", () => this.step(KEYS[move](this.at)));
    }
    document.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("touchstart", (event) => this.touched(event), { passive: true });
    this.root.addEventListener("touchend", (event) => this.released(event), { passive: true });
    onLanguageChange(() => this.render());
  }

  /** Show the hand of a link, at a decision if one is named; whether that could be done. */
  async show(link, step) {
    this.hand = null;
    try {
      [this.hand] = await Promise.all([api.hand(link), this.review.show(link)]);
    } catch (error) {
      noteFailure(error, t("history.private"));
      return false;
    }
    this.at = Math.min(Math.max(Number(step) || 0, 0), this.hand.steps.length);
    return true;
  }

  step(to) {
    const at = Math.min(Math.max(to, 0), this.hand.steps.length);
    if (at === this.at) return;
    this.at = at;
    this.render();
    say(`${this.words()} ${byId("replay-verdict").querySelector(".verdict")?.innerText ?? ""}`);
  }

  key(event) {
    const move = KEYS[event.key];
    const asks = event.code === "KeyV" && shortcutsOn();
    if ((!move && !asks) || this.root.hidden || !this.hand || document.querySelector("dialog[open]")) return;
    if (event.target.closest?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (move) this.step(move(this.at));
    else this.review.ask();
  }

  touched({ touches }) {
    this.finger = touches.length === 1 ? [touches[0].clientX, touches[0].clientY] : null;
  }

  released({ changedTouches: [finger] }) {
    if (!this.finger || !this.hand) return;
    const [across, down] = [finger.clientX - this.finger[0], finger.clientY - this.finger[1]];
    this.finger = null;
    if (Math.abs(across) >= SWIPE && Math.abs(across) > 2 * Math.abs(down)) this.step(this.at + (across < 0 ? 1 : -1));
  }

  get lower() {
    return this.hand.seats[0] ?? 0;
  }

  get names() {
    return loggedNames(this.hand);
  }

  /** What is shown, in a sentence: for the line under the boards, and for who does not see it. */
  get title() {
    const step = this.hand.steps[this.at];
    if (!step) return resultTitle({ result: this.hand.result, seat: this.hand.seats[0] ?? null }, this.lower, this.names);
    const where = step.fantasyland ? t("replay.fantasyland") : t("replay.turn", { turn: step.turn });
    const late = step.think_time_ms < 0 ? ` · ${t("replay.clock")}` : "";
    return `${where} · ${this.names[step.seat]}${late}`;
  }

  words() {
    const step = this.hand.steps[this.at];
    if (!step) return this.title;
    const played = placementGroups(step).filter(([, cards]) => cards.length);
    const rows = played.map(([name, cards]) => `${name}: ${listOf(cards.map(cardWords))}`);
    return [this.title, `${t("review.dealt")}: ${listOf(step.dealt_cards.map(cardWords))}`, ...rows].join(". ");
  }

  render() {
    if (this.root.hidden || !this.hand) return;
    const { hand, lower, names } = this;
    const step = hand.steps[this.at];
    for (const [view, seat] of [[this.own, lower], [this.other, 1 - lower]]) {
      view.renderPlate({
        name: names[seat],
        chips: step ? hand.chips[seat] : hand.result.chips[seat],
        buttonActs: hand.btn === seat ? hand.rules.button_acts : null,
        fantasyland: hand.fantasyland[seat],
        connected: true,
        active: step?.seat === seat,
      });
      const fresh = step?.seat === seat ? step.placements.map(([card]) => card) : [];
      view.renderRows({ board: (step?.boards_after ?? hand.result.boards)[seat], staged: null, fresh, hidden: false, targets: false });
      view.renderInfo({
        evaluation: (step ?? hand).evaluations[seat],
        points: step ? null : hand.result.line_results[seat],
        busted: step ? undefined : hand.result.busted[seat],
        fantasyland: hand.fantasyland[seat],
        finished: !step,
        hidden: false,
        setting: false,
      });
    }
    byId("replay-title").textContent = t("table.hand", { number: hand.hand_number });
    byId("replay-status").replaceChildren(this.title, " ", this.review.word(this.at));
    this.review.render(this.at, hand.seats.length ? null : [names[lower], names[1 - lower]]);
    byId("step-number").textContent = t("replay.step", { number: this.at + 1, count: hand.steps.length + 1 });
    for (const id of ["first", "back"]) byId(`step-${id}`).disabled = this.at === 0;
    for (const id of ["on", "last"]) byId(`step-${id}`).disabled = !step;
    this.root.dataset.step = this.at;
    this.renderCards(step);
    this.renderWays();
  }

  renderCards(step) {
    const cards = byId("replay-cards");
    if (!step) {
      cards.replaceChildren(resultTable(this.hand.result, this.lower, 1 - this.lower, this.names, this.hand.evaluations));
      return;
    }
    cards.replaceChildren(groups(t("review.dealt"), [["", step.dealt_cards]]), groups(t("replay.played"), placementGroups(step)));
    if (step.discards_before.length) cards.append(groups(t("replay.discarded"), [["", step.discards_before]]));
    if (step.opponent_hidden) cards.append(element("p", "", t("replay.hidden", { name: this.names[1 - step.seat] })));
  }

  /** Where one goes from here, and who else sees the hand. */
  renderWays() {
    const { previous, next, session, seats } = this.hand;
    const ways = [];
    if (previous) ways.push(pageLink("hand", previous, "quiet small", t("replay.previousHand")));
    if (session) ways.push(pageLink("session", session, "quiet small", t("history.session")));
    if (next) ways.push(pageLink("hand", next, "quiet small", t("replay.nextHand")));
    if (seats.length) ways.push(pageLink("history", "1", "quiet small", t("history.title")));
    byId("replay-ways").replaceChildren(...ways);
    renderShare(byId("replay-share"), "hand", this.hand, (shared) => {
      this.hand.shared = shared;
      this.render();
    });
  }
}
