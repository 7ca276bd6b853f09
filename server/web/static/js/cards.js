// Cards and row values as people see and hear them. Names are the server's: "Ah", "Td", "X1".
import { currentLanguage, t } from "./i18n.js";

export const RANKS = "23456789TJQKA";
const SUITS = "hdcs";
const SUIT_SIGNS = { h: "♥", d: "♦", c: "♣", s: "♠" };
const SVG = "http://www.w3.org/2000/svg";

export const ROWS = ["top", "middle", "bottom"];
export const ROW_SIZES = { top: 3, middle: 5, bottom: 5 };

function isJoker(card) {
  return card[0] === "X";
}

/** "queen of spades", for screen readers and messages. */
export function cardWords(card) {
  if (isJoker(card)) return t("card.joker", { number: card[1] });
  const rank = t("ranks").split(" ")[RANKS.indexOf(card[0])];
  return t("card.of", { rank, suit: t(`suit.${card[1]}`) });
}

/** Highest rank first, jokers before all; or grouped by suit. */
export function sortedCards(cards, order = "rank") {
  const rank = (card) => (isJoker(card) ? 13 : RANKS.indexOf(card[0]));
  const suit = (card) => (isJoker(card) ? -1 : SUITS.indexOf(card[1]));
  const byRank = (a, b) => rank(b) - rank(a) || suit(a) - suit(b);
  const bySuit = (a, b) => suit(a) - suit(b) || rank(b) - rank(a);
  return [...cards].sort(order === "suit" ? bySuit : byRank);
}

/**
 * The words of a row value, laid out as category << 20 and then five ranks of four bits, deuce 1 to ace 13.
 * Straights hold only their highest rank.
 */
export function valueWords(value) {
  if (value === null || value === undefined) return "";
  const category = value >> 20;
  const ranks = [16, 12].map((shift) => ((value >> shift) & 15) - 1);
  if (category === 8 && ranks[0] === 12) return t("value.9");
  const plural = t("rankPlurals").split(" ");
  const words = t(`value.${category}`, {
    high: currentLanguage() === "ja" ? plural[ranks[0]] : t("ranks").split(" ")[ranks[0]],
    first: plural[ranks[0]],
    second: plural[ranks[1]],
  });
  return words[0].toUpperCase() + words.slice(1);
}

/** The face of a card: a button where it can be moved, an image otherwise. */
export function cardElement(card, { movable = false } = {}) {
  const element = document.createElement(movable ? "button" : "span");
  if (movable) element.type = "button";
  else element.setAttribute("role", "img");
  element.dataset.card = card;
  element.className = `card ${isJoker(card) ? "card-joker" : `card-${card[1]}`}${movable ? " card-movable" : ""}`;
  element.setAttribute("aria-label", cardWords(card));
  element.append(...(isJoker(card) ? jokerFace(card) : suitFace(card)));
  return element;
}

export function cardBack() {
  const element = document.createElement("span");
  element.className = "card card-back";
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", t("card.back"));
  return element;
}

/** A card in a line of text. */
export function miniCard(card) {
  const text = isJoker(card) ? "★" : `${card[0] === "T" ? "10" : card[0]}${SUIT_SIGNS[card[1]]}`;
  const mini = textSpan(`mini ${isJoker(card) ? "card-joker" : `card-${card[1]}`}`, text);
  mini.setAttribute("role", "img");
  mini.setAttribute("aria-label", cardWords(card));
  return mini;
}

function suitFace(card) {
  return [
    textSpan("card-rank", card[0] === "T" ? "10" : card[0]),
    symbol(`suit-${card[1]}`, "card-corner"),
    symbol(`suit-${card[1]}`, "card-pip"),
  ];
}

function jokerFace(card) {
  return [textSpan("card-rank", "★"), symbol("joker", "card-pip"), textSpan("card-word", `JOKER ${card[1]}`)];
}

function textSpan(className, text) {
  const span = document.createElement("span");
  span.className = className;
  span.textContent = text;
  return span;
}

function symbol(name, className) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", className);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${name}`);
  svg.append(use);
  return svg;
}
