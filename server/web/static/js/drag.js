// Dragging cards with mouse, pen or finger. What a drop means is decided by the callbacks.

const THRESHOLD = 6; // pixels of movement that make a press a drag

/**
 * Cards inside `root` that can be moved follow the pointer. `refusal(card, target)` says whether a place may take the card
 * (null) or not; `drop(card, target)` is called with the place's data-drop, or null outside all places; `tap(element)` when a
 * finger has only touched a card, since browsers swallow the click of a tap that follows a quick drag.
 */
export class CardDrag {
  constructor(root, { refusal, drop, tap, finished }) {
    this.root = root;
    this.refusal = refusal;
    this.drop = drop;
    this.tap = tap;
    this.finished = finished;
    this.press = null;
    root.addEventListener("pointerdown", (event) => this.down(event));
    window.addEventListener("pointermove", (event) => this.move(event));
    window.addEventListener("pointerup", (event) => this.up(event));
    window.addEventListener("pointercancel", (event) => this.cancel(event));
    // The click that follows a drag or a handled tap means nothing more.
    root.addEventListener("click", (event) => this.swallow(event), true);
    root.addEventListener("dragstart", (event) => event.preventDefault());
  }

  get active() {
    return Boolean(this.press?.ghost);
  }

  down(event) {
    this.handled = false;
    const element = event.target.closest?.(".card-movable");
    if (!element || event.button !== 0 || this.press) return;
    this.press = { id: event.pointerId, element, card: element.dataset.card, x: event.clientX, y: event.clientY, ghost: null };
  }

  move(event) {
    const press = this.press;
    if (!press || event.pointerId !== press.id) return;
    if (!press.ghost) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < THRESHOLD) return;
      this.lift(press);
    }
    event.preventDefault();
    press.ghost.style.transform = `translate(${event.clientX - press.grabX}px, ${event.clientY - press.grabY}px) rotate(2deg)`;
    this.mark(this.placeAt(event));
  }

  lift(press) {
    const box = press.element.getBoundingClientRect();
    press.grabX = press.x - box.left;
    press.grabY = press.y - box.top;
    press.ghost = press.element.cloneNode(true);
    press.ghost.className = press.element.className.replace(/card-(staged|dealt)/g, "") + " card-ghost";
    press.ghost.removeAttribute("data-card");
    press.ghost.setAttribute("aria-hidden", "true");
    press.ghost.style.setProperty("--card", `${box.width}px`);
    document.body.append(press.ghost);
    press.element.classList.add("card-lifted");
    this.root.classList.add("dragging");
  }

  placeAt(event) {
    return document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-drop]") ?? null;
  }

  mark(place) {
    if (this.marked === place) return;
    this.marked?.classList.remove("drop-good", "drop-bad");
    this.marked = place;
    if (!place || place.dataset.drop === "hand") return;
    place.classList.add(this.refusal(this.press.card, place.dataset.drop) ? "drop-bad" : "drop-good");
  }

  up(event) {
    const press = this.press;
    if (!press || event.pointerId !== press.id) return;
    const place = press.ghost ? this.placeAt(event) : null;
    const dragged = Boolean(press.ghost);
    this.end();
    if (!dragged && event.pointerType !== "touch") return; // its click comes by itself
    this.handled = true;
    if (dragged) this.drop(press.card, place?.dataset.drop ?? null);
    else this.tap(press.element);
    this.finished();
  }

  cancel(event) {
    if (event.pointerId !== this.press?.id) return;
    this.end();
    this.finished();
  }

  end() {
    this.mark(null);
    this.press?.ghost?.remove();
    this.press?.element.classList.remove("card-lifted");
    this.root.classList.remove("dragging");
    this.press = null;
  }

  swallow(event) {
    if (!this.handled) return;
    this.handled = false;
    event.stopPropagation();
    event.preventDefault();
  }
}
