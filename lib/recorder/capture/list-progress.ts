import { RecordKind, type RecordFrame } from '../format/record-frame.ts';

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

/** Whether a request only asks for the version of the server, as the probes of a reflector do. */
export function isProbe(body: Buffer): boolean {
  return (parsed(body) as Asked).limit === 1;
}

/** Follows records, in their order: whether a list is under way, in pages or as a stream, and the version of the state so far. */
export class ListProgress {
  /** A list has begun, and is not complete. */
  underWay = false;
  /** The version of the state; empty before the first list. */
  resourceVersion = '';
  /** Requests that are no lists. */
  readonly probes: Set<number> = new Set();

  /** An event has come. */
  changed(resourceVersion: string | undefined): void {
    if (!this.underWay) this.resourceVersion = resourceVersion ?? this.resourceVersion;
  }

  /** A record of no object; see `changed`. Returns true if a list is complete with it. */
  follow({ kind, request }: Pick<RecordFrame, 'kind' | 'request'>, body: () => Buffer): boolean {
    switch (kind) {
      case RecordKind.listAsked:
        if (isProbe(body())) this.probes.add(request);
        else this.underWay = true;
        return false;
      case RecordKind.watchAsked:
        this.underWay ||= (parsed(body()) as Asked).sendInitialEvents === true;
        return false;
      case RecordKind.pageEnd:
        return !this.probes.delete(request) && this.#ended(parsed(body()));
      case RecordKind.bookmark: {
        const { resourceVersion: version, initialEventsEnd } = parsed(body()) as Ended;
        if (this.underWay && initialEventsEnd !== true) return false;
        return this.#complete(version) && initialEventsEnd === true;
      }
      case RecordKind.listFailed:
        if (!this.probes.delete(request)) this.underWay = false;
        return false;
      case RecordKind.watchEnded:
      case RecordKind.watchFailed:
      case RecordKind.watchLeft:
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

function parsed(body: Buffer): object {
  return JSON.parse(body.toString('utf8')) as object;
}
