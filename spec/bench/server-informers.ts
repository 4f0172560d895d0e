import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import type { ListerWatcher } from '../../lib/cache/reflector/contract/lister-watcher.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import type { ObjectView } from '../../lib/meta/object-view.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import { sharedClockMs } from './bench.ts';
import type { Served } from './server-served.ts';

/** Informers of one collection, each with a cache and a handler that counts, as controllers that only enqueue keys. */
export class InformerCrowd {
  readonly #informers: SharedIndexInformer<UnstructuredObject>[] = [];
  readonly #stops: (() => Promise<void>)[] = [];
  #events = 0;
  #target = Number.POSITIVE_INFINITY;
  #reached = (): void => {};

  /** @param share whether they run on one watch and one cache */
  async open({ url, token }: Served, count: number, share: boolean = true): Promise<void> {
    const client = await connect({ server: url, token });
    this.#stops.push(() => client.close());
    await this.follow(count, share, () =>
      client.listerWatcher({ apiVersion: 'v1', resource: 'configmaps' }),
    );
  }

  async follow(
    count: number,
    share: boolean,
    listerWatcher: () => ListerWatcher<ObjectView<UnstructuredObject>>,
  ): Promise<void> {
    const started: Promise<unknown>[] = [];
    for (let index = 0; index < count; index += 1) {
      const informer = new SharedIndexInformer<UnstructuredObject>({
        listerWatcher: listerWatcher(),
        share,
      });
      informer.addHandler({
        view: 'lazy',
        onAdd: () => {
          this.#events += 1;
          if (this.#events >= this.#target) this.#reached();
        },
      });
      this.#informers.push(informer);
      void informer.run().catch(() => {});
      started.push(informer.whenSynced({ timeoutMs: 60_000 }));
    }
    await Promise.all(started);
  }

  /** Resolves with the time, by `sharedClockMs`, when all informers together have notified of `events` additions. */
  async until(events: number): Promise<number> {
    if (this.#events < events) {
      await new Promise<void>((resolve) => {
        this.#target = events;
        this.#reached = resolve;
      });
    }
    return sharedClockMs();
  }

  /** Objects in the caches, from the fullest and the emptiest: equal when none missed anything. */
  sizes(): readonly [number, number] {
    const sizes = this.#informers.map(({ indexer }) => indexer.keys().length);
    return [Math.min(...sizes), Math.max(...sizes)];
  }

  async close(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.close()));
    for (const stop of this.#stops) await stop();
  }
}
