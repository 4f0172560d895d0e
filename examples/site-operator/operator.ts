import {
  controller,
  type Client,
  type Controller,
  type ControllerOptions,
  type KubernetesObject,
} from 'listwatch';

/** A page on the web; its definition is in `sites.yaml`. */
export interface Site extends KubernetesObject {
  readonly spec: { readonly greeting: string; readonly replicas: number };
  readonly status?: {
    readonly ready?: number;
    readonly conditions?: readonly { readonly type: 'Ready'; readonly status: string }[];
  };
}

export interface SiteTypes {
  'example.com/v1/sites': Site;
}

export type SiteOperator = Controller<Site, SiteTypes>;

/**
 * Gives each site a config map and a deployment, and lists it in the directory of its namespace. A finalizer removes it from there.
 */
export function siteOperator(client: Client<SiteTypes>, options?: ControllerOptions): SiteOperator {
  return controller(client, 'example.com/v1', 'sites', { name: 'site-operator', ...options })
    .owns('v1', 'configmaps')
    .owns('apps/v1', 'deployments')
    .finalizer('example.com/directory', async ({ metadata: { name } }, { resource }) => {
      const entry = directory({});
      await resource('v1', 'configmaps').apply(entry, { fieldManager: `site-${name}` });
    })
    .reconcile(async ({ metadata: { name }, spec }, { resource, own, event }) => {
      const maps = resource('v1', 'configmaps');
      const entry = directory({ [name]: spec.greeting });
      await maps.apply(entry, { fieldManager: `site-${name}` });
      await maps.apply(own(pageOf(name, spec.greeting)));
      const api = resource('apps/v1', 'deployments');
      const { metadata, status } = await api.apply(own(serverOf(name, spec.replicas)));
      if (metadata.generation === 1) event({ reason: 'Served', note: `${name} is served` });
      const ready = status?.readyReplicas ?? 0;
      const isReady = ready >= spec.replicas ? 'True' : 'False';
      const conditions = [{ type: 'Ready', status: isReady, reason: 'Replicas' }] as const;
      return { status: { ready }, conditions };
    });
}

function directory(data: Readonly<Record<string, string>>) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sites' }, data } as const;
}

function pageOf(name: string, greeting: string) {
  const metadata = { name, labels: { site: name } };
  const data = { 'index.html': `<h1>${greeting}</h1>` };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as const;
}

function serverOf(name: string, replicas: number) {
  const labels = { site: name };
  const volumes = [{ name: 'page', configMap: { name } }];
  const volumeMounts = [{ name: 'page', mountPath: '/usr/share/nginx/html' }];
  const containers = [{ name: 'nginx', image: 'nginx:1.27.4-alpine', volumeMounts }];
  const template = { metadata: { labels }, spec: { containers, volumes } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, labels }, spec } as const;
}
