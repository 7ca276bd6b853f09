// Laying out cards, at a table and on pages without one: picking, placing, taking back, by mouse, finger and keys.
import { note, say } from "./announce.js";
import { cardWords, ROWS } from "./cards.js";
import { byId } from "./elements.js";
import { t } from "./i18n.js";
import { shake } from "./motion.js";
import { DISCARD, HAND } from "./staging.js";


/** Who extends it has `root`, `staging`, `canLayOut`, `shownCards` (in the order they lie in the hand) and `render()`. */
export class Laying {
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

  /** Put the picked card, or the one in focus, to a row or the discard. */
  placePicked(target) {
    if (!this.canLayOut) return;
    const focused = document.activeElement?.closest?.(".card-movable")?.dataset.card;
    const card = this.staging.selected ?? focused;
    if (!card) note(t("say.selectFirst"), { bad: true });
    else this.put(card, target);
  }

  put(card, target) {
    if (!this.canLayOut) return;
    const shown = this.shownCards;
    const refusal = this.staging.move(card, target);
    if (refusal) {
      note(t(refusal, { row: ROWS.includes(target) ? t(`row.${target}`) : "" }), { bad: true });
      shake(this.root.querySelector(`[data-drop="${target}"]`));
    } else if (target === HAND) say(t("say.returned", { card: cardWords(card) }));
    else if (target === DISCARD) say(t("say.discarded", { card: cardWords(card) }));
    else say(t("say.placed", { card: cardWords(card), row: t(`row.${target}`) }));
    this.render();
    if (!refusal) this.focusAfterPut(card, target, shown);
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

  /** A click on a card or a place. */
  clickedCards(target) {
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

  /** After a card has left the hand: its right neighbour, or the confirm button when all are placed. */
  focusAfterPut(card, target, shownBefore) {
    if (target === HAND) this.focusCard(card);
    else if (this.staging.complete) byId("confirm").focus({ preventScroll: true });
    else {
      const left = this.shownCards;
      const index = Math.max(0, shownBefore.indexOf(card));
      this.focusCard(left[Math.min(index, left.length - 1)]);
    }
  }

  moveFocus(step) {
    const cards = [...byId("hand").querySelectorAll(".card-movable")];
    if (!cards.length) return false;
    const index = cards.indexOf(document.activeElement);
    cards[index < 0 ? 0 : (index + step + cards.length) % cards.length].focus();
    return true;
  }
}
