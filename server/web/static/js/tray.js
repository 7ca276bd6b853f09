// The lower edge of the table: cards in hand, the discard, and the buttons of a turn.
import { cardElement, cardWords, sortedCards } from "./cards.js";
import { listOf, t } from "./i18n.js";
import { DISCARD } from "./staging.js";

const MANY_CARDS = 5; // more than these are a fantasyland hand, which is sorted

export class TrayView {
  constructor() {
    this.tray = document.getElementById("tray");
    this.hand = document.getElementById("hand");
    this.discard = document.getElementById("discard");
    this.discardCards = document.getElementById("discard-cards");
    this.order = "rank";
    this.signatures = new Map();
  }

  /** Cards in the order they lie in the hand; digits and arrow keys follow it. What is left over lies in the discard. */
  shownCards(staging) {
    if (staging.complete) return [];
    return staging.cards.length > MANY_CARDS ? sortedCards(staging.remaining, this.order) : staging.remaining;
  }

  render({ staging, discards, active, freshDeal, solving }) {
    const cards = this.shownCards(staging);
    const fantasyland = staging.cards.length > MANY_CARDS;
    this.tray.classList.toggle("many", fantasyland);
    this.tray.classList.toggle("idle", !active);

    this.fill(this.hand, JSON.stringify([cards, t("row.top")]), () =>
      cards.map((card, index) => {
        const element = cardElement(card, { movable: true });
        if (freshDeal) {
          element.classList.add("card-dealt");
          element.style.animationDelay = `${index * 35}ms`;
        }
        return element;
      }),
    );
    for (const element of this.hand.querySelectorAll("[data-card]")) {
      const selected = element.dataset.card === staging.selected;
      element.setAttribute("aria-pressed", String(selected));
    }

    this.renderDiscard(staging, discards, active);
    this.renderActions({ staging, active, fantasyland, solving });
  }

  renderDiscard(staging, discards, active) {
    const staged = staging.complete ? [...staging.cardsAt(DISCARD), ...staging.remaining] : staging.cardsAt(DISCARD);
    const open = active && staging.discardCount > staged.length;
    this.discard.hidden = !discards.length && !(active && staging.discardCount);
    this.discard.classList.toggle("open", open);
    this.discard.setAttribute(
      "aria-label",
      discards.length ? t("table.discards", { cards: listOf(discards.map(cardWords)) }) : t("table.noDiscards"),
    );
    this.fill(this.discardCards, JSON.stringify([discards, staged, open, t("row.top")]), () => {
      const shown = discards.map((card) => {
        const element = cardElement(card);
        element.classList.add("card-small");
        return element;
      });
      for (const card of staged) {
        const element = cardElement(card, { movable: true });
        element.classList.add("card-staged");
        shown.push(element);
      }
      if (open) {
        const target = document.createElement("button");
        target.type = "button";
        target.className = "slot slot-target";
        target.setAttribute("aria-label", t("table.discard"));
        shown.push(target);
      }
      return shown;
    });
  }

  renderActions({ staging, active, fantasyland, solving }) {
    const button = (id) => document.getElementById(id);
    button("actions").hidden = !active;
    button("confirm").disabled = !staging.complete;
    button("undo").disabled = !staging.history.length;
    button("clear").disabled = !staging.targets.size;
    button("solve").hidden = !fantasyland;
    button("solve").disabled = solving;
    button("solve").textContent = t(solving ? "action.solving" : "action.solve");
    button("sort").hidden = !fantasyland;
    button("sort").textContent = t("action.sort", { order: t(`sort.${this.order}`) });
  }

  /** Rebuild a container only when what it shows has changed, so that focus and presses survive. */
  fill(container, signature, build) {
    if (this.signatures.get(container) === signature) return;
    this.signatures.set(container, signature);
    container.replaceChildren(...build());
  }
}
