import { expect } from 'chai';
import { RegistryHarness, type Verbs } from '../../registry/support/registry-harness.ts';
import { definition, version, widget } from '../widget-definition.ts';

const CRDS = 'apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = 'example.io/v1/widgets';

for (const cached of [false, true]) {
  describe(`SchemaHistory over ${cached ? 'caches' : 'raw storages'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
    });

    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    it('reads objects that are older than the schema by the schema, and does not store them again', async () => {
      const schema = (properties: object): object => ({
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
      });
      const text = { type: 'string' };
      const versions = (properties: object): object[] => [
        version('v1', { schema: schema(properties) }),
        version('v2', { schema: schema(properties) }),
      ];
      await harness.create(
        CRDS,
        definition({ versions: versions({ gone: text, kept: text }) }),
        '',
      );
      await harness.create(WIDGETS, widget('old', { gone: '1', kept: '2' }));
      const before = await harness.get(WIDGETS, 'old');
      const change = (properties: object): Promise<unknown> =>
        harness.update(
          CRDS,
          'widgets.example.io',
          (existing) => ({
            ...existing,
            spec: { ...(existing?.['spec'] as object), versions: versions(properties) },
          }),
          '',
        );
      await change({ kept: text, added: { ...text, default: 'x' } });
      await harness.create(WIDGETS, widget('new', { kept: '3', added: 'y' }));

      const present = { kept: '2', added: 'x' };
      const read = await harness.get(WIDGETS, 'old');
      expect(read).to.have.deep.property('spec', present);
      expect(read.metadata?.resourceVersion).to.equal(before.metadata?.resourceVersion);
      expect(await harness.get('example.io/v2/widgets', 'old')).to.have.deep.property(
        'spec',
        present,
      );
      const specs = async (): Promise<unknown[]> => {
        const listed = harness.rest(WIDGETS).list(harness.context(), {});
        const { items } = await harness.drive(listed);
        return items.map(({ object }) => object['spec']);
      };
      expect(await specs()).to.deep.equal([{ kept: '3', added: 'y' }, present]);

      await change({ kept: text, added: { ...text, default: 'z' } });
      expect(await specs()).to.deep.equal([
        { kept: '3', added: 'y' },
        { kept: '2', added: 'z' },
      ]);
      const late = harness.newRegistry(cached);
      await harness.drive(late.start());
      const again = late.lookup('example.io', 'v1', 'widgets')?.main as Verbs;
      const found = await harness.drive(again.get(harness.context(), 'old', {}));
      expect(found.object).to.have.deep.property('spec', { kept: '2', added: 'z' });
      await harness.drive(late.close());
    });
  });
}
