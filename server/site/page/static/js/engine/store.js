// What the browser keeps: tables that are open, sessions, their finished hands, and the reviews of those.

const NAME = "ofc";
const VERSION = 3;
/** Every store, with its key and its indexes, which are unique where their name is; a newer version adds what is missing. */
const STORES = {
  rooms: { key: { keyPath: "id" } },
  sessions: { key: { keyPath: "number", autoIncrement: true }, unique: ["session_id"] },
  hands: { key: { keyPath: "hand_id" }, index: ["session_id"] },
  reviews: { key: { keyPath: "hand_id" }, index: ["session_id"] },
  drill_days: { key: { keyPath: ["day", "kind"] } },
  drill_mistakes: { key: { keyPath: "id", autoIncrement: true }, unique: ["information"] },
};

const answered = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** What a player is told of something that could not be kept or read: {code, sentence}. */
export function whyNot(error) {
  if (error?.name === "QuotaExceededError") return { code: "storage_full", sentence: "there is no room left in this browser's storage: nothing has changed; make room, then try again" };
  if (error?.name === "InvalidStateError") return { code: "outdated", sentence: "a newer version of this page is open in another window: load this one anew" };
  return { code: "internal", sentence: "the browser could not do this: nothing has changed, try again" };
}

export class Store {
  static async open() {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const base = request.result;
      for (const [name, { key, unique = [], index = [] }] of Object.entries(STORES)) {
        if (base.objectStoreNames.contains(name)) continue;
        const made = base.createObjectStore(name, key);
        for (const field of unique) made.createIndex(field, field, { unique: true });
        for (const field of index) made.createIndex(field, field);
      }
    };
    const store = new Store();
    store.base = await answered(request);
    store.base.onversionchange = () => store.base.close(); // a newer page is opened beside this one
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
    const names = Object.keys(STORES);
    const transaction = this.base.transaction(names, "readwrite");
    for (const name of names) transaction.objectStore(name).clear();
    return this.done(transaction);
  }

  /** Read and write in one transaction: `work` is given a function that asks a store, as in `ask("hands", "get", id)`. */
  async change(names, work) {
    const transaction = this.base.transaction(names, "readwrite", { durability: "strict" });
    const done = this.done(transaction);
    const result = await work((name, request, ...values) => answered(transaction.objectStore(name)[request](...values)));
    await done;
    return result;
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

  /** The reviews of a session's hands. */
  reviews(sessionId) {
    return answered(this.read("reviews").index("session_id").getAll(sessionId));
  }
}
