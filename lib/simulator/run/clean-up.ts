import { Client } from '../../client/rest/client.ts';
import { EventRecorder } from '../../controller/events/event-recorder.ts';
import { GarbageCollector, type ObjectReports } from '../../cluster/garbage/garbage-collector.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../cluster/garbage/owner-graph.ts';
import { namespaceDeletion } from '../../cluster/namespaces/namespace-deletion.ts';
import { silentLogger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import type { Transport } from '../../client/transport/contract/transport.ts';
import { isBackgroundResource } from '../network/request-facts.ts';
import type { Change, ClusterHistory } from '../record/cluster-history.ts';

/** How long the collector takes to see a change, milliseconds. */
const LATENCY_MS = [1, 20] as const;
const FINALIZERS: readonly string[] = [FOREGROUND_FINALIZER, ORPHAN_FINALIZER];

type Handler = Parameters<ObjectReports['addHandler']>[0];

/**
 * The garbage collector and the deletion of namespaces in a run. They start when there is something for them to do, and the collector
 * gets changes from the store in place of informers: most runs need neither, and informers of all resources would take most of the time.
 */
export class CleanUp {
  readonly #transport: Transport;
  readonly #runtime: Runtime;
  readonly #history: ClusterHistory;
  readonly #onBusy: () => void;
  #client: Client | undefined;
  #handler: Handler | undefined;
  #hasNamespaces = false;
  /** Reports arrive in the order of the changes. */
  #lastReportMs = 0;

  constructor(transport: Transport, runtime: Runtime, history: ClusterHistory, onBusy: () => void) {
    this.#transport = transport;
    this.#runtime = runtime;
    this.#history = history;
    this.#onBusy = onBusy;
  }

  /** Looks at the state of the world. */
  start(): void {
    for (const { object } of this.#history.objects()) {
      if (concernsOwners(object.metadata)) this.#collect();
      if (object.kind === 'Namespace' && isGoing(object.metadata)) this.#deleteNamespaces();
    }
  }

  /** A change was committed. */
  committed({ before, after, ref }: Change): void {
    const old = before && this.#history.objectOf(before);
    const now = after && this.#history.objectOf(after);
    if (ref.resource === 'namespaces' && isGoing(now?.metadata)) this.#deleteNamespaces();
    if (this.#handler === undefined) {
      if (concernsOwners(now?.metadata)) this.#collect();
      return;
    }
    const [least, most] = LATENCY_MS;
    const nowMs = this.#runtime.monotonicMs();
    const atMs = nowMs + least + this.#runtime.random() * (most - least);
    this.#lastReportMs = Math.max(this.#lastReportMs, atMs);
    this.#runtime.setTimer(this.#lastReportMs - nowMs, () => {
      // The renewal of a lease keeps no run from being idle.
      if (!isBackgroundResource(ref.resource)) this.#onBusy();
      this.#report(old, now);
    });
  }

  #report(old: KubernetesObject | undefined, now: KubernetesObject | undefined): void {
    const { apiVersion = '', kind = '' } = now ?? old ?? {};
    if (now === undefined) this.#handler?.gone({ apiVersion, kind }, old?.metadata ?? {});
    else this.#handler?.present({ apiVersion, kind }, now.metadata ?? {}, old?.metadata);
  }

  #collect(): void {
    if (this.#handler !== undefined) return;
    const runtime = this.#runtime;
    const client = this.#newClient();
    const reports: ObjectReports = {
      size: 0,
      addHandler: (handler) => {
        this.#handler = handler;
      },
      whenSynced: () => Promise.resolve(),
    };
    const collector = new GarbageCollector({
      client,
      served: { whenKnown: () => Promise.resolve() },
      monitors: reports,
      events: new EventRecorder(client, { controller: 'garbage-collector', runtime }),
      runtime,
      logger: silentLogger,
    });
    for (const { object } of this.#history.objects()) this.#report(undefined, object);
    collector.start();
  }

  #deleteNamespaces(): void {
    if (this.#hasNamespaces) return;
    this.#hasNamespaces = true;
    const client = this.#newClient();
    const fresh = () => client.discovery.resources();
    const deletion = namespaceDeletion({
      client,
      served: { fresh },
      runtime: this.#runtime,
      logger: silentLogger,
    });
    void deletion.run().catch(() => {});
  }

  #newClient(): Client {
    this.#client ??= new Client({
      transport: this.#transport,
      runtime: this.#runtime,
      fieldManager: 'kube-controller-manager',
      onWarning: () => {},
    });
    return this.#client;
  }
}

function concernsOwners(metadata: ObjectMeta | undefined): boolean {
  if ((metadata?.ownerReferences?.length ?? 0) > 0) return true;
  return metadata?.finalizers?.some((one) => FINALIZERS.includes(one)) === true;
}

function isGoing(metadata: ObjectMeta | undefined): boolean {
  return metadata?.deletionTimestamp !== undefined;
}
