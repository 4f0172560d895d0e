import { fieldDuplicate, fieldInvalid } from '../../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { fields, required } from '../../../server/registry/validation/combine.ts';
import { dnsLabel, dnsSubdomain } from '../../../server/registry/validation/formats.ts';
import { format } from '../../../server/registry/validation/values.ts';
import { podCheck, type PodReport } from '../report/pod-report.ts';
import { oneMember } from '../report/small-checks.ts';
import { volumeSources } from './volume-sources.ts';

const source = oneMember(volumeSources, {
  second: 'may not specify more than 1 volume type',
  none: 'must specify a volume type',
});
const name = fields({ name: required(format(dnsLabel)) });

/** With the volume's name, the address of an iSCSI target has to fit into the name of a session. */
const LONGEST_SESSION = 64;

/** Rules about the name that follow from the source. */
function nameOfSource(volume: JsonRecord, path: string, pod: PodReport): void {
  const own = textAt(volume, 'name');
  const { iscsi, ephemeral } = volume;
  if (isRecord(iscsi) && iscsi['initiatorName'] !== undefined) {
    if (`${own}:${textAt(iscsi, 'targetPortal')}`.length > LONGEST_SESSION) {
      const rule =
        'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
      pod.add(fieldInvalid(`${path}.name`, own, rule));
    }
  }
  if (!isRecord(ephemeral) || pod.name === '' || own === '') return;
  const claim = `${pod.name}-${own}`;
  for (const problem of dnsSubdomain(claim)) {
    const detail = `PVC name ${JSON.stringify(claim)}: ${problem}`;
    pod.add(fieldInvalid(`${path}.name`, own, detail));
  }
}

/**
 * The volumes of a pod. Those without faults are kept in the report, because containers may mount no others.
 * @see pkg/apis/core/validation/validation.go ValidateVolumes @ v1.36.3
 */
export const podVolumes: Check = podCheck((_value, path, pod) => {
  const list = recordsAt(pod.spec, 'volumes');
  for (const [index, volume] of list.entries()) {
    const place = `${path}[${index}]`;
    const before = pod.causes.length;
    source(volume, place, pod);
    nameOfSource(volume, place, pod);
    name(volume, place, pod);
    const own = textAt(volume, 'name');
    if (pod.volumes.has(own)) pod.add(fieldDuplicate(`${place}.name`, own));
    if (pod.causes.length === before) pod.volumes.set(own, volume);
    const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
    if (claim !== '' && createsClaim(list, claim, pod.name)) {
      const rule = 'must not reference a PVC that gets created for an ephemeral volume';
      pod.add(fieldInvalid(`${place}.persistentVolumeClaim.claimName`, claim, rule));
    }
  }
});

/** Whether the claim is one that the pod itself makes. */
function createsClaim(list: readonly JsonRecord[], claim: string, pod: string): boolean {
  if (pod === '') return false;
  return list.some(
    (one) => one['ephemeral'] !== undefined && claim === `${pod}-${textAt(one, 'name')}`,
  );
}
