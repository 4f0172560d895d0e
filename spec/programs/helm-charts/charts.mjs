/** @param {string} name @param {string[]} keys */
function secret(name, ...keys) {
  const stringData = Object.fromEntries(keys.map((key) => [key, 'of the operator']));
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
}

/**
 * Public charts, by the name in their Chart.yaml. What is set leaves out DaemonSets, StatefulSets, Jobs and claims, which no controller of
 * the cluster runs; the defaults of the charts do the rest.
 *
 * @typedef {object} Chart
 * @property {string[]} [set] for every release
 * @property {string} broken makes an image that no registry has
 * @property {string} more another revision, where the chart allows it with two pods
 * @property {object} [before] an object that a program of the chart would make
 */

/** @type {Record<string, Chart>} */
export const charts = {
  'argo-rollouts': { broken: 'controller.image.tag=404', more: 'controller.replicas=3' },
  'argo-workflows': {
    set: ['crds.install=false'],
    broken: 'server.image.tag=404',
    more: 'server.replicas=2',
  },
  'cert-manager': {
    set: ['crds.enabled=true', 'startupapicheck.enabled=false'],
    broken: 'webhook.image.tag=404',
    more: 'webhook.replicaCount=2',
  },
  descheduler: {
    set: ['kind=Deployment', 'leaderElection.enabled=true'],
    broken: 'image.tag=404',
    more: 'replicas=2',
  },
  'external-dns': {
    set: ['policy=sync'],
    broken: 'image.tag=404',
    more: 'revisionHistoryLimit=2',
  },
  gatekeeper: {
    set: [
      'upgradeCRDs.enabled=false',
      'postInstall.labelNamespace.enabled=false',
      'postInstall.probeWebhook.enabled=false',
    ],
    broken: 'image.release=404',
    more: 'replicas=2',
  },
  'ingress-nginx': {
    set: ['controller.admissionWebhooks.enabled=false'],
    broken: 'controller.image.tag=404,controller.image.digest=',
    more: 'controller.replicaCount=2',
  },
  keda: {
    broken: 'image.keda.tag=404',
    more: 'operator.replicaCount=2',
    before: secret('kedaorg-certs', 'ca.crt', 'tls.crt', 'tls.key'),
  },
  'kube-state-metrics': { broken: 'image.tag=404', more: 'replicas=2' },
  kueue: {
    broken: 'controllerManager.manager.image.tag=404',
    more: 'controllerManager.replicas=2',
  },
  'metrics-server': { broken: 'image.tag=404', more: 'replicas=2' },
  podinfo: { broken: 'image.tag=404', more: 'replicaCount=2' },
  'prometheus-blackbox-exporter': { broken: 'image.tag=404', more: 'replicas=2' },
  'prometheus-pushgateway': { broken: 'image.tag=404', more: 'replicaCount=2' },
  'sealed-secrets': { broken: 'image.tag=404', more: 'revisionHistoryLimit=2' },
  traefik: { broken: 'image.tag=404', more: 'deployment.replicas=2' },
  vault: {
    set: ['server.enabled=false'],
    broken: 'injector.image.tag=404',
    more: 'injector.replicas=2',
  },
};
