import { expect } from 'chai';
import type { KubernetesObject, UnstructuredObject } from '../../../../lib/meta/object.ts';
import type { GroupVersionKind } from '../../../../lib/meta/resource.ts';
import { Scheme } from '../../../../lib/server/storage/scheme/scheme.ts';

function widget(version: string): GroupVersionKind {
  return { group: 'example.io', version, kind: 'Widget' };
}

const [V1, V2, V3, INTERNAL] = ['v1', 'v2', 'v3', '__internal'].map(widget) as [
  GroupVersionKind,
  GroupVersionKind,
  GroupVersionKind,
  GroupVersionKind,
];

interface Sized extends KubernetesObject {
  size?: number;
  double?: number;
}

interface Measured extends KubernetesObject {
  dimensions: { size: number };
}

function object(version: string, fields: object = {}): UnstructuredObject {
  return {
    apiVersion: `example.io/${version}`,
    kind: 'Widget',
    metadata: { name: 'a' },
    ...fields,
  };
}

/** v1 has a size, v2 keeps it in dimensions, v3 calls it length; v2 is the hub. */
function threeVersions(): Scheme {
  return new Scheme()
    .addKnownType(V1)
    .addKnownType(V2)
    .addKnownType(V3)
    .setVersionPriority('example.io', ['v2'])
    .addConversion<Sized, Measured>(V1, V2, ({ size = 0, ...rest }) => ({
      ...rest,
      dimensions: { size },
    }))
    .addConversion<Measured, Sized>(V2, V1, ({ dimensions, ...rest }) => ({
      ...rest,
      size: dimensions.size,
    }))
    .addConversion<Measured, UnstructuredObject>(V2, V3, ({ dimensions, ...rest }) => ({
      ...rest,
      length: dimensions.size,
    }));
}

