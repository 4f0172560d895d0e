import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import type { FieldPaths, Projection } from '../../../lib/meta/json/field-path.ts';
import { JsonProjection } from '../../../lib/meta/json/json-projection.ts';
import type { JsonView } from '../../../lib/meta/json/json-view.ts';
import { DecodedView, identityOf } from '../../../lib/meta/object-view.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../lib/meta/object.ts';
import { viewOf, viewOfText } from '../../cache/memory/kept-views.ts';

const POD = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u-1',
    resourceVersion: '42',
    labels: { app: 'Größe' },
    managedFields: [{ manager: 'kubelet' }],
    annotations: { note: 'managedFields' },
  },
  spec: {
    nodeName: 'n1',
    containers: [
      { name: 'a', image: 'x', ports: [{ containerPort: 80, name: 'http' }] },
      { name: 'b', image: 'y', env: [] },
    ],
    tolerations: [],
  },
  status: { phase: 'Running', conditions: null, podIPs: [{ ip: '10.0.0.1' }] },
};

const { managedFields: _, ...METADATA } = POD.metadata;
const REST = { kind: 'Pod', apiVersion: 'v1', metadata: METADATA };

function project(paths: readonly string[], object: object = POD): unknown {
  return new JsonProjection(paths).view(viewOf(object)).object;
}

describe('JsonProjection', () => {
  it('keeps type, metadata without managedFields, and what lies at the paths', () => {
    expect(project([])).to.deep.equal(REST);
    expect(project(['spec.nodeName', 'status.phase'])).to.deep.equal({
      ...REST,
      spec: { nodeName: 'n1' },
      status: { phase: 'Running' },
    });
    expect(project(['spec'])).to.deep.equal({ ...REST, spec: POD.spec });
    expect(project(['spec.nodeName', 'spec'])).to.deep.equal({ ...REST, spec: POD.spec });
    expect(project(['spec', 'spec.nodeName'])).to.deep.equal({ ...REST, spec: POD.spec });
    expect(project(['metadata.name', 'kind'])).to.deep.equal(REST);
  });

  it('picks from the items of arrays', () => {
    expect(project(['spec.containers.name', 'spec.containers.ports.name'])).to.deep.equal({
      ...REST,
      spec: { containers: [{ name: 'a', ports: [{ name: 'http' }] }, { name: 'b' }] },
    });
    expect(project(['spec.tolerations.key'])).to.deep.equal({ ...REST, spec: { tolerations: [] } });
  });

  it('leaves out what is not there, and leaves what has no fields as it is', () => {
    expect(project(['spec.none', 'none.at.all'])).to.deep.equal({ ...REST, spec: {} });
    expect(project(['status.conditions.type', 'status.phase.deeper'])).to.deep.equal({
      ...REST,
      status: { phase: 'Running', conditions: null },
    });
  });

  it('reads names that are written with escapes, and keys that come twice, as JSON.parse does', () => {
    const text =
      '{"metadata":{"name":"a"}, "spec" : {"a":1, "\\u0062":2,"__proto__":3 } ,"spec":{"b":[{"\\u0063":1,"d":2} , 7]}}';
    const projection = new JsonProjection(['spec.b.c', 'spec.__proto__']);
    const { object } = projection.view(viewOfText(text));
    expect(object).to.deep.equal({ metadata: { name: 'a' }, spec: { b: [{ c: 1 }, 7] } });
    const first = projection.view(viewOfText(text.replace('"spec":{"b', '"other":{"b')));
    const { spec } = first.object as unknown as { readonly spec: object };
    expect(spec).to.deep.equal(JSON.parse('{"b":2,"__proto__":3}'));
    expect(Object.hasOwn(spec, '__proto__')).to.equal(true);
  });

  it('copies only the retained fields, and has the identity', () => {
    const view = viewOf(POD);
    const projected = new JsonProjection(['spec.nodeName']).view(
      view,
    ) as JsonView<UnstructuredObject>;
    expect(projected.sizeBytes).to.equal(
      JSON.stringify({ ...REST, spec: { nodeName: 'n1' } }).length + 2,
    );
    expect(projected.source.bytes.length).to.equal(projected.sizeBytes);
    expect(identityOf(projected)).to.include({ name: 'web', uid: 'u-1', resourceVersion: '42' });
  });

  it('gives from bytes what picking from the decoded object gives, for every object', () => {
    const random = seededRandom(7);
    const below = (end: number): number => Math.floor(random() * end);
    const names = ['a', 'b', 'c', 'd"é', '__proto__', 'metadata', 'managedFields'];
    const valueOf = (depth: number): unknown => {
      const kind = below(depth > 4 ? 4 : 8);
      if (kind < 4) return [null, 'text ✓"\\', -1.5e3, true][kind];
      if (kind < 6) return Array.from({ length: below(4) }, () => valueOf(depth + 1));
      const entries = Array.from({ length: below(5) }, () => [
        names[below(names.length)] as string,
        valueOf(depth + 1),
      ]);
      return Object.fromEntries(entries) as unknown;
    };
    for (let round = 0; round < 2000; round += 1) {
      const pathOf = (): string =>
        Array.from({ length: 1 + below(4) }, () => names[below(names.length)]).join('.');
      const projection = new JsonProjection(Array.from({ length: below(5) }, pathOf));
      const object = { a: valueOf(0), b: valueOf(0), c: valueOf(0), metadata: { name: 'x', a: 1 } };
      const text = JSON.stringify(object, null, below(2));
      const parsed = JSON.parse(text) as KubernetesObject;
      const picked = projection.view(new DecodedView(parsed)).object;
      expect(projection.view(viewOfText(text)).object).to.deep.equal(picked);
    }
  });

  it('projects a view in a cache again', () => {
    const view = new JsonProjection(['spec']).view(viewOf(POD));
    expect(new JsonProjection(['spec.nodeName']).view(view).object).to.deep.equal({
      ...REST,
      spec: { nodeName: 'n1' },
    });
  });

  it('refuses what is no path', () => {
    for (const path of ['', '.', 'spec.', '.spec', 'a..b', 7, null, undefined]) {
      expect(() => new JsonProjection([path as string]), String(path))
        .to.throw(ListwatchError, /is not the path of a field/)
        .with.property('code', 'INVALID_OPTION');
    }
  });
});

