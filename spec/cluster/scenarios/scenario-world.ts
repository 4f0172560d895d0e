import type { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { isApiError, isConflict, isNotFound } from '../../../lib/meta/failure/failures.ts';
import type { OwnerReference, UnstructuredObject } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';

export type Json = Readonly<Record<string, unknown>>;

/** An object of any kind. */
export interface Thing extends UnstructuredObject {
  readonly [field: string]: unknown;
}

export type Found = Stored<Thing>;

export interface ScenarioPlace {
  readonly client: Client;
  readonly runtime: Runtime;
  /** Of this scenario alone; it exists. */
  readonly namespace: string;
  /** The API group of the custom resources `gadgets`, with namespaces, and `globes`, without. */
  readonly group: string;
}

export const GIVE_UP_MS = 90_000;
/** A state that has not changed for this time is final. It is longer than the pauses of both garbage collectors. */
export const QUIET_MS = 4000;
const LOOK_EVERY_MS = 250;

/** A finalizer that only the scenario removes. */
export const HOLD = 'scenario.example.com/hold';

/** The tools of a scenario: a cluster, and a namespace of its own. */
export class ScenarioWorld {
  readonly client: Client;
  readonly namespace: string;
  readonly group: string;
  readonly #runtime: Runtime;

  constructor({ client, runtime, namespace, group }: ScenarioPlace) {
    this.client = client;
    this.namespace = namespace;
    this.group = group;
    this.#runtime = runtime;
  }

  /** The verbs of a resource, given as `v1/configmaps`. Without a namespace of its own: that of the scenario. */
  of(place: string, namespace: string | undefined = this.namespace): ResourceClient<Thing> {
    const cut = place.lastIndexOf('/');
    const resource = place.slice(cut + 1);
    return this.client.resource<Thing>(place.slice(0, cut), resource, { namespace });
  }

  /** The verbs of a resource without namespaces. */
  global(place: string): ResourceClient<Thing> {
    const cut = place.lastIndexOf('/');
    return this.client.resource<Thing>(place.slice(0, cut), place.slice(cut + 1));
  }

  async map(name: string, owners: readonly OwnerReference[] = [], more: Json = {}): Promise<Found> {
    const metadata = { name, ownerReferences: owners, ...more };
    return await this.of('v1/configmaps').create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }

  async gadget(name: string, owners: readonly OwnerReference[] = []): Promise<Found> {
    const apiVersion = `${this.group}/v1`;
    const metadata = { name, ownerReferences: owners };
    return await this.of(`${apiVersion}/gadgets`).create({ apiVersion, kind: 'Gadget', metadata });
  }

  async gone(place: string, name: string, namespace?: string): Promise<boolean> {
    try {
      await this.of(place, namespace).get(name);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  async untilGone(name: string, place: string = 'v1/configmaps'): Promise<void> {
    await this.until(`${name} is gone`, () => this.gone(place, name));
  }

  /** Waits until an object of the scenario is in a state. */
  async untilIs(
    name: string,
    condition: (found: Found) => boolean,
    place: string = 'v1/configmaps',
  ): Promise<Found> {
    let found: Found | undefined;
    await this.until(`${name} is as expected`, async () => {
      try {
        found = await this.of(place).get(name);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return false;
      }
      return condition(found);
    });
    return found as Found;
  }

  async until(what: string, condition: () => Promise<boolean>): Promise<void> {
    const giveUpAtMs = this.#runtime.monotonicMs() + GIVE_UP_MS;
    while (!(await condition())) {
      if (this.#runtime.monotonicMs() > giveUpAtMs) throw new Error(`never: ${what}`);
      await this.sleep(LOOK_EVERY_MS);
    }
  }

  get nowMs(): number {
    return this.#runtime.monotonicMs();
  }

  get wallMs(): number {
    return this.#runtime.wallMs();
  }

  async sleep(ms: number): Promise<void> {
    await sleep(this.#runtime, ms);
  }

  /** Removes the finalizer of the scenario. */
  async release(name: string, place: string = 'v1/configmaps'): Promise<void> {
    await this.until(`${name} is released`, async () => {
      const { metadata } = await this.of(place).get(name);
      const { finalizers = [] } = metadata as { readonly finalizers?: readonly string[] };
      const { resourceVersion } = metadata;
      const left = finalizers.filter((one) => one !== HOLD);
      try {
        await this.of(place).patch(name, { metadata: { resourceVersion, finalizers: left } });
        return true;
      } catch (error) {
        if (!isConflict(error)) throw error;
        return false;
      }
    });
  }

  /** The remaining objects of these resources in the namespace, once they do not change any more. */
  async left(...places: readonly string[]): Promise<unknown> {
    const look = async (): Promise<string> => {
      const lists = await Promise.all(
        (places.length === 0 ? ['v1/configmaps'] : places).map((place) => this.of(place).list()),
      );
      const all = lists.flatMap(({ items }) => items.map(summary));
      const own = all.filter(({ name }) => name !== 'kube-root-ca.crt');
      return JSON.stringify(own.toSorted((one, other) => (one.name < other.name ? -1 : 1)));
    };
    let last = '';
    let sinceMs = this.#runtime.monotonicMs();
    const giveUpAtMs = sinceMs + GIVE_UP_MS;
    for (;;) {
      const now = await look();
      const nowMs = this.#runtime.monotonicMs();
      if (now !== last) [last, sinceMs] = [now, nowMs];
      if (nowMs - sinceMs > QUIET_MS) return JSON.parse(now);
      if (nowMs > giveUpAtMs) throw new Error('never: the objects are left alone');
      await this.sleep(LOOK_EVERY_MS);
    }
  }
}

export function ownedBy(
  { apiVersion, kind, metadata }: Found,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more };
}

/** The fields of an object that matter to garbage collection. */
export function summary({ metadata }: Thing): Json & { readonly name: string } {
  const { name = '', ownerReferences = [], finalizers = [], deletionTimestamp } = metadata ?? {};
  return {
    name,
    owners: ownerReferences.map((one) => `${one.kind} ${one.name} ${one.blockOwnerDeletion}`),
    finalizers,
    goes: deletionTimestamp !== undefined,
  };
}

/** The answer of a call that may be refused. */
export async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (!isApiError(error)) throw error;
    const { reason, message, details } = error.status;
    return { reason, message, causes: details?.causes };
  }
}
