import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { expectStream } from './body-tap.ts';

type Answered = (response: IncomingMessage) => void;

/** How axios sends a request whose answer is a stream: as every request, and its connection knows what it waits for. */
export const streamTransport: {
  readonly request: (options: RequestOptions, onAnswer: Answered) => ClientRequest;
} = {
  request: (options, onAnswer) => {
    const isSecure = options.protocol === 'https:';
    const request = isSecure ? httpsRequest(options, onAnswer) : httpRequest(options, onAnswer);
    return request.once('socket', expectStream);
  },
};
