// What a hand came to, row by row, and what a session came to.
import { pointsClass, signed } from "./board.js";
import { ROWS, valueWords } from "./cards.js";
import { element, headCell } from "./elements.js";
import { t } from "./i18n.js";
import { pageLink } from "./share.js";
import { canFreeSeat } from "./state.js";

/**
 * Fill `root` with the result of a hand from the side of seat `lower`. `evaluations` are of both boards by seat (or null while
 * they are being asked for); `names` are by seat; `proceed` describes the button that goes on: {text, disabled}; `review` is
 * what shows the review that was asked for, or how far it is; `lastSession` is the id of the one before this at the table.
 */
export function renderResult(root, { state, lower, names, evaluations, proceed, review, lastSession }) {
  const { result, sessionResult } = state;
  const upper = 1 - lower;
  const side = element("div", "result-side");
  side.append(
    ...(sessionResult ? sessionHead(state, lower, names) : handHead(state, lower, names)),
    ...notices(state, lower, names),
    actions(state, proceed, Boolean(review), lastSession),
  );
  root.replaceChildren(resultTable(result, lower, upper, names, evaluations), side);
  if (review) root.append(review);
}

export function resultTitle(state, lower, names) {
  const points = state.result.actual_score[lower];
  if (points === 0) return t("result.tied");
  if (state.seat === null) return t("result.seatWon", { name: names[points > 0 ? lower : 1 - lower], points: Math.abs(points) });
  return t(points > 0 ? "result.won" : "result.lost", { points: Math.abs(points) });
}

export function sessionTitle(state, lower, names) {
  const { winner } = state.sessionResult;
  if (winner === null) return t("session.drawn");
  return state.seat === winner ? t("session.won") : t("session.lost", { name: names[winner] });
}

function sessionHead(state, lower, names) {
  const { final_chips: chips, hands_played: count, reason, winner } = state.sessionResult;
  const title = element("h2", winner === state.seat ? "session-title won" : "session-title", sessionTitle(state, lower, names));
  title.id = "result-title";
  return [
    title,
    element("p", "session-chips", `${names[lower]} ${chips[lower]} – ${chips[1 - lower]} ${names[1 - lower]}`),
    element("p", "session-reason", `${t(`session.${reason}`, { gap: state.rules.stop_gap })} ${t("session.hands", { count })}`),
  ];
}

function handHead(state, lower, names) {
  const title = element("h2", `result-title ${pointsClass(state.result.actual_score[lower])}`, resultTitle(state, lower, names));
  title.id = "result-title";
  return [title];
}

export function resultTable(result, lower, upper, names, evaluations) {
  const table = element("table", "result-table");
  const head = table.createTHead().insertRow();
  const titles = names.map((name, seat) => (result.busted[seat] ? `${name} · ${t("result.foul")}` : name));
  for (const text of [t("result.row"), titles[lower], t("result.points"), titles[upper]]) {
    head.append(headCell(text));
  }
  const body = table.createTBody();
  ROWS.forEach((row, index) => {
    addLine(body, t(`row.${row}`), [
      rowCell(result, evaluations, lower, row, index),
      pointsCell(result.line_results[lower][row]),
      rowCell(result, evaluations, upper, row, index),
    ]);
  });
  const royalties = [lower, upper].map((seat) => result.royalties[seat].total);
  const rows = ROWS.reduce((sum, row) => sum + result.line_results[lower][row], 0);
  const more = result.raw_score[lower] - rows - (royalties[0] - royalties[1]);
  if (more) addLine(body, t(result.busted.includes(true) ? "result.foul" : "result.scoop"), ["", pointsCell(more), ""]);
  addLine(body, t("result.royalties"), [String(royalties[0]), pointsCell(royalties[0] - royalties[1]), String(royalties[1])]);
  addLine(body, t("result.total"), [
    `${t("result.chips")} ${result.chips[lower]}`,
    pointsCell(result.raw_score[lower]),
    `${t("result.chips")} ${result.chips[upper]}`,
  ]).className = "total";
  return table;
}

function addLine(body, label, cells) {
  const line = body.insertRow();
  line.append(headCell(label, "row"));
  for (const content of cells) {
    const cell = line.insertCell();
    cell.append(content);
  }
  return line;
}

function rowCell(result, evaluations, seat, row, index) {
  const cell = element("span", "row-cell");
  const name = valueWords(evaluations[seat]?.values[index]);
  cell.append(element("span", result.busted[seat] ? "foul-name" : "", name));
  const royalty = result.royalties[seat][row];
  if (royalty) cell.append(element("span", "row-royalty", `+${royalty}`));
  return cell;
}

function pointsCell(points) {
  return element("span", `points ${pointsClass(points)}`, signed(points));
}

function notices(state, lower, names) {
  const { result } = state;
  const texts = [];
  if (result.raw_score[lower] !== result.actual_score[lower]) {
    texts.push(t("result.capped", { points: signed(result.actual_score[lower]) }));
  }
  if (!state.sessionResult) {
    for (const seat of [lower, 1 - lower]) {
      const count = result.fl_card_count[seat];
      if (!count) continue;
      const key = result.fl_stay[seat] ? "result.stay" : "result.fantasyland";
      const own = seat === state.seat;
      texts.push(`★ ${t(key + (own ? "You" : "Other"), { name: names[seat], count })}`);
    }
  }
  return texts.map((text) => element("p", "notice", text));
}

function actions(state, proceed, reviewed, lastSession) {
  const box = element("div", "buttons");
  if (proceed) {
    const button = element("button", "primary", proceed.text);
    button.type = "button";
    button.id = "proceed";
    button.disabled = proceed.disabled;
    button.setAttribute("aria-keyshortcuts", "N");
    box.append(button);
  }
  if (state.seat !== null) {
    const review = element("button", "quiet", t("review.ask"));
    review.type = "button";
    review.id = "review";
    review.disabled = reviewed;
    review.setAttribute("aria-keyshortcuts", "V");
    box.append(review);
  }
  if (state.seat !== null) {
    const [kind, id] = state.handId ? ["hand", state.handId] : ["session", state.sessionId];
    const again = pageLink(kind, id, "quiet", t("result.again"));
    again.id = "look-again";
    again.target = "_blank"; // the seat at the table stays where it is
    box.append(again);
  }
  if (lastSession && !state.sessionResult) {
    const last = pageLink("session", lastSession, "quiet", t("result.lastSession"));
    last.id = "last-session";
    last.target = "_blank";
    box.append(last);
  }
  if (state.sessionResult && canFreeSeat(state)) {
    const free = element("button", "quiet", t("session.freeSeat"));
    free.type = "button";
    free.id = "free-other-seat";
    box.append(free);
  }
  if (state.sessionResult) {
    const lobby = element("button", "quiet", t("session.lobby"));
    lobby.type = "button";
    lobby.id = "to-lobby";
    box.append(lobby);
  }
  return box;
}
