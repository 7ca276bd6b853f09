// The review of a hand that is stepped through: what this decision was worth, the chart, the worst decisions first.
import { note, noteFailure, say } from "./announce.js";
import { balanceLine, earlierNote, progressBar } from "./balance.js";
import { focusedPart, focusPart, lineChart } from "./chart.js";
import { candidates, chances, gradeChip, practiseButton, verdict } from "./decision.js";
import { element } from "./elements.js";
import { t } from "./i18n.js";
import { signedNumber } from "./numbers.js";
import { makeReviews, reviewsOf } from "./review_client.js";
import { chartPoints, foulLines, lostLine } from "./review_session.js";

export class HandReviewPart {
  /** `verdictRoot` is beside the boards, `root` below; `step(at)` goes to a decision. */
  constructor(verdictRoot, root, step) {
    this.verdictRoot = verdictRoot;
    this.root = root;
    this.step = step;
    this.link = null;
  }

  /** Begin with another hand, and show what is there of its review. */
  async show(link) {
    this.link = link;
    this.body = null;
    this.progress = null;
    try {
      const body = await reviewsOf(link);
      if (this.link === link) this.take(body);
    } catch {
      // The hand is shown without its review, which can be asked for.
    }
  }

  take(body) {
    const [found] = body.reviews;
    this.body = found?.review ? { ...found, account: body.account, progress: body.progress } : null;
  }

  /** Have the hand reviewed. */
  async ask() {
    const { link } = this;
    if (!link || (this.body && !this.body.progress.earlier) || this.progress) return;
    this.progress = { hands: 1, reviewed: 0 };
    this.render(this.at);
    try {
      const body = await makeReviews(link, () => {}, () => this.link !== link);
      if (this.link !== link) return;
      this.progress = null;
      this.take(body);
      if (body.progress.problem) note(body.progress.problem, { bad: true });
    } catch (error) {
      if (this.link !== link) return;
      this.progress = null;
      noteFailure(error);
    }
    this.render(this.at);
    if (this.body) say(this.verdictRoot.innerText);
    this.verdictRoot.querySelector("button")?.focus({ preventScroll: true });
  }

  /** In a word, for the line that says which decision is shown. */
  word(at) {
    const decision = this.body?.review.decisions[at];
    return decision ? gradeChip(decision.grade) : "";
  }

  /** What is said of the decision `at`, or after the last one of the hand; `names` of both sides for who sits on neither. */
  render(at, names = this.names) {
    this.at = at;
    this.names = names;
    if (!this.body || this.progress) {
      this.verdictRoot.replaceChildren(this.progress ? progressBar(this.progress) : this.askButton());
      this.root.replaceChildren();
      return;
    }
    const { review, account, hand } = this.body;
    const decision = review.decisions[at];
    if (decision) {
      const own = decision.seat === review.seat;
      this.verdictRoot.replaceChildren(verdict(decision), own ? practiseButton(hand, at, decision) : "");
    } else this.verdictRoot.replaceChildren(lostLine(account), balanceLine(review.balance, names), ...foulLines(review, names));
    const parts = [];
    if (decision) {
      const tables = element("div", "candidate-tables");
      tables.append(candidates(decision), chances(decision));
      parts.push(tables);
    }
    parts.push(this.chart(review, at));
    if (decision) parts.push(lostLine(account), balanceLine(review.balance, names), ...foulLines(review, names));
    const focused = focusedPart(this.root);
    this.root.replaceChildren(...parts, ...this.worst(account, review, at), earlierNote(this.body.progress, () => this.ask()));
    focusPart(this.root, focused);
  }

  askButton() {
    const button = element("button", "quiet", t("coach.askHand"));
    button.type = "button";
    button.id = "ask-review";
    button.setAttribute("aria-keyshortcuts", "V");
    button.addEventListener("click", () => this.ask());
    return button;
  }

  chart({ steps, decisions }, at) {
    const points = chartPoints(steps, (_, place) => decisions[place], () => true, (_, place) => this.step(place), (_, decision) => turnName(decision));
    let place = -1;
    let now = steps.length - 1;
    steps.forEach(({ event }, index) => {
      if (event === "deal") place += 1;
      if (event === "placement" && place === at) now = index;
    });
    const label = t("coach.chartHand", { first: signedNumber(steps[0].expected), last: signedNumber(steps.at(-1).expected) });
    return lineChart({ points, now, label, height: 170 });
  }

  /** The decisions that lost something, worst first, as buttons that go there. */
  worst({ worst }, { decisions }, at) {
    if (!worst.length) return [];
    const list = element("ol", "worst-steps");
    for (const { decision: place } of worst) {
      const decision = decisions[place];
      const item = element("li");
      const button = element("button", "quiet small", `${turnName(decision)} `);
      button.type = "button";
      button.append(gradeChip(decision.grade), ` ${signedNumber(-decision.cost)}`);
      if (place === at) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => this.step(place));
      item.append(button);
      list.append(item);
    }
    return [element("h2", "", t("coach.worst")), list];
  }
}

function turnName({ kind, turn }) {
  return kind === "setting" ? t("replay.fantasyland") : t("replay.turn", { turn });
}
