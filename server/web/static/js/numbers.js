// Numbers as people read them.

/** Cards of a fantasyland, in the order in which chances and differences tell of them. */
export const FANTASYLAND_WIDTHS = [14, 15, 16, 17];

const QUANTILE = 1.96; // standard errors on either side of a 95 % interval

/** "+1.2", with a true minus sign. */
export function signedNumber(value, digits = 1) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return value > 0 ? `+${text}` : `−${text}`;
}

/** "0.4": half a 95 % interval. */
export function halfInterval(error, digits = 1) {
  return (QUANTILE * error).toFixed(digits);
}

/** " ± 0.4"; nothing where a number is exact. */
export function spread(error, digits = 1) {
  return error ? ` ± ${halfInterval(error, digits)}` : "";
}
