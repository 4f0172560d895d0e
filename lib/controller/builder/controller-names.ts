import type { Client } from '../../client/rest/client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';

/** The names of the controllers that run, by client. */
const running = new WeakMap<Client, Set<string>>();

/**
 * Takes a name for a controller that begins to run; the returned function gives it back. Metrics, messages and events of two controllers of
 * one name could not be told apart.
 * @throws {ListwatchError} code NAME_TAKEN.
 */
export function takeName(client: Client, name: string): () => void {
  const names = running.get(client) ?? new Set();
  running.set(client, names);
  if (names.has(name)) {
    const text = `a controller named ${JSON.stringify(name)} runs already with this client: give one of them another option "name"`;
    throw new ListwatchError('NAME_TAKEN', text);
  }
  names.add(name);
  return () => {
    names.delete(name);
  };
}
