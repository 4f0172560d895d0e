import { runHook } from '../../../kernel/report/run-hook.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';

/** One request over the socket, when its response has ended. It has neither bodies nor credentials. */
export interface RequestRecord {
  /** When the head of the request had arrived, milliseconds since 1970. */
  readonly startedMs: number;
  /** Upper case. */
  readonly method: string;
  /** Path and query as they were sent, up to 128 KiB. */
  readonly url: string;
  /** Undefined when the request did not authenticate. */
  readonly user: string | undefined;
  /** 0 when the connection ended before a response began. */
  readonly status: number;
  /** Until the last byte of the response was passed to the socket, or the connection ended; a watch counts as long as it ran. */
  readonly durationMs: number;
  /**
   * Audit annotations, such as those of admission webhooks: `WEBHOOK/KEY`. Undefined without any. 64 Ki characters at most; when more
   * were left out, it has `audit.k8s.io/truncated: "true"`, as kube-apiserver marks truncated events.
   */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

const MOST_ANNOTATIONS = 65_536;
const TRUNCATED = 'audit.k8s.io/truncated';

/** Measures a request, from its head to the end of its response. */
export class RequestClock {
  readonly #runtime: Pick<Runtime, 'wallMs' | 'monotonicMs'>;
  readonly #method: string;
  readonly #url: string;
  readonly #startedMs: number;
  readonly #began: number;
  #user: string | undefined;
  readonly #annotations = new Map<string, string>();
  #annotated = 0;

  constructor(
    {
      method = 'GET',
      url = '/',
    }: { readonly method?: string | undefined; readonly url?: string | undefined },
    runtime: Pick<Runtime, 'wallMs' | 'monotonicMs'>,
  ) {
    this.#runtime = runtime;
    this.#method = method;
    this.#url = url;
    this.#startedMs = runtime.wallMs();
    this.#began = runtime.monotonicMs();
  }

  /** Called by the authentication. */
  readonly identified = (user: string): void => {
    this.#user = user;
  };

  /** Called by admission. @see apiserver pkg/audit/context.go addAuditAnnotationLocked @ v0.36.3 */
  readonly annotate = (key: string, value: string): void => {
    if (this.#annotations.has(key)) return;
    const size = key.length + value.length;
    if (this.#annotated + size > MOST_ANNOTATIONS) {
      this.#annotations.set(TRUNCATED, 'true');
      return;
    }
    this.#annotated += size;
    this.#annotations.set(key, value);
  };

  record(status: number): RequestRecord {
    return {
      startedMs: this.#startedMs,
      method: this.#method,
      url: this.#url,
      user: this.#user,
      status,
      durationMs: this.#runtime.monotonicMs() - this.#began,
      ...(this.#annotations.size === 0
        ? {}
        : { annotations: Object.fromEntries(this.#annotations) }),
    };
  }
}

type RequestObserver = (record: RequestRecord) => void;

/** Observers that are notified of each request. Without observers nothing is measured. An error that one throws is logged. */
export class RequestObservers {
  readonly #observers = new Set<RequestObserver>();
  readonly #runtime: Pick<Runtime, 'wallMs' | 'monotonicMs'>;
  readonly #logger: Logger;

  constructor(runtime: Pick<Runtime, 'wallMs' | 'monotonicMs'>, logger: Logger) {
    this.#runtime = runtime;
    this.#logger = logger;
  }

  /** Returns what ends it. */
  add(observer: RequestObserver): () => void {
    const own: RequestObserver = (record) => observer(record);
    this.#observers.add(own);
    return () => {
      this.#observers.delete(own);
    };
  }

  /** The clock of a request that begins now. */
  clock(head: ConstructorParameters<typeof RequestClock>[0]): RequestClock | undefined {
    return this.#observers.size === 0 ? undefined : new RequestClock(head, this.#runtime);
  }

  report(record: RequestRecord): void {
    for (const observer of this.#observers) {
      runHook(this.#logger, 'onRequest', () => observer(record));
    }
  }
}
