// The review of a session, or of the hand just played: what was lost, luck and skill, the course, the worst decisions first.
import { balanceLine } from "./balance.js";
import { lineChart } from "./chart.js";
import { gradeChip, position, practiseButton, verdict } from "./decision.js";
import { element } from "./elements.js";
import { currentLanguage, t } from "./i18n.js";
import { signedNumber } from "./numbers.js";
import { pageLink } from "./share.js";
import { useStyle } from "./style.js";
import { gradeName, whyFoul } from "./why.js";
import "./review_strings.js";

useStyle("review");

const MARKED = new Set(["inaccuracy", "mistake", "blunder"]);
const MOST_FOULS = 2; // more are folded, so that the chart and the worst decisions are not far below
const LOST = ["fine", "inaccuracy", "mistake", "blunder"];

/**
 * Everything of a reviewed game. `body` is the server's; `most` limits the list of decisions; `newTab` opens hands beside the
 * page, where a seat is held on it; `whole` is [kind, id] of the page that has more; `names` are those of the side it is told from
 * and the other, for who sits on neither.
 */
export function sessionReview(body, { most = Infinity, newTab = false, whole = null, names = null } = {}) {
  const box = element("section", "review");
  const { account, reviews, seat } = body;
  const title = names ? t("coach.handOf", { name: names[0] }) : t("coach.hand");
  box.setAttribute("aria-label", title);
  box.append(element("h2", "", title), lostLine(account), balanceLine(account.balance, names));
  const many = reviews.length > 1;
  if (!many || !whole) {
    const fouls = reviews.flatMap(({ review, hand_number: number }) => foulLines(review, names, many ? `${t("table.hand", { number })} · ` : ""));
    box.append(...(fouls.length > MOST_FOULS ? [folded(t("coach.fouls", { count: fouls.length }), fouls)] : fouls));
  }
  if (many) box.append(sessionChart(body, newTab));
  const shown = account.worst.slice(0, most);
  if (shown.length) {
    const list = element("ol", "worst");
    list.append(...shown.map((place) => worstItem(reviews[place.hand], place.decision, newTab)));
    box.append(element("h3", "", t("coach.worst")), list);
  }
  if (whole) {
    const link = pageLink(...whole, "quiet small", t("coach.whole"));
    link.target = "_blank";
    link.id = "whole-review";
    box.append(link);
  }
  box.dataset.seat = seat;
  return box;
}

/** How many points went, in how many decisions, and how those are called. */
export function lostLine({ grades, lost, worst }) {
  const line = element("p", "lost");
  const all = Object.values(grades).reduce((sum, count) => sum + count, 0);
  if (!worst.length) line.append(element("span", "", t("coach.lostNothing", { all })));
  else line.append(element("strong", "", t("coach.lost", { points: Math.max(0, lost).toFixed(1), count: worst.length, all })));
  for (const grade of LOST.filter((name) => grades[name])) {
    const chip = gradeChip(grade);
    chip.append(` ${grades[grade]}`);
    line.append(" ", chip);
  }
  return line;
}

/** When a foul became certain and what lost the hand to it, for each board that fouled; `where` goes before it. */
export function foulLines({ fouls, seat }, names = null, where = "") {
  return fouls.map((foul) => {
    const other = foul.seat === seat ? 0 : 1;
    const whose = names ? t("coach.foulOf", { name: names[other] }) : t(other ? "coach.foulOther" : "coach.foulOwn");
    return element("p", "foul-why", where + whose + whyFoul(foul, currentLanguage()));
  });
}

/** Points of a chart from events with an `expected` value; decisions that are marked are those that `isMarked`, `go` there and say `where` they are. */
export function chartPoints(events, decisionOf, isMarked, go, where) {
  let hand = null;
  let place = -1; // among the decisions of the hand: each begins with a deal
  return events.map((event) => {
    if (event.hand !== hand) [hand, place] = [event.hand, -1];
    if (event.event === "deal") place += 1;
    const at = place;
    const decision = event.event === "placement" ? decisionOf(event, at) : null;
    if (!decision || !isMarked(decision)) return { value: event.expected, kind: event.event === "end" ? "mark-end" : "" };
    return {
      value: event.expected,
      kind: `mark-${decision.grade}`,
      title: `${where(event, decision)}: ${gradeName(decision.grade, currentLanguage())} ${signedNumber(-decision.cost)}`,
      go: () => go(event, at),
    };
  });
}

function folded(title, lines) {
  const box = element("details", "foul-list");
  box.append(element("summary", "", title), ...lines);
  return box;
}

function sessionChart({ account: { course }, reviews, seat }, newTab) {
  const points = chartPoints(
    course,
    ({ hand }, place) => reviews[hand].review.decisions[place],
    (decision) => decision.seat === seat && MARKED.has(decision.grade),
    ({ hand }, place) => visit(handLink(reviews[hand].hand, place), newTab),
    ({ hand }, decision) => whereInSession(reviews[hand].hand_number, decision),
  );
  const firsts = course.flatMap(({ hand }, at) => (course[at - 1]?.hand === hand ? [] : [[hand, at]]));
  const breaks = firsts.map(([hand, at]) => ({
    at,
    text: String(reviews[hand].hand_number),
    title: t("table.hand", { number: reviews[hand].hand_number }),
    go: () => visit(handLink(reviews[hand].hand), newTab),
  }));
  const label = t("coach.chartSession", { first: signedNumber(course[0].expected), last: signedNumber(course.at(-1).expected) });
  return lineChart({ points, breaks, label });
}

function whereInSession(hand, { kind, turn }) {
  return kind === "setting" ? t("coach.whereFantasyland", { hand }) : t("coach.where", { hand, turn });
}

function worstItem({ hand, hand_number: number, review, positions }, place, newTab) {
  const decision = review.decisions[place];
  const item = element("li", "panel");
  const head = element("h4");
  const link = handLink(hand, place);
  link.textContent = whereInSession(number, decision);
  if (newTab) link.target = "_blank";
  head.append(link, " ", gradeChip(decision.grade), " ", element("span", "points minus", signedNumber(-decision.cost)));
  item.append(head, verdict(decision), position(decision, positions[place]), practiseButton(hand, place, decision));
  return item;
}

function handLink(hand, step = null) {
  const link = pageLink("hand", hand, "");
  if (step !== null) link.href += `&step=${step}`;
  return link;
}

function visit(link, newTab) {
  if (newTab) window.open(link.href, "_blank", "noopener");
  else location.assign(link.href);
}
