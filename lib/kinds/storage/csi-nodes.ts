import {
  fieldDuplicate,
  fieldImmutable,
  fieldInvalid,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { jsonEqual, recordsAt, textAt, textsAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields } from '../../server/registry/validation/combine.ts';
import { qualifiedName } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';

const LONGEST_ID = 256;

const nodeId: Check = (id = '', path, report) => {
  if (id === '') report.add(fieldRequired(path));
  else if (Buffer.byteLength(String(id)) > LONGEST_ID) {
    report.add(fieldInvalid(path, id, `must be ${LONGEST_ID} characters or less`));
  }
};

const one = fields({
  name: csiDriverName,
  nodeID: nodeId,
  allocatable: fields({ count: nonNegative }),
});

/** Keys are named at the driver, not at their place in it. */
const topologyKeys: Check = (driver, path, report) => {
  const seen = new Set<string>();
  for (const key of textsAt(driver, 'topologyKeys')) {
    if (key === '') report.add(fieldRequired(path));
    if (seen.has(key)) report.add(fieldDuplicate(path, key));
    seen.add(key);
    for (const problem of qualifiedName(key)) report.add(fieldInvalid(path, key, problem));
  }
};

/** @see pkg/apis/storage/validation validateCSINodeDrivers @ v1.36.3 */
const drivers: Check = (list, path, report) => {
  const names = new Set<string>();
  each((driver, place) => {
    one(driver, place, report);
    const name = textAt(driver, 'name');
    if (names.has(name)) report.add(fieldDuplicate(`${place}.name`, name));
    names.add(name);
    topologyKeys(driver, place, report);
  })(list, path, report);
};

/** Of a driver that stays, only what can be allocated may change. */
const sameDrivers: Check = (list, path, report, old) => {
  for (const before of recordsAt(old)) {
    for (const driver of recordsAt(list)) {
      if (driver['name'] !== before['name']) continue;
      const { allocatable: _now, ...now } = driver;
      const { allocatable: _then, ...then } = before;
      if (jsonEqual(now, then)) continue;
      report.add(fieldImmutable(path, goForm('storage.CSINodeDriver', now)));
    }
  }
};

export const csiNodes: KindRules = {
  group: 'storage.k8s.io',
  resource: 'csinodes',
  strategy: checkedBy(fields({ spec: fields({ drivers: all(drivers, sameDrivers) }) })),
};
