import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ProgressRequest } from '../../../lib/server/etcd/etcd-watch.ts';

describe('a request for progress', () => {
  let runtime: VirtualRuntime;
  let log: string[];
  let request: ProgressRequest;
  beforeEach(() => {
    runtime = new VirtualRuntime();
    log = [];
    const note = (what: string) => (): void => {
      log.push(`${what} ${runtime.monotonicMs()}`);
    };
    request = new ProgressRequest({ runtime, ask: note('ask'), onSilence: note('silence') });
  });

  it('asks at once, and again each tenth of a second until there is an answer', async () => {
    request.start();
    await runtime.advance(250);
    expect(log).to.deep.equal(['ask 0', 'silence 100', 'ask 100', 'silence 200', 'ask 200']);
    request.stop();
    await runtime.advance(1000);
    expect(log).to.have.length(5);
    expect(runtime.pending).to.equal(0);
  });

  it('asks a new stream at once when a caller still waits, and not otherwise', async () => {
    request.ask();
    expect(log).to.deep.equal([]);
    request.start();
    await runtime.advance(50);
    request.ask();
    await runtime.advance(100);
    expect(log).to.deep.equal(['ask 0', 'ask 50', 'silence 150', 'ask 150']);
    request.stop();
  });

  it('ends with the answer that came while it looked for one', async () => {
    const seen: number[] = [];
    const looking = new ProgressRequest({
      runtime,
      ask: () => seen.push(runtime.monotonicMs()),
      onSilence: () => {
        looking.stop();
      },
    });
    looking.start();
    await runtime.advance(1000);
    expect(seen).to.deep.equal([0]);
  });
});
