// The way to the table: a worker in this browser, in place of the server (docs/site.md). What the page's modules call fetch and
// WebSocket are these.

const worker = new Worker(new URL("engine/worker.js", import.meta.url), { type: "module" });
const waiting = new Map(); // number of a request -> what takes its answer
const open = new Map(); // number of a socket -> socket
let count = 0;

worker.onmessage = ({ data }) => {
  if (data.kind === "answer") {
    const { number, status, body, text } = data;
    const content = status === 204 ? null : (text ?? JSON.stringify(body));
    waiting.get(number)(new Response(content, { status }));
    waiting.delete(number);
  } else open.get(data.socket)?.hear(data);
};

/** Like the browser's, for the paths of the API. */
export function fetch(path, { method = "GET", body } = {}) {
  count += 1;
  const number = count;
  worker.postMessage({ kind: "request", number, method, path, body: body === undefined ? undefined : JSON.parse(body) });
  return new Promise((resolve) => waiting.set(number, resolve));
}

/** Like the browser's, for the addresses of tables. */
export class WebSocket {
  static OPEN = 1;

  constructor(address) {
    const { pathname, searchParams } = new URL(address);
    count += 1;
    this.number = count;
    this.readyState = 0;
    open.set(this.number, this);
    worker.postMessage({ kind: "open", socket: this.number, room: decodeURIComponent(pathname.split("/").at(-1)), token: searchParams.get("token") });
  }

  hear({ kind, message, code }) {
    if (kind === "opened") {
      this.readyState = WebSocket.OPEN;
      this.onopen?.();
    } else if (kind === "message") this.onmessage?.({ data: JSON.stringify(message) });
    else this.end(code);
  }

  send(text) {
    worker.postMessage({ kind: "send", socket: this.number, message: JSON.parse(text) });
  }

  close() {
    worker.postMessage({ kind: "close", socket: this.number });
    this.end(1000);
  }

  end(code) {
    if (!open.delete(this.number)) return;
    this.readyState = 3;
    this.onclose?.({ code });
  }
}
