import { isSince } from '../../meta/releases/kubernetes-features.ts';
import { errorMessage, isListwatchError } from '../../kernel/failure/errors.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import { guardedLogger, isSameLogger } from '../../kernel/report/guarded-logger.ts';
import { silentLogger, type Logger } from '../../kernel/report/logger.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import type {
  ResourceRegistry,
  RestStorage,
  ConnectMethods,
} from '../registry/contract/rest-storage.ts';
import type { Authorizer } from '../registry/contract/access-parts.ts';
import { otherVerbs } from '../access/authorization/request-question.ts';
import { IN_PROCESS_USER, userNamed } from '../registry/contract/user-info.ts';
import { IN_PROCESS_CLIENT } from '../storage/contract/storage-interface.ts';
import { FENCE_HEADER, FENCE_REFUSED } from '../../meta/fence-token.ts';
import { EpochRefused, leaseGuard } from './fencing/lease-guard.ts';
import { HealthEndpoints, type HealthCheck } from './health/health-endpoints.ts';
import type { ApiHandler, ApiRequest, ApiResponse } from '../http/api-request.ts';
import { RequestAborts, type RequestAbort } from '../http/request-aborts.ts';
import { BUILT_IN_GROUPS } from '../http/built-in-groups.ts';
import { textResponse, withHeaders } from '../http/responses/api-response.ts';
import { failureResponse } from '../http/responses/document-response.ts';
import { JSON_TYPE } from '../http/media/media-type.ts';
import { serveCreate, serveUpdate } from './verbs/serve-create.ts';
import { serveDeleteCollection, serveDelete } from './verbs/serve-delete.ts';
import type { Exchange } from './verbs/exchange.ts';
import { parseQuery } from '../http/parse-query.ts';
import { checkRoute, negotiate, type Representation } from '../http/negotiation.ts';
import { patchTypes, servePatch } from './verbs/serve-patch.ts';
import {
  MalformedRequest,
  PageNotFound,
  requestTimedOut,
  toApiError,
  methodNotAllowed,
  unknownPathIn,
} from '../http/request-failures.ts';
import { pathSegments, type RequestInfo, type Verb } from '../http/request-info.ts';
import { routeOf } from './resource-route.ts';
import { ApiRequestMeter, type RequestMeasure } from './metrics/api-request-meter.ts';
import { SlowRequestTrace } from './metrics/slow-request-trace.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import { RootPaths, type TokenIssuer } from './root-paths.ts';
import { Warnings } from './verbs/answer/warnings.ts';
import { FormatFrames } from './verbs/answer/watch-frames.ts';
import { FEATURE_GATES, type FeatureGates } from './feature-gates.ts';
import { serveWatch } from './verbs/serve-watch.ts';
import { withStandardHeaders } from '../http/responses/standard-headers.ts';
import { parseListOptions, queryText, queryTimeoutMs } from '../http/query-options.ts';
import { objectResponse, listResponse } from './verbs/render.ts';
import { badRequest } from '../../meta/failure/failures.ts';

/** A request to a subresource that something behind the server answers. */
async function serveConnect(
  { info, context, request, query }: Exchange,
  connect: ConnectMethods,
): Promise<ApiResponse> {
  if (info.path !== '' && !connect.takesPath) throw unknownPathIn(info.group);
  if (!(connect.verbs as readonly Verb[]).includes(info.verb)) throw methodNotAllowed();
  if (query.has('dryRun')) throw badRequest('dryRun is not supported');
  const { method, headers, body, url } = request;
  const { name = '' } = info;
  // A slash at the end counts for what it is passed on to.
  const [pathname = ''] = url.split('?', 1);
  const path = `${info.path}${connect.takesPath && pathname.endsWith('/') ? '/' : ''}`;
  const search = url.slice(pathname.length);
  return await connect.handle(context, name, { method, path, query, search, headers, body });
}

