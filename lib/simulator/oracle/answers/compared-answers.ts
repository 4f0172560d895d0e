import { groupResource } from '../../../meta/resource.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ApiHandler, ApiRequest, ApiResponse } from '../../../server/http/api-request.ts';
import {
  parseRequestInfo,
  pathSegments,
  type RequestInfo,
} from '../../../server/http/request-info.ts';
import type { Finding } from '../../contract/finding.ts';
import type { ClusterHistory, Change } from '../../record/cluster-history.ts';
import { storedTogether } from '../../record/stored-resources.ts';
import { idOf, ComparedCollection } from './compared-collection.ts';

interface ComparedWatchOptions {
  readonly collection: ComparedCollection;
  /** All changes of the run, and those to come. */
  readonly changes: readonly Change[];
  /** The version after which events were asked for; undefined: the watch begins with a state of the server's choice. */
  readonly from: bigint | undefined;
  readonly report: (message: string) => void;
}

interface WatchEvent {
  readonly type?: string;
  readonly object?: KubernetesObject;
}

const decoder = new TextDecoder();
const NEW_LINE = 10;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Compares the events of one watch with what the server has committed: all of it, in its order, and nothing else. */
export class ComparedWatch {
  readonly #options: ComparedWatchOptions;
  /** Of `changes`: the first one that was not reported yet; undefined while the state at the start is. */
  #next: number | undefined;
  #rest: Uint8Array = new Uint8Array();

  constructor(options: ComparedWatchOptions) {
    this.#options = options;
    if (options.from !== undefined) this.#next = this.#after(options.from);
  }

  /** Bytes that the server has sent. */
  sent(piece: Uint8Array): void {
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const end = bytes.indexOf(NEW_LINE);
      if (end < 0) break;
      const line = decoder.decode(bytes.subarray(0, end));
      bytes = bytes.subarray(end + 1);
      if (line.length > 0) this.#event(JSON.parse(line) as WatchEvent);
    }
    this.#rest = bytes;
  }

  /** The first change that should have been sent and was committed before this time. */
  overdue(beforeMs: number): Change | undefined {
    if (this.#next === undefined) return undefined;
    const change = this.#options.changes[this.#expected()];
    return change !== undefined && change.atMs < beforeMs ? change : undefined;
  }

  #event({ type = '', object = {} }: WatchEvent): void {
    const { report, changes } = this.#options;
    if (type === 'ERROR') return;
    const version = BigInt(object.metadata?.resourceVersion ?? '0');
    if (type === 'BOOKMARK') {
      this.#bookmark(version, object);
      return;
    }
    if (this.#next === undefined) return;
    const expected = this.#expected();
    const change = changes[expected];
    const id = idOf(object);
    const found = `${type} of ${id} at version ${version}`;
    if (change === undefined) {
      report(`it has sent ${found}, which has not been written`);
      return;
    }
    const should = this.#options.collection.eventOf(change);
    const isRight =
      should === type && change.ref.object === id && BigInt(change.revision) === version;
    if (!isRight) {
      const other = `${should} of ${change.ref.object} at version ${change.revision}`;
      report(`it has sent ${found}, and ${other} comes next`);
    }
    this.#next = isRight ? expected + 1 : this.#after(version);
  }

  #bookmark(version: bigint, { metadata }: KubernetesObject): void {
    const { changes, report } = this.#options;
    if (this.#next === undefined) {
      // The events so far were the state at this version.
      if (metadata?.annotations?.[INITIAL_EVENTS_END] === 'true') this.#next = this.#after(version);
      return;
    }
    const change = changes[this.#expected()];
    if (change === undefined || BigInt(change.revision) > version) return;
    report(
      `a bookmark has version ${version}, and the change of ${change.ref.object} at ${change.revision} was not sent`,
    );
    this.#next = this.#after(version);
  }

  /** The index of the next change that is an event of this watch. */
  #expected(): number {
    const { changes, collection } = this.#options;
    let index = this.#next ?? 0;
    for (; index < changes.length; index += 1) {
      if (collection.eventOf(changes[index] as Change) !== undefined) break;
    }
    this.#next = index;
    return index;
  }

  #after(version: bigint): number {
    const { changes } = this.#options;
    let index = changes.length;
    while (index > 0 && BigInt(changes[index - 1]?.revision ?? '0') > version) index -= 1;
    return index;
  }
}

const SOON_MS = 5000;

/** One seed of so many. */
const COMPARED_SEEDS = 4;

