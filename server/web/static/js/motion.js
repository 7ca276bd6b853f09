// Cards glide from where they were to where they are, unless the reader asked for stillness.

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Do `change` to the page under `root`, then let every card that has moved glide to its new place. */
export function withMotion(root, change) {
  if (still.matches) {
    change();
    return;
  }
  const before = placesOf(root);
  change();
  for (const [card, element] of cardsIn(root)) {
    const old = before.get(card);
    if (!old) continue;
    const now = element.getBoundingClientRect();
    const [x, y] = [old.left - now.left, old.top - now.top];
    if (Math.abs(x) + Math.abs(y) < 4 || !now.width) continue;
    element.animate(
      [{ transform: `translate(${x}px, ${y}px) scale(${old.width / now.width})`, transformOrigin: "0 0" }, { transformOrigin: "0 0" }],
      { duration: 170, easing: "ease-out" },
    );
  }
}

/** A short shake of what refuses something. */
export function shake(element) {
  if (still.matches) return;
  element?.animate([0, -6, 6, -4, 4, 0].map((x) => ({ transform: `translateX(${x}px)` })), { duration: 260 });
}

function cardsIn(root) {
  return [...root.querySelectorAll("[data-card]")].map((element) => [element.dataset.card, element]);
}

function placesOf(root) {
  return new Map(cardsIn(root).map(([card, element]) => [card, element.getBoundingClientRect()]));
}
