import { expect } from 'chai';
import {
  ObjectMask,
  type MaskChoice,
  type MaskedResource,
} from '../../../lib/meta/masking/object-mask.ts';

const SECRETS = { apiVersion: 'v1', resource: 'secrets' };
const PODS = { apiVersion: 'v1', resource: 'pods' };
const WIDGETS = { apiVersion: 'example.com/v1', resource: 'widgets' };
/** Where they are not known. */
const UNKNOWN = undefined;

function maskedText(json: string, of?: MaskedResource, choice?: MaskChoice): string {
  return new ObjectMask('spec', choice).of(of).apply(Buffer.from(json)).toString('utf8');
}

function masked(object: object, of?: MaskedResource, choice?: MaskChoice): unknown {
  return JSON.parse(maskedText(JSON.stringify(object), of, choice));
}

const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'a',
    labels: { app: 'web' },
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': 'aGlkZGVu',
      'kubernetes.io/service-account.name': 'default',
    },
  },
  data: { password: 'aGlkZGVu' },
  stringData: { token: 'hidden' },
  type: 'Opaque',
};
const MASKED = {
  ...SECRET,
  metadata: {
    ...SECRET.metadata,
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': 'masked',
      'kubernetes.io/service-account.name': 'default',
    },
  },
  data: { password: 'bWFza2Vk' },
  stringData: { token: 'masked' },
};
const VALUES = /aGlkZGVu|hidden/;

