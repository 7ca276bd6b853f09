// A sentence that says why a placement cost what it did, from the numbers of a reviewed decision (docs/getting-better.md).
// Nothing is imported, so that the texts stand together with what chooses them.
const SURE = 1.96; // standard errors: a difference that is smaller may be none
const LEAST_POINTS = 0.15; // of a part that is worth a word
const WIDTHS = [14, 15, 16, 17];

const WORDS = {
  en: {
    best: "The best placement.",
    close: "Too close to call: {cost} points.",
    lost: "{grade}: {cost} points lost.",
    grades: { best: "Best", close: "Too close to call", fine: "A trifle", inaccuracy: "Inaccuracy", mistake: "Mistake", blunder: "Blunder" },
    foul: "the board fouls in {played} of the hands instead of {best}",
    fantasyland: "fantasyland is won in {played} instead of {best}{width}",
    width: " (mostly of {cards} cards)",
    fantasylandWidth: "fantasyland of {cards} cards is won in {played} instead of {best}",
    percent: "{number} %",
    royalties: "royalties come to {played} points instead of {best}",
    rows: "{row} is won in {played} instead of {best}",
    opponent: "the opponent's royalties and fantasyland gain {points} points",
    opponentLess: "the opponent's royalties and fantasyland lose {points} points",
    rowNames: ["the top", "the middle", "the bottom"],
    because: " Here {list}.",
    inReturn: " In return {list}.",
    none: " No single chance explains it.",
    and: " and ",
    comma: ", ",
    certainPlacement: "The foul became certain with the placement of turn {turn}.",
    certainDeal: "The foul became certain with the cards of turn {turn}.",
    lostAt: " It was lost on turn {turn}.",
    byCards: " No decision lost it: the cards did.",
  },
  ja: {
    best: "最善の置き方です。",
    close: "優劣不明: {cost}点。",
    lost: "{grade}: {cost}点の損。",
    grades: { best: "最善", close: "優劣不明", fine: "わずかな損", inaccuracy: "緩手", mistake: "悪手", blunder: "大悪手" },
    foul: "ファウルする割合が{best}から{played}になり",
    fantasyland: "ファンタジーランド{width}に入る割合が{best}から{played}になり",
    width: "(主に{cards}枚)",
    fantasylandWidth: "{cards}枚のファンタジーランドに入る割合が{best}から{played}になり",
    percent: "{number}%",
    royalties: "ロイヤルティの平均が{best}点から{played}点になり",
    rows: "{row}に勝つ割合が{best}から{played}になり",
    opponent: "相手のロイヤルティとファンタジーランドが{points}点増え",
    opponentLess: "相手のロイヤルティとファンタジーランドが{points}点減り",
    rowNames: ["トップ", "ミドル", "ボトム"],
    because: "この置き方では{list}ます。",
    inReturn: "そのかわり、{list}ます。",
    none: "ひとつの確率では説明できません。",
    and: "、",
    comma: "、",
    certainPlacement: "ファウルはターン{turn}の置き方で決まりました。",
    certainDeal: "ファウルはターン{turn}に配られたカードで決まりました。",
    lostAt: "分かれ目はターン{turn}でした。",
    byCards: "判断の誤りではなく、カードの運です。",
  },
};

/** What a grade is called. */
export function gradeName(grade, language) {
  return WORDS[language].grades[grade];
}

/** Why a decision of a review cost what it did; `language` is "en" or "ja". */
export function why(decision, language) {
  const words = WORDS[language];
  if (decision.grade === "best") return words.best;
  const cost = `${Math.max(0, decision.cost).toFixed(1)} ± ${(SURE * decision.error).toFixed(1)}`;
  if (decision.grade === "close") return filled(words.close, { cost });
  const parts = reasons(decision, words);
  const losses = parts.filter(({ isLoss }) => isLoss);
  const gains = parts.filter(({ isLoss }) => !isLoss);
  const lost = filled(words.lost, { grade: words.grades[decision.grade], cost });
  if (!losses.length) return lost + words.none;
  return lost + listed(words.because, losses, words) + (gains.length ? listed(words.inReturn, gains, words) : "");
}

