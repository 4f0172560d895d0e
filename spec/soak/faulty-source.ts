import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../lib/cache/reflector/contract/lister-watcher.ts';
import { abortable, deriveAbort, onAbort } from '../../lib/kernel/time/abort.ts';
import type { Runtime } from '../../lib/kernel/time/runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import { failure } from '../../lib/meta/failure/api-error.ts';
import type { Backend } from './backend.ts';
import type { Dice } from './dice.ts';
import { errorOf, type FaultLog, type StreamFault } from './faults.ts';
import { FaultyStream } from './faulty-stream.ts';
import type { Journal } from './journal.ts';
import type { ThingEvent, View } from './thing.ts';

export type RequestKind = 'list' | 'page' | 'watch' | 'watch-list';

export type RequestFault = { readonly error: unknown } | 'hang';

export interface FaultySourceOptions {
  readonly runtime: Runtime;
  readonly dice: Dice;
  readonly backend: Backend;
  readonly faults: FaultLog;
  readonly journal: Journal;
  readonly supportsWatchList: boolean | undefined;
  /** The objects that the informer reports to have. */
  readonly clientVersion: () => string;
}

/** Requests without a growing delay between them that are taken for a loop; pages of one list count as one. */
const MOST_REQUESTS_A_SECOND = 25;

/** Marks requests on the side: no other request asks for so little. */
const PROBE_LIMIT = 1;
const PROBE_SECONDS = 1;

/** Events that can come a second time. */
const REMEMBERED_EVENTS = 100;

