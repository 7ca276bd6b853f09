// REST: every request of every page goes through here.
import { playerToken } from "./player.js";
import { fetch } from "./transport.js";

/** A refused request; `status` is 0 when there was no answer at all. */
class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The answer to a request as it is; RequestError if it was refused. */
export async function answerOf(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: { "X-Player-Token": playerToken(), ...(body ? { "Content-Type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
  } catch (error) {
    throw new RequestError(0, String(error));
  }
  if (answer.ok) return answer;
  const { detail } = await answer.json().catch(() => ({}));
  throw new RequestError(answer.status, typeof detail === "string" ? detail : answer.statusText);
}

/** What the server says to a request, as data; null where it says nothing. */
export async function ask(method, path, body) {
  const answer = await answerOf(method, path, body);
  return answer.status === 204 ? null : answer.json();
}
