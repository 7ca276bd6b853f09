// Keeps the whole site in the browser, so that it works without a network. The build fills in VERSION and FILES; they stand in
// this very file, which browsers ask the host for at every visit, whatever they keep of others.
const VERSION = "";
const FILES = [];
// A host may have copies of the site in several folders, which share what a browser keeps of a host.
const OWN = `ofc ${self.registration.scope} `;
const NAME = OWN + VERSION;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(NAME).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })))),
  );
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    for (const name of await caches.keys())
      if ((name.startsWith(OWN) && name !== NAME) || /^ofc-[0-9a-f]{16}$/.test(name)) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

self.addEventListener("message", ({ data }) => {
  if (data === "take over") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(request.mode === "navigate" ? visited(request) : kept(request));
});

/**
 * The page of a visit. A newer version that waits takes over first, unless other windows have this one open: a page is never
 * put together from two versions.
 */
async function visited(request) {
  const { waiting } = self.registration;
  if (waiting && (await self.clients.matchAll({ type: "window" })).length < 2) {
    waiting.postMessage("take over");
    return new Response('<link rel="icon" href="data:,">', { headers: { Refresh: "0", "Content-Type": "text/html" } });
  }
  const cache = await caches.open(NAME);
  const found = await cache.match(request.url.replace(/(index\.html)?([?#].*)?$/, ""));
  if (!found) return fetch(request);
  // A host that sends `drills.html` on to `drills` was followed when the page was kept; a visit is to be told nothing of that.
  return found.redirected ? new Response(found.body, { headers: found.headers }) : found;
}

/** What is kept, else what the network has, which is kept from then on: networks that only some rules need, the openings. */
async function kept(request) {
  const cache = await caches.open(NAME);
  const found = await cache.match(request);
  if (found) return found;
  const answer = await fetch(request);
  // Without room to keep it, it is fetched again the next time.
  if (answer.ok && /\.(safetensors|bin)$/.test(request.url)) await cache.put(request, answer.clone()).catch(() => {});
  return answer;
}