/** GET of a collection. */
async function serveList(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, query, sharded } = exchange;
  if (storage.list === undefined) throw methodNotAllowed();
  const options = parseListOptions(query, { sharded });
  const list = await (storage.scan?.(context, options) ?? storage.list(context, options));
  context.step?.('read from storage');
  return listResponse(exchange, list, options.shardSelector);
}

/** GET of one object. */
async function serveGet(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, info, query } = exchange;
  if (storage.get === undefined) throw methodNotAllowed();
  const resourceVersion = queryText(query, 'resourceVersion');
  const stored = await storage.get(context, info.name ?? '', { resourceVersion });
  context.step?.('read from storage');
  return objectResponse(exchange, 200, stored);
}

export interface ApiHandlerOptions {
  /** The served resources. */
  readonly registry: ResourceRegistry;
  /** @defaultValue the machine's clock and random source */
  readonly runtime?: Runtime | undefined;
  /** Logs failures of the server itself (5xx), and slow requests unless it is the default. @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  /**
   * Longest duration of a request that is not a watch, milliseconds; after that the response is 504.
   * @defaultValue 60 000
   * @see apiserver pkg/server/config.go RequestTimeout @ 24a394e
   */
  readonly requestTimeoutMs?: number | undefined;
  /** Whether objects that cannot be read are removed on request. @defaultValue true since Kubernetes 1.37 */
  readonly unsafeObjectDeletion?: boolean | undefined;
  /** @defaultValue all are off */
  readonly featureGates?: FeatureGates | undefined;
  /** The checks of `/healthz`, `/livez` and `/readyz` besides `ping`. @defaultValue none */
  readonly healthChecks?: readonly HealthCheck[] | undefined;
  /** Answers `/.well-known/openid-configuration` and `/openid/v1/jwks`. @defaultValue these paths are not served */
  readonly tokenIssuer?: TokenIssuer | undefined;
  /** Decides whether an update may create a missing object. @defaultValue it may */
  readonly authorizer?: Authorizer | undefined;
  /** The metrics of `/metrics`. @defaultValue those of the handler alone */
  readonly metrics?: ServerMetrics | undefined;
}

const OPTIONS = optionsOf<ApiHandlerOptions>()('createApiHandler', {
  registry: is.object().required,
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  requestTimeoutMs: is.number({ min: 1 }).default(60_000),
  unsafeObjectDeletion: is.flag(),
  featureGates: FEATURE_GATES.nested,
  healthChecks: is.rule<readonly HealthCheck[]>('an array', Array.isArray).default([]),
  tokenIssuer: is.object(),
  metrics: is.object(),
  authorizer: is.object(),
});

const verbs: Readonly<Record<Verb, (exchange: Exchange) => Promise<ApiResponse>>> = {
  get: serveGet,
  list: serveList,
  watch: serveWatch,
  create: serveCreate,
  update: serveUpdate,
  patch: servePatch,
  delete: serveDelete,
  deletecollection: serveDeleteCollection,
};

/** Makes the API over a registry, as a function from request to response. */
export function createApiHandler(options: ApiHandlerOptions): ApiHandler {
  const router = new ApiRouter(options);
  return withStandardHeaders((request) => router.handle(request), options.runtime ?? realRuntime);
}

class ApiRouter {
  readonly #registry: ResourceRegistry;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  /** Steps are timed for each request, so only for a logger that the program has given. */
  readonly #tracesSlow: boolean;
  readonly #requestTimeoutMs: number;
  readonly #unsafeObjectDeletion: boolean;
  readonly #authorizer: Authorizer | undefined;
  readonly #meter: ApiRequestMeter;
  readonly #rootPaths: RootPaths;
  readonly #aborts = new RequestAborts();
  readonly #frames = new FormatFrames();
  readonly #gates: FeatureGates;
  readonly #sharded: boolean;

