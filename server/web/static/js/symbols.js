// The shapes that cards are drawn with, put into the page once; cards refer to them by their ids.
const SYMBOLS = `
  <symbol id="suit-h" viewBox="0 0 24 24"><path d="M12 21.4C5.9 16.6 1.9 13 1.9 8.4 1.9 5 4.4 2.6 7.5 2.6c1.9 0 3.5 1 4.5 2.6 1-1.6 2.6-2.6 4.5-2.6 3.1 0 5.6 2.4 5.6 5.8 0 4.6-4 8.2-10.1 13z"/></symbol>
  <symbol id="suit-d" viewBox="0 0 24 24"><path d="M12 1.6 20.2 12 12 22.4 3.8 12z"/></symbol>
  <symbol id="suit-c" viewBox="0 0 24 24"><path d="M12 1.8a4.9 4.9 0 0 0-4.2 7.5A4.9 4.9 0 1 0 10.9 17c-.2 2-1 3.6-2.6 5.2h7.4c-1.6-1.6-2.4-3.2-2.6-5.2a4.9 4.9 0 1 0 3.1-7.7A4.9 4.9 0 0 0 12 1.8z"/></symbol>
  <symbol id="suit-s" viewBox="0 0 24 24"><path d="M12 1.6C9 6.2 3 9.3 3 14a4.4 4.4 0 0 0 7.8 2.8c-.2 2.2-1 3.8-2.5 5.4h7.4c-1.5-1.6-2.3-3.2-2.5-5.4A4.4 4.4 0 0 0 21 14c0-4.7-6-7.8-9-12.4z"/></symbol>
  <symbol id="joker" viewBox="0 0 24 24"><path d="M3 6.5c2.6-.9 5 .1 6 2.4.6-2.8 1.5-4.7 3-6.4 1.5 1.7 2.4 3.6 3 6.4 1-2.3 3.4-3.3 6-2.4-2 1.3-2.4 4.4-2.7 9H5.7C5.4 10.9 5 7.8 3 6.5z"/><path d="M5.6 17.2h12.8v2.7c0 1-.8 1.9-1.9 1.9h-9a1.9 1.9 0 0 1-1.9-1.9z"/><circle cx="2.6" cy="6.3" r="1.7"/><circle cx="12" cy="2.2" r="1.7"/><circle cx="21.4" cy="6.3" r="1.7"/></symbol>
`;

document.body.insertAdjacentHTML("afterbegin", `<svg class="symbols" aria-hidden="true" width="0" height="0">${SYMBOLS}</svg>`);
