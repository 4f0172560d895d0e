import { isProbe } from '../../cache/reflector/contract/lister-watcher.ts';
import { isEndOfWatch, RecordKind, type RecordFrame } from '../format/record-frame.ts';

interface Asked {
  readonly limit?: number;
  readonly continueToken?: string;
  readonly sendInitialEvents?: boolean;
}

interface Ended {
  readonly resourceVersion?: string;
  readonly continueToken?: string;
  readonly initialEventsEnd?: boolean;
}

/** Follows records, in their order: whether a list is under way, in pages or as a stream, and the version of the state so far. */
export class ListProgress {
  /** A list has begun, and is not complete. */
  underWay = false;
  /** The version of the state; empty before the first list. */
  resourceVersion = '';
  readonly #probes = new Set<number>();
  readonly #watches = new Set<number>();

  /** Whether the record is of a request that only asks how the server is: what it brings is no part of the state. */
  isOfProbe({ kind, request }: Pick<RecordFrame, 'kind' | 'request'>, body: () => Buffer): boolean {
    const isAsked = kind === RecordKind.listAsked || kind === RecordKind.watchAsked;
    if (!isAsked) {
      const isProbe = this.#probes.has(request);
      if (isProbe && isEnd(kind)) this.#probes.delete(request);
      return isProbe;
    }
    const isBeside = kind === RecordKind.listAsked || this.#watches.size > 0;
    if (!isBeside || !isProbe(parsed(body()))) return false;
    this.#probes.add(request);
    return true;
  }

  /** As `isOfProbe`, for an item or an event. */
  isObjectOfProbe(request: number): boolean {
    return this.#probes.size > 0 && this.#probes.has(request);
  }

  /** An event has come. */
  changed(resourceVersion: string | undefined): void {
    if (!this.underWay) this.resourceVersion = resourceVersion ?? this.resourceVersion;
  }

  /** A record of no object and of no probe; see `changed`. Returns true if a list is complete with it. */
  follow({ kind, request }: Pick<RecordFrame, 'kind' | 'request'>, body: () => Buffer): boolean {
    switch (kind) {
      case RecordKind.listAsked:
        this.underWay = true;
        return false;
      case RecordKind.watchAsked:
        this.underWay ||= (parsed(body()) as Asked).sendInitialEvents === true;
        return false;
      case RecordKind.watchAccepted:
        this.#watches.add(request);
        return false;
      case RecordKind.pageEnd:
        return this.#ended(parsed(body()));
      case RecordKind.bookmark: {
        const { resourceVersion: version, initialEventsEnd } = parsed(body()) as Ended;
        if (this.underWay && initialEventsEnd !== true) return false;
        return this.#complete(version) && initialEventsEnd === true;
      }
      case RecordKind.listFailed:
        this.underWay = false;
        return false;
      case RecordKind.watchEnded:
      case RecordKind.watchFailed:
      case RecordKind.watchLeft:
        this.#watches.delete(request);
        this.underWay = false;
        return false;
      default:
        return false;
    }
  }

  #ended({ resourceVersion, continueToken }: Ended): boolean {
    return continueToken === undefined && this.#complete(resourceVersion);
  }

  #complete(resourceVersion: string | undefined): boolean {
    this.underWay = false;
    this.resourceVersion = resourceVersion ?? this.resourceVersion;
    return true;
  }
}

/** Whether it is the last record of a request. */
function isEnd(kind: number): boolean {
  return kind === RecordKind.pageEnd || kind === RecordKind.listFailed || isEndOfWatch(kind);
}

function parsed(body: Buffer): object {
  return JSON.parse(body.toString('utf8')) as object;
}
