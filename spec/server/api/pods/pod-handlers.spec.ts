import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { PodLogLine } from '../../../../lib/server/api/pods/pod-log-bytes.ts';
import { apiRequest, call } from '../support.ts';

const PODS = '/api/v1/namespaces/default/pods';

const pod = (name: string, ...containers: string[]): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: containers.map((one) => ({ name: one, image: 'image' })) },
});

type Read = (path: string) => Promise<{ readonly status: number; readonly text: string }>;

async function withPods(
  run: (server: ApiServer, log: Read, runtime: VirtualRuntime) => Promise<void>,
): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime });
    await call(server.handler, 'POST', PODS, { body: pod('web', 'app') });
    await call(server.handler, 'POST', PODS, { body: pod('two', 'first', 'second') });
    await run(server, (path) => call(server.handler, 'GET', `${PODS}/${path}`), runtime);
  });
}

describe('the handlers of pods', () => {
  it('answer for the log, until they are disposed of', async () => {
    await withPods(async (server, log) => {
      expect((await log('web/log')).status).to.equal(204);
      {
        using _handler = server.pods.handle({ log: () => 'hello\nworld\n' });
        expect(await log('web/log')).to.include({ status: 200, text: 'hello\nworld\n' });
      }
      expect((await log('web/log')).status).to.equal(204);
    });
  });

  it('get the pod and the container; the last one that matches is called', async () => {
    await withPods(async (server, log) => {
      server.pods.handle({
        log: ({ pod: { metadata }, container }) => `${metadata?.name} ${container}`,
      });
      server.pods.handle({ log: () => 'other' }, { match: { name: 'two', container: 'second' } });
      server.pods.handle({ log: () => 'none' }, { match: { namespace: ['a', 'b'] } });
      expect((await log('web/log')).text).to.equal('web app\n');
      expect((await log('two/log?container=first')).text).to.equal('two first\n');
      expect((await log('two/log?container=second')).text).to.equal('other\n');
      expect((await log('two/log?container=third')).status).to.equal(400);
      expect((await log('none/log')).status).to.equal(404);
    });
  });

  it('give lines, of which the server sends those that were asked for', async () => {
    await withPods(async (server, log, runtime) => {
      const nowMs = runtime.wallMs();
      const lines: PodLogLine[] = [
        { text: 'one', timeMs: nowMs - 60_000 },
        { text: 'two', timeMs: nowMs - 30_000 },
        { text: 'three', timeMs: nowMs },
      ];
      server.pods.handle({ log: () => lines });
      const time = new Date(nowMs).toISOString().replace('Z', '000000Z');
      const since = encodeURIComponent(new Date(nowMs - 40_000).toISOString());
      expect((await log('web/log?tailLines=1&timestamps=true')).text).to.equal(`${time} three\n`);
      expect((await log('web/log?tailLines=0')).text).to.equal('');
      expect((await log('web/log?sinceSeconds=45')).text).to.equal('two\nthree\n');
      expect((await log(`web/log?sinceTime=${since}`)).text).to.equal('two\nthree\n');
      expect((await log('web/log?limitBytes=5')).text).to.equal('one\nt');
      expect((await log('web/log?sinceTime=yesterday')).status).to.equal(400);
    });
  });

  it('may have no previous log', async () => {
    await withPods(async (server, log) => {
      server.pods.handle({ log: ({ previous }) => (previous ? undefined : 'now') });
      const { status, text } = await log('web/log?previous=true');
      expect(status).to.equal(400);
      expect(text).to.contain('previous terminated container \\"app\\" in pod \\"web\\" not found');
    });
  });

  it('print more to a client that follows, until it leaves', async () => {
    await withPods(async (server, log) => {
      let left = false;
      const live: AsyncIterable<string> = {
        [Symbol.asyncIterator]: () => {
          let count = 0;
          return {
            next: () => {
              count += 1;
              // After two lines the container prints nothing more, and runs on.
              return count > 2
                ? new Promise(() => {})
                : Promise.resolve({ done: false, value: `live ${count}` });
            },
            return: () => {
              left = true;
              return Promise.resolve({ done: true, value: undefined });
            },
          };
        },
      };
      server.pods.handle({ log: () => ({ lines: ['past'], live }) });
      expect((await log('web/log')).text).to.equal('past\n');
      const { body } = await server.handler(apiRequest('GET', `${PODS}/web/log?follow=true`));
      const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      let text = '';
      for (let piece = 0; piece < 3; piece += 1) {
        text += Buffer.from(((await pieces.next()).value ?? new Uint8Array()) as Uint8Array);
      }
      expect(text).to.equal('past\nlive 1\nlive 2\n');
      const waiting = pieces.next();
      await pieces.return?.();
      expect([(await waiting).done, left]).to.deep.equal([true, true]);
    });
  });

  it('are refused without a function', async () => {
    await using server = new ApiServer({ runtime: new VirtualRuntime() });
    expect(() => server.pods.handle({})).to.throw(
      'give a function "log", "exec", "attach", "portForward" or "http"',
    );
  });
});
