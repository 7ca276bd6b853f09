// Laying out one's cards on a page without a room: how they are shown.
import { note } from "./announce.js";
import { BoardView } from "./board.js";
import { cardElement, cardWords, ROWS, sortedCards } from "./cards.js";
import { CardDrag } from "./drag.js";
import { byId } from "./elements.js";
import { listOf, t } from "./i18n.js";
import { Laying } from "./laying.js";
import { withMotion } from "./motion.js";
import { DISCARD, Staging } from "./staging.js";


/** The table of `root` with the ids own, other, tray, hand, discard, discard-cards, confirm, undo and clear in it. */
export class Layout extends Laying {
  constructor(root) {
    super();
    this.root = root;
    this.own = new BoardView(byId("own"), { own: true });
    this.other = new BoardView(byId("other"), { own: false });
    this.staging = new Staging();
    this.canLayOut = false;
    this.drag = new CardDrag(root, {
      refusal: (card, target) => this.staging.refusal(card, target),
      drop: (card, target) => (target ? this.put(card, target) : note(t("say.notPlaceable"), { bad: true })),
      tap: (element) => this.clickedCards(element),
      finished: () => this.render(),
    });
    root.addEventListener("click", (event) => this.clickedCards(event.target));
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
