import type { ConformanceRow, SpecReference } from './conformance-row.ts';

type Cases = readonly SpecReference[];

const inFile =
  (spec: string, suite: string) =>
  (...titles: readonly string[]): Cases =>
    titles.map((title) => ({ spec, title: `${suite} ${title}` }));

const waiting = inFile('cache/informer/factory/wait-for-cache-sync.spec.ts', 'waitForCacheSync');
const factory = inFile(
  'cache/informer/factory/shared-informer-factory.spec.ts',
  'SharedInformerFactory',
);
const lease = inFile('cache/informer/factory/informer-lease.spec.ts', 'InformerLease');
const unknownOptions = inFile('kernel/options/options-schema.spec.ts', 'OptionsSchema');

const NO_GATES =
  'There are no feature gates: what upstream puts behind one is an option of the object it concerns, with one default.';
const OPTIONS_INSTEAD =
  'There are no feature gates; asking for an option that does not exist fails by name, as asking for such a gate does.';

/** client-go tools/cache/wait_test.go, identity_test.go, and features/. */
export const startupRows: readonly ConformanceRow[] = [
  {
    file: 'identity_test.go',
    test: 'TestNewInformerName',
    specs: factory(
      'has a name that distinguishes its informers from those of another one, or none, but no empty one',
      'labels metrics with the name, and frees it with the informer',
    ),
    because:
      'No register of the process forbids two factories the same name: metrics go where each of them is configured to send them.',
  },
  {
    file: 'identity_test.go',
    test: 'TestWithResource',
    specs: factory(
      'gives every collection an entry and a name of its own, behind the name of the factory',
    ),
    because:
      'A second informer of a collection, which would go without metrics, does not come about: a second request gets the first.',
  },
  {
    file: 'identity_test.go',
    test: 'TestRelease',
    specs: [
      ...factory('labels metrics with the name, and frees it with the informer'),
      ...lease('makes a new informer after the last lease'),
    ],
  },
  {
    file: 'wait_test.go',
    test: 'TestWaitFor',
    specs: waiting(
      'needs no time for nothing at all and for what is synced, even when it was aborted',
      'resolves when the last one has synced, and notes each',
      'says every ten seconds what is missing and why',
      'gives up at its deadline and names what is missing, sorted, and nothing else',
      'names all of them when none has synced in time',
      'gives up when it is aborted, with the reason as the cause',
      'gives up at once when it was aborted before',
    ),
  },
  {
    file: 'wait_test.go',
    test: 'TestSyncResult',
    specs: waiting(
      'needs no time for nothing at all and for what is synced, even when it was aborted',
      'gives up when it is aborted, with the reason as the cause',
      'gives up at once when it was aborted before',
    ),
  },
  { file: 'envvar_test.go', test: 'TestEnvVarFeatureGates', specs: [], because: NO_GATES },
  {
    file: 'envvar_test.go',
    test: 'TestEnvVarFeatureGatesEnabledPanic',
    specs: unknownOptions(
      'names an option that does not exist, and the one that was meant',
      'is not fooled by names that every object has',
    ),
    because: OPTIONS_INSTEAD,
  },
  { file: 'envvar_test.go', test: 'TestHasAlreadyReadEnvVar', specs: [], because: NO_GATES },
  {
    file: 'envvar_test.go',
    test: 'TestEnvVarFeatureGatesSetNegative',
    specs: unknownOptions(
      'names an option that does not exist, and the one that was meant',
      'is not fooled by names that every object has',
    ),
    because: OPTIONS_INSTEAD,
  },
  ...[
    ['features_test.go', 'TestAddFeaturesToExistingFeatureGates'],
    ['features_test.go', 'TestAddVersionedFeaturesToExistingFeatureGates'],
    ['features_test.go', 'TestUnversionedFeatureGates'],
    ['features_test.go', 'TestReplaceFeatureGatesWithWarningIndicator'],
    ['features_init_test.go', 'TestDriveInitDefaultFeatureGates'],
    ['features_init_test.go', 'TestSetFeatureGatesDuringTest'],
    ['features_init_test.go', 'TestSetFeatureGatesDuringTestPanics'],
    ['features_init_test.go', 'TestOverridesForSetFeatureGatesDuringTest'],
  ].map(([file = '', test = '']) => ({ file, test, specs: [], because: NO_GATES })),
];
