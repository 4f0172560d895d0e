import type { FieldCause } from '../../../meta/failures.ts';
import type { UpdateStrategy } from '../contract/strategy.ts';
import { fieldForbidden, fieldInvalid } from '../rules/field-causes.ts';
import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../rules/json-value.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { keepAllBut } from './kept-fields.ts';

/** The rules about pods that a resize has to keep, from the kind itself. */
export interface PodRules {
  readonly validate: (pod: MutableObject) => readonly FieldCause[];
  readonly qosClassOf: (spec: unknown) => string;
}

const LISTS = ['initContainers', 'containers'] as const;
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/**
 * `pods/NAME/resize` changes the resources of containers, and nothing else.
 * @see pkg/apis/core/validation ValidatePodResize @ 24a394e
 */
export function podResizeStrategy(rules: PodRules): UpdateStrategy {
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForUpdate(pod, existing) {
      const fields: JsonRecord = {};
      for (const list of LISTS) fields[list] = resized(pod, existing, list);
      if (LISTS.every((list) => countOf(pod, list) === countOf(existing, list))) {
        keepAllBut(pod, existing, fields);
      }
      if (!jsonEqual(pod['spec'], existing['spec'])) {
        pod.metadata.generation = (existing.metadata.generation ?? 0) + 1;
      }
    },
    validateUpdate(pod, existing) {
      if (Object.hasOwn(existing.metadata.annotations ?? {}, MIRROR_ANNOTATION)) {
        return [fieldForbidden('', 'static pods cannot be resized')];
      }
      return [...rules.validate(pod), ...resizeCauses(pod, existing, rules)];
    },
  };
}

function countOf(pod: MutableObject, list: string): number {
  return recordsAt(pod, 'spec', list).length;
}

/** The stored containers with the resources of the given ones. Other names stay, for the validation to refuse. */
function resized(pod: MutableObject, existing: MutableObject, list: string): unknown {
  const given = recordsAt(pod, 'spec', list);
  const before = recordsAt(existing, 'spec', list);
  if (before.length === 0) return recordAt(existing, 'spec')?.[list];
  const sameNames = given.every((one, index) => one['name'] === before[index]?.['name']);
  if (!sameNames) return given;
  return before.map((one, index) => {
    const { resources, resizePolicy } = given[index] ?? {};
    const container: JsonRecord = { ...one, resources: resources ?? {} };
    if (resizePolicy === undefined) delete container['resizePolicy'];
    else container['resizePolicy'] = resizePolicy;
    return container;
  });
}

function resizeCauses(pod: MutableObject, existing: MutableObject, rules: PodRules): FieldCause[] {
  const causes: FieldCause[] = [];
  const qos = textAt(existing, 'status', 'qosClass');
  if (qos !== '' && rules.qosClassOf(pod['spec']) !== qos) {
    causes.push(fieldInvalid('spec', qos, 'Pod QOS Class may not change as a result of resizing'));
  }
  const misplaced = LISTS.toReversed().flatMap((list) => orderCauses(pod, existing, list));
  if (misplaced.length > 0) return [...causes, ...misplaced];
  for (const list of LISTS) causes.push(...removedResources(pod, existing, list));
  causes.push(...otherChanges(pod, existing));
  return causes;
}

function orderCauses(pod: MutableObject, existing: MutableObject, list: string): FieldCause[] {
  if (countOf(pod, list) !== countOf(existing, list)) {
    return [fieldForbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  const given = recordsAt(pod, 'spec', list);
  return recordsAt(existing, 'spec', list).flatMap((old, index) => {
    if (given[index]?.['name'] === old['name']) return [];
    const rule = `${list} may not be renamed or reordered on resize`;
    return [fieldForbidden(`spec.${list}[${index}].name`, rule)];
  });
}

function removedResources(pod: MutableObject, existing: MutableObject, list: string): FieldCause[] {
  const given = recordsAt(pod, 'spec', list);
  return recordsAt(existing, 'spec', list).flatMap((old, index) =>
    ['requests', 'limits'].flatMap((which) => {
      if (list === 'initContainers' && old['restartPolicy'] !== 'Always') return [];
      const before = recordAt(old, 'resources', which) ?? {};
      const after = recordAt(given[index], 'resources', which) ?? {};
      if (Object.keys(before).every((name) => Object.hasOwn(after, name))) return [];
      const rule = `resource ${which} cannot be removed`;
      return [fieldForbidden(`spec.${list}[${index}].resources.${which}`, rule)];
    }),
  );
}

const MUTABLE = 'only cpu and memory resources are mutable';

function otherChanges(pod: MutableObject, existing: MutableObject): FieldCause[] {
  const causes: FieldCause[] = [];
  const before = recordsAt(existing, 'spec', 'containers');
  for (const [index, container] of recordsAt(pod, 'spec', 'containers').entries()) {
    if (!jsonEqual(fixedPart(container), fixedPart(before[index] ?? {}))) {
      causes.push(fieldForbidden('spec', MUTABLE));
    }
  }
  const initBefore = recordsAt(existing, 'spec', 'initContainers');
  for (const [index, container] of recordsAt(pod, 'spec', 'initContainers').entries()) {
    const old = initBefore[index] ?? {};
    if (jsonEqual(container, old)) continue;
    if (old['restartPolicy'] !== 'Always') {
      const rule = 'resources for non-sidecar init containers are immutable';
      causes.push(fieldForbidden('spec', rule));
    } else if (!jsonEqual(fixedPart(container), fixedPart(old))) {
      const rule = 'only cpu and memory resources for init or sidecar containers are mutable';
      causes.push(fieldForbidden(`spec.initContainers[${index}]`, rule));
    }
  }
  return causes;
}

/** A container without its processor and memory. */
function fixedPart(container: JsonRecord): JsonRecord {
  const resources: JsonRecord = { ...recordAt(container, 'resources') };
  for (const which of ['requests', 'limits']) {
    const amounts = resources[which];
    if (!isRecord(amounts)) continue;
    const { cpu: _cpu, memory: _memory, ...others } = amounts;
    if (Object.keys(others).length === 0) delete resources[which];
    else resources[which] = others;
  }
  return { ...container, resources };
}
