import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { collectionPath } from './collection-path.ts';

/** Says which features of the server informers can use. Each has a fallback, so a missing one is no failure. */
export function featuresStep(name: string): Step {
  return {
    id: 'features',
    title: 'features',
    needs: [`permission/${name}`],
    async run({ findings, options, signal }: DoctorContext): Promise<Outcome> {
      const path = collectionPath(findings.served(name), options.namespace);
      // A server that knows the option refuses an unknown value of it; an older one ignores both.
      const query = '?limit=1&resourceVersion=0&resourceVersionMatch=Unknown';
      const { status } = await findings.opened.answer({ path: path + query, signal });
      const features = {
        watchList: findings.watchList,
        bookmarks: findings.bookmarks,
        resourceVersionMatch: status === 422 || status === 400,
      };
      const texts = [
        featureText('streamed lists', features.watchList, 'informers read pages'),
        featureText('bookmarks', features.bookmarks, 'informers relist more often'),
        featureText(
          'resourceVersionMatch',
          features.resourceVersionMatch,
          'lists read the storage',
        ),
      ];
      return { status: 'ok', detail: texts.join('; '), data: features };
    },
  };
}

function featureText(name: string, has: boolean | undefined, otherwise: string): string {
  if (has === undefined) return `${name}: not seen`;
  return has ? name : `no ${name}: ${otherwise}`;
}
