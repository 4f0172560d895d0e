import type { Client } from '../../client/rest/client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';

/**
 * Takes a name for a controller that begins to run; the returned function gives it back. Metrics, messages and events of two controllers of
 * one name could not be distinguished.
 * @throws {ListwatchError} code NAME_TAKEN.
 */
export function takeName({ controllerNames }: Client, name: string): () => void {
  if (controllerNames.has(name)) {
    const text = `a controller named ${JSON.stringify(name)} runs already with this client: give one of them another option "name"`;
    throw new ListwatchError('NAME_TAKEN', text);
  }
  controllerNames.add(name);
  return () => {
    controllerNames.delete(name);
  };
}
