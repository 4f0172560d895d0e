import type { Service } from '../../../types/built-in/core-v1-kinds.ts';
import type { Endpoint, EndpointHints } from '../../../types/built-in/discovery-v1-kinds.ts';

/** Which hints the endpoints of a service have: none, their zone, or their zone and node. */
export type HintRule = 'none' | 'zone' | 'node';

/** An older way to ask for hints, by the processors of the zones: nothing is made of it, but it excludes the other one. */
const TOPOLOGY_MODES = [
  'service.kubernetes.io/topology-aware-hints',
  'service.kubernetes.io/topology-mode',
];

/** @see endpointslice trafficdist/trafficdist.go @ v0.37.2 */
export function hintRuleOf({ metadata, spec }: Service): HintRule {
  const { annotations = {} } = metadata ?? {};
  const mode = TOPOLOGY_MODES.map((name) => annotations[name]).find((one) => one !== undefined);
  if (mode === 'Auto' || mode === 'auto') return 'none';
  switch (spec?.trafficDistribution) {
    case 'PreferClose':
    case 'PreferSameZone':
      return 'zone';
    case 'PreferSameNode':
      return 'node';
    default:
      return 'none';
  }
}

function hintsFor({ zone, nodeName }: Endpoint, rule: HintRule): EndpointHints | undefined {
  const hints: EndpointHints = {
    ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
    ...(nodeName === undefined || rule !== 'node' ? {} : { forNodes: [{ name: nodeName }] }),
  };
  return Object.keys(hints).length === 0 ? undefined : hints;
}

/** The endpoint with its hints. With a rule, one that is not ready keeps what it has. */
export function withHints(endpoint: Endpoint, rule: HintRule): Endpoint {
  if (rule !== 'none' && endpoint.conditions?.ready !== true) return endpoint;
  const { hints: _, ...rest } = endpoint;
  const hints = rule === 'none' ? undefined : hintsFor(endpoint, rule);
  return hints === undefined ? rest : { ...rest, hints };
}

/** Whether a slice with these endpoints has other hints than it should. */
export function lacksHints(endpoints: readonly Endpoint[], rule: HintRule): boolean {
  return endpoints.some((endpoint) => {
    if (rule === 'none') return endpoint.hints !== undefined;
    return endpoint.conditions?.ready === true && !hasHints(endpoint, hintsFor(endpoint, rule));
  });
}

function hasHints({ hints }: Endpoint, wanted: EndpointHints | undefined): boolean {
  const names = (one: EndpointHints = {}): string =>
    JSON.stringify([one.forZones ?? [], one.forNodes ?? []]);
  return names(hints) === names(wanted);
}
