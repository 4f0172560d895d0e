import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { CollectionOptions, ResourceName } from '../../meta/collection-options.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { collectionKey, descriptionOf } from '../format/reader-record.ts';
import type { ReadRecording, RecordedReader } from './read-recording.ts';
import type { ReplayedCollection } from './replay-source.ts';

/** A collection in a recording. */
export interface RecordedCollection extends CollectionOptions {
  /** E.g. `deployments.apps in namespace shop`. */
  readonly description: string;
  /** Undefined in the recording of one source. */
  readonly apiVersion?: string | undefined;
  readonly resource?: string | undefined;
  /** Its lists and watches, without those that only ask for the version of the server. */
  readonly requests: number;
}

/** Finds the reader of a recording that is meant. */
export class ReplayReaders {
  readonly #path: string;
  /** By collection; of those that have one, sources before calls. */
  readonly #readers = new Map<string, RecordedReader[]>();
  /** How often a collection was taken. */
  readonly #taken = new Map<string, number>();

  constructor({ path, readers }: ReadRecording) {
    this.#path = path;
    const isCall = ({ collection }: RecordedReader): boolean => collection?.by === 'call';
    for (const reader of [...readers.filter((one) => !isCall(one)), ...readers.filter(isCall)]) {
      const key = keyOf(reader);
      const same = this.#readers.get(key);
      if (same === undefined) this.#readers.set(key, [reader]);
      else same.push(reader);
    }
  }

  get collections(): readonly RecordedCollection[] {
    return [...this.#readers.values()].map((readers) => {
      const [{ description, collection }] = readers as [RecordedReader];
      const requests = readers.reduce((sum, { exchanges }) => sum + exchanges.length, 0);
      const { by: _, ...named } = collection ?? { by: undefined };
      return { description, ...named, requests };
    });
  }

  /** The only one. @throws {ListwatchError} code INVALID_OPTION when there are several. */
  only(): RecordedReader {
    const [first] = [...this.#readers.values()].flat();
    if (first !== undefined && this.#readers.size === 1) return first;
    const problem =
      'has several collections; read one with listerWatcher({ apiVersion, resource })';
    throw new ListwatchError('INVALID_OPTION', `${this.#path} ${problem}: ${this.#names()}`);
  }

  /**
   * The next reader of a collection; the last one again when all were taken. Undefined if the recording has only single namespaces of it.
   * @throws {ListwatchError} code INVALID_OPTION when it has none of it.
   */
  take(wanted: ResourceName & CollectionOptions): RecordedReader | undefined {
    const key = collectionKey(wanted);
    const description = descriptionOf(wanted);
    const readers = this.#readers.get(key) ?? this.#readers.get(description);
    if (readers !== undefined) {
      const taken = this.#taken.get(key) ?? 0;
      this.#taken.set(key, taken + 1);
      return readers[Math.min(taken, readers.length - 1)];
    }
    const isInNamespaces = [...this.#readers.values()].some(([one]) => {
      const { collection } = one as RecordedReader;
      const { namespace } = collection ?? {};
      return collection !== undefined && collectionKey({ ...wanted, namespace }) === keyOf(one);
    });
    if (isInNamespaces && (wanted.namespace ?? '') === '') return undefined;
    throw this.missing(description);
  }

  /** A source of all namespaces of which only single ones were read: an informer of several namespaces makes it, and reads those. */
  inNamespaces<T extends KubernetesObject>(
    wanted: ResourceName & CollectionOptions,
  ): ReplayedCollection<T> {
    const description = descriptionOf(wanted);
    const refuse = (): Promise<never> => Promise.reject(this.missing(description));
    const empty = { objects: [], resourceVersion: '' };
    return { description, resource: wanted, list: refuse, watch: refuse, ...empty };
  }

  missing(description: string): ListwatchError {
    const problem = `the recording ${this.#path} has no ${description}; it has ${this.#names()}`;
    return new ListwatchError('INVALID_OPTION', problem);
  }

  #names(): string {
    const names = [...this.#readers.values()].map(([one]) => one?.description);
    const shown = names.slice(0, MOST_NAMES).join('; ');
    return names.length > MOST_NAMES
      ? `${shown}; and ${names.length - MOST_NAMES} more`
      : shown || 'nothing';
  }
}

/** Collections that an error names. */
const MOST_NAMES = 20;

function keyOf(reader: RecordedReader | undefined): string {
  const { collection, description = '' } = reader ?? {};
  return collection === undefined ? description : collectionKey(collection);
}
