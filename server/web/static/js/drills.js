// Drills: a question, an answer, what it was worth; mistakes come back when the server says that they are due.
import { note, say, sayNow } from "./announce.js";
import { ask } from "./api.js";
import { cardWords, ROWS } from "./cards.js";
import { Clock } from "./clock.js";
import { currentLanguage, listOf, onLanguageChange, percent, t } from "./i18n.js";
import { listenForKeys } from "./keyboard.js";
import { Layout } from "./layout.js";
import { button, byId, element, noteFailure, openPage } from "./page.js";
import { costText, optionsTable, placementLine } from "./placements.js";

const KINDS = ["opening", "fantasyland", "foul", "mistake"];
const CERTAIN = 1; // a band that begins here is a foul that no card prevents

class DrillPage extends Layout {
  constructor() {
    super(byId("drill"));
    this.drill = null;
    this.judged = null;
    this.waiting = false; // for the server
    this.progress = null;
    this.clock = new Clock();
    const choices = KINDS.map((kind) => {
      const input = Object.assign(element("input"), { type: "radio", name: "kind", value: kind });
      input.addEventListener("change", () => this.choose(kind));
      return element("label", "", input, element("span"));
    });
    byId("kinds").append(...choices);
    byId("give-up").addEventListener("click", () => this.answer({}));
    byId("next").addEventListener("click", () => this.proceed());
    byId("drop").addEventListener("click", () => this.drop());
    byId("download").addEventListener("click", () => this.download());
    setInterval(() => this.tick(), 200);
    onLanguageChange(() => {
      this.render();
      this.renderProgress();
    });
    listenForKeys(this, () => byId("keys").toggleAttribute("open"));
  }

  /** The kind of the address, and a certain question if it names its seed. */
  open() {
    const query = new URLSearchParams(location.search);
    const kind = KINDS.includes(query.get("kind")) ? query.get("kind") : KINDS[0];
    this.loadProgress();
    return this.choose(kind, query.get("seed"));
  }

  choose(kind, seed = null) {
    this.kind = kind;
    document.querySelector(`#kinds input[value="${kind}"]`).checked = true;
    history.replaceState(null, "", `?${new URLSearchParams({ kind, ...(seed === null ? {} : { seed }) })}`);
    return this.ask(seed);
  }

  // ---- question and answer

  async ask(seed = null) {
    const kind = this.kind;
    this.canLayOut = false;
    try {
      const query = new URLSearchParams({ kind, ...(seed === null ? {} : { seed }) });
      const next = await ask("GET", `/api/drills/next?${query}`);
      if (kind !== this.kind) return; // another one was chosen meanwhile
      this.drill = next.drill;
      this.nextDue = next.next_due;
    } catch (error) {
      noteFailure(error);
      return;
    }
    this.judged = null;
    const { drill } = this;
    this.canLayOut = Boolean(drill) && !drill.bands;
    this.began = performance.now();
    this.deadline = drill?.seconds ? this.began + 1000 * drill.seconds : null;
    if (this.canLayOut) this.staging.begin(drill.hand, drill.board, drill.turn, drill.fantasyland);
    this.render();
    say(this.spokenQuestion());
    if (this.canLayOut) this.focusCard(this.shownCards[0]);
    else document.querySelector("#bands button")?.focus({ preventScroll: true });
  }

  confirm() {
    if (!this.layoutComplete) {
      if (this.canLayOut) note(t("say.notComplete", { count: this.staging.missing }), { bad: true });
      return;
    }
    const { placements, discard, discards } = this.staging.message(0);
    this.answer({ placements, discards: discards ?? (discard ? [discard] : []) });
  }

  /** Send an answer; an empty one gives up. */
  async answer(given) {
    if (!this.drill || this.judged || this.waiting) return;
    this.waiting = true;
    this.deadline = null;
    this.render();
    try {
      const time = Math.round(performance.now() - this.began);
      this.judged = await ask("POST", "/api/drills/answers", { id: this.drill.id, think_time_ms: time, ...given });
      this.given = given;
      this.canLayOut = false;
    } catch (error) {
      noteFailure(error);
    }
    this.waiting = false;
    this.render();
    if (!this.judged) return;
    sayNow(`${byId("verdict").textContent}. ${byId("verdict-line").textContent}`);
    byId("next").focus({ preventScroll: true });
    this.loadProgress();
  }

  /** The next question. */
  proceed() {
    if (!this.judged && this.drill) return;
    if (this.kind !== "mistake") history.replaceState(null, "", `?${new URLSearchParams({ kind: this.kind })}`);
    this.ask();
  }

  async drop() {
    try {
      await ask("DELETE", `/api/drills/mistakes/${this.judged.mistake.id}`);
    } catch (error) {
      noteFailure(error);
      return;
    }
    this.judged.mistake = null;
    note(t("drill.dropped"));
    this.render();
    this.loadProgress();
  }

  tick() {
    if (this.deadline === null || this.deadline === undefined || performance.now() < this.deadline) return;
    note(t("drill.timeUp"), { bad: true });
    this.answer({});
  }

