import { labelSelectorFromSpec } from '../../meta/selectors/label-selector.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ScaleDefinition } from '../../server/registry/contract/kind-definition.ts';
import type { TableColumn, TableConvertor } from '../../server/registry/contract/rest-storage.ts';
import { ageOf } from '../../server/registry/rules/duration.ts';
import { numberAt, recordAt, textAt, valueAt } from '../../meta/json-value.ts';
import { builtInColumns } from '../columns/built-in-columns.ts';

/** The label selector of a workload as text; empty when there is none or it is invalid. */
function selectorText(object: KubernetesObject): string {
  const selector = recordAt(object, 'spec', 'selector');
  if (selector === undefined) return '';
  try {
    return labelSelectorFromSpec(selector).toString();
  } catch {
    return '';
  }
}

const NAMED = { group: '', version: 'v1', resource: 'replicationcontrollers' } as const;

/** @see pkg/printers/internalversion/printers.go printScale @ v1.36.3 */
const scaleTable: TableConvertor = {
  get columns() {
    const named = builtInColumns(NAMED);
    const count = (name: string, description: string): TableColumn => ({
      name,
      type: 'integer',
      format: '',
      description,
      priority: 0,
    });
    return [
      { ...(named.find(({ name }) => name === 'Name') as TableColumn), format: '' },
      count('Desired', 'replicas is the desired number of instances for the scaled object.'),
      count(
        'Available',
        'replicas is the actual number of observed instances of the scaled object.',
      ),
      named.find(({ name }) => name === 'Age') as TableColumn,
    ];
  },
  cells: (scale, nowMs) => [
    textAt(scale, 'metadata', 'name'),
    numberAt(scale, 'spec', 'replicas'),
    numberAt(scale, 'status', 'replicas'),
    ageOf(valueAt(scale, 'metadata', 'creationTimestamp'), nowMs),
  ],
};

export const workloadScale: ScaleDefinition = {
  specReplicasPath: ['spec', 'replicas'],
  statusReplicasPath: ['status', 'replicas'],
  table: scaleTable,
  selectorOf: selectorText,
};
