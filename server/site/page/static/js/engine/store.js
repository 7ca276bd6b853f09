// What the browser keeps: tables that are open, sessions, and their finished hands.

const NAME = "ofc";
const VERSION = 1;

const answered = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export class Store {
  static async open() {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const base = request.result;
      base.createObjectStore("rooms", { keyPath: "id" });
      base.createObjectStore("sessions", { keyPath: "number", autoIncrement: true }).createIndex("session_id", "session_id", { unique: true });
      const hands = base.createObjectStore("hands", { keyPath: "hand_id" });
      hands.createIndex("session_id", "session_id");
    };
    const store = new Store();
    store.base = await answered(request);
    return store;
  }

  /** Put values into their stores, all or none: {rooms: [...], sessions: [...], hands: [...]}. */
  put(values) {
    const names = Object.keys(values).filter((name) => values[name].length);
    if (!names.length) return Promise.resolve();
    const transaction = this.base.transaction(names, "readwrite", { durability: "strict" });
    for (const name of names) for (const value of values[name]) transaction.objectStore(name).put(value);
    return this.done(transaction);
  }

  remove(name, key) {
    const transaction = this.base.transaction([name], "readwrite");
    transaction.objectStore(name).delete(key);
    return this.done(transaction);
  }

  clear() {
    const names = ["rooms", "sessions", "hands"];
    const transaction = this.base.transaction(names, "readwrite");
    for (const name of names) transaction.objectStore(name).clear();
    return this.done(transaction);
  }

  done(transaction) {
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  }

  read(name) {
    return this.base.transaction([name]).objectStore(name);
  }

  get(name, key) {
    return answered(this.read(name).get(key));
  }

  all(name) {
    return answered(this.read(name).getAll());
  }

  session(sessionId) {
    return answered(this.read("sessions").index("session_id").get(sessionId));
  }

  /** The finished hands of a session, in the order of play. */
  async hands(sessionId) {
    const found = await answered(this.read("hands").index("session_id").getAll(sessionId));
    return found.filter(({ result }) => result).sort((a, b) => a.hand_number - b.hand_number);
  }
}
