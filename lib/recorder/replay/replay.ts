import type { ListerWatcherSource } from '../../cache/informer/factory/informer-request.ts';
import type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import type { CollectionOptions, ResourceName } from '../../meta/collection-options.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { hasSeveralReaders, type FileHeader } from '../format/file-head.ts';
import type {
  ReplayServer,
  ReplayServeOptions,
  ServedClients,
  ServedReader,
} from '../replay-server/replay-server.ts';
import { readRecording, type ReadRecording, type RecordedReader } from './read-recording.ts';
import {
  playRecording,
  recordedObjects,
  type PlayedPart,
  type ReplayAudience,
} from './play-recording.ts';
import { isDelivered } from './replay-course.ts';
import { ReplayPace, type PacedReader, type ReplaySpeed, type ReplayStep } from './replay-pace.ts';
import { ReplayReaders, type RecordedCollection } from './replay-readers.ts';
import { ReplaySource, type ReplayedCollection } from './replay-source.ts';
import { RecordKind } from '../format/record-frame.ts';
import { collectionKey } from '../format/reader-record.ts';

/**
 * The readers of a recording whose answers clients of its server get: without those whose objects another one has too, so that each change
 * comes once.
 */
function servedReaders({ readers }: ReadRecording): readonly RecordedReader[] {
  return readers.filter(
    (reader, index) =>
      !readers.some((other, at) => other !== reader && isCovered(reader, other, at < index)),
  );
}

/** `isEarlier`: the other one is the one to keep of two that are alike. */
function isCovered(reader: RecordedReader, other: RecordedReader, isEarlier: boolean): boolean {
  const [part, whole] = [reader.collection, other.collection];
  if (part === undefined || whole === undefined) return false;
  if (part.apiVersion !== whole.apiVersion || part.resource !== whole.resource) return false;
  if (isWatched(reader) && !isWatched(other)) return false;
  if (collectionKey(part) === collectionKey(whole)) {
    return isEarlier || (isWatched(other) && !isWatched(reader));
  }
  const { namespace = '', labelSelector, fieldSelector, shardSelector } = whole;
  if (namespace !== '' && namespace !== part.namespace) return false;
  // A single list is older than a watch.
  if (isWatched(other) && !isWatched(reader)) return true;
  if (whole.metadataOnly === true && part.metadataOnly !== true) return false;
  return !labelSelector && !fieldSelector && !shardSelector;
}

function isWatched({ exchanges }: RecordedReader): boolean {
  return exchanges.some(({ kind }) => kind === 'watch');
}

/** The part of a reader that its server needs. */
function servedReader(reader: RecordedReader): ServedReader {
  const { description, collection } = reader;
  const objects = { [Symbol.iterator]: () => recordedObjects([reader]) };
  return { description, collection, itemKind: itemKindOf(reader), objects };
}

/** The kind that an answer without objects names. */
function itemKindOf({ exchanges }: RecordedReader): string | undefined {
  for (const { answers } of exchanges) {
    for (const answer of answers) {
      const { kind } = answer;
      if (kind !== RecordKind.pageEnd && kind !== RecordKind.bookmark) continue;
      const { body } = answer;
      if (!body.includes('"itemKind"')) continue;
      const { itemKind } = JSON.parse(body.toString('utf8')) as { readonly itemKind?: unknown };
      if (typeof itemKind === 'string') return itemKind;
    }
  }
  return undefined;
}

