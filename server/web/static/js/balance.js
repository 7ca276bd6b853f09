// Luck and skill apart, as one line that adds up; and how far reviews are.
import { element } from "./elements.js";
import { t } from "./i18n.js";
import { signedNumber } from "./numbers.js";

/** What adds up to a result, with its sign; `names` are those of this side and the other, for who sits on neither. */
function partsOf(balance, names) {
  const label = (key, kind, side) => (names ? t(`coach.${kind}Of`, { name: names[side] }) : t(`coach.${key}`));
  return [
    [t("coach.start"), balance.start],
    [label("luck", "luck", 0), balance.luck],
    [label("opponentLuck", "luck", 1), -balance.opponent_luck],
    [label("cost", "cost", 0), -balance.cost],
    [label("opponentCost", "cost", 1), balance.opponent_cost],
  ];
}

/** The line, in tenths of points: what rounding leaves goes to the part that nothing explains, so that it adds up as it is read. */
export function balanceLine(balance, names = null) {
  if (!balance) return element("p", "balance-none", t("coach.noBalance"));
  const tenths = (number) => Math.round(10 * number);
  const shown = partsOf(balance, names).map(([name, number]) => [name, tenths(number)]);
  const result = tenths(balance.result);
  const explained = shown.reduce((sum, [, number]) => sum + number, 0);
  shown.push([t("coach.unexplained"), result - explained]);
  const list = element("dl", "balance");
  list.setAttribute("aria-label", t("coach.balance"));
  list.title = t("coach.balance");
  for (const [name, number] of shown) list.append(cell(name, signedNumber(number / 10), number));
  const end = cell(t("coach.result"), signedNumber(result / 10), result);
  end.classList.add("balance-result");
  list.append(end);
  return list;
}

function cell(name, text, number) {
  const part = element("div");
  part.append(element("dt", "", name), element("dd", number > 0 ? "plus" : number < 0 ? "minus" : "", text));
  return part;
}

/** That reviews are an earlier judge's, and the way to have them made anew by `ask`; nothing if none is. */
export function earlierNote({ earlier = 0, hands, running }, ask) {
  if (!earlier || running) return "";
  const button = Object.assign(element("button", "quiet small", t("coach.askAgain")), { type: "button", id: "ask-again" });
  button.addEventListener("click", ask);
  const box = element("p", "review-earlier");
  box.append(t("coach.earlier", { earlier, hands }), " ", button);
  return box;
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
