// Named groups of small cards: a board, what was dealt, what was placed where.
import { miniCard, ROWS } from "./cards.js";
import { element } from "./elements.js";
import { t } from "./i18n.js";

export function placementGroups({ placements, discards }) {
  const rows = ROWS.map((row) => [t(`row.${row}`), placements.filter(([, place]) => place === row).map(([card]) => card)]);
  return [...rows, [t("table.discard"), discards]];
}

/** A label and named groups of cards; empty ones are left out. */
export function groups(label, named) {
  const shown = element("div", "review-line");
  const list = element("div");
  for (const [name, cards] of named.filter(([, cards]) => cards.length)) {
    const group = element("span", "review-group", name ? `${name} ` : "");
    group.append(...cards.map(miniCard));
    list.append(group);
  }
  if (label) shown.append(element("span", "review-label", label));
  else shown.classList.add("review-line-bare");
  shown.append(list);
  return shown;
}
