import type { SharedIndexInformerOptions } from '../../../lib/cache/informer/options/informer-options.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { connect, type ConnectOptions } from '../../../lib/client/rest/connect.ts';
import { errorMessage, isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { HasMetadata, KubernetesObject } from '../../../lib/meta/object.ts';
import type { BadHandler } from '../fault.ts';
import { pause } from '../world/exchange.ts';
import { COLLECTION, NAMESPACE } from '../world/server-history.ts';
import type { Contestant, ContestantKind, Deliveries, Delivery } from './contestant.ts';

/** The options of an informer in a run; none, unless time is short. */
export interface ListwatchTuning {
  readonly informer?: Partial<SharedIndexInformerOptions<KubernetesObject>> | undefined;
  readonly client?: ConnectOptions | undefined;
}

/** This package's informer, with no code around it but handlers that record their notifications. */
export function listwatch({ informer, client }: ListwatchTuning = {}): ContestantKind {
  return {
    name: 'listwatch',
    start: async (target) => {
      const { server, token, badHandler } = target;
      const connection = await connect({ server, token, ...client });
      return new ListwatchContestant(connection, badHandler, informer);
    },
  };
}

class ListwatchContestant implements Contestant {
  readonly name = 'listwatch';
  readonly survives = true;
  readonly #client: Client;
  readonly #informer: SharedIndexInformer<KubernetesObject>;
  readonly #running: Promise<void>;
  readonly #objects: Delivery[] = [];
  readonly #keys: Delivery[] = [];
  readonly #errors: string[] = [];
  readonly #letGo = new AbortController();
  #relists = 0;
  #watches = 0;

  constructor(
    client: Client,
    badHandler: BadHandler | undefined,
    options: ListwatchTuning['informer'],
  ) {
    this.#client = client;
    this.#informer = new SharedIndexInformer<KubernetesObject>({
      listerWatcher: client.listerWatcher<KubernetesObject>(COLLECTION, { namespace: NAMESPACE }),
      // The story has its messages.
      logger: silentLogger,
      ...options,
    });
    const { events } = this.#informer;
    events.on('relist', () => (this.#relists += 1));
    events.on('transition', ({ to }) => {
      if (to === 'watching') this.#watches += 1;
    });
    events.on('watch-error', (error) => {
      this.#errors.push(isListwatchError(error) ? error.code : errorMessage(error));
    });
    // The bad one comes first: it must not stand in the way of the others.
    if (badHandler !== undefined) this.#addBadHandler(badHandler);
    this.#addObservers();
    this.#running = this.#informer.run();
  }

  cache(): ReadonlyMap<string, string> {
    const keys = this.#informer.indexer.keys();
    return new Map(
      keys.map((key) => [key, this.#informer.indexer.get(key)?.metadata?.resourceVersion ?? '']),
    );
  }

  deliveries(): readonly Deliveries[] {
    return [
      { handler: 'objects', notified: this.#objects },
      { handler: 'keys', notified: this.#keys },
    ];
  }

  story(): string {
    const { synced, waitingFor, reflector, lastError } = this.#informer.inspect();
    const parts = countEach(this.#errors);
    if (this.#relists > 0) parts.push(`listed again ${times(this.#relists)}`);
    else if (this.#watches > 1) parts.push('went on where it was');
    else parts.push(parts.length === 0 ? 'nothing broke' : 'then one watch');
    if (!synced) parts.push(`waits for ${waitingFor}`);
    else if (reflector !== 'watching') parts.push(`now ${reflector}: ${lastError?.message}`);
    return parts.join('; ');
  }

  async close(): Promise<void> {
    this.#letGo.abort();
    await this.#informer.close();
    await this.#running;
    await this.#client.close();
  }

  #addObservers(): void {
    const saw = (
      into: Delivery[],
      type: Delivery['type'],
      key: string,
      { metadata }: HasMetadata,
    ): void => {
      into.push({ type, key, resourceVersion: metadata?.resourceVersion ?? '' });
    };
    const objects = this.#objects;
    this.#informer.addHandler({
      onAdd: (object, { key }) => saw(objects, 'add', key, object),
      onUpdate: (_old, object, { key }) => saw(objects, 'update', key, object),
      onDelete: (object, { key }) => saw(objects, 'delete', key, object),
    });
    const keys = this.#keys;
    this.#informer.addHandler({
      view: 'metadata',
      onAdd: (item) => saw(keys, 'add', item.key, item),
      onUpdate: (_old, item) => saw(keys, 'update', item.key, item),
      onDelete: (item) => saw(keys, 'delete', item.key, item),
    });
  }

  #addBadHandler(kind: BadHandler): void {
    const misbehave = (): unknown => {
      if (kind === 'throws') throw new Error('the handler has a bug');
      if (kind === 'slow') return pause(20);
      const { signal } = this.#letGo;
      // Let go when all is over, so that the informer can be closed.
      return new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
    };
    this.#informer.addHandler({ onAdd: misbehave, onUpdate: misbehave, onDelete: misbehave });
  }
}

/** Codes in words, as `2× connection failed`. */
function countEach(errors: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const error of errors) counts.set(error, (counts.get(error) ?? 0) + 1);
  return [...counts].map(([error, count]) => {
    const words = error.toLowerCase().replaceAll('_', ' ');
    return count === 1 ? words : `${count}× ${words}`;
  });
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