  constructor(options: ApiHandlerOptions) {
    const read = OPTIONS.read(options);
    this.#registry = read.registry;
    this.#runtime = read.runtime;
    this.#logger = guardedLogger(read.logger);
    this.#tracesSlow = ![consoleLogger, silentLogger].some((one) =>
      isSameLogger(one, this.#logger),
    );
    this.#unsafeObjectDeletion =
      read.unsafeObjectDeletion ?? isSince(read.registry.minor, 'unsafeObjectDeletion');
    this.#gates = read.featureGates ?? {};
    this.#sharded =
      this.#gates.ShardedListAndWatch === true && isSince(read.registry.minor, 'shardedLists');
    this.#authorizer = read.authorizer;
    this.#requestTimeoutMs = read.requestTimeoutMs;
    const metrics = read.metrics ?? new ServerMetrics({ logger: this.#logger });
    this.#meter = new ApiRequestMeter(metrics, this.#runtime);
    this.#rootPaths = new RootPaths({
      registry: read.registry,
      runtime: this.#runtime,
      health: new HealthEndpoints(read.healthChecks, this.#logger),
      metrics,
      tokenIssuer: read.tokenIssuer,
    });
  }

  /** Never rejects. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const measure = this.#meter.begin(request);
    let response: ApiResponse;
    try {
      const { pathname, query } = splitUrl(request.url);
      const segments = pathSegments(pathname);
      const isResource =
        (segments[0] === 'api' && segments.length > 2) ||
        (segments[0] === 'apis' && segments.length > 3);
      if (!isResource) queryTimeoutMs(query);
      response = isResource
        ? await this.#resource(request, segments, query, measure)
        : await this.#rootPaths.answer(request, pathname, segments, query);
    } catch (error) {
      response = this.#failed(request, error);
    }
    measure.end(response);
    return response;
  }

  #failed(request: ApiRequest, error: unknown): ApiResponse {
    const failure = toApiError(error);
    if (failure.httpStatus >= 500 && !request.signal.aborted) {
      const [path] = request.url.split('?', 1);
      this.#logger.error('a request failed', {
        method: request.method,
        path,
        code: failure.code,
        error: errorMessage(failure.cause ?? failure),
      });
    }
    if (failure instanceof MalformedRequest) return textResponse(400, failure.message);
    return failure instanceof PageNotFound
      ? withHeaders(textResponse(404, `${failure.message}\n`), {
          'x-content-type-options': 'nosniff',
        })
      : failureResponse(failure, request);
  }

  async #resource(
    request: ApiRequest,
    segments: readonly string[],
    query: URLSearchParams,
    measure: RequestMeasure,
  ): Promise<ApiResponse> {
    const { info, storage } = routeOf(this.#registry, request, segments, query);
    measure.found({ info, dryRun: query.has('dryRun') });
    const representation = this.#representationOf(request, query, info, storage);
    const warnings = new Warnings();
    const { deprecation } = storage.describe;
    if (deprecation !== undefined) warnings.add(deprecation);
    const isLong = info.verb === 'watch' || storage.connect !== undefined;
    const timeoutMs = this.#timeoutMs(isLong ? undefined : queryTimeoutMs(query));
    // A watch runs as long as its client wants; every other request has a deadline.
    const abort = info.verb === 'watch' ? undefined : this.#aborts.of(request);
    const trace =
      abort !== undefined && this.#tracesSlow ? new SlowRequestTrace(this.#runtime) : undefined;
    const { user } = request;
    const identity = user === undefined ? IN_PROCESS_USER : (request.identity ?? userNamed(user));
    const exchange: Exchange = {
      request,
      info,
      query,
      storage,
      representation,
      context: {
        namespace: info.namespace,
        user: request.user ?? IN_PROCESS_USER.username,
        identity,
        client: clientOf(request),
        authorize: otherVerbs(this.#authorizer, identity, request),
        signal: abort?.signal ?? request.signal,
        warn: (text) => {
          warnings.add(text);
        },
        annotate: request.annotate,
        step: trace?.step,
      },
      runtime: this.#runtime,
      openMeter: () => measure.watch(),
      frames: this.#frames,
      unsafeObjectDeletion: this.#unsafeObjectDeletion,
      minor: this.#registry.minor,
      sharded: this.#sharded,
    };
    let response: ApiResponse;
    try {
      const work = this.#work(exchange, request);
      response = abort === undefined ? await work : await this.#bounded(work, timeoutMs, abort);
    } catch (error) {
      response = this.#failed(request, error);
      if (error instanceof EpochRefused) {
        response = withHeaders(response, { [FENCE_HEADER]: FENCE_REFUSED });
      }
    } finally {
      const { url, headers } = request;
      trace?.end({ verb: info.verb, url, userAgent: headers['user-agent'] }, this.#logger);
    }
    // Warnings before a failure are sent as well.
    const values = warnings.headerValues();
    return values.length === 0 ? response : withHeaders(response, { warning: values });
  }

  /** Requests with the epoch of a lease are checked before the work, so that dry runs are too, and again in each transaction. */
  async #work(exchange: Exchange, request: ApiRequest): Promise<ApiResponse> {
    const { storage, info } = exchange;
    const guard = leaseGuard(request, this.#registry);
    await guard?.current();
    const guarded =
      guard === undefined ? exchange : { ...exchange, context: { ...exchange.context, guard } };
    const { connect } = storage;
    return connect === undefined
      ? await verbs[info.verb](guarded)
      : await serveConnect(guarded, connect);
  }

  /** @throws {ApiError} 406, 415. */
  #representationOf(
    request: ApiRequest,
    query: URLSearchParams,
    { verb, group }: RequestInfo,
    storage: RestStorage,
  ): Representation {
    // A forwarded answer has the format of its source.
    if (storage.connect !== undefined) return AS_PASSED_ON;
    if (BUILT_IN_GROUPS.has(group)) checkRoute(request, verb, patchTypes(group));
    const drops = this.#gates.ManagedFieldsOptOut === true;
    const hasTable = storage.table !== undefined;
    return negotiate(request, query, { group, verb, hasTable, drops });
  }

