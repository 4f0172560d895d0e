import { recordAt, recordsAt, textAt, textsAt, valueAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, first, required } from '../../server/registry/validation/combine.ts';
import { portName } from '../../server/registry/validation/formats.ts';
import {
  parseCidr,
  type IpNetwork,
} from '../../server/registry/validation/addresses/ip-address.ts';
import {
  cidrWarnings,
  legacyCidr,
  unlessStored,
} from '../../server/registry/validation/addresses/ip-formats.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';
import { format, oneOf, portNumber } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const isPortName = format(portName);

const END = 'may not be specified when `port` is';

/** `port` and `endPort`, which belong together. */
const portRange: Check = (item, path, report) => {
  const port = valueAt(item, 'port');
  const end = valueAt(item, 'endPort');
  const [ofPort, ofEnd] = [`${path}.port`, `${path}.endPort`];
  if (typeof port === 'number') {
    portNumber(port, ofPort, report);
    if (typeof end !== 'number') return;
    if (end < port) {
      const shown = report.isSince('wrongPortEndShown') ? end : port;
      report.invalid(ofEnd, shown, 'must be greater than or equal to `port`');
    }
    portNumber(end, ofEnd, report);
    return;
  }
  const state = port === undefined ? 'not specified' : 'non-numeric';
  if (end !== undefined) report.invalid(ofEnd, end, `${END} ${state}`);
  isPortName(port, ofPort, report);
};

const policyPort: Check = all(fields({ protocol: oneOf(['TCP', 'UDP', 'SCTP']) }), portRange);

const selector = labelSelector();

function contains(outer: IpNetwork, inner: IpNetwork): boolean {
  if (outer.address.family !== inner.address.family || outer.length >= inner.length) return false;
  const hostBits = BigInt((outer.address.family === 4 ? 32 : 128) - outer.length);
  return inner.start >> hostBits === outer.start >> hostBits;
}

/** Networks that the stored policy has are accepted, wherever they were. */
function storedNetworks(policy: unknown): readonly string[] {
  if (policy === undefined) return [];
  return peersOf(policy).flatMap(({ peer }) => {
    const block = recordAt(peer, 'ipBlock');
    return block === undefined ? [] : [textAt(block, 'cidr'), ...textsAt(block, 'except')];
  });
}

interface Peer {
  readonly peer: unknown;
  readonly path: string;
}

function peersOf(policy: unknown): Peer[] {
  return [['ingress', 'from'] as const, ['egress', 'to'] as const].flatMap(([rules, peers]) =>
    recordsAt(policy, 'spec', rules).flatMap((rule, index) =>
      recordsAt(rule, peers).map((peer, place) => ({
        peer,
        path: `spec.${rules}[${index}].${peers}[${place}]`,
      })),
    ),
  );
}

const block: Check = (value, path, report) => {
  const isNetwork = format(unlessStored(legacyCidr, storedNetworks(report.existing)));
  first(required(isNetwork), () => {
    const outer = parseCidr(textAt(value, 'cidr'));
    for (const [index, text] of textsAt(value, 'except').entries()) {
      const place = `${path}.except[${index}]`;
      isNetwork(text, place, report);
      const inner = parseCidr(text);
      if (inner !== undefined && outer !== undefined && !contains(outer, inner)) {
        report.invalid(place, text, 'must be a strict subset of `cidr`');
      }
    }
  })(valueAt(value, 'cidr'), `${path}.cidr`, report);
};

const peer: Check = all(
  fields({
    podSelector: selector,
    namespaceSelector: selector,
    ipBlock: (value, path, report) => {
      if (value !== undefined) block(value, path, report);
    },
  }),
  (value, path, report) => {
    const { podSelector, namespaceSelector, ipBlock } = value as Record<string, unknown>;
    const isSelected = podSelector !== undefined || namespaceSelector !== undefined;
    if (!isSelected && ipBlock === undefined) {
      report.required(path, 'must specify a peer');
    } else if (isSelected && ipBlock !== undefined) {
      report.forbidden(path, 'may not specify both ipBlock and another peer');
    }
  },
);

const eachType = each(oneOf(['Ingress', 'Egress']));

const policyTypes: Check = (value, path, report) => {
  if (!Array.isArray(value)) return;
  if (value.length > 2) {
    report.invalid(path, value, 'may not specify more than two policyTypes');
  } else eachType(value, path, report);
};

const checks: Check = fields({
  spec: fields({
    podSelector: selector,
    ingress: each(fields({ ports: each(policyPort), from: each(peer) })),
    egress: each(fields({ ports: each(policyPort), to: each(peer) })),
    policyTypes,
  }),
});

function warnings(policy: unknown): string[] {
  return peersOf(policy).flatMap(({ peer: one, path }) => {
    const networks = recordAt(one, 'ipBlock');
    if (networks === undefined) return [];
    const except = textsAt(networks, 'except');
    return [
      ...cidrWarnings(`${path}.ipBlock.cidr`, textAt(networks, 'cidr')),
      ...except.flatMap((text, index) => cidrWarnings(`${path}.ipBlock.except[${index}]`, text)),
    ];
  });
}

/** @see pkg/apis/networking/validation/validation.go @ v1.36.3 */
export const networkPolicies: KindRules = {
  group: 'networking.k8s.io',
  resource: 'networkpolicies',
  strategy: { ...checkedBy(checks), warnings },
};
