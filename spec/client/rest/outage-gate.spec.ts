import { expect } from 'chai';
import { OutageGate } from '../../../lib/client/rest/outage-gate.ts';
import { TransportError } from '../../../lib/client/transport/contract/transport-error.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { forbidden } from '../../../lib/meta/failure/failures.ts';

const TARGET = { server: 'http://server', method: 'GET', path: '/api/v1/pods?watch=1' };

const refused = (): TransportError =>
  new TransportError('CONNECTION_REFUSED', TARGET, 'nothing listens there');

interface Turns {
  readonly runtime: VirtualRuntime;
  readonly gate: OutageGate;
  /** Names of those who were let go, with the time. */
  readonly gone: string[];
  readonly ask: (name: string, signal?: AbortSignal) => void;
}

function turns(): Turns {
  const runtime = new VirtualRuntime();
  const gate = new OutageGate({ runtime, server: 'http://server' });
  const gone: string[] = [];
  return {
    runtime,
    gate,
    gone,
    ask: (name, signal = new AbortController().signal) => {
      const note = (): number => gone.push(`${name} ${Math.round(runtime.monotonicMs())}`);
      const turn = gate.turn(signal);
      if (turn === undefined) note();
      else turn.then(note, (error: Error) => gone.push(`${name}: ${error.message}`));
    },
  };
}

describe('OutageGate', () => {
  it('lets all requests pass at once as long as the server answers', async () => {
    const { gate, gone, ask, runtime } = turns();
    for (const name of ['a', 'b', 'c']) ask(name);
    await runtime.settle();
    expect(gone).to.deep.equal(['a 0', 'b 0', 'c 0']);
    expect(gate.waitingFor).to.equal(undefined);
    expect(runtime.pending).to.equal(0);
  });

  it('lets one ask at once when a watch has ended, and the others when it has an answer', async () => {
    const { gate, gone, ask, runtime } = turns();
    await runtime.advance(500);
    gate.doubt();
    for (const name of ['a', 'b', 'c']) ask(name);
    await runtime.advance(100);
    expect(gone).to.deep.equal(['a 500']);
    expect(gate.waitingFor, 'nothing has failed').to.equal(undefined);
    gate.answered();
    await runtime.settle();
    expect(gone).to.deep.equal(['a 500', 'b 600', 'c 600']);
    expect(runtime.pending).to.equal(0);
  });

  it('lets the next one ask after a second when the first has no answer yet', async () => {
    const { gate, gone, ask, runtime } = turns();
    gate.doubt();
    for (const name of ['a', 'b', 'c']) ask(name);
    await runtime.advance(2500);
    expect(gone).to.deep.equal(['a 0', 'b 1000', 'c 2000']);
  });

  it('spaces attempts from one to six seconds while there is no answer, the longest waiter first', async () => {
    const { gate, gone, ask, runtime } = turns();
    gate.failed(refused());
    for (let index = 0; index < 10; index += 1) ask(String(index));
    const atMs: number[] = [];
    for (let passedMs = 0; passedMs < 120_000; passedMs += 10) {
      const before = gone.length;
      await runtime.advance(10);
      if (gone.length === before) continue;
      expect(gone.length).to.equal(before + 1);
      atMs.push(runtime.monotonicMs());
      gate.failed(refused());
      ask(`again ${gone.at(-1)?.split(' ')[0]}`);
    }
    expect(gone.slice(0, 10).map((line) => line.split(' ')[0])).to.deep.equal(
      Array.from({ length: 10 }, (_, index) => String(index)),
    );
    const gaps = atMs.slice(1).map((at, index) => at - atMs[index]!);
    expect(Math.min(atMs[0]!, ...gaps)).to.be.at.least(1000);
    expect(Math.max(...gaps)).to.be.within(4500, 6000);
  });

  it('lets all go within two seconds of an answer, one after the other', async () => {
    const { gate, gone, ask, runtime } = turns();
    gate.failed(refused());
    for (let index = 0; index < 500; index += 1) ask(String(index));
    gate.answered();
    await runtime.advance(1000);
    expect(gone.length).to.be.within(200, 300);
    ask('late');
    await runtime.advance(1010);
    expect(gone).to.have.length(501);
    expect(runtime.pending).to.equal(0);
  });

  it('keeps the remaining waiters when the server goes away again', async () => {
    const { gate, gone, ask, runtime } = turns();
    gate.failed(refused());
    for (let index = 0; index < 100; index += 1) ask(String(index));
    await runtime.advance(500);
    gate.answered();
    await runtime.advance(200);
    const before = gone.length;
    gate.failed(refused());
    await runtime.advance(999);
    expect(gone.length).to.equal(before);
    await runtime.advance(400);
    expect(gone.length).to.equal(before + 1);
  });

  it('counts requests that fail together as one failure', async () => {
    const { gate, gone, ask, runtime } = turns();
    for (let count = 0; count < 20; count += 1) gate.failed(refused());
    ask('a');
    await runtime.advance(1400);
    expect(gone).to.have.length(1);
  });

  it('takes any answer for one, a refusal and an unreadable one included', async () => {
    for (const error of [
      forbidden({ group: '', resource: 'pods' }, '', 'no'),
      new TransportError('MALFORMED_RESPONSE', TARGET, 'it is not JSON'),
    ]) {
      const { gate } = turns();
      gate.failed(refused());
      gate.failed(error);
      expect(gate.waitingFor).to.equal(undefined);
    }
  });

  it('takes a proxy that is down or refuses for a server that does not answer', async () => {
    const { gate, gone, ask, runtime } = turns();
    gate.failed(new TransportError('PROXY', TARGET, 'no tunnel to server:80'));
    for (const name of ['a', 'b']) ask(name);
    await runtime.settle();
    expect(gone).to.deep.equal([]);
    await runtime.advance(2000);
    expect(gone).to.have.length(1);
    gate.answered();
    await runtime.advance(2000);
    expect(gone).to.have.length(2);
    expect(runtime.pending).to.equal(0);
  });

  it('learns nothing from a request that was given up by its owner', () => {
    const { gate } = turns();
    gate.failed(new ListwatchError('CLOSED', 'closed'));
    gate.failed(new Error('something else'));
    expect(gate.waitingFor).to.equal(undefined);
    gate.failed(refused());
    gate.failed(new ListwatchError('ABORTED', 'stopped'));
    expect(gate.waitingFor).to.not.equal(undefined);
  });

  it('says what it waits for, for how long, and how many others wait', async () => {
    const { gate, ask, runtime } = turns();
    gate.failed(refused());
    await runtime.advance(3000);
    ask('a');
    ask('b');
    expect(gate.waitingFor).to.equal(
      'waiting for the server: no answer from http://server for 3 s: nothing listens there; 2 readers take turns',
    );
  });

  it('drops waiters that have left, and leaves no timer', async () => {
    const { gate, gone, ask, runtime } = turns();
    gate.failed(refused());
    const stop = new AbortController();
    ask('a', stop.signal);
    ask('b', AbortSignal.abort(new Error('too late')));
    stop.abort(new Error('stopped'));
    await runtime.settle();
    expect(gone).to.deep.equal(['b: too late', 'a: stopped']);
    expect(runtime.pending).to.equal(0);
  });
});
