import { expect } from 'chai';
import { RegistryHarness, configMap, rejection } from '../support/registry-harness.ts';

for (const cached of [false, true]) {
  describe(`createObject over ${cached ? 'a cache' : 'the raw storage'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
    });

    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    it('replaces the system fields a client sends', async () => {
      const body = configMap('a', { x: '1' });
      const metadata = {
        ...body.metadata,
        uid: 'mine',
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 4,
        selfLink: '/x',
      };
      const created = await harness.create('configmaps', { ...body, metadata });
      expect(created.metadata).to.have.all.keys(
        'name',
        'namespace',
        'uid',
        'creationTimestamp',
        'managedFields',
        'resourceVersion',
      );
      expect(created.metadata?.uid).to.match(/^[0-9a-f-]{36}$/);
      expect(created.metadata?.creationTimestamp).to.equal('2024-01-01T00:00:00Z');
    });

    it('takes the namespace from the request and refuses another one', async () => {
      const created = await harness.create('configmaps', configMap('a'), 'kube-public');
      expect(created.metadata?.namespace).to.equal('kube-public');
      const body = { ...configMap('b'), metadata: { name: 'b', namespace: 'default' } };
      const error = await rejection(harness.create('configmaps', body, 'kube-public'));
      expect(error).to.include({ code: 'BAD_REQUEST' });
    });

    it('draws five letters for generateName', async () => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'web-' } };
      const { metadata } = await harness.create('configmaps', body);
      expect(metadata?.name).to.match(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(metadata?.generateName).to.equal('web-');
    });

    for (const [taken, outcome] of [
      [7, 'the eighth name'],
      [8, 'a refusal'],
    ] as const) {
      it(`answers with ${outcome} when the first ${taken} generated names are taken`, async () => {
        const UUID_DRAWS = 5;
        const NAME_DRAWS = 5;
        let draws = 0;
        harness.runtime.random = (): number => {
          draws += 1;
          return draws <= UUID_DRAWS + taken * NAME_DRAWS ? 0 : 0.999;
        };
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'w' } };
        await harness.create('configmaps', configMap('wbbbbb'));
        draws = 0;
        const creating = harness.create('configmaps', body);
        if (taken === 7) {
          expect((await creating).metadata?.name).to.equal('w99999');
          return;
        }
        const error = await rejection(creating);
        expect(error).to.include({ code: 'ALREADY_EXISTS', retryAfterMs: 1000 });
        expect(error.message).to.contain('was not able to generate a unique name');
      });
    }

    it('does not draw again when something else fails', async () => {
      const keys: string[] = [];
      harness.before = (verb, key) => {
        if (verb !== 'create') return Promise.resolve();
        keys.push(key);
        return Promise.reject(new Error('no storage'));
      };
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'w' } };
      const error = await rejection(harness.create('configmaps', body));
      expect(error).to.include({ code: 'INTERNAL_ERROR' });
      expect(keys).to.have.length(1);
    });

    it('refuses a name that is taken', async () => {
      await harness.create('configmaps', configMap('a'));
      const error = await rejection(harness.create('configmaps', configMap('a')));
      expect(error).to.include({ code: 'ALREADY_EXISTS', httpStatus: 409 });
      expect(error.message).to.equal('configmaps "a" already exists');
    });

    it('says so when the name is taken by an object that is being deleted', async () => {
      const body = configMap('a');
      const metadata = { name: 'a', finalizers: ['example.io/wait'] };
      await harness.create('configmaps', { ...body, metadata });
      await harness.drive(harness.rest('configmaps').delete(harness.context(), 'a', {}));
      const error = await rejection(harness.create('configmaps', body));
      expect(error.message).to.equal('object is being deleted: configmaps "a" already exists');
    });

    it('names every broken field in one answer', async () => {
      const body = { ...configMap('Not_A_Name', { 'a b': 'x' }), binaryData: { 'c d': '' } };
      const error = await rejection(harness.create('configmaps', body));
      expect(error).to.include({ code: 'INVALID', httpStatus: 422 });
      expect(error.causes.map(({ field }) => field)).to.deep.equal([
        'metadata.name',
        'data[a b]',
        'binaryData[c d]',
      ]);
      expect(error.status.details?.kind).to.equal('ConfigMap');
    });

    it('refuses a resource version with the text tools look for', async () => {
      const body = { ...configMap('a'), metadata: { name: 'a', resourceVersion: '5' } };
      const error = await rejection(harness.create('configmaps', body));
      expect(error.message).to.contain(
        'resourceVersion should not be set on objects to be created',
      );
    });

    // Recorded at kube-apiserver 1.36.3, for built-in and custom resources.
    it('keeps the resource version of a request on a dry run', async () => {
      const rest = harness.rest('configmaps');
      for (const resourceVersion of ['5', '0', 'abc']) {
        const body = { ...configMap('a'), metadata: { name: 'a', resourceVersion } };
        const dry = await harness.drive(rest.create(harness.context(), body, { dryRun: true }));
        expect(dry.resourceVersion).to.equal(resourceVersion);
      }
    });

    it('writes nothing on a dry run, and still checks', async () => {
      const { rest } = { rest: harness.rest('configmaps') };
      const dry = await harness.drive(
        rest.create(harness.context(), configMap('a'), { dryRun: true }),
      );
      expect(dry.metadata.uid).to.be.a('string');
      expect(dry.resourceVersion).to.equal('');
      expect(await harness.names('configmaps')).to.deep.equal([]);
      await harness.create('configmaps', configMap('a'));
      const again = rest.create(harness.context(), configMap('a'), { dryRun: true });
      expect(await rejection(again)).to.include({ code: 'ALREADY_EXISTS' });
    });

    it('survives metadata of the wrong types', async () => {
      for (const metadata of [
        5,
        [],
        { name: 5 },
        { name: 'a', labels: 'x' },
        { name: 'a', labels: { a: 1 } },
        { name: 'a', finalizers: 'x' },
        { name: 'a', generation: 'x' },
      ]) {
        const error = await rejection(harness.create('configmaps', { metadata }));
        expect(error, JSON.stringify(metadata)).to.include({ code: 'BAD_REQUEST' });
      }
    });

    it('refuses an object nested deeper than 200 levels', async () => {
      let data: unknown = 'x';
      for (let depth = 0; depth < 100_000; depth += 1) data = { data };
      const error = await rejection(
        harness.create('configmaps', { metadata: { name: 'a' }, data }),
      );
      expect(error).to.include({ code: 'BAD_REQUEST' });
    });

    it('keeps a key called __proto__ as data', async () => {
      const body = JSON.parse('{"metadata":{"name":"a"},"data":{"__proto__":"x"}}') as object;
      await harness.create('configmaps', body);
      const { data } = await harness.get('configmaps', 'a');
      expect(Object.keys(data as object)).to.deep.equal(['__proto__']);
      expect(({} as { x?: unknown }).x).to.equal(undefined);
    });
  });
}
