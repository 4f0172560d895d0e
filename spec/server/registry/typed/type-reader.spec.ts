import { expect } from 'chai';
import { builtInTypes } from '../../../../lib/meta/types/built-in-types.ts';
import {
  DecodeProblems,
  TypedDecodeError,
} from '../../../../lib/server/registry/typed/decode-problems.ts';
import {
  TypeReaders,
  type DefaultsByType,
} from '../../../../lib/server/registry/typed/type-reader.ts';

function readAs(name: string, object: object, defaults?: DefaultsByType): Record<string, unknown> {
  const problems = new DecodeProblems();
  const reader = new TypeReaders(defaults).ofMessage(builtInTypes().get(name));
  const result = reader.read(object as Record<string, unknown>, problems);
  problems.end();
  return result;
}

function unknownIn(name: string, object: object): readonly string[] {
  const problems = new DecodeProblems();
  const reader = new TypeReaders(new Map()).ofMessage(builtInTypes().get(name));
  reader.read(object as Record<string, unknown>, problems);
  return problems.unknownFields;
}

const template = (containers: unknown): object => ({
  spec: { template: { spec: { containers } } },
});

describe('TypeReader', () => {
  it('writes zero values where Go has no pointer, and null for a list that was not sent', () => {
    expect(readAs('apps.Deployment', {})).to.deep.equal({
      metadata: {},
      spec: {
        selector: null,
        template: { metadata: {}, spec: { containers: null } },
        strategy: {},
      },
      status: {},
    });
  });

  it('leaves out empty lists, maps and texts, and keeps empty messages that were sent', () => {
    const spec = { volumes: [], nodeSelector: {}, hostname: '', securityContext: {}, priority: 0 };
    expect(readAs('core.PodSpec', spec)).to.deep.equal({
      containers: null,
      securityContext: {},
      priority: 0,
    });
  });

  it('keeps an empty list of managed fields of the object itself only', () => {
    const metadata = { managedFields: [], finalizers: [] };
    const read = readAs('apps.Deployment', { metadata, spec: { template: { metadata } } });
    expect(read['metadata']).to.deep.equal({ managedFields: [] });
    expect(read['spec']).to.have.nested.property('template.metadata').that.deep.equals({});
  });

  it('puts fields in the order of the type, and keys of maps in that of the alphabet', () => {
    const made = readAs('core.ConfigMap', {
      data: { b: '1', a: '2' },
      immutable: true,
      metadata: {},
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
    expect(JSON.stringify(made)).to.equal(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"immutable":true,"data":{"a":"2","b":"1"}}',
    );
  });

  it('reports the fields that the type does not have with their paths, and drops them', () => {
    const object = {
      metadata: { foo: 1 },
      surplus: {},
      spec: { x: 1, template: { spec: { containers: [{}, { y: 2, ports: [{ z: 1 }] }] } } },
    };
    expect(unknownIn('apps.Deployment', object)).to.deep.equal([
      'metadata.foo',
      'surplus',
      'spec.x',
      'spec.template.spec.containers[1].y',
      'spec.template.spec.containers[1].ports[0].z',
    ]);
    expect(readAs('core.Toleration', { key: 'a', surplus: 1 })).to.deep.equal({ key: 'a' });
  });

  for (const [text, object] of [
    [
      'string into Go struct field DeploymentSpec.spec.replicas of type int32',
      { spec: { replicas: 'two' } },
    ],
    [
      'number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
      { spec: { replicas: 1.5 } },
    ],
    [
      'number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
      { spec: { replicas: 3e9 } },
    ],
    ['string into Go struct field Deployment.spec of type v1.DeploymentSpec', { spec: 'x' }],
    [
      'number into Go struct field LabelSelector.spec.selector.matchLabels of type string',
      { spec: { selector: { matchLabels: { a: 1 } } } },
    ],
    [
      'object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
      template({}),
    ],
    [
      'number into Go struct field PodSpec.spec.template.spec.containers of type v1.Container',
      template([1]),
    ],
    [
      'object into Go struct field HTTPGetAction.spec.template.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
      template([{ livenessProbe: { httpGet: { port: {} } } }]),
    ],
  ] as const) {
    it(`refuses a ${text}`, () => {
      expect(() => readAs('apps.Deployment', object)).to.throw(
        TypedDecodeError,
        `json: cannot unmarshal ${text}`,
      );
    });
  }

  it('sets declared defaults, and those of functions before the defaults of what they add', () => {
    const defaults: DefaultsByType = new Map([
      ['core.PodSpec', (spec) => void (spec['volumes'] ??= [{ name: 'v', rbd: {} }])],
      ['core.Volume', (volume) => void (volume['name'] = 'named')],
    ]);
    expect(readAs('core.PodSpec', {}, defaults)['volumes']).to.deep.equal([
      {
        name: 'named',
        rbd: {
          monitors: null,
          image: '',
          pool: 'rbd',
          user: 'admin',
          keyring: '/etc/ceph/keyring',
        },
      },
    ]);
  });

  it('does not write to what it is given', () => {
    const given = Object.freeze({ spec: Object.freeze({ replicas: 1 }) });
    const defaults: DefaultsByType = new Map([
      ['apps.DeploymentSpec', (spec) => void (spec['paused'] = true)],
    ]);
    expect(readAs('apps.Deployment', given, defaults)['spec']).to.deep.include({ paused: true });
  });

  it('keeps a key __proto__ of a map as a key', () => {
    const labels: unknown = JSON.parse('{"__proto__":"x"}');
    const made = readAs('meta.ObjectMeta', { labels });
    expect(Object.keys(made['labels'] as object)).to.deep.equal(['__proto__']);
    expect(({} as Record<string, unknown>)['x']).to.equal(undefined);
  });

  it('ends at an object that is nested too deeply', () => {
    let schema: Record<string, unknown> = {};
    for (let depth = 0; depth < 1000; depth += 1) schema = { not: schema };
    expect(() => readAs('extensions.JSONSchemaProps', schema)).to.throw('exceeded max depth');
  });
});
