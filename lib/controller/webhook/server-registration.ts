import type { Client } from '../../client/rest/client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { ServedCertificate } from './certificates/served-certificate.ts';
import type { DeclaredWebhooks } from './declared-webhooks.ts';
import { webhookManifests, type WebhookManifests } from './webhook-manifests.ts';
import { WebhookRegistration } from './webhook-registration.ts';
import type { WebhookServerOptions } from './webhook-server-options.ts';

export interface ServerRegistrationParts {
  readonly client: Client;
  readonly options: WebhookServerOptions;
  readonly declared: DeclaredWebhooks;
  /** Where API servers reach the server without a service; undefined before it listens. */
  readonly url: () => string | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** API servers see a changed registration within about a second. */
const SPREAD_MS = 5_000;
const UNREGISTER_MS = 5_000;

/** The registration of one run of a webhook server at the cluster: it follows the certificates of the server, and ends with it. */
export class ServerRegistration {
  readonly #parts: ServerRegistrationParts;
  readonly #registration: WebhookRegistration;
  /** Those of the certificate that is presented, in PEM. */
  #authorities: string | undefined;
  #admits = false;
  #keeping: Promise<void> | undefined;

  constructor(parts: ServerRegistrationParts) {
    const { client, options, runtime, logger } = parts;
    this.#parts = parts;
    this.#registration = new WebhookRegistration({ client, name: options.name, runtime, logger });
  }

  /** See `WebhookRegistration`. */
  get waitsFor(): string | undefined {
    return this.#registration.waitsFor;
  }

  /** @throws {ListwatchError} code NAME_TAKEN while another server has this registration. */
  check(): void {
    this.#registration.check();
  }

  /** @throws {ListwatchError} code NOT_STARTED without an address. */
  manifests(): WebhookManifests {
    const { options, declared } = this.#parts;
    const { name, service, url } = options;
    const origin = this.#parts.url() ?? url;
    if (service === undefined && origin === undefined) {
      const text = 'the address of the webhooks is known when they listen; give "service" or "url"';
      throw new ListwatchError('NOT_STARTED', text);
    }
    const address = { service, origin: origin ?? '', authorities: this.#authorities };
    return webhookManifests(name, address, declared.hooks, declared.conversions);
  }

  /** The first certificate of the server. */
  begin({ authorities }: ServedCertificate): void {
    this.#authorities = authorities;
  }

  /** @throws as `WebhookRegistration.registerConversions`. */
  async registerConversions(signal: AbortSignal): Promise<void> {
    if (this.#registers) await this.#registration.registerConversions(this.#manifests, signal);
  }

  /** @throws as `WebhookRegistration.registerAdmission`. */
  async registerAdmission(signal: AbortSignal): Promise<void> {
    if (!this.#registers) return;
    this.#admits = true;
    await this.#registration.registerAdmission(this.#manifests, signal);
    await this.#registration.removeEarlier(this.#manifests, signal);
    if (!this.#endsWithRun || signal.aborted) return;
    this.#keeping = this.#registration.keepAdmission(this.#manifests, signal);
  }

  /**
   * Another authority is registered together with the old one before `present` is called, and alone after that: API servers refuse neither
   * certificate. Never rejects.
   */
  async replace(
    { authorities }: ServedCertificate,
    present: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    const before = this.#authorities;
    const isNew = this.#registers && authorities !== undefined && authorities !== before;
    try {
      if (isNew) {
        this.#authorities = `${before ?? ''}${authorities}`;
        await this.#renew(signal);
        await sleep(this.#parts.runtime, SPREAD_MS, { signal, background: true });
      }
    } catch (error) {
      this.#reportReplacement(error, signal);
    }
    present();
    this.#authorities = authorities;
    try {
      if (isNew) await this.#renew(signal);
    } catch (error) {
      this.#reportReplacement(error, signal);
    }
  }

  /** Removes the registration of admission. Conversions stay. @throws the error of the request. */
  async unregister(signal: AbortSignal | undefined): Promise<void> {
    const call = deriveAbort(signal);
    try {
      await this.#registration.unregister(call.signal);
    } finally {
      call.destroy();
    }
  }

  /** The server stops: removes the registration of admission where it ends with the server, also one that was only begun. Never rejects. */
  async end(): Promise<void> {
    await this.#keeping;
    if (!this.#endsWithRun || !this.#registration.isBegun) return;
    const stop = deriveAbort();
    const timer = this.#parts.runtime.setTimer(UNREGISTER_MS, () => {
      stop.abort();
    });
    try {
      await this.#registration.unregister(stop.signal);
    } catch (error) {
      this.#parts.logger.warn(
        'webhooks: the registration is left behind; delete the webhook configurations',
        { name: this.#parts.options.name, error },
      );
    } finally {
      timer.cancel();
    }
  }

  /** Read at each write: the certificate may have been replaced since the first attempt. */
  readonly #manifests = (): WebhookManifests => this.manifests();

  get #registers(): boolean {
    return this.#parts.options.register ?? true;
  }

  /** Whether the registration of admission is there as long as this server runs, and no longer. */
  get #endsWithRun(): boolean {
    const { service, unregister = service === undefined } = this.#parts.options;
    return this.#registers && unregister;
  }

  async #renew(signal: AbortSignal): Promise<void> {
    await this.#registration.registerConversions(this.#manifests, signal);
    if (!this.#admits || this.#registration.isTaken) return;
    await this.#registration.registerAdmission(this.#manifests, signal);
  }

  #reportReplacement(error: unknown, { aborted }: AbortSignal): void {
    if (aborted) return;
    this.#parts.logger.error('webhooks: the new authority cannot be registered', { error });
  }
}
