import { isRecord, numberAt, recordsAt } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { all, fields, required } from '../../../server/registry/validation/combine.ts';
import { httpHeaderName, portName } from '../../../server/registry/validation/formats.ts';
import { atLeast, nonNegative, portNumber } from '../../../server/registry/validation/values.ts';
import { partCheck } from '../report/pod-report.ts';
import { oneMember, oneOfTexts, text } from '../report/small-checks.ts';

const portText = text(portName);

/** The number or the name of a port. */
export const portNumberOrName: Check = (port, path, report) => {
  if (typeof port === 'string') portText(port, path, report);
  else portNumber(port ?? 0, path, report);
};

const header = text(httpHeaderName);

const headers: Check = (list, path, report) => {
  for (const one of recordsAt(list)) header(one['name'], path, report);
};

const sleep = partCheck((action, path, pod) => {
  const seconds = numberAt(action, 'seconds');
  const limit = pod.gracePeriod;
  if (limit === undefined || (seconds >= 0 && seconds <= limit)) return;
  const rule = `must be non-negative and less than terminationGracePeriodSeconds (${limit})`;
  pod.invalid(path, seconds, rule);
});

const http: Check = fields({
  path: required(),
  port: portNumberOrName,
  scheme: oneOfTexts('HTTP', 'HTTPS'),
  httpHeaders: headers,
});
const anyPort = fields({ port: portNumberOrName });
const HANDLERS = [
  { name: 'exec', check: fields({ command: required() }) },
  { name: 'httpGet', check: http },
  { name: 'tcpSocket', check: anyPort },
];
const TEXTS = {
  second: 'may not specify more than 1 handler type',
  none: 'must specify a handler type',
};

function given(check: Check): Check {
  return (value, path, report) => {
    if (isRecord(value)) check(value, path, report);
  };
}

const probe: Check = all(
  oneMember([...HANDLERS, { name: 'grpc', check: anyPort }], TEXTS),
  fields({
    initialDelaySeconds: nonNegative,
    timeoutSeconds: nonNegative,
    periodSeconds: nonNegative,
    successThreshold: nonNegative,
    failureThreshold: nonNegative,
    terminationGracePeriodSeconds: atLeast(1, 'must be greater than 0'),
  }),
);

const succeedsOnce: Check = (value, path, report) => {
  const threshold = numberAt(value, 'successThreshold');
  if (threshold !== 1) report.invalid(`${path}.successThreshold`, threshold, 'must be 1');
};

const noGracePeriod: Check = (value, path, report) => {
  const seconds = isRecord(value) ? value['terminationGracePeriodSeconds'] : undefined;
  if (seconds === undefined) return;
  const rule = 'must not be set for readinessProbes';
  report.invalid(`${path}.terminationGracePeriodSeconds`, seconds, rule);
};

/** The probes of a container that runs on. */
export const probes: Check = fields({
  livenessProbe: given(all(probe, succeedsOnce)),
  readinessProbe: given(all(probe, noGracePeriod)),
  startupProbe: given(all(probe, succeedsOnce)),
});

const handler = given(oneMember([...HANDLERS, { name: 'sleep', check: sleep }], TEXTS));

/** Hooks of a container. Stop signals are dropped before, because they are switched off by default. */
export const lifecycle: Check = fields({ postStart: handler, preStop: handler });
