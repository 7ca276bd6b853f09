// One player's half of the table: name plate, three rows, and what is to be said of them.
import { cardBack, cardElement, cardWords, ROWS, ROW_SIZES, sortedCards, valueWords } from "./cards.js";
import { listOf, t } from "./i18n.js";

/** Builds the fixed parts inside `root`; `own` boards take cards. */
export class BoardView {
  constructor(root, { own }) {
    this.root = root;
    this.own = own;
    this.filled = new Map(); // row -> signature of what it shows
    root.innerHTML = `
      <header class="plate">
        <span class="dealer" role="img" hidden></span>
        <div class="who"><strong class="name"></strong><span class="chips"></span></div>
        <span class="badge" hidden></span>
        <div class="clock" hidden><span class="clock-digits" aria-hidden="true"></span></div>
      </header>
      <div class="rows">
        ${ROWS.map(
          (row) => `
        <div class="row" role="group" data-row="${row}" ${own ? `data-drop="${row}"` : ""}>
          <div class="slots"></div>
          <div class="row-info"><span class="row-label"></span><span class="row-name"></span>
            <span class="row-marks"><span class="row-royalty"></span><span class="row-points"></span></span></div>
        </div>`,
        ).join("")}
      </div>
      <p class="board-note"></p>`;
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  rowElement(row) {
    return this.find(`.row[data-row="${row}"]`);
  }

  renderPlate({ name, chips, buttonActs, fantasyland, connected, active }) {
    this.root.setAttribute("aria-label", t("table.boardOf", { name }));
    this.root.classList.toggle("active", active);
    this.find(".name").textContent = name;
    this.find(".chips").textContent = t("table.chips", { count: chips }) + (connected ? "" : ` · ${t("table.offline")}`);
    const dealer = this.find(".dealer");
    dealer.hidden = !buttonActs;
    dealer.textContent = t("table.buttonShort");
    dealer.title = buttonActs ? t(`table.button.${buttonActs}`) : "";
    dealer.setAttribute("aria-label", dealer.title);
    const badge = this.find(".badge");
    badge.hidden = !fantasyland;
    badge.textContent = `★ ${t("table.fantasylandCards", { count: fantasyland })}`;
    this.root.classList.toggle("in-fantasyland", Boolean(fantasyland));
  }

  /**
   * The cards of the rows. `staged` holds this turn's own cards per row, which can still be moved;
   * `targets` says whether free places are buttons that take the picked card.
   */
  renderRows({ board, staged, fresh, hidden, targets }) {
    for (const row of ROWS) {
      const fixed = sortedCards(board[row]);
      const movable = staged?.[row] ?? [];
      const signature = JSON.stringify([fixed, movable, fresh.filter((card) => fixed.includes(card)), hidden, targets, t("row.top")]);
      const cards = [...fixed, ...movable].map(cardWords);
      this.rowElement(row).setAttribute(
        "aria-label",
        t("row.describe", { row: t(`row.${row}`), cards: cards.length ? listOf(cards) : t("table.empty") }),
      );
      if (this.filled.get(row) === signature) continue;
      this.filled.set(row, signature);
      const places = fixed.map((card) => {
        const element = cardElement(card);
        element.classList.toggle("card-fresh", fresh.includes(card));
        return element;
      });
      for (const card of movable) {
        const element = cardElement(card, { movable: true });
        element.classList.add("card-staged");
        places.push(element);
      }
      const firstFree = places.length;
      while (places.length < ROW_SIZES[row]) {
        places.push(hidden ? cardBack() : freePlace(row, targets && places.length === firstFree));
      }
      this.rowElement(row).querySelector(".slots").replaceChildren(...places);
    }
  }

  /** Names, royalties and dangers; `points` are the row results of a finished hand, +1, 0 or −1. */
  renderInfo({ evaluation, points, busted, fantasyland, finished, hidden, setting }) {
    ROWS.forEach((row, index) => {
      const info = this.rowElement(row).querySelector(".row-info");
      const royalty = busted ? 0 : (evaluation?.royalties[row] ?? 0);
      info.querySelector(".row-label").textContent = t(`row.${row}`);
      info.querySelector(".row-name").textContent = evaluation ? valueWords(evaluation.values[index]) : "";
      info.querySelector(".row-royalty").textContent = royalty ? `+${royalty}` : "";
      info.querySelector(".row-royalty").title = royalty ? t("table.royalties", { points: royalty }) : "";
      const mark = info.querySelector(".row-points");
      mark.textContent = points ? signed(points[row]) : "";
      mark.className = `row-points ${points ? pointsClass(points[row]) : ""}`;
      const ahead = !finished && evaluation && index < 2 && evaluation.ahead[index];
      this.rowElement(row).classList.toggle("ahead", Boolean(ahead));
    });
    const fouled = busted ?? (evaluation?.foul === "yes");
    this.root.classList.toggle("fouled", Boolean(fouled));
    const { text, kind } = this.boardNote({ evaluation, fouled, fantasyland, finished, hidden, setting });
    const noteElement = this.find(".board-note");
    noteElement.textContent = text;
    noteElement.className = `board-note ${kind}`;
    return kind === "danger" ? text : "";
  }

  boardNote({ evaluation, fouled, fantasyland, finished, hidden, setting }) {
    if (hidden) return { text: t("table.faceDown"), kind: "" };
    if (setting) return { text: t("table.settingHand"), kind: "" };
    if (fouled) return { text: `⚠ ${finished ? t("foul.short") : t("foul.yes")}`, kind: "danger" };
    if (!evaluation) return { text: "", kind: "" };
    const royalties = evaluation.royalties.total ? t("table.royalties", { points: evaluation.royalties.total }) : "";
    if (evaluation.foul === "risk" && !finished) {
      const rows = listOf(["foul.topAhead", "foul.middleAhead"].filter((_, index) => evaluation.ahead[index]).map((key) => t(key)));
      return { text: [`△ ${t("foul.risk", { rows })}`, royalties].filter(Boolean).join(" · "), kind: "risk" };
    }
    const dream = fantasyland
      ? evaluation.stays && t("hint.stays")
      : evaluation.fantasyland > 0 && t("hint.fantasyland", { count: evaluation.fantasyland });
    return { text: [royalties, !finished && dream && `★ ${dream}`].filter(Boolean).join(" · "), kind: "good" };
  }
}

function freePlace(row, isTarget) {
  const place = document.createElement(isTarget ? "button" : "span");
  place.className = isTarget ? "slot slot-target" : "slot";
  if (isTarget) {
    place.type = "button";
    place.setAttribute("aria-label", t("row.freeSlot", { row: t(`row.${row}`) }));
  }
  return place;
}

export function signed(points) {
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
}

export function pointsClass(points) {
  return points > 0 ? "plus" : points < 0 ? "minus" : "even";
}
