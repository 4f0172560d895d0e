import type { StepOutcome } from './program.ts';

interface GinkgoSpec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

interface GinkgoSuite {
  readonly SuiteDescription: string;
  readonly SuiteSucceeded: boolean;
  readonly SpecReports: readonly GinkgoSpec[] | null;
}

const NOT_RUN = new Set(['skipped', 'pending']);

/** The outcomes of the suites in a report of Ginkgo. What was not run is left out; a hook counts only when it failed. */
export function readGinkgoReport(text: string): StepOutcome[] {
  return (JSON.parse(text) as readonly GinkgoSuite[]).flatMap((suite) => {
    const specs = (suite.SpecReports ?? []).filter(({ State }) => !NOT_RUN.has(State));
    return specs
      .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' || State !== 'passed')
      .map((spec) => ({ step: nameOf(suite, spec), failure: failureOf(spec) }));
  });
}

function nameOf({ SuiteDescription }: GinkgoSuite, spec: GinkgoSpec): string {
  const leaf = spec.LeafNodeType === 'It' ? spec.LeafNodeText : `[${spec.LeafNodeType}]`;
  return [SuiteDescription, ...(spec.ContainerHierarchyTexts ?? []), leaf].join(' > ');
}

function failureOf({ State, Failure }: GinkgoSpec): string | undefined {
  if (State === 'passed') return undefined;
  return `${State}: ${Failure?.Message ?? 'no message'}`.replaceAll(/\s+/g, ' ');
}
