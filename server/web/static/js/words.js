// What the table says in words: who plays, whose turn it is, what has just happened.
import { note, say } from "./announce.js";
import { cardWords } from "./cards.js";
import { listOf, t } from "./i18n.js";
import { resultTitle, sessionTitle } from "./result.js";
import { lowerSeat, myTurn } from "./state.js";

const MACHINE = /^AI \((.*)\)$/; // what the server calls the machine: by its level, or by its agent
const UNNAMED = /^Player \d$/; // what the server calls somebody who gave no name

/** The machine by its level, or by its own name where it is not the one that usually plays the level. */
export function machineName({ names, levels }, seat) {
  const level = levels[seat];
  const [, player] = MACHINE.exec(names[seat] ?? "") ?? [];
  const name = t("table.machine", { level: player && player !== level ? player : t(`level.${level}`) });
  return levels[0] === levels[1] ? `${name} ${seat + 1}` : name;
}

/** The players' names by seat. */
export function playerNames({ room, seat }) {
  return [0, 1].map((index) => {
    if (room.levels[index]) return machineName(room, index);
    const name = room.names[index];
    if (name && !UNNAMED.test(name)) return name;
    if (seat === null) return t("table.seat", { seat: index + 1 });
    return t(index === seat ? "table.you" : "table.opponent");
  });
}

/** The names by seat of a hand or session that was played. */
export function loggedNames({ names, levels, seats }) {
  return names.map((name, seat) => {
    if (levels[seat]) return t("table.machine", { level: t(`level.${levels[seat]}`) });
    if (!UNNAMED.test(name)) return name;
    if (!seats.length) return t("table.seat", { seat: seat + 1 });
    return t(seats.includes(seat) ? "table.you" : "table.opponent");
  });
}

/** The line above the hand; `sent` says that a placement is on its way. */
export function statusText(state, staging, sent, names) {
  if (state.phase !== "playing") return "";
  if (myTurn(state)) {
    if (sent) return t("turn.waiting");
    if (staging.complete) return t("turn.complete");
    if (state.fantasyland[state.seat]) return t("turn.yoursFantasyland", { count: state.hand.length });
    return state.turn === 0 ? t("turn.yours", { count: state.hand.length }) : t("turn.yoursDiscard");
  }
  if (state.toAct === null) return t("turn.waiting");
  return t("turn.opponent", { name: names[state.toAct] });
}

/** Tell screen readers what a message has changed, and everybody that time is up. */
export function speak(message, state, staging) {
  const names = playerNames(state);
  const lower = lowerSeat(state);
  if (message.type === "deal") {
    const cards = listOf(state.hand.map(cardWords));
    say(`${statusText(state, staging, false, names)}. ${t("say.dealt", { cards })}`);
  } else if (message.type === "timeout") note(t("turn.timeUp"), { bad: true });
  else if (message.type === "opponent_placed" && message.timeout) note(t("turn.opponentTimeUp", { name: names[message.seat] }));
  else if (message.type === "opponent_placed" && message.substitute) note(t("turn.substitute", { name: names[message.seat] }));
  else if (message.type === "opponent_placed" && state.fresh.length) {
    say(t("say.opponentPlaced", { name: names[message.seat], cards: listOf(state.fresh.map(cardWords)) }));
  } else if (message.type === "hand_end") say(resultTitle(state, lower, names));
  else if (message.type === "session_end") say(sessionTitle(state, lower, names));
}

/** A refusal in the reader's language; of an illegal placement the server's own sentence says more, in English. */
export function errorText({ code, message }) {
  const text = t(`error.${code}`, { message });
  return text === `error.${code}` ? message : text;
}
