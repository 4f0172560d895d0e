import type { KubernetesMinor } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { builtInTypes } from '../../../lib/meta/types/built-in-types.ts';
import { TypeTable } from '../../../lib/meta/types/type-table.ts';
import type { MessageType } from '../../../lib/meta/types/message-type.ts';
import { releaseTypeTexts } from '../type-files.ts';
import type { ReportPart } from './main.ts';

/** The kinds and fields that came, went or changed. */
export function typeChanges(modules: string, release: string, from: KubernetesMinor): ReportPart {
  const { texts, missing } = releaseTypeTexts(modules, release);
  const now = new TypeTable(texts, 'meta');
  const before = builtInTypes(from);
  const names = [...new Set([...now.names(), ...before.names()])].toSorted();
  const lines = names
    .filter((name) => !missing.includes(name.split('.')[0] ?? ''))
    .flatMap((name) => changesOf(name, before.find(name), now.find(name)));
  return {
    title: 'types',
    remedy: '`npm run generate -- tables` makes them; new fields may need rules and defaults.',
    lines: [...missing.map((section) => `${section}: not read, its module is not there`), ...lines],
  };
}

function changesOf(
  name: string,
  before: MessageType | undefined,
  now: MessageType | undefined,
): string[] {
  if (before === undefined) return [`${name} is new`];
  if (now === undefined) return [`${name} is gone`];
  const fields = new Set([...before.byName.keys(), ...now.byName.keys()]);
  return [...fields].flatMap((field) => {
    const [old, one] = [before.byName.get(field), now.byName.get(field)];
    if (old === undefined)
      return [`${name}.${field} is new${one?.isOff === true ? ', and off' : ''}`];
    if (one === undefined) return [`${name}.${field} is gone`];
    const same = JSON.stringify(old) === JSON.stringify(one);
    if (same) return [];
    if (old.isOff !== one.isOff) return [`${name}.${field} is ${one.isOff ? 'off' : 'on'} now`];
    return [`${name}.${field} has changed: required, list type, keys or default`];
  });
}
