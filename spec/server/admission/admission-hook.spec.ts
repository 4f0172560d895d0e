import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { forbidden } from '../../../lib/meta/failure/failures.ts';
import type { AdmissionHook } from '../../../lib/server/admission/admission-hook.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { call, type Call } from '../api/support.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

type Send = (method: string, url: string, body?: object) => Promise<Call>;

async function withHooks(
  admission: readonly AdmissionHook[],
  run: (send: Send) => Promise<void>,
): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime, admission });
    await run((method, url, body) =>
      call(
        server.handler,
        method,
        url,
        body === undefined ? {} : { body, headers: headersOf(method) },
      ),
    );
  });
}

function headersOf(method: string): Readonly<Record<string, string>> {
  return method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
}

const map = (name: string, data: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const isMap: AdmissionHook['matches'] = ({ resource }) => resource === 'configmaps';

describe('admission hooks of this process', () => {
  it('change an object before it is checked, in their order', async () => {
    const set = (value: string): AdmissionHook => ({
      name: value,
      matches: isMap,
      mutate(request) {
        request.object = { ...request.object, data: { last: value } };
      },
    });
    await withHooks([set('first'), set('second')], async (send) => {
      const { status, json } = await send('POST', MAPS, map('a'));
      expect([status, json()['data']]).to.deep.equal([201, { last: 'second' }]);
    });
  });

  it('refuse with 403 and their name, or with an error of their own', async () => {
    const hooks: AdmissionHook[] = [
      {
        name: 'policy',
        matches: isMap,
        validate({ name }) {
          if (name === 'plain') throw new Error('not today');
          if (name === 'own') throw forbidden({ group: '', resource: 'configmaps' }, name, 'mine');
        },
      },
    ];
    await withHooks(hooks, async (send) => {
      const said = async (name: string): Promise<unknown> => {
        const { status, json } = await send('POST', MAPS, map(name));
        return [status, json()['message']];
      };
      expect(await said('plain')).to.deep.equal([
        403,
        'admission hook "policy" denied the request: not today',
      ]);
      expect(await said('own')).to.deep.equal([403, 'configmaps "own" is forbidden: mine']);
      expect(await said('fine')).to.deep.equal([201, undefined]);
    });
  });

  it('see the old object of updates and deletions, and no request that they do not match', async () => {
    const seen: unknown[] = [];
    const hook: AdmissionHook = {
      name: 'watcher',
      matches: ({ resource, operation }) => resource === 'configmaps' && operation !== 'CREATE',
      validate({ operation, name, object, oldObject, dryRun }) {
        seen.push([operation, name, object?.['data'], oldObject?.['data'], dryRun]);
      },
    };
    await withHooks([hook], async (send) => {
      await send('POST', MAPS, map('a', { x: '1' }));
      await send('PUT', `${MAPS}/a`, map('a', { x: '2' }));
      await send('DELETE', `${MAPS}/a?dryRun=All`);
      await send('DELETE', MAPS);
    });
    expect(seen).to.deep.equal([
      ['UPDATE', 'a', { x: '2' }, { x: '1' }, false],
      ['DELETE', 'a', undefined, { x: '2' }, true],
      ['DELETE', '', undefined, { x: '2' }, false],
    ]);
  });

  it('are refused without a name or a function that matches', () => {
    for (const hook of [{ name: '', matches: isMap }, { name: 'x' }]) {
      expect(() => new ApiServer({ admission: [hook as AdmissionHook] }))
        .to.throw('admission: each hook needs a name, and matches')
        .with.property('code', 'INVALID_OPTION');
    }
  });

  it('run again when a concurrent write makes an update start anew', async () => {
    const seen: unknown[] = [];
    let compete: (() => Promise<unknown>) | undefined;
    const hook: AdmissionHook = {
      name: 'slow',
      matches: ({ resource, operation }) => resource === 'configmaps' && operation === 'UPDATE',
      async mutate({ oldObject }) {
        seen.push(oldObject?.['data'] ?? {});
        const first = compete;
        compete = undefined;
        await first?.();
      },
    };
    await withHooks([hook], async (send) => {
      await send('POST', MAPS, map('a'));
      const add = async (name: string): Promise<Call> =>
        await send('PATCH', `${MAPS}/a`, { data: { [name]: '1' } });
      compete = async () => await add('other');
      expect((await add('mine')).json()['data']).to.deep.equal({ mine: '1', other: '1' });
    });
    expect(seen).to.deep.equal([{}, {}, { other: '1' }]);
  });

  it('do not see what the server itself does', async () => {
    const seen: string[] = [];
    const all: AdmissionHook = {
      name: 'all',
      matches: () => true,
      validate({ target, name, operation }) {
        seen.push(`${operation} ${target.resource} ${name}`);
      },
    };
    await withHooks([all], async (send) => {
      await send('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop' },
      });
    });
    expect(seen).to.deep.equal(['CREATE namespaces shop']);
  });
});
