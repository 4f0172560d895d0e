import type { KubernetesObject } from '../../meta/object.ts';
import type { ClusterHistory } from '../record/cluster-history.ts';
import type { ObjectRef } from '../record/stored-resources.ts';
import { replaceUids } from '../record/uids.ts';
import { isBackgroundResource } from '../network/request-facts.ts';

/** The fields of an object, each by its path, without what differs between runs by nature. */
export type CanonicalObject = ReadonlyMap<string, string>;

/** The objects that a run touched, in a form in which runs can be compared. */
export interface CanonicalState {
  /** By `RESOURCE OBJECT`; undefined for one that is gone. */
  readonly objects: ReadonlyMap<string, CanonicalObject | undefined>;
  /** How often each object was created and deleted. */
  readonly lives: ReadonlyMap<string, Lives>;
}

export interface Lives {
  created: number;
  deleted: number;
  /** The same for each step of the workload that changed it, and whether it existed at the end of the step. */
  readonly steps: Map<number, StepLives>;
}

export interface StepLives {
  deleted: number;
  present: boolean;
}

/** Fields that only the server decides, or that count writes. */
const SERVER_FIELDS: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
  'selfLink',
  'deletionGracePeriodSeconds',
]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** `RESOURCE OBJECT`; a name that the server has drawn counts as its beginning, and a uid in a name as the object that has it. */
function canonicalId(
  ref: ObjectRef,
  { metadata }: KubernetesObject,
  names: ReadonlyMap<string, string>,
): string {
  const { generateName } = metadata ?? {};
  const drawn = generateName !== undefined && ref.name.startsWith(generateName);
  if (!drawn) return `${ref.resource} ${withNames(ref.object, names)}`;
  const place = ref.namespace === '' ? '' : `${ref.namespace}/`;
  return `${ref.resource} ${place}${generateName}*`;
}

/** The state at the end of a run. */
export function canonicalState(history: ClusterHistory): CanonicalState {
  const names = new Map<string, string>();
  const last = new Map<string, { id: string; object: KubernetesObject | undefined }>();
  const lives = new Map<string, Lives>();
  const gone = new Set<string>();
  const dangling = new Set<string>();
  for (const { ref, type, before, after, step } of history.changes) {
    if (isBackgroundResource(ref.resource)) continue;
    const kv = after ?? before;
    if (kv === undefined) continue;
    const object = history.objectOf(kv);
    const { uid = '', ownerReferences = [] } = object.metadata ?? {};
    const id = canonicalId(ref, object, names);
    names.set(uid, id);
    if (type === 'deleted') gone.add(uid);
    last.set(`${ref.resource} ${ref.object}`, { id, object: after && history.objectOf(after) });
    // Created for an owner that was gone, because a cache was behind, and then collected: that happens to right controllers.
    const dangles = ownerReferences.length > 0 && ownerReferences.every((one) => gone.has(one.uid));
    if (type === 'created' && dangles) dangling.add(uid);
    if (dangling.has(uid)) continue;
    const counts = lives.get(id) ?? { created: 0, deleted: 0, steps: new Map() };
    lives.set(id, counts);
    const ofStep = counts.steps.get(step) ?? { deleted: 0, present: false };
    counts.steps.set(step, ofStep);
    ofStep.present = after !== undefined;
    if (type === 'deleted') ofStep.deleted += 1;
    if (type === 'created') counts.created += 1;
    if (type === 'deleted') counts.deleted += 1;
  }
  const objects = new Map<string, CanonicalObject | undefined>();
  for (const { id, object } of last.values()) {
    // Of several objects with drawn names, the present ones are compared.
    if (object === undefined) objects.set(id, objects.get(id));
    else objects.set(numbered(objects, id), fieldsOf(object, names));
  }
  return { objects, lives };
}

function numbered(objects: ReadonlyMap<string, CanonicalObject | undefined>, id: string): string {
  if (objects.get(id) === undefined) return id;
  let number = 2;
  while (objects.has(`${id} ${number}`)) number += 1;
  return `${id} ${number}`;
}

function fieldsOf(object: KubernetesObject, names: ReadonlyMap<string, string>): CanonicalObject {
  const fields = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) visit(one, `${path}[${index}]`);
      return;
    }
    if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) {
        if (path === 'metadata' && SERVER_FIELDS.has(name)) continue;
        if (name === 'observedGeneration') continue;
        visit(one, path === '' ? name : `${path}.${name}`);
      }
      return;
    }
    fields.set(path, textOf(value, names));
  };
  visit(object, '');
  return fields;
}

function textOf(value: unknown, names: ReadonlyMap<string, string>): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (TIME.test(value)) return '(a time)';
  return JSON.stringify(withNames(value, names));
}

/** A text with the objects that have the uids in it in place of these. */
function withNames(text: string, names: ReadonlyMap<string, string>): string {
  return replaceUids(text, (uid) => `(the uid of ${names.get(uid) ?? 'an object of the world'})`);
}
