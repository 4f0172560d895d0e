/**
 * A program without the types of objects: each type that it imports from `listwatch/types` is `any`, and so are the objects of each
 * resource that it names.
 */
export function programWithAny(text: string): string {
  const changed = text
    .replace(/import type \{([^}]*)\} from 'listwatch\/types';\n/, (_all, names: string) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.endsWith('V1'))
        .map((name) => `type ${name} = any;\n`)
        .join(''),
    )
    .replaceAll(/\b[A-Z]\w*V1\.\w+/g, 'any')
    .replaceAll(/\.(for|resource)\(/g, '.$1<any>(')
    .replaceAll(/SharedIndexInformer<Pod, [^>]*>/g, 'SharedIndexInformer<Pod>')
    .replaceAll(/\((pod|\{ state \}|found|stored|set|\{ type \})\) =>/g, '($1: any) =>');
  if (changed.includes("from 'listwatch/types'") || !changed.includes('<any>(')) {
    throw new Error('the program has another shape than the one that types are taken out of');
  }
  return changed;
}
