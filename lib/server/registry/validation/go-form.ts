import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import type { MessageField, MessageType } from '../../../meta/types/message-type.ts';
import { isRecord, setOwn, type JsonRecord } from '../../../meta/json-value.ts';

const ZEROS: Readonly<Record<string, unknown>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  Quantity: '0',
  IntOrString: 0,
};

/** Go writes abbreviations in capitals at the begin of a name; those inside have them in JSON already. */
const ABBREVIATION =
  /^(?:api|aws|ca|cpu|csi|dns|fc|fs|gce|gmsa|grpc|http|id|ip|ipc|iscsi|nfs|os|pid|rbd|se|tcp|tls|ttl|tty|uid|url)(?=[A-Z]|s?$)/;

/**
 * A value of a type as messages show it: kube-apiserver prints its internal types, whose members have the names of Go's fields and
 * are there when they are zero. Types of `meta` keep their JSON.
 *
 *     goForm('core.Toleration', { key: 'a' });  // { Key: 'a', Operator: '', Value: '', Effect: '', TolerationSeconds: null }
 */
export function goForm(type: string, value: unknown, minor?: KubernetesMinor): unknown {
  const message = builtInTypes(minor).get(type);
  return isRecord(value) && !type.startsWith('meta.')
    ? formOf(message, value, minor)
    : (value ?? null);
}

function formOf(message: MessageType, value: JsonRecord, minor?: KubernetesMinor): JsonRecord {
  const form: JsonRecord = {};
  for (const field of message.fields) {
    if (field.shape === 'inline') {
      Object.assign(form, formOf(field.message as MessageType, value, minor));
      continue;
    }
    const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (field.type === 'meta.ObjectMeta') {
      // Embedded in Go, so that its members are those of the enclosing value.
      Object.assign(form, member);
      continue;
    }
    setOwn(
      form,
      goNameOf(field.name),
      member === undefined ? zeroOf(field, minor) : inForm(field, member, minor),
    );
  }
  return form;
}

function goNameOf(name: string): string {
  const [abbreviation] = ABBREVIATION.exec(name) ?? [];
  const head = abbreviation === undefined ? name.slice(0, 1) : abbreviation;
  return head.toUpperCase() + name.slice(head.length);
}

function inForm(field: MessageField, member: unknown, minor?: KubernetesMinor): unknown {
  if (field.message === undefined) return member;
  const { type, shape } = field;
  if (shape === 'list' && Array.isArray(member))
    return member.map((one) => goForm(type, one, minor));
  if (shape !== 'map' || !isRecord(member)) return goForm(type, member, minor);
  return Object.fromEntries(
    Object.entries(member).map(([key, one]) => [key, goForm(type, one, minor)]),
  );
}

function zeroOf(
  { shape, presence, type, message }: MessageField,
  minor?: KubernetesMinor,
): unknown {
  if (shape !== 'one' || presence === 'sent' || presence === 'nullable') return null;
  return message === undefined ? (ZEROS[type] ?? null) : goForm(type, {}, minor);
}
