// Saying things: to screen readers politely or at once, and to the eye in a short-lived note.
import { t } from "./i18n.js";

const say_ = () => document.getElementById("say");
const alert_ = () => document.getElementById("alert");
let toastTimer = 0;

/** For screen readers, when they have finished what they are saying. */
export function say(text) {
  speak(say_(), text);
}

/** For screen readers, at once. */
export function sayNow(text) {
  speak(alert_(), text);
}

/** A note at the foot of the page, spoken too; `bad` for refusals and warnings. */
export function note(text, { bad = false } = {}) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.classList.toggle("bad", bad);
  toast.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => toast.classList.remove("shown"), 2600);
  (bad ? sayNow : say)(text);
}

/** Say why a request failed; `missing` is what is said where nothing was found. */
export function noteFailure(error, missing = null) {
  note(failureText(error, missing), { bad: true });
}

/** Why a request failed: the server's sentence, or that there was none. */
export function failureText(error, missing = null) {
  if (error.status === undefined) console.error(error); // not a request that was refused
  if (error.status === 404 && missing) return missing;
  return error.status ? error.message : t("net.failed");
}

function speak(region, text) {
  // The same text twice in a row is a change only if the region is emptied in between.
  region.textContent = "";
  requestAnimationFrame(() => {
    region.textContent = text;
  });
}
