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

  // Each as kube-apiserver 1.36.3 answers it for a schema of a definition.
  describe('of a value that is a schema or something else', () => {
    const PROPS = 'extensions.JSONSchemaProps';
    const string = { type: 'string' };

    it('keeps schemas, lists of schemas or texts, and booleans', () => {
      for (const given of [
        { items: string },
        { items: [string, string] },
        { additionalProperties: string },
        { additionalProperties: true },
        { additionalProperties: false },
        { dependencies: { a: string, b: ['c', 'd'] } },
      ]) {
        expect(readAs(PROPS, given)).to.deep.equal(given);
      }
      expect(readAs(PROPS, { items: [string, null] })).to.deep.equal({ items: [string, {}] });
      expect(readAs(PROPS, { dependencies: { a: ['b', null] } })).to.deep.equal({
        dependencies: { a: ['b', ''] },
      });
      expect(readAs(PROPS, { items: null, additionalProperties: null })).to.deep.equal({});
    });

    it('reads what is neither as null, where it is not refused', () => {
      for (const items of [5, 'x', true, []]) {
        expect(readAs(PROPS, { items })).to.deep.equal({ items: null });
        const dependencies = { a: items };
        expect(readAs(PROPS, { dependencies })).to.deep.equal({ dependencies: { a: null } });
      }
      for (const additionalProperties of [5, 'true', []]) {
        expect(() => readAs(PROPS, { additionalProperties })).to.throw(
          TypedDecodeError,
          /^boolean or JSON schema expected$/,
        );
      }
    });

    for (const [text, schema] of [
      ['number into Go struct field JSONSchemaProps.items.type', { items: { type: 1 } }],
      ['number into Go struct field JSONSchemaProps.items.type', { items: [string, { type: 1 }] }],
      [
        'number into Go struct field JSONSchemaProps.additionalProperties.type',
        { additionalProperties: { type: 1 } },
      ],
      [
        'number into Go struct field JSONSchemaProps.dependencies.type',
        { dependencies: { a: { type: 1 } } },
      ],
      ['number into Go struct field JSONSchemaProps.dependencies', { dependencies: { a: [5] } }],
    ] as const) {
      it(`refuses ${JSON.stringify(schema)}`, () => {
        const message = `json: cannot unmarshal ${text} of type string`;
        expect(() => readAs(PROPS, schema)).to.throw(TypedDecodeError, message);
      });
    }

    it('refuses an item that is no schema', () => {
      const into = 'Go struct field JSONSchemaProps.items of type v1.JSONSchemaProps';
      for (const [item, what] of [
        ['x', 'string'],
        [[string], 'array'],
        [5, 'number'],
      ] as const) {
        expect(() => readAs(PROPS, { items: [string, item] })).to.throw(
          TypedDecodeError,
          `json: cannot unmarshal ${what} into ${into}`,
        );
      }
    });

    it('names unknown fields by the keys of maps, and none that are in such a value', () => {
      const surplus = { x: 1 };
      const schema = {
        properties: { a: { ...surplus, properties: { 'b.c': surplus } } },
        patternProperties: { p: surplus },
        items: surplus,
        additionalProperties: { properties: { q: surplus } },
        dependencies: { d: surplus },
        y: 1,
      };
      expect(unknownIn(PROPS, schema)).to.deep.equal([
        'properties.a.x',
        'properties.a.properties.b.c.x',
        'patternProperties.p.x',
        'y',
      ]);
    });

    it('finds how numbers are written in maps, lists and such values', () => {
      for (const [path, schema] of [
        ['maxLength', { maxLength: 3 }],
        ['properties.a.maxLength', { properties: { a: { maxLength: 3 } } }],
        ['allOf[1].maxLength', { allOf: [{}, { maxLength: 3 }] }],
        ['items.maxLength', { items: { maxLength: 3 } }],
        ['items[1].maxLength', { items: [{}, { maxLength: 3 }] }],
        ['dependencies.a.maxLength', { dependencies: { a: { maxLength: 3 } } }],
      ] as const) {
        const problems = new DecodeProblems(new Map([[path, '3.0']]));
        new TypeReaders(new Map()).ofMessage(builtInTypes().get(PROPS)).read(schema, problems);
        const field = path.replaceAll(/\[\d\]|\.a(?=\.)/g, '');
        expect(() => problems.end(), path).to.throw(
          `json: cannot unmarshal number 3.0 into Go struct field JSONSchemaProps.${field} of type int64`,
        );
      }
    });
  });

  it('reads null as a field that was not sent, also where there are defaults', () => {
    const defaults: DefaultsByType = new Map([
      ['core.PodSpec', (spec) => void (spec['nodeSelector'] ??= { a: 'b' })],
    ]);
    const nothing = { volumes: null, nodeSelector: null, securityContext: null, hostname: null };
    const read = readAs('core.PodSpec', nothing, defaults);
    expect(read).to.deep.equal(readAs('core.PodSpec', {}, defaults));
    expect(read['nodeSelector']).to.deep.equal({ a: 'b' });
  });

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
