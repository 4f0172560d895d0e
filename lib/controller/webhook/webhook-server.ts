import type { WaitOptions } from '../../cache/informer/handlers/handler-registration.ts';
import type { Client } from '../../client/rest/client.ts';
import { requireClient } from '../../kernel/options/require-client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { urlHost } from '../../kernel/failure/listen-address.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import { guardedMetrics } from '../../kernel/report/guarded-metrics.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { abortable, deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep, untilOpen } from '../../kernel/time/wait.ts';
import type { ObjectOf, OtherPlural, PluralOf } from '../../meta/object-types.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { CertificateKeeper } from './certificates/certificate-keeper.ts';
import { expiryOf } from './certificates/served-certificate.ts';
import { DeclaredWebhooks, type AnyConversion } from './declared-webhooks.ts';
import type { HookOptions, MutateOptions } from './hook-options.ts';
import { WebhookListener } from './port/webhook-listener.ts';
import { WebhookMeter } from './port/webhook-meter.ts';
import type { ReviewFunction } from './review/admission-answer.ts';
import type { Mutate, Operation, Validate } from './review/admission-context.ts';
import type { ConversionOptions } from './review/conversion.ts';
import { warmCall } from './warm-call.ts';
import { ServerRegistration } from './server-registration.ts';
import type { WebhookManifests } from './webhook-manifests.ts';
import { resolveServerOptions, type WebhookServerOptions } from './webhook-server-options.ts';

/** The state of a webhook server at one moment. */
export interface WebhookServerInspection {
  readonly phase: 'new' | 'starting' | 'warming up' | 'ready' | 'stopping' | 'stopped';
  readonly url: string | undefined;
  /** The names of the webhooks of admission, and of the definitions that are converted. */
  readonly webhooks: readonly string[];
  readonly callsInProgress: number;
  /** When the certificate expires, milliseconds since 1970; undefined before it is there. */
  readonly certificateExpiresAtMs: number | undefined;
  /** Why API servers refuse the certificate, or will soon. */
  readonly certificateProblem: string | undefined;
}

type Default = 'CREATE' | 'UPDATE';

const SERVICE_PORT = 9_443;
const SERVICE_LINGER_MS = 3_000;
/** Running calls have so long when it stops; after that their connections end. */
const DRAIN_MS = 10_000;

/**
 * A server of webhooks: admission that validates and changes objects, and conversion of custom objects, typed by the resources. It makes or
 * reads its certificate, and registers itself at the cluster.
 *
 * Guarantees:
 * - `run` registers conversions as soon as it listens, and admission when it is warm; `whenReady` resolves after both.
 * - A certificate that API servers would refuse stops the start; one that expires while it runs is reported, and `check` throws.
 * - A new certificate is used for new connections, without the end of a running call.
 * - A call is answered before the API server gives up. A function that throws is no verdict: the failure policy of the webhook decides.
 * - In a `Manager` it starts before the caches, because lists of custom objects may need its conversions, and stops last.
 *
 * @example
 * await using webhooks = new WebhookServer(client, { name: 'shop-webhooks', service: { namespace: 'shop', name: 'webhooks' } })
 *   .mutate('v1', 'pods', ({ object }) => { object.spec.priorityClassName ??= 'shop'; })
 *   .validate('v1', 'configmaps', ({ object, deny }) => { if (object.data === undefined) deny('must have data', { field: 'data' }); });
 * await webhooks.run({ signal });
 */
