import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { nearName } from '../../../kernel/text/near-name.ts';
import { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';
import type { Kubeconfig } from '../kubeconfig/kubeconfig.ts';
import { shownName } from './shown-name.ts';

/** The names of entries that are used instead of those that the kubeconfig chooses. */
export interface EntryNames {
  /** @defaultValue the kubeconfig's current-context */
  readonly context?: string | undefined;
  /** @defaultValue the cluster of the context */
  readonly cluster?: string | undefined;
  /** @defaultValue the user of the context */
  readonly user?: string | undefined;
}

/** The entries of a kubeconfig that are in use. */
export interface ChosenContext {
  /** For messages: `context kind in /home/me/.kube/config`. */
  readonly source: string;
  readonly clusterName: string;
  /** The content of the entry in `clusters`. */
  readonly cluster: KubeconfigField;
  readonly user: { readonly name: string; readonly entry: KubeconfigField } | undefined;
  readonly namespace: string | undefined;
}

/**
 * Chooses context, cluster and user. A name that is asked for must exist.
 * @throws {ListwatchError} code CONFIG_INVALID naming the entries that there are.
 * @see client-go tools/clientcmd/client_config.go getContext, getCluster, getAuthInfo @ 32ce75a7
 */
export function chosenContext(kubeconfig: Kubeconfig, wanted: EntryNames): ChosenContext {
  const { name, context } = contextOf(kubeconfig, wanted);
  const parts = [
    ...(name === undefined ? [] : [`context ${shownName(name)}`]),
    ...(wanted.cluster === undefined ? [] : [`cluster ${shownName(wanted.cluster)}`]),
    ...(wanted.user === undefined ? [] : [`user ${shownName(wanted.user)}`]),
  ];
  return {
    source: `${parts.join(', ')} in ${filesOf(kubeconfig)}`,
    clusterName: wanted.cluster ?? context.field('cluster').text(),
    cluster: clusterOf(kubeconfig, context, wanted.cluster).field('cluster'),
    user: userOf(kubeconfig, context, wanted.user),
    namespace: context.field('namespace').optionalText(),
  };
}

/** The context; one without fields if there is none and none is needed. */
function contextOf(
  kubeconfig: Kubeconfig,
  wanted: EntryNames,
): { readonly name: string | undefined; readonly context: KubeconfigField } {
  const { contexts, currentContext } = kubeconfig;
  const files = filesOf(kubeconfig);
  const name = wanted.context ?? currentContext?.text();
  if (name === undefined) {
    if (wanted.cluster === undefined) throw invalid(files, noContext(kubeconfig));
    const origin = { name: files, directory: undefined, isData: false };
    return { name, context: new KubeconfigField(origin, [], undefined) };
  }
  const place = wanted.context === undefined ? (currentContext?.place ?? files) : files;
  return { name, context: entryOf(contexts, 'context', name, place).field('context') };
}

function noContext({ contexts, isEmpty }: Kubeconfig): string {
  if (isEmpty) return 'it has no clusters, users and contexts; give one that has them';
  if (contexts.size === 0) return 'it has no contexts; add one that names a cluster and a user';
  return `current-context is not set; set it, or give the option "context"; ${knownNames('context', contexts)}`;
}

function clusterOf(
  kubeconfig: Kubeconfig,
  context: KubeconfigField,
  wanted: string | undefined,
): KubeconfigField {
  const { clusters } = kubeconfig;
  if (wanted !== undefined) return entryOf(clusters, 'cluster', wanted, filesOf(kubeconfig));
  const reference = context.field('cluster');
  return entryOf(clusters, 'cluster', reference.text(), reference.place);
}

function userOf(
  kubeconfig: Kubeconfig,
  context: KubeconfigField,
  wanted: string | undefined,
): ChosenContext['user'] {
  const reference = context.field('user');
  const name = wanted ?? reference.optionalText();
  if (name === undefined) return undefined;
  const place = wanted === undefined ? reference.place : filesOf(kubeconfig);
  return { name, entry: entryOf(kubeconfig.users, 'user', name, place).field('user') };
}

function entryOf(
  section: ReadonlyMap<string, KubeconfigField>,
  what: string,
  name: string,
  place: string,
): KubeconfigField {
  const entry = section.get(name);
  if (entry !== undefined) return entry;
  const near = nearName(name, section.keys());
  const meant = near === undefined ? '' : `did you mean ${shownName(near)}? `;
  throw invalid(
    place,
    `there is no ${what} ${shownName(name)}; ${meant}${knownNames(what, section)}`,
  );
}

/** Maximum number of names in a message. */
const MOST_NAMES = 20;

function knownNames(what: string, section: ReadonlyMap<string, unknown>): string {
  if (section.size === 0) return `there are no ${what}s`;
  const names: string[] = [];
  for (const name of section.keys()) {
    if (names.length === MOST_NAMES) break;
    names.push(shownName(name));
  }
  const more = section.size - names.length;
  return `the ${what}s are: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function filesOf({ files }: Kubeconfig): string {
  return files.join(', ');
}

function invalid(place: string, problem: string): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${place}: ${problem}`);
}
