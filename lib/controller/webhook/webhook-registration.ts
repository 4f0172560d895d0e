import type { Client } from '../../client/rest/client.ts';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { Backoff } from '../../kernel/time/backoff.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { isApiError, isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { ObjectMeta } from '../../meta/object.ts';
import type { WebhookClientConfig } from '../../types/built-in/admissionregistration-v1-kinds.ts';
import { ADMISSION, type WebhookManifests, type Whole } from './webhook-manifests.ts';

export interface RegistrationOptions {
  readonly client: Client;
  readonly name: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** Between two attempts, milliseconds. */
const RETRY = { baseMs: 250, capMs: 5_000 };
/** Between two looks at a registration that ends with the program, milliseconds. */
const LOOK_EVERY_MS = 3_000;
/** Reasons that do not pass by themselves. */
const LASTING = ['FORBIDDEN', 'UNAUTHORIZED', 'INVALID', 'BAD_REQUEST', 'METHOD_NOT_ALLOWED'];

/**
 * Writes the registration of webhooks to a cluster: configurations of admission by server-side apply, and `spec.conversion` of definitions.
 *
 * Guarantees: it only writes what the webhooks need, so that other fields of a definition stay with their owners; failures that may pass
 * are tried again until the signal aborts, and so is a definition that is missing. Of two servers with one name, neither removes at its end
 * what the other has registered.
 */
export class WebhookRegistration {
  readonly #options: RegistrationOptions;
  #waitsFor: string | undefined;
  /** At which this registration was written last. */
  #address: string | undefined;
  /** The address of another server that has this registration now. */
  #takenBy: string | undefined;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** The pending write, and the reason of its failures so far; undefined while nothing has failed. */
  get waitsFor(): string | undefined {
    return this.#waitsFor;
  }

  /** Whether a write of admission has been sent. */
  get isBegun(): boolean {
    return this.#address !== undefined;
  }

  /**
   * `manifests` is read before each attempt.
   * @throws {ApiError} when the cluster refuses, for example FORBIDDEN with the missing rule. The reason of the signal.
   */
  async registerConversions(
    manifests: () => Pick<WebhookManifests, 'conversions'>,
    signal: AbortSignal,
  ): Promise<void> {
    const definitions = this.#client(signal).definitions;
    for (const name of manifests().conversions.keys()) {
      // A patch, because an apply would create a definition that nothing but this is known of.
      const write = (): Promise<unknown> => {
        const spec = { conversion: manifests().conversions.get(name) };
        return definitions.patch(name, { spec }, { type: 'merge', ...this.#manager });
      };
      await this.#untilDone(`the conversion of ${name} cannot be registered yet`, write, signal);
    }
  }

  /** @throws as above. */
  async registerAdmission(manifests: () => Admission, signal: AbortSignal): Promise<void> {
    const { validating, mutating } = this.#client(signal);
    // Defaults come first: a validating webhook must not meet an object that its program would have completed.
    await this.#untilDone(
      'the mutating webhooks cannot be registered yet',
      () => this.#write(mutating, manifests().mutating),
      signal,
    );
    await this.#untilDone(
      'the validating webhooks cannot be registered yet',
      () => this.#write(validating, manifests().validating),
      signal,
    );
  }

  /** Deletes a configuration of an earlier version of the program that has no such webhook any more. @throws as above. */
  async removeEarlier(manifests: () => Admission, signal: AbortSignal): Promise<void> {
    const clients = this.#client(signal);
    const { validating, mutating } = manifests();
    const remove = async (): Promise<void> => {
      if (mutating === undefined) await this.#deleteOwn(clients.mutating);
      if (validating === undefined) await this.#deleteOwn(clients.validating);
    };
    await this.#untilDone('webhooks of earlier versions cannot be removed yet', remove, signal);
  }

  /**
   * Looks again and again at the registration of admission, until the signal aborts: one that is gone is written again, because another
   * server of this name may have removed it. One that has another address is left, and reported.
   */
  async keepAdmission(manifests: () => Admission, signal: AbortSignal): Promise<void> {
    const { runtime, logger, name } = this.#options;
    let reported = '';
    while (!signal.aborted) {
      try {
        await sleep(runtime, LOOK_EVERY_MS, { signal, background: true });
        await this.#lookAtAdmission(manifests(), signal);
        reported = '';
      } catch (error) {
        if (signal.aborted) return;
        const problem = errorMessage(error);
        if (problem !== reported) {
          logger.warn('webhooks: the registration cannot be checked', { name, problem });
        }
        reported = problem;
      }
    }
  }

  /** Whether another server has this registration. */
  get isTaken(): boolean {
    return this.#takenBy !== undefined;
  }

