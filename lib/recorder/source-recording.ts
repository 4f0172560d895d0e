import type { ListerWatcher } from '../cache/reflector/contract/lister-watcher.ts';
import { ListwatchError } from '../kernel/failure/errors.ts';
import type { KubernetesObject } from '../meta/object.ts';
import type { ObjectView } from '../meta/object-view.ts';
import {
  readerFrame,
  RecordedReaders,
  type NumberedReader,
  type RecordedReadersOptions,
  type SinkOfRequest,
} from './capture/recorded-readers.ts';
import { RecordedSource } from './capture/recorded-source.ts';
import { RecordingFile } from './capture/recording-file.ts';
import {
  formatVersion,
  headBytes,
  RECORDING_LINE,
  SEVERAL_COLLECTIONS,
  type HeaderFields,
} from './format/file-head.ts';
import { ClientMinutes, InformerMinutes, type LastMinutes } from './last-minutes.ts';
import { checkPath, checkRecordable, isClient, isInformer, type Recordable } from './recordable.ts';
import {
  resolveRecordOptions,
  type RecordOptions,
  type ResolvedRecordOptions,
} from './record-options.ts';

/**
 * The present state of a recording.
 *
 * @experimental
 */
export interface RecordingInspection {
  readonly path: string;
  /** `file`: it writes. `memory`: it keeps the last minutes. `ended`: it takes no more, see `failure`. */
  readonly state: 'file' | 'memory' | 'ended';
  readonly records: number;
  readonly bytes: number;
}

type Written = Pick<RecordedReadersOptions, 'mask' | 'now'>;

/**
 * A recording in progress.
 *
 * @experimental
 */
export class Recording<T extends KubernetesObject> implements AsyncDisposable {
  readonly path: string;
  readonly #file: RecordingFile | undefined;
  readonly #minutes: LastMinutes | undefined;
  #source: ListerWatcher<ObjectView<T>> | undefined;
  #attach: () => void = () => {};
  #interception: Disposable | undefined;
  #failure: unknown;

  private constructor(from: Recordable<T>, path: string, options: ResolvedRecordOptions) {
    this.path = path;
    const { runtime, mask, maxBytes, keepMs, files, flushMs, baseBytes } = options;
    const startMs = runtime.monotonicMs();
    const now = (): number => runtime.monotonicMs() - startMs;
    const onFailure = (error: unknown): void => {
      this.#failure ??= error;
      options.onFailure(error);
    };
    const fields: HeaderFields = {
      collection: collectionOf(from),
      identity: options.identity,
      startedAt: new Date(runtime.wallMs()).toISOString(),
      mask: mask.choice,
    };
    if (keepMs === undefined) {
      const has = { severalReaders: isClient(from), differences: baseBytes > 0 };
      const head = headBytes(RECORDING_LINE, fields, formatVersion(has));
      const bounds = { maxBytes, flushMs, baseBytes };
      const written = { path, files, runtime, head, onFailure, now, ...bounds };
      const file = new RecordingFile(written);
      this.#file = file;
      this.#attach = () => this.#write(from, file, { mask, now });
    } else if (isInformer(from) || isClient(from)) {
      const dump = (): Promise<string> => this.dump();
      const kept = { ...options, keepMs, fields, now, dump };
      const minutes = isClient(from)
        ? new ClientMinutes(from, kept)
        : new InformerMinutes<T>(from, kept);
      this.#minutes = minutes;
      this.#attach = () => minutes.begin();
    }
  }

