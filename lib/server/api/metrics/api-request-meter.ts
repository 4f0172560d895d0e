import type { MetricLabels, Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import type { RequestInfo, Verb } from '../../http/request-info.ts';
import { apiServerMetrics } from './api-server-metrics.ts';
import type { ServerMetrics } from './server-metrics.ts';

const { requests, duration, responseSizes, inFlight, longRunning, watchEvents, watchEventSizes } =
  apiServerMetrics;

/** Roots of paths that are no resources, as they may stand in a label. */
const ROOTS: ReadonlySet<string> = new Set([
  '/.well-known',
  '/api',
  '/apis',
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi',
  '/openid',
  '/readyz',
  '/version',
]);

const METHODS: ReadonlySet<string> = new Set([
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
]);

const VERBS: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};

/** The facts of a request whose resource was found. */
export interface MeasuredResource {
  readonly info: RequestInfo;
  readonly dryRun: boolean;
}

/** The labels of the requests of one route, frozen. */
interface RouteLabels {
  readonly labels: MetricLabels;
  readonly byDryRun: Readonly<Record<'' | 'All', MetricLabels>>;
  /** With the status code. */
  readonly byCode: Map<string, MetricLabels>;
}

/** Routes whose labels are kept; custom resources come and go. */
const MOST_ROUTES = 2000;

interface OpenWatches {
  readonly labels: MetricLabels;
  count: number;
}

/** Measures the requests of a server. */
export class ApiRequestMeter {
  readonly #parts: MeasureParts;
  readonly #routes = new Map<string, RouteLabels>();
  /** By their labels; only those of which one is open. */
  readonly #watches = new Map<string, OpenWatches>();
  #reading = 0;
  #writing = 0;

  constructor(metrics: ServerMetrics, runtime: Pick<Runtime, 'monotonicMs'>) {
    this.#parts = {
      sink: metrics.sink,
      runtime,
      release: (isRead) => {
        this.#release(isRead);
      },
      opened: (labels) => this.#opened(labels),
      routeOf: (key, labelsOf) => this.#routeOf(key, labelsOf),
    };
    metrics.collect([longRunning.name], (sink) => {
      sink.gauge(inFlight.name, this.#reading, { request_kind: 'readOnly' });
      sink.gauge(inFlight.name, this.#writing, { request_kind: 'mutating' });
      for (const { labels, count } of this.#watches.values()) {
        sink.gauge(longRunning.name, count, labels);
      }
    });
  }

  begin(request: ApiRequest): RequestMeasure {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead) this.#reading += 1;
    else this.#writing += 1;
    return new RequestMeasure(this.#parts, request, isRead);
  }

  #release(isRead: boolean): void {
    if (isRead) this.#reading -= 1;
    else this.#writing -= 1;
  }

  #routeOf(key: string, labelsOf: () => MetricLabels): RouteLabels {
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    if (this.#routes.size >= MOST_ROUTES) this.#routes.clear();
    const labels = labelsOf();
    const route = {
      labels: Object.freeze(labels),
      byDryRun: {
        '': Object.freeze({ ...labels, dry_run: '' }),
        All: Object.freeze({ ...labels, dry_run: 'All' }),
      },
      byCode: new Map<string, MetricLabels>(),
    };
    this.#routes.set(key, route);
    return route;
  }

  /** Returns the function that ends the watch. */
  #opened(labels: MetricLabels): () => void {
    const key = JSON.stringify(labels);
    const open = this.#watches.get(key) ?? { labels, count: 0 };
    this.#watches.set(key, open);
    open.count += 1;
    return () => {
      open.count -= 1;
      if (open.count === 0) this.#watches.delete(key);
    };
  }
}

interface MeasureParts {
  readonly sink: Metrics;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly release: (isRead: boolean) => void;
  readonly opened: (labels: MetricLabels) => () => void;
  readonly routeOf: (key: string, labelsOf: () => MetricLabels) => RouteLabels;
}

/** Measures one request. */
export class RequestMeasure {
  readonly #parts: MeasureParts;
  readonly #request: ApiRequest;
  readonly #isRead: boolean;
  readonly #beganMs: number;
  #route: RouteLabels | undefined;
  #dryRun: '' | 'All' = '';
  #isWatch = false;

