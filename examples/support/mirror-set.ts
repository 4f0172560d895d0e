import { ListwatchError, type SharedInformerFactory } from 'listwatch';
import { Mirror, type MirrorCounts, type MirroredResource } from './mirror.ts';
import type { Timeline } from './timeline.ts';
import { until } from './until.ts';

/** The mirrors of several resources, with waits for their state after a lost connection. */
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

  /** Objects in all caches. */
  get objects(): number {
    return this.#mirrors.reduce((total, { informer }) => total + informer.indexer.size, 0);
  }

  /**
   * Cuts, and waits until every mirror watches again.
   * @throws {ListwatchError} code ASSERTION when one of them listed, although it did not have to.
   */
  async resumeAfter(cut: () => void, signal: AbortSignal): Promise<void> {
    const { lists, resumes } = this.counts;
    cut();
    const areBack = (): boolean => {
      for (const mirror of this.#mirrors) mirror.lookForResume();
      return this.counts.resumes + this.counts.lists >= resumes + lists + this.size;
    };
    await until(areBack, {
      signal,
      describe: () => `the watches of ${names(this.#away)} to come back`,
    });
    if (this.counts.lists === lists) return;
    throw new ListwatchError('ASSERTION', 'a mirror listed again, though its past was there');
  }

  /** Waits until no mirror watches. */
  async whenAway(signal: AbortSignal): Promise<void> {
    await until(() => this.#away.length === this.size, {
      signal,
      describe: () => 'the mirrors to notice that they are cut off',
    });
  }

  /** Reconnects the mirrors to a server that has compacted its history, and waits until each mirror has listed again. */
  async relistAfter(letBack: () => void, signal: AbortSignal): Promise<void> {
    const before = new Map(this.#mirrors.map((mirror) => [mirror, mirror.counts.lists]));
    letBack();
    const missing = (): Mirror[] =>
      this.#mirrors.filter((mirror) => mirror.counts.lists === before.get(mirror));
    await until(() => missing().length === 0, {
      signal,
      describe: () => `the informers of ${names(missing())} to list again`,
    });
  }

  get #away(): readonly Mirror[] {
    return this.#mirrors.filter(({ watching }) => !watching);
  }
}

function names(mirrors: readonly Mirror[]): string {
  return mirrors.map(({ resource }) => resource).join(', ');
}
