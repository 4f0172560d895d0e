import { expect } from 'chai';
import { ObjectMask, type MaskChoice } from '../../../lib/meta/masking/object-mask.ts';

function masked(object: object, choice?: MaskChoice): unknown {
  const json = Buffer.from(JSON.stringify(object));
  return JSON.parse(new ObjectMask('spec', choice).apply(json).toString('utf8'));
}

const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'a',
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'aGlkZGVu', other: 'stays' },
  },
  data: { password: 'aGlkZGVu', __proto__: 'x' },
  stringData: { token: 'hidden' },
  type: 'Opaque',
};

describe('ObjectMask', () => {
  it('masks the values of Secrets, also in the annotation of kubectl apply, and leaves the rest', () => {
    expect(masked(SECRET)).to.deep.equal({
      ...SECRET,
      metadata: {
        name: 'a',
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': 'masked',
          other: 'stays',
        },
      },
      data: { password: 'bWFza2Vk' },
      stringData: { token: 'masked' },
    });
  });

  it('tells Secrets from objects that begin as they do, in any order', () => {
    const kinds = ['Secret', 'SecretX', 'Secre', 'Pod', 'Secret', 'Pod', 'Secret'];
    for (const kind of [...kinds, ...kinds]) {
      const object = { kind, data: { a: 'aGlkZGVu' } };
      const a = kind === 'Secret' ? 'bWFza2Vk' : 'aGlkZGVu';
      expect(masked(object), kind).to.deep.equal({ kind, data: { a } });
      expect(masked({ apiVersion: 'v1', ...object }), kind).to.deep.include({ data: { a } });
    }
  });

  it('finds a Secret whose kind is written with escapes', () => {
    const json = Buffer.from('{"kind":"\\u0053ecret","data":{"a":"aGlkZGVu"}}');
    expect(new ObjectMask('spec').apply(json).toString('utf8')).not.to.include('aGlkZGVu');
  });

  it('returns the same bytes for an object in which nothing is masked', () => {
    const json = Buffer.from('{"kind":"Pod","spec":{"nodeName":"Secret"}}');
    expect(new ObjectMask('spec').apply(json)).to.equal(json);
    const secret = Buffer.from(JSON.stringify(SECRET));
    expect(new ObjectMask('spec', 'nothing').apply(secret)).to.equal(secret);
  });

  it('masks named fields through arrays with values of the same types, and Secrets too', () => {
    const pod = {
      kind: 'Pod',
      spec: { containers: [{ name: 'a', env: [{ name: 'A', value: 'hidden' }] }], priority: 7 },
      status: { conditions: { ready: true, text: ['hidden', null] } },
    };
    const paths = ['spec.containers.env.value', 'spec.priority', 'status.conditions', 'spec.no.no'];
    expect(masked(pod, paths)).to.deep.equal({
      kind: 'Pod',
      spec: { containers: [{ name: 'a', env: [{ name: 'A', value: 'masked' }] }], priority: 0 },
      status: { conditions: { ready: false, text: ['masked', null] } },
    });
    expect(JSON.stringify(masked(SECRET, paths))).not.to.include('aGlkZGVu');
  });

  it('does not follow names of the prototype', () => {
    const object = { kind: 'Pod', spec: {} };
    expect(masked(object, ['spec.__proto__.polluted', 'constructor.name'])).to.deep.equal(object);
    expect(Object.hasOwn(Object.prototype, 'polluted')).to.equal(false);
  });

  it('refuses what is no choice', () => {
    for (const choice of ['all', [''], ['a..b'], [7], 7, null]) {
      expect(() => new ObjectMask('record', choice as MaskChoice), String(choice))
        .to.throw('record: option "mask" must be')
        .with.property('code', 'INVALID_OPTION');
    }
  });
});
