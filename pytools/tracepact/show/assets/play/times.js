"use strict";
// Exact times as text: decimals, or fractions where there is none; a frame is a multiple of the contract's step.
const times = (() => {
  let step = [1n, 50n];
  const divisor = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };
  const fraction = (text) => {
    const [above, below] = text.trim().split("/");
    const [whole, part = ""] = above.split(".");
    return [BigInt((whole || "0") + part), 10n ** BigInt(part.length) * BigInt(below || 1)];
  };
  const number = (text) => {
    const [above, below] = String(text).split("/");
    return below === undefined ? Number(above) : Number(above) / Number(below);
  };
  const text = ([above, below]) => {
    const common = divisor(above, below) || 1n;
    above /= common;
    below /= common;
    let places = 0, rest = below;
    while (rest % 10n === 0n) { rest /= 10n; places++; }
    while (rest % 5n === 0n) { rest /= 5n; places++; }
    while (rest % 2n === 0n) { rest /= 2n; places++; }
    if (rest !== 1n) return `${above}/${below}`;
    const digits = String(above * 10n ** BigInt(places) / below).padStart(places + 1, "0");
    return places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits;
  };
  return {
    number,
    use(stepText) { step = fraction(stepText); },
    step: () => Number(step[0]) / Number(step[1]),
    frames: (frames) => text([BigInt(Math.max(0, frames)) * step[0], step[1]]),
    // The text of a number of seconds: the nearest frame, or the nearest millisecond.
    at(seconds, onFrames) {
      if (onFrames) return this.frames(Math.round(seconds / this.step()));
      return text([BigInt(Math.max(0, Math.round(seconds * 1000))), 1000n]);
    },
    nearestFrame: (seconds) => Math.round(seconds / (Number(step[0]) / Number(step[1]))),
  };
})();
