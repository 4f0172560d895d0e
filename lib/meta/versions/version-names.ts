const VERSION = /^v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?$/;
const STABILITY = ['alpha', 'beta', undefined];

/**
 * Orders version names, preferred first: stable before beta before alpha, higher numbers first, other names last.
 * @see apimachinery pkg/version/helpers.go CompareKubeAwareVersionStrings @ eed236c
 */
export function compareVersionNames(left: string, right: string): number {
  const a = VERSION.exec(left);
  const b = VERSION.exec(right);
  if (a === null || b === null) {
    if (a === null && b === null) return left < right ? -1 : Number(left > right);
    return a === null ? 1 : -1;
  }
  return (
    STABILITY.indexOf(b[2]) - STABILITY.indexOf(a[2]) ||
    Number(b[1]) - Number(a[1]) ||
    Number(b[3] ?? 0) - Number(a[3] ?? 0)
  );
}
