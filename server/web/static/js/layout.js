// Laying out one's cards on a page without a room: picking, placing, taking back, by mouse, finger and keys.
import { note, say } from "./announce.js";
import { BoardView } from "./board.js";
import { cardElement, cardWords, ROWS, sortedCards } from "./cards.js";
import { CardDrag } from "./drag.js";
import { listOf, t } from "./i18n.js";
import { shake, withMotion } from "./motion.js";
import { DISCARD, HAND, Staging } from "./staging.js";

const byId = (id) => document.getElementById(id);

/** The table of `root` with the ids own, other, tray, hand, discard, discard-cards, confirm, undo and clear in it. */
export class Layout {
  constructor(root) {
    this.root = root;
    this.own = new BoardView(byId("own"), { own: true });
    this.other = new BoardView(byId("other"), { own: false });
    this.staging = new Staging();
    this.canLayOut = false;
    this.drag = new CardDrag(root, {
      refusal: (card, target) => this.staging.refusal(card, target),
      drop: (card, target) => (target ? this.put(card, target) : note(t("say.notPlaceable"), { bad: true })),
      tap: (element) => this.clicked({ target: element }),
      finished: () => this.render(),
    });
    root.addEventListener("click", (event) => this.clicked(event));
    byId("undo").addEventListener("click", () => this.undo());
    byId("clear").addEventListener("click", () => this.clear());
    byId("confirm").addEventListener("click", () => this.confirm());
  }

  get layoutComplete() {
    return this.canLayOut && this.staging.complete;
  }

  /** Cards in the order they lie in the hand; digits and arrow keys follow it. */
  get shownCards() {
    const { staging } = this;
    if (staging.complete) return [];
    return staging.cards.length > 5 ? sortedCards(staging.remaining) : staging.remaining;
  }

  // ---- what the player wants

  pick(card) {
    if (!this.canLayOut) return;
    if (this.staging.complete) {
      note(t("say.enoughPlaced"), { bad: true });
      return;
    }
    this.staging.selected = this.staging.selected === card ? null : card;
    if (this.staging.selected) say(t("say.selected", { card: cardWords(card) }));
    this.render();
  }

  pickNth(index) {
    const card = this.shownCards[index];
    if (!card || !this.canLayOut) return;
    this.staging.selected = null;
    this.pick(card);
    this.focusCard(card);
  }

  placePicked(target) {
    if (!this.canLayOut) return;
    const focused = document.activeElement?.closest?.(".card-movable")?.dataset.card;
    const card = this.staging.selected ?? focused;
    if (card) this.put(card, target);
    else note(t("say.selectFirst"), { bad: true });
  }

  put(card, target) {
    if (!this.canLayOut) return;
    const shown = this.shownCards;
    const refusal = this.staging.move(card, target);
    const row = ROWS.includes(target) ? t(`row.${target}`) : "";
    if (refusal) {
      note(t(refusal, { row }), { bad: true });
      shake(this.root.querySelector(`[data-drop="${target}"]`));
      return;
    }
    say(t({ [HAND]: "say.returned", [DISCARD]: "say.discarded" }[target] ?? "say.placed", { card: cardWords(card), row }));
    this.render();
    if (target === HAND) this.focusCard(card);
    else if (this.staging.complete) byId("confirm").focus({ preventScroll: true });
    else this.focusCard(this.shownCards[Math.min(Math.max(0, shown.indexOf(card)), this.shownCards.length - 1)]);
  }

  undo() {
    if (!this.canLayOut) return;
    const card = this.staging.undo();
    if (card) say(t("say.returned", { card: cardWords(card) }));
    this.render();
    if (card) this.focusCard(card);
  }

  clear() {
    if (!this.canLayOut) return;
    this.staging.clear();
    this.render();
    this.focusCard(this.shownCards[0]);
  }

  clicked({ target }) {
    const card = target.closest(".card-movable")?.dataset.card;
    const place = target.closest("[data-drop]")?.dataset.drop;
    const { selected } = this.staging;
    if (card && !this.staging.targets.has(card)) this.pick(card);
    else if (selected && place && place !== HAND) this.put(selected, place);
    else if (card) this.put(card, HAND);
    else if (target.closest(".slot-target")) note(t("say.selectFirst"), { bad: true });
  }

  focusCard(card) {
    this.root.querySelector(`.card-movable[data-card="${card}"]`)?.focus({ preventScroll: true });
  }

  moveFocus(step) {
    const cards = [...byId("hand").querySelectorAll(".card-movable")];
    if (!cards.length) return false;
    const index = cards.indexOf(document.activeElement);
    cards[index < 0 ? 0 : (index + step + cards.length) % cards.length].focus();
    return true;
  }

  // ---- showing

  render() {
    if (!this.drag.active) withMotion(this.root, () => this.renderCards());
  }

  /** `board` as it lies, what is staged on it, the hand and the discards. */
  renderLayout({ board, discards }) {
    const { staging, canLayOut } = this;
    const staged = canLayOut ? Object.fromEntries(ROWS.map((row) => [row, staging.cardsAt(row)])) : null;
    this.own.renderRows({ board, staged, fresh: [], hidden: false, targets: canLayOut && !staging.complete });
    byId("tray").classList.toggle("many", staging.cards.length > 5);
    byId("hand").replaceChildren(
      ...(canLayOut ? this.shownCards : []).map((card) => {
        const face = cardElement(card, { movable: true });
        face.setAttribute("aria-pressed", String(card === staging.selected));
        return face;
      }),
    );
    const open = canLayOut && staging.discardCount > 0;
    const thrown = canLayOut ? [...staging.cardsAt(DISCARD), ...(staging.complete ? staging.remaining : [])] : [];
    byId("discard").hidden = !open && !discards.length;
    byId("discard").setAttribute("aria-label", discards.length ? t("table.discards", { cards: listOf(discards.map(cardWords)) }) : t("table.noDiscards"));
    const faces = discards.map((card) => cardElement(card));
    for (const face of faces) face.classList.add("card-small");
    faces.push(...thrown.map((card) => cardElement(card, { movable: true })));
    if (open && thrown.length < staging.discardCount) {
      const target = Object.assign(document.createElement("button"), { type: "button", className: "slot slot-target" });
      target.setAttribute("aria-label", t("table.discard"));
      faces.push(target);
    }
    byId("discard-cards").replaceChildren(...faces);
    byId("confirm").disabled = !this.layoutComplete;
    byId("undo").disabled = !staging.history.length;
    byId("clear").disabled = !staging.targets.size;
    this.root.classList.toggle("has-pick", Boolean(staging.selected));
  }
}
