// The worker: answers the page's requests and speaks the live protocol for one table.
//
// From the page: {kind: "request", number, method, path, body}, {kind: "open", socket, room, token},
// {kind: "send", socket, message}, {kind: "close", socket}. To the page: {kind: "answer", number, status, body, text},
// {kind: "opened", socket}, {kind: "message", socket, message}, {kind: "closed", socket, code}.
import { Engine } from "./engine.js";
import { answerRequest } from "./rest.js";

const NO_ROOM = 4404;
const BAD_TOKEN = 4403;
const REPLACED = 4001;

const starting = Engine.start(new URL(".", import.meta.url));
starting.catch((error) => console.error(error));
const sockets = new Map(); // rooms of the sockets that are open
const newest = new Map(); // by room: the last socket that this window has opened there

self.onmessage = async ({ data }) => {
  if (data.kind === "request") {
    const { number, method, path, body } = data;
    try {
      postMessage({ kind: "answer", number, ...(await answerRequest(await starting, method, path, body)) });
    } catch (error) {
      postMessage({ kind: "answer", number, status: 500, body: { detail: `the table could not be started: ${error.message}` } });
    }
  } else if (data.kind === "open") await open(data);
  else if (data.kind === "send") sockets.get(data.socket)?.receive(data.message);
  else if (data.kind === "close") close(data.socket);
};

async function open({ socket, room: id, token }) {
  const engine = await starting;
  const room = await engine.room(id);
  if (!room || room.body.token !== token) {
    postMessage({ kind: "closed", socket, code: room ? BAD_TOKEN : NO_ROOM });
    return;
  }
  for (const [other, its] of sockets) if (its === room) finish(other, REPLACED);
  newest.set(id, socket);
  // The newer window takes over, as on the server; the older one's worker forgets the table. Who comes back to a table in the
  // same window takes nothing from anybody.
  navigator.locks?.request(`ofc.room.${id}`, { steal: true }, () => new Promise(() => {})).catch(() => {
    if (newest.get(id) !== socket) return;
    finish(socket, REPLACED);
    engine.rooms.get(id)?.close();
    engine.rooms.delete(id);
  });
  sockets.set(socket, room);
  postMessage({ kind: "opened", socket });
  room.connect((message) => postMessage({ kind: "message", socket, message }));
}

function close(socket) {
  sockets.get(socket)?.disconnect();
  sockets.delete(socket);
}

function finish(socket, code) {
  if (!sockets.has(socket)) return;
  close(socket);
  postMessage({ kind: "closed", socket, code });
}
