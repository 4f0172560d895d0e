import { isSince } from '../../meta/releases/kubernetes-features.ts';
import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import {
  jsonEqual,
  recordAt,
  recordsAt,
  setOwn,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { keepAllBut } from '../subresources/kept-fields.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { isSidecar } from './containers/containers.ts';
import { checkPod, podReport } from './pod-checks.ts';
import { completePodResources } from './spec/pod-level-resources.ts';
import { qosClassOf } from './pod-qos.ts';
import { countChange } from './pod-update.ts';
import { MIRROR_ANNOTATION, type PodReport } from './report/pod-report.ts';

// See pkg/apis/core/validation/validation.go ValidatePodResize, pkg/registry/core/pod/strategy.go podResizeStrategy @ v1.36.3.

const LISTS = ['initContainers', 'containers'] as const;
const AMOUNTS = ['requests', 'limits'] as const;
const COMPUTE = ['cpu', 'memory'];

function countOf(pod: unknown, list: string): number {
  return recordsAt(pod, 'spec', list).length;
}

/** The stored containers with the resources of the given ones. Other names stay, for the validation to refuse. */
function resized(pod: MutableObject, existing: MutableObject, list: string): unknown {
  const given = recordsAt(pod, 'spec', list);
  const before = recordsAt(existing, 'spec', list);
  if (before.length === 0) return recordAt(existing, 'spec')?.[list];
  if (given.some((one, index) => one['name'] !== before[index]?.['name'])) return given;
  return before.map((one, index) => {
    const container: JsonRecord = { ...one, resources: given[index]?.['resources'] ?? {} };
    const policy = given[index]?.['resizePolicy'];
    if (policy === undefined) delete container['resizePolicy'];
    else container['resizePolicy'] = policy;
    return container;
  });
}

/** Refuses what the pod cannot do at all. @returns whether the rest is checked. */
function mayResize(pod: PodReport): boolean {
  const annotations = recordAt(pod.existing, 'metadata', 'annotations');
  const refuse = (what: string): boolean => {
    pod.forbidden('[]', `${what} pods cannot be resized`);
    return false;
  };
  if (annotations?.[MIRROR_ANNOTATION] !== undefined) return refuse('static');
  return textAt(pod.content.oldSpec, 'os', 'name') !== 'windows' || refuse('windows');
}

/** Whether the node of the pod says what its containers have. */
function nodeResizes(existing: unknown): boolean {
  const running = recordsAt(existing, 'status', 'containerStatuses').find(
    (one) => recordAt(one, 'state', 'running') !== undefined,
  );
  return running === undefined || running['resources'] !== undefined;
}

function isRemoved(now: JsonRecord | undefined, before: JsonRecord | undefined): boolean {
  return Object.keys(before ?? {}).some((name) => !Object.hasOwn(now ?? {}, name));
}

function refuseRemoved(
  now: unknown,
  before: unknown,
  at: string,
  subject: string,
  pod: PodReport,
): void {
  for (const which of AMOUNTS) {
    if (!isRemoved(recordAt(now, which), recordAt(before, which))) continue;
    pod.forbidden(`${at}.${which}`, `${subject}resource ${which} cannot be removed`);
  }
}

/** The resources with the stored processor and memory. */
function withStoredCompute(now: unknown, before: unknown): JsonRecord {
  const resources: JsonRecord = {};
  for (const which of AMOUNTS) {
    const amounts: JsonRecord = { ...recordAt(now, which) };
    const stored = recordAt(before, which) ?? {};
    for (const name of COMPUTE) {
      if (Object.hasOwn(stored, name)) setOwn(amounts, name, stored[name]);
      else delete amounts[name];
    }
    if (Object.keys(amounts).length > 0) resources[which] = amounts;
  }
  return resources;
}

function checkWhole(pod: PodReport, before: JsonRecord): void {
  const [now, old] = [recordAt(pod.spec, 'resources'), recordAt(before, 'resources')];
  if (now === undefined && old === undefined) return;
  if (now === undefined) {
    pod.forbidden('spec.resources', 'pod-level resources cannot be removed');
    return;
  }
  refuseRemoved(now, old, 'spec.resources', 'pod-level ', pod);
  const { claims } = now;
  const kept = { ...withStoredCompute(now, old), ...(claims === undefined ? {} : { claims }) };
  if (!jsonEqual(kept, old ?? {})) {
    pod.forbidden('spec', 'only cpu and memory resources are mutable at pod-level');
  }
}

/** @returns whether all containers are where they were. */
function checkOrder(pod: PodReport, before: JsonRecord): boolean {
  const count = pod.causes.length;
  for (const list of LISTS.toReversed()) {
    const stored = recordsAt(before, list);
    const given = recordsAt(pod.spec, list);
    if (given.length !== stored.length) {
      pod.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`);
      continue;
    }
    for (const [index, old] of stored.entries()) {
      if (given[index]?.['name'] === old['name']) continue;
      const rule = `${list} may not be renamed or reordered on resize`;
      pod.forbidden(`spec.${list}[${index}].name`, rule);
    }
  }
  return pod.causes.length === count;
}

function restarts(container: JsonRecord): boolean {
  return recordsAt(container, 'resizePolicy').some(
    ({ restartPolicy }) => restartPolicy === 'RestartContainer',
  );
}

/** Refuses other changes than those of processor and memory. */
function refuseOthers(pod: PodReport, before: JsonRecord, list: string): void {
  const stored = recordsAt(before, list);
  for (const [index, one] of recordsAt(pod.spec, list).entries()) {
    const old = stored[index] ?? {};
    const at = `spec.${list}[${index}]`;
    const resources = withStoredCompute(one['resources'], old['resources']);
    const fixed = { ...one, resources };
    const isInit = list === 'initContainers';
    if (!jsonEqual(fixed, { ...old, resources: old['resources'] ?? {} })) {
      const of = isInit ? ' for init or sidecar containers' : '';
      const rule = `only cpu and memory resources${of} are mutable`;
      pod.forbidden(isInit ? at : 'spec', rule);
    }
    if (isInit && !isSidecar(one) && restarts(one) && !jsonEqual(one, old)) {
      const rule =
        'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
      pod.forbidden(at, rule);
    }
  }
}

const resizeChecks: Check = (_object, _path, report) => {
  const pod = podReport(report);
  const before = pod.content.oldSpec ?? {};
  if (!mayResize(pod)) return;
  checkPod(pod);
  const qos = textAt(pod.existing, 'status', 'qosClass');
  if (qos !== '' && qosClassOf(pod.spec) !== qos) {
    pod.invalid('spec', qos, 'Pod QOS Class may not change as a result of resizing');
  }
  if (!nodeResizes(pod.existing)) {
    pod.forbidden('spec', 'Pod running on node without support for resize');
  }
  checkWhole(pod, before);
  if (!checkOrder(pod, before)) return;
  for (const list of LISTS) {
    for (const [index, old] of recordsAt(before, list).entries()) {
      const now = recordsAt(pod.spec, list)[index]?.['resources'];
      refuseRemoved(now, old['resources'], `spec.${list}[${index}].resources`, '', pod);
    }
  }
  for (const list of LISTS.toReversed()) refuseOthers(pod, before, list);
};

/** `pods/NAME/resize` changes the resources of containers and of the pod, and nothing else. */
export const podResizeStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(pod, existing, { minor }) {
    completePodResources(recordAt(pod, 'spec') ?? {});
    if (LISTS.every((list) => countOf(pod, list) === countOf(existing, list))) {
      const stored = isSince(minor, 'resizeKeepsPodResources')
        ? recordAt(existing, 'spec')?.['resources']
        : undefined;
      const fields: JsonRecord = { resources: recordAt(pod, 'spec')?.['resources'] ?? stored };
      for (const list of LISTS) fields[list] = resized(pod, existing, list);
      keepAllBut(pod, existing, fields);
    }
    countChange(pod, existing);
  },
  validateUpdate: (pod, existing, policy) => causesOf(resizeChecks, pod, existing, policy),
};
