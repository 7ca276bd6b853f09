// The page as a whole: which part is shown, and the address that belongs to it.
import { note } from "./announce.js";
import { byId } from "./elements.js";
import { Game } from "./game.js";
import { onLanguageChange, setLanguage, t, translatePage } from "./i18n.js";
import { listenForKeys, setShortcuts, shortcutsOn } from "./keyboard.js";
import { isCode, Lobby } from "./lobby.js";
import { forgetSeat, storedSeat } from "./protocol.js";
import { renderRules, rulesLine, rulesTitle } from "./rules.js";
import { copyField } from "./share.js";
import { canFreeSeat } from "./state.js";
import "./symbols.js";
import { playerNames } from "./words.js";

const SECTIONS = ["lobby", "visit", "invite", "table", "history", "replay", "rating"];
const WITHOUT_SEAT = new Set(["lobby", "history", "replay", "rating"]);
// What was played, by section; loaded when it is first looked at.
const PLAYED = {
  history: () => import("./history.js").then(({ HistoryPage }) => new HistoryPage(goTo)),
  replay: () => import("./replay.js").then(({ ReplayPage }) => new ReplayPage()),
  rating: () => import("./rating.js").then(({ RatingPage }) => new RatingPage()),
};
const REPLACED = 4001;
const BAD_TOKEN = 4403;

let room = null; // the table we are at
let lastPhase = null;
let wasLost = false;

const shell = {
  leave: () => goTo(null),

  connectionChanged(status, code) {
    if (status === "open") {
      if (wasLost) note(t("net.back"));
      wasLost = false;
      lastPhase = null;
      banner("");
    } else if (status === "lost") {
      wasLost = true;
      banner(t("net.lost"));
    } else if (status === "closed" && code === REPLACED) {
      banner(t("net.taken"), t("net.takeBack"), () => enter(room));
    } else if (status === "closed") {
      if (code === BAD_TOKEN) forgetSeat(room);
      note(t(code === BAD_TOKEN ? "net.seatLost" : "net.noRoom"), { bad: true });
      goTo(null);
    }
  },

  phaseChanged(state) {
    const inviting = state.phase === "waiting" || (state.phase === "ready" && state.room.mode === "friend");
    if (inviting) showInvitation(state);
    if (state.phase !== "connecting") show(inviting ? "invite" : "table");
    // Who asked for a game against the machine wants it now.
    if (state.phase === "ready" && state.room.mode !== "friend" && lastPhase !== "ready") game.proceed();
    lastPhase = state.phase;
    showRoomInfo(state);
  },
};

const game = new Game(shell);
const lobby = new Lobby(goTo);
const playedPages = {}; // by section

function show(section) {
  for (const name of SECTIONS) byId(name).hidden = name !== section;
  document.body.classList.toggle("in-table", section === "table" || section === "replay");
  byId("leave").hidden = WITHOUT_SEAT.has(section);
}

function banner(text, action, run) {
  const element = byId("banner");
  element.hidden = !text;
  element.textContent = text;
  if (!action) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: action });
  button.addEventListener("click", run);
  element.append(button);
}

function showRoomInfo(state) {
  const parts = [];
  if (state.rules) parts.push(rulesTitle(state.rules.text));
  if (state.handNumber && state.phase !== "waiting" && state.phase !== "ready") parts.push(t("table.hand", { number: state.handNumber }));
  if (state.room.mode === "practice") parts.push(t("practice.title"));
  if (state.seat === null && state.phase !== "connecting") parts.push(t("table.spectating"));
  if (state.spectators && state.seat !== null) parts.push(t("table.spectators", { count: state.spectators }));
  byId("bar-info").textContent = parts.join(" · ");
  byId("bar-info").title = state.rules ? rulesLine(state.rules) : "";
}

