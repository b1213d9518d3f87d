import { always, plainWords, type ValueTable } from '../../completion/value-source.ts';
import { loggingValues } from './logging-values.ts';

const namesIn = async (inputs: readonly string[]) =>
  (await import('../../completion/input-names.ts')).inputNames(inputs);

/** Values of `pilot-agent` beside choices and paths. */
export const agentValues: ValueTable = {
  ...loggingValues,
  '--root-namespace': async ({ inputs }) => plainWords((await namesIn(inputs)).namespaces),
  'proxy --output': always('yaml', 'json'),
  '--id': async ({ inputs }) => {
    const { workloads } = await namesIn(inputs);
    return { words: workloads.map((it) => ({ word: `${it.name}.${it.namespace}`, description: it.kind })) };
  },
  'proxy role': always('sidecar', 'router'),
  'request method': always('GET', 'POST'),
  '--debug-port': always('15000', '15004', '15020', '15021'),
  '--mesh-inbound-interception-mode': always('REDIRECT', 'TPROXY'),
};
