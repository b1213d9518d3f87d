import { logScopes } from '../../agent/log/scope.ts';
import { always, plainWords, type ValueTable } from '../../completion/value-source.ts';

/** Values of the flags that the agent and the control plane have in common, beside choices and paths. */
export const loggingValues: ValueTable = {
  '--log_target': () => ({ ...plainWords(['stdout', 'stderr']), paths: 'files' }),
  '--log_caller': always(...logScopes),
  'version --output': always('yaml', 'json'),
};