  constructor(parts: MeasureParts, request: ApiRequest, isRead: boolean) {
    this.#parts = parts;
    this.#request = request;
    this.#isRead = isRead;
    this.#beganMs = parts.runtime.monotonicMs();
  }

  /** Called when the resource of the request was found. Until then nothing of its path may be a label. */
  found({ info, dryRun }: MeasuredResource): void {
    const { group, version, resource, subresource = '' } = info;
    const verb = this.#verbOf(info.verb);
    const scope = scopeOf(info);
    const key = `${verb}/${scope}/${group}/${version}/${resource}/${subresource}`;
    this.#route = this.#parts.routeOf(key, () => ({
      verb,
      group,
      version,
      resource,
      subresource,
      scope,
      component: 'apiserver',
    }));
    if (dryRun) this.#dryRun = 'All';
    this.#isWatch = info.verb === 'watch';
  }

  /** Measures the watch that has been opened. */
  watch(): WatchMeasure {
    const { labels } = this.#route ?? this.#pathRoute();
    return new WatchMeasure(this.#parts.sink, labels, this.#parts.opened(labels));
  }

  /** The request was answered, or its watch was opened. */
  end({ status, body }: Pick<ApiResponse, 'status' | 'body'>): void {
    const { sink, runtime, release } = this.#parts;
    release(this.#isRead);
    const route = this.#route ?? this.#pathRoute();
    // A watch reports its end itself.
    if (this.#isWatch && !(body instanceof Uint8Array)) return;
    const seconds = (runtime.monotonicMs() - this.#beganMs) / 1000;
    const withDryRun = route.byDryRun[this.#dryRun];
    sink.count(requests.name, 1, withCode(route, this.#dryRun, status));
    sink.observe(duration.name, seconds, withDryRun);
    const { labels } = route;
    const { verb } = labels;
    if ((verb === 'GET' || verb === 'LIST') && body instanceof Uint8Array) {
      sink.observe(responseSizes.name, body.byteLength, labels);
    }
  }

  #verbOf(verb: Verb): string {
    const isApply =
      verb === 'patch' &&
      (this.#request.headers['content-type'] ?? '').startsWith('application/apply-patch');
    return isApply ? 'APPLY' : VERBS[verb];
  }

  #pathRoute(): RouteLabels {
    const { method, url } = this.#request;
    const root = /^\/[^/?]*/.exec(url)?.[0] ?? '';
    const verb = METHODS.has(method) ? method : 'other';
    const subresource = ROOTS.has(root) ? root : '';
    return this.#parts.routeOf(`${verb}${subresource}`, () => ({
      verb,
      group: '',
      version: '',
      resource: '',
      subresource,
      scope: '',
      component: '',
    }));
  }
}

/** Measures one watch from its first to its last event. */
export class WatchMeasure {
  readonly #sink: Metrics;
  readonly #labels: MetricLabels;
  readonly #collection: MetricLabels;
  readonly #closed: () => void;

  constructor(sink: Metrics, labels: MetricLabels, closed: () => void) {
    const { group = '', version = '', resource = '' } = labels;
    this.#sink = sink;
    this.#labels = labels;
    this.#collection = { group, version, resource };
    this.#closed = closed;
  }

  sent(events: number, bytes: number): void {
    this.#sink.count(watchEvents.name, events, this.#collection);
    this.#sink.observe(watchEventSizes.name, bytes, this.#collection);
  }

  end(): void {
    this.#closed();
    this.#sink.count(requests.name, 1, { ...this.#labels, dry_run: '', code: '200' });
  }
}

function withCode(route: RouteLabels, dryRun: '' | 'All', status: number): MetricLabels {
  const key = `${status}${dryRun}`;
  const known = route.byCode.get(key);
  if (known !== undefined) return known;
  const made = Object.freeze({ ...route.byDryRun[dryRun], code: String(status) });
  route.byCode.set(key, made);
  return made;
}

/** See apiserver pkg/endpoints/metrics CleanScope. */
function scopeOf({ name, namespace, verb }: RequestInfo): string {
  if (name !== undefined || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}
