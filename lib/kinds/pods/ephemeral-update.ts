import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import { fieldForbidden } from '../../server/registry/rules/field-causes.ts';
import { jsonEqual, recordAt, recordsAt, textAt } from '../../meta/json-value.ts';
import { keepAllBut } from '../subresources/kept-fields.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { unifiedDiff } from '../../server/registry/validation/unified-diff.ts';
import { checkPod, podReport } from './pod-checks.ts';
import { goJson } from './pod-spec-form.ts';
import { checkAnnotationUpdate, countChange } from './pod-update.ts';
import { MIRROR_ANNOTATION } from './report/pod-report.ts';

const LIST = 'ephemeralContainers';

/** Ephemeral containers can be added, but neither changed nor removed. The order does not matter, because patches change it. */
const onlyAdditions: Check = (_object, _path, report) => {
  if (recordAt(report.existing, 'metadata', 'annotations')?.[MIRROR_ANNOTATION] !== undefined) {
    report.add(fieldForbidden('[]', 'static pods do not support ephemeral containers'));
    return;
  }
  const pod = podReport(report);
  checkPod(pod);
  checkAnnotationUpdate(pod);
  const present = recordsAt(pod.spec, LIST);
  for (const old of recordsAt(pod.content.oldSpec, LIST)) {
    const name = textAt(old, 'name');
    const found = present.findLast((one) => textAt(one, 'name') === name);
    const subject = `existing ephemeral containers ${JSON.stringify(name)} may not be`;
    if (found === undefined) pod.add(fieldForbidden(`spec.${LIST}`, `${subject} removed\n`));
    else if (!jsonEqual(found, old)) {
      const [before, after] = [old, found].map((one) =>
        goJson(goForm('core.EphemeralContainer', one)),
      ) as [string, string];
      const difference = unifiedDiff(before, after);
      pod.add(fieldForbidden(`spec.${LIST}`, `${subject} changed\n${difference}`));
    }
  }
};

/**
 * `pods/NAME/ephemeralcontainers` adds containers for debugging; it changes nothing else.
 * @see pkg/registry/core/pod/strategy.go podEphemeralContainersStrategy @ v1.36.3
 */
export const ephemeralContainersStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(pod, existing) {
    keepAllBut(pod, existing, { [LIST]: recordAt(pod, 'spec')?.[LIST] });
    countChange(pod, existing);
  },
  validateUpdate: (pod, existing, policy) => causesOf(onlyAdditions, pod, existing, policy),
};
