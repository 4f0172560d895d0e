import { installAmbient } from '../ambient/install-ambient.ts';
import { startGuard } from './guard.ts';
import { setIsolation, type IsolationSettings } from './isolation-settings.ts';
import { chooseModules, type ChosenModules } from './module-state.ts';

/** Makes this process run the controllers of a module in isolation, for good, and loads its options. */
export async function setUpIsolation(settings: IsolationSettings): Promise<ChosenModules> {
  setIsolation(settings);
  await startGuard(settings);
  const clock = installAmbient();
  const chosen = await chooseModules(settings, clock);
  // The processes of a pool do as this one does.
  setIsolation({ ...settings, modules: chosen.modules });
  return chosen;
}
