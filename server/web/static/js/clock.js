// The time left of the turn: a ring with digits on the acting player's plate, a warning when little is left.
import { t } from "./i18n.js";
import { sayNow } from "./announce.js";

const WARNING_SECONDS = 5;

export class Clock {
  constructor() {
    this.clock = null;
    this.warned = false;
    setInterval(() => this.tick(), 200);
  }

  /** Show `clock` ({deadline, limit} or null) in `element`; warn aloud if it is one's own. */
  show(element, others, clock, own) {
    if (!this.clock || !clock || clock.deadline !== this.clock.deadline) this.warned = false;
    this.clock = clock;
    this.element = element;
    this.own = own;
    for (const other of others) other.hidden = true;
    this.tick();
  }

  tick() {
    const { clock, element } = this;
    if (!element) return;
    element.hidden = !clock;
    if (!clock) return;
    const left = Math.max(0, (clock.deadline - performance.now()) / 1000);
    const seconds = Math.ceil(left);
    const low = left <= WARNING_SECONDS;
    element.classList.toggle("low", low);
    element.style.setProperty("--left", String(Math.min(1, left / clock.limit)));
    element.firstElementChild.textContent = String(seconds);
    element.setAttribute("role", "timer");
    element.setAttribute("aria-label", t("turn.seconds", { seconds }));
    if (low && this.own && !this.warned && left > 0) {
      this.warned = true;
      sayNow(t("turn.seconds", { seconds }));
    }
  }
}
