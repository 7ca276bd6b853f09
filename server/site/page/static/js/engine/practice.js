// A practice table: hints, chances, and moves taken back; whatever is told comes from what the seat knows.
import { NotNow, now, PERSON, told, toldWords, wordsOf } from "./common.js";

/** Answer a question at a practice table. */
export async function practise(room, message) {
  if (!room.isPractice) throw new NotNow("this is not a practice table: moves are taken back, and hints and chances given, at such a table alone", "refused");
  if (message.type === "take_back" || message.type === "replay") return takeBack(room, message.type === "replay");
  if (room.phase !== "playing" || room.view().player !== PERSON) throw new NotNow("it is not your turn: hints and chances are for cards in your hand", "not_now");
  const sequence = room.body.game.placements.length + 1;
  if (message.sequence !== undefined && message.sequence !== sequence) throw new NotNow(`placement ${message.sequence} is not the one waited for`, "stale");
  const known = room.core.ask("information", room.table);
  const about = { sequence, turn: room.view().turn };
  if (message.type === "hint") {
    const options = await room.engine.judged("hint", room.body.rules, known);
    room.tell({ type: "hint", ...about, options: options.map((option) => ({ ...option, placement: toldWords(option.placement) })) });
    return null;
  }
  const chances = await room.engine.judged("chances", room.body.rules, known, message.placements ? wordsOf(message) : "");
  room.tell({ type: "chances", ...about, placement: message.placements ? told(message) : null, chances });
  return null;
}

/** Back to before the person's last placement, or to the deal: another try at the hand. */
async function takeBack(room, wholeHand) {
  const { game } = room.body;
  const hand = game?.hand ?? game?.last?.hand;
  const own = hand ? hand.decisions.findLastIndex(({ seat }) => seat === PERSON) : -1;
  if (own < 0) throw new NotNow("you have placed nothing in this hand: there is nothing to take back", "not_now");
  const kept = wholeHand ? 0 : own;
  const begun = game.placements.length - hand.decisions.length;
  const retries = room.retries + 1;
  const number = hand.hand_number + 1;
  const again = { ...hand, hand_id: `${game.session_id}-${number}`, hand_number: number, decisions: hand.decisions.slice(0, kept), started_at: now() };
  const body = { ...room.body, game: { ...game, retries, hand: again, placements: game.placements.slice(0, begun + kept) } };
  // The try that is given up is kept, too; one that was played to its end is there already.
  await room.engine.store.put({ rooms: [body], hands: game.hand ? [{ ...hand, ended_at: null, result: null }] : [] });
  room.body = body;
  room.stop();
  room.core.ask("close", room.table);
  room.lastResult = null;
  room.replay();
  room.rematchOpen = true;
  room.tell({ type: "taken_back", seat: PERSON, whole_hand: wholeHand, hand_id: again.hand_id, hand_number: number }, room.state());
  room.deal();
}
