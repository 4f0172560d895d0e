import { classifyFailure, type FailureKind } from '../cache/reflector/failure/watch-error.ts';
import { ListwatchError } from '../kernel/failure/errors.ts';
import { sleep } from '../kernel/time/wait.ts';
import type { KubernetesObject } from '../meta/object.ts';
import { ClientRings } from './ring/client-rings.ts';
import { RecordedReaders } from './capture/recorded-readers.ts';
import { RecordedSource } from './capture/recorded-source.ts';
import { RecordingRing } from './ring/recording-ring.ts';
import { dumpRings } from './ring/ring-dump.ts';
import { RingShare } from './ring/ring-share.ts';
import type { HeaderFields } from './format/file-head.ts';
import { descriptionOf } from './format/reader-record.ts';
import type {
  RecordableClient,
  RecordableInformer,
  ResolvedRecordOptions,
  DumpCause,
} from './record-options.ts';
import { onProcessSignal } from '../kernel/time/real-process.ts';
import type { Runtime } from '../kernel/time/runtime.ts';

interface AutomaticDumpsOptions {
  readonly dumpOn: ReadonlySet<DumpCause>;
  readonly keepMs: number;
  readonly runtime: Runtime;
  readonly dump: () => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}

/** Writes the last minutes when a signal or an error asks for it, one dump at a time. */
class AutomaticDumps implements Disposable {
  readonly #options: AutomaticDumpsOptions;
  readonly #ends: (() => void)[] = [];
  #isWriting = false;
  #isOpen = true;
  /** An error before this time writes nothing. */
  #nextErrorMs = 0;

  constructor(options: AutomaticDumpsOptions) {
    this.#options = options;
    const { dumpOn: causes } = options;
    for (const signal of ['SIGUSR2', 'SIGHUP'] as const) {
      if (causes.has(signal)) this.#ends.push(onProcessSignal(signal, () => this.#write()));
    }
  }

  /** A list or a watch has failed in a way that is not part of normal operation. */
  failed(): void {
    const { dumpOn: causes, runtime, keepMs } = this.#options;
    const nowMs = runtime.monotonicMs();
    if (!this.#isOpen || !causes.has('error') || nowMs < this.#nextErrorMs) return;
    this.#nextErrorMs = nowMs + keepMs;
    this.#write();
  }

  [Symbol.dispose](): void {
    this.#isOpen = false;
    for (const end of this.#ends.splice(0)) end();
  }

  #write(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    const { dump, onFailure } = this.#options;
    void dump()
      .catch(onFailure)
      .finally(() => {
        this.#isWriting = false;
      });
  }
}

/** Keeps the last records in memory, and writes them when asked. */
export interface LastMinutes extends Disposable {
  readonly records: number;
  /** The memory that they take besides the caches. */
  readonly bytes: number;
  /** @throws as `record` does. */
  begin(): void;
  /** @throws as `Recording.dump` does. */
  dump(path: string): Promise<void>;
}

export interface LastMinutesOptions extends Omit<ResolvedRecordOptions, 'keepMs' | 'identity'> {
  readonly keepMs: number;
  readonly fields: HeaderFields;
  /** The time of the recording, milliseconds. */
  readonly now: () => number;
  /** The dump that a signal or an error causes. */
  readonly dump: () => Promise<unknown>;
}

/** The longest wait for the caches before a dump. */
const CATCH_UP_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/** Those that a reflector meets in normal operation, too. */
const EXPECTED: ReadonlySet<FailureKind> = new Set(['expired', 'gone', 'invalid', 'unsupported']);

/** The last minutes of an informer. */
export class InformerMinutes<T extends KubernetesObject> implements LastMinutes {
  readonly #informer: RecordableInformer<T>;
  readonly #options: LastMinutesOptions;
  readonly #share: RingShare;
  #isClosed = false;
  #ring: RecordingRing<T> | undefined;
  #automatic: AutomaticDumps | undefined;

  constructor(informer: RecordableInformer<T>, options: LastMinutesOptions) {
    this.#informer = informer;
    this.#options = options;
    this.#share = new RingShare(options);
  }

  get records(): number {
    return this.#ring?.size ?? 0;
  }

  get bytes(): number {
    return this.#share.bytes;
  }

