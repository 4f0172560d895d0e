import { expect } from 'chai';
import { ChangeReader } from '../../../../lib/cache/informer/changes/change-reader.ts';
import { resolveChangesOptions } from '../../../../lib/cache/informer/changes/changes-options.ts';
import type { LazyEventHandler } from '../../../../lib/cache/informer/handlers/event-handler.ts';
import type { HandlerRegistration } from '../../../../lib/cache/informer/handlers/handler-registration.ts';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { pod, type Pod } from '../../support/objects.ts';

/** A reader of an informer whose every step the spec takes. */
class SlowStart {
  readonly runtime = new VirtualRuntime();
  readonly log: string[] = [];
  readonly #synced = deferred<void>();
  readonly #registration = {
    name: 'changes',
    synced: false,
    pending: 0,
    whenSynced: (): Promise<void> => this.#synced.promise,
    remove: (): void => {},
  };
  #handler: LazyEventHandler<Pod> | undefined;

  constructor() {
    const reader = new ChangeReader<Pod>(
      {
        name: 'pods',
        runtime: this.runtime,
        events: { once: () => undefined, off: () => undefined },
        addHandler: (handler) => {
          this.#handler = handler as LazyEventHandler<Pod>;
          return this.#registration as unknown as HandlerRegistration;
        },
      },
      resolveChangesOptions({ markSynced: true }),
    );
    void this.#follow(reader);
  }

  add(name: string, initial: boolean): void {
    const [object, key] = [pod(name), `shop/${name}`];
    const lazy = { key, metadata: object.metadata, object } as unknown as Parameters<
      NonNullable<LazyEventHandler<Pod>['onAdd']>
    >[0];
    this.#handler?.onAdd?.(lazy, { key, initial, origin: 'other' });
  }

  sync(): void {
    this.#registration.synced = true;
    this.#synced.resolve();
  }

  async #follow(reader: ChangeReader<Pod>): Promise<void> {
    for (;;) {
      const { done, value } = await reader.next();
      if (done === true || value === undefined) return;
      this.log.push(value.type === 'synced' ? value.type : value.key);
    }
  }
}

describe('ChangeReader', () => {
  it('does not end the state at the start where it has read all that has come of it', async () => {
    const informer = new SlowStart();
    informer.add('a', true);
    await informer.runtime.settle();
    expect(informer.log).to.deep.equal(['shop/a']);
    informer.add('b', true);
    await informer.runtime.settle();
    informer.sync();
    await informer.runtime.settle();
    expect(informer.log).to.deep.equal(['shop/a', 'shop/b', 'synced']);
  });

  it('ends it before a change that follows in the same task', async () => {
    const informer = new SlowStart();
    informer.add('a', true);
    informer.sync();
    informer.add('b', false);
    await informer.runtime.settle();
    expect(informer.log).to.deep.equal(['shop/a', 'synced', 'shop/b']);
  });
});
