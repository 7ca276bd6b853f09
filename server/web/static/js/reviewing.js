// The review that was asked for at the table: of the hand, or of the session, that has just ended.
import { note, noteFailure, say } from "./announce.js";

const PARTS = ["review_session", "balance", "review_client"]; // loaded when somebody first asks

export class TableReview {
  constructor({ sessionId, handId, sessionResult }) {
    this.game = sessionResult || !handId ? ["session", sessionId] : ["hand", handId];
    this.progress = { hands: 1, reviewed: 0 };
    this.parts = null;
    this.body = null;
  }

  /**
   * Have it made. `changed` is called when there is something else to show, `failed` if there will be nothing; `gone` says that
   * the table has gone on without it.
   */
  async make({ changed, failed, gone }) {
    try {
      const [review, balance, client] = await Promise.all(PARTS.map((name) => import(`./${name}.js`)));
      this.parts = { ...review, ...balance };
      changed();
      this.body = await client.makeReviews(this.game[1], (progress) => {
        this.progress = progress;
        if (!gone()) changed();
      }, gone);
      if (gone()) return;
      if (this.body.progress.problem) note(this.body.progress.problem, { bad: true });
      if (!this.body.account) failed();
    } catch (error) {
      if (gone()) return;
      failed();
      noteFailure(error);
    }
    changed();
    say(document.querySelector("#result .review .lost")?.innerText ?? "");
  }

  /** What there is to show by now. */
  element() {
    if (!this.parts) return null;
    if (!this.body?.account) return this.parts.progressBar(this.progress);
    return this.parts.sessionReview(this.body, { most: 3, newTab: true, whole: this.game });
  }
}
