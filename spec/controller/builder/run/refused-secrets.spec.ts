import { expect } from 'chai';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import type { ReconcileError } from '../../../../lib/controller/runtime/reconcile-error.ts';
import { errorMessage } from '../../../../lib/kernel/failure/errors.ts';
import { ControllerWorld } from '../controller-world.ts';

const KEY = 'not a key';
const VALUE = 'hunter2/type';
const PROBLEM = `type: Invalid value: [hidden]: field is immutable, data[${KEY}]: Invalid value: [hidden]: `;

describe('a controller whose write of a Secret is refused', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = new ControllerWorld();
  });
  afterEach(() => world.stop());

  const run = async (options: { readonly onError?: (error: ReconcileError) => void }) => {
    const secrets = world.client.resource('v1', 'secrets', { namespace: 'default' });
    const data = { [KEY]: Buffer.from(VALUE).toString('base64') };
    const one = controller(world.client, 'v1', 'secrets', { ...world.options, ...options });
    await world.start(
      one.reconcile(async () => void (await secrets.patch('db', { type: VALUE, data }))),
    );
    await world.after(secrets.create({ metadata: { name: 'db' } }));
  };

  it('logs the fields and the rules, and no value', async () => {
    await run({});
    const log = world.log.join('\n');
    expect(log).to.include(PROBLEM).and.not.include('hunter2');
  });

  it('reports them to the error hook', async () => {
    const texts: string[] = [];
    await run({ onError: (error) => texts.push(errorMessage(error)) });
    expect(texts[0]).to.include(PROBLEM).and.not.include('hunter2');
  });
});
