// What the pages beside the table have in common: bar, languages, the places where things are said.
import { addTexts, setLanguage, translatePage } from "./i18n.js";
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
