import type { JsonRecord } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { all, each, fields, required } from '../../../server/registry/validation/combine.ts';
import { objectFieldOf, resourceFieldOf } from '../report/field-references.ts';
import { fileMode, requiredText } from '../report/small-checks.ts';
import { unreservedPath } from './local-path.ts';

/** The files of a Secret or a ConfigMap. */
export const keyToPath: Check = fields({
  key: required(),
  path: requiredText(unreservedPath),
  mode: fileMode,
});

export const keyedFiles: Check = each(keyToPath);

const objectField = objectFieldOf([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]);
const resourceField = resourceFieldOf({ inVolume: true });

const fileContent: Check = (file, path, report) => {
  const { fieldRef, resourceFieldRef } = file as JsonRecord;
  if (fieldRef !== undefined) {
    objectField(fieldRef, `${path}.fieldRef`, report);
    const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    if (resourceFieldRef !== undefined) report.invalid(path, 'resource', both);
  } else if (resourceFieldRef !== undefined) {
    resourceField(resourceFieldRef, `${path}.resourceFieldRef`, report);
  } else report.required(path, 'one of fieldRef and resourceFieldRef is required');
};

/** A file of the downward API. API servers report on it at the path of its source. */
export const downwardFile: Check = all(
  fields({ path: requiredText(unreservedPath) }),
  fileContent,
  fields({ mode: fileMode }),
);
