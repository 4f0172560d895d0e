import { hasCondition } from '../../server/custom/definition/custom-resource-definition.ts';
import { recordsAt, textAt, textsAt } from '../../meta/json-value.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import { creationTime } from '../../server/registry/contract/table-columns.ts';
import { nameCell } from './row-cells.ts';

/** @see apiextensions-apiserver pkg/registry/customresourcedefinition/tableconvertor @ v0.37.2 */
export const definitionCells: RowCells = (definition) => {
  const versions = recordsAt(definition, 'spec', 'versions')
    .filter((version) => version['served'] === true)
    .map((version) => textAt(version, 'name') + (version['storage'] === true ? '(storage)' : ''));
  return [
    nameCell(definition),
    textAt(definition, 'spec', 'scope'),
    versions.toSorted().join(','),
    creationTime(definition),
    textAt(definition, 'spec', 'group'),
    textAt(definition, 'spec', 'names', 'kind'),
    textsAt(definition, 'spec', 'names', 'shortNames').join(','),
    hasCondition(definition, 'Established'),
  ];
};
