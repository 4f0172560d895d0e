import type { UnstructuredObject } from '../../meta/object.ts';
import type { ConnectRequest } from '../registry/contract/rest-storage.ts';

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'];

/** The options of a connection as an object: what webhooks see of `exec`, `attach`, `portforward` and `proxy`. */
export function connectOptions(
  kind: string,
  { query, path }: Pick<ConnectRequest, 'query' | 'path'>,
): UnstructuredObject {
  const options: Record<string, unknown> = { kind, apiVersion: 'v1' };
  if (kind.endsWith('ProxyOptions')) {
    options['path'] = path === '' ? '/' : path;
    return options;
  }
  if (kind === 'PodPortForwardOptions') {
    const ports = query.getAll('ports').flatMap((text) => text.split(',').map(Number));
    if (ports.length > 0) options['ports'] = ports;
    return options;
  }
  for (const name of FLAGS) {
    const given = query.get(name);
    if (given !== null && given !== 'false' && given !== '0') options[name] = true;
  }
  const container = query.get('container');
  if (container !== null && container !== '') options['container'] = container;
  const command = query.getAll('command');
  if (command.length > 0) options['command'] = command;
  return options;
}
