import { ListwatchError } from '../../kernel/failure/errors.ts';

/**
 * Thrown by a handler, or by a body, in place of an answer: the connection has to be closed without further bytes. For testing the
 * behaviour of clients.
 */
export class ConnectionReset extends ListwatchError {
  constructor(message: string = 'a fault reset the connection') {
    super('CONNECTION_FAILED', message);
  }
}
