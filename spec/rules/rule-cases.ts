import type { KubernetesMinor } from '../../lib/meta/releases/kubernetes-releases.ts';
import type { Scenario, Step } from '../compare/scenario.ts';
import { patchOf, withChange, type Change } from './change.ts';

/** Requests that ask a server for its rules on one kind: an object that it accepts, and changes of it. */
export interface RuleCases {
  /** Version and kind, and what is particular to the object: `v1 Service, headless`. */
  readonly title: string;
  /** The first minor version that serves the kind. @defaultValue all do */
  readonly since?: KubernetesMinor;
  /** Path of the collection; `{ns}` stands for the namespace of the run. */
  readonly collection: string;
  /** Objects that exist before. */
  readonly before?: readonly Existing[];
  /** Objects that are made after the base, before what is asked about it. */
  readonly beside?: readonly Existing[];
  /** Accepted as it is. The name of an object outside of namespaces begins with `{ns}`. */
  readonly base: Readonly<Record<string, unknown>>;
  /** Each is one create of the base with the change, as a dry run. */
  readonly creates?: readonly Change[];
  /** Each is one update of the stored base, as a dry run. */
  readonly updates?: readonly Change[];
  /** Each is one update of the status of the stored base, as a dry run. */
  readonly statuses?: readonly Change[];
  /** The subresource that `statuses` update. @defaultValue `status` */
  readonly subresource?: string;
  /** Titles of cases that the embedded server answers in another way, with the reason. */
  readonly differs?: Readonly<Record<string, string>>;
}

export interface Existing {
  readonly collection: string;
  /** A path that is asked for until it is there: what a definition makes is served a little later. */
  readonly makes?: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** One request of the cases of a kind. */
export interface RuleCase {
  /** `create`, `update` or `status`, and the change: `create spec.ports[0].port = 0`. */
  readonly title: string;
  readonly step: Step;
}

const DRY = 'dryRun=All';
const PATCH = { 'content-type': 'application/json-patch+json' };

/** The requests in their order: the base as it is comes first. */
export function ruleCasesOf(kind: RuleCases): readonly RuleCase[] {
  const { collection, base, creates = [], updates = [], statuses = [] } = kind;
  const own = `${collection}/${nameOf(base)}`;
  const create = (change: Change): Step => ({
    method: 'POST',
    path: `${collection}?${DRY}`,
    body: withChange(base, { 'metadata.name': `${nameOf(base)}-2`, ...change }),
  });
  const update =
    (path: string) =>
    (change: Change): Step => ({
      method: 'PATCH',
      path: `${path}?${DRY}`,
      headers: PATCH,
      body: JSON.stringify(patchOf(change)),
    });
  return [
    { title: 'base', step: { method: 'POST', path: collection, body: base } },
    ...titled('create', creates, create),
    ...titled('update', updates, update(own)),
    ...titled('status', statuses, update(`${own}/${kind.subresource ?? 'status'}`)),
  ];
}

/** The objects that exist before, then the requests, of which the first one makes the base. */
export function scenarioOf(kind: RuleCases): Scenario {
  const { title, before = [], beside = [] } = kind;
  const [base, ...others] = ruleCasesOf(kind).map(({ step }) => step);
  const made = base === undefined ? [] : [base];
  const steps = [...before.flatMap(stepsOf), ...made, ...beside.flatMap(stepsOf), ...others];
  return { id: `rules/${title}`, area: 'validation', namespace: true, steps };
}

function stepsOf({ collection, object, makes }: Existing): readonly Step[] {
  const made = { method: 'POST', path: collection, body: object, setup: true };
  if (makes === undefined) return [made];
  return [made, { method: 'GET', path: makes, setup: true, until: 200 }];
}

function titled(
  verb: string,
  changes: readonly Change[],
  step: (change: Change) => Step,
): RuleCase[] {
  return changes.map((change) => ({ title: `${verb} ${textOf(change)}`, step: step(change) }));
}

function textOf(change: Change): string {
  return Object.entries(change)
    .map(([path, value]) =>
      value === undefined ? `without ${path}` : `${path} = ${shortened(JSON.stringify(value))}`,
    )
    .join(', ');
}

const LONGEST_VALUE = 200;

function shortened(text: string): string {
  if (text.length <= LONGEST_VALUE) return text;
  return `${text.slice(0, LONGEST_VALUE)}... of ${text.length} characters`;
}

function nameOf({ metadata }: RuleCases['base']): string {
  return (metadata as { readonly name: string }).name;
}
