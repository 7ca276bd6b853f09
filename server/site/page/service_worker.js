// Keeps the whole site in the browser, so that it works without a network. The build fills in VERSION and FILES.
import { FILES, VERSION } from "./files.js";

const NAME = `ofc-${VERSION}`;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    for (const name of await caches.keys()) if (name.startsWith("ofc-") && name !== NAME) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(kept(request));
});

/** What is kept, else what the network has, which is kept from then on: networks that only some rules need, the openings. */
async function kept(request) {
  const cache = await caches.open(NAME);
  const found = await cache.match(request, { ignoreSearch: request.mode === "navigate" });
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok && /\.(safetensors|bin)$/.test(request.url)) await cache.put(request, answer.clone());
  return answer;
}
