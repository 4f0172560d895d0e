import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { compilePrograms } from './definitions/compile-programs.ts';

/** Beside the packages that the program imports. */
const SCRATCH = join(resolve(import.meta.dirname, '../..'), '.tmp', 'compile-messages');

const BEGIN = `import { connect, controller, SharedInformerFactory, WebhookServer } from 'listwatch';
const client = await connect();
const informers = new SharedInformerFactory(client);
const webhooks = new WebhookServer(client, { name: 'a' });
interface Coupon { readonly metadata: { readonly name: string } }
const shop = await connect<{ 'x.io/v1/coupons': Coupon }>();
shop.resource('x.io/v1', 'coupons');
shop.resource('y.io/v1', 'carts');
shop.resource<Coupon>('x.io/v1', 'carts');
shop.resource('x.io/v1' as string, 'carts');
shop.resource('x.io/v1', 'carts' as string);
`;

/** Wrong calls, each one line, with where the compiler points and the end of what it says. */
const WRONG: readonly (readonly [call: string, points: string, says: string])[] = [
  ["informers.for('v1', 'pods', { indexes: {} });", 'indexes', "mean to write 'indexers'?"],
  ["informers.acquire('v1', 'pods', { indexes: {} });", 'indexes', "mean to write 'indexers'?"],
  [
    "informers.for('v1', 'pods', { indexers: { byNode: (pod) => pod.spec?.nodeName ?? '' } });",
    "pod.spec?.nodeName ?? ''",
    "Type 'string' is not assignable to type 'readonly string[]'.",
  ],
  ["client.resource('v1', 'pods', { namespac: 'a' });", 'namespac:', "to write 'namespace'?"],
  ["controller(client, 'v1', 'pods', { labels: 'a' });", 'labels', "in type 'ControllerOptions'."],
  [
    "controller(client, 'v1', 'pods').owns('v1', 'secrets', { indexes: {} });",
    'indexes',
    "mean to write 'indexers'?",
  ],
  [
    "controller(client, 'v1', 'pods').watches('v1', 'secrets', () => [], { indexes: {} });",
    'indexes',
    "mean to write 'indexers'?",
  ],
  [
    "webhooks.validate('v1', 'pods', ({ object }) => object.spec !== undefined);",
    'object.spec !== undefined',
    "Type 'boolean' is not assignable to type 'void | Promise<void>'.",
  ],
  [
    "webhooks.mutate('v1', 'pods', ({ object }) => object.spec !== undefined);",
    'object.spec !== undefined',
    "Type 'boolean' is not assignable to type 'void | object | Promise<void | object>'.",
  ],
  [
    "webhooks.validate('v1', 'pods', ({ deny }) => deny('no'), { operation: ['UPDATE'] });",
    'operation:',
    "mean to write 'operations'?",
  ],
  [
    "shop.resource('x.io/v1', 'coupon');",
    "'coupon'",
    `to parameter of type '"a plural of this API version; another one needs a type argument"'.`,
  ],
  [
    "informers.for('v1', 'pod', { labelSelector: 'a' });",
    "'pod'",
    `to parameter of type '"a plural of this API version; another one needs a type argument"'.`,
  ],
  [
    "webhooks.validate('v1', 'pod', () => {});",
    "'pod'",
    `to parameter of type '"a plural of this API version; another one needs a type argument"'.`,
  ],
  [
    "controller(client, 'v1', 'pods').watches('v1', 'secret', () => []);",
    "'secret'",
    `to parameter of type '"a plural of this API version; another one needs a type argument"'.`,
  ],
];

describe('messages of the compiler', function () {
  // Only a hang reaches this.
  this.timeout(600_000);

  after(() => {
    rmSync(SCRATCH, { recursive: true, force: true });
  });

  it('point at the argument that is wrong: the option, or else the plural', async () => {
    const text = BEGIN + WRONG.map(([call]) => `${call}\n`).join('');
    const said = (await compilePrograms(SCRATCH, { 'wrong.ts': text })).join('\n');
    const errors = said.split(/^(?=\S+\(\d+,\d+\): error)/m).map((error) => error.trim());
    expect(errors).to.have.length(WRONG.length);
    for (const [index, [call, points, says]] of WRONG.entries()) {
      const at = `(${BEGIN.split('\n').length + index},${call.lastIndexOf(points) + 1})`;
      expect(errors[index]).to.include(at);
      expect(errors[index]?.endsWith(says), errors[index]).to.equal(true);
    }
  });
});
