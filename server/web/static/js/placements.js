// A judged decision: the placements that were weighed, with value, interval and chances.
import { miniCard, ROWS } from "./cards.js";
import { element, headCell } from "./elements.js";
import { currentLanguage, percent, t } from "./i18n.js";
import { signedNumber, spread } from "./numbers.js";
import { gradeName } from "./why.js";

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** A placement in a line: the cards of each row, then what is thrown away. */
export function placementLine({ placements, discards }) {
  const line = element("span", "placement-line");
  const named = [...ROWS.map((row) => [t(`row.${row}`), placements.filter(([, place]) => place === row).map(([card]) => card)]), [t("table.discard"), discards]];
  for (const [name, cards] of named.filter(([, cards]) => cards.length)) {
    line.append(element("span", "placement-group", `${name} `, ...cards.map(miniCard)), " ");
  }
  return line;
}

const COLUMNS = [
  ["analysis.value", ({ value, error }) => `${signedNumber(value)}${spread(error)}`],
  ["analysis.behind", ({ behind, behind_error: error }, place) => (place ? `${signedNumber(-behind)}${spread(error)}` : "–")],
  ["analysis.foul", ({ chances }) => (chances ? percent(chances.foul) : "–")],
  ["analysis.fantasyland", ({ chances }) => (chances ? percent(sum(chances.fantasyland)) : "–")],
  ["analysis.royalties", ({ chances }) => (chances ? chances.royalties.toFixed(1) : "–")],
];

/** The table of a decision's options; `marked` is the placement to be told apart, or null. */
export function optionsTable({ options }, marked = null, markedText = "") {
  const table = element("table", "options");
  table.append(element("caption", "unseen", t("analysis.title")));
  const head = element("tr", "", headCell(t("analysis.placement")), ...COLUMNS.map(([name]) => headCell(t(name))));
  table.append(element("thead", "", head));
  const body = element("tbody");
  options.forEach((option, place) => {
    const isMarked = marked !== null && JSON.stringify(option.placement) === JSON.stringify(marked);
    const first = headCell(element("span", "place-number", `${place + 1}`), "row");
    first.append(placementLine(option.placement));
    if (isMarked) first.append(element("strong", "mark", markedText));
    const cells = COLUMNS.map(([name, text]) => {
      const cell = element("td", "", text(option, place));
      cell.dataset.label = t(name);
      return cell;
    });
    body.append(element("tr", isMarked ? "marked" : "", first, ...cells));
  });
  table.append(body);
  return table;
}

/** What a placement cost, in words: nothing, too close to call, or so many points with their interval. */
export function costText({ cost, low, high, grade }) {
  const name = gradeName(grade, currentLanguage());
  if (grade === "best") return name;
  const number = (points) => points.toFixed(1).replace("-", "−");
  const points = { cost: number(Math.max(0, cost)), low: number(low), high: number(high) };
  return `${name}: ${t(low === high ? "analysis.costExact" : "analysis.cost", points)}`;
}
