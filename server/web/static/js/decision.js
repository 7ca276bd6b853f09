// A reviewed decision: its grade and why, the candidates, and what became of them.
import { note, noteFailure } from "./announce.js";
import { ROWS } from "./cards.js";
import { element, headCell } from "./elements.js";
import { currentLanguage, percent, t } from "./i18n.js";
import { FANTASYLAND_WIDTHS, signedNumber, spread } from "./numbers.js";
import { groups, placementGroups } from "./review.js";
import { practise, readPlacement } from "./review_client.js";
import { gradeName, why } from "./why.js";

const PRACTISED = new Set(["mistake", "blunder"]);

export function gradeChip(grade) {
  return element("span", `grade grade-${grade}`, gradeName(grade, currentLanguage()));
}

/** The sentence that says what a decision cost, and why. */
export function verdict(decision) {
  return element("p", `verdict verdict-${decision.grade}`, why(decision, currentLanguage()));
}

/** The placements that were weighed, best first, with their values and 95 % intervals. */
export function candidates({ options, played, best }) {
  const table = element("table", "candidates");
  table.append(element("caption", "", t("coach.candidates")));
  const head = table.createTHead().insertRow();
  for (const key of ["coach.placement", "coach.value", "coach.behind"]) head.append(headCell(t(key)));
  const body = table.createTBody();
  for (const option of options) {
    const line = body.insertRow();
    const cell = line.insertCell();
    cell.append(groups("", placementGroups(readPlacement(option.placement))));
    const marks = [option.placement === best && t("coach.best"), option.placement === played && t("coach.played")].filter(Boolean);
    if (marks.length) cell.append(element("span", "candidate-marks", marks.join(" · ")));
    line.classList.toggle("candidate-played", option.placement === played);
    line.insertCell().append(withInterval(option.value, option.error));
    line.insertCell().append(option === options[0] ? "" : withInterval(-option.behind, option.behind_error));
  }
  return table;
}

/** Chances of the placement played beside those of the best one. */
export function chances({ options, played, best }) {
  const own = options.find(({ placement }) => placement === played)?.chances;
  const top = options.find(({ placement }) => placement === best)?.chances ?? options[0].chances;
  if (!own || !top) return "";
  const table = element("table", "candidates");
  table.append(element("caption", "", t("coach.chances")));
  const same = own === top;
  const head = table.createTHead().insertRow();
  for (const text of ["", t("coach.played"), ...(same ? [] : [t("coach.best")])]) head.append(headCell(text));
  const body = table.createTBody();
  const add = (label, read, text) => {
    const line = body.insertRow();
    line.append(headCell(label, "row"));
    for (const each of same ? [own] : [own, top]) line.insertCell().textContent = text(read(each));
  };
  const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);
  add(t("coach.foul"), (each) => each.foul, percent);
  add(t("coach.fantasyland"), (each) => sum(each.fantasyland), percent);
  FANTASYLAND_WIDTHS.forEach((cards, at) => {
    if (own.fantasyland[at] || top.fantasyland[at]) add(t("coach.fantasylandWidth", { cards }), (each) => each.fantasyland[at], percent);
  });
  add(t("coach.royalties"), (each) => each.royalties, (number) => number.toFixed(1));
  ROWS.forEach((row, at) => add(t("coach.rowWon", { row: t(`row.${row}`) }), (each) => each.rows[at], percent));
  add(t("coach.theirFoul"), (each) => each.opponent_foul, percent);
  add(t("coach.theirFantasyland"), (each) => sum(each.opponent_fantasyland), percent);
  return table;
}

/** Where and with what a decision was made, and what was played; both boards in small cards. */
export function position(decision, { board, opponent_board: other, opponent_hidden: hidden, dealt_cards: dealt }) {
  const box = element("div", "position");
  const rows = (cards) => ROWS.filter((row) => cards[row].length).map((row) => [t(`row.${row}`), cards[row]]);
  const line = (label, named, none) => {
    const made = groups(label, named);
    if (!named.some(([, cards]) => cards.length)) made.lastChild.append(none);
    return made;
  };
  box.append(
    line(t("coach.yourBoard"), rows(board), t("coach.empty")),
    line(t("coach.theirBoard"), rows(other), t(hidden ? "coach.faceDown" : "coach.empty")),
    line(t("review.dealt"), [["", dealt]], ""),
    line(decision.timed_out ? t("replay.clock") : t("coach.played"), placementGroups(readPlacement(decision.played)), ""),
  );
  if (decision.grade !== "best") box.append(line(t("coach.best"), placementGroups(readPlacement(decision.best)), ""));
  return box;
}

/** A button that gives one's own mistake to the drills; nothing for other decisions. `hand` is the link of the hand. */
export function practiseButton(hand, place, decision) {
  if (!PRACTISED.has(decision.grade) || decision.timed_out) return "";
  const button = element("button", "quiet small practise", t("coach.practise"));
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await practise(hand, place);
      button.disabled = true;
      note(t("coach.practising"));
    } catch (error) {
      noteFailure(error);
    }
  });
  return button;
}

function withInterval(number, error) {
  const cell = element("span", "interval", signedNumber(number));
  if (error) cell.append(element("small", "", spread(error)));
  return cell;
}
