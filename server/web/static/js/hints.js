// How boards stand, asked from the server: the page shows rows' names, royalties and dangers but never works them out.
import { api } from "./protocol.js";

const MOST_KEPT = 300;
const known = new Map(); // room and board as text -> evaluation, by the rules of the room
const asked = new Set();

const keyOf = (room, board) => JSON.stringify([[room], ...[board.top, board.middle, board.bottom].map((row) => [...row].sort())]);
const isEmpty = (board) => !board.top.length && !board.middle.length && !board.bottom.length;

/** The evaluation of a board at a room's table if it is known; otherwise null, and `arrived` is called once it is. */
export function evaluation(room, board, arrived) {
  if (isEmpty(board)) return null;
  const key = keyOf(room, board);
  if (known.has(key)) return known.get(key);
  if (!asked.has(key)) {
    asked.add(key);
    api
      .evaluate({ top: board.top, middle: board.middle, bottom: board.bottom }, room)
      .then((answer) => {
        if (known.size >= MOST_KEPT) known.clear();
        known.set(key, answer);
        arrived();
      })
      .catch(() => {}) // a hint that fails is only a hint missing
      .finally(() => asked.delete(key));
  }
  return null;
}
