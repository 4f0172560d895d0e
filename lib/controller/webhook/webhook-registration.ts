import type { Client } from '../../client/rest/client.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { Backoff } from '../../kernel/time/backoff.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { isApiError, isNotFound } from '../../meta/failure/failures.ts';
import { ADMISSION, type WebhookManifests } from './webhook-manifests.ts';

export interface RegistrationOptions {
  readonly client: Client;
  readonly name: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** Between two attempts, milliseconds. */
const RETRY = { baseMs: 250, capMs: 5_000 };
/** Reasons that do not pass by themselves. */
const LASTING = ['FORBIDDEN', 'UNAUTHORIZED', 'INVALID', 'BAD_REQUEST', 'METHOD_NOT_ALLOWED'];

/**
 * Writes the registration of webhooks to a cluster: configurations of admission by server-side apply, and `spec.conversion` of definitions.
 *
 * Guarantees: it only writes what the webhooks need, so that other fields of a definition stay with their owners; failures that may pass
 * are tried again until the signal aborts, and so is a definition that is missing.
 */
export class WebhookRegistration {
  readonly #options: RegistrationOptions;
  #waitsFor: string | undefined;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** The pending write, and the reason of its failures so far; undefined while nothing has failed. */
  get waitsFor(): string | undefined {
    return this.#waitsFor;
  }

  /** @throws {ApiError} when the cluster refuses, for example FORBIDDEN with the missing rule. The reason of the signal. */
  async registerConversions({ conversions }: WebhookManifests, signal: AbortSignal): Promise<void> {
    const definitions = this.#client(signal).definitions;
    for (const [name, conversion] of conversions) {
      // A patch, because an apply would create a definition that nothing but this is known of.
      const write = () =>
        definitions.patch(name, { spec: { conversion } }, { type: 'merge', ...this.#manager });
      await this.#untilDone(`the conversion of ${name}`, write, signal);
    }
  }

  /** A configuration of an earlier version of the program that has no webhook any more is deleted. @throws as above. */
  async registerAdmission(
    { validating, mutating }: WebhookManifests,
    signal: AbortSignal,
  ): Promise<void> {
    const clients = this.#client(signal);
    const options = { ...this.#manager, force: true };
    // Defaults come first: a validating webhook must not meet an object that its program would have completed.
    await this.#untilDone(
      'the mutating webhooks',
      async () =>
        mutating === undefined
          ? await this.#deleteOwn(clients.mutating)
          : await clients.mutating.apply(mutating, options),
      signal,
    );
    await this.#untilDone(
      'the validating webhooks',
      async () =>
        validating === undefined
          ? await this.#deleteOwn(clients.validating)
          : await clients.validating.apply(validating, options),
      signal,
    );
  }

  /** Removes the configurations of admission. Conversions stay. */
  async unregister(signal: AbortSignal): Promise<void> {
    const { validating, mutating } = this.#client(signal);
    await this.#deleteOwn(validating);
    await this.#deleteOwn(mutating);
  }

  get #manager(): { readonly fieldManager: string } {
    return { fieldManager: `webhooks-${this.#options.name}` };
  }

  #client(signal: AbortSignal) {
    const { client } = this.#options;
    return {
      validating: client.resource(ADMISSION, 'validatingwebhookconfigurations', { signal }),
      mutating: client.resource(ADMISSION, 'mutatingwebhookconfigurations', { signal }),
      definitions: client.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions', {
        signal,
      }),
    };
  }

  /** Only one that this registration has written; without the right to look it has written none. */
  async #deleteOwn(configurations: Configurations): Promise<void> {
    const { name } = this.#options;
    const { fieldManager } = this.#manager;
    try {
      const { metadata } = await configurations.get(name);
      const managers = (metadata as { managedFields?: readonly { manager?: string }[] })
        .managedFields;
      if (managers?.some(({ manager }) => manager === fieldManager) !== true) return;
      await configurations.delete(name, { ignoreNotFound: true });
    } catch (error) {
      if (!isNotFound(error) && !(isApiError(error) && error.code === 'FORBIDDEN')) throw error;
    }
  }

  async #untilDone(
    what: string,
    write: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const { runtime, logger, name } = this.#options;
    const backoff = new Backoff(runtime, RETRY);
    let reported = '';
    for (;;) {
      try {
        await write();
        this.#waitsFor = undefined;
        return;
      } catch (error) {
        if (signal.aborted || (isApiError(error) && LASTING.includes(error.code))) throw error;
        const problem = `${what} cannot be registered yet: ${errorMessage(error)}`;
        if (problem !== reported) logger.warn('webhooks: registration failed', { name, problem });
        reported = problem;
        this.#waitsFor = problem;
        await sleep(runtime, backoff.step(), { signal });
      }
    }
  }
}

interface Configurations {
  get(name: string): Promise<{ readonly metadata: object }>;
  delete(name: string, options: { readonly ignoreNotFound: true }): Promise<unknown>;
}
