import { expect } from 'chai';
import { tableConvertorOf } from '../../../lib/server/api/verbs/shape.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { valueAt } from '../../../lib/meta/json-value.ts';
import { RegistryHarness, collect, rejection } from '../registry/support/registry-harness.ts';
import { definition, version, widget } from './widget-definition.ts';

const CRDS = 'apiextensions.k8s.io/v1/customresourcedefinitions';
const definitionKey = '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.io';
const WIDGETS = 'example.io/v1/widgets';

for (const cached of [false, true]) {
  describe(`CustomResources over ${cached ? 'caches' : 'raw storages'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
    });

    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    const served = (path: string): boolean => {
      const [group, name, resource] = path.split('/') as [string, string, string];
      return harness.registry.lookup(group, name, resource) !== undefined;
    };
    const removeDefinition = async (): Promise<void> => {
      const removal = harness.rest(CRDS).delete(harness.context(''), 'widgets.example.io', {});
      await harness.drive(removal);
    };

    it('serves a resource as soon as its definition is created', async () => {
      const before = harness.registry.generation;
      const made = await harness.create(CRDS, definition(), '');
      expect(valueAt(made, 'status', 'conditions')).to.equal(null);
      expect(valueAt(made, 'status', 'storedVersions')).to.deep.equal(['v1']);
      expect(harness.registry.generation).to.be.greaterThan(before);
      expect(harness.rest(WIDGETS).describe).to.deep.equal({
        group: 'example.io',
        version: 'v1',
        kind: 'Widget',
        resource: 'widgets',
        namespaced: true,
        shortNames: ['wi'],
        categories: ['all'],
        singular: 'widget',
        listKind: 'WidgetList',
        // The first 8 bytes of the SHA-256 of example.io/v1/Widget.
        storageVersionHash: '1ko09pd2AaU=',
        verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        deprecation: undefined,
      });
      await harness.create(WIDGETS, widget('a'));
      expect(await harness.names(WIDGETS)).to.deep.equal(['a']);
      expect(harness.storageRoots).to.include('/registry/example.io/widgets');
    });

    it('accepts the names of a definition, and then establishes it, each with a write of its own', async () => {
      await harness.create(CRDS, definition(), '');
      await harness.runtime.advance(1000);
      const later = await harness.get(CRDS, 'widgets.example.io', '');
      const conditions = valueAt(later, 'status', 'conditions') as Record<string, string>[];
      expect(conditions.map(({ type, status, reason }) => [type, status, reason])).to.deep.equal([
        ['NamesAccepted', 'True', 'NoConflicts'],
        ['Established', 'True', 'InitialNamesAccepted'],
      ]);
      expect(valueAt(later, 'status', 'acceptedNames')).to.deep.equal(
        valueAt(later, 'spec', 'names'),
      );
    });

    it('checks objects against the schema and names each field', async () => {
      await harness.create(CRDS, definition(), '');
      const spec = { size: 11, colour: 'green', code: 'A1', parts: [{ id: 5 }, {}] };
      const error = await rejection(harness.create(WIDGETS, widget('a', spec)));
      expect(error).to.include({ code: 'INVALID', httpStatus: 422 });
      expect(error.causes.map(({ field, reason }) => `${field} ${reason}`)).to.deep.equal([
        'spec.size FieldValueInvalid',
        'spec.colour FieldValueNotSupported',
        'spec.code FieldValueInvalid',
        'spec.parts[0].id FieldValueTypeInvalid',
        'spec.parts[1].id FieldValueRequired',
      ]);
      const missing = await rejection(harness.create(WIDGETS, widget('a', {})));
      expect(missing.message).to.equal(
        'Widget.example.io "a" is invalid: spec.size: Required value',
      );
    });

    it('fills in defaults and drops what the schema does not know', async () => {
      await harness.create(CRDS, definition(), '');
      const made = await harness.create(WIDGETS, { ...widget('a', { size: 1, odd: 1 }), extra: 1 });
      expect(made['spec']).to.deep.equal({ size: 1, colour: 'red' });
      expect(made).not.to.have.property('extra');
    });

    it('separates status if the definition has the subresource', async () => {
      await harness.create(CRDS, definition(), '');
      const made = await harness.create(WIDGETS, { ...widget('a'), status: { phase: 'x' } });
      expect(made).not.to.have.property('status');
      const updated = await harness.update(`${WIDGETS}/status`, 'a', (existing) => ({
        ...existing,
        metadata: { ...existing?.metadata, labels: { a: 'b' } },
        spec: { size: 9 },
        status: { phase: 'Ready' },
      }));
      expect(updated['status']).to.deep.equal({ phase: 'Ready' });
      expect(valueAt(updated, 'spec', 'size')).to.equal(3);
      expect(updated.metadata).not.to.have.property('labels');
      expect(updated.metadata?.generation).to.equal(1);
    });

    it('serves every version of an object, whichever it was stored in', async () => {
      const versions = [version('v1'), version('v2'), version('v3', { served: false })];
      await harness.create(CRDS, definition({ versions }), '');
      expect(served('example.io/v3/widgets')).to.equal(false);
      const watch = await harness.drive(
        harness.rest('example.io/v2/widgets').watch(harness.context(), {}),
      );
      const seen: unknown[] = [];
      const reading = (async () => {
        for await (const batch of watch) {
          for (const event of batch) {
            if (event.type === 'BOOKMARK') continue;
            const text = new TextDecoder().decode(event.object.bytes);
            seen.push((JSON.parse(text) as { apiVersion: string }).apiVersion);
          }
        }
      })();
      const made = await harness.create('example.io/v2/widgets', {
        ...widget('a'),
        apiVersion: 'example.io/v2',
      });
      expect(made.apiVersion).to.equal('example.io/v2');
      expect((await harness.get(WIDGETS, 'a')).apiVersion).to.equal('example.io/v1');
      const list = harness.rest('example.io/v2/widgets').list(harness.context(), {});
      expect((await harness.drive(list)).items[0]?.object.apiVersion).to.equal('example.io/v2');
      await harness.update('example.io/v2/widgets', 'a', (existing) => {
        expect(existing?.apiVersion).to.equal('example.io/v2');
        return { ...existing, spec: { size: 4 } };
      });
      await harness.runtime.settle();
      watch.destroy();
      await harness.drive(reading);
      expect(seen).to.deep.equal(['example.io/v2', 'example.io/v2']);
    });

    it('gives an object the fields and defaults of the stored version, where no webhook converts', async () => {
      const schema = (properties: object): object => ({
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
      });
      const text = { type: 'string' };
      const versions = [
        version('v1', { schema: schema({ kept: text, added: { ...text, default: 'x' } }) }),
        version('v1beta1', { schema: schema({ kept: text, gone: text }) }),
      ];
      await harness.create(CRDS, definition({ versions }), '');
      const made = await harness.create('example.io/v1beta1/widgets', {
        ...widget('a', { kept: '1', gone: '2' }),
        apiVersion: 'example.io/v1beta1',
      });
      expect(made).to.have.deep.property('spec', { kept: '1', added: 'x' });
      await harness.update('example.io/v1beta1/widgets', 'a', (existing) => ({
        ...existing,
        spec: { kept: '2', gone: '3' },
      }));
      const read = await harness.get(WIDGETS, 'a');
      expect(read).to.have.deep.property('spec', { kept: '2', added: 'x' });
    });

    it('names the newest version instead of a deprecated one', async () => {
      const versions = [
        version('v1'),
        version('v2', { deprecated: true }),
        version('v1beta1', { deprecated: true }),
        version('v3alpha1', { deprecated: true, deprecationWarning: 'gone soon' }),
      ];
      await harness.create(CRDS, definition({ versions }), '');
      const deprecationOf = (name: string): unknown =>
        harness.rest(`example.io/${name}/widgets`).describe.deprecation;
      expect(deprecationOf('v1beta1')).to.equal(
        'example.io/v1beta1 Widget is deprecated; use example.io/v1 Widget',
      );
      expect(deprecationOf('v2')).to.equal('example.io/v2 Widget is deprecated');
      expect(deprecationOf('v3alpha1')).to.equal('gone soon');
    });

    it('takes up changes of a definition', async () => {
      await harness.create(CRDS, definition(), '');
      await harness.create(WIDGETS, widget('a'));
      const versions = [version('v1'), version('v2', { served: true })];
      await harness.update(
        CRDS,
        'widgets.example.io',
        (existing) => ({ ...existing, spec: { ...(existing?.['spec'] as object), versions } }),
        '',
      );
      expect((await harness.get('example.io/v2/widgets', 'a')).apiVersion).to.equal(
        'example.io/v2',
      );
      expect(harness.storageRoots.filter((one) => one.endsWith('widgets'))).to.have.length(1);
    });

    it('deletes the objects with the definition, ends serving and then the watches', async () => {
      await harness.create(CRDS, definition(), '');
      for (const name of ['a', 'b']) await harness.create(WIDGETS, widget(name));
      const watch = await harness.drive(harness.rest(WIDGETS).watch(harness.context(), {}));
      const { seen, ended } = collect(watch);
      await harness.runtime.settle();
      await removeDefinition();
      await harness.runtime.advance(500);
      expect(served(WIDGETS)).to.equal(false);
      expect(await harness.names(CRDS, '')).to.deep.equal([]);
      await harness.drive(ended);
      expect(seen).to.have.members(['ADDED a', 'ADDED b', 'DELETED a', 'DELETED b']);
      const keys = await harness.store.range({
        key: '/registry/example.io/',
        rangeEnd: '/registry/example.io0',
      });
      expect(keys.count).to.equal(0);
    });

    it('refuses creations while the definition goes', async () => {
      await harness.create(CRDS, definition(), '');
      const held = { ...widget('a'), metadata: { name: 'a', finalizers: ['example.io/wait'] } };
      await harness.create(WIDGETS, held);
      await removeDefinition();
      await harness.runtime.advance(1000);
      const error = await rejection(harness.create(WIDGETS, widget('b')));
      expect(error).to.include({ code: 'METHOD_NOT_ALLOWED' });
      // The namespace of a refused creation does not wait for it.
      await harness.create('namespaces', { metadata: { name: 'other' } }, '');
      await rejection(harness.create(WIDGETS, widget('b'), 'other'));
      const deletion = harness.rest('namespaces').delete(harness.context(''), 'other', {});
      await harness.drive(deletion);
      const empty = harness
        .rest('/v1/namespaces/finalize')
        .update(harness.context(''), 'other', (one) => ({ ...one!, spec: { finalizers: [] } }), {
          subresource: 'finalize',
        });
      await harness.drive(empty);
      expect(await harness.names('namespaces', '')).not.to.include('other');
      await harness.update(WIDGETS, 'a', (existing) => ({
        ...existing,
        metadata: { ...existing?.metadata, finalizers: [] },
      }));
      await harness.runtime.advance(10_000);
      expect(served(WIDGETS)).to.equal(false);
    });

    it('waits for a creation that was let in before the deletion', async () => {
      await harness.create(CRDS, definition(), '');
      harness.before = async (verb, key) => {
        if (verb !== 'create' || !key.includes('/widgets/')) return;
        harness.before = () => Promise.resolve();
        await harness.rest(CRDS).delete(harness.context(''), 'widgets.example.io', {});
        await sleep(harness.runtime, 2000);
      };
      await harness.create(WIDGETS, widget('late'));
      await harness.runtime.advance(10_000);
      expect(served(WIDGETS)).to.equal(false);
      const left = { key: '/registry/example.io/', rangeEnd: '/registry/example.io0' };
      expect((await harness.store.range(left)).count).to.equal(0);
    });

    it('can be defined again after it went', async () => {
      for (let round = 0; round < 3; round += 1) {
        await harness.create(CRDS, definition(), '');
        await harness.create(WIDGETS, widget('a'));
        expect(await harness.names(WIDGETS)).to.deep.equal(['a']);
        await removeDefinition();
        await harness.runtime.advance(100);
        expect(served(WIDGETS)).to.equal(false);
      }
    });

    it('is not misled by old news of a definition', async () => {
      harness.watchDelayMs = 1000;
      await harness.create(CRDS, definition(), '');
      const versions = [version('v1'), version('v2')];
      await harness.update(
        CRDS,
        'widgets.example.io',
        (existing) => ({ ...existing, spec: { ...(existing?.['spec'] as object), versions } }),
        '',
      );
      for (let step = 0; step < 10; step += 1) {
        expect(served('example.io/v2/widgets'), `step ${step}`).to.equal(true);
        await harness.runtime.advance(250);
      }
      await removeDefinition();
      while ((await harness.store.range({ key: definitionKey })).count > 0) {
        await harness.runtime.advance(50);
      }
      await harness.create(CRDS, definition(), '');
      for (let step = 0; step < 20; step += 1) {
        expect(served(WIDGETS), `step ${step}`).to.equal(true);
        await harness.runtime.advance(250);
      }
    });

    it('is not misled by old news of one of several definitions that went', async () => {
      harness.watchDelayMs = 1000;
      const all = [{}, { plural: 'gadgets', kind: 'Gadget' }, { plural: 'things', kind: 'Thing' }];
      for (const one of all) await harness.create(CRDS, definition(one), '');
      for (const { plural = 'widgets' } of all) {
        const name = `${plural}.example.io`;
        await harness.drive(harness.rest(CRDS).delete(harness.context(''), name, {}));
      }
      for (let step = 0; step < 60 && served(WIDGETS); step += 1) {
        await harness.runtime.advance(250);
      }
      for (let step = 0; step < 60; step += 1) {
        expect(served(WIDGETS), `step ${step}`).to.equal(false);
        await harness.runtime.advance(250);
      }
    });

    it('lets a definition rest that is established, and one that went', async () => {
      await harness.create(CRDS, definition(), '');
      await harness.runtime.advance(10_000);
      const calls: string[] = [];
      harness.before = (verb) => {
        calls.push(verb);
        return Promise.resolve();
      };
      let timers = 0;
      const setTimer = harness.runtime.setTimer.bind(harness.runtime);
      harness.runtime.setTimer = (...given) => {
        timers += 1;
        return setTimer(...given);
      };
      const counted = async (): Promise<number> => {
        timers = 0;
        await harness.runtime.advance(4000);
        return timers;
      };
      const usual = await counted();
      expect(usual, 'the caches run timers of their own').to.be.at.most(cached ? 200 : 0);
      await removeDefinition();
      await harness.runtime.advance(10_000);
      expect(served(WIDGETS)).to.equal(false);
      expect(calls.filter((verb) => verb === 'watch')).to.deep.equal([]);
    });

    it('gives a contested name to the first definition, and to the next when it is free', async () => {
      await harness.create(CRDS, definition(), '');
      await harness.create(CRDS, definition({ plural: 'gadgets', kind: 'Widget' }), '');
      expect(served('example.io/v1/gadgets')).to.equal(false);
      await removeDefinition();
      await harness.runtime.advance(1000);
      expect(served('example.io/v1/gadgets')).to.equal(true);
    });

    it('gives a name to the next definition when the first one is gone from the storage at once', async () => {
      await harness.create(CRDS, definition(), '');
      await harness.create(CRDS, definition({ plural: 'gadgets', kind: 'Widget' }), '');
      await harness.runtime.advance(1000);
      expect(served('example.io/v1/gadgets')).to.equal(false);
      const success = [{ type: 'delete', key: definitionKey } as const];
      await harness.store.txn({ compare: [], success });
      await harness.runtime.advance(1000);
      expect(served(WIDGETS)).to.equal(false);
      expect(served('example.io/v1/gadgets')).to.equal(true);
    });

    it('serves what other processes define, and what was defined before it started', async () => {
      const other = harness.newRegistry(cached);
      await harness.drive(other.start());
      await harness.create(CRDS, definition(), '');
      await harness.runtime.advance(1000);
      expect(other.lookup('example.io', 'v1', 'widgets')).not.to.equal(undefined);
      await removeDefinition();
      await harness.runtime.advance(2000);
      expect(other.lookup('example.io', 'v1', 'widgets')).to.equal(undefined);
      await harness.create(CRDS, definition(), '');
      const late = harness.newRegistry(cached);
      await harness.drive(late.start());
      expect(late.lookup('example.io', 'v1', 'widgets')).not.to.equal(undefined);
      await harness.drive(Promise.all([other.close(), late.close()]));
    });

    it('warns of rules in a schema that are not enforced', async () => {
      const schema = {
        openAPIV3Schema: {
          type: 'object',
          'x-kubernetes-validations': [{ rule: 'true' }],
          properties: { a: { type: 'array', items: { type: 'string', pattern: '(?P<x>a)' } } },
        },
      };
      await harness.create(CRDS, definition({ versions: [version('v1', { schema })] }), '');
      expect(harness.warnings).to.deep.equal([
        'x-kubernetes-validations: rules in CEL are stored, but not enforced by this server',
      ]);
    });

    it('warns of formats that are not checked, each once and in the order of the fields', async () => {
      const text = { type: 'string', format: 'odd' };
      const schema = {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            a: text,
            b: { type: 'integer', format: 'int32' },
            c: { type: 'integer', format: 'other' },
            d: { type: 'string', format: 'int32' },
          },
        },
      };
      await harness.create(CRDS, definition({ versions: [version('v1', { schema })] }), '');
      expect(harness.warnings).to.deep.equal([
        'unrecognized format "odd"',
        'unrecognized format "other"',
        'unrecognized format "int32"',
      ]);
    });

    it('shows printer columns and offers a scale', async () => {
      const versions = [
        version('v1', {
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'Parts', type: 'string', jsonPath: '.spec.parts[*].id', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
            { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
          ],
          subresources: {
            scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
          },
        }),
      ];
      await harness.create(CRDS, definition({ versions }), '');
      const made = await harness.create(
        WIDGETS,
        widget('a', { size: 2, parts: [{ id: 'x' }, { id: 'y' }] }),
      );
      const table = tableConvertorOf(harness.rest(WIDGETS));
      expect(table.columns.map(({ name, priority }) => `${name} ${priority}`)).to.deep.equal([
        'Name 0',
        'Size 0',
        'Parts 1',
        'Age 0',
        'Phase 0',
      ]);
      expect(table.cells(made, harness.runtime.wallMs() + 65_000)).to.deep.equal([
        'a',
        2,
        'x,y',
        '65s',
        null,
      ]);
      const scaled = await harness.update(`${WIDGETS}/scale`, 'a', (scale) => ({
        ...scale,
        spec: { replicas: 5 },
      }));
      expect(scaled).to.deep.include({
        kind: 'Scale',
        spec: { replicas: 5 },
        status: { replicas: 0 },
      });
      expect(valueAt(await harness.get(WIDGETS, 'a'), 'spec', 'size')).to.equal(5);
    });

    it('can be selected by the fields a version declares', async () => {
      const versions = [version('v1', { selectableFields: [{ jsonPath: '.spec.colour' }] })];
      await harness.create(CRDS, definition({ versions }), '');
      await harness.create(WIDGETS, widget('a', { size: 1, colour: 'blue' }));
      await harness.create(WIDGETS, widget('b', { size: 1, colour: 'red' }));
      const found = await harness.drive(
        harness.rest(WIDGETS).list(harness.context(), { fieldSelector: 'spec.colour=blue' }),
      );
      expect(found.items.map(({ metadata }) => metadata.name)).to.deep.equal(['a']);
    });

    for (const [title, broken, field] of [
      ['a name that is not plural.group', { metadata: { name: 'x' } }, 'metadata.name'],
      [
        'no storage version',
        { spec: { versions: [version('v1', { storage: false })] } },
        'spec.versions',
      ],
      [
        'two storage versions',
        { spec: { versions: [version('v1'), version('v2', { storage: true })] } },
        'spec.versions',
      ],
      [
        'two versions of one name',
        { spec: { versions: [version('v1'), version('v1', { storage: false })] } },
        'spec.versions',
      ],
      [
        'no schema',
        { spec: { versions: [version('v1', { schema: {} })] } },
        'spec.versions[0].schema.openAPIV3Schema',
      ],
      ['another scope', { spec: { scope: 'Global' } }, 'spec.scope'],
      [
        'a webhook conversion without a client',
        { spec: { conversion: { strategy: 'Webhook' } } },
        'spec.conversion.webhookClientConfig',
      ],
      ['a group without a dot', { spec: { group: 'apps' } }, 'spec.group'],
    ] as const) {
      it(`refuses a definition with ${title}`, async () => {
        const whole = definition() as { metadata: object; spec: object };
        const { metadata = {}, spec = {} } = broken as { metadata?: object; spec?: object };
        const body = {
          metadata: { ...whole.metadata, ...metadata },
          spec: { ...whole.spec, ...spec },
        };
        const error = await rejection(harness.create(CRDS, body, ''));
        expect(error).to.include({ code: 'INVALID' });
        expect(error.causes.map((cause) => cause.field)).to.include(field);
      });
    }
  });
}
