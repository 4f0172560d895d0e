import type { MessageField } from '../../types/message-type.ts';

/**
 * The `apiVersion` and `kind` that objects inside an object have in JSON although protobuf does not carry them. Only the claims of a
 * StatefulSet have them: kube-apiserver sets them there in every answer.
 */
export function embeddedType({ name, message }: MessageField): Record<string, unknown> | undefined {
  if (name !== 'volumeClaimTemplates' || message === undefined) return undefined;
  const kind = message.name.slice(message.name.indexOf('.') + 1);
  return { apiVersion: message.apiVersion, kind };
}
