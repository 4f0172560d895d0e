import { expect } from 'chai';
import { InformerEventEmitter } from '../../../../lib/cache/informer/observe/informer-event-emitter.ts';

function setup(): { emitter: InformerEventEmitter; failures: string[] } {
  const failures: string[] = [];
  const emitter = new InformerEventEmitter((error) => {
    failures.push((error as Error).message);
  });
  return { emitter, failures };
}

describe('InformerEventEmitter', () => {
  it('reports a listener that throws or rejects, and calls the other listeners', async () => {
    const { emitter, failures } = setup();
    const seen: string[] = [];
    emitter.on('bookmark', () => {
      throw new Error('thrown');
    });
    emitter.on('bookmark', () => Promise.reject(new Error('rejected')) as never);
    emitter.on('bookmark', (version) => seen.push(version));
    emitter.emit('bookmark', '7');
    expect(seen).to.deep.equal(['7']);
    await new Promise(setImmediate);
    expect(failures).to.deep.equal(['thrown', 'rejected']);
  });

  it('removes what was added, by the function that was given', () => {
    const { emitter } = setup();
    let calls = 0;
    const listener = (): void => {
      calls += 1;
    };
    emitter.on('synced', listener);
    emitter.addListener('synced', listener);
    expect(emitter.listeners('synced')).to.deep.equal([listener, listener]);
    emitter.emit('synced');
    expect(calls).to.equal(2);
    emitter.off('synced', listener);
    emitter.emit('synced');
    expect(calls).to.equal(2);
    expect(emitter.listenerCount('synced')).to.equal(0);
    emitter.on('synced', listener).removeListener('synced', listener).emit('synced');
    expect(calls).to.equal(2);
    emitter.on('stopped', listener).off('stopped').emit('stopped');
    expect(calls).to.equal(2);
  });

  it('calls a listener for once at most once, with its context', () => {
    const { emitter, failures } = setup();
    const context = { calls: 0 };
    function listener(this: { calls: number }): void {
      this.calls += 1;
      throw new Error('once');
    }
    emitter.once('synced', listener, context);
    emitter.emit('synced');
    emitter.emit('synced');
    expect(context.calls).to.equal(1);
    expect(failures).to.deep.equal(['once']);
    emitter.once('synced', listener, context).off('synced', listener).emit('synced');
    expect(context.calls).to.equal(1);
  });

  it('refuses a listener that is not a function', () => {
    const { emitter } = setup();
    expect(() => emitter.on('synced', 'text' as never)).to.throw(TypeError);
  });
});
