import { expect } from 'chai';
import { RegistryHarness, rejection } from '../../server/registry/support/registry-harness.ts';

const CLASSES = 'scheduling.k8s.io/v1/priorityclasses';

describe('a priority class', () => {
  let harness: RegistryHarness;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
  });

  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });

  it('is refused as a second default, when it is made and when it is changed', async () => {
    const create = async (name: string, globalDefault: boolean): Promise<unknown> =>
      await harness.create(CLASSES, { metadata: { name }, value: 5, globalDefault });
    await create('first', true);
    const error = await rejection(create('second', true));
    expect(error).to.include({
      code: 'FORBIDDEN',
      message:
        'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass first is already marked as default. Only one default can exist',
    });
    await create('second', false);
    const asDefault = (name: string): Promise<unknown> =>
      harness.update(CLASSES, name, (existing) => ({ ...existing, globalDefault: true }));
    expect((await rejection(asDefault('second'))).code).to.equal('FORBIDDEN');
    await asDefault('first');
  });

  it('keeps its generation when it changes', async () => {
    await harness.create(CLASSES, { metadata: { name: 'a' }, value: 5 });
    await harness.update(CLASSES, 'a', (existing) => ({ ...existing, description: 'text' }));
    const { metadata } = await harness.get(CLASSES, 'a');
    expect(metadata).to.include({ generation: 1 });
  });
});