/** When a foul became certain, and what lost the hand to it. */
export function whyFoul({ certain_turn: certain, certain_by: by, lost_turn: lost }, language) {
  const words = WORDS[language];
  const when = filled(by === "deal" ? words.certainDeal : words.certainPlacement, { turn: certain });
  if (lost === null) return when + words.byCards;
  return lost === certain && by === "placement" ? when : when + filled(words.lostAt, { turn: lost });
}

/**
 * What changed for sure, the greatest part of the points first. Whether it is a loss is told by the number that is quoted: fewer
 * fouls are a gain, also where they are bought with more than they are worth.
 */
function reasons({ difference, options, played }, words) {
  const best = options[0].chances;
  const own = options.find(({ placement }) => placement === played).chances;
  const found = [];
  /** `change` of the quoted number is a gain if it is greater than 0; nothing is said of numbers that read alike. */
  const add = (points, change, template, numbers) => {
    if (Math.abs(points) < LEAST_POINTS || numbers.played === numbers.best) return;
    found.push({ points: Math.abs(points), isLoss: change < 0, text: filled(template, numbers) });
  };
  /** Whether a number is not 0 beyond its interval. */
  const beyond = (name) => Math.abs(difference[name]) > SURE * difference[`${name}_error`];
  const { foul, fantasyland, any_fantasyland: wins, royalties, rows, by_rows: byRows, by_royalties: byRoyalties, by_opponent: byOpponent } = difference;
  if (beyond("foul")) add(difference.by_foul, -foul, words.foul, shares(own.foul, best.foul, words));
  // Boards that foul less and yet lose points have lost what they fouled for.
  const elsewhere = beyond("foul") && foul * difference.by_foul > 0 ? difference.by_foul : 0;
  const byFantasyland = difference.by_fantasyland + elsewhere;
  if (beyond("any_fantasyland") && wins * byFantasyland > 0) {
    const width = widest(fantasyland);
    const numbers = shares(total(own.fantasyland), total(best.fantasyland), words);
    add(byFantasyland, wins, words.fantasyland, { ...numbers, width: width ? filled(words.width, { cards: width }) : "" });
  } else if (beyond("by_fantasyland")) {
    const at = greatest(fantasyland.map((each) => (each * difference.by_fantasyland > 0 ? each : 0)));
    const numbers = shares(own.fantasyland[at], best.fantasyland[at], words);
    if (fantasyland[at] * difference.by_fantasyland > 0) add(difference.by_fantasyland, fantasyland[at], words.fantasylandWidth, { ...numbers, cards: WIDTHS[at] });
  }
  const earned = { played: own.royalties.toFixed(1), best: best.royalties.toFixed(1) };
  if (beyond("royalties") && royalties * byRoyalties > 0) add(byRoyalties, royalties, words.royalties, earned);
  const row = greatest(rows);
  const won = { row: words.rowNames[row], ...shares(own.rows[row], best.rows[row], words) };
  if (beyond("by_rows") && rows[row] * byRows > 0) add(byRows, rows[row], words.rows, won);
  const points = Math.abs(byOpponent).toFixed(1);
  if (beyond("by_opponent")) add(byOpponent, byOpponent, byOpponent < 0 ? words.opponent : words.opponentLess, { points, played: points });
  return found.sort((a, b) => b.points - a.points).slice(0, 3);
}

function shares(played, best, { percent }) {
  const text = (share) => filled(percent, { number: Math.round(100 * share) });
  return { played: text(played), best: text(best) };
}

/** The width of fantasyland that makes most of a difference, if one makes more than half of it. */
function widest(differences) {
  const at = greatest(differences);
  const all = differences.reduce((sum, each) => sum + Math.abs(each), 0);
  return Math.abs(differences[at]) > all / 2 ? WIDTHS[at] : 0;
}

function greatest(numbers) {
  return numbers.reduce((at, each, index) => (Math.abs(each) > Math.abs(numbers[at]) ? index : at), 0);
}

function total(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function listed(template, parts, { and, comma }) {
  const texts = parts.map(({ text }) => text);
  const list = texts.length > 1 ? texts.slice(0, -1).join(comma) + and + texts.at(-1) : texts[0];
  return filled(template, { list });
}

function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
