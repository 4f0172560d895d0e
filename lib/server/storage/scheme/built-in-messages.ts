import { CORE_MESSAGES } from './core-messages.ts';
import { GROUP_MESSAGES } from './group-messages.ts';
import { MessageTable, type MessageType } from './message-table.ts';
import { META_MESSAGES } from './meta-messages.ts';

const CORE_KINDS: readonly string[] = [
  'Binding',
  'ConfigMap',
  'Endpoints',
  'Event',
  'LimitRange',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ReplicationController',
  'ResourceQuota',
  'Secret',
  'Service',
  'ServiceAccount',
];

/** Kinds that exist in every API group. */
const SHARED_KINDS: readonly string[] = ['DeleteOptions', 'Status'];

interface BuiltInMessages {
  /** By `apiVersion`, then by kind. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, MessageType>>;
  readonly shared: ReadonlyMap<string, MessageType>;
}

/** Parsed at the first use: most processes never read protobuf. */
let messages: BuiltInMessages | undefined;

/** The message of a built-in kind. */
export function builtInMessage(apiVersion: string, kind: string): MessageType | undefined {
  messages ??= readMessages();
  return messages.groups.get(apiVersion)?.get(kind) ?? messages.shared.get(kind);
}

/**
 * All built-in messages that are objects, by `apiVersion`; those of all groups are under an empty one.
 * @internal for specs that iterate over them
 */
export function builtInMessages(): ReadonlyMap<string, ReadonlyMap<string, MessageType>> {
  messages ??= readMessages();
  return new Map([...messages.groups, ['', messages.shared]]);
}

function readMessages(): BuiltInMessages {
  const meta = new MessageTable(META_MESSAGES);
  const core = new MessageTable(CORE_MESSAGES, [meta]);
  const groups = new Map([['v1', messagesOf(core, CORE_KINDS)]]);
  for (const { apiVersion, kinds, messages: text } of GROUP_MESSAGES) {
    groups.set(apiVersion, messagesOf(new MessageTable(text, [core, meta]), kinds));
  }
  return { groups, shared: messagesOf(meta, SHARED_KINDS) };
}

function messagesOf(
  table: MessageTable,
  kinds: readonly string[],
): ReadonlyMap<string, MessageType> {
  return new Map(kinds.map((kind) => [kind, table.get(kind)]));
}
