import { seededRandom } from '../../lib/kernel/time/random.ts';
import type { Step } from './scenario.ts';

/** Choices of one scenario; the same seed makes the same ones. */
export class Draw {
  readonly #random: () => number;

  constructor(seed: string) {
    this.#random = seededRandom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[this.below(items.length)] as T;
  }

  /** `count` items, or all, in a drawn order. */
  some<T>(items: readonly T[], count: number): T[] {
    const rest = [...items];
    const drawn: T[] = [];
    while (drawn.length < count && rest.length > 0) {
      drawn.push(...rest.splice(this.below(rest.length), 1));
    }
    return drawn;
  }
}

type Headers = Readonly<Record<string, string>>;

function some(headers: Headers): { readonly headers?: Headers } {
  return Object.keys(headers).length === 0 ? {} : { headers };
}

export function get(path: string, headers: Headers = {}): Step {
  return { method: 'GET', path, ...some(headers) };
}

export function post(path: string, body: unknown, headers: Headers = {}): Step {
  return { method: 'POST', path, body, ...some(headers) };
}

export function put(path: string, body: unknown, headers: Headers = {}): Step {
  return { method: 'PUT', path, body, ...some(headers) };
}

export function del(path: string, body?: unknown): Step {
  return body === undefined ? { method: 'DELETE', path } : { method: 'DELETE', path, body };
}

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export type PatchType = keyof typeof PATCH_TYPES;

export function patch(type: PatchType, path: string, body: unknown, headers: Headers = {}): Step {
  return {
    method: 'PATCH',
    path,
    body,
    headers: { 'content-type': PATCH_TYPES[type], ...headers },
  };
}

/** A request that prepares others. */
export function setup(step: Step): Step {
  return { ...step, setup: true };
}
