// What this player has played: sessions with their hands, and who the player is on this server.
import { note, noteFailure, say } from "./announce.js";
import { earlierNote, progressBar } from "./balance.js";
import { pointsClass, signed } from "./board.js";
import { byId, element } from "./elements.js";
import { currentLanguage, onLanguageChange, t } from "./i18n.js";
import { becomePlayer, forgetPlayer, playerText } from "./player.js";
import { api } from "./protocol.js";
import { rulesTitle } from "./rules.js";
import { makeReviews, reviewsOf } from "./review_client.js";
import { sessionReview } from "./review_session.js";
import { copyField, pageLink, renderShare, saveFile } from "./share.js";
import { loggedNames } from "./words.js";


export class HistoryPage {
  /** `goTo(null)` opens the lobby. */
  constructor(goTo) {
    this.goTo = goTo;
    this.sessions = [];
    this.single = null; // the link of the only session shown
    byId("history-more").addEventListener("click", () => this.attempt(() => this.load()));
    byId("player-show").addEventListener("click", () => this.showText());
    byId("player-copy").addEventListener("click", () => copyField(byId("player-text"), t("player.copied")));
    byId("player-download").addEventListener("click", () => this.attempt(() => this.download()));
    byId("player-import").addEventListener("submit", (event) => this.become(event));
    byId("player-forget").addEventListener("click", () => byId("forget").showModal());
    byId("forget").addEventListener("close", () => this.forget(byId("forget").returnValue));
    onLanguageChange(() => this.render());
  }

  /** Show all sessions, or the one of a link; whether that could be done. */
  async show(single = null) {
    this.single = single;
    this.reviews = null; // of the only session shown
    this.progress = null;
    this.sessions = [];
    this.more = false;
    byId("player-box").hidden = Boolean(single);
    byId("player-text-field").hidden = true;
    this.loaded = false;
    this.render();
    return this.attempt(() => this.load());
  }

  async load() {
    if (this.single) {
      this.sessions = [await api.session(this.single)];
      this.reviews = await reviewsOf(this.single);
    } else {
      const { sessions, more } = await api.history(this.sessions.at(-1)?.link);
      this.sessions.push(...sessions);
      this.more = more;
    }
    this.loaded = true;
    this.render();
  }

  /** Do something with the server, and say what went wrong; whether it went well. */
  async attempt(action) {
    try {
      await action();
      return true;
    } catch (error) {
      noteFailure(error, t("history.private"));
      return false;
    }
  }

  render() {
    byId("history-title").textContent = t(this.single ? "history.session" : "history.title");
    byId("history-list").replaceChildren(...this.sessions.map((session) => this.line(session)));
    byId("history-more").hidden = !this.more;
    byId("history-note").hidden = !this.loaded || this.sessions.length > 0;
    const [only] = this.single ? this.sessions : [];
    this.renderReview(only);
    byId("history-share").hidden = !only;
    if (only) {
      renderShare(byId("history-share"), "session", only, (shared) => {
        only.shared = shared;
        this.render();
      });
    }
  }

  // ---- the review of the only session

  renderReview(only) {
    const root = byId("history-review");
    root.hidden = !only?.hands.length;
    if (root.hidden) return;
    if (this.progress) root.replaceChildren(progressBar(this.progress));
    else if (this.reviews?.account) {
      const [names, { seat }] = [loggedNames(only), this.reviews];
      const told = sessionReview(this.reviews, { names: only.seats.length ? null : [names[seat], names[1 - seat]] });
      root.replaceChildren(earlierNote(this.reviews.progress, () => this.review()), told);
    } else {
      const button = element("button", "primary", t("coach.askSession"));
      button.type = "button";
      button.id = "ask-review";
      button.addEventListener("click", () => this.review());
      root.replaceChildren(button);
    }
  }

  async review() {
    const { single } = this;
    const gone = () => this.single !== single || byId("history").hidden;
    await this.attempt(async () => {
      this.progress = this.reviews.progress;
      this.render();
      const reviews = await makeReviews(single, (progress) => {
        this.progress = progress;
        this.renderReview(this.sessions[0]);
      }, gone);
      if (!reviews) return;
      this.reviews = reviews;
      if (reviews.progress.problem) note(reviews.progress.problem, { bad: true });
    });
    if (this.single !== single) return;
    this.progress = null;
    this.render();
    if (this.reviews.account) say(byId("history-review").querySelector(".lost").innerText);
  }

  line(session) {
    const { hands, seats, shared } = session;
    const names = loggedNames(session);
    const lower = seats[0] ?? 0;
    const line = element("li", "panel session");
    const head = element("h2");
    const title = `${names[lower]} – ${names[1 - lower]}`;
    head.append(this.single ? title : pageLink("session", session.link, "", title), " ");
    const total = hands.reduce((sum, { points }) => sum + points[lower], 0);
    head.append(element("span", `points ${pointsClass(total)}`, signed(total)));
    const facts = [
      new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(session.started_at)),
      rulesTitle(session.rules),
      t("session.hands", { count: hands.length }),
      session.final_chips && [lower, 1 - lower].map((seat) => session.final_chips[seat]).join(" – "),
      session.practice && t("practice.title"),
      !session.ended_at && t("history.open"),
      (shared.by_you || shared.by_other) && t("history.shared"),
    ];
    const list = element("ol", "session-hands");
    list.append(...hands.map((hand) => this.handItem(hand, lower)));
    line.append(head, element("p", "", facts.filter(Boolean).join(" · ")), list);
    return line;
  }

  handItem({ link, hand_number: number, points, shared }, lower) {
    const item = element("li");
    const anchor = pageLink("hand", link, "quiet small", `${number} `);
    const mark = shared.by_you || shared.by_other ? ` ${t("history.shared")}` : "";
    anchor.append(element("span", `points ${pointsClass(points[lower])}`, signed(points[lower])), mark && " ↗");
    anchor.setAttribute("aria-label", `${t("table.hand", { number })}: ${signed(points[lower])}${mark}`);
    item.append(anchor);
    return item;
  }

  // ---- who the player is

  showText() {
    byId("player-text").value = playerText();
    byId("player-text-field").hidden = false;
    byId("player-text").focus();
    byId("player-text").select();
  }

  become(event) {
    event.preventDefault();
    if (!becomePlayer(byId("player-other").value)) {
      note(t("player.notText"), { bad: true });
      return;
    }
    byId("player-other").value = "";
    note(t("player.became"));
    this.show();
  }

  async download() {
    saveFile(await api.exportHands(), "ofc-hands.jsonl");
  }

  async forget(answer) {
    if (answer !== "forget") return;
    byId("forget").returnValue = "";
    await this.attempt(async () => {
      await api.forgetPlayer();
      forgetPlayer();
      note(t("forget.done"));
      this.goTo(null);
    });
  }
}
