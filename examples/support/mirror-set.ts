import { ListwatchError, type SharedInformerFactory } from 'listwatch';
import { Mirror, type MirrorCounts, type MirroredResource } from './mirror.ts';
import type { Timeline } from './timeline.ts';
import { until } from './until.ts';

const DEADLINE_MS = 10_000;

/** A reflector may be back before the history is gone; then the cut is repeated, this often at most. */
const ATTEMPTS = 5;

/** The mirrors of several resources, and what becomes of them when they are cut off. */
export class MirrorSet implements Iterable<Mirror> {
  readonly #mirrors: readonly Mirror[];

  constructor(
    informers: SharedInformerFactory,
    resources: readonly MirroredResource[],
    timeline: Timeline,
  ) {
    const distinct = new Map(resources.map((one) => [`${one.apiVersion} ${one.resource}`, one]));
    this.#mirrors = Array.from(distinct.values(), (one) => new Mirror(informers, one, timeline));
  }

  get size(): number {
    return this.#mirrors.length;
  }

  /** The sum over all mirrors. */
  get counts(): MirrorCounts {
    return this.#mirrors
      .map(({ counts }) => counts)
      .reduce((left, right) => ({
        lists: left.lists + right.lists,
        resumes: left.resumes + right.resumes,
        events: left.events + right.events,
      }));
  }

  [Symbol.iterator](): Iterator<Mirror> {
    return this.#mirrors[Symbol.iterator]();
  }

  /**
   * Cuts, and waits until every mirror watches again.
   * @throws {ListwatchError} code ASSERTION when one of them listed, although it did not have to.
   */
  async resumeAfter(cut: () => void, signal: AbortSignal): Promise<void> {
    const [listed, resumed] = await this.#comeBackAfter(cut, signal);
    if (listed.length === 0) return;
    throw new ListwatchError(
      'ASSERTION',
      `${names(listed)} listed again, though ${names(resumed)} show that the history was there`,
    );
  }

  /**
   * Cuts, and waits until every mirror has listed again.
   * @throws {ListwatchError} code ASSERTION when one of them went on watching after each of several cuts.
   */
  async relistAfter(cut: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const [, resumed] = await this.#comeBackAfter(cut, signal);
      if (resumed.length === 0) return;
      if (attempt === ATTEMPTS) {
        throw new ListwatchError('ASSERTION', `${names(resumed)} went on without the history`);
      }
    }
  }

  /** Those that listed, and those that went on from where they were. */
  async #comeBackAfter(
    cut: () => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<[listed: Mirror[], resumed: Mirror[]]> {
    const before = new Map(this.#mirrors.map((mirror) => [mirror, mirror.counts]));
    const listed = (mirror: Mirror): boolean =>
      mirror.counts.lists > (before.get(mirror)?.lists ?? 0);
    const resumed = (mirror: Mirror): boolean =>
      mirror.counts.resumes > (before.get(mirror)?.resumes ?? 0);
    await cut();
    const away = (): Mirror[] =>
      this.#mirrors.filter((mirror) => !listed(mirror) && !resumed(mirror));
    await until(() => away().length === 0, {
      timeoutMs: DEADLINE_MS,
      signal,
      describe: () => `the watches of ${names(away())} to come back`,
    });
    return [this.#mirrors.filter(listed), this.#mirrors.filter((mirror) => !listed(mirror))];
  }
}

function names(mirrors: readonly Mirror[]): string {
  return mirrors.map(({ resource }) => resource).join(', ');
}