/**
 * Whether the answers in a run of this seed are compared: in the runs from which the search learns, whose seeds are below zero, and in a
 * quarter of the others. In all it would take a tenth of the processor time.
 */
export function comparesAnswers(seed: number): boolean {
  return seed < 0 || seed % COMPARED_SEEDS === 0;
}

interface OpenWatch {
  readonly watch: ComparedWatch;
  readonly subject: string;
  /** Since when a reader waits for the next event. */
  waitsSinceMs: number | undefined;
}

interface Answered extends KubernetesObject {
  readonly items?: readonly KubernetesObject[];
}

interface Asked {
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly resource: string;
  /** Of the newest change of the resource when the request arrived. */
  readonly newest: bigint;
  readonly subject: string;
}

/**
 * Compares what a server answers with what it has committed: lists and single objects, the events of watches, and the versions with
 * which it accepts writes. What is wrong here is an error of the server, not of a controller.
 */
export class ComparedAnswers {
  readonly #history: ClusterHistory;
  readonly #firstRevision: bigint;
  readonly #find: (finding: Finding) => void;
  readonly #watches = new Set<OpenWatch>();

  constructor(history: ClusterHistory, find: (finding: Finding) => void) {
    this.#history = history;
    this.#firstRevision = BigInt(history.resourceVersion);
    this.#find = find;
  }

  /** The handler, whose answers are compared. */
  checked(handler: ApiHandler): ApiHandler {
    return async (request) => {
      const asked = this.#asked(request);
      const response = await handler(request);
      if (asked === undefined || !isJson(response)) return response;
      if (asked.info.verb === 'watch') return this.#watched(asked, response);
      if (response.body instanceof Uint8Array) this.#answered(asked, request, response);
      return response;
    };
  }

  /** At the end: events that readers wait for. */
  finish(): void {
    const nowMs = this.#history.elapsedMs;
    for (const { watch, subject, waitsSinceMs = Infinity } of this.#watches) {
      const missing = watch.overdue(nowMs - SOON_MS);
      if (missing === undefined || waitsSinceMs > nowMs - SOON_MS) continue;
      this.#report(subject, `it has not sent the change of ${missing.ref.object}`);
    }
  }

