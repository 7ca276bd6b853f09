// The way to the server. The static site has a module of its own in this one's place, which asks a worker (docs/site.md).

export const fetch = (path, options) => globalThis.fetch(path, options);
export const { WebSocket } = globalThis;
