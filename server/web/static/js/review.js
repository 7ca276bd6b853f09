// What the decisions of a finished session were worth, beside what the machine would have placed.
import { cardWords, isJoker, ROWS } from "./cards.js";
import { t } from "./i18n.js";

const SUIT_SIGNS = { h: "♥", d: "♦", c: "♣", s: "♠" };
const SMALL_COST = 0.05; // points; less is no difference
const MOST_SHOWN = 6;

/** The decisions of a review that cost most, worst first, then those that are too close to call. */
export function reviewElement({ decisions }) {
  const box = made("section", "review");
  box.setAttribute("aria-label", t("review.title"));
  const total = decisions.reduce((sum, { cost }) => sum + cost, 0);
  const worst = decisions.filter(({ cost }) => cost >= SMALL_COST).sort((a, b) => b.cost - a.cost);
  const close = decisions.filter(({ too_close: tooClose }) => tooClose);
  const same = decisions.length - worst.length - close.length;
  const summary = { count: decisions.length, same, points: total.toFixed(1) };
  box.append(made("h3", "", t("review.title")), made("p", "", t("review.summary", summary)), listed(worst));
  if (close.length) box.append(made("p", "", t("review.close", { count: close.length })), listed(close));
  return box;
}

function listed(decisions) {
  const list = made("ol");
  list.append(...decisions.slice(0, MOST_SHOWN).map(line));
  return list;
}

function line({ hand_number: hand, turn, board, dealt_cards: dealt, played, best, cost, error, at_least: atLeast, too_close: tooClose }) {
  const item = made("li");
  item.append(made("strong", "", t("review.where", { hand, turn: turn + 1 })), " ");
  if (tooClose) item.append(made("span", "review-close", t("review.tooClose")));
  else item.append(made("span", "points minus", `${atLeast ? "≤ " : ""}−${cost.toFixed(1)}`));
  if (error && !tooClose) item.append(made("span", "review-error", ` ± ${error.toFixed(1)}`));
  const rows = ROWS.filter((row) => board[row].length).map((row) => [t(`row.${row}`), board[row]]);
  if (rows.length) item.append(groups(t("review.board"), rows));
  item.append(groups(t("review.dealt"), [["", dealt]]));
  item.append(groups(t("review.played"), placementGroups(played)), groups(t(tooClose ? "review.machine" : "review.best"), placementGroups(best)));
  return item;
}

export function placementGroups({ placements, discards }) {
  const rows = ROWS.map((row) => [t(`row.${row}`), placements.filter(([, place]) => place === row).map(([card]) => card)]);
  return [...rows, [t("table.discard"), discards]];
}

/** A label and named groups of cards; empty ones are left out. */
export function groups(label, named) {
  const shown = made("div", "review-line");
  const list = made("div");
  for (const [name, cards] of named.filter(([, cards]) => cards.length)) {
    const group = made("span", "review-group", name ? `${name} ` : "");
    group.append(...cards.map(miniCard));
    list.append(group);
  }
  shown.append(made("span", "review-label", label), list);
  return shown;
}

function miniCard(card) {
  const text = isJoker(card) ? "★" : `${card[0] === "T" ? "10" : card[0]}${SUIT_SIGNS[card[1]]}`;
  const mini = made("span", `mini ${isJoker(card) ? "card-joker" : `card-${card[1]}`}`, text);
  mini.setAttribute("role", "img");
  mini.setAttribute("aria-label", cardWords(card));
  return mini;
}

function made(tag, className = "", text = undefined) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}
