// Luck and skill apart, as one line that adds up; and how far reviews are.
import { t } from "./i18n.js";
import { signedPoints } from "./decision.js";
import { element } from "./share.js";

const PARTS = [
  ["start", 1],
  ["luck", 1],
  ["opponent_luck", -1],
  ["cost", -1],
  ["opponent_cost", 1],
];
const NAMES = { start: "start", luck: "luck", opponent_luck: "opponentLuck", cost: "cost", opponent_cost: "opponentCost" };

/** The line, in tenths of points: what rounding leaves goes to the part that nothing explains, so that it adds up as it is read. */
export function balanceLine(balance) {
  if (!balance) return element("p", "balance-none", t("coach.noBalance"));
  const tenths = (number) => Math.round(10 * number);
  const shown = PARTS.map(([name, sign]) => [t(`coach.${NAMES[name]}`), tenths(sign * balance[name])]);
  const result = tenths(balance.result);
  const explained = shown.reduce((sum, [, number]) => sum + number, 0);
  shown.push([t("coach.unexplained"), result - explained]);
  const list = element("dl", "balance");
  list.setAttribute("aria-label", t("coach.balance"));
  list.title = t("coach.balance");
  for (const [name, number] of shown) list.append(cell(name, signedPoints(number / 10), number));
  const end = cell(t("coach.result"), signedPoints(result / 10), result);
  end.classList.add("balance-result");
  list.append(end);
  return list;
}

function cell(name, text, number) {
  const part = element("div");
  part.append(element("dt", "", name), element("dd", number > 0 ? "plus" : number < 0 ? "minus" : "", text));
  return part;
}

/** How far reviews are, as a bar with its words. */
export function progressBar({ hands, reviewed }) {
  const box = element("div", "review-progress");
  box.setAttribute("role", "status");
  const bar = Object.assign(element("progress"), { max: Math.max(1, hands), value: reviewed });
  const words = t("coach.progress", { reviewed, hands });
  bar.setAttribute("aria-label", words);
  box.append(bar, element("span", "", words));
  return box;
}
