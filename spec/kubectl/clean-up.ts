import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Deletes what a scenario left behind: the objects in its namespace, those outside of namespaces whose names begin with it or are of
 * its API group, the namespace. A server without a controller manager does not empty a namespace by itself.
 */
export async function cleanUp(
  binary: string,
  kubeconfig: string,
  { namespace, home }: { readonly namespace: string; readonly home: string },
): Promise<void> {
  const env = { PATH: process.env['PATH'], KUBECONFIG: kubeconfig, HOME: home };
  const kubectl = async (...args: string[]): Promise<string> => {
    try {
      return (await run(binary, args, { env, maxBuffer: 2 ** 26 })).stdout;
    } catch (error) {
      // Objects that are gone already, or may not be deleted, are skipped.
      return (error as { stdout?: string }).stdout ?? '';
    }
  };
  const resources = async (namespaced: boolean): Promise<string> => {
    const flags = ['--verbs=list,delete', `--namespaced=${namespaced}`, '-o', 'name'];
    return (await kubectl('api-resources', ...flags)).trim().replaceAll('\n', ',');
  };
  const namesOf = async (list: string, ...flags: string[]): Promise<string[]> =>
    (await kubectl('get', list, '-o', 'name', '--ignore-not-found', ...flags))
      .split('\n')
      .filter((name) => name !== '');
  const remove = async (names: readonly string[], ...flags: string[]): Promise<void> => {
    if (names.length === 0) return;
    await kubectl('delete', ...names, ...flags, '--wait=false', '--grace-period=0', '--force');
  };
  const inside = await resources(true);
  await remove(await namesOf(inside, '-n', namespace), '-n', namespace);
  for (const name of await namesOf(inside, '-n', namespace)) {
    const patch = '{"metadata":{"finalizers":null}}';
    await kubectl('patch', name, '-n', namespace, '--type=merge', '-p', patch);
  }
  const outside = await namesOf(await resources(false));
  await remove(outside.filter((name) => isOf(name, namespace)));
  const others = outside.filter((name) => name.startsWith(`namespace/${namespace}-`));
  for (const name of [namespace, ...others.map((one) => one.slice('namespace/'.length))]) {
    const finalized = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const path = `/api/v1/namespaces/${name}/finalize`;
    await kubectl('delete', 'namespace', name, '--wait=false');
    const replaced = run(binary, ['replace', '--raw', path, '-f', '-'], { env });
    replaced.child.stdin?.end(JSON.stringify({ ...finalized, spec: { finalizers: [] } }));
    await replaced.catch(() => undefined);
  }
}

/** `clusterrole.rbac.authorization.k8s.io/NAMESPACE-reader`, or `customresourcedefinition…/widgets.NAMESPACE.example.com`. */
function isOf(name: string, namespace: string): boolean {
  return name.includes(`/${namespace}`) || name.includes(`.${namespace}.`);
}
