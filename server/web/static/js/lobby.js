// Where a player chooses: the machine, a friend, a code, or a table to watch.
import { note } from "./announce.js";
import { cardElement } from "./cards.js";
import { onLanguageChange, t } from "./i18n.js";
import { api, forgetSeat, storedSeat, storeSeat } from "./protocol.js";

const NAME_KEY = "ofc.name";
const LEVELS = ["weak", "normal", "strong", "strongest"];
const byId = (id) => document.getElementById(id);

/** Points by category from trips to the royal flush, for the page of rules; scoring itself is the server's. */
const SHOWN_ROYALTIES = { middle: [2, 4, 8, 12, 20, 30, 50], bottom: ["–", 2, 4, 6, 10, 15, 25] };

export class Lobby {
  /** `goTo(room)` opens a table, as the seat kept in this browser or as a spectator. */
  constructor(goTo) {
    this.goTo = goTo;
    this.rooms = [];
    this.levels = LEVELS.map((name) => ({ name }));
    this.level = "normal";
    byId("fan").append(...["As", "Kh", "X1", "Qd", "Jc"].map((card) => cardElement(card)));
    for (const id of ["name", "visit-name"]) {
      byId(id).value = localStorage.getItem(NAME_KEY) ?? "";
      byId(id).addEventListener("change", () => this.keepName(byId(id).value));
    }
    byId("ai-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const level = new FormData(event.target).get("level") ?? this.level;
      this.create({ mode: "ai", level });
    });
    byId("friend-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.create({ mode: "friend", private: true });
    });
    byId("join-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const room = codeOf(byId("code").value);
      if (event.submitter?.id === "watch") this.watch(room);
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
      const { levels, default: chosen } = await api.levels();
      this.levels = levels.filter(({ name }) => LEVELS.includes(name));
      this.level = chosen;
      this.render();
    } catch {
      // the usual levels are shown, and the server has the last word
    }
  }

  async create(options) {
    await this.attempt(async () => {
      const room = await api.createRoom({ ...options, name: this.name });
      storeSeat(room.room_id, room);
      this.goTo(room.room_id);
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
      const text = error.status === 404 ? t("net.noRoom") : error.status ? error.message : t("net.failed");
      note(text, { bad: true });
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
    this.renderRooms();
    renderRoyaltyTable();
  }

  renderLevels() {
    const set = byId("levels");
    const chosen = set.querySelector("input:checked")?.value ?? this.level;
    for (const label of set.querySelectorAll("label")) label.remove();
    for (const { name, available } of this.levels) {
      const label = document.createElement("label");
      const input = Object.assign(document.createElement("input"), { type: "radio", name: "level", value: name });
      input.checked = name === chosen;
      input.disabled = available === false;
      const text = document.createElement("span");
      text.textContent = t(`level.${name}`);
      label.append(input, text);
      set.append(label);
    }
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
    more.textContent = [t(`phase.${phase}`, { number: room.hand_number }), room.chips?.join(" – ")].filter(Boolean).join(" · ");
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
      note(error.status === 404 ? t("net.noRoom") : t("net.failed"), { bad: true });
      return false;
    }
    const render = () => {
      const free = info.seats_free > 0;
      byId("visit-title").textContent = t(free ? "visit.title" : "visit.full");
      byId("visit-text").textContent = free
        ? t("visit.text", { name: info.names.find(Boolean) ?? t("table.opponent") })
        : t("visit.fullText");
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

/** A room code from what was typed or pasted: the code itself, or a whole link. */
function codeOf(text) {
  const match = /[?&]room=([^&#\s]+)/.exec(text);
  return match ? decodeURIComponent(match[1]) : text.trim();
}

function roomTitle(room) {
  const names = [0, 1].map((seat) => {
    if (room.mode === "ai" && seat === 1) return t("table.machine", { level: t(`level.${room.level}`) });
    return room.names[seat] ?? "…";
  });
  return names.join(" – ");
}

function renderRoyaltyTable() {
  const table = byId("royalty-table");
  for (const row of [...table.rows]) row.remove();
  const head = table.insertRow();
  head.append(document.createElement("td"));
  for (let category = 3; category <= 9; category += 1) {
    head.append(Object.assign(document.createElement("th"), { textContent: t(`category.${category}`), scope: "col" }));
  }
  for (const [row, points] of Object.entries(SHOWN_ROYALTIES)) {
    const line = table.insertRow();
    line.append(Object.assign(document.createElement("th"), { textContent: t(`row.${row}`), scope: "row" }));
    for (const value of points) line.insertCell().textContent = value;
  }
}
