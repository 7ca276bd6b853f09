// How well this player plays: points lost a hand, the level that loses as much, its course, and habits in numbers.
import { note, noteFailure } from "./announce.js";
import { answerOf, ask } from "./api.js";
import { progressBar } from "./balance.js";
import { lineChart } from "./chart.js";
import { gradeChip } from "./decision.js";
import { element } from "./elements.js";
import { onLanguageChange, percent, t } from "./i18n.js";
import { signedNumber } from "./numbers.js";
import { follow } from "./review_client.js";
import { pageLink, saveFile } from "./share.js";
import { useStyle } from "./style.js";
import "./review_strings.js";

useStyle("review");

export class RatingPage {
  constructor() {
    this.root = document.getElementById("rating");
    this.body = null;
    onLanguageChange(() => this.render());
  }

  /** Show the rating as it stands; whether that could be done. */
  async show() {
    this.progress = null;
    return this.attempt(() => this.load());
  }

  async load() {
    this.body = await ask("GET", "/api/rating");
    this.render();
  }

  async attempt(action) {
    try {
      await action();
      return true;
    } catch (error) {
      noteFailure(error);
      return false;
    }
  }

  /** Have the hands reviewed that are not yet, and rate them. */
  async review() {
    if (this.progress) return;
    this.progress = this.body.progress;
    this.render();
    await this.attempt(async () => {
      await follow("/api/rating", (progress) => {
        this.progress = progress;
        this.render();
        if (!progress.running && progress.problem) note(progress.problem, { bad: true });
      }, () => this.root.hidden);
    });
    this.progress = null;
    await this.attempt(() => this.load());
    this.root.querySelector("h1")?.focus({ preventScroll: true });
  }