  /** @throws {ApiError} 504 if the client gives it no time at all. */
  #timeoutMs(askedMs = Infinity): number {
    if (askedMs < 1) throw requestTimedOut();
    return Math.min(askedMs, this.#requestTimeoutMs);
  }

  async #bounded(
    work: Promise<ApiResponse>,
    timeoutMs: number,
    abort: RequestAbort,
  ): Promise<ApiResponse> {
    try {
      return await withDeadline(this.#runtime, work, {
        timeoutMs,
        describe: () => 'the answer of the storage',
      });
    } catch (error) {
      if (!isListwatchError(error, 'TIMEOUT')) throw error;
      const failure = requestTimedOut();
      abort.abort(failure);
      throw failure;
    } finally {
      abort.destroy();
    }
  }
}

/**
 * The program that sends a request: one user with one `User-Agent`. Its connections do not show it, since HTTP/1.1 clients open
 * several. Undefined for a user without that header.
 */
function clientOf({ user, headers }: ApiRequest): string | undefined {
  if (user === undefined) return IN_PROCESS_CLIENT;
  const agent = headers['user-agent'];
  return agent === undefined ? undefined : `${user}\n${agent}`;
}

const AS_PASSED_ON: Representation = {
  mediaType: JSON_TYPE,
  as: undefined,
  metaVersion: 'v1',
  pretty: false,
  dropsManagedFields: false,
};

function splitUrl(url: string): { readonly pathname: string; readonly query: URLSearchParams } {
  const mark = url.indexOf('?');
  const pathname = mark < 0 ? url : url.slice(0, mark);
  if (!pathname.startsWith('/')) throw new PageNotFound();
  return { pathname, query: parseQuery(mark < 0 ? '' : url.slice(mark + 1)) };
}
