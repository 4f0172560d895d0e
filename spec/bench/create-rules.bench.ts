import { realRuntime } from '../../lib/kernel/time/real-runtime.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import type { KindDefinition } from '../../lib/server/registry/contract/kind-definition.ts';
import type { PodClasses } from '../../lib/kinds/pods/pod-classes.ts';
import { builtInKinds } from '../../lib/kinds/built-in-kinds.ts';
import { trackUpdate } from '../../lib/server/registry/managed-fields/field-manager.ts';
import { fieldRulesOf } from '../../lib/server/registry/managed-fields/field-rules.ts';
import {
  toMutableObject,
  type MutableObject,
} from '../../lib/server/registry/rules/mutable-object.ts';
import { validateMetadata } from '../../lib/server/registry/rules/object-validation.ts';
import { DecodeProblems } from '../../lib/server/registry/typed/decode-problems.ts';
import { jsonCodec } from '../../lib/server/storage/value/codec.ts';
import { sized, type Bench, type Figure } from './bench.ts';
import { configMap, pod } from './requests.ts';

const { spec } = pod(1) as unknown as { readonly spec: object };
const metadata = { name: 'one', namespace: 'default', labels: { app: 'bench' } };

const OBJECTS: readonly UnstructuredObject[] = [
  configMap('one'),
  { apiVersion: 'v1', kind: 'Pod', metadata, spec },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'bench' } },
      template: { metadata: { labels: { app: 'bench' } }, spec },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { selector: { app: 'bench' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
  },
];

/** One step of a create, in the order in which a server takes them. Each works on the result of the one before. */
interface Step {
  readonly name: string;
  run(object: MutableObject, kind: KindDefinition): unknown;
}

const codec = jsonCodec<UnstructuredObject>();
const TIME = '2026-01-01T00:00:00Z';

/** The server has looked up the classes of a pod before. */
const NO_CLASSES: PodClasses = { priority: undefined, runtime: undefined };

const STEPS: readonly Step[] = [
  { name: 'read as its type', run: (object, kind) => read(object, kind) },
  { name: 'managed fields', run: track },
  {
    name: 'prepared by its strategy',
    run: (object, { strategy }) => {
      strategy.prepareForCreate(object, { nowMs: realRuntime.wallMs(), found: NO_CLASSES });
    },
  },
  {
    name: 'rules of the metadata',
    run: (object, { describe, strategy }) =>
      validateMetadata(object, {
        namespaced: describe.namespaced,
        nameProblems: strategy.nameProblems,
      }),
  },
  { name: 'rules of the kind', run: (object, { strategy }) => strategy.validate(object) },
  { name: 'written as JSON', run: (object) => codec.encode(object) },
];

function read(object: MutableObject, { type }: KindDefinition): MutableObject {
  if (type === undefined) throw new Error('a built-in kind has a type');
  const problems = new DecodeProblems();
  const result = toMutableObject(type.read(object, problems));
  problems.end();
  return result;
}

function track(object: MutableObject, kind: KindDefinition): void {
  const rules = fieldRulesOf(kind);
  trackUpdate(object, {
    schema: rules.schema,
    versions: rules.versions,
    manager: 'bench',
    apiVersion: String(object['apiVersion']),
    subresource: '',
    filter: rules.filterOf(''),
    now: TIME,
    live: rules.empty,
    mayReplace: true,
  });
}

/** Microseconds of each step, of one object many times. */
function measure(source: UnstructuredObject, count: number): Figure[] {
  const kind = kindOf(source);
  const tookMs = STEPS.map(() => 0);
  const text = JSON.stringify(source);
  for (let run = 0; run < count; run += 1) {
    let object = JSON.parse(text) as MutableObject;
    for (const [at, step] of STEPS.entries()) {
      const startMs = performance.now();
      const result = step.run(object, kind);
      tookMs[at] = (tookMs[at] ?? 0) + performance.now() - startMs;
      if (at === 0) object = result as MutableObject;
    }
  }
  return STEPS.map(({ name }, at) => ({
    name: `${source.kind}, ${name}`,
    value: ((tookMs[at] ?? 0) * 1000) / count,
    unit: 'µs',
  }));
}

function kindOf({ apiVersion, kind }: UnstructuredObject): KindDefinition {
  const found = builtInKinds.definitions().find(({ describe }) => {
    const own = describe.group === '' ? describe.version : `${describe.group}/${describe.version}`;
    return own === apiVersion && describe.kind === kind;
  });
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

export const bench: Bench = {
  title: 'the rules on a create: microseconds of each group of them, an object of 1 to 4 KB',
  run: (size) => {
    const count = sized(size, { tiny: 5, quick: 5000, full: 20_000 });
    return Promise.resolve(
      OBJECTS.flatMap((object) => {
        measure(object, Math.ceil(count / 5));
        return measure(object, count);
      }),
    );
  },
};
