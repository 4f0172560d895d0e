import { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { microTime } from '../../../lib/controller/election/lease-record.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { ApiHandler, ApiResponse } from '../../../lib/server/http/api-request.ts';
import type { CustomResourceDefinition, Lease } from '../../../lib/types/index.ts';

export interface Candidate extends KubernetesObject {
  readonly spec?: {
    readonly leaseName: string;
    readonly emulationVersion: string;
    readonly binaryVersion: string;
    readonly strategy: string;
    readonly pingTime?: string;
    readonly renewTime?: string;
  };
}

/** Makes a server serve `leasecandidates`. */
export const CANDIDATES: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'leasecandidates.coordination.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for specs' },
  },
  spec: {
    group: 'coordination.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'leasecandidates', kind: 'LeaseCandidate' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

const FIELDS = ['strategy', 'preferredHolder'] as const;

interface Draft {
  metadata: { annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
}

/**
 * A handler that keeps the fields of a Lease that a coordinator needs, as kube-apiserver does with the feature gate: in annotations of the server
 * behind it, which drops them.
 */
export function keepingStrategy(handler: ApiHandler): ApiHandler {
  return async (request) => {
    if (!request.url.includes('/leases')) return await handler(request);
    const body = request.body.length === 0 ? request.body : stored(request.body);
    const answer = await handler({ ...request, body });
    return { ...answer, body: shownBody(answer.body) };
  };
}

function stored(body: Uint8Array): Uint8Array {
  const lease = JSON.parse(Buffer.from(body).toString()) as Draft;
  lease.metadata ??= {};
  const annotations = { ...lease.metadata.annotations };
  for (const field of FIELDS) {
    const value = lease.spec?.[field];
    if (typeof value === 'string') annotations[`spec/${field}`] = value;
    else delete annotations[`spec/${field}`];
  }
  return Buffer.from(JSON.stringify({ ...lease, metadata: { ...lease.metadata, annotations } }));
}

function shown(text: string): string {
  const value = JSON.parse(text) as { object?: Draft; items?: Draft[] } & Partial<Draft>;
  for (const lease of value.items ?? [value.object ?? value]) {
    for (const field of FIELDS) {
      const kept = lease.metadata?.annotations?.[`spec/${field}`];
      if (kept === undefined) continue;
      delete lease.metadata?.annotations?.[`spec/${field}`];
      lease.spec = { ...lease.spec, [field]: kept };
    }
  }
  return JSON.stringify(value);
}

async function* shownBody(body: ApiResponse['body']): AsyncGenerator<Uint8Array> {
  const pieces = body instanceof Uint8Array ? [body] : body;
  for await (const piece of pieces) {
    const lines = Buffer.from(piece)
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    if (lines.length > 0) yield Buffer.from(`${lines.map(shown).join('\n')}\n`);
  }
}

const ELECTION_MS = 5000;

/** The coordinator of kube-apiserver 1.37 in short: it asks all candidates whether they live, and chooses the oldest version of them. */
export class Coordinator {
  readonly #client: Client;
  readonly #runtime: Runtime;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  constructor(handler: ApiHandler, runtime: Runtime) {
    this.#client = new Client({ transport: inProcessTransport(handler), runtime });
    this.#runtime = runtime;
    this.#running = this.#run();
  }

  get leases(): ResourceClient<Lease> {
    return this.#client.resource<Lease>('coordination.k8s.io/v1', 'leases', {
      namespace: 'default',
    });
  }

  get candidates(): ResourceClient<Candidate> {
    const options = { namespace: 'default' };
    return this.#client.resource<Candidate>(
      'coordination.k8s.io/v1beta1',
      'leasecandidates',
      options,
    );
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await this.#client.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      await this.#step().catch(() => {});
      await sleep(this.#runtime, 500, { signal }).catch(() => {});
    }
  }

  async #step(): Promise<void> {
    const { items } = await this.candidates.list();
    const name = items[0]?.spec?.leaseName;
    if (name === undefined) return;
    const lease = await this.leases.get(name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const nowMs = this.#runtime.wallMs();
    const {
      holderIdentity: holder = '',
      renewTime = '',
      leaseDurationSeconds = 5,
    } = lease?.spec ?? {};
    const isFree = holder === '' || Date.parse(renewTime) + leaseDurationSeconds * 1000 < nowMs;
    if (!isFree && oldest(items)?.metadata.name === holder) return;
    if (!(await this.#haveAnswered(items, nowMs))) return;
    const alive = items.filter(({ spec }) => isWithin(spec?.renewTime, nowMs));
    const best = oldest(alive)?.metadata.name;
    if (best === undefined) return;
    const assigned = {
      holderIdentity: best,
      leaseDurationSeconds: 5,
      renewTime: microTime(nowMs),
      strategy: 'OldestEmulationVersion',
    };
    if (lease === undefined) {
      await this.leases.create({ metadata: { name }, spec: assigned });
    } else if (isFree) {
      const { preferredHolder: _, ...spec } = lease.spec ?? {};
      await this.leases.update({ ...lease, spec: { ...spec, ...assigned } });
    } else if (lease.spec?.preferredHolder !== best) {
      await this.leases.update({ ...lease, spec: { ...lease.spec, preferredHolder: best } });
    }
  }

  /** Whether all candidates have answered, or have had their time for it. */
  async #haveAnswered(items: readonly Stored<Candidate>[], nowMs: number): Promise<boolean> {
    let all = true;
    for (const item of items) {
      const { pingTime = '', renewTime = '' } = item.spec ?? {};
      if (pingTime > renewTime) {
        if (isWithin(pingTime, nowMs)) all = false;
      } else if (!isWithin(renewTime, nowMs)) {
        const spec = { ...item.spec, pingTime: microTime(nowMs) } as NonNullable<Candidate['spec']>;
        await this.candidates.update({ ...item, spec });
        all = false;
      }
    }
    return all;
  }
}

function isWithin(time: string | undefined, nowMs: number): boolean {
  return Date.parse(time ?? '') + ELECTION_MS > nowMs;
}

function oldest(items: readonly Stored<Candidate>[]): Stored<Candidate> | undefined {
  const key = ({ spec, metadata }: Stored<Candidate>): string =>
    `${spec?.emulationVersion} ${spec?.binaryVersion} ${String(metadata.creationTimestamp)} ${metadata.name}`;
  return items.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))[0];
}
