// At a table of the static site by a script, as its page would be. Every function answers with what came.

async function atTable(options) {
  const { ask } = await import(new URL("static/js/api.js", location.href));
  const { WebSocket } = await import(new URL("static/js/transport.js", location.href));
  const { room_id, token } = await ask("POST", "/api/rooms", options);
  const heard = [];
  const waiting = [];
  const table = {
    ask,
    token,
    room: () => ask("GET", `/api/rooms/${room_id}`),
    enter() {
      heard.length = 0;
      table.socket = new WebSocket(`ws://site/ws/${room_id}${token ? `?player_id=p0&token=${token}` : ""}`);
      table.socket.onmessage = ({ data }) => {
        heard.push(JSON.parse(data));
        waiting.splice(0).forEach((wake) => wake());
      };
    },
    /** The next message of one of these types. */
    async next(...types) {
      for (;;) {
        const found = heard.findIndex(({ type }) => types.includes(type));
        if (found >= 0) return heard.splice(0, found + 1).at(-1);
        await new Promise((resolve) => waiting.push(resolve));
      }
    },
    say(message, ...types) {
      table.socket.send(JSON.stringify(message));
      return table.next(...types);
    },
  };
  table.enter();
  return table;
}

async function practise(options) {
  const { ask, next, say, room } = await atTable(options);
  await next("ready_to_start");
  const deal = await say({ type: "game_start" }, "deal");
  const hint = await say({ type: "hint", sequence: deal.sequence }, "hint");
  const best = hint.options[0].placement;
  const chances = await say({ type: "chances", ...best }, "chances");
  const placed = await say({ type: "place", ...best, sequence: deal.sequence }, "placed");
  const then = await next("deal");
  const back = await say({ type: "take_back" }, "taken_back");
  const state = await next("state");
  const again = await next("deal");
  const refused = await say({ type: "take_back" }, "error");
  const illegal = await say({ type: "place", placements: [[deal.cards[0], "top"]], discard: null }, "error");
  const timer = (await room()).clock;
  const answered = (asked) =>
    new Promise((resolve) => {
      asked.onsuccess = () => resolve(asked.result);
    });
  const base = await answered(indexedDB.open("ofc"));
  const tries = await answered(base.transaction(["hands"]).objectStore("hands").getAll());
  const { hands } = await ask("GET", "/api/player");
  return { tries, hands, deal, hint, chances, placed, then, back, state, again, refused, illegal, timer };
}

/** Cards into rows from the top, strong ones first. */
function strongOnTop({ turn, cards, board, sequence }) {
  const strength = (card) => "23456789TJQKAX".indexOf(card[0]);
  const strong = [...cards].sort((a, b) => strength(b) - strength(a));
  const free = Object.entries({ top: 3, middle: 5, bottom: 5 }).flatMap(([row, size]) => Array(size - board[row].length).fill(row));
  const kept = turn ? 2 : 5;
  return { type: "place", placements: strong.slice(0, kept).map((card, at) => [card, free[at]]), discard: strong[kept] ?? null, sequence };
}

/** Hands until the table asks whether a foul is meant; then it is. */
async function foul(options) {
  const { next, say, room } = await atTable(options);
  await next("ready_to_start");
  let deal = await say({ type: "game_start" }, "deal");
  for (;;) {
    const message = strongOnTop(deal);
    const answer = await say(message, "placed", "certain_foul", "error");
    if (answer.type !== "placed") {
      const { phase } = await room();
      return { asked: answer, sequence: deal.sequence, phase, placed: await say({ ...message, sure: true }, "placed") };
    }
    const after = await next("deal", "hand_end");
    deal = after.type === "deal" ? after : await say({ type: "game_start" }, "deal");
  }
}

/** A hand to its end, whatever it comes to. */
async function finish(options) {
  const { next, say } = await atTable(options);
  await next("ready_to_start");
  let now = await say({ type: "game_start" }, "deal");
  while (now.type === "deal") now = await say({ ...strongOnTop(now), sure: true }, "deal", "hand_end");
  return now;
}

/** Machines: away in the middle of a hand and back, then to its end. */
async function watch(options) {
  const table = await atTable(options);
  const { ask, next, say, room, token } = table;
  const refused = await say({ type: "game_start" }, "error");
  const before = await next("placed");
  table.socket.close();
  table.enter();
  const state = await next("state");
  const after = await next("placed");
  const ended = await next("hand_end");
  return { token, refused, before, state, after, ended, player: await ask("GET", "/api/player"), room: await room() };
}