  #report(subject: string, message: string): void {
    this.#find({ class: 'server', subject, message, atMs: this.#history.elapsedMs });
  }

  #asked({ method, url, headers }: ApiRequest): Asked | undefined {
    const { pathname, searchParams: query } = new URL(url, 'http://simulated');
    const segments = pathSegments(pathname);
    const [root] = segments;
    if (!(root === 'api' ? segments.length > 2 : root === 'apis' && segments.length > 3))
      return undefined;
    try {
      const info = parseRequestInfo(
        method,
        segments,
        /^(?:true|1)$/.test(query.get('watch') ?? ''),
      );
      const resource = groupResource(info);
      if (info.subresource !== undefined || (storedTogether(resource)?.length ?? 1) > 1)
        return undefined;
      if ((headers['accept'] ?? '').includes('as=')) return undefined;
      const subject = `${info.verb} ${resource}`;
      return { info, query, resource, newest: this.#newest(resource), subject };
    } catch {
      // The server refuses it.
      return undefined;
    }
  }

  #newest(resource: string): bigint {
    const change = this.#history.changes.findLast(({ ref }) => ref.resource === resource);
    return BigInt(change?.revision ?? '0');
  }

  #watched({ info, query, resource, subject }: Asked, response: ApiResponse): ApiResponse {
    if (response.status !== 200 || response.body instanceof Uint8Array) return response;
    const collection = ComparedCollection.of(resource, info.namespace, query, (state) =>
      this.#history.objectOf(state),
    );
    if (collection === undefined) return response;
    const version = query.get('resourceVersion') ?? '';
    const begins = query.get('sendInitialEvents') === 'true' || version === '' || version === '0';
    const from = begins ? undefined : BigInt(version);
    // Writes before the run are not in its history.
    if (from !== undefined && from < this.#firstRevision) return response;
    const { changes } = this.#history;
    const report = (message: string): void => this.#report(subject, message);
    const watch = new ComparedWatch({ collection, changes, from, report });
    const open: OpenWatch = { watch, subject, waitsSinceMs: undefined };
    return { ...response, body: this.#followed(response.body, open) };
  }

  async *#followed(
    body: AsyncIterable<Uint8Array>,
    open: OpenWatch,
  ): AsyncGenerator<Uint8Array, undefined> {
    this.#watches.add(open);
    try {
      open.waitsSinceMs = this.#history.elapsedMs;
      for await (const piece of body) {
        open.waitsSinceMs = undefined;
        open.watch.sent(piece);
        yield piece;
        open.waitsSinceMs = this.#history.elapsedMs;
      }
    } finally {
      this.#watches.delete(open);
    }
    return undefined;
  }

  #answered(asked: Asked, request: ApiRequest, { status, body }: ApiResponse): void {
    const { info, query, subject } = asked;
    if (query.get('dryRun') !== null) return;
    if (status === 404 && info.verb === 'get') this.#absent(asked);
    if (status >= 300) return;
    const answer = JSON.parse(decoder.decode(body as Uint8Array)) as Answered;
    if (answer.kind === 'Status') return;
    if (info.verb === 'list') this.#listed(asked, answer);
    else if (info.verb === 'get') this.#got(asked, answer);
    else if (info.verb === 'update' || info.verb === 'patch') {
      const version = versionIn(request.body);
      const change = this.#changeOf(asked, answer);
      const before = change?.before?.modRevision.toString();
      // A write that changes nothing has no change of its own.
      const isOwn = change !== undefined && BigInt(change.revision) > asked.newest;
      if (!isOwn || version === undefined || before === undefined || before === version) return;
      this.#report(
        subject,
        `it has accepted a write to ${idOf(answer)} that was made from version ${version}, over version ${before}`,
      );
    } else if (info.verb === 'create') {
      if (this.#changeOf(asked, answer)?.type !== 'created')
        this.#report(subject, `it says that it has created ${idOf(answer)}, and has not`);
    }
  }

  #changeOf({ resource }: Asked, answer: KubernetesObject) {
    const version = answer.metadata?.resourceVersion;
    const id = idOf(answer);
    return this.#history.changes.findLast(
      ({ ref, revision }) => revision === version && ref.resource === resource && ref.object === id,
    );
  }

  #absent({ info, resource, subject, newest }: Asked): void {
    const id = info.namespace === '' ? (info.name ?? '') : `${info.namespace}/${info.name}`;
    const present = this.#history.stored(resource, id);
    if (present === undefined || present.modRevision > newest) return;
    if (present.createRevision > newest) return;
    this.#report(subject, `it does not find ${id}, which is there`);
  }

  #got({ resource, query, subject, newest }: Asked, answer: KubernetesObject): void {
    const id = idOf(answer);
    const version = BigInt(answer.metadata?.resourceVersion ?? '0');
    if ((query.get('resourceVersion') ?? '') !== '') return;
    const last = this.#history.changes.findLast(
      ({ ref, revision }) =>
        ref.resource === resource && ref.object === id && BigInt(revision) <= newest,
    );
    if (last !== undefined && BigInt(last.revision) > version)
      this.#report(
        subject,
        `it gives version ${version} of ${id}, which had version ${last.revision} before`,
      );
  }

  #listed({ info, resource, query, subject, newest }: Asked, answer: Answered): void {
    const version = BigInt(answer.metadata?.resourceVersion ?? '0');
    const { items = [] } = answer;
    const isFresh = (query.get('resourceVersion') ?? '') === '' && !query.has('continue');
    if (isFresh && version < newest)
      this.#report(subject, `its list has version ${version}, and ${newest} was written before`);
    const isPart = query.has('continue') || (answer.metadata as { continue?: string })?.continue;
    if (isPart || version < this.#firstRevision) return;
    const collection = ComparedCollection.of(resource, info.namespace, query, (state) =>
      this.#history.objectOf(state),
    );
    if (collection === undefined) return;
    const expected = new Map<string, string>();
    for (const { ref, kv } of this.#history.at(resource, version)) {
      if (collection.has(ref, kv)) expected.set(ref.object, kv.modRevision.toString());
    }
    for (const item of items) {
      const id = idOf(item);
      const should = expected.get(id);
      expected.delete(id);
      if (should === item.metadata?.resourceVersion) continue;
      const known = should === undefined ? 'is not in it' : `has version ${should}`;
      this.#report(
        subject,
        `its list at ${version} has ${id} at ${item.metadata?.resourceVersion}, which ${known}`,
      );
    }
    for (const id of expected.keys()) this.#report(subject, `its list at ${version} lacks ${id}`);
  }
}

function isJson({ headers }: ApiResponse): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && type.startsWith('application/json');
}

/** The version that a write was made from. */
function versionIn(body: Uint8Array): string | undefined {
  try {
    const { metadata } = JSON.parse(decoder.decode(body)) as KubernetesObject;
    return metadata?.resourceVersion === '' ? undefined : metadata?.resourceVersion;
  } catch {
    return undefined;
  }
}