  /** The source to read from, of the recording of a source. */
  get listerWatcher(): ListerWatcher<ObjectView<T>> {
    if (this.#source !== undefined) return this.#source;
    const text = `the recording ${this.path} has no source: read as before from the client, or run the informer`;
    throw new ListwatchError('NOT_STARTED', text);
  }

  /** Why it has ended before it was closed: code RECORDING_FULL or RECORDING_FILE; undefined otherwise. */
  get failure(): unknown {
    return this.#failure;
  }

  /** As `record`. */
  static async begin<T extends KubernetesObject>(
    from: Recordable<T>,
    path: string,
    options: RecordOptions,
  ): Promise<Recording<T>> {
    checkRecordable(from);
    checkPath(path);
    const isSource = !isInformer(from) && !isClient(from);
    const resolved = resolveRecordOptions(options, isSource ? {} : from, !isSource);
    const recording = new Recording<T>(from, path, resolved);
    await recording.#file?.open();
    try {
      recording.#attach();
    } catch (error) {
      await recording.#file?.discard();
      throw error;
    }
    return recording;
  }

  inspect(): RecordingInspection {
    const { path } = this;
    const { records = 0, bytes = 0 } = this.#file ?? this.#minutes ?? {};
    const ended = this.#file?.ended === true;
    return {
      path,
      state: ended ? 'ended' : this.#minutes === undefined ? 'file' : 'memory',
      records,
      bytes,
    };
  }

  /**
   * With `keepMinutes`: writes the last minutes as a recording of its own, and goes on. A file of this name is replaced as a whole.
   * Without it: returns once everything so far is in the file. Resolves to the path.
   * @param path @defaultValue that of the recording
   * @throws {ListwatchError} code RECORDING_FILE; TIMEOUT when a cache does not catch up with what was received; CLOSED when it has stopped
   * before that, or when the recording is closed, and its last minutes are gone.
   */
  async dump(path: string = this.path): Promise<string> {
    if (this.#minutes !== undefined) await this.#minutes.dump(path);
    else await this.#file?.flush();
    return path;
  }

  /** Ends the recording; what is recorded goes on. Without `keepMinutes`, everything is in the file then. Calling again has no effect. */
  async close(): Promise<void> {
    this.#interception?.[Symbol.dispose]();
    this.#minutes?.[Symbol.dispose]();
    await this.#file?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Everything goes to the file. */
  #write(from: Recordable<T>, file: RecordingFile, { mask, now }: Written): void {
    const resource = isInformer(from) ? from.resource : undefined;
    const recorded = (source: ListerWatcher<ObjectView<T>>): ListerWatcher<ObjectView<T>> => {
      this.#source = new RecordedSource<T>({ source, resource, mask, sinkOf: () => file, now });
      return this.#source;
    };
    if (isInformer(from)) from.intercept(recorded);
    else if (isClient(from)) {
      const sinkOf = (reader: NumberedReader): SinkOfRequest => {
        file.put(readerFrame(reader, now()));
        return () => file;
      };
      const readers = new RecordedReaders({ sinkOf, mask, now });
      this.#interception = from.intercept((...read) => readers.recorded(...read));
    } else recorded(from);
  }
}

/**
 * Writes down what lists and watches bring: requests, objects as they came, failures, and when. An informer is recorded from its start
 * on, so call it before the informer runs. Of a client, what its informers and its calls of `list`, `items` and `watch` request from now
 * on, of all resources, goes into the one file. Of a source, read from `recording.listerWatcher`.
 *
 * Guarantees: who reads never waits for the recording, and is not affected when it ends. The file is readable up to its last whole
 * record, whatever stops the program; it is made for its owner alone, and an existing one is refused.
 *
 * @example
 * await using recording = await record(client, 'incident.listwatch', { mask: 'secrets' });
 * @throws {ListwatchError} code RECORDING_FILE when the file cannot be made; INVALID_OPTION; ALREADY_STARTED.
 * @experimental
 */
export async function record<T extends KubernetesObject>(
  from: Recordable<T>,
  path: string,
  options: RecordOptions = {},
): Promise<Recording<T>> {
  return await Recording.begin<T>(from, path, options);
}

function collectionOf<T extends KubernetesObject>(from: Recordable<T>): string {
  if (isInformer(from)) return from.name;
  return isClient(from) ? SEVERAL_COLLECTIONS : from.description;
}
