// What only the static site has: it installs as an app, says what needs a server, and takes games in.
import { note } from "./announce.js";
import { ask } from "./api.js";
import { addTexts, currentLanguage, onLanguageChange } from "./i18n.js";

const WORDS = {
  en: {
    person: "Here you play the machine, in your own browser and without a network. To play another person, open a server's page.",
    kept: "Your games are kept in this browser alone. Download them to have a copy, or to take them to another browser.",
    drills: "Your drills are kept in this browser alone. Download them to have a copy; “Forget me” forgets them too.",
    take: "Import games (JSONL)",
    newer: "There is a newer version of this page: load it anew to have it.",
    taken: ({ hands, sessions, known, left_out }) => `${hands} hands of ${sessions} new sessions taken in, ${known} were here already, ${left_out} left out (not whole).`,
  },
  ja: {
    person: "このページでは、ブラウザの中だけで（通信なしで）コンピューターと対戦します。人と対戦するには、サーバーのページを開いてください。",
    kept: "ゲームはこのブラウザにだけ保存されています。控えを取ったり別のブラウザへ移したりするには、ダウンロードしてください。",
    drills: "ドリルの記録はこのブラウザにだけ保存されています。控えを取るにはダウンロードしてください。「私を忘れる」で一緒に消えます。",
    take: "ゲームを読み込む（JSONL）",
    newer: "このページの新しい版があります。再読み込みすると使えます。",
    taken: ({ hands, sessions, known, left_out }) => `新しい${sessions}セッションの${hands}ハンドを読み込みました。すでにあったもの${known}、除いたもの${left_out}（途中のもの）。`,
  },
};
addTexts({
  en: {
    "error.illegal": "Not possible: {message}",
    "error.internal": "The browser could not do this: nothing has changed, try again",
    "error.outdated": "A newer version of this page is open in another window: load this one anew",
    "error.storage_full": "There is no room left in this browser's storage, so nothing is played on: make room",
  },
  ja: {
    "error.illegal": "この置き方はできません：{message}",
    "error.internal": "ブラウザで処理できませんでした。何も変わっていません。もう一度お試しください",
    "error.outdated": "このページの新しい版が別のウィンドウで開かれています。再読み込みしてください",
    "error.storage_full": "ブラウザの保存領域がいっぱいで、続けられません。空きを作ってください",
  },
});
const words = () => WORDS[currentLanguage()] ?? WORDS.en;
const byId = (id) => document.getElementById(id);

const line = Object.assign(document.createElement("p"), { className: "site-line", id: "site-line" });
byId("ai-form")?.after(line);
const kept = Object.assign(document.createElement("p"), { id: "site-kept" });
byId("player-title")?.after(kept);

const drills = document.querySelector('[data-text="drill.kept"]');
drills?.removeAttribute("data-text");

const file = Object.assign(document.createElement("input"), { type: "file", accept: ".jsonl,.txt,application/jsonl", id: "games-file", hidden: true });
const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet small", id: "games-import" });
byId("player-download")?.after(button, file);
button.addEventListener("click", () => file.click());
file.addEventListener("change", async () => {
  const [chosen] = file.files;
  if (!chosen) return;
  try {
    note(words().taken(await ask("POST", "/api/import", { text: await chosen.text() })));
    window.dispatchEvent(new PopStateEvent("popstate")); // the list is shown anew
  } catch (error) {
    note(error.message, { bad: true });
  }
  file.value = "";
});

function render() {
  line.textContent = words().person;
  kept.textContent = words().kept;
  if (drills) drills.textContent = words().drills;
  button.textContent = words().take;
}
onLanguageChange(render);
render();

const workers = navigator.serviceWorker;
workers?.register("./service_worker.js").catch(() => {}); // a window that may keep nothing: the site works, with a network
// Another window let a newer version in. What this one still has to fetch would come from that.
if (workers?.controller) workers.addEventListener("controllerchange", () => note(words().newer));
// Who installs the site wants all of it without a network: the openings too, which others fetch when they first look.
window.addEventListener("appinstalled", () => fetch("./static/js/engine/openings.bin").catch(() => {}));
// Games are the player's: the browser is asked not to clear them. Some ask the player, so not before there is something to keep.
byId("ai-form")?.addEventListener("submit", () => navigator.storage?.persist?.().catch(() => {}), { once: true });