  // ---- keys, beside those of laying out

  get atTable() {
    return true;
  }

  pickNth(index) {
    if (this.drill?.bands) byId("bands").children[index]?.click();
    else super.pickNth(index);
  }

  solve() {}

  askReview() {}

  // ---- progress

  async loadProgress() {
    try {
      this.progress = await ask("GET", "/api/drills");
    } catch (error) {
      noteFailure(error);
    }
    this.renderProgress();
  }

  async download() {
    try {
      const content = JSON.stringify(await ask("GET", "/api/drills/export"), null, 2);
      const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
      Object.assign(document.createElement("a"), { href: address, download: "ofc-drills.json" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    } catch (error) {
      noteFailure(error);
    }
  }

  // ---- words

  questionWords() {
    const { drill } = this;
    if (!drill) return this.nextDue ? t("drill.noneDue", { time: this.when(this.nextDue) }) : t("drill.noMistakes");
    if (drill.bands) return t("drill.foulQuestion");
    const order = drill.fantasyland ? "" : t(Object.values(drill.opponent_board).flat().length > Object.values(drill.board).flat().length ? "drill.second" : "drill.first");
    const task = drill.fantasyland ? t("turn.yoursFantasyland", { count: drill.hand.length }) : t("drill.turn", { turn: drill.turn });
    return [task, order].filter(Boolean).join(" · ");
  }

  /** The same for who does not see the cards. */
  spokenQuestion() {
    const { drill } = this;
    if (!drill) return this.questionWords();
    const placed = drill.bands && t("drill.justPlaced", { cards: listOf(drill.placement.placements.map(([card]) => cardWords(card))) });
    return `${this.questionWords()}. ${placed || t("say.dealt", { cards: listOf(drill.hand.map(cardWords)) })}`;
  }

  when(time) {
    return new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
  }

  bandText([from, to]) {
    if (from >= CERTAIN) return t("drill.certain");
    return t("drill.band", { from: Math.round(100 * from), to: Math.round(100 * to) });
  }

  // ---- showing

  renderCards() {
    const { drill, judged } = this;
    this.root.hidden = !drill;
    byId("question").textContent = this.drill === undefined ? "" : this.questionWords();
    this.renderKinds();
    byId("feedback").hidden = !judged;
    byId("ways").hidden = !judged;
    if (!drill) return;
    this.root.dataset.drill = drill.id;
    const opponent = Object.values(drill.opponent_board).flat().length > 0 || drill.opponent_fantasyland > 0;
    byId("other").hidden = !opponent;
    const plate = { connected: true, active: false, fantasyland: 0, buttonActs: null };
    this.own.renderPlate({ ...plate, name: t("table.you"), chips: "", fantasyland: drill.fantasyland ? drill.hand.length : 0 });
    this.other.renderPlate({ ...plate, name: t("table.opponent"), chips: "", fantasyland: drill.opponent_fantasyland });
    for (const view of [this.own, this.other]) {
      view.find(".chips").textContent = "";
      view.renderInfo({ evaluation: null, points: null, finished: false, hidden: false, setting: false });
    }
    this.other.renderRows({ board: drill.opponent_board, staged: null, fresh: [], hidden: drill.opponent_fantasyland > 0, targets: false });
    const discards = [...drill.discards, ...(drill.placement?.discards ?? [])];
    this.renderLayout({ board: judged && !drill.bands ? this.boardAfter() : drill.board, discards });
    if (drill.bands) {
      const fresh = drill.placement.placements.map(([card]) => card);
      this.own.renderRows({ board: drill.board, staged: null, fresh, hidden: false, targets: false });
    }
    this.clock.show(byId("drill-clock"), [], this.deadline ? { deadline: this.deadline, limit: drill.seconds } : null, true);
    byId("tray").hidden = Boolean(judged);
    byId("hand").hidden = Boolean(drill.bands);
    for (const id of ["undo", "clear", "confirm"]) byId(id).hidden = Boolean(drill.bands);
    byId("give-up").disabled = this.waiting;
    if (this.waiting) byId("confirm").disabled = true;
    this.renderBands();
    if (judged) this.renderFeedback();
  }

  /** One's board with the answer on it, or with the best placement where none was given. */
  boardAfter() {
    const placements = this.given.placements ?? this.judged.decision.best.placements;
    return Object.fromEntries(ROWS.map((row) => [row, [...this.drill.board[row], ...placements.filter(([, place]) => place === row).map(([card]) => card)]]));
  }

  renderBands() {
    const { drill, judged } = this;
    byId("bands").hidden = !drill.bands || Boolean(judged);
    if (!drill.bands || byId("bands").dataset.drill === `${drill.id}${currentLanguage()}`) return;
    byId("bands").dataset.drill = `${drill.id}${currentLanguage()}`;
    byId("bands").replaceChildren(
      ...drill.bands.map((band, index) => {
        const made = button("quiet", this.bandText(band), () => this.answer({ band: index }));
        made.setAttribute("aria-keyshortcuts", String(index + 1));
        return made;
      }),
    );
  }

  renderFeedback() {
    const { judged, drill } = this;
    const { decision, foul, mistake, played } = judged;
    const gaveUp = this.given.placements === undefined && this.given.band === undefined;
    byId("verdict").textContent = t(gaveUp ? "drill.gaveUp" : judged.right ? "drill.right" : foul ? "drill.wrongBand" : "drill.wrong");
    byId("feedback").classList.toggle("good", judged.right);
    byId("verdict-line").textContent = foul ? this.foulWords(foul) : gaveUp ? "" : costText(decision);
    const bestPlayed = JSON.stringify(decision.best) === JSON.stringify(decision.played);
    const lines = foul && bestPlayed ? [] : [[t("drill.best"), placementLine(decision.best)]];
    if (!gaveUp && !foul) lines.unshift([t("drill.yours"), placementLine(decision.played)]);
    if (foul) lines.unshift([t("replay.played"), placementLine(decision.played), ` ${costText(decision)}`]);
    if (played) lines.push([t("drill.then"), placementLine(played)]);
    byId("placements").replaceChildren(...lines.flatMap(([name, ...content]) => [element("dt", "", name), element("dd", "", ...content)]));
    const marked = gaveUp ? null : decision.played;
    byId("options").replaceChildren(...(foul ? [] : [optionsTable(decision, marked, t("drill.yours"))]));
    byId("comes-back").textContent = mistake ? t("drill.comesBack", { time: this.when(mistake.due_at) }) : "";
    byId("drop").hidden = !mistake;
    byId("to-editor").href = `./editor.html?${this.editorQuery()}`;
    byId("again").hidden = drill.kind === "mistake";
    byId("again").href = `?${new URLSearchParams({ kind: drill.kind, seed: drill.id.split("-")[1] })}`;
  }

  /** The position for the editor, with what was answered. */
  editorQuery() {
    const { drill, judged } = this;
    const query = new URLSearchParams();
    const placed = new Set((drill.placement?.placements ?? []).map(([card]) => card));
    for (const row of ROWS) {
      const own = drill.board[row].filter((card) => !placed.has(card));
      if (own.length) query.set(row, own.join(" "));
      if (drill.opponent_board[row].length) query.set(`opponent_${row}`, drill.opponent_board[row].join(" "));
    }
    query.set("hand", drill.hand.join(" "));
    if (drill.discards.length) query.set("discards", drill.discards.join(" "));
    if (drill.opponent_fantasyland) query.set("opponent_fantasyland", drill.opponent_fantasyland);
    query.set("rules", drill.rules);
    const { placements, discards } = judged.decision.played;
    query.set("played", [...placements.map(([card, row]) => `${card}>${row[0]}`), ...discards.map((card) => `${card}>x`)].join(" "));
    return query;
  }

  foulWords({ chance, low, high, certain, bands, off }) {
    if (certain) return t("drill.foulCertain");
    const found = t("drill.foulChance", { chance: percent(chance), low: percent(low), high: percent(high) });
    const right = listOf(bands.map((band) => this.bandText(this.drill.bands[band])));
    return off ? `${found} ${t("drill.foulOff", { off: Math.max(1, Math.round(100 * off)), right })}` : found;
  }

  renderKinds() {
    for (const label of byId("kinds").querySelectorAll("label")) {
      const { value } = label.querySelector("input");
      const due = value === "mistake" && this.progress?.due ? ` (${this.progress.due})` : "";
      label.querySelector("span").textContent = t(`drill.${value}`) + due;
    }
    byId("kind-line").textContent = t(`drill.${this.kind}.line`);
  }

  renderProgress() {
    if (!this.progress) return;
    this.renderKinds();
    const { days, mistakes, due } = this.progress;
    const today = new Date().toISOString().slice(0, 10);
    const rows = KINDS.map((kind) => {
      const own = days.filter((day) => day.kind === kind);
      const sum = (name, of = own) => of.reduce((total, day) => total + day[name], 0);
      const answered = sum("answered");
      const mean = answered ? sum("lost") / answered : 0;
      const cells = [
        String(answered),
        String(sum("answered", own.filter(({ day }) => day === today))),
        answered ? percent(sum("correct") / answered) : "–",
        answered ? (kind === "foul" ? t("drill.points100", { points: (100 * mean).toFixed(0) }) : mean.toFixed(1)) : "–",
        answered ? t("drill.seconds", { seconds: (sum("think_time_ms") / answered / 1000).toFixed(0) }) : "–",
      ];
      const head = Object.assign(element("th", "", t(`drill.${kind}`)), { scope: "row" });
      return element("tr", "", head, ...cells.map((cell) => element("td", "", cell)));
    });
    byId("progress-rows").replaceChildren(...rows);
    byId("progress-mistakes").textContent = t("drill.waiting", { count: mistakes, due });
  }
}

openPage();
new DrillPage().open();