  begin(): void {
    const { mask, now } = this.#options;
    this.#informer.intercept((source, cache) => {
      const resource = this.#informer.resource ?? source.resource;
      const ring = new RecordingRing<T>({ cache, mask: mask.of(resource), share: this.#share });
      this.#ring = ring;
      this.#share.add(ring);
      return new RecordedSource<T>({ source, resource, mask, sinkOf: () => ring, now });
    });
    this.#automatic = new AutomaticDumps(this.#options);
    this.#informer.events.on('watch-error', this.#onError);
  }

  async dump(path: string): Promise<void> {
    const ring = this.#ring;
    if (ring === undefined || this.#isClosed) throw closedError(path);
    const { name } = this.#informer;
    const behind = (): Behind | undefined =>
      ring.isBehind ? { name, hasEnded: ring.hasEnded } : undefined;
    await whenListed(this.#options, behind, () => {
      this.#share.dropAllOld();
      ring.dropCutList();
      return dumpRings({ ...this.#options, path, rings: [ring], share: this.#share });
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#informer.events.off('watch-error', this.#onError);
    this.#automatic?.[Symbol.dispose]();
    this.#ring?.close();
  }

  readonly #onError = (_: unknown, { expected }: { readonly expected: boolean }): void => {
    if (!expected) this.#automatic?.failed();
  };
}

/** The last minutes of all that is read through a client. */
export class ClientMinutes implements LastMinutes {
  readonly #client: RecordableClient;
  readonly #options: LastMinutesOptions;
  readonly #share: RingShare;
  readonly #rings: ClientRings;
  #isClosed = false;
  #interception: Disposable | undefined;
  #automatic: AutomaticDumps | undefined;

  constructor(client: RecordableClient, options: LastMinutesOptions) {
    this.#client = client;
    this.#options = options;
    this.#share = new RingShare(options);
    this.#rings = new ClientRings({ share: this.#share, mask: options.mask });
  }

  get records(): number {
    return this.#rings.size;
  }

  get bytes(): number {
    return this.#share.bytes;
  }

  begin(): void {
    const readers = new RecordedReaders({
      now: this.#options.now,
      mask: this.#options.mask,
      sinkOf: (reader) => this.#rings.sinkOf(reader),
      onFailed: (error) => {
        if (!EXPECTED.has(classifyFailure(error).kind)) this.#automatic?.failed();
      },
    });
    this.#interception = this.#client.intercept((...read) => readers.recorded(...read));
    this.#automatic = new AutomaticDumps(this.#options);
  }

  async dump(path: string): Promise<void> {
    if (this.#isClosed) throw closedError(path);
    const behind = (): Behind | undefined => {
      const found = this.#rings.behind;
      return found && { name: descriptionOf(found.reader), hasEnded: false };
    };
    await whenListed(this.#options, behind, () => {
      this.#rings.dropOld();
      const { rings, readers } = this.#rings;
      return dumpRings({ ...this.#options, path, rings, readers, share: this.#share });
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#interception?.[Symbol.dispose]();
    this.#automatic?.[Symbol.dispose]();
    this.#rings.close();
  }
}

function closedError(path: string): ListwatchError {
  const text = `the recording is closed, and its last minutes are gone: call dump, here of ${path}, before close`;
  return new ListwatchError('CLOSED', text);
}

/** A cache that lacks a list which was received. */
interface Behind {
  readonly name: string;
  /** It gets nothing more. */
  readonly hasEnded: boolean;
}

/** Writes in a step in which no cache lacks a list: the objects of the caches are those of the records. */
async function whenListed(
  { runtime }: Pick<LastMinutesOptions, 'runtime'>,
  behind: () => Behind | undefined,
  write: () => Promise<void>,
): Promise<void> {
  const endMs = runtime.monotonicMs() + CATCH_UP_MS;
  for (;;) {
    const found = behind();
    if (found === undefined) return await write();
    if (found.hasEnded) {
      throw new ListwatchError(
        'CLOSED',
        `${found.name} has stopped before its list was in the cache`,
      );
    }
    if (runtime.monotonicMs() >= endMs) {
      const text = `the list of ${found.name} is not in the cache after ${CATCH_UP_MS / 1000} s: its handlers may be too slow`;
      throw new ListwatchError('TIMEOUT', text);
    }
    await sleep(runtime, LOOK_AGAIN_MS);
  }
}
