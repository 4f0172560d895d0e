import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { AddedFields } from '../../../lib/meta/fields/added-fields.ts';
import { compareFields, type Comparison } from '../../../lib/meta/fields/compare-fields.ts';
import { emptyObject } from '../../../lib/meta/fields/empty-object.ts';
import { DEDUCED, messageSchema } from '../../../lib/meta/fields/field-schema.ts';
import type { JsonMap } from '../../../lib/meta/fields/list-elements.ts';
import { builtInTypes } from '../../../lib/meta/types/built-in-types.ts';
import type { MessageType } from '../../../lib/meta/types/message-type.ts';

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web' },
    finalizers: ['a', 'b'],
    ownerReferences: [{ uid: '1', name: 'x' }],
  },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
    template: {
      metadata: { creationTimestamp: null, labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'a:1',
            resources: {},
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            env: [{ name: 'A', value: 'b' }],
          },
          { name: 'b', image: 'b:1', resources: { limits: { cpu: '1' } } },
        ],
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ key: 'x' }],
      },
    },
  },
  status: {},
};

const ODD: readonly unknown[] = [null, {}, [], '', 'x', 0, 1, true, ['x'], { app: 'web' }, [{}]];

/** The value with parts left out, replaced or repeated. */
function varied(value: unknown, random: () => number): unknown {
  if (random() < 0.01) return ODD[Math.floor(random() * ODD.length)];
  if (Array.isArray(value)) {
    const items = (value as unknown[]).filter(() => random() > 0.01);
    return items.map((item) => varied(item, random));
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(() => random() > 0.01);
  return Object.fromEntries(kept.map(([name, part]) => [name, varied(part, random)]));
}

/** The result, or the text of the error. */
function outcome<R>(run: () => R): R | string {
  try {
    return run();
  } catch (error) {
    return (error as Error).message;
  }
}

function relevant({ modified, added }: Comparison): object {
  return { modified, added };
}

describe('AddedFields', () => {
  const message = builtInTypes().kind('apps/v1', 'Deployment') as MessageType;
  const typeMeta = { apiVersion: 'apps/v1', kind: 'Deployment' };
  const cases = [
    ['a type', messageSchema(message), { ...typeMeta, ...emptyObject(message) }],
    ['values alone', DEDUCED, typeMeta],
  ] as const;
  for (const [what, schema, empty] of cases) {
    it(`are those of a comparison, by ${what}, whatever the form`, () => {
      const random = seededRandom(7);
      let made = 0;
      const fields = new AddedFields(schema, empty, (all) => {
        made += 1;
        return relevant(all);
      });
      for (let index = 0; index < 4_000; index += 1) {
        const value = varied(DEPLOYMENT, random) as JsonMap;
        const expected = outcome(() => relevant(compareFields(schema, empty, value)));
        expect(
          outcome(() => fields.of(value)),
          JSON.stringify(value),
        ).to.deep.equal(expected);
      }
      expect(made).to.be.below(3_000);
    });
  }

  it('are made once for all values of a form', () => {
    let made = 0;
    const fields = new AddedFields(DEDUCED, {}, () => (made += 1));
    for (let index = 0; index < 10; index += 1) {
      fields.of({ metadata: { name: `n${index}`, labels: { app: 'x' } }, data: { index } });
    }
    expect(made).to.equal(1);
    expect(fields.of({ metadata: { name: 'n' }, data: { other: 1 } })).to.equal(2);
  });

  it('are made once for all values of a part that counts as a whole', () => {
    const event = builtInTypes().kind('v1', 'Event') as MessageType;
    let made = 0;
    const fields = new AddedFields(messageSchema(event), emptyObject(event), () => (made += 1));
    for (const name of ['a', 'b']) fields.of({ involvedObject: { kind: 'Pod', name } });
    expect(made).to.equal(1);
    expect(fields.of({ involvedObject: {} })).to.equal(2);
  });

  it('of a form with a long name are not remembered', () => {
    let made = 0;
    const fields = new AddedFields(DEDUCED, {}, () => (made += 1));
    const long = { data: { ['x'.repeat(300)]: 1 } };
    expect([fields.of(long), fields.of(long)]).to.deep.equal([1, 2]);
  });

  it('forget all forms when there are too many', () => {
    let made = 0;
    const fields = new AddedFields(DEDUCED, {}, () => (made += 1));
    fields.of({ first: 1 });
    for (let index = 0; index < 2_000; index += 1) fields.of({ data: { [`n${index}`]: 1 } });
    fields.of({ first: 1 });
    expect(made).to.equal(2_002);
  });
});
