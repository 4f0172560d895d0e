/** Steps of a program: each prints one line, and a failed one does not stop the others. */

export const namespace = process.env.PROGRAM_NAMESPACE;
export const group = `${namespace}.example.com`;
const LIMIT_MS = 60_000;

export async function step(name, check, limitMs = LIMIT_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([check(), late]);
    console.log(`STEP ok ${name}`);
  } catch (error) {
    const text = `${error?.message ?? error} ${error?.body ?? ''}`.replaceAll(/\s+/g, ' ');
    console.log(`STEP failed ${name}: ${text.slice(0, 900)}`);
  } finally {
    clearTimeout(timer);
  }
}

export function expect(holds, ...values) {
  if (!holds)
    throw new Error(values.map((one) => JSON.stringify(one)).join(' ') || 'does not hold');
}

/** The call is refused with this status. */
export async function refused(call, status, ...parts) {
  try {
    await call();
  } catch (error) {
    const found = [error?.code, error?.statusCode, error?.status, error?.response?.statusCode];
    const text = `${error?.message} ${JSON.stringify(error?.body ?? error?.data ?? '')}`;
    expect(found.includes(status), found, 'in place of', status, text);
    for (const part of parts) expect(text.includes(part), `no ${part} in`, text);
    return;
  }
  throw new Error(`accepted, but ${status} was expected`);
}

/** Waits as long as only a hang takes. */
export async function eventually(what, holds) {
  const end = Date.now() + 300_000;
  while (!(await holds())) {
    expect(Date.now() < end, 'not in time', what);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

export function configMap(name, labels = {}) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels, namespace },
    data: { key: 'value' },
  };
}

export function deployment(name, replicas) {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'example.com/main:1' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

export function pod(name) {
  const containers = [{ name: 'main', image: 'example.com/main:1' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { automountServiceAccountToken: false, containers },
  };
}

/** @param names of the two properties: client-node gives them names of its own and turns these into those of the schema */
export function definition(
  defaultName = '_default',
  preserve = 'x_kubernetes_preserve_unknown_fields',
) {
  const openAPIV3Schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 1, maximum: 10 },
          colour: { type: 'string', [defaultName]: 'blue' },
        },
      },
      status: { type: 'object', [preserve]: true },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {} },
        },
      ],
    },
  };
}

export function widget(name, size = 1) {
  return {
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name, namespace },
    spec: { size },
  };
}