  /** @throws {ListwatchError} code NAME_TAKEN while another server has this registration. */
  check(): void {
    if (this.#takenBy === undefined) return;
    const { name } = this.#options;
    throw new ListwatchError(
      'NAME_TAKEN',
      `the webhooks of this server are not called: ${this.#takenBy} has registered itself as ${name}; give each server another name, or all replicas one "service"`,
    );
  }

  /** Removes the configurations of admission. Conversions stay. */
  async unregister(signal: AbortSignal): Promise<void> {
    const { validating, mutating } = this.#client(signal);
    await this.#deleteOwn(validating, this.#address);
    await this.#deleteOwn(mutating, this.#address);
  }

  async #lookAtAdmission(manifests: Admission, signal: AbortSignal): Promise<void> {
    const { logger, name } = this.#options;
    const clients = this.#client(signal);
    const validating = await stateOf(manifests.validating, clients.validating);
    const mutating = await stateOf(manifests.mutating, clients.mutating);
    const states = [validating, mutating];
    const address = states.find((state) => state !== 'own' && state !== 'gone');
    if (address !== undefined && address !== this.#takenBy) {
      logger.warn(
        'webhooks: another server has registered itself by this name; give each another name, or one service',
        { name, address },
      );
    }
    this.#takenBy = address;
    if (address !== undefined || !states.includes('gone')) return;
    logger.warn('webhooks: the registration is gone, and is written again', { name });
    if (mutating === 'gone') await this.#write(clients.mutating, manifests.mutating);
    if (validating === 'gone') await this.#write(clients.validating, manifests.validating);
  }

  async #write<T extends Configuration>(
    configurations: Configurations<T>,
    own: Whole<T> | undefined,
  ): Promise<void> {
    if (own === undefined) return;
    this.#address = addressOf(own);
    await configurations.apply(own, { ...this.#manager, force: true });
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

  /**
   * Only one that this registration has written, and that still has the address, if one is given. Without the right to look it has written
   * none.
   */
  async #deleteOwn(configurations: Written, address?: string): Promise<void> {
    const { name } = this.#options;
    const { fieldManager } = this.#manager;
    try {
      const found = await configurations.get(name);
      const { resourceVersion, managedFields } = found.metadata as ManagedMeta;
      if (managedFields?.some(({ manager }) => manager === fieldManager) !== true) return;
      if (address !== undefined && addressOf(found, address) !== address) return;
      // Another server may write its address between the two requests.
      await configurations.delete(name, { preconditions: { resourceVersion } });
    } catch (error) {
      if (isConflict(error)) await this.#deleteOwn(configurations, address);
      else if (!isNotFound(error) && !(isApiError(error) && error.code === 'FORBIDDEN'))
        throw error;
    }
  }

  /** `delayed`: that it is not done yet, for the log. */
  async #untilDone(
    delayed: string,
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
        const problem = `${delayed}: ${errorMessage(error)}`;
        if (problem !== reported) logger.warn('webhooks: registration failed', { name, problem });
        reported = problem;
        this.#waitsFor = problem;
        await sleep(runtime, backoff.step(), { signal });
      }
    }
  }
}

type Admission = Pick<WebhookManifests, 'validating' | 'mutating'>;

interface Configuration {
  readonly webhooks?: readonly Hook[] | undefined;
}

interface Hook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
}

type ManagedMeta = ObjectMeta & { readonly managedFields?: readonly { manager?: string }[] };

/** The calls for configurations that were written. */
interface Written {
  get(name: string): Promise<Configuration & { readonly metadata: ObjectMeta }>;
  delete(
    name: string,
    options: { readonly preconditions: { readonly resourceVersion: string | undefined } },
  ): Promise<unknown>;
}

interface Configurations<T extends Configuration> extends Written {
  apply(
    own: Whole<T>,
    options: { readonly fieldManager: string; readonly force: true },
  ): Promise<unknown>;
}

/** The first address that is not the expected one, else the expected one. */
function addressOf(
  configuration: Configuration | undefined,
  expected?: string,
): string | undefined {
  const addresses = configuration?.webhooks?.map(({ clientConfig: { url, service } }) =>
    url === undefined ? `service ${service?.namespace}/${service?.name}` : new URL(url).origin,
  );
  return addresses?.find((address) => address !== expected) ?? expected;
}

/** Of the configuration that the own one was written to; the address of another server otherwise. */
async function stateOf(
  own: Whole<Configuration> | undefined,
  configurations: Written,
): Promise<'own' | 'gone' | (string & {})> {
  if (own === undefined) return 'own';
  try {
    const found = await configurations.get(own.metadata.name);
    const address = addressOf(own);
    const other = addressOf(found, address);
    if (other !== undefined && other !== address) return other;
    const names = new Set(found.webhooks?.map(({ name }) => name));
    return own.webhooks?.every(({ name }) => names.has(name)) === false ? 'gone' : 'own';
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}
