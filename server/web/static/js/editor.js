// The position editor: cards are put to places by mouse, keys or text; the server says what it is worth.
import { failureText, note, say } from "./announce.js";
import { ask } from "./api.js";
import { cardElement, cardWords, ROW_SIZES } from "./cards.js";
import { byId, element } from "./elements.js";
import { listOf, onLanguageChange, t } from "./i18n.js";
import { signedNumber, spread } from "./numbers.js";
import { openPage } from "./page.js";
import { costText, optionsTable, placementLine } from "./placements.js";
import { rulesTitle } from "./rules.js";

const RANKS = "AKQJT98765432";
const SUITS = "hdcs";
const JOKERS = ["X1", "X2"];
const DECK = [...[...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit)), ...JOKERS];
/** Places in the order they are filled, with the cards that are shown as free; a hand may have more. */
const SIZES = {
  top: ROW_SIZES.top, middle: ROW_SIZES.middle, bottom: ROW_SIZES.bottom, hand: 5, discards: 3,
  opponent_top: ROW_SIZES.top, opponent_middle: ROW_SIZES.middle, opponent_bottom: ROW_SIZES.bottom,
};
const PLACES = Object.keys(SIZES);
const OPTIONS = ["button", "opponent_fantasyland", "chips", "opponent_chips", "rules"];
const PAUSE = 250; // milliseconds without a change before a position is asked about

class Editor {
  constructor() {
    this.cards = Object.fromEntries(PLACES.map((place) => [place, []]));
    this.options = {};
    this.usual = { opponent_fantasyland: 0 }; // what needs not be said
    this.played = null;
    this.active = "hand";
    this.answer = null;
    this.sentence = "";
    this.asked = 0;
    this.typed = "";
    this.build();
    document.addEventListener("keydown", (event) => this.key(event));
    onLanguageChange(() => this.render());
  }

  // ---- building

  build() {
    for (const [id, places] of [["own-places", PLACES.slice(0, 5)], ["opponent-places", PLACES.slice(5)]]) {
      byId(id).append(...places.map((place) => this.placeElement(place)));
    }
    const lines = [...[...SUITS].map((suit) => [...RANKS].map((rank) => rank + suit)), JOKERS];
    byId("deck").append(...lines.map((cards) => element("div", "deck-suit", ...cards.map((card) => this.deckCard(card)))));
    byId("deck").addEventListener("keydown", (event) => this.moveInDeck(event));
    byId("clear").addEventListener("click", () => this.replace({}));
    byId("copy").addEventListener("click", () => this.copy());
    byId("read").addEventListener("submit", (event) => this.read(event));
    for (const name of OPTIONS) byId(`option-${name}`).addEventListener("change", () => this.chooseOptions());
  }

  deckCard(card) {
    const face = cardElement(card, { movable: true });
    face.tabIndex = card === DECK[0] ? 0 : -1; // one stop for the Tab key, arrows go on from there
    face.addEventListener("click", () => this.put(card));
    return face;
  }

  placeElement(place) {
    const choice = Object.assign(element("input"), { type: "radio", name: "place", value: place, id: `place-${place}` });
    choice.addEventListener("change", () => this.activate(place));
    const label = element("label", "place-label", choice, element("span"));
    const cards = element("div", "place-cards");
    cards.addEventListener("click", (event) => {
      if (!event.target.closest("button")) this.activate(place);
    });
    const root = element("div", "place", label, cards);
    root.dataset.place = place;
    return root;
  }

  // ---- the position

  get used() {
    return new Set(PLACES.flatMap((place) => this.cards[place]));
  }

  activate(place) {
    this.active = place;
    this.renderPlaces();
  }

  /** Put a card of the deck to the chosen place, or take it back from where it lies. */
  put(card) {
    const where = PLACES.find((place) => this.cards[place].includes(card));
    if (where) {
      this.takeBack(card, where);
      return;
    }
    this.cards[this.active].push(card);
    say(t("editor.put", { card: cardWords(card), place: t(`place.${this.active}`) }));
    const isRow = this.active.endsWith("top") || this.active.endsWith("middle") || this.active.endsWith("bottom");
    if (isRow && this.cards[this.active].length >= SIZES[this.active]) {
      this.active = PLACES[(PLACES.indexOf(this.active) + 1) % PLACES.length];
    }
    this.changed();
  }

  takeBack(card, place) {
    this.cards[place] = this.cards[place].filter((other) => other !== card);
    this.active = place;
    say(t("editor.back", { card: cardWords(card) }));
    this.changed();
  }

  /** A whole other position. */
  replace(position, played = null) {
    for (const place of PLACES) this.cards[place] = [...(position[place] ?? [])];
    this.options = Object.fromEntries(OPTIONS.map((name) => [name, position[name] ?? null]).filter(([name, value]) => value !== null && value !== this.usual[name]));
    this.active = "hand";
    this.changed(played);
  }

