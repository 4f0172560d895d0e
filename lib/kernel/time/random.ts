import type { Runtime } from './runtime.ts';

/**
 * A seeded generator of numbers in [0, 1) (the sfc32 generator, period about 2^127).
 * The same seed gives the same numbers on every machine and Node version.
 */
export function seededRandom(seed: number | string): () => number {
  let [a, b, c] = scatter(String(seed));
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4294967296;
  };
  for (let warmUp = 0; warmUp < 16; warmUp += 1) next();
  return next;
}

/** Three well-mixed 32-bit words from a text (FNV-1a with three offsets). */
function scatter(text: string): [number, number, number] {
  const words: [number, number, number] = [0x811c9dc5, 0x1b873593, 0x9e3779b9];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    for (let word = 0; word < 3; word += 1) {
      words[word] = Math.imul((words[word] as number) ^ (unit + word), 0x01000193);
    }
  }
  return words;
}

/** A whole number from `low` to `high`, both included. */
export function randomInteger(runtime: Pick<Runtime, 'random'>, low: number, high: number): number {
  return low + Math.floor(runtime.random() * (high - low + 1));
}

/** `length` characters drawn from `alphabet`. */
export function randomText(
  runtime: Pick<Runtime, 'random'>,
  length: number,
  alphabet: string,
): string {
  let text = '';
  for (let count = 0; count < length; count += 1) {
    text += alphabet[Math.floor(runtime.random() * alphabet.length)];
  }
  return text;
}

/** A version 4 UUID, from the runtime's random source. Not for secrets. */
export function randomUuid(runtime: Pick<Runtime, 'random'>): string {
  const [first, second, third, fourth] = [
    randomWord(runtime),
    randomWord(runtime),
    randomWord(runtime),
    randomWord(runtime),
  ] as const;
  const variant = '89ab'[Math.floor(runtime.random() * 4)];
  return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-${variant}${third.slice(1, 4)}-${third.slice(4)}${fourth}`;
}

/** Each byte as two hexadecimal digits. */
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

/** 32 random bits as eight hexadecimal digits. */
function randomWord(runtime: Pick<Runtime, 'random'>): string {
  const word = (runtime.random() * 0x1_0000_0000) >>> 0;
  const high = `${HEX[word >>> 24]}${HEX[(word >>> 16) & 0xff]}`;
  return `${high}${HEX[(word >>> 8) & 0xff]}${HEX[word & 0xff]}`;
}
