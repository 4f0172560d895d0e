import type { Client } from '../../client/rest/client.ts';
import type { EventApiVersion } from '../../controller/events/event-body.ts';
import { EventRecorder } from '../../controller/events/event-recorder.ts';
import type { ClusterParts } from './cluster-parts.ts';

/**
 * The events of one component, under its name. Those beyond 25 about one object are left out, as by the components of Kubernetes, and those
 * about objects of a namespace that ends are refused. Both are usual, so they are no warnings.
 */
export function clusterEvents(
  client: Client,
  component: string,
  { runtime, logger }: ClusterParts,
  api: EventApiVersion = 'v1',
): EventRecorder {
  return new EventRecorder(client, {
    controller: component,
    api,
    runtime,
    logger: {
      debug: (message, fields) => logger.debug(message, fields),
      info: (message, fields) => logger.info(message, fields),
      warn: (message, fields) => logger.debug(message, fields),
      error: (message, fields) => logger.error(message, fields),
    },
  });
}
