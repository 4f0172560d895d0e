import { expect } from 'chai';
import { valueAt } from '../../../../lib/meta/json-value.ts';
import { RegistryHarness, rejection } from '../../registry/support/registry-harness.ts';
import { definition, version, widget } from '../widget-definition.ts';

const CRDS = 'apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = 'example.io/v1/widgets';

// As kube-apiserver 1.36.3 answers it.
describe('a custom resource with a status that has a default', () => {
  let harness: RegistryHarness;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
    const phase = { type: 'string', default: 'Old' };
    const openAPIV3Schema = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { size: { type: 'integer' } } },
        status: { type: 'object', default: { phase: 'New' }, properties: { phase } },
      },
    };
    const one = version('v1', { schema: { openAPIV3Schema }, subresources: { status: {} } });
    await harness.create(CRDS, definition({ versions: [one] }), '');
  });

  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });

  const phaseOf = (object: object): unknown => valueAt(object, 'status', 'phase');

  it('has it from the start, for any status of a client', async () => {
    expect(phaseOf(await harness.create(WIDGETS, widget('a')))).to.equal('New');
    const sent = { ...widget('b'), status: { phase: 'Mine' } };
    expect(phaseOf(await harness.create(WIDGETS, sent))).to.equal('New');
  });

  it('keeps its status over an update, and has the default again when its status is removed', async () => {
    await harness.create(WIDGETS, widget('a'));
    const status = async (path: string, given: object): Promise<unknown> => {
      const update = harness.update(path, 'a', (one) => {
        const { status: _status, ...others } = one as Record<string, unknown>;
        return { ...others, ...given };
      });
      return phaseOf(await update);
    };
    expect(await status(`${WIDGETS}/status`, { status: { phase: 'Set' } })).to.equal('Set');
    expect(await status(WIDGETS, {})).to.equal('Set');
    expect(await status(`${WIDGETS}/status`, {})).to.equal('New');
  });

  it('is not created by an update', async () => {
    const update = harness.update(WIDGETS, 'missing', () => widget('missing') as never);
    expect(await rejection(update)).to.include({ code: 'NOT_FOUND' });
  });
});
