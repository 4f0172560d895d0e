import type { KindDefinition } from '../contract/kind-definition.ts';
import { daemonSets, deployments, replicaSets, statefulSets } from './apps.ts';
import { configMaps, secrets, serviceAccounts } from './configuration.ts';
import { customResourceDefinitions } from './custom-resource-definitions.ts';
import { events } from './events.ts';
import { jobs } from './jobs.ts';
import { leases } from './leases.ts';
import { namespaces } from './namespaces.ts';
import { nodes } from './nodes.ts';
import { pods } from './pods.ts';
import { services } from './services.ts';

/** The kinds that every server serves, in the order of discovery. */
export const builtInKinds: readonly KindDefinition[] = [
  configMaps,
  events,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  customResourceDefinitions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  jobs,
  leases,
];
