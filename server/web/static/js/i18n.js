// Texts in the chosen language. The choice is remembered; at first it follows the browser.
import english from "./strings_en.js";
import japanese from "./strings_ja.js";

const LANGUAGES = { en: english, ja: japanese };
const STORED_UNDER = "ofc.language";
const listeners = new Set();

let language = firstLanguage();

function firstLanguage() {
  const stored = localStorage.getItem(STORED_UNDER);
  if (stored in LANGUAGES) return stored;
  return (navigator.language || "en").toLowerCase().startsWith("ja") ? "ja" : "en";
}

export function currentLanguage() {
  return language;
}

export function setLanguage(name) {
  if (!(name in LANGUAGES)) return;
  language = name;
  localStorage.setItem(STORED_UNDER, name);
  translatePage();
  for (const listener of listeners) listener(name);
}

export function onLanguageChange(listener) {
  listeners.add(listener);
}

/** Texts that only some pages need, by language. */
export function addTexts(texts) {
  for (const [name, added] of Object.entries(texts)) Object.assign(LANGUAGES[name], added);
}

/** The text of a key, with {parameters} filled in; the key itself where a text is missing. */
export function t(key, parameters = {}) {
  const text = LANGUAGES[language][key] ?? LANGUAGES.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in parameters ? String(parameters[name]) : whole));
}

/** A share as so many of a hundred. */
export function percent(share) {
  return t("percent", { number: Math.round(100 * share) });
}

/** A list of texts as a person would write it. */
export function listOf(texts) {
  return texts.join(language === "ja" ? "、" : ", ");
}

/** Fill in every element that names its text: data-text for content, data-text-label for aria-label, … */
export function translatePage(root = document) {
  document.documentElement.lang = language;
  document.title = t(document.documentElement.dataset.title ?? "app.title");
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = t(element.dataset.text);
  for (const element of root.querySelectorAll("[data-text-label]")) {
    element.setAttribute("aria-label", t(element.dataset.textLabel));
  }
  for (const element of root.querySelectorAll("[data-text-placeholder]")) {
    element.placeholder = t(element.dataset.textPlaceholder);
  }
  for (const button of root.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
  }
}
