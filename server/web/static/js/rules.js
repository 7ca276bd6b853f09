// A table's rules in words. What they are comes from the server as data; nothing here knows them by heart.
import { RANKS, ROWS } from "./cards.js";
import { element, headCell } from "./elements.js";
import { listOf, t } from "./i18n.js";

/** Categories of rows as the server names them, weakest first; a royal flush counts after all of them. */
const CATEGORIES = ["high_card", "pair", "two_pair", "trips", "straight", "flush", "full_house", "quads", "straight_flush"];

/** Rules by their text form: a preset's name in the reader's language, then the fields that differ. */
export function rulesTitle(text) {
  const [preset, ...fields] = text.split(" ");
  return [t(`rules.${preset}`), ...fields].join(" ");
}

/** One line on rules: of a preset what it is, of others what the data says. */
export function rulesLine(rules) {
  const key = `rules.${rules.text}.line`;
  if (t(key) !== key) return t(key);
  const { widths } = rules.fantasyland;
  const fantasyland = widths.length ? t("rules.widths", { count: widths.join(" / ") }) : t("rules.noFantasyland");
  return [t("rules.cards", { count: rules.cards }), t(`rules.button.${rules.button_acts}`), fantasyland].join(" · ");
}

/** Fill `root` with the whole rules. */
export function renderRules(root, rules) {
  const list = element("ol", "", ...sentences(rules).map((text) => element("li", "", text)));
  root.replaceChildren(list, element("div", "scroll", royaltyTable(rules.royalties)), element("p", "", topRoyalties(rules.royalties)));
}

function sentences(rules) {
  const { turn_seconds: turn, fantasyland_seconds: fantasyland, chips, stop_gap: gap } = rules;
  const clocks = turn === null ? t("rules.noClock") : t("rules.clocks", { turn, fantasyland });
  const foul = rules.foul === null ? t("rules.foulAll") : t("rules.foulPoints", { points: rules.foul });
  return [
    joined(t("rules.rows"), foul),
    t("rules.turns"),
    joined(t("rules.scoring", { scoop: rules.scoop }), t(`rules.jokers.${rules.jokers}`, { count: rules.cards })),
    joined(t(`rules.button.${rules.button_acts}.sentence`), clocks),
    fantasylandSentence(rules.fantasyland),
    t("rules.session", { chips, gap }),
  ];
}

function fantasylandSentence({ widths, pairs, trips, stay, stay_cards: count }) {
  if (!widths.length) return t("rules.noFantasyland.sentence");
  const won = pairs.map((cards, rank) => [RANKS[rank].repeat(2), cards]).filter(([, cards]) => cards);
  if (trips) won.push([t("category.3"), trips]);
  const ways = listOf(won.map(([name, cards]) => t("rules.won", { name, cards })));
  const rows = ROWS.filter((row) => CATEGORIES.includes(stay[row])).map((row) =>
    t("rules.stayRow", { row: t(`row.${row}`), category: t(`category.${CATEGORIES.indexOf(stay[row])}`) }),
  );
  const kept = rows.length ? t(count ? "rules.stay" : "rules.staySame", { rows: listOf(rows), count }) : t("rules.noStay");
  return joined(t("rules.fantasyland", { ways }), kept);
}

function royaltyTable({ middle, bottom }) {
  const table = element("table", "", element("caption", "", t("rules.royalties")));
  const shown = middle.map((_, category) => category).filter((category) => middle[category] || bottom[category]);
  const head = table.insertRow();
  head.append(element("td"), ...shown.map((category) => headCell(t(`category.${category}`))));
  for (const [row, points] of [["middle", middle], ["bottom", bottom]]) {
    const line = table.insertRow();
    line.append(headCell(t(`row.${row}`), "row"));
    for (const category of shown) line.insertCell().textContent = points[category] || "–";
  }
  return table;
}

function topRoyalties({ top_pairs: pairs, top_trips: trips }) {
  const named = (points, copies) =>
    points.map((value, rank) => value && `${RANKS[rank].repeat(copies)} = ${value}`).filter(Boolean);
  return `${t("row.top")}: ${listOf([...named(pairs, 2), ...named(trips, 3)])}`;
}

const joined = (...texts) => texts.join(document.documentElement.lang === "ja" ? "" : " ");
