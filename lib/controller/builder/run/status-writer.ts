import type { ResourceClient } from '../../../client/rest/resource-client.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sameContent } from '../../../meta/content/same-content.ts';
import { isConflict, isNotFound } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import { setConditions } from '../../helpers/conditions.ts';
import type { ControllerResult } from './controller-result.ts';

/** Writes of conditions that meet a write of another program, before the run counts as a conflict. */
const TRIES = 5;

export interface StatusWrite<T extends KubernetesObject> {
  /** The object that was reconciled. */
  readonly object: Stored<T>;
  /** The object of this name that the cache has now. */
  readonly current: Stored<T> | undefined;
  readonly result: ControllerResult<T>;
  readonly signal: AbortSignal;
}

/** Writes the status and the conditions that a run has returned. */
export class StatusWriter<T extends KubernetesObject> {
  readonly #runtime: Runtime;
  /** Whether conditions of this kind have `observedGeneration`. Otherwise each run would write it again. */
  #observesGeneration = true;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /**
   * As a merge patch: fields of other writers stay. Conditions are one list, so their patch names the version that they are made from,
   * and is made again from the present object when that has changed. An object that is gone needs no status.
   * @throws CONFLICT when the object has changed before each try; NOT_FOUND for a resource without the subresource.
   */
  async write(resource: ResourceClient<T>, write: StatusWrite<T>): Promise<void> {
    const { object, current, result, signal } = write;
    const { status, conditions = [] } = result;
    if (status === undefined && conditions.length === 0) return;
    const { name, uid } = object.metadata;
    try {
      let present = current ?? object;
      for (let tries = 1; present.metadata.uid === uid; tries += 1) {
        try {
          await this.#patch(resource, present, write);
          return;
        } catch (error) {
          if (conditions.length === 0 || !isConflict(error) || tries === TRIES) throw error;
        }
        present = await resource.get(name, { signal });
      }
    } catch (error) {
      if (!isNotFound(error) || error.status.details?.name === undefined) throw error;
    }
  }

  async #patch(
    resource: ResourceClient<T>,
    present: Stored<T>,
    { object, result, signal }: StatusWrite<T>,
  ): Promise<void> {
    const status = this.#statusOf(present, object, result);
    if (hasStatus(present, status)) return;
    const { name, resourceVersion } = present.metadata;
    const versioned = (result.conditions ?? []).length > 0;
    const patch = versioned ? { metadata: { resourceVersion }, status } : { status };
    const options = { type: 'merge', subresource: 'status', signal } as const;
    const answer = await resource.patch(name, patch, options);
    if (dropsGeneration(status, answer)) this.#observesGeneration = false;
  }

  /** The generation is that of the object which was reconciled: the present one may be newer. */
  #statusOf(
    present: Stored<T>,
    { metadata: { generation } }: Stored<T>,
    { status, conditions = [] }: ControllerResult<T>,
  ): object {
    const fields: object = status ?? {};
    if (conditions.length === 0) return fields;
    const seen = this.#observesGeneration ? generation : undefined;
    const object = { ...present, metadata: { ...present.metadata, generation: seen } };
    return { ...fields, conditions: setConditions<T>(object, conditions, this.#runtime.wallMs()) };
  }
}

/** Whether the server has dropped `observedGeneration` from the conditions, because the schema of the kind does not have it. */
function dropsGeneration(written: object, answer: object): boolean {
  const { status } = answer as { readonly status?: unknown };
  const has = (one: unknown): boolean =>
    JSON.stringify((one as Conditions | undefined)?.conditions ?? []).includes(
      '"observedGeneration":',
    );
  return has(written) && !has(status);
}

interface Conditions {
  readonly conditions?: readonly unknown[];
}

/** Whether the merge would change nothing. */
function hasStatus(object: KubernetesObject, status: object): boolean {
  const stored = (object as { readonly status?: unknown }).status;
  return sameContent({ status }, { status: stored }, { ignoreUnset: true });
}