/** A collection of a backend behind a bad network, that holds every request against what the informer has been given. */
export class FaultySource implements ListerWatcher<View> {
  readonly description = 'things';
  readonly supports: { readonly watchList: boolean | undefined };
  /** Delay of each answer, milliseconds. */
  latencyMs = 0;
  refuseWatchList = false;
  withholdEndBookmark = false;
  lists = 0;
  watches = 0;
  /** How long the last watch may stay open, milliseconds. */
  watchTimeoutMs = 0;
  /** Requests on the side, by which a reflector finds out whether a silent watch is dead. */
  probes = 0;
  /** Lists that were answered to their end. */
  completeLists = 0;
  /** Of the first list that the informer took over, the place in the history. */
  firstListPlace: number | undefined;
  /** Called when a list is complete: the informer has been shown the state of this epoch. */
  onComplete: () => void = () => {};
  peakRequests = 0;
  readonly #options: FaultySourceOptions;
  readonly #pending = new Map<RequestKind, RequestFault[]>([
    ['list', []],
    ['page', []],
    ['watch', []],
    ['watch-list', []],
  ]);
  readonly #armed: { left: number; readonly fault: StreamFault }[] = [];
  readonly #streams = new Set<FaultyStream>();
  readonly #recent: ThingEvent[] = [];
  /** Of the lists since the informer took one over. */
  readonly #listedVersions = new Set<string>();
  readonly #requestTimes: number[] = [];
  /** The informer has worked off everything up to here. */
  #provenSeq = -1;
  /** Of the state that the informer has, as far as it says so. */
  #clientEpoch = 0;
  #gapFrom = -1;
  #listed: { readonly place: number; readonly epoch: number } | undefined;
  /** A watch stream or a list that is under way may not be touched by these any more. */
  #healed = false;

  constructor(options: FaultySourceOptions) {
    this.#options = options;
    this.supports = { watchList: options.supportsWatchList };
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  failNext(kind: RequestKind, fault: RequestFault, times: number): void {
    for (let count = 0; count < times; count += 1) this.#pending.get(kind)?.push(fault);
  }

  /** Lets a stream fail once it has carried some more events; at once for none. */
  arm(fault: StreamFault, afterEvents: number): void {
    if (afterEvents > 0) {
      this.#armed.push({ left: afterEvents, fault });
      return;
    }
    for (const stream of this.#streams) this.#strike(stream, fault);
  }

  breakStreams(): void {
    for (const stream of this.#streams) stream.finish({ error: errorOf('broken') });
  }

  /** The server has another past now. */
  forget(): void {
    this.#recent.length = 0;
    this.#provenSeq = -1;
  }

  /** No more faults; what is broken already stays so. */
  heal(): void {
    this.#healed = true;
    for (const queue of this.#pending.values()) queue.length = 0;
    this.#armed.length = 0;
    this.latencyMs = 0;
    this.refuseWatchList = false;
    this.withholdEndBookmark = false;
  }

  /** The informer says that it has taken over a whole list. */
  tookOver(): void {
    if (this.#listed === undefined) return;
    const { place, epoch } = this.#listed;
    this.firstListPlace ??= place;
    if (epoch !== this.#clientEpoch) this.#provenSeq = -1;
    this.#clientEpoch = epoch;
    this.#listedVersions.clear();
  }

  async list(request: ListRequest): Promise<ListPage<View>> {
    const { backend, runtime, journal } = this.#options;
    const { signal, ...asked } = request;
    const kind = request.continueToken === undefined ? 'list' : 'page';
    const probing = request.limit === PROBE_LIMIT;
    if (probing) this.probes += 1;
    else if (kind === 'list') this.#beginList();
    journal.trace?.(`${kind} ${JSON.stringify(asked)}`);
    await this.#receive(kind, signal);
    const page = await backend.source.list(request);
    const { epoch } = backend.history;
    await backend.history.reached(backend.seqOf(page.resourceVersion));
    if (this.latencyMs > 0) await sleep(runtime, this.latencyMs, { signal, background: true });
    this.#listedVersions.add(page.resourceVersion);
    if (!probing && page.continueToken === undefined)
      this.#completeList(page.resourceVersion, epoch);
    journal.trace?.(`page of ${page.items.length} at ${page.resourceVersion}`);
    return page;
  }

  async watch(request: WatchRequest): Promise<WatchStream<View>> {
    const { signal, ...asked } = request;
    const kind = request.sendInitialEvents === true ? 'watch-list' : 'watch';
    this.#options.journal.trace?.(`${kind} ${JSON.stringify(asked)}`);
    const probing = request.timeoutSeconds === PROBE_SECONDS;
    if (probing) this.probes += 1;
    else {
      this.watches += 1;
      this.watchTimeoutMs = (request.timeoutSeconds ?? 0) * 1000;
    }
    if (kind === 'watch-list') this.#beginList();
    else if (!probing) this.#checkResume(request.resourceVersion ?? '');
    await this.#receive(kind, signal);
    if (kind === 'watch-list' && this.refuseWatchList) {
      this.#options.faults.happened('no-watch-list');
      throw failure('Invalid', 'sendInitialEvents is forbidden for watch');
    }
    return await this.#open(request, kind === 'watch-list');
  }

  async #open(request: WatchRequest, initial: boolean): Promise<FaultyStream> {
    const { runtime, dice, backend } = this.#options;
    const inner = deriveAbort(request.signal);
    let release = (): void => {};
    const source = await backend.source.watch({ ...request, signal: inner.signal });
    const { epoch } = backend.history;
    const stream = new FaultyStream({
      runtime,
      dice,
      onPull: ({ givenSeq }) => {
        // Answers from before a restore prove nothing about the past that the server has now.
        if (backend.history.epoch !== epoch) return;
        this.#provenSeq = Math.max(this.#provenSeq, givenSeq);
      },
      onGive: (giver, batch) => {
        this.#gave(giver, batch);
      },
      onEnd: (ended) => {
        release();
        this.#streams.delete(ended);
        inner.abort();
      },
    });
    stream.initial = initial;
    stream.givenInitial = initial;
    // Beside a list, or asked on the side: what it carries may be thrown away.
    stream.provesNothing = !initial && request.resourceVersion !== this.#options.clientVersion();
    if (request.timeoutSeconds === PROBE_SECONDS) stream.provesNothing = true;
    this.#streams.add(stream);
    release = onAbort(request.signal, () => {
      stream.leave();
    });
    void this.#pump(source, stream);
    return stream;
  }

  async #pump(source: WatchStream<View>, stream: FaultyStream): Promise<void> {
    try {
      for await (const batch of source) {
        for (const event of batch) {
          const caughtUp = this.#caughtUp(event);
          if (caughtUp !== undefined) await caughtUp;
          if (stream.ended) break;
          this.#carry(stream, event);
        }
        if (stream.ended) break;
      }
      stream.finish('closed');
    } catch (error) {
      stream.finish({ error });
    }
  }

  /** A server of its own may be quicker than the writer of its history. */
  #caughtUp(event: ThingEvent): Promise<void> | undefined {
    const { backend } = this.#options;
    return backend.history.reached(backend.seqOf(versionOf(event)));
  }

  #carry(stream: FaultyStream, event: ThingEvent): void {
    const { faults, backend } = this.#options;
    if (event.type === 'BOOKMARK' && event.initialEventsEnd) {
      if (this.withholdEndBookmark) {
        faults.happened('no-end-bookmark');
        return;
      }
      stream.initial = false;
      this.#completeList(event.resourceVersion, backend.history.epoch);
    }
    stream.push(event);
    stream.carriedSeq = backend.seqOf(versionOf(event));
    if (event.type !== 'BOOKMARK' && !stream.initial) {
      this.#recent.push(event);
      if (this.#recent.length > REMEMBERED_EVENTS) this.#recent.shift();
    }
    const armed = this.#armed[0];
    if (armed === undefined) return;
    armed.left -= 1;
    if (armed.left > 0) return;
    this.#armed.shift();
    this.#strike(stream, armed.fault);
  }

  #gave(stream: FaultyStream, batch: readonly ThingEvent[]): void {
    if (stream.provesNothing) return;
    if (stream.givenInitial) {
      const end = batch.some((event) => event.type === 'BOOKMARK' && event.initialEventsEnd);
      if (!end) return;
      stream.givenInitial = false;
    }
    const { backend } = this.#options;
    for (const event of batch) {
      stream.givenSeq = Math.max(stream.givenSeq, backend.seqOf(versionOf(event)));
    }
  }

  #strike(stream: FaultyStream, fault: StreamFault): void {
    const { dice, faults, journal } = this.#options;
    if (stream.ended || this.#healed) return;
    const old = fault === 'repeat' || fault === 'stale' ? this.#passedBy(stream) : [];
    if ((fault === 'repeat' || fault === 'stale') && old.length === 0) return;
    faults.happened(fault);
    journal.trace?.(`fault ${fault} on a stream`);
    switch (fault) {
      case 'end':
        stream.finish('closed');
        return;
      case 'silence':
        stream.silence();
        return;
      case 'delay':
        stream.holdFor(dice.int(1, 5000));
        return;
      case 'repeat':
        for (const event of old.slice(-dice.int(1, 5))) stream.push(event);
        return;
      case 'stale':
        stream.push(dice.pick(old));
        return;
      default:
        stream.finish({ error: errorOf(fault) });
    }
  }

  /** Events that the stream has carried, or that came before it. */
  #passedBy(stream: FaultyStream): readonly ThingEvent[] {
    const { backend } = this.#options;
    if (stream.initial) return [];
    return this.#recent.filter((event) => backend.seqOf(versionOf(event)) <= stream.carriedSeq);
  }

  async #receive(kind: RequestKind, signal: AbortSignal | undefined): Promise<void> {
    const { runtime, faults, journal } = this.#options;
    if (kind !== 'page') this.#checkRate(runtime.monotonicMs());
    const fault = this.#pending.get(kind)?.shift();
    if (this.latencyMs > 0) {
      faults.happened('latency');
      await sleep(runtime, this.latencyMs, { signal, background: true });
    }
    if (fault === undefined) return;
    if (fault === 'hang') {
      faults.happened('hang');
      journal.trace?.(`fault hang of a ${kind}`);
      await abortable(new Promise<never>(() => {}), signal);
      return;
    }
    const isGone = (fault.error as { readonly code?: unknown }).code === 'EXPIRED';
    const gone = kind === 'page' ? 'continue-410' : 'refused-410';
    faults.happened(isGone ? gone : 'refused');
    journal.trace?.(`fault ${kind} refused: ${(fault.error as Error).message}`);
    throw fault.error;
  }

  #checkRate(nowMs: number): void {
    const times = this.#requestTimes;
    times.push(nowMs);
    while ((times[0] as number) <= nowMs - 1000) times.shift();
    this.peakRequests = Math.max(this.peakRequests, times.length);
    if (times.length <= MOST_REQUESTS_A_SECOND) return;
    this.#options.journal.fail(`${times.length} requests within a second`);
    times.length = 0;
  }

  /** Where a watch goes on: not before what the informer has worked off, not after what it has. */
  #checkResume(version: string): void {
    const { backend, clientVersion, journal } = this.#options;
    const claimed = clientVersion();
    // A watch may be opened while a list is taken, from where that will end.
    if (version !== claimed && !this.#listedVersions.has(version))
      journal.fail(`a watch from ${version}, but the informer says it has ${claimed}`);
    if (version === '' || version === '0') return;
    const seq = backend.seqOf(version);
    if (seq < this.#provenSeq)
      journal.fail(`a watch from ${version} (${seq}), but ${this.#provenSeq} has been worked off`);
  }

  #beginList(): void {
    this.lists += 1;
    this.#gapFrom = this.#clientPlace();
    this.#listed = undefined;
  }

  #completeList(version: string, epoch: number): void {
    const { backend } = this.#options;
    const { history } = backend;
    const place = history.placeAt(epoch, backend.seqOf(version));
    history.excuse(this.#gapFrom, place);
    this.#listed = { place, epoch };
    this.completeLists += 1;
    if (epoch === history.epoch) this.onComplete();
  }

  #clientPlace(): number {
    const { backend, clientVersion } = this.#options;
    const version = clientVersion();
    if (version === '') return -1;
    return backend.history.placeAt(this.#clientEpoch, backend.seqOf(version));
  }
}

function versionOf(event: ThingEvent): string {
  if (event.type === 'BOOKMARK') return event.resourceVersion;
  return event.object.metadata.resourceVersion as string;
}
