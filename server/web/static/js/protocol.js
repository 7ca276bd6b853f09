// What the table and the lobby ask of the server: REST calls by name, and a WebSocket that comes back by itself.
import { answerOf, ask as request } from "./api.js";
import { WebSocket } from "./transport.js";

const RETRY_DELAYS = [300, 700, 1500, 3000, 5000]; // milliseconds; the last one repeats
/** Close codes after which coming back by itself would be wrong. */
const FINAL_CODES = new Set([4001, 4403, 4404]);

const roomPath = (room) => `/api/rooms/${encodeURIComponent(room)}`;

export const api = {
  levels: () => request("GET", "/api/levels"),
  rules: () => request("GET", "/api/rules"),
  rooms: () => request("GET", "/api/rooms"),
  room: (room) => request("GET", roomPath(room)),
  createRoom: (options) => request("POST", "/api/rooms", options),
  joinRoom: (room, name) => request("POST", `${roomPath(room)}/join`, { name }),
  evaluate: (board, room) => request("POST", "/api/evaluate", { ...board, room }),
  history: (before) => request("GET", `/api/history${before ? `?before=${encodeURIComponent(before)}` : ""}`),
  session: (link) => request("GET", `/api/sessions/${encodeURIComponent(link)}`),
  hand: (link) => request("GET", `/api/hands/${encodeURIComponent(link)}`),
  share: (link, on) => request(on ? "PUT" : "DELETE", `/api/shares/${encodeURIComponent(link)}`),
  exportHands: async () => (await answerOf("GET", "/api/export")).blob(),
  forgetPlayer: () => request("DELETE", "/api/player"),
  solve: (cards, room) => request("POST", "/api/solve", { cards, room }),
};

// A seat is held by its token. It is kept in this browser, so that a reload comes back to the same seat.
const seatKey = (room) => `ofc.seat.${room}`;

export function storedSeat(room) {
  try {
    return JSON.parse(localStorage.getItem(seatKey(room)));
  } catch {
    return null;
  }
}

export function storeSeat(room, { player_id, token }) {
  localStorage.setItem(seatKey(room), JSON.stringify({ player_id, token }));
}

export function forgetSeat(room) {
  localStorage.removeItem(seatKey(room));
}

/**
 * A connection to one room. Calls `onMessage(message)` for every message and `onStatus(status, code)` with
 * "connecting", "open", "lost" (it will try again) or "closed" (it will not).
 */
export class Connection {
  constructor(room, seat, { onMessage, onStatus }) {
    this.address = socketAddress(room, seat);
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.failures = 0;
    this.stopped = false;
    this.open();
  }

  open() {
    this.onStatus("connecting");
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
      this.onStatus("open");
    };
    socket.onmessage = (event) => {
      if (socket === this.socket) this.onMessage(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (socket !== this.socket || this.stopped) return;
      if (FINAL_CODES.has(event.code)) {
        this.onStatus("closed", event.code);
        return;
      }
      this.onStatus("lost", event.code);
      const delay = RETRY_DELAYS[Math.min(this.failures, RETRY_DELAYS.length - 1)];
      this.failures += 1;
      this.retry = setTimeout(() => this.open(), delay);
    };
  }

  /** Whether the message could be handed over; an unsent one is not kept, since the game may have moved on. */
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close() {
    this.stopped = true;
    clearTimeout(this.retry);
    this.socket.close();
  }
}

function socketAddress(room, seat) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const query = seat ? `?${new URLSearchParams({ player_id: seat.player_id, token: seat.token })}` : "";
  return `${scheme}://${location.host}/ws/${encodeURIComponent(room)}${query}`;
}