  render() {
    if (!this.body || this.root.hidden) return;
    const { rated } = this.body;
    const head = element("div", "panel-head");
    const title = element("h1", "", t("rating.title"));
    title.id = "rating-title";
    title.tabIndex = -1;
    head.append(title, pageLink("history", "1", "quiet small", t("history.title")));
    const focused = this.root.contains(document.activeElement) && document.activeElement.id;
    this.root.replaceChildren(head, ...this.reviewing(), ...(rated ? this.told(this.body) : []));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** What is not reviewed yet, and the way to change that. */
  reviewing() {
    const { hands, reviewed, earlier } = this.body.progress;
    if (this.progress) return [progressBar(this.progress)];
    const parts = [];
    if (!hands) parts.push(element("p", "", t("rating.noHands")));
    else if (!this.body.rated) parts.push(element("p", "", t("rating.none")));
    if (earlier) parts.push(element("p", "", t("coach.earlier", { earlier, hands })));
    if (hands > reviewed) parts.push(this.button("review-all", t("coach.askAll", { count: hands - reviewed }), () => this.review()));
    return parts;
  }

  button(id, text, action) {
    const button = element("button", id === "review-all" ? "primary" : "quiet small", text);
    button.type = "button";
    button.id = id;
    button.addEventListener("click", action);
    return button;
  }

  told({ rating, statistics, profile }) {
    const download = this.button("download-reviews", t("rating.download"), () =>
      this.attempt(async () => saveFile(await (await answerOf("GET", "/api/rating/export")).blob(), "ofc-reviews.jsonl")),
    );
    const parts = profile ? [this.profile(profile)] : []; // not every build of the page has one
    return [this.score(rating), this.course(rating), ...parts, this.statistics(statistics), ...this.costs(statistics), download];
  }

  score({ lost, band, surely, decisions }) {
    const box = element("section", "panel score");
    if (lost.mean === null) {
      box.append(element("p", "", t("rating.what")));
      return box;
    }
    const number = element("p", "score-number");
    number.append(element("strong", "", Math.max(0, lost.mean).toFixed(2)));
    if (lost.low !== null) number.append(element("small", "", ` ± ${(lost.high - lost.mean).toFixed(2)} `));
    number.append(" ", t("rating.lost"));
    const level = (name) => t(`level.${name}`);
    const sentences = [surely.length ? t("rating.band", { level: level(band) }) : t("rating.few")];
    if (surely.length === 1) sentences.push(t("rating.bandOne"));
    else if (surely.length) sentences.push(t("rating.bandBetween", { low: level(surely[0]), high: level(surely.at(-1)) }));
    box.append(number, element("p", "band", sentences.join(" ")));
    box.append(element("p", "", t("rating.from", { hands: lost.count, decisions })), element("p", "", t("rating.what")));
    return box;
  }

  course({ course, levels }) {
    const box = element("section", "panel");
    box.append(element("h2", "", t("rating.course")));
    const points = course.map(({ mean, low, high, count }) => ({
      value: mean,
      ...(low === null ? {} : { low: Math.max(low, -2), high }),
      kind: "mark-best",
      title: `${mean.toFixed(1)} (${count})`,
    }));
    const numbers = course.map(({ mean }) => mean.toFixed(1)).join(", ");
    const lines = Object.entries(levels).map(([name, value]) => ({ value, text: t(`level.${name}`) }));
    box.append(lineChart({ points, lines, label: t("rating.chart", { numbers }), height: 260 }));
    return box;
  }

  statistics(found) {
    const share = (number) => percent(Math.min(1, Math.max(0, number)));
    const points = (number) => Math.max(0, number).toFixed(1);
    const rows = [
      ["foul", share],
      ["fantasyland", share],
      ["royalties", points],
      ["result", signedNumber],
      ["adjusted", signedNumber],
    ].map(([name, text]) => {
      const { mean, low, high } = found[name];
      // Where all hands were alike, their spread says nothing of the next one.
      if (mean === null) return [t(`rating.${name}`), "–", ""];
      return [t(`rating.${name}`), text(mean), low === null || low === high ? "–" : `${text(low)} … ${text(high)}`];
    });
    const grades = element("p", "lost");
    for (const [grade, count] of Object.entries(found.grades)) {
      const chip = gradeChip(grade);
      chip.append(` ${count}`);
      grades.append(chip, " ");
    }
    const box = this.table("rating.statistics", ["rating.measure", "rating.number", "rating.interval"], rows);
    box.append(element("h2", "", t("rating.grades")), grades);
    return box;
  }

  costs({ by_turn: turns, by_kind: kinds }) {
    const heads = ["rating.measure", "rating.share", "rating.aHand"];
    const row = (name, { decisions, lost }) => [name, String(decisions), lost.mean === null ? "–" : signedNumber(-lost.mean)];
    const named = Object.entries(kinds).filter(([, { decisions }]) => decisions);
    named.sort(([, a], [, b]) => b.lost.mean - a.lost.mean);
    return [
      this.table("rating.byTurn", heads, turns.map((each, turn) => row(t("rating.turn", { turn }), each))),
      this.table("rating.byKind", heads, named.map(([name, each]) => row(t(`kind.${name}`), each))),
    ];
  }

  /** What stands out, acting first and second, and the hands lost without bad luck. */
  profile({ groups, first, second, lost }) {
    const box = element("section", "panel profile");
    box.id = "profile";
    box.append(element("h2", "", t("profile.title")));
    const share = ({ mean }) => percent(mean);
    const group = (name) => (name.startsWith("turn ") ? t("rating.turn", { turn: name.slice(5) }) : t(`profile.${name.replace(" ", "_")}`));
    const list = element("ul");
    for (const { name, verdict, share: own, rest } of groups) {
      list.append(element("li", verdict, t(`profile.${verdict}`, { group: group(name), share: share(own), rest: share(rest) })));
    }
    box.append(groups.length ? list : element("p", "", t("profile.none")));
    if (first.mean !== null && second.mean !== null) {
      const spread = ({ mean, low, high }) => mean.toFixed(1) + (low === null ? "" : ` ± ${((high - low) / 2).toFixed(1)}`);
      box.append(element("p", "", t("profile.seats", { first: spread(first), second: spread(second) })));
    }
    if (!lost.length) return box;
    const hands = element("ol", "lost-hands");
    for (const { hand, hand_number: number, result, adjusted, cost } of lost) {
      const item = element("li");
      const points = { result: signedNumber(result), adjusted: signedNumber(adjusted), cost: signedNumber(-cost) };
      item.append(pageLink("hand", hand, "", t("table.hand", { number })), t("profile.lostHand", points));
      hands.append(item);
    }
    box.append(element("h2", "", t("profile.lost")), hands);
    return box;
  }

  table(title, heads, rows) {
    const box = element("section", "panel");
    const table = element("table", "numbers");
    const head = table.createTHead().insertRow();
    for (const key of heads) head.append(Object.assign(element("th", "", t(key)), { scope: "col" }));
    const body = table.createTBody();
    for (const [name, ...cells] of rows) {
      const line = body.insertRow();
      line.append(Object.assign(element("th", "", name), { scope: "row" }));
      for (const text of cells) line.insertCell().textContent = text;
    }
    box.append(element("h2", "", t(title)), table);
    return box;
  }
}
