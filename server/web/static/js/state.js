// What this page knows of the game: made only from what the server sends, never from the rules.

const emptyBoard = () => ({ top: [], middle: [], bottom: [] });

export function initialState() {
  return {
    phase: "connecting", // connecting, waiting, ready, playing, hand_over, session_over
    room: { id: "", mode: "", levels: [null, null], names: [null, null] },
    rules: null, // the table's, as the server describes them
    seat: null, // 0 or 1; null for a spectator
    connected: [false, false],
    ready: [false, false],
    spectators: 0,
    sessionId: null,
    handId: null, // of the hand that has just ended
    handNumber: 0,
    button: null,
    chips: [0, 0],
    fantasyland: [0, 0], // cards of a fantasyland hand per seat, 0 in normal play
    hidden: [false, false], // the seat has set a fantasyland hand that we may not see yet
    boards: [emptyBoard(), emptyBoard()],
    fresh: [], // cards that the last placement put down
    turn: null,
    hand: [], // own cards to place, in the order dealt
    discards: [],
    toAct: null,
    clock: null, // {seat, deadline, limit}: deadline by performance.now(), in ms; limit in seconds
    sequence: 0, // number of the placement that is waited for
    result: null, // of the last finished hand
    nextHandAt: null, // performance.now() at which the next hand is dealt without asking
    sessionResult: null,
    rematchOpen: false, // the server takes consent to another session
  };
}

/** The seat drawn below: one's own, or seat 0 for a spectator. */
export function lowerSeat(state) {
  return state.seat ?? 0;
}

export function myTurn(state) {
  return state.phase === "playing" && state.seat !== null && state.toAct === state.seat && state.hand.length > 0;
}

/** Whether we are the host, and somebody holds the other seat whom the host may send away. */
export function canFreeSeat({ seat, room }) {
  return seat === 0 && room.mode === "friend" && Boolean(room.names[1]);
}

/** The state after a message; unknown messages change nothing. */
export function afterMessage(state, message, now = performance.now()) {
  const change = CHANGES[message.type];
  return change ? { ...state, ...change(message, state, now) } : state;
}

const CHANGES = {
  state: (message, state, now) => {
    const over = message.phase === "hand_over" || message.phase === "session_over";
    const result = message.last_result ?? null;
    return {
      phase: message.phase,
      room: message.room,
      rules: message.rules,
      seat: message.your_seat,
      connected: message.connected,
      ready: message.ready ?? [false, false],
      spectators: message.spectators ?? 0,
      sessionId: message.session_id ?? null,
      handId: null,
      handNumber: message.hand_number ?? 0,
      button: message.btn ?? null,
      chips: message.chips ?? [0, 0],
      fantasyland: message.fantasyland ?? [0, 0],
      hidden: message.set ? message.set.map((set, seat) => set && seat !== message.your_seat) : [false, false],
      boards: over && result ? result.boards : (message.boards ?? [emptyBoard(), emptyBoard()]),
      fresh: [],
      turn: message.turn ?? null,
      hand: message.hand ?? [],
      discards: message.discards ?? [],
      toAct: message.to_act ?? null,
      clock: clockOf(message.to_act, message.seconds, message.limit, now),
      // A state counts the placements made, a deal the one that is waited for.
      sequence: (message.sequence ?? 0) + 1,
      result: over ? result : null,
      nextHandAt: secondsFrom(now, message.next_hand_seconds),
      sessionResult: message.session_result ?? null,
      rematchOpen: false, // a seat is told so after the state
    };
  },

  waiting_for_opponent: (message, state) => (state.phase === "playing" ? {} : { phase: "waiting" }),
  ready_to_start: (message) => ({ phase: "ready", ready: message.ready ?? [false, false] }),
  presence: (message, state) => ({
    connected: message.connected,
    spectators: message.spectators,
    room: { ...state.room, names: message.names },
  }),
  hand_over: (message, state, now) => ({ ready: message.ready, nextHandAt: secondsFrom(now, message.next_hand_seconds) }),
  session_ended_awaiting_restart: (message) => ({ phase: "session_over", rematchOpen: true, ready: message.ready ?? [false, false] }),

  session_start: (message) => ({ sessionId: message.session_id, chips: message.chips, sessionResult: null, result: null, ready: [false, false] }),

  hand_start: (message) => ({
    phase: "playing",
    handNumber: message.hand_number,
    button: message.btn,
    chips: message.chips,
    fantasyland: message.fantasyland,
    hidden: [false, false],
    boards: [emptyBoard(), emptyBoard()],
    fresh: [],
    turn: 0,
    hand: [],
    discards: [],
    toAct: null,
    clock: null,
    result: null,
    nextHandAt: null,
    ready: [false, false],
  }),

  deal: (message, state) => {
    const boards = [message.board, message.opponent_board];
    return {
      turn: message.turn,
      hand: message.cards,
      boards: state.seat === 0 ? boards : boards.reverse(),
      toAct: state.seat,
      sequence: message.sequence,
    };
  },

  timer_start: (message, state, now) => ({
    toAct: message.seat,
    clock: clockOf(message.seat, message.seconds, message.limit, now),
  }),

  placed: (message, state) => ({
    ...afterPlacement(state, message, message.board),
    ...(message.seat === state.seat ? { hand: [], discards: message.discards } : {}),
  }),
  opponent_placed: (message, state) => afterPlacement(state, message, message.opponent_board),

  fantasyland_result: (message, state) => ({
    boards: replaced(state.boards, message.player, message.board),
    hidden: replaced(state.hidden, message.player, false),
  }),

  hand_end: (message, state, now) => ({
    phase: "hand_over",
    handId: message.hand_id,
    handNumber: message.hand_number,
    result: message.result,
    boards: message.result.boards,
    chips: message.result.chips,
    hidden: [false, false],
    fresh: [],
    hand: [],
    toAct: null,
    clock: null,
    ready: [false, false],
    nextHandAt: secondsFrom(now, message.next_hand_seconds),
  }),

  session_end: (message) => ({ phase: "session_over", rematchOpen: false, sessionResult: message, nextHandAt: null }),
};

function afterPlacement(state, message, board) {
  const known = new Set(Object.values(state.boards[message.seat]).flat());
  return {
    boards: replaced(state.boards, message.seat, board),
    hidden: replaced(state.hidden, message.seat, message.hidden),
    fresh: Object.values(board)
      .flat()
      .filter((card) => !known.has(card)),
    toAct: null,
    clock: null,
    sequence: message.sequence + 1,
  };
}

function clockOf(seat, seconds, limit, now) {
  if (seat === null || seat === undefined || typeof seconds !== "number") return null;
  return { seat, deadline: now + seconds * 1000, limit: limit ?? seconds };
}

function secondsFrom(now, seconds) {
  return typeof seconds === "number" ? now + seconds * 1000 : null;
}

function replaced(pair, seat, value) {
  return pair.map((old, index) => (index === seat ? value : old));
}
