// Says why the page cannot work where it cannot: its modules would fail without a word. Not a module itself, since a page that was
// opened as a file has none.
(() => {
  const SENTENCES = {
    en: {
      file: "This page was opened as a file. A web host has to serve its folder; on your own computer: python -m http.server -d site 8080, then http://127.0.0.1:8080.",
      storage: "This browser does not let the page keep anything. Table and games are kept in the browser: allow cookies and site data for this address, then load it anew.",
    },
    ja: {
      file: "このページはファイルとして開かれています。フォルダをウェブサーバーで配信してください。手元では python -m http.server -d site 8080 を実行し、http://127.0.0.1:8080 を開きます。",
      storage: "このブラウザでは、ページがデータを保存できません。テーブルとゲームはブラウザに保存されます。このアドレスの Cookie とサイトデータを許可して、再読み込みしてください。",
    },
  };

  function hindrance() {
    if (location.protocol === "file:") return "file";
    try {
      return localStorage ? null : "storage";
    } catch {
      return "storage";
    }
  }

  const found = hindrance();
  if (!found) return;
  const words = SENTENCES[navigator.language.startsWith("ja") ? "ja" : "en"];
  document.addEventListener("DOMContentLoaded", () => {
    const line = Object.assign(document.createElement("p"), { className: "banner", role: "alert", textContent: words[found] });
    document.querySelector("header").after(line);
  });
})();
