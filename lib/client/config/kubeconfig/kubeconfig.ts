import { YamlField } from './yaml-field.ts';

/** The entries of one section by name. */
type Section = ReadonlyMap<string, YamlField>;

export interface KubeconfigSections {
  /** The `current-context` field in effect, if there is one. */
  readonly currentContext: YamlField | undefined;
  readonly contexts: Section;
  readonly clusters: Section;
  readonly users: Section;
  /** The files it was read from. */
  readonly files: readonly string[];
}

/**
 * The content of one or several kubeconfig files. Only names are checked here; an unused entry may be invalid.
 * @see client-go tools/clientcmd/loader.go @ 32ce75a7
 */
export class Kubeconfig implements KubeconfigSections {
  readonly currentContext: YamlField | undefined;
  readonly contexts: Section;
  readonly clusters: Section;
  readonly users: Section;
  readonly files: readonly string[];

  constructor(sections: KubeconfigSections) {
    this.currentContext = sections.currentContext;
    this.contexts = sections.contexts;
    this.clusters = sections.clusters;
    this.users = sections.users;
    this.files = sections.files;
  }

  /**
   * Parses the text of a file; `file` is its path, against which relative paths in it are resolved.
   * @throws {ListwatchError} code CONFIG_INVALID naming file, line and field.
   */
  static async parse(text: string, file: string): Promise<Kubeconfig> {
    const root = await YamlField.parse(file, text);
    const kind = root.field('kind');
    if (kind.present && kind.text() !== 'Config') kind.fail('expected Config');
    const currentContext = root.field('current-context');
    return new Kubeconfig({
      currentContext: currentContext.optionalText() === undefined ? undefined : currentContext,
      contexts: sectionOf(root.field('contexts')),
      clusters: sectionOf(root.field('clusters')),
      users: sectionOf(root.field('users')),
      files: [file],
    });
  }

  /** Merges files. If two entries have the same name, the first one is used as a whole; the same for the current context. */
  static merge(configs: readonly Kubeconfig[]): Kubeconfig {
    return new Kubeconfig({
      currentContext: configs.find((one) => one.currentContext !== undefined)?.currentContext,
      contexts: firstOfEach(configs.map((one) => one.contexts)),
      clusters: firstOfEach(configs.map((one) => one.clusters)),
      users: firstOfEach(configs.map((one) => one.users)),
      files: configs.flatMap((one) => one.files),
    });
  }
}

function sectionOf(list: YamlField): Section {
  const entries = new Map<string, YamlField>();
  for (const entry of list.items()) {
    const name = entry.field('name').text();
    if (!entries.has(name)) entries.set(name, entry);
  }
  return entries;
}

function firstOfEach(sections: readonly Section[]): Section {
  const entries = new Map<string, YamlField>();
  for (const section of sections) {
    for (const [name, entry] of section) {
      if (!entries.has(name)) entries.set(name, entry);
    }
  }
  return entries;
}
