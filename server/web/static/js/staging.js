// One's own turn while it is being laid out: which card is meant for which row, and the way back.
import { ROWS, ROW_SIZES, sortedCards } from "./cards.js";

export const DISCARD = "discard";
export const HAND = "hand";

/** Cards of a fantasyland hand that go to the board; in a later turn one card of three is discarded. */
const BOARD_CARDS = 13;

export class Staging {
  constructor() {
    this.begin([], { top: [], middle: [], bottom: [] }, 0, false);
  }

  /** A new turn: the cards to place, the board they come to, and how many of them are for discarding. */
  begin(cards, board, turn, fantasyland) {
    this.cards = [...cards];
    this.board = board;
    this.discardCount = fantasyland ? cards.length - BOARD_CARDS : turn === 0 ? 0 : Math.min(1, cards.length);
    this.targets = new Map(); // card -> row or DISCARD, in the order they were put there
    this.history = []; // earlier contents of targets
    this.selected = null;
  }

  /** Cards that still lie in the hand. */
  get remaining() {
    return this.cards.filter((card) => !this.targets.has(card));
  }

  cardsAt(target) {
    return [...this.targets].filter(([, place]) => place === target).map(([card]) => card);
  }

  /** Cards still to be put on the board before the turn can be confirmed. */
  get missing() {
    const onBoard = [...this.targets.values()].filter((place) => place !== DISCARD).length;
    return this.cards.length - this.discardCount - onBoard;
  }

  get complete() {
    return this.cards.length > 0 && this.missing === 0;
  }

  freeIn(row) {
    return ROW_SIZES[row] - this.board[row].length - this.cardsAt(row).length;
  }

  /** Why a card cannot go there, as the key of a text; null if it can. */
  refusal(card, target) {
    if (this.targets.get(card) === target) return null;
    if (target === DISCARD) {
      if (this.discardCount === 0) return "say.noDiscardNow";
      return this.cardsAt(DISCARD).length >= this.discardCount ? "say.discardFull" : null;
    }
    if (!ROWS.includes(target)) return "say.notPlaceable";
    if (this.freeIn(target) <= 0) return "say.rowFull";
    const comesFromBoard = ROWS.includes(this.targets.get(card));
    return this.missing <= 0 && !comesFromBoard ? "say.enoughPlaced" : null;
  }

  /** Put a card to a row, the discard or back to the hand; the refusal's key if that cannot be. */
  move(card, target) {
    if (!this.cards.includes(card)) return "say.notPlaceable";
    const before = this.targets.get(card) ?? HAND;
    if (before === target) return null;
    const refusal = target === HAND ? null : this.refusal(card, target);
    if (refusal) return refusal;
    this.remember();
    this.targets.delete(card);
    if (target !== HAND) this.targets.set(card, target);
    if (this.selected === card) this.selected = null;
    return null;
  }

  /** Put every card at once, as a solver says. */
  moveAll(placement) {
    this.remember();
    this.targets = new Map();
    for (const row of ROWS) for (const card of sortedCards(placement[row])) this.targets.set(card, row);
    this.selected = null;
  }

  /** The card that came back or changed its place last; null if there is nothing to undo. */
  undo() {
    if (!this.history.length) return null;
    const now = this.targets;
    this.targets = this.history.pop();
    return this.cards.find((card) => now.get(card) !== this.targets.get(card)) ?? null;
  }

  clear() {
    if (!this.targets.size) return;
    this.remember();
    this.targets = new Map();
    this.selected = null;
  }

  remember() {
    this.history.push(new Map(this.targets));
  }

  /** One's board with the cards of this turn on it. */
  boardWithStaged() {
    return Object.fromEntries(ROWS.map((row) => [row, [...this.board[row], ...this.cardsAt(row)]]));
  }

  /** The `place` message; what was put nowhere is discarded. */
  message(sequence) {
    const placements = [...this.targets].filter(([, place]) => place !== DISCARD);
    const onBoard = new Set(placements.map(([card]) => card));
    const discards = this.cards.filter((card) => !onBoard.has(card));
    const body = { type: "place", placements, sequence };
    if (discards.length > 1) body.discards = discards;
    else body.discard = discards[0] ?? null;
    return body;
  }
}