export class WebhookServer<Types extends object = object> implements AsyncDisposable {
  /** Names it in messages and in a manager. */
  readonly name: string;
  /** A manager starts it before the caches. */
  readonly stage = 'webhooks';
  readonly #options: WebhookServerOptions;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #client: Client;
  readonly #declared: DeclaredWebhooks;
  readonly #registration: ServerRegistration;
  readonly #meter: WebhookMeter;
  readonly #listening = new Latch('the webhooks to listen');
  readonly #warm = new Latch('the webhooks to be warm');
  readonly #ready = new Latch('the webhooks to be ready');
  readonly #ended = new Latch('the webhooks to end');
  readonly #stop = deriveAbort();
  #listener: WebhookListener | undefined;
  #keeper: CertificateKeeper | undefined;
  #phase: WebhookServerInspection['phase'] = 'new';

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(client: Client<Types>, options: WebhookServerOptions) {
    requireClient('WebhookServer', client, 'resource');
    const resolved = resolveServerOptions(options);
    this.name = resolved.name;
    this.#options = resolved;
    this.#client = client;
    this.#runtime = resolved.runtime;
    this.#logger = guardedLogger(resolved.logger);
    this.#declared = new DeclaredWebhooks(this.#logger, (signal) =>
      abortable(this.#warm.opened, signal),
    );
    this.#registration = new ServerRegistration({
      client,
      options: resolved,
      declared: this.#declared,
      url: () => this.url,
      runtime: this.#runtime,
      logger: this.#logger,
    });
    this.#meter = new WebhookMeter(this.#runtime);
    if (resolved.metrics !== undefined) this.reportTo(resolved.metrics);
  }

  /** The origin at which API servers reach it without a service; undefined before it listens. */
  get url(): string | undefined {
    const { url, host = '127.0.0.1' } = this.#options;
    if (this.#listener === undefined || this.#listener.port === 0) return undefined;
    return url ?? `https://${urlHost(host)}:${this.#listener.port}`;
  }

  /**
   * Denies requests: `call` says by `deny` what is wrong with an object. Objects of other versions are converted into `apiVersion` before.
   * @throws {ListwatchError} code INVALID_OPTION; NAME_TAKEN for a second webhook of this resource without a name; ALREADY_STARTED.
   */
  validate<
    ApiVersion extends string,
    Resource extends PluralOf<Types, ApiVersion>,
    Op extends Operation = Default,
  >(
    apiVersion: ApiVersion,
    resource: Resource,
    call: Validate<ObjectOf<Types, ApiVersion, Resource>, Op>,
    options?: HookOptions<Op>,
  ): this;
  /** A subresource is `pods/eviction`; its object type has to be named. */
  validate<
    T extends KubernetesObject = KubernetesObject,
    Plural extends string = string,
    Op extends Operation = Default,
  >(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    call: Validate<NoInfer<T>, Op>,
    options?: HookOptions<Op>,
  ): this;
  validate<ApiVersion extends string, Resource extends string, Op extends Operation = Default>(
    apiVersion: ApiVersion,
    resource: OtherPlural<Resource, PluralOf<Types, ApiVersion>>,
    call: Validate<ObjectOf<Types, ApiVersion, Resource>, Op>,
    options?: HookOptions<Op>,
  ): this;
  validate(
    apiVersion: string,
    resource: string,
    call: ReviewFunction,
    options: HookOptions = {},
  ): this {
    this.#requireNew('validate');
    this.#declared.addHook('validate', apiVersion, resource, call, options);
    return this;
  }

  /** Changes objects: `call` changes `object`, or returns a changed copy. It may deny the request too. Throws as `validate`. */
  mutate<
    ApiVersion extends string,
    Resource extends PluralOf<Types, ApiVersion>,
    Op extends Operation = Default,
  >(
    apiVersion: ApiVersion,
    resource: Resource,
    call: Mutate<ObjectOf<Types, ApiVersion, Resource>, Op>,
    options?: MutateOptions<Op>,
  ): this;
  /** A subresource is `pods/eviction`; its object type has to be named. */
  mutate<
    T extends KubernetesObject = KubernetesObject,
    Plural extends string = string,
    Op extends Operation = Default,
  >(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    call: Mutate<NoInfer<T>, Op>,
    options?: MutateOptions<Op>,
  ): this;
  mutate<ApiVersion extends string, Resource extends string, Op extends Operation = Default>(
    apiVersion: ApiVersion,
    resource: OtherPlural<Resource, PluralOf<Types, ApiVersion>>,
    call: Mutate<ObjectOf<Types, ApiVersion, Resource>, Op>,
    options?: MutateOptions<Op>,
  ): this;
  mutate(
    apiVersion: string,
    resource: string,
    call: ReviewFunction,
    options: MutateOptions = {},
  ): this {
    this.#requireNew('mutate');
    this.#declared.addHook('mutate', apiVersion, resource, call, options);
    return this;
  }

  /**
   * Converts the custom objects of one version into another one, the hub, and back. Between two versions that are not the hub they are
   * converted in two steps. A function that changes name, namespace, uid or kind, or returns no object, fails the request with one line.
   * @throws {ListwatchError} code INVALID_OPTION; NAME_TAKEN; ALREADY_STARTED.
   */
  convert<
    ApiVersion extends string,
    Resource extends PluralOf<Types, ApiVersion>,
    Hub extends string,
  >(
    apiVersion: ApiVersion,
    resource: Resource,
    options: ConversionOptions<
      ObjectOf<Types, ApiVersion, Resource>,
      ObjectOf<Types, Hub, Resource>,
      Hub
    >,
  ): this;
  convert<Version extends KubernetesObject, Hub extends KubernetesObject, Plural extends string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    options: ConversionOptions<NoInfer<Version>, NoInfer<Hub>>,
  ): this;
  convert<ApiVersion extends string, Resource extends string, Hub extends string>(
    apiVersion: ApiVersion,
    resource: OtherPlural<Resource, PluralOf<Types, ApiVersion>>,
    options: ConversionOptions<
      ObjectOf<Types, ApiVersion, Resource>,
      ObjectOf<Types, Hub, Resource>,
      Hub
    >,
  ): this;
  convert(apiVersion: string, resource: string, options: AnyConversion): this {
    this.#requireNew('convert');
    this.#declared.addConversion(apiVersion, resource, options);
    return this;
  }

  /**
   * Serves until the signal aborts, or `close` is called.
   * @throws {ListwatchError} code ALREADY_STARTED; INVALID_OPTION without a webhook; PORT_IN_USE or LISTEN_FAILED; WEBHOOK_CERTIFICATE and what else is wrong with the certificate.
   * {ApiError} when the cluster refuses the registration. What `warmUp` throws.
   */
  async run({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#phase !== 'new') {
      throw new ListwatchError('ALREADY_STARTED', 'a webhook server runs once; make a new one');
    }
    this.#declared.requireSome();
    this.#phase = 'starting';
    const release = onAbort(signal, () => {
      this.#stop.abort(signal?.reason);
    });
    try {
      await this.#start(this.#stop.signal);
      await new Promise<void>((resolve) => {
        onAbort(this.#stop.signal, resolve);
      });
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    } finally {
      release();
      await this.#end();
    }
  }

  /**
   * Resolves when it listens and conversions are registered: from then on, caches can be filled.
   * @throws {ListwatchError} code TIMEOUT, or CLOSED when it ends before.
   */
  whenStarted(options: WaitOptions = {}): Promise<void> {
    return this.#until(this.#listening, options);
  }

  /** Resolves when all is registered, and `warmUp` is done. @throws as `whenStarted`. */
  whenReady(options: WaitOptions = {}): Promise<void> {
    return this.#until(this.#ready, options);
  }

  /**
   * Whether API servers can call it; `/readyz` of a `Manager` asks.
   * @throws {ListwatchError} code WEBHOOK_CERTIFICATE when they refuse its certificate; NOT_STARTED before it is ready; NAME_TAKEN while another
   * server has registered itself by this name.
   */
  check(): void {
    const problem = this.#keeper?.problem;
    if (problem?.isFatal === true) throw new ListwatchError('WEBHOOK_CERTIFICATE', problem.text);
    if (this.#phase !== 'ready') {
      throw new ListwatchError('NOT_STARTED', `the webhook server is ${this.#phase}`);
    }
    this.#registration.check();
  }

  /**
   * The manifests that `run` registers, for programs that apply them in another way.
   * @throws {ListwatchError} code NOT_STARTED before it listens, when it has no service and no `url`.
   */
  manifests(): WebhookManifests {
    return this.#registration.manifests();
  }

  /** From now on reports its metrics to these; a `Manager` calls it with its own. */
  reportTo(metrics: Metrics): void {
    this.#meter.reportTo(
      guardedMetrics(metrics, (error) => {
        this.#logger.error('webhooks: the metrics failed', { error });
      }),
    );
  }

  /** The state at this moment. */
  inspect(): WebhookServerInspection {
    const { hooks, conversions } = this.#declared;
    const served = this.#keeper?.served;
    return {
      phase: this.#phase,
      url: this.url,
      webhooks: [...hooks, ...conversions].map(({ name }) => name),
      callsInProgress: this.#listener?.running ?? 0,
      certificateExpiresAtMs: served && expiryOf(served),
      certificateProblem: this.#keeper?.problem?.text,
    };
  }

  /** Removes the registration of admission from the cluster. Conversions stay, because objects cannot be read without them. */
  async unregister({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    await this.#registration.unregister(signal);
  }

  /** Stops, and resolves when `run` has ended. May be called again. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#phase === 'new') {
      this.#phase = 'stopped';
      this.#ended.open();
    }
    await this.#ended.opened;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { service, url, host, port, certificate, warmUp } = this.#options;
    const inCluster = service !== undefined;
    const address = host ?? (inCluster ? '0.0.0.0' : '127.0.0.1');
    const name = inCluster
      ? `${service.name}.${service.namespace}.svc`
      : new URL(url ?? `https://${urlHost(address)}`).hostname.replaceAll(/[[\]]/g, '');
    this.#keeper = new CertificateKeeper({
      client: this.#client,
      certificate,
      hosts: [name],
      runtime: this.#runtime,
      logger: this.#logger,
      onChange: (served) => {
        const present = (): void => {
          this.#listener?.present(served);
          this.#logger.info('webhooks: new connections get the new certificate');
        };
        void this.#registration.replace(served, present, signal);
      },
    });
    const served = await this.#keeper.start(signal);
    this.#registration.begin(served);
    const routes = this.#declared.routes();
    this.#listener = new WebhookListener({
      routes,
      meter: this.#meter,
      runtime: this.#runtime,
      logger: this.#logger,
    });
    this.#listener.present(served);
    await this.#listener.listen(address, port ?? (inCluster ? SERVICE_PORT : 0));
    const listening = { port: this.#listener.port, host: warmHost(address), name, served };
    await warmCall({ ...listening, runtime: this.#runtime, signal });
    await this.#registration.registerConversions(signal);
    this.#phase = 'warming up';
    this.#listening.open();
    if (warmUp !== undefined) await abortable(warmUp({ signal }), signal);
    this.#warm.open();
    await this.#registration.registerAdmission(signal);
    signal.throwIfAborted();
    this.#phase = 'ready';
    this.#ready.open();
  }

  async #end(): Promise<void> {
    const { service } = this.#options;
    const { lingerMs = service === undefined ? 0 : SERVICE_LINGER_MS } = this.#options;
    const wasReady = this.#ready.isOpen;
    this.#phase = 'stopping';
    await this.#registration.end();
    if (wasReady && lingerMs > 0) await sleep(this.#runtime, lingerMs);
    // Calls that wait until it is warm would wait in vain.
    await this.#listener?.close(this.#warm.isOpen ? DRAIN_MS : 0);
    this.#keeper?.[Symbol.dispose]();
    this.#phase = 'stopped';
    this.#ended.open();
  }

  async #until(latch: Latch, { timeoutMs, signal }: WaitOptions): Promise<void> {
    const describe = (): string => `${latch.name}: ${this.#registration.waitsFor ?? this.#phase}`;
    await untilOpen(this.#runtime, [latch, this.#ended], { timeoutMs, signal, describe });
    if (!latch.isOpen || this.#ended.isOpen) {
      throw new ListwatchError('CLOSED', `the webhook server ${this.name} has ended`);
    }
  }

  #requireNew(method: string): void {
    if (this.#phase === 'new') return;
    const text = `WebhookServer.${method}: declare all webhooks before run()`;
    throw new ListwatchError('ALREADY_STARTED', text);
  }
}

function warmHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