/** @experimental */
export interface ReplayOptions {
  /** @defaultValue 1 */
  readonly speed?: ReplaySpeed | undefined;
  /** Replays a recording that was cut short up to its last whole record. @defaultValue false */
  readonly partial?: boolean | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<ReplayOptions>()('replay', {
  speed: is.anything(),
  partial: is.flag(),
  runtime: is.object(),
});

interface WaitForReplay {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A recording as a source: an informer that reads from it gets what the recorded one got, in the same order, with the same failures. The
 * recording of a client has several collections, so it stands in the place of the client: a `SharedInformerFactory` takes it.
 *
 * Guarantees:
 * - The answers come in the order of the recording, also of different collections, each object with the bytes that were recorded. Who
 *   has been made waits for what others have to be given before, as long as those ask for it within 30 seconds.
 * - A program that asks otherwise than the recorded one is led on: a watch where the recording has a list gets 410, a list where it has a
 *   watch gets the state so far. Behind the last record a watch stays open and silent.
 *
 * Not guaranteed: the answers to requests for one item, by which a reflector only asks for the version of the server; they get the version
 * of the state so far.
 *
 * @experimental
 */
export class Replay<T extends KubernetesObject = KubernetesObject>
  implements ListerWatcher<ObjectView<T>>, ListerWatcherSource
{
  readonly description: string;
  readonly #recording: ReadRecording;
  readonly #pace: ReplayPace;
  readonly #runtime: Runtime;
  readonly #readers: ReplayReaders;
  /** All who read. */
  readonly #sources = new Set<Pick<ReplaySource<T>, 'finished'>>();
  #finished: Latch;
  #positionMs = 0;
  /** The source of the only collection. */
  #single: ReplaySource<T> | undefined;
  /** The receiver of the answers: programs that read from it, or the clients of its server. */
  #use: 'read' | 'served' | undefined;

  private constructor(recording: ReadRecording, options: ReplayOptions) {
    this.#recording = recording;
    this.#runtime = options.runtime ?? realRuntime;
    this.#pace = new ReplayPace(options.speed ?? 1, this.#runtime);
    this.#readers = new ReplayReaders(recording);
    this.description = recording.header.collection;
    this.#finished = this.#newLatch();
    if (!hasAnswers(recording)) this.#finished.open();
  }

  /** As `replay`. */
  static async open<T extends KubernetesObject>(
    path: string,
    options: ReplayOptions,
  ): Promise<Replay<T>> {
    OPTIONS.read(options);
    return new Replay<T>(await readRecording(path, options.partial), options);
  }

  get header(): FileHeader {
    return this.#recording.header;
  }

  /** Its content. */
  get collections(): readonly RecordedCollection[] {
    return this.#readers.collections;
  }

  /** Records in the file. */
  get records(): number {
    return this.#recording.records;
  }

  /** How long was recorded, milliseconds. */
  get durationMs(): number {
    return this.#recording.durationMs;
  }

  /** The time of the last answer in the recording, milliseconds since its start. */
  get positionMs(): number {
    return this.#positionMs;
  }

  /** Whether the last answer was given to each who reads. */
  get finished(): boolean {
    return this.#finished.isOpen;
  }

  /** The objects as delivered so far. @throws {ListwatchError} code INVALID_OPTION for a recording of several collections. */
  get objects(): readonly ObjectView<T>[] {
    return this.#only().objects;
  }

  /** The version of the state so far. @throws as `objects` does. */
  get resourceVersion(): string {
    return this.#only().resourceVersion;
  }

  get supports(): { readonly watchList: boolean } {
    return this.#only().supports;
  }

  /**
   * The source of a recorded collection, as `Client.listerWatcher`. Make all before the first of them is read: then the answers come in
   * the order of the recording. If several readers of the program had the same collection, each call gives what the next of them got.
   * @throws {ListwatchError} code INVALID_OPTION for a collection that is not in the recording, with those that are.
   */
  listerWatcher<U extends KubernetesObject = UnstructuredObject>(
    resource: ResourceName,
    options: CollectionOptions = {},
  ): ReplayedCollection<U> {
    const wanted = { ...resource, ...options };
    const reader = this.#readers.take(wanted);
    if (reader === undefined) return this.#readers.inNamespaces<U>(wanted);
    const source = this.#sourceOf<U>(reader);
    this.#add(source);
    return source;
  }

  /**
   * With `speed: 'step'`: gives the next answer, and says what it was. It waits until a program has asked for it; undefined at the end.
   * @throws {ListwatchError} code INVALID_OPTION with another speed; the reason of the signal.
   */
  async step(
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ReplayStep | undefined> {
    return await this.#pace.step(() => this.finished, options.signal);
  }

  /**
   * Resolves when the last answer was given to each who reads.
   * @throws {ListwatchError} code TIMEOUT; the reason of the signal.
   */
  async whenFinished(options: WaitForReplay = {}): Promise<void> {
    const { path, records } = this.#recording;
    const describe = (): string => `the last of ${records} records of ${path}`;
    await untilOpen(this.#runtime, [this.#finished], { ...options, describe });
  }

  /**
   * Serves the recording over HTTP on loopback, for clients in any language, in place of programs that read from it. They get, list and
   * watch its collections at the place where the replay is; `speed` and `step` are as for a reader. What the recorded program listed when
   * it began is there at once; time begins when a client watches. What the recorded program got in place of an answer, clients get too: a
   * Status, or a closed connection. Writes are answered with 405, other resources with 404.
   * @throws {ListwatchError} code ALREADY_STARTED when it is read or served already; INVALID_OPTION, also for the recording of one custom
   * resource without an object, whose version is not known; PORT_IN_USE.
   */
  async serve(options: ReplayServeOptions = {}): Promise<ReplayServer> {
    this.#usedAs('served');
    // Programs that only read a replay do not load a server.
    const { startReplayServer } = await import('../replay-server/replay-server.ts');
    const recording = this.#recording;
    const readers = servedReaders(recording);
    const single = hasSeveralReaders(recording.header) ? undefined : this.#only().state;
    return await startReplayServer({
      ...options,
      readers: readers.map(servedReader),
      runtime: this.#runtime,
      play: (clients, signal) => {
        const played = readers.map((recorded, index): PlayedPart<KubernetesObject> => {
          const audience = clients.parts[index] as ReplayAudience<KubernetesObject>;
          return { recorded, audience: single?.before(audience) ?? audience };
        });
        return this.#play(played, clients, signal);
      },
    });
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const source = this.#only();
    this.#add(source);
    return await source.list(request, onItems);
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const source = this.#only();
    this.#add(source);
    return await source.watch(request);
  }

  /** Gives the clients of a server what was recorded. */
  async #play(
    parts: readonly PlayedPart<KubernetesObject>[],
    clients: ServedClients,
    signal: AbortSignal,
  ): Promise<void> {
    const player: PacedReader = { next: { number: Infinity, atMs: Infinity } };
    await playRecording<KubernetesObject>({
      parts,
      wanted: () => clients.wanted(),
      json: this.#recording.json,
      begin: (atMs) => this.#pace.begin(atMs),
      turn: async ({ atMs, number }, step) => {
        const onGiven = (): void => {
          this.#positionMs = atMs;
        };
        await this.#pace.turn(player, { atMs, number, step: { ...step, atMs }, onGiven }, signal);
      },
    });
    this.#finished.open();
  }

  /** The source of the only collection. */
  #only(): ReplaySource<T> {
    this.#single ??= this.#sourceOf<T>(this.#readers.only());
    return this.#single;
  }

  #sourceOf<U extends KubernetesObject>(recorded: RecordedReader): ReplaySource<U> {
    const source: ReplaySource<U> = new ReplaySource<U>({
      recorded,
      pace: this.#pace,
      runtime: this.#runtime,
      json: this.#recording.json,
      onRequest: () => this.#usedAs('read'),
      onGiven: (atMs) => {
        this.#positionMs = atMs ?? this.#positionMs;
        if (this.#sources.size > 0 && [...this.#sources].every(({ finished }) => finished)) {
          this.#finished.open();
        }
      },
    });
    return source;
  }

