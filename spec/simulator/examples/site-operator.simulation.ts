import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../../lib/index.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import {
  siteOperator,
  type Site,
  type SiteTypes,
} from '../../../examples/site-operator/operator.ts';

const NAMESPACE = 'shop';
const EXAMPLE = join(import.meta.dirname, '../../../examples/site-operator');

const sites = (user: Client<SiteTypes>) =>
  user.resource('example.com/v1', 'sites', { namespace: NAMESPACE });

const site = (greeting: string, replicas: number) =>
  ({
    apiVersion: 'example.com/v1',
    kind: 'Site',
    metadata: { name: 'hello' },
    spec: { greeting, replicas },
  }) as const;

/** The operator of the example, unchanged, and what a user does with a site. */
const simulation: SimulationOptions<SiteTypes> = {
  world: {
    objects: `${readFileSync(join(EXAMPLE, 'sites.yaml'), 'utf8')}
---
apiVersion: v1
kind: Namespace
metadata: { name: ${NAMESPACE} }
`,
  },
  controllers: [
    {
      name: 'site-operator',
      run: async ({ client, runtime, signal, logger }) => {
        await using operator = siteOperator(client, { runtime, logger });
        await operator.run({ signal });
      },
    },
  ],
  invariants: [
    {
      name: 'the page and the server of a site are as its spec says',
      eventually: (state) => {
        const { spec } = state.get<Site>('example.com/v1', 'sites', 'hello', NAMESPACE) ?? {};
        const page = state.get('v1', 'configmaps', 'hello', NAMESPACE);
        const server = state.get('apps/v1', 'deployments', 'hello', NAMESPACE);
        return (
          page?.data?.['index.html'] === `<h1>${spec?.greeting}</h1>` &&
          server?.spec?.replicas === spec?.replicas
        );
      },
    },
    {
      name: 'the directory has the site, and its status says that it is not ready',
      eventually: (state) => {
        const { spec, status } =
          state.get<Site>('example.com/v1', 'sites', 'hello', NAMESPACE) ?? {};
        const directory = state.get('v1', 'configmaps', 'sites', NAMESPACE);
        return (
          directory?.data?.['hello'] === spec?.greeting &&
          status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'False') === true
        );
      },
    },
  ],
  workload: [
    {
      title: 'create a site',
      act: async (user) => {
        await sites(user).create(site('good morning', 2));
      },
      until: (state) => state.get('apps/v1', 'deployments', 'hello', NAMESPACE) !== undefined,
    },
    {
      title: 'scale it',
      act: async (user) => {
        await sites(user).patch('hello', { spec: { replicas: 3 } });
      },
    },
    {
      title: 'delete its page',
      act: async (user) => {
        await user.resource('v1', 'configmaps', { namespace: NAMESPACE }).delete('hello');
      },
    },
    {
      title: 'delete the site',
      act: async (user) => {
        await sites(user).delete('hello');
      },
      until: (state) => state.get('apps/v1', 'deployments', 'hello', NAMESPACE) === undefined,
    },
    {
      title: 'create it again',
      act: async (user) => {
        await sites(user).create(site('good evening', 1));
      },
    },
  ],
};

export default simulation;
