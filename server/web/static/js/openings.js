// The opening explorer: openings of a pattern with their three best placements, as the server's table has them.
import { failureText, say } from "./announce.js";
import { ask } from "./api.js";
import { cardElement, cardWords, ROWS } from "./cards.js";
import { byId, element } from "./elements.js";
import { addTexts, currentLanguage, listOf, onLanguageChange, t } from "./i18n.js";
import { signedNumber, spread } from "./numbers.js";
import { openPage } from "./page.js";
import english from "./strings_openings_en.js";
import japanese from "./strings_openings_ja.js";

const RANKS = "AKQJT98765432X";
const ORDERS = ["ranks", "best", "worst", "close"];
const PAGE = 20;

let asked = 0; // so that a late answer does not replace a newer one
let answer = null;
let sentence = "";

/** What is looked for, as the address has it. */
function query() {
  const words = new URLSearchParams(location.search);
  const first = Number.parseInt(words.get("first") ?? "0", 10);
  return {
    cards: words.get("cards") ?? "",
    suits: words.get("suits") ?? "",
    order: ORDERS.includes(words.get("order")) ? words.get("order") : ORDERS[0],
    first: first > 0 ? first : 0,
  };
}

function lookFor(changed) {
  const wanted = { ...query(), first: 0, ...changed };
  const words = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value && value !== ORDERS[0]));
  history.pushState(null, "", `${location.pathname}${words.size ? `?${words}` : ""}`);
  show();
}

/** Ask for what the address says. */
async function show() {
  const wanted = query();
  const number = ++asked;
  byId("cards").value = wanted.cards;
  try {
    const found = await ask("GET", `/api/openings?${new URLSearchParams(wanted)}`);
    if (number !== asked) return;
    answer = found;
    sentence = "";
  } catch (error) {
    if (number !== asked) return;
    answer = null;
    sentence = failureText(error);
  }
  render();
  say(byId("sentence").textContent);
}

// ---- what is seen

function render() {
  const { suits, order } = query();
  choices("suits", [["", t("openings.anySuits")], ...(answer?.shapes ?? (suits ? [suits] : [])).map((shape) => [shape, shapeWords(shape)])], suits);
  choices("order", ORDERS.map((name) => [name, t(`openings.order.${name}`)]), order);
  byId("sentence").textContent = sentence || (answer ? summary(answer) : "");
  byId("found").replaceChildren(...(answer?.openings ?? []).map(openingElement));
  const shown = answer?.openings.length ?? 0;
  byId("pager").hidden = !answer || answer.total <= PAGE;
  if (byId("pager").hidden) return;
  byId("place").textContent = t("openings.place", { from: number(answer.first + 1), to: number(answer.first + shown), total: number(answer.total) });
  byId("previous").disabled = answer.first === 0;
  byId("next").disabled = answer.first + shown >= answer.total;
}

function choices(id, pairs, chosen) {
  byId(id).replaceChildren(...pairs.map(([value, text]) => Object.assign(element("option", "", text), { value, selected: value === chosen })));
}

/** "311" as "3-1-1 of a suit", and so on. */
function shapeWords(shape) {
  return t("openings.shape", { shape: [...shape].join("-") });
}

function summary({ total, share, mean, raced, classes }) {
  if (!total) return t("openings.none");
  const percent = (100 * share).toFixed(share < 0.01 ? 3 : 1);
  const worth = mean === null ? t("openings.unknown") : t("openings.mean", { mean: signedNumber(mean, 2) });
  return [t("openings.total", { total: number(total), percent }), worth, t("openings.raced", { raced: number(raced), classes: number(classes) })].join(" ");
}

function openingElement({ cards, deals, best }) {
  const faces = element("div", "opening-cards", ...cards.map((card) => cardElement(card)));
  const head = element("div", "", faces, element("p", "opening-deals", t("openings.deals", { deals: number(deals) })));
  const placements = element("ol", "best", ...best.map((placement) => placementElement(placement, best[0])));
  const body = best.length ? placements : element("p", "soft", t("openings.unknown"));
  return element("li", "panel opening", head, body);
}

function placementElement(placement, first) {
  const rows = ROWS.map((row) => {
    const cards = placement[row].map((card) => cardElement(card));
    return element("div", "best-row", element("span", "best-row-name", t(`row.${row}`)), ...cards);
  });
  const item = element("li", "best-place", ...rows, valueElement(placement, first));
  item.setAttribute("aria-label", placementWords(placement));
  return item;
}

/** The value by simulations, how sure it or its distance from the first is, and the network's own opinion. */
function valueElement(placement, first) {
  const { network, race, error } = placement;
  if (race === null) return element("p", "best-value", element("strong", "", signedNumber(network, 2)), element("span", "", t("openings.byNetwork")));
  const sure = (placement === first ? t("openings.byRace") : t("openings.apart", { gap: signedNumber(race - first.race, 2) })) + spread(error, 2);
  const opinion = t("openings.network", { value: signedNumber(network, 2) });
  return element("p", "best-value", element("strong", "", signedNumber(race, 2)), element("span", "", sure), element("span", "", opinion));
}

function placementWords(placement) {
  return ROWS.filter((row) => placement[row].length)
    .map((row) => `${t(`row.${row}`)}: ${listOf(placement[row].map(cardWords))}`)
    .join("; ");
}

function number(value) {
  return value.toLocaleString(currentLanguage());
}

// ---- beginning

addTexts({ en: english, ja: japanese });
openPage();
byId("ranks").append(
  ...[...RANKS].map((rank) => {
    const button = element("button", "quiet", rank === "X" ? "★" : rank === "T" ? "10" : rank);
    button.type = "button";
    button.dataset.rank = rank;
    button.addEventListener("click", () => addRank(rank));
    return button;
  }),
);

/** One more rank to look for; five begin anew. */
function addRank(rank) {
  const { cards } = query();
  const ranks = /^[2-9TJQKAX]{1,4}$/.test(cards) ? cards : "";
  lookFor({ cards: ranks + rank });
}

function nameRanks() {
  for (const button of byId("ranks").children) {
    const rank = button.dataset.rank;
    const name = rank === "X" ? t("openings.joker") : t("ranks").split(" ")["23456789TJQKA".indexOf(rank)];
    button.setAttribute("aria-label", t("openings.addRank", { rank: name }));
  }
}

byId("search").addEventListener("submit", (event) => {
  event.preventDefault();
  lookFor({ cards: byId("cards").value.trim() });
});
for (const id of ["suits", "order"]) byId(id).addEventListener("change", (event) => lookFor({ [id]: event.target.value }));
byId("previous").addEventListener("click", () => lookFor({ first: Math.max(0, query().first - PAGE) }));
byId("next").addEventListener("click", () => lookFor({ first: query().first + PAGE }));
window.addEventListener("popstate", show);
onLanguageChange(() => {
  nameRanks();
  render();
});
nameRanks();
render();
show();
