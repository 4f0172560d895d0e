import { EventRecorder } from 'listwatch';
import { silentLogger } from 'listwatch/kernel';
import { openCluster, runProgram } from './support/program.ts';

const ABOUT = `Reports events about an object, as kubectl describe shows them. Repeated ones become a series, and
too many are dropped and counted.
Without --kubeconfig it uses an API server in this process.
`;

await runProgram({
  name: 'events',
  about: ABOUT,
  options: {},
  main: async (options, signal) => {
    await using cluster = await openCluster({ ...options, fieldManager: 'events' });
    const { client } = cluster;
    const { namespace } = client;
    const maps = client.resource('v1', 'configmaps', { namespace });
    const map = await maps.create({ metadata: { generateName: 'events-' } });

    await using recorder = new EventRecorder(client, {
      controller: 'events-example',
      // Some events are dropped on purpose.
      logger: silentLogger,
    });
    recorder.event(map, { reason: 'Published', note: 'the page is there' });
    await recorder.flush({ signal });
    for (let attempt = 1; attempt <= 50; attempt += 1) {
      const note = `attempt ${attempt} found no server`;
      recorder.event(map, { type: 'Warning', reason: 'Unreachable', note, action: 'Connect' });
    }
    for (let part = 1; part <= 40; part += 1) {
      recorder.event(map, { reason: `Part${part}`, note: 'made' });
    }
    await recorder.flush({ signal });

    const events = client.resource('events.k8s.io/v1', 'events', { namespace });
    const fieldSelector = `regarding.uid=${map.metadata.uid}`;
    const { items } = await events.list({ fieldSelector, signal });
    for (const { type, reason, note, series } of items) {
      if (reason?.startsWith('Part')) continue;
      console.log(`${type?.padEnd(8)} ${reason}: ${note} (x${series?.count ?? 1})`);
    }
    const parts = items.filter(({ reason }) => reason?.startsWith('Part')).length;
    const { recorded, written, dropped } = recorder.inspect();
    console.log(`${parts} of 40 parts; ${recorded} reported, ${written} written`);
    console.log(`${dropped.spam} dropped: 25 about one object at once, then one in 5 minutes`);

    await events.deleteCollection({ fieldSelector, signal });
    await maps.delete(map.metadata.name);
  },
});
