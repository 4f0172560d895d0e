import { forbidden } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import { jsonEqual, numberAt, textAt } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, when } from '../../server/registry/validation/combine.ts';
import { oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

/** The values of the classes of the system. @see pkg/apis/scheduling/v1/helpers.go @ v1.36.3 */
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);
const SYSTEM_PREFIX = 'system-';
const HIGHEST_OF_USERS = 1_000_000_000;

function systemProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const known = SYSTEM_CLASSES.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

const valueOfName: Check = (object, _path, report) => {
  const name = textAt(object, 'metadata', 'name');
  const value = numberAt(object, 'value');
  if (!name.startsWith(SYSTEM_PREFIX)) {
    if (value <= HIGHEST_OF_USERS) return;
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`;
    report.forbidden('value', detail);
    return;
  }
  const problem = systemProblem(name, value, report.object['globalDefault'] === true);
  if (problem === undefined) return;
  const detail = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`;
  report.forbidden('metadata.name', detail);
};

const policies = oneOf(['PreemptLowerPriority', 'Never']);

const preemptionPolicy: Check = (value, path, report) => {
  if (value === '') report.required(path);
  else policies(value, path, report);
};

/** Only these rules hold at an update. */
const unchanged = fields({
  value: (value, path, report, old) => {
    if ((value ?? 0) !== (old ?? 0)) report.forbidden(path, 'may not be changed in an update.');
  },
  preemptionPolicy: (value, path, report, old) => {
    if (!jsonEqual(value, old)) report.immutable(path, value ?? null);
  },
});

/** @see pkg/apis/scheduling/validation/validation.go ValidatePriorityClass @ v1.36.3 */
const classChecks: Check = all(
  when((_object, { isUpdate }) => !isUpdate, all(valueOfName, fields({ preemptionPolicy }))),
  when((_object, { isUpdate }) => isUpdate, unchanged),
);

const CLASSES = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };

/** @throws {ApiError} 403. @see plugin/pkg/admission/priority @ v1.36.3 */
function refuseSecondDefault(
  { metadata }: UnstructuredObject,
  classes: readonly UnstructuredObject[],
): void {
  const other = classes.find((one) => one['globalDefault'] === true)?.metadata?.name;
  const name = metadata?.name ?? '';
  if (other === undefined || other === name) return;
  const reason = `PriorityClass ${other} is already marked as default. Only one default can exist`;
  throw forbidden(CLASSES, name, reason);
}

export const priorityClasses: KindRules = {
  group: 'scheduling.k8s.io',
  resource: 'priorityclasses',
  newHooks: ({ storeOf }) => ({
    async authorize(_context, priorityClass) {
      if (priorityClass['globalDefault'] !== true) return;
      const store = storeOf(CLASSES.group, CLASSES.resource);
      const { items = [] } = (await store?.list(serverContext(''))) ?? {};
      refuseSecondDefault(
        priorityClass,
        items.map(({ object }) => object),
      );
    },
  }),
  strategy: {
    ...checkedBy(classChecks),
    // It is set once: updates do not count.
    prepareForCreate({ metadata }: MutableObject) {
      metadata.generation = 1;
    },
  },
};