  /** Somebody reads it from now on. */
  #add(source: Pick<ReplaySource<T>, 'finished'> & PacedReader): void {
    if (this.#sources.has(source)) return;
    this.#sources.add(source);
    this.#pace.join(source);
    if (!source.finished && this.#finished.isOpen) this.#finished = this.#newLatch();
  }

  #newLatch(): Latch {
    return new Latch(`the end of the replay of ${this.#recording.path}`);
  }

  /** @throws {ListwatchError} code ALREADY_STARTED. */
  #usedAs(use: 'read' | 'served'): void {
    if (this.#use === 'served' || (this.#use === 'read' && use === 'served')) {
      const text = `the replay of ${this.#recording.path} is ${this.#use} already: open the file again`;
      throw new ListwatchError('ALREADY_STARTED', text);
    }
    this.#use = use;
  }
}

/**
 * A recording as a source for informers, or in the place of the client that was recorded.
 *
 * @example
 * const source = await replay('pods.listwatch', { speed: 'instant' });
 * const pods = new SharedIndexInformer<Pod>({ listerWatcher: source });
 * const informers = new SharedInformerFactory(await replay('incident.listwatch'));
 * @throws {ListwatchError} code RECORDING_FILE when it cannot be read; RECORDING_INVALID when it is no recording, of another version of
 * the format, cut short (see `partial`), damaged or edited; INVALID_OPTION.
 * @experimental
 */
export async function replay<T extends KubernetesObject = KubernetesObject>(
  path: string,
  options: ReplayOptions = {},
): Promise<Replay<T>> {
  return await Replay.open<T>(path, options);
}

function hasAnswers({ readers }: ReadRecording): boolean {
  return readers.some(({ exchanges }) =>
    exchanges.some(({ answers }) => answers.some(isDelivered)),
  );
}