describe('Scheme', () => {
  it('knows what was added, and nothing else', () => {
    const scheme = new Scheme()
      .addKnownType(V1)
      .addKnownType({ group: '', version: 'v1', kind: 'Pod' });
    expect(scheme.recognizes(V1)).to.equal(true);
    expect(scheme.recognizes(V2)).to.equal(false);
    expect(scheme.recognizes({ ...V1, kind: 'constructor' })).to.equal(false);
    expect(scheme.kindOf({ apiVersion: 'v1', kind: 'Pod' })).to.deep.equal({
      group: '',
      version: 'v1',
      kind: 'Pod',
    });
    expect(scheme.listKindOf(V1)).to.equal('WidgetList');
    expect(() => scheme.addKnownType(V1)).to.throw('example.io/v1 Widget is known already');
    expect(() => scheme.listKindOf(V2))
      .to.throw('the scheme does not know example.io/v2 Widget')
      .with.property('code', 'UNKNOWN_KIND');
  });

  it('refuses objects that do not say what they are', () => {
    const scheme = threeVersions();
    for (const bad of [
      {},
      { apiVersion: 'example.io/v1' },
      { kind: 'Widget' },
      { apiVersion: 1, kind: {} },
      { apiVersion: '/v1', kind: 'Widget' },
    ]) {
      expect(() => scheme.kindOf(bad as object), JSON.stringify(bad))
        .to.throw('the scheme does not know')
        .with.property('code', 'UNKNOWN_KIND');
    }
  });

  it('orders versions as they were added, behind those that were put first', () => {
    const scheme = new Scheme()
      .addKnownType(V1)
      .addKnownType(V2)
      .addKnownType(INTERNAL, { internal: true });
    expect(scheme.preferredVersion('example.io')).to.equal('v1');
    scheme.setVersionPriority('example.io', ['v2']);
    expect(scheme.prioritizedVersions('example.io')).to.deep.equal(['v2', 'v1']);
    expect(scheme.versionsOf(V1)).to.deep.equal(['v2', 'v1', '__internal']);
    expect(scheme.preferredVersion('other.io')).to.equal(undefined);
    expect(() => scheme.setVersionPriority('example.io', ['v9'])).to.throw(
      'no kind of example.io/v9 is known',
    );
    expect(() => scheme.setVersionPriority('example.io', ['v1', 'v1'])).to.throw('v1 occurs twice');
  });

  it('takes the internal version for the hub, otherwise the preferred one that has the kind', () => {
    const scheme = new Scheme().addKnownType(V1).addKnownType(V2);
    expect(scheme.hubOf(V1)).to.deep.equal(V1);
    scheme.setVersionPriority('example.io', ['v2']);
    expect(scheme.hubOf(V1)).to.deep.equal(V2);
    scheme.addKnownType({ ...V1, kind: 'Gadget' });
    expect(scheme.hubOf({ ...V1, kind: 'Gadget' }).version).to.equal('v1');
    scheme.addKnownType(INTERNAL, { internal: true });
    expect(scheme.hubOf(V1)).to.deep.equal(INTERNAL);
    expect(() => scheme.addKnownType(widget('__other'), { internal: true })).to.throw('is');
  });

  it('converts to the hub, from the hub, and between versions through it', () => {
    const scheme = threeVersions();
    expect(scheme.convert(object('v1', { size: 3 }), V2)).to.deep.equal(
      object('v2', { dimensions: { size: 3 } }),
    );
    expect(scheme.convert(object('v2', { dimensions: { size: 3 } }), V1)).to.deep.equal(
      object('v1', { size: 3 }),
    );
    expect(scheme.convert(object('v1', { size: 3 }), V3)).to.deep.equal(
      object('v3', { length: 3 }),
    );
  });

  it('goes straight where there is a function for it', () => {
    const scheme = threeVersions().addConversion<Sized, UnstructuredObject>(
      V1,
      V3,
      ({ size, ...rest }) => ({ ...rest, straight: size }),
    );
    expect(scheme.convert(object('v1', { size: 3 }), V3)).to.deep.equal(
      object('v3', { straight: 3 }),
    );
  });

  it('gives an object of the right version back as it is', () => {
    const same = object('v1');
    expect(threeVersions().convert(same, V1)).to.equal(same);
  });

  it('names both ends of a conversion that is missing, and what to add', () => {
    const scheme = threeVersions();
    expect(() => scheme.convert(object('v3'), V1))
      .to.throw(
        'no conversion from example.io/v3 Widget to example.io/v1 Widget: add one from example.io/v3 Widget to example.io/v2 Widget',
      )
      .with.property('code', 'NO_CONVERSION');
    const empty = new Scheme().addKnownType(V1).addKnownType(V2).addKnownType(V3);
    expect(() => empty.convert(object('v2'), V3)).to.throw(
      'add one from example.io/v2 Widget to example.io/v1 Widget, and one from example.io/v1 Widget to example.io/v3 Widget',
    );
  });

  it('refuses invalid conversions, and a second one', () => {
    const scheme = threeVersions().addKnownType({ ...V1, kind: 'Gadget' });
    const same = (one: UnstructuredObject): UnstructuredObject => one;
    for (const [from, to] of [
      [V1, V1],
      [V1, { ...V1, kind: 'Gadget' }],
      [V1, V2],
    ] as const) {
      expect(() => scheme.addConversion(from, to, same))
        .to.throw()
        .with.property('code', 'INVALID_OPTION');
    }
    expect(() => scheme.addConversion(V1, widget('v9'), same))
      .to.throw()
      .with.property('code', 'UNKNOWN_KIND');
  });

  it('names function and object when a function throws, or returns no object', () => {
    const scheme = new Scheme().addKnownType(V1).addKnownType(V2).addKnownType(V3);
    scheme.addConversion(V1, V2, () => {
      throw new Error('no size');
    });
    scheme.addConversion(V1, V3, (() => null) as never);
    scheme.addDefaulting(V1, () => {
      throw new Error('no defaults');
    });
    const cases = [
      [
        (): unknown => scheme.convert(object('v1'), V2),
        'the conversion to example.io/v2 Widget threw: no size (example.io/v1 Widget "a")',
      ],
      [
        (): unknown => scheme.convert(object('v1'), V3),
        'the conversion to example.io/v3 Widget returned null',
      ],
      [
        (): unknown => scheme.applyDefaults(object('v1')),
        'the defaults of example.io/v1 Widget threw: no defaults',
      ],
    ] as const;
    for (const [run, text] of cases) {
      expect(run).to.throw(text).with.property('code', 'CONVERSION');
    }
  });

  it('fills in defaults by version, in the order they were added', () => {
    const scheme = threeVersions()
      .addDefaulting<Sized>(V1, (one) => {
        one.size ??= 1;
      })
      .addDefaulting<Sized>(V1, (one) => {
        one.double = (one.size ?? 0) * 2;
      });
    const [first, second] = [object('v1') as Sized, object('v2') as Sized];
    scheme.applyDefaults(first);
    scheme.applyDefaults(second);
    expect([first.size, first.double, second.size]).to.deep.equal([1, 2, undefined]);
    expect([scheme.hasDefaulting(V1), scheme.hasDefaulting(V2)]).to.deep.equal([true, false]);
  });
});
