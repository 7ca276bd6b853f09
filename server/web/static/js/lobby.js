// Where a player chooses: the machine, a friend, a code, or a table to watch.
import { note, noteFailure } from "./announce.js";
import { cardElement } from "./cards.js";
import { byId } from "./elements.js";
import { onLanguageChange, t } from "./i18n.js";
import { api, forgetSeat, storedSeat, storeSeat } from "./protocol.js";
import { renderRules, rulesLine, rulesTitle } from "./rules.js";
import { machineName } from "./words.js";

const NAME_KEY = "ofc.name";
const LEVELS = ["novice", "beginner", "casual", "regular", "skilled", "advanced", "expert", "strongest"];
const CLOCKS = ["none", "relaxed", "standard", "fast"];

export class Lobby {
  /** `goTo(room)` opens a table, as the seat kept in this browser or as a spectator. */
  constructor(goTo) {
    this.goTo = goTo;
    this.rooms = [];
    this.levels = LEVELS.map((name) => ({ name }));
    this.usual = "regular"; // the level of somebody who chooses none
    this.level = null;
    this.clocks = { "ai-clock": "standard", "friend-clock": "standard" }; // chosen in each form
    this.offered = []; // rules to choose from, as the server describes them
    this.rules = null; // the text of those that are chosen
    byId("rules-choice").addEventListener("change", (event) => {
      this.rules = event.target.value;
      this.renderRules();
    });
    byId("levels").addEventListener("change", (event) => {
      this.level = event.target.value;
      this.renderLevels();
    });
    for (const id of ["name", "visit-name"]) {
      byId(id).value = localStorage.getItem(NAME_KEY) ?? "";
      byId(id).addEventListener("change", () => this.keepName(byId(id).value));
    }
    byId("ai-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const mode = byId("practice-choice").checked ? "practice" : "ai";
      const clock = mode === "ai" ? this.clocks["ai-clock"] : undefined;
      this.create({ mode, level: this.level ?? this.usual, clock, private: !byId("listed").checked });
    });
    byId("practice-choice").addEventListener("change", () => this.renderClocks());
    byId("watch-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const [level, opponent_level] = ["watch-level-0", "watch-level-1"].map((id) => byId(id).value);
      this.create({ mode: "watch", level, opponent_level });
    });
    for (const id of Object.keys(this.clocks)) {
      byId(id).addEventListener("change", (event) => {
        this.clocks[id] = event.target.value;
      });
    }
    byId("friend-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.create({ mode: "friend", private: true, clock: this.clocks["friend-clock"] });
    });
    byId("join-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const room = codeOf(byId("code").value);
      if (!isCode(room)) note(t("net.noRoom"), { bad: true });
      else if (event.submitter?.id === "watch") this.watch(room);
      else this.join(room);
    });
    byId("refresh").addEventListener("click", () => this.refresh());
    onLanguageChange(() => this.render());
  }

  keepName(name) {
    localStorage.setItem(NAME_KEY, name.trim());
    for (const id of ["name", "visit-name"]) byId(id).value = name.trim();
  }

  get name() {
    return byId("name").value.trim() || undefined;
  }

  async show() {
    byId("lobby").hidden = false;
    this.render();
    this.refresh();
    try {
      const [{ levels, default: chosen }, { rules, default: usual }] = await Promise.all([api.levels(), api.rules()]);
      this.levels = levels.filter(({ name }) => LEVELS.includes(name));
      this.usual = chosen;
      this.offered = rules;
      this.rules ??= usual;
      this.render();
    } catch {
      // the usual levels are shown, and the server has the last word
    }
  }

  async create(options) {
    await this.attempt(async () => {
      const room = await api.createRoom({ ...options, name: this.name, rules: this.rules ?? undefined });
      if (room.token) storeSeat(room.room_id, room);
      this.goTo(room.room_id, { watch: !room.token });
    });
  }

  async join(room) {
    if (storedSeat(room)) {
      this.goTo(room);
      return;
    }
    await this.attempt(async () => {
      storeSeat(room, await api.joinRoom(room, this.name));
      this.goTo(room);
    });
  }

  async watch(room) {
    await this.attempt(async () => {
      await api.room(room);
      this.goTo(room, { watch: true });
    });
  }

  /** Do something with the server, and say what went wrong. */
  async attempt(action) {
    try {
      await action();
    } catch (error) {
      noteFailure(error, t("net.noRoom"));
    }
  }

  async refresh() {
    await this.attempt(async () => {
      this.rooms = (await api.rooms()).rooms;
      await this.addOwnRooms();
      this.render();
    });
  }

  /** Tables at which this browser holds a seat, also those that are not listed for everybody. */
  async addOwnRooms() {
    const prefix = "ofc.seat.";
    const held = Object.keys(localStorage).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    for (const id of held.filter((id) => !this.rooms.some((room) => room.id === id))) {
      try {
        this.rooms.unshift(await api.room(id));
      } catch (error) {
        if (error.status === 404) forgetSeat(id);
      }
    }
  }

  render() {
    this.renderLevels();
    this.renderClocks();
    this.renderRooms();
    this.renderRules();
  }

  /** The choice of rules, and what the chosen ones are. */
  renderRules() {
    const chosen = this.offered.find(({ text }) => text === this.rules);
    const fan = ["As", "Kh", chosen?.jokers ? "X1" : "Ac", "Qd", "Jc"];
    byId("fan").replaceChildren(...fan.map((card) => cardElement(card)));
    for (const id of ["rules-choice", "lobby-rules"]) byId(id).hidden = !chosen;
    if (!chosen) return;
    const choices = this.offered.map(({ text }) => [text, rulesTitle(text)]);
    fillChoice(byId("rules-choice"), "rules", choices, this.rules);
    byId("rules-line").textContent = rulesLine(chosen);
    renderRules(byId("lobby-rules-text"), chosen);
  }

  renderLevels() {
    const chosen = this.level ?? this.usual;
    fillChoice(byId("levels"), "level", this.levels.map(({ name }) => [name, t(`level.${name}`)]), chosen);
    byId("level-line").textContent = t(`level.${chosen}.line`);
    for (const [id, usual] of [["watch-level-0", "skilled"], ["watch-level-1", "expert"]]) {
      const select = byId(id);
      const before = select.value || usual;
      select.replaceChildren(...this.levels.map(({ name }) => new Option(t(`level.${name}`), name, name === usual, name === before)));
    }
  }

  renderClocks() {
    for (const [id, chosen] of Object.entries(this.clocks)) fillChoice(byId(id), id, CLOCKS.map((name) => [name, t(`clock.${name}`)]), chosen);
    byId("ai-clock").hidden = byId("practice-choice").checked;
    byId("practice-line").hidden = !byId("practice-choice").checked;
  }

  renderRooms() {
    const list = byId("tables");
    list.replaceChildren(...this.rooms.slice(0, 12).map((room) => this.roomLine(room)));
    if (!this.rooms.length) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = t("lobby.noTables");
      list.append(none);
    }
  }

  roomLine(room) {
    const line = document.createElement("li");
    const who = document.createElement("span");
    who.className = "room-name";
    who.textContent = roomTitle(room);
    const more = document.createElement("small");
    const phase = room.phase === "hand_over" ? "playing" : room.phase;
    more.textContent = [t(`phase.${phase}`, { number: room.hand_number }), room.chips?.join(" – "), rulesTitle(room.rules)].filter(Boolean).join(" · ");
    who.append(more);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet small";
    const seated = storedSeat(room.id);
    const open = !seated && room.seats_free > 0;
    button.textContent = t(seated ? "lobby.resume" : open ? "lobby.join" : "lobby.watch");
    button.addEventListener("click", () => (seated ? this.goTo(room.id) : open ? this.join(room.id) : this.watch(room.id)));
    line.append(who, button);
    return line;
  }

  /** A friend's link, opened by somebody who holds no seat: sit down or watch. */
  async showVisit(room) {
    let info;
    try {
      info = await api.room(room);
    } catch (error) {
      noteFailure(error, t("net.noRoom"));
      return false;
    }
    const render = () => {
      const free = info.seats_free > 0;
      byId("visit-title").textContent = t(free ? "visit.title" : "visit.full");
      byId("visit-text").textContent = free
        ? t("visit.text", { name: info.names.find(Boolean) ?? t("table.opponent") })
        : t("visit.fullText");
      byId("visit-rules").textContent = rulesTitle(info.rules);
      byId("visit-join").hidden = !free;
    };
    render();
    onLanguageChange(render);
    byId("visit").hidden = false;
    byId("visit-join").onclick = () => {
      this.keepName(byId("visit-name").value);
      this.join(room);
    };
    byId("visit-watch").onclick = () => this.goTo(room, { watch: true });
    return true;
  }
}

/** Whether a table can have this code: only such a one is worth asking the server for. */
export function isCode(text) {
  return /^[\w-]{1,32}$/.test(text);
}

/** A room code from what was typed or pasted: the code itself, or a whole link. */
function codeOf(text) {
  const match = /[?&]room=([^&#\s]+)/.exec(text);
  return match ? new URLSearchParams(match[0]).get("room") : text.trim();
}

function roomTitle(room) {
  const names = [0, 1].map((seat) => {
    if (room.levels[seat]) return machineName(room, seat);
    return room.names[seat] ?? "…";
  });
  return names.join(" – ");
}

/** Radio buttons of a set, one for each [value, text]; the one in focus stays in focus. */
function fillChoice(set, name, choices, chosen) {
  const focused = set.contains(document.activeElement) ? document.activeElement.value : null;
  for (const label of set.querySelectorAll("label")) label.remove();
  for (const [value, text] of choices) {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "radio", name, value, checked: value === chosen });
    label.append(input, Object.assign(document.createElement("span"), { textContent: text }));
    set.append(label);
    if (value === focused) input.focus();
  }
}
