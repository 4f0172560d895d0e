import type { UnstructuredObject } from '../../meta/object.ts';
import { newStatusStrategy, type UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import {
  fieldForbidden,
  fieldImmutable,
  fieldInvalid,
} from '../../server/registry/rules/field-causes.ts';
import {
  numberAt,
  recordAt,
  recordsAt,
  setOwn,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { dnsSubdomain, qualifiedName } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { parseIp } from '../../server/registry/validation/addresses/ip-address.ts';
import {
  ipWarnings,
  legacyIp,
  unlessStored,
} from '../../server/registry/validation/addresses/ip-formats.ts';
import { format } from '../../server/registry/validation/values.ts';
import { podReport } from './pod-checks.ts';
import { checkAnnotationUpdate } from './pod-update.ts';
import type { PodReport } from './report/pod-report.ts';
import { text } from './report/small-checks.ts';
import { checkClaimStatuses, checkExtendedClaim } from './statuses/claim-statuses.ts';
import {
  checkDevices,
  checkTransitions,
  checkUsers,
  refuseDevices,
} from './statuses/container-statuses.ts';

const CONTAINERS = 'containerStatuses';
const INIT = 'initContainerStatuses';
const EPHEMERAL = 'ephemeralContainerStatuses';

const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];
const NOT_NEGATIVE = 'must be a non-negative integer';
const conditionType = text(qualifiedName);
const nodeName = format(dnsSubdomain);

function checkConditions(status: JsonRecord, pod: PodReport): void {
  for (const [index, one] of recordsAt(status, 'conditions').entries()) {
    const at = `status.conditions[${index}]`;
    const generation = numberAt(one, 'observedGeneration');
    const type = textAt(one, 'type');
    if (generation < 0) {
      pod.add(fieldInvalid(`${at}.observedGeneration`, generation, NOT_NEGATIVE));
    }
    if (!SYSTEM_CONDITIONS.includes(type)) conditionType(type, `${at}.Type`, pod);
  }
}

function checkNode(status: JsonRecord, before: JsonRecord, pod: PodReport): void {
  const at = 'status.nominatedNodeName';
  const name = textAt(status, 'nominatedNodeName');
  if (name === '' || name === textAt(before, 'nominatedNodeName')) return;
  nodeName(name, at, pod);
  if (textAt(pod.content.oldSpec, 'nodeName') === '') return;
  const rule = 'may not be set on pods that are already bound to a node';
  pod.add(fieldForbidden(at, rule));
}

/** The addresses of the pod or of its node: valid, and at most one of each family. */
function checkAddresses(
  member: 'podIPs' | 'hostIPs',
  status: JsonRecord,
  before: JsonRecord,
  pod: PodReport,
): void {
  const path = `status.${member}`;
  const list = recordsAt(status, member);
  const texts = list.map((one) => textAt(one, 'ip'));
  const stored = recordsAt(before, member).map((one) => textAt(one, 'ip'));
  const address = format(unlessStored(legacyIp, stored));
  for (const [index, one] of texts.entries()) address(one, `${path}[${index}]`, pod);
  if (list.length < 2) return;
  const families = new Set(texts.map((one) => parseIp(one)?.family));
  if (list.length === 2 && families.size === 2) return;
  const rule = 'may specify no more than one IP for each IP family';
  pod.add(
    fieldInvalid(
      path,
      list.map((one) => goForm(`core.${member === 'podIPs' ? 'PodIP' : 'HostIP'}`, one)),
      rule,
    ),
  );
}

function checkHostAddress(status: JsonRecord, pod: PodReport): void {
  const first = recordsAt(status, 'hostIPs')[0];
  if (first === undefined || textAt(first, 'ip') === textAt(status, 'hostIP')) return;
  pod.add(fieldInvalid('status.hostIPs[0].ip', textAt(first, 'ip'), 'must be equal to `hostIP`'));
}

/** @see pkg/apis/core/validation/validation.go ValidatePodStatusUpdate @ v1.36.3 */
const statusChecks: Check = (_object, _path, report) => {
  const pod = podReport(report);
  const status = recordAt(pod.object, 'status') ?? {};
  const before = recordAt(pod.existing, 'status') ?? {};
  const [containers, initContainers] = ['containers', 'initContainers'].map((list) =>
    recordsAt(pod.spec, list),
  ) as [JsonRecord[], JsonRecord[]];
  checkAnnotationUpdate(pod);
  checkConditions(status, pod);
  checkNode(status, before, pod);
  const generation = numberAt(status, 'observedGeneration');
  if (generation < 0) {
    pod.add(fieldInvalid('status.observedGeneration', generation, NOT_NEGATIVE));
  }
  const qos = textAt(status, 'qosClass');
  if (qos !== textAt(before, 'qosClass')) pod.add(fieldImmutable('status.qosClass', qos));
  checkTransitions(pod, CONTAINERS, containers);
  checkTransitions(pod, INIT, initContainers);
  checkTransitions(pod, EPHEMERAL, undefined);
  checkClaimStatuses(pod);
  checkExtendedClaim(pod);
  checkAddresses('podIPs', status, before, pod);
  checkHostAddress(status, pod);
  checkAddresses('hostIPs', status, before, pod);
  for (const list of [CONTAINERS, INIT, EPHEMERAL]) checkUsers(pod, list);
  checkDevices(pod, CONTAINERS, containers);
  checkDevices(pod, INIT, initContainers);
  refuseDevices(pod, EPHEMERAL);
};

/** A generation that a client leaves out is kept. */
function keepGenerations(status: JsonRecord, before: JsonRecord): void {
  const name = 'observedGeneration';
  const keep = (record: JsonRecord, old: number): void => {
    if (old !== 0 && numberAt(record, name) === 0) record[name] = old;
  };
  keep(status, numberAt(before, name));
  const known = new Map<string, number[]>();
  for (const one of recordsAt(before, 'conditions')) {
    const type = textAt(one, 'type');
    known.set(type, [...(known.get(type) ?? []), numberAt(one, name)]);
  }
  for (const one of recordsAt(status, 'conditions')) {
    keep(one, known.get(textAt(one, 'type'))?.shift() ?? 0);
  }
}

/** Fields of the status whose features are switched off by default. */
const OFF = ['nodeAllocatableResourceClaimStatuses'];

const base = newStatusStrategy({
  validateUpdate: (pod, existing, policy) => causesOf(statusChecks, pod, existing, policy),
});

/** @see pkg/registry/core/pod/strategy.go podStatusStrategy @ v1.36.3 */
export const podStatusStrategy: UpdateStrategy = {
  ...base,
  prepareForUpdate(pod: MutableObject, existing: MutableObject, context) {
    base.prepareForUpdate(pod, existing, context);
    const owners = existing.metadata['ownerReferences'];
    if (owners === undefined) delete pod.metadata['ownerReferences'];
    else setOwn(pod.metadata, 'ownerReferences', owners);
    const status = recordAt(pod, 'status');
    const before = recordAt(existing, 'status') ?? {};
    if (status === undefined) return;
    if (textAt(status, 'qosClass') === '' && before['qosClass'] !== undefined) {
      status['qosClass'] = before['qosClass'];
    }
    keepGenerations(status, before);
    for (const name of OFF) if (before[name] === undefined) delete status[name];
  },
  warnings: (pod: UnstructuredObject) =>
    ['podIPs', 'hostIPs'].flatMap((member) =>
      recordsAt(pod, 'status', member).flatMap((one, index) =>
        ipWarnings(`status.${member}[${index}].ip`, textAt(one, 'ip')),
      ),
    ),
};
