import type { Client } from '../../client/rest/client.ts';
import type { ResourceClient } from '../../client/rest/resource-client.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { ConfigMap } from '../../types/built-in/core-v1-kinds.ts';

const NAMESPACE = 'kube-system';
const NAME = 'kube-apiserver-legacy-service-account-token-tracking';
/** Servers of a cluster that disagree about tracking do not fight over the config map more often than this. */
const CREATE_EVERY_MS = 30 * 60_000;

export interface TokenTrackingOptions {
  readonly client: Client;
  readonly runtime: Runtime;
}

/**
 * The config map that says since when the use of tokens of secrets is tracked. A controller reads it before it deletes a token that
 * seems unused.
 * @see kubernetes pkg/controlplane/controller/legacytokentracking/controller.go @ v1.37.2
 */
export class TokenTracking {
  readonly #runtime: Runtime;
  readonly #maps: ResourceClient<ConfigMap>;
  #createdMs = -Infinity;

  constructor({ client, runtime }: TokenTrackingOptions) {
    this.#runtime = runtime;
    this.#maps = client.resource('v1', 'configmaps', { namespace: NAMESPACE, traced: false });
  }

  /** Creates the config map if it is missing, and replaces a date that cannot be read. @throws {ApiError} */
  async keep(signal: AbortSignal): Promise<void> {
    const since = new Date(this.#runtime.wallMs()).toISOString().slice(0, 10);
    try {
      const found = await this.#find(signal);
      if (found === undefined) await this.#create(since, signal);
      else if (!isDate(found.data?.['since'])) {
        await this.#maps.update({ ...found, data: { ...found.data, since } }, { signal });
      }
    } catch (error) {
      // Another server was faster.
      if (!isAlreadyExists(error) && !isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async #create(since: string, signal: AbortSignal): Promise<void> {
    const nowMs = this.#runtime.monotonicMs();
    if (nowMs - this.#createdMs < CREATE_EVERY_MS) return;
    await this.#maps.create({ metadata: { name: NAME }, data: { since } }, { signal });
    this.#createdMs = nowMs;
  }

  async #find(signal: AbortSignal): Promise<Stored<ConfigMap> | undefined> {
    try {
      return await this.#maps.get(NAME, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** A day that exists, as `2006-01-02`. */
function isDate(text: string | undefined): boolean {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
