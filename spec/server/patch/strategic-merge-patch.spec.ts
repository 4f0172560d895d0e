import { expect } from 'chai';
import { isApiError } from '../../../lib/meta/failure/failures.ts';
import type { JsonObject } from '../../../lib/server/http/body/json-tree.ts';
import { builtInTypes } from '../../../lib/meta/types/built-in-types.ts';
import { applyStrategicMergePatch } from '../../../lib/server/patch/strategic-merge-patch.ts';

function patched(target: JsonObject, patch: JsonObject, type: string = 'core.PodSpec'): JsonObject {
  const before = structuredClone(target);
  const result = applyStrategicMergePatch(target, patch, builtInTypes().get(type));
  expect(target).to.deep.equal(before);
  return result;
}

const META = 'meta.ObjectMeta';
const CONTAINER = 'core.Container';
const DEPLOYMENT = 'apps.DeploymentSpec';
const CONTAINERS = {
  containers: [
    { name: 'web', image: 'web:1', env: [{ name: 'A', value: '1' }] },
    { name: 'log', image: 'log:1' },
  ],
};

describe('strategic merge patch', () => {
  it('merges objects and removes nulls like a merge patch', () => {
    const target = { a: { b: 1, c: 2 }, d: 1 };
    const patch = { a: { b: 3, c: null }, d: null };
    expect(applyStrategicMergePatch(target, patch, undefined)).to.deep.equal({ a: { b: 3 } });
  });

  it('merges known lists by key, deeply: the items of the patch in its order, others where they were', () => {
    const patch = {
      containers: [
        { name: 'log', image: 'log:2' },
        { name: 'web', env: [{ name: 'B', value: '2' }] },
        { name: 'new', image: 'new:1' },
      ],
    };
    expect(patched(CONTAINERS, patch)).to.deep.equal({
      containers: [
        { name: 'log', image: 'log:2' },
        {
          name: 'web',
          image: 'web:1',
          env: [
            { name: 'B', value: '2' },
            { name: 'A', value: '1' },
          ],
        },
        { name: 'new', image: 'new:1' },
      ],
    });
    const second = { containers: [{ name: 'log', image: 'log:3' }] };
    expect(patched(CONTAINERS, second)).to.have.nested.property('containers[0].name', 'web');
  });

  it('replaces other lists', () => {
    expect(patched({ args: ['a', 'b'] }, { args: ['c'] }, CONTAINER)).to.deep.equal({
      args: ['c'],
    });
    const tolerations = { tolerations: [{ key: 'a' }] };
    expect(patched(tolerations, { tolerations: [{ key: 'b' }] })).to.deep.equal({
      tolerations: [{ key: 'b' }],
    });
  });

  it('joins lists of plain values without repeating one', () => {
    expect(patched({ finalizers: ['a', 'b'] }, { finalizers: ['b', 'c'] }, META)).to.deep.equal({
      finalizers: ['a', 'b', 'c'],
    });
  });

  it('deletes an item, or all others, by directive', () => {
    const drop = { containers: [{ name: 'web', $patch: 'delete' }] };
    expect(patched(CONTAINERS, drop)).to.deep.equal({
      containers: [{ name: 'log', image: 'log:1' }],
    });
    const only = { containers: [{ $patch: 'replace' }, { name: 'one', image: 'one:1' }] };
    expect(patched(CONTAINERS, only)).to.deep.equal({
      containers: [{ name: 'one', image: 'one:1' }],
    });
  });

  it('replaces or empties an object by directive', () => {
    const target = { nodeSelector: { b: '1' } };
    const other = { nodeSelector: { $patch: 'replace', c: '2' } };
    expect(patched(target, other)).to.deep.equal({ nodeSelector: { c: '2' } });
    const none = { nodeSelector: { $patch: 'delete' } };
    expect(patched(target, none)).to.deep.equal({ nodeSelector: {} });
  });

  it('keeps only the retained keys', () => {
    const patch = { strategy: { $retainKeys: ['type'], type: 'Recreate' } };
    const target = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } };
    const kept = { strategy: { type: 'Recreate' } };
    expect(patched(target, patch, DEPLOYMENT)).to.deep.equal(kept);
    const unnamed = { strategy: { $retainKeys: [], type: 'Recreate' } };
    expect(() => patched(target, unnamed, DEPLOYMENT)).to.throw('format of retainKeys');
  });

  it('deletes plain values from a list', () => {
    const patch = { '$deleteFromPrimitiveList/finalizers': ['a'] };
    expect(patched({ finalizers: ['a', 'b'] }, patch, META)).to.deep.equal({ finalizers: ['b'] });
  });

  it('puts items into the order the patch says, others before the one they stood before', () => {
    const target = { env: [{ name: 'a' }, { name: 'x' }, { name: 'b' }] };
    const patch = {
      '$setElementOrder/env': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
      env: [{ name: 'c' }],
    };
    expect(patched(target, patch, CONTAINER)).to.deep.equal({
      env: [{ name: 'x' }, { name: 'b' }, { name: 'c' }, { name: 'a' }],
    });
  });

  it('takes strategy and key of a list from the type that the list is in', () => {
    const merged: readonly [string, string, JsonObject, JsonObject][] = [
      ['core.ServiceSpec', 'ports', { port: 80, name: 'a' }, { port: 80, targetPort: 2 }],
      [CONTAINER, 'ports', { containerPort: 80, name: 'a' }, { containerPort: 80, hostPort: 2 }],
      [
        CONTAINER,
        'volumeMounts',
        { mountPath: '/a', name: 'a' },
        { mountPath: '/a', subPath: 'b' },
      ],
      ['core.PodSpec', 'hostAliases', { ip: '::1', a: 1 }, { ip: '::1', hostnames: ['b'] }],
      ['core.PodSpec', 'imagePullSecrets', { name: 'a' }, { name: 'a' }],
      ['core.PodSpec', 'volumes', { name: 'a', emptyDir: {} }, { name: 'a', secret: null }],
      ['core.ServiceAccount', 'secrets', { name: 'a', uid: '1' }, { name: 'a', namespace: 'b' }],
      [META, 'ownerReferences', { uid: '1', name: 'a' }, { uid: '1', name: 'b' }],
    ];
    for (const [type, field, item, change] of merged) {
      const both = Object.entries({ ...item, ...change }).filter(([, value]) => value !== null);
      expect(patched({ [field]: [item] }, { [field]: [change] }, type), `${type} ${field}`)
        .property(field)
        .to.deep.equal([Object.fromEntries(both)]);
    }
    const replaced: readonly [string, string][] = [
      ['discovery.EndpointSlice', 'ports'],
      ['discovery.EndpointSlice', 'endpoints'],
      ['core.PodSpec', 'tolerations'],
      ['networking.IngressSpec', 'rules'],
      ['networking.IngressSpec', 'tls'],
      ['core.EndpointSubset', 'addresses'],
      [META, 'managedFields'],
    ];
    for (const [type, field] of replaced) {
      const change = { [field]: [{ b: 2 }] };
      expect(patched({ [field]: [{ a: 1 }] }, change, type), type).to.deep.equal(change);
    }
  });

  it('finds the types of the items of lists and of single members on its way down', () => {
    const target = { spec: { template: { spec: CONTAINERS } } };
    const change = { containers: [{ name: 'log', ports: [{ containerPort: 1 }] }] };
    const result = patched(target, { spec: { template: { spec: change } } }, 'apps.Deployment');
    expect(result)
      .to.have.nested.property('spec.template.spec.containers[1]')
      .that.deep.equals({
        name: 'log',
        image: 'log:1',
        ports: [{ containerPort: 1 }],
      });
  });

  it('replaces an object whose strategy is to replace', () => {
    const spec = { minAvailable: 1, selector: { matchLabels: { a: '1' } } };
    const change = { selector: { matchLabels: { b: '2' } } };
    expect(patched(spec, change, 'policy.PodDisruptionBudgetSpec')).to.deep.equal({
      ...spec,
      ...change,
    });
  });

  it('replaces all lists of an object of unknown type', () => {
    const change = { containers: [{ image: 'x' }] };
    expect(applyStrategicMergePatch(CONTAINERS, change, undefined)).to.deep.equal(change);
  });

  it('leaves out objects with a directive where there is nothing to merge with', () => {
    const containers = [{ name: 'a', $patch: 'replace' }, { name: 'b' }];
    const patch = { nodeSelector: { $patch: 'replace', a: 'b' }, containers };
    expect(patched({}, patch)).to.deep.equal({ containers: [{ name: 'b' }] });
  });

  /** As kube-apiserver 1.36.3 words them. */
  const REFUSED: readonly (readonly [JsonObject, number, string])[] = [
    [{ $patch: 'explode' }, 500, 'unknown patch type: explode in map: map[$patch:explode]'],
    [
      { containers: [{ image: 'x' }] },
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      { containers: [{ $patch: 'merge', name: 'web' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [{ containers: [[]] }, 500, 'list element types are not identical'],
    [{ containers: [null] }, 500, 'list element types are not identical'],
    [{ $setElementOrder: 1 }, 500, 'expected a []interface {}, but received a int64'],
    [{ $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
    [{ $deleteFromPrimitiveList: [] }, 400, 'invalid patch format of primitive list'],
    [{ $retainKeys: 1 }, 400, 'invalid patch format of retainKeys'],
    [
      { '$setElementOrder/containers': [{ name: 'log' }], containers: [{ name: 'web' }] },
      500,
      "doesn't match $setElementOrder list",
    ],
  ];
  for (const [patch, status, message] of REFUSED) {
    it(`refuses ${JSON.stringify(patch)} with ${status}`, () => {
      expect(() => patched(CONTAINERS, patch))
        .to.throw(message)
        .and.satisfy((error: unknown) => isApiError(error) && error.httpStatus === status);
    });
  }

  it('merges long lists with a few looks at each name', () => {
    let looks = 0;
    const items = (value: string): JsonObject[] =>
      Array.from({ length: 50_000 }, (_, index) => ({
        get name() {
          looks += 1;
          return `n${index}`;
        },
        value,
      }));
    const order = Array.from({ length: 50_000 }, (_, index) => ({ name: `n${index}` }));
    const result = patched(
      { env: items('1') },
      { env: items('2').toReversed(), '$setElementOrder/env': order.toReversed() },
      CONTAINER,
    );
    expect((result['env'] as JsonObject[])[0]).to.deep.equal({ name: 'n49999', value: '2' });
    // A search for each of them would be more than a billion.
    expect(looks).to.be.within(100_000, 2_000_000);
  });
});
