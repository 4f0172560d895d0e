import { webcrypto } from 'node:crypto';
import { ambientSource } from './ambient-run.ts';
import { replaceFunction, replaceProperty, type Callable } from './replace-property.ts';

const HEX = 16;

/** Fills bytes with random numbers of the code that runs. */
function fill(target: unknown): void {
  if (!ArrayBuffer.isView(target)) return;
  const { random } = ambientSource();
  const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(random() * 256);
}

function uuid(): string {
  const bytes = new Uint8Array(16);
  fill(bytes);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(HEX).padStart(2, '0')).join('');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** Calls back in a task of its own, as Node does. */
function answer(callback: Callable, value: unknown): void {
  ambientSource().runtime.queueTask(() => {
    callback(null, value);
  });
}

/**
 * Replaces the random sources. The real functions run first: they check the arguments, and their result is then overwritten.
 * @param crypto what `node:crypto` exports
 */
export function replaceRandom(crypto: object): void {
  replaceProperty(Math, 'random', () => ambientSource().random());
  const prototype: object = Object.getPrototypeOf(webcrypto) as object;
  const filled =
    (real: Callable): Callable =>
    (target) => {
      real.call(webcrypto, target);
      fill(target);
      return target;
    };
  const drawn =
    (real: Callable): Callable =>
    (options) => {
      real(options);
      return uuid();
    };
  replaceFunction(prototype, 'getRandomValues', filled);
  replaceFunction(prototype, 'randomUUID', () => uuid);
  replaceFunction(crypto, 'getRandomValues', filled);
  replaceFunction(crypto, 'randomUUID', drawn);
  for (const name of ['randomBytes', 'pseudoRandomBytes', 'rng', 'prng']) {
    replaceFunction(crypto, name, (real) => (size, callback) => bytesOf(real(size), callback));
  }
  replaceFunction(crypto, 'randomFillSync', (real) => (target, ...range) => {
    real(target, ...range);
    fillRange(target, range);
    return target;
  });
  replaceFunction(crypto, 'randomFill', (real) => (target, ...rest) => {
    const callback = rest.pop();
    // Checks the arguments, and calls nothing that runs later.
    if (typeof callback !== 'function') return real(target, ...rest, callback);
    fillRange(target, rest);
    answer(callback as Callable, target);
    return undefined;
  });
  replaceFunction(crypto, 'randomInt', integerOf);
}

function bytesOf(bytes: unknown, callback: unknown): unknown {
  fill(bytes);
  if (typeof callback !== 'function') return bytes;
  answer(callback as Callable, bytes);
  return undefined;
}

function fillRange(target: unknown, range: readonly unknown[]): void {
  if (!ArrayBuffer.isView(target)) {
    if (target instanceof ArrayBuffer) fillRange(new Uint8Array(target), range);
    return;
  }
  const width = 'BYTES_PER_ELEMENT' in target ? Number(target.BYTES_PER_ELEMENT) : 1;
  const offset = Number(range[0] ?? 0) * width;
  const size = range[1] === undefined ? target.byteLength - offset : Number(range[1]) * width;
  fill(new Uint8Array(target.buffer, target.byteOffset + offset, size));
}

function integerOf(real: Callable): Callable {
  return (...given) => {
    const callback = typeof given.at(-1) === 'function' ? (given.pop() as Callable) : undefined;
    real(...given);
    const [low, high] = given.length < 2 ? [0, Number(given[0])] : given.map(Number);
    const { random } = ambientSource();
    const value = (low ?? 0) + Math.floor(random() * ((high ?? 0) - (low ?? 0)));
    if (callback === undefined) return value;
    answer(callback, value);
    return undefined;
  };
}