function showInvitation(state) {
  const waiting = state.phase === "waiting";
  const seated = state.seat !== null;
  byId("invite-title").textContent = t(!seated ? "wait.spectator" : waiting ? "wait.title" : "ready.title");
  const agreed = seated && state.ready[state.seat];
  const other = seated ? t("ready.other", { name: playerNames(state)[1 - state.seat] }) : "";
  byId("invite-text").textContent = !seated ? "" : waiting ? t("wait.text") : agreed ? t("ready.waiting") : other;
  byId("invite-rules").textContent = `${rulesTitle(state.rules.text)}: ${rulesLine(state.rules)}`;
  byId("invite-link").value = new URL(`./?room=${encodeURIComponent(state.room.id)}`, location.href).href;
  byId("invite-link-field").hidden = !waiting || !seated;
  byId("invite-code").textContent = t("wait.code", { code: state.room.id });
  byId("invite-code").hidden = !waiting;
  byId("copy-link").hidden = !waiting || !seated;
  byId("start-session").hidden = waiting || !seated;
  byId("start-session").disabled = Boolean(agreed);
  byId("free-seat").hidden = !canFreeSeat(state);
}

/** Open a table, or the lobby for null, and give it its address. */
function goTo(next, { watch = false } = {}) {
  const query = next ? `?${new URLSearchParams({ room: next, ...(watch ? { watch: "1" } : {}) })}` : "";
  history.pushState(null, "", `./${query}`); // wherever the page lies
  route();
}

async function route() {
  const query = new URLSearchParams(location.search);
  const wanted = query.get("room");
  game.leave();
  banner("");
  room = wanted;
  lastPhase = null;
  byId("bar-info").textContent = "";
  const again = ["history", "session", "hand", "rating"].some((name) => query.get(name));
  if (!wanted && again) {
    await routeToPlayed(query);
  } else if (!wanted) {
    show("lobby");
    lobby.show();
  } else if (!isCode(wanted)) {
    note(t("net.noRoom"), { bad: true });
    goTo(null);
  } else if (query.get("watch") || storedSeat(wanted)) {
    enter(wanted, Boolean(query.get("watch")));
  } else if (await lobby.showVisit(wanted)) {
    show("visit");
  } else {
    goTo(null);
  }
}

/** What was played: all of it, one session, one hand, or what all of it says of the player. */
async function routeToPlayed(query) {
  const [section, link] = query.get("hand")
    ? ["replay", query.get("hand")]
    : query.get("rating")
      ? ["rating", null]
      : ["history", query.get("session")];
  const address = location.href;
  const page = (playedPages[section] ??= await PLAYED[section]());
  if (location.href !== address) return; // somebody has gone on meanwhile
  if (section !== "replay") show(section);
  const found = await page.show(link, query.get("step"));
  if (location.href !== address) return; // somebody has gone on meanwhile
  if (!found) {
    if (link) goTo(null);
    return;
  }
  show(section);
  page.render();
  window.scrollTo(0, 0);
  byId(`${section}-title`).focus({ preventScroll: true });
}

function enter(wanted, watch = false) {
  for (const name of SECTIONS) byId(name).hidden = true;
  banner(t("net.connecting"));
  game.enter(wanted, watch ? null : storedSeat(wanted));
}

function openHelp() {
  const { rules } = game.state;
  byId("help-rules").hidden = !room || !rules;
  if (room && rules) {
    byId("help-rules-title").textContent = t("help.rules", { name: rulesTitle(rules.text) });
    renderRules(byId("help-rules-text"), rules);
  }
  byId("shortcuts").checked = shortcutsOn();
  byId("help").showModal();
}

translatePage();
for (const button of document.querySelectorAll("[data-language]")) {
  button.addEventListener("click", () => setLanguage(button.dataset.language));
}
onLanguageChange(() => {
  if (room) shell.phaseChanged(game.state);
  game.render();
});
byId("open-help").addEventListener("click", openHelp);
byId("shortcuts").addEventListener("change", (event) => setShortcuts(event.target.checked));
byId("leave").addEventListener("click", () => goTo(null));
byId("brand").addEventListener("click", (event) => {
  event.preventDefault();
  goTo(null);
});
byId("copy-link").addEventListener("click", () => copyField(byId("invite-link"), t("wait.copied")));
byId("start-session").addEventListener("click", () => game.proceed());
byId("free-seat").addEventListener("click", () => game.freeSeat());
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-page]");
  if (!link || link.target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  route();
});
listenForKeys(game, openHelp);
window.addEventListener("popstate", route);
route();
