import type { KubeconfigField } from './kubeconfig-field.ts';

/** The entries of one section by name. */
type Section = ReadonlyMap<string, KubeconfigField>;

/**
 * The content of one or several kubeconfig files. Only names are checked here; an unused entry may be invalid.
 * @see client-go tools/clientcmd/loader.go @ 32ce75a7
 */
export interface Kubeconfig {
  /** The `current-context` field in effect, if there is one. */
  readonly currentContext: KubeconfigField | undefined;
  readonly contexts: Section;
  readonly clusters: Section;
  readonly users: Section;
  /** The names of the files it was read from, or of the option that it was passed as. */
  readonly files: readonly string[];
  /** It has no entry at all, as an empty file. */
  readonly isEmpty: boolean;
}

/** Manifests that contain a kubeconfig now and then, and how to get it out. */
const CONTAINERS: Readonly<Record<string, string>> = {
  Secret: `"kubectl get secret NAME -o jsonpath='{.data.KEY}' | base64 -d" prints a field of it`,
  ConfigMap: `"kubectl get configmap NAME -o jsonpath='{.data.KEY}'" prints a field of it`,
};

/**
 * Reads the sections of a file. An empty file has none.
 * @throws {ListwatchError} code CONFIG_INVALID naming file, line and field.
 */
export function kubeconfigOf(root: KubeconfigField): Kubeconfig {
  checkType(root);
  const currentContext = root.field('current-context');
  return kubeconfigWith({
    currentContext: currentContext.optionalText() === undefined ? undefined : currentContext,
    contexts: sectionOf(root.field('contexts')),
    clusters: sectionOf(root.field('clusters')),
    users: sectionOf(root.field('users')),
    files: [root.origin.name],
  });
}

/** Merges files. If two entries have the same name, the first one is used as a whole; the same for the current context. */
export function mergedKubeconfig(configs: readonly Kubeconfig[]): Kubeconfig {
  return kubeconfigWith({
    currentContext: configs.find((one) => one.currentContext !== undefined)?.currentContext,
    contexts: firstOfEach(configs.map((one) => one.contexts)),
    clusters: firstOfEach(configs.map((one) => one.clusters)),
    users: firstOfEach(configs.map((one) => one.users)),
    files: configs.flatMap((one) => one.files),
  });
}

function kubeconfigWith(sections: Omit<Kubeconfig, 'isEmpty'>): Kubeconfig {
  const { contexts, clusters, users } = sections;
  return { ...sections, isEmpty: contexts.size + clusters.size + users.size === 0 };
}

function checkType(root: KubeconfigField): void {
  const kind = root.field('kind');
  const name = kind.optionalText() ?? 'Config';
  if (name !== 'Config') {
    const inside = Object.hasOwn(CONTAINERS, name) ? `; ${CONTAINERS[name]}` : '';
    kind.fail(`expected Config: it is another manifest and not a kubeconfig${inside}`);
  }
  const version = root.field('apiVersion');
  if ((version.optionalText() ?? 'v1') !== 'v1') version.fail('expected v1');
}

function sectionOf(list: KubeconfigField): Section {
  const entries = new Map<string, KubeconfigField>();
  for (const entry of list.items()) {
    const name = entry.field('name').text();
    const first = entries.get(name);
    if (first !== undefined) {
      entry
        .field('name')
        .fail(`it is the name of ${first.place} too; rename or remove one of them`);
    }
    entries.set(name, entry);
  }
  return entries;
}

function firstOfEach(sections: readonly Section[]): Section {
  const entries = new Map<string, KubeconfigField>();
  for (const section of sections) {
    for (const [name, entry] of section) {
      if (!entries.has(name)) entries.set(name, entry);
    }
  }
  return entries;
}
