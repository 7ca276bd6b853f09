// Keys of the table. Letters are read by their place on the keyboard, so that a Japanese input method does not hide them.

const STORED_UNDER = "ofc.shortcuts";

export function shortcutsOn() {
  return localStorage.getItem(STORED_UNDER) !== "off";
}

export function setShortcuts(on) {
  localStorage.setItem(STORED_UNDER, on ? "on" : "off");
}

const LETTERS = {
  KeyT: (game) => game.placePicked("top"),
  KeyM: (game) => game.placePicked("middle"),
  KeyB: (game) => game.placePicked("bottom"),
  KeyX: (game) => game.placePicked("discard"),
  KeyU: (game) => game.undo(),
  KeyR: (game) => game.clear(),
  KeyS: (game) => game.solve(),
  KeyN: (game) => game.proceed(),
  KeyV: (game) => game.askReview(),
  // At a practice table.
  KeyH: (game) => game.practice?.hint(),
  KeyK: (game) => game.practice?.takeBack(),
  KeyP: (game) => game.practice?.again(),
  KeyC: (game) => game.practice?.toggleChances(),
};

/** Listen for the keys of a table; `game` does what they ask, `openHelp` shows the list of them. */
export function listenForKeys(game, openHelp) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.target.closest?.("input, textarea, select")) return;
    if (document.querySelector("dialog[open]")) return;
    if (shortcutsOn() && event.key === "?") openHelp();
    else if (!game.atTable || !handle(event, game)) return;
    event.preventDefault();
  });
}

/** Whether the key meant something. */
function handle(event, game) {
  if ((event.ctrlKey || event.metaKey) && event.code === "KeyZ") return game.undo(), true;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") return game.moveFocus(event.key === "ArrowRight" ? 1 : -1);
  if (event.key === "Enter") {
    // Enter on a button presses that button; anywhere else, and on a card, it confirms a finished layout.
    const control = event.target.closest?.("button, a, summary");
    const onCard = control?.classList.contains("card-movable");
    return (!control || onCard) && game.layoutComplete ? (game.confirm(), true) : false;
  }
  if (!shortcutsOn()) return false;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  if (digit) return game.pickNth((Number(digit[1]) + 9) % 10), true;
  const action = LETTERS[event.code];
  if (action) action(game);
  return Boolean(action);
}
