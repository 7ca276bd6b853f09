// Who this browser is to the server: a random token, made and kept here. The server keeps only its hash.

const STORED_UNDER = "ofc.player";
const TOKEN = /^[A-Za-z0-9_-]{22,128}$/; // as the server reads it
const MARK = "ofc-player:"; // says what a text is that was copied to another browser
const KEPT = new Set(["ofc.language", "ofc.shortcuts"]); // how the page looks says nothing of who one is

export function playerToken() {
  const stored = localStorage.getItem(STORED_UNDER);
  return TOKEN.test(stored ?? "") ? stored : keep(newToken());
}

/** The text that makes another browser the same player. */
export function playerText() {
  return MARK + playerToken();
}

/** Become the player of a text; false if it is none. */
export function becomePlayer(text) {
  const [token] = text.trim().split(MARK).slice(-1);
  return TOKEN.test(token) && Boolean(keep(token));
}

/** Let this browser forget who it was: token, name and seats. */
export function forgetPlayer() {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("ofc.") && !KEPT.has(key)) localStorage.removeItem(key);
  }
}

function keep(token) {
  localStorage.setItem(STORED_UNDER, token);
  return token;
}

function newToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(24)); // whole groups of three: base64 without an end mark
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}