  changed(played = null) {
    this.played = played;
    const query = new URLSearchParams(this.entries);
    history.replaceState(null, "", `${location.pathname}${[...query].length ? `?${query}` : ""}`);
    this.answer = null;
    this.sentence = "";
    this.render();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.analyse(), PAUSE);
  }

  /** The position as pairs of names and values: of the address, and of the text that the server reads. */
  get entries() {
    const cards = PLACES.filter((place) => this.cards[place].length).map((place) => [place, this.cards[place].join(" ")]);
    return [...cards, ...Object.entries(this.options).map(([name, value]) => [name, String(value)]), ...(this.played ? [["played", this.played]] : [])];
  }

  chooseOptions() {
    this.options = {};
    for (const name of OPTIONS) {
      const { value } = byId(`option-${name}`);
      if (value !== "") this.options[name] = name === "button" ? value === "true" : name === "rules" ? value : Number(value);
    }
    this.changed();
  }

  // ---- the server

  /** Have the position judged, or hear why play cannot reach it. */
  async analyse() {
    const number = ++this.asked;
    if (!this.used.size) return;
    try {
      const { problem } = await ask("POST", "/api/positions", { text: textOf(this.entries) });
      if (number !== this.asked) return; // the position has changed meanwhile
      this.sentence = problem ?? t("editor.thinking");
      this.renderAnswer();
      if (!problem) {
        const answer = await ask("POST", "/api/analyse", Object.fromEntries(this.entries));
        if (number !== this.asked) return;
        this.answer = answer;
        this.sentence = "";
      }
    } catch (error) {
      if (number !== this.asked) return;
      this.sentence = failureText(error);
    }
    this.renderAnswer();
    say(this.sentence || byId("answer-summary").textContent);
  }

  /** Take a position from a text. */
  async take(text) {
    const { position, played } = await ask("POST", "/api/positions", { text });
    this.replace(position, played);
  }

  async read(event) {
    event.preventDefault();
    try {
      await this.take(byId("text").value);
      byId("text").value = "";
    } catch (error) {
      note(failureText(error), { bad: true });
    }
  }

  /** The position of the address, if there is one: written by this page, or by somebody by hand. */
  async open() {
    const entries = [...new URLSearchParams(location.search)];
    this.render();
    try {
      const { rules, default: usual } = await ask("GET", "/api/rules");
      this.usual.rules = usual;
      byId("option-rules").append(...rules.filter(({ text }) => text !== usual).map(({ text }) => new Option(rulesTitle(text), text)));
      if (!entries.length) return;
      await this.take(textOf(entries));
    } catch (error) {
      this.sentence = failureText(error);
      this.renderAnswer();
    }
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      note(t("wait.copied"));
    } catch {
      note(t("editor.noClipboard"), { bad: true }); // pages without https have none
    }
  }

  // ---- keys

  /** Rank and suit one after the other put a card; Backspace takes the last one back. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input:not([type=radio]), textarea, select")) return;
    if (event.key === "Backspace") {
      const last = this.cards[this.active].at(-1);
      if (last) this.takeBack(last, this.active);
      return;
    }
    if (event.key.length !== 1) return;
    this.typed = (this.typed + event.key).slice(-3).toUpperCase().replace("10", "T");
    const card = DECK.find((name) => this.typed.endsWith(name.toUpperCase()));
    if (!card) return;
    this.typed = "";
    this.put(card);
  }

  moveInDeck(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -RANKS.length, ArrowDown: RANKS.length }[event.key];
    const card = event.target.closest("[data-card]")?.dataset.card;
    if (!step || !card) return;
    event.preventDefault();
    const next = DECK[Math.min(Math.max(DECK.indexOf(card) + step, 0), DECK.length - 1)];
    for (const face of byId("deck").querySelectorAll("[data-card]")) face.tabIndex = face.dataset.card === next ? 0 : -1;
    byId("deck").querySelector(`[data-card="${next}"]`).focus();
  }

  // ---- showing

  render() {
    this.renderPlaces();
    this.renderOptions();
    this.renderAnswer();
  }

  renderPlaces() {
    for (const place of PLACES) {
      const root = document.querySelector(`[data-place="${place}"]`);
      const cards = this.cards[place];
      root.classList.toggle("active", place === this.active);
      root.querySelector("input").checked = place === this.active;
      root.querySelector("label span").textContent = t(`place.${place}`);
      root.querySelector("input").setAttribute(
        "aria-label",
        t("row.describe", { row: t(`place.${place}`), cards: cards.length ? listOf(cards.map(cardWords)) : t("table.empty") }),
      );
      const faces = cards.map((card) => {
        const face = cardElement(card, { movable: true });
        face.title = t("editor.takeBack");
        face.addEventListener("click", () => this.takeBack(card, place));
        return face;
      });
      while (faces.length < SIZES[place]) faces.push(element("span", "slot"));
      root.querySelector(".place-cards").replaceChildren(...faces);
    }
    const { used } = this;
    for (const face of byId("deck").querySelectorAll("[data-card]")) {
      face.classList.toggle("card-lifted", used.has(face.dataset.card));
      face.setAttribute("aria-pressed", String(used.has(face.dataset.card)));
    }
  }

  renderOptions() {
    for (const name of OPTIONS) {
      const field = byId(`option-${name}`);
      const value = String(this.options[name] ?? "");
      if (name === "rules" && value && ![...field.options].some((option) => option.value === value)) {
        field.append(new Option(rulesTitle(value), value));
      }
      field.value = value;
    }
    byId("more").open ||= Object.keys(this.options).length > 0;
  }

  renderAnswer() {
    const { answer } = this;
    byId("sentence").textContent = this.sentence || (this.used.size ? "" : t("editor.empty"));
    byId("answer").hidden = !answer;
    if (!answer) return;
    const { decision } = answer;
    const { placement, value, error } = decision.options[0];
    byId("sentence").append(`${t("drill.best")}: `, placementLine(placement), `${signedNumber(value)}${spread(error)}`);
    const isSetting = this.cards.hand.length > SIZES.hand;
    byId("answer-title").textContent = isSetting ? t("replay.fantasyland") : t("replay.turn", { turn: answer.turn });
    byId("answer-summary").textContent = this.played ? t("editor.played", { cost: costText(decision) }) : t("editor.best");
    byId("answer-table").replaceChildren(optionsTable(decision, this.played ? decision.played : null, t("replay.played")));
  }
}

function textOf(entries) {
  return entries.map(([name, value]) => `${name}: ${value}`).join("\n");
}

openPage();
new Editor().open();