describe('ObjectMask', () => {
  for (const of of [SECRETS, PODS, WIDGETS, UNKNOWN]) {
    it(`masks the values of a Secret of ${of?.resource ?? 'an unknown resource'}, and leaves the rest`, () => {
      expect(masked(SECRET, of)).to.deep.equal(MASKED);
    });
  }

  it('masks Secrets without a kind, by the resource that was asked for', () => {
    const { kind: _, apiVersion: __, ...bare } = SECRET;
    const { kind: ___, apiVersion: ____, ...maskedBare } = MASKED;
    for (const of of [SECRETS, UNKNOWN]) expect(masked(bare, of)).to.deep.equal(maskedBare);
  });

  for (const kind of ['SECRET', 'secret', 'SecretList', 'Pod', 'ConfigMap', '', 7, null]) {
    it(`masks Secrets that say they are ${JSON.stringify(kind)}`, () => {
      for (const of of [SECRETS, UNKNOWN]) {
        const shown = typeof kind === 'number' ? 0 : kind;
        expect(masked({ ...SECRET, kind }, of)).to.deep.equal({ ...MASKED, kind: shown });
      }
    });
  }

  for (const data of [
    ['hidden', ['hidden']],
    'hidden',
    { a: { b: 'hidden' } },
    [{ a: 'hidden' }],
  ]) {
    it(`masks values that come as ${JSON.stringify(data)}`, () => {
      for (const of of [SECRETS, UNKNOWN]) {
        for (const field of ['data', 'stringData']) {
          const text = JSON.stringify(masked({ ...SECRET, [field]: data }, of));
          expect(text, `${field} of ${of?.resource}`).not.to.match(VALUES);
        }
      }
    });
  }

  it('masks numbers and flags by others', () => {
    for (const of of [SECRETS, UNKNOWN]) {
      expect(masked({ ...SECRET, data: 918_273, stringData: true }, of)).to.deep.include({
        data: 0,
        stringData: false,
      });
      expect(masked({ ...SECRET, data: null }, of)).to.deep.include({ data: null });
    }
  });

  it('masks all annotations of a Secret but those of Kubernetes that name something', () => {
    const annotations = {
      'kapp.k14s.io/original': '{"data":{"a":"aGlkZGVu"}}',
      'objectset.rio.cattle.io/applied': 'H4sIaGlkZGVu',
      'kubecfg.ksonnet.io/last-applied-configuration': 'aGlkZGVu',
      'pulumi.com/last': 'hidden',
      'kubernetes.io/description': 'hidden',
      'kubernetes.io/service-account.uid': 'u-1',
      'kubernetes.io/service-account.name': 'hidden'.repeat(100),
    };
    const { metadata } = masked({ ...SECRET, metadata: { name: 'a', annotations } }, SECRETS) as {
      metadata: { annotations: Record<string, string> };
    };
    expect(Object.keys(metadata.annotations)).to.deep.equal(Object.keys(annotations));
    expect(metadata.annotations).to.include({ 'kubernetes.io/service-account.uid': 'u-1' });
    const shown = Object.values(metadata.annotations).filter((value) => value !== 'masked');
    expect(shown).to.deep.equal(['u-1']);
  });

  it('masks fields that no Secret has, and forms of metadata that no object has', () => {
    const hostile = {
      ...SECRET,
      Data: { a: 'hidden' },
      rows: [{ object: SECRET }],
      immutable: 'hidden',
      metadata: { name: ['hidden'], note: 'hidden', generation: 'hidden', annotations: ['hidden'] },
    };
    expect(JSON.stringify(masked(hostile, SECRETS))).not.to.match(VALUES);
    expect(JSON.stringify(masked({ ...SECRET, metadata: 'hidden' }, SECRETS))).not.to.match(VALUES);
  });

  it('masks what the metadata of Secrets says, where only that was read', () => {
    const partial = { kind: 'PartialObjectMetadata', metadata: SECRET.metadata };
    expect(JSON.stringify(masked(partial, SECRETS))).not.to.match(VALUES);
  });

  for (const [what, json] of [
    ['names with escapes', '{"k\\u0069nd":"\\u0053ecret","d\\u0061ta":{"a":"aGlkZGVu"}}'],
    [
      'fields that are written twice',
      '{"kind":"Secret","data":{"a":"aGlkZGVu"},"kind":"Pod","data":{}}',
    ],
    ['a kind that comes twice', '{"kind":"Pod","data":{"a":"aGlkZGVu"},"kind":"Secret"}'],
    ['__proto__', '{"__proto__":{"kind":"Pod"},"kind":"Secret","data":{"__proto__":"aGlkZGVu"}}'],
    ['lines and spaces', '{\n  "kind" : "Secret",\n  "data" : {\n "a" : "aGlkZGVu" } }'],
    ['what is no JSON', '{"kind":"Secret","data":{"a":"aGlkZGVu"}'],
    ['text in place of an object', '"Secret aGlkZGVu"'],
    ['a deep tree', `{"kind":"Secret","data":${'['.repeat(5000)}"aGlkZGVu"${']'.repeat(5000)}}`],
  ] as const) {
    it(`is not led astray by ${what}`, () => {
      expect(maskedText(json, SECRETS)).not.to.match(VALUES);
      if (what !== 'text in place of an object') {
        expect(maskedText(json, UNKNOWN)).not.to.match(VALUES);
      }
    });
  }

  const EMBEDDED: readonly [string, object][] = [
    ['a list of mixed items', { kind: 'List', items: [{ kind: 'Pod' }, SECRET] }],
    ['a list of Secrets', { kind: 'SecretList', items: [{ data: { a: 'aGlkZGVu' } }] }],
    ['a workload that carries manifests', { kind: 'Work', spec: { manifests: [SECRET] } }],
    [
      'an admission review',
      { kind: 'AdmissionReview', request: { object: SECRET, oldObject: SECRET } },
    ],
    [
      'an annotation',
      { kind: 'Work', metadata: { annotations: { applied: JSON.stringify(SECRET) } } },
    ],
    [
      'an annotation that was cut',
      { kind: 'Work', metadata: { annotations: { applied: JSON.stringify(SECRET).slice(0, -1) } } },
    ],
    ['a revision', { kind: 'ControllerRevision', data: { template: SECRET } }],
  ];
  for (const [what, object] of EMBEDDED) {
    it(`finds a Secret in ${what}`, () => {
      for (const of of [WIDGETS, UNKNOWN]) {
        expect(JSON.stringify(masked(object, of)), of?.resource).not.to.match(VALUES);
      }
    });
  }

  it('finds the items of a list that names no kind, where the resource is not known', () => {
    for (const kind of ['List', 'ThingList', undefined]) {
      const list = { kind, items: [{ metadata: {}, data: { a: 'aGlkZGVu' } }] };
      expect(JSON.stringify(masked(list, UNKNOWN)), kind).not.to.match(VALUES);
    }
  });

  it('finds a Secret in a revision by the resource', () => {
    const of = { apiVersion: 'apps/v1', resource: 'controllerrevisions' };
    const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision', data: { a: SECRET } };
    expect(JSON.stringify(masked(revision, of))).not.to.match(VALUES);
  });

  it('leaves references to Secrets, and objects that only have similar fields', () => {
    const objects = [
      { kind: 'Gateway', spec: { tls: [{ kind: 'Secret', name: 'hidden' }] } },
      { kind: 'ConfigMap', data: { a: 'hidden' } },
      { kind: 'SecretStore', data: { a: 'hidden' }, spec: { kind: 'Secret' } },
      { kind: 'Pod', spec: { nodeName: 'Secret' } },
    ];
    for (const of of [WIDGETS, UNKNOWN]) {
      for (const object of objects) expect(masked(object, of)).to.deep.equal(object);
    }
  });

  it('distinguishes Secrets from objects that begin as they do, in any order', () => {
    const kinds = ['Secret', 'SecretX', 'Secre', 'Pod', 'Secret', 'Pod', 'Secret'];
    const mask = new ObjectMask('spec').of(PODS);
    for (const kind of [...kinds, ...kinds]) {
      for (const head of [{}, { apiVersion: 'v1' }]) {
        const json = JSON.stringify({ ...head, kind, data: { a: 'aGlkZGVu' } });
        const text = mask.apply(Buffer.from(json)).toString('utf8');
        expect(VALUES.test(text), text).to.equal(kind !== 'Secret');
      }
    }
  });

  it('returns the same bytes for an object in which nothing is masked', () => {
    const json = Buffer.from('{"kind":"Pod","spec":{"nodeName":"Secret","big":9007199254740993}}');
    for (const of of [PODS, WIDGETS, UNKNOWN]) {
      const mask = new ObjectMask('spec').of(of);
      expect(mask.apply(json)).to.equal(json);
      expect(mask.apply(json)).to.equal(json);
    }
    const secret = Buffer.from(JSON.stringify(SECRET));
    expect(new ObjectMask('spec', 'nothing').of(SECRETS).apply(secret)).to.equal(secret);
  });

  it('does not read objects of a resource that is known to be another one', () => {
    const { parse } = JSON;
    const json = Buffer.from(
      '{"apiVersion":"v1","kind":"Pod","data":"Secret","stringData":"\\u0053"}',
    );
    const mask = new ObjectMask('spec').of(PODS);
    JSON.parse = () => {
      throw new Error('it was parsed');
    };
    try {
      expect(mask.apply(json)).to.equal(json);
    } finally {
      JSON.parse = parse;
    }
  });

  it('masks named fields through arrays with values of the same types, and Secrets too', () => {
    const pod = {
      kind: 'Pod',
      spec: { containers: [{ name: 'a', env: [{ name: 'A', value: 'hidden' }] }], priority: 7 },
      status: { conditions: { ready: true, text: ['hidden', null] } },
    };
    const paths = ['spec.containers.env.value', 'spec.priority', 'status.conditions', 'spec.no.no'];
    expect(masked(pod, PODS, paths)).to.deep.equal({
      kind: 'Pod',
      spec: { containers: [{ name: 'a', env: [{ name: 'A', value: 'masked' }] }], priority: 0 },
      status: { conditions: { ready: false, text: ['masked', null] } },
    });
    expect(masked(SECRET, SECRETS, paths)).to.deep.equal(MASKED);
    expect(masked(SECRET, UNKNOWN, paths)).to.deep.equal(MASKED);
  });

  it('does not follow names of the prototype', () => {
    const object = { kind: 'Pod', spec: {} };
    const paths = ['spec.__proto__.polluted', 'constructor.name'];
    expect(masked(object, PODS, paths)).to.deep.equal(object);
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
