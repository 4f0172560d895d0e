/** Saves a cache again and again until it is killed; `kill-while-saving.ts` starts it. */
import { DecodedView } from '../../../lib/meta/object-view.ts';
import { fileWarmStart } from '../../../lib/recorder/snapshot/file-snapshot.ts';

const [file = '', count = '0'] = process.argv.slice(2);
const collection = { description: 'pods', fields: undefined };
// The parent may be gone.
process.stdout.on('error', () => process.exit(1));
const warmStart = fileWarmStart({ file, identity: { server: 'one', user: 'two' } });
const state = await warmStart.load(collection, new AbortController().signal);
await state?.close();
for (let version = Number(state?.resourceVersion ?? 0) + 1; ; version += 1) {
  // Each object says of which version it is, so that a mixture is seen.
  const objects = Array.from({ length: Number(count) + (version % 7) }, (_, index) => {
    const metadata = { name: `pod-${index}`, namespace: 'shop', resourceVersion: `${version}` };
    return new DecodedView({ apiVersion: 'v1', kind: 'Pod', metadata, text: 'x'.repeat(500) });
  });
  await warmStart.save(collection, { resourceVersion: `${version}`, objects });
  process.stdout.write(`${version}\n`);
}