interface Typed extends KubernetesObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly replicas: number;
    readonly containers: readonly { readonly name: string; readonly image?: string }[];
    readonly selector?: { readonly matchLabels?: Record<string, string> };
    readonly extra?: unknown;
  };
  readonly status?: { readonly phase?: 'Running' | 'Failed' };
}

function paths<T, const Paths extends readonly string[]>(given: FieldPaths<T, Paths>): Paths {
  return given as unknown as Paths;
}

/** Checked by the compiler; never called. */
function types(
  projected: Projection<Typed, 'spec.nodeName' | 'spec.containers.name' | 'status'>,
): unknown {
  const typed = <const Paths extends readonly string[]>(given: FieldPaths<Typed, Paths>): Paths =>
    paths<Typed, Paths>(given);
  typed([
    'spec.nodeName',
    'spec.containers.image',
    'spec.selector.matchLabels',
    'status',
    'spec.extra.any',
  ]);
  // @ts-expect-error -- it is written with a capital
  typed(['spec.nodename']);
  // @ts-expect-error -- a text has no fields
  typed(['status.phase.length']);
  // @ts-expect-error -- the second one is wrong
  typed(['spec', 'stats']);
  const node: string | undefined = projected.spec?.nodeName;
  const name: string | undefined = projected.spec?.containers[0]?.name;
  const phase: 'Running' | 'Failed' | undefined = projected.status?.phase;
  const labels = projected.metadata?.labels;
  // @ts-expect-error -- it was left out
  const { replicas } = projected.spec ?? {};
  // @ts-expect-error -- so was this, of each item
  const image = projected.spec?.containers[0]?.image;
  const whole: Typed = {};
  const assignable: typeof projected = whole;
  return { node, name, phase, labels, replicas, image, assignable };
}
void types;
