// What the pages beside the table have in common: bar, languages, the places where things are said.
import { note } from "./announce.js";
import { addTexts, setLanguage, t, translatePage } from "./i18n.js";
import english from "./strings_training_en.js";
import japanese from "./strings_training_ja.js";
import "./symbols.js";

const BAR = `
  <a class="skip" href="#main" data-text="page.skip"></a>
  <header class="bar">
    <a class="brand" href="./"><svg viewBox="0 0 24 24" aria-hidden="true"><use href="#suit-s"/></svg><span data-text="app.title"></span></a>
    <nav class="bar-info" data-text-label="nav.training">
      <a href="./drills.html" data-text="nav.drills"></a>
      <a href="./editor.html" data-text="nav.editor"></a>
      <a href="./openings.html" data-text="nav.openings"></a>
    </nav>
    <div class="bar-tools">
      <div class="switch" role="group" data-text-label="app.language">
        <button type="button" data-language="en" lang="en" aria-label="English">EN</button>
        <button type="button" data-language="ja" lang="ja" aria-label="日本語">日本語</button>
      </div>
    </div>
  </header>`;
const VOICES = `
  <p class="toast" id="toast" aria-hidden="true"></p>
  <div class="unseen" id="say" role="status" aria-live="polite"></div>
  <div class="unseen" id="alert" role="alert" aria-live="assertive"></div>`;

export const byId = (id) => document.getElementById(id);

/** Build what every page has, in the reader's language. */
export function openPage() {
  addTexts({ en: english, ja: japanese });
  document.body.insertAdjacentHTML("afterbegin", BAR);
  document.body.insertAdjacentHTML("beforeend", VOICES);
  for (const link of document.querySelectorAll(".bar nav a")) {
    if (new URL(link.href).pathname === location.pathname) link.setAttribute("aria-current", "page");
  }
  for (const button of document.querySelectorAll("[data-language]")) {
    button.addEventListener("click", () => setLanguage(button.dataset.language));
  }
  translatePage();
}

/** Say why a request failed: the server's sentence, or that there was none. */
export function noteFailure(error) {
  note(failureText(error), { bad: true });
}

export function failureText(error) {
  if (error.status === undefined) throw error; // not a request that was refused
  return error.status ? error.message : t("net.failed");
}

export function element(tag, className = "", ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** A button with a text of its own. */
export function button(className, text, pressed) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", pressed);
  return made;
}

// ---- numbers as people read them

export const QUANTILE = 1.96; // standard errors on either side of a 95 % interval

/** "+1.2", with a true minus sign. */
export function signedNumber(value, digits = 1) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return value > 0 ? `+${text}` : `−${text}`;
}

/** "± 0.4": half a 95 % interval; nothing where a number is exact. */
export function spread(error, digits = 1) {
  return error ? ` ± ${(QUANTILE * error).toFixed(digits)}` : "";
}
