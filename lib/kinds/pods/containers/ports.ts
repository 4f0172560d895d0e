import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
} from '../../../server/registry/rules/field-causes.ts';
import {
  numberAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Check, Report } from '../../../server/registry/validation/check.ts';
import { fields } from '../../../server/registry/validation/combine.ts';
import { portName } from '../../../server/registry/validation/formats.ts';
import { portNumber } from '../../../server/registry/validation/values.ts';
import { requiredOneOf } from '../report/small-checks.ts';

const requiredPort: Check = (port, path, report) => {
  if (port === 0 || port === undefined) report.add(fieldRequired(path));
  else portNumber(port, path, report);
};

const hostPort: Check = (port, path, report) => {
  if (port !== 0) portNumber(port, path, report);
};

const port: Check = fields({
  containerPort: requiredPort,
  hostPort,
  protocol: requiredOneOf('SCTP', 'TCP', 'UDP'),
});

/** The ports of a container. */
export const containerPorts: Check = (list, path, report) => {
  const names = new Set<string>();
  for (const [index, one] of recordsAt(list).entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(one, 'name');
    const problems = name === '' ? [] : portName(name);
    for (const problem of problems) report.add(fieldInvalid(`${at}.name`, name, problem));
    if (names.has(name)) report.add(fieldDuplicate(`${at}.name`, name));
    if (name !== '' && problems.length === 0) names.add(name);
    port(one, at, report);
  }
};

/** Refuses a port of the node that the containers have twice. */
export function checkHostPorts(
  containers: readonly JsonRecord[],
  path: string,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [place, one] of recordsAt(container, 'ports').entries()) {
      const number = numberAt(one, 'hostPort');
      if (number === 0) continue;
      const text = `${textAt(one, 'protocol')}/${textAt(one, 'hostIP')}/${number}`;
      if (seen.has(text)) {
        report.add(fieldDuplicate(`${path}[${index}].ports[${place}].hostPort`, text));
      }
      seen.add(text);
    }
  }
}
